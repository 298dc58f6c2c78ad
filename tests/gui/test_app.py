"""Start of the program in a process of its own: a window before torch, and all threads ended."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.app import CrashReporter, start_log
from firegui.gui.window.guide import LIMITS, about_text, show_about
from firegui.io.project.store import save_project

REPOSITORY = Path(__file__).resolve().parents[2]

OPEN_LOOK_AND_CLOSE = """
import os
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from firegui.gui import app

open_initial_project = app.open_initial_project

def look(window, folder):
    assert window.isVisible()
    late = {"torch", "pyogrio", "pandas", "h5py", "matplotlib"} & set(sys.modules)
    assert not late, f"{late} were loaded before the window was shown"
    assert os.environ["QT_NO_GUI_THREADPOOL"] == "1", "painting would wait for threads that compete with a run"
    open_initial_project(window, folder)
    print("OPEN", window.workbench.session.project.scenario.name)
    QTimer.singleShot(200, window.close)

app.open_initial_project = look
sys.exit(app.main(Path(sys.argv[1])))
"""


def run_program(code: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    # Compiled kernels are shared, because the open project's fire needs them and compiling takes a minute.
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    shared = {"PYTHONPATH": str(REPOSITORY), "QT_QPA_PLATFORM": "offscreen", "XDG_CACHE_HOME": cache}
    environment = os.environ | places | shared
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True, timeout=300
    )


def test_the_window_opens_before_torch_and_closes_with_every_thread_ended(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "ridge.firegui"
    save_project(project, folder)
    done = run_program(OPEN_LOOK_AND_CLOSE, str(folder), home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "OPEN Test Ridge" in done.stdout
    assert "QThread: Destroyed" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def reported(qtbot: QtBot, tmp_path: Path) -> Iterator[tuple[CrashReporter, list[str]]]:
    """Return a reporter and what it reported."""
    told: list[str] = []
    path = tmp_path / "firegui.log"
    logger = start_log(path)
    reporter = CrashReporter(logger, path, lambda text, _path: told.append(text))
    yield reporter, told
    for handler in list(logger.handlers):
        if isinstance(handler, logging.FileHandler):
            logger.removeHandler(handler)
            handler.close()


def fail() -> None:
    raise ZeroDivisionError("of all things")


@pytest.mark.parametrize("in_thread", [False, True])
def test_an_unexpected_error_is_logged_and_told_in_the_windows_thread(
    qtbot: QtBot, reported: tuple[CrashReporter, list[str]], tmp_path: Path, in_thread: bool
) -> None:
    reporter, told = reported

    def work() -> None:
        try:
            fail()
        except ZeroDivisionError as error:
            reporter.report(type(error), error, error.__traceback__)

    if in_thread:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert told == []
    else:
        work()
    qtbot.waitUntil(lambda: len(told) == 1)
    assert "of all things" in told[0]
    assert "in fail" in (tmp_path / "firegui.log").read_text(encoding="utf-8")


def test_errors_while_one_is_shown_do_not_pile_up(qtbot: QtBot, tmp_path: Path) -> None:
    told: list[str] = []

    def show(text: str, _path: Path) -> None:
        told.append(text)
        reporter.report(ValueError, ValueError("again"), None)
        qtbot.wait(20)

    reporter = CrashReporter(logging.getLogger("firegui.test"), tmp_path, show)
    reporter.report(ValueError, ValueError("first"), None)
    qtbot.waitUntil(lambda: len(told) == 1)
    assert "first" in told[0]


def test_about_says_what_the_tool_cannot_do(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    seen: list[str] = []

    def read_and_close() -> None:
        for box in parent.findChildren(QMessageBox):
            seen.append(box.text())
            box.accept()

    QTimer.singleShot(50, read_and_close)
    show_about(parent)
    assert seen == [about_text()]
    assert all(limit in seen[0] for limit in LIMITS)


def test_thousands_of_void_calls_leave_the_process_alive(qtbot: QtBot) -> None:
    """Some bindings lose a reference to ``None`` at every void call and abort after about five thousand."""
    thing = QObject()
    before = sys.getrefcount(None)
    for number in range(6_000):
        thing.setObjectName(str(number))
    assert sys.getrefcount(None) > before - 1_000
