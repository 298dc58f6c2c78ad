"""Story S13: recovery after a crash, and a project in two windows.

Here a window is left like a crashed one; ``tests/gui/kills`` kills real ones.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window import documents as documents_module
from firegui.gui.window.documents import UnsavedAnswer
from firegui.gui.window.event_log import LogPanel
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.recovery import Autosave, RecoverDialog
from firegui.io.project.store import load_project, save_project
from firegui.runs.autosave import recoverable_projects
from firegui.runs.lock import FolderLock, ProjectLock
from firegui.runs.runner import execute as real_execute
from tests.gui.conftest import quiet_execute
from tests.gui.controls import report
from tests.gui.hands import LEFT, to_front
from tests.gui.test_dialogs import press, when_open
from tests.support import forget_checksums, make_project

CTRL = Qt.KeyboardModifier.ControlModifier
HOLDER = """
import sys
from pathlib import Path
from firegui.runs.lock import ProjectLock
lock = ProjectLock()
print(lock.take(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the folder for unsaved work."""
    return tmp_path / "recovery"


@pytest.fixture
def folder(project: Project, tmp_path: Path) -> Path:
    """Return the folder of the small project."""
    made = tmp_path / "ridge.firegui"
    save_project(project, made)
    return made


@contextmanager
def opened(place: Path, *, execute: object = quiet_execute) -> Iterator[MainWindow]:
    """Return a window that stores unsaved work in ``place``; in the end it is left like a crashed one."""
    session = Session()
    queue = RunQueue(session, execute=execute)  # type: ignore[arg-type]
    window = MainWindow(session, queue, Preferences(recovery=place))
    window.resize(1280, 800)
    window.show()
    window.activateWindow()
    QApplication.processEvents()
    try:
        yield window
    finally:
        leave_like_a_killed_one(window)


def leave_like_a_killed_one(window: MainWindow) -> None:
    """Release the locks like the system; nothing is asked, written or cleared."""
    autosave = autosave_of(window)
    autosave._timer.stop()
    autosave._writer.shutdown()
    autosave._slot.release()
    autosave._given_up, autosave._slot = True, type(autosave._slot)(autosave.slot.parent)
    window.workbench.documents.release()
    window.workbench.session.undo_stack.setClean()
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def autosave_of(window: MainWindow) -> Autosave:
    recovery = window.workbench.recovery
    assert recovery is not None
    return recovery.autosave


def kept(qtbot: QtBot, window: MainWindow, do: Callable[[], object]) -> None:
    """Call a function, and wait until its edit is in the slot."""
    with qtbot.waitSignal(autosave_of(window).kept, timeout=20_000):
        do()


def answer(do: Callable[[RecoverDialog], object], seen: list[str] | None = None) -> None:
    """Call a function with the question once it is open."""

    def look(dialog: QWidget) -> None:
        assert isinstance(dialog, RecoverDialog)
        assert report(dialog) == []
        if seen is not None:
            seen.extend(dialog.list.item(row).text() for row in range(dialog.list.count()))
        do(dialog)

    when_open(look)


def click_recover(dialog: RecoverDialog) -> None:
    QTest.mouseClick(dialog.recover, LEFT)


def offer(window: MainWindow) -> bool:
    recovery = window.workbench.recovery
    assert recovery is not None
    return recovery.offer()


def region_names(window: MainWindow) -> list[str]:
    return [region.name for region in window.workbench.session.project.regions]


def draw_region(window: MainWindow, name: str = "New") -> None:
    regions = (*window.workbench.session.project.regions, Region.rectangle(name, (10, 12), (10, 12)))
    window.workbench.session.set_regions(f"draw {name}", regions)


# -- S13 ---------------------------------------------------------------------------------------------------------------
def test_s13_after_a_crash_the_unsaved_edits_are_offered_undone_by_one_ctrl_z_and_saved_by_ctrl_s(
    qtbot: QtBot, place: Path, folder: Path
) -> None:
    before = (folder / "project.toml").read_bytes()
    with opened(place) as window:
        assert window.workbench.documents.open(folder)
        kept(qtbot, window, lambda: draw_region(window))
        kept(qtbot, window, lambda: draw_region(window, "Newer"))
    assert (folder / "project.toml").read_bytes() == before, "a save stays what a person decides"

    with opened(place) as window:
        seen: list[str] = []
        answer(click_recover, seen)
        assert offer(window)
        assert seen[0].splitlines()[:2] == ["Test Ridge", str(folder)]
        assert "unsaved edits, the last kept today at" in seen[0]
        assert region_names(window) == ["R1", "New", "Newer"]
        assert window.isWindowModified() and window.workbench.session.folder == folder
        to_front(qtbot, window)
        QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
        assert region_names(window) == ["R1"]
        assert not window.isWindowModified()
        QTest.keyClick(window, Qt.Key.Key_Y, CTRL)
        kept(qtbot, window, lambda: QTest.keyClick(window, Qt.Key.Key_S, CTRL))
    assert [region.name for region in load_project(folder).regions] == ["R1", "New", "Newer"]
    assert recoverable_projects(place) == []


@pytest.mark.slow
def test_s13_a_project_that_was_never_saved_comes_back_unsaved(qtbot: QtBot, place: Path, project: Project) -> None:
    with opened(place) as window:
        kept(qtbot, window, lambda: window.workbench.session.open_project(project, None))
        kept(qtbot, window, lambda: draw_region(window))
    with opened(place) as window:
        seen: list[str] = []
        answer(click_recover, seen)
        assert offer(window)
        assert "never saved" in seen[0]
        assert window.workbench.session.folder is None
        assert region_names(window) == ["R1", "New"]
        assert window.workbench.session.project.scenario.wind_speed.tobytes() == project.scenario.wind_speed.tobytes()
        kept(qtbot, window, lambda: draw_region(window, "Newer"))
    with opened(place) as window:
        answer(click_recover)
        assert offer(window)
        assert region_names(window) == ["R1", "New", "Newer"], "what was recovered is kept in its turn"


def test_s13_an_interrupted_run_goes_on_from_its_checkpoint(qtbot: QtBot, place: Path, tmp_path: Path) -> None:
    whole = make_project(epochs=1_000_000)
    optimizer = replace(whole.plan.optimizer, patience=1_000_000)
    folder = tmp_path / "tiny.firegui"
    save_project(replace(whole, plan=replace(whole.plan, optimizer=optimizer)), folder)
    with opened(place, execute=real_execute) as window:
        window.workbench.session.set_backend("reference")
        assert window.workbench.documents.open(folder)
        to_front(qtbot, window)
        kept(qtbot, window, lambda: QTest.keyClick(window, Qt.Key.Key_F5))
        entry = window.workbench.queue.active
        assert entry is not None
        qtbot.waitUntil(lambda: entry.epoch > 2, timeout=60_000)
        run = entry.folder
        # State after a kill: what was last written, and no end.
        window.workbench.queue.stop()
        window.workbench.queue.stop()
        qtbot.waitUntil(lambda: window.workbench.queue.active is None, timeout=60_000)
        forget_checksums(run)
        left = (run / "run.toml").read_text().replace('state = "finished"', 'state = "running"')
        (run / "run.toml").write_text("\n".join(line for line in left.splitlines() if 'reason = "' not in line))
        done = entry.epoch
    with opened(place, execute=real_execute) as window:
        window.workbench.session.set_backend("reference")
        seen: list[str] = []
        answer(click_recover, seen)
        assert offer(window)
        assert f"interrupted: {entry.title}" in seen[0]
        again = window.workbench.queue.active
        assert again is not None and again.folder == run
        qtbot.waitUntil(lambda: again.epoch > done, timeout=60_000)
        assert not window.isWindowModified()
        window.workbench.queue.stop()
        window.workbench.queue.stop()
        qtbot.waitUntil(lambda: window.workbench.queue.active is None, timeout=60_000)


# -- the question ------------------------------------------------------------------------------------------------------
def left_from(qtbot: QtBot, place: Path, folder: Path) -> None:
    """Return the work of a killed window with one unsaved region."""
    with opened(place) as window:
        assert window.workbench.documents.open(folder)
        kept(qtbot, window, lambda: draw_region(window))


@pytest.mark.slow
def test_not_now_asks_again_at_the_next_start(qtbot: QtBot, place: Path, folder: Path) -> None:
    left_from(qtbot, place, folder)
    with opened(place) as window:
        answer(lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape))
        assert not offer(window)
        assert not window.workbench.session.has_project
    assert len(recoverable_projects(place)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("yes", "remains"), [(True, 0), (False, 1)])
def test_throwing_away_asks_once_more(
    qtbot: QtBot, place: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, yes: bool, remains: int
) -> None:
    left_from(qtbot, place, folder)
    monkeypatch.setattr("firegui.gui.window.recovery.confirm", lambda *_args: yes)

    def discard(dialog: RecoverDialog) -> None:
        QTest.mouseClick(dialog.discard, LEFT)
        if not yes:
            QTest.mouseClick(dialog.later, LEFT)

    with opened(place) as window:
        answer(discard)
        assert not offer(window)
    assert len(recoverable_projects(place)) == remains
    assert load_project(folder).regions


@pytest.mark.slow
def test_what_cannot_be_read_is_refused_with_the_reason_and_stays(
    qtbot: QtBot, place: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_from(qtbot, place, folder)
    told: list[InputError] = []
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda _parent, error: told.append(error))
    folder.rename(folder.with_name("moved.firegui"))
    with opened(place) as window:
        answer(click_recover)
        assert not offer(window)
        qtbot.waitUntil(lambda: len(told) == 1)
        assert str(folder) in str(told[0])
    folder.with_name("moved.firegui").rename(folder)
    assert len(recoverable_projects(place)) == 1


def test_nothing_is_asked_after_a_window_that_was_shut(
    qtbot: QtBot, place: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_module, "ask_unsaved", lambda *_args: UnsavedAnswer.DISCARD)
    with opened(place) as window:
        assert window.workbench.documents.open(folder)
        kept(qtbot, window, lambda: draw_region(window))
        assert window.close()
        assert list(place.iterdir()) == [], "what a person threw away is gone"


@pytest.mark.slow
def test_a_window_that_the_system_shuts_without_a_question_leaves_its_edits_behind(
    qtbot: QtBot, place: Path, folder: Path
) -> None:
    with opened(place) as window:
        assert window.workbench.documents.open(folder)
        draw_region(window)
        window.stop_work()
        assert len(recoverable_projects(place)) == 1, "though no moment had passed since the edit"


@pytest.mark.slow
def test_a_full_disk_is_told_once_and_the_window_goes_on(qtbot: QtBot, place: Path, folder: Path) -> None:
    place.parent.mkdir(exist_ok=True)
    place.write_text("no folder")
    with opened(place) as window:
        assert window.workbench.documents.open(folder)
        said: list[str] = []
        autosave_of(window).failed.connect(said.append)
        for name in ("One", "Two"):
            with qtbot.waitSignal(autosave_of(window)._writer.raised, timeout=20_000):
                draw_region(window, name)
        assert len(said) == 1
        assert any("could not be stored" in line for line in window.workbench.panel("Log", LogPanel).lines)


# -- two windows -------------------------------------------------------------------------------------------------------
@pytest.fixture
def elsewhere(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the project open in another process."""
    words = [sys.executable, "-c", HOLDER, str(folder)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "True\n"
    yield process
    process.kill()
    process.communicate()


def press_button(text: str, seen: list[str]) -> None:
    """Click the button with that text once there is a dialog with one."""

    def look(box: QWidget) -> None:
        assert isinstance(box, QMessageBox)
        seen.append(box.text())
        press(text)(box)

    when_open(look)


def test_a_project_that_is_open_elsewhere_is_opened_read_only_or_not_at_all(
    qtbot: QtBot, window: MainWindow, folder: Path, elsewhere: subprocess.Popen[str]
) -> None:
    before, seen = window.workbench.session.project, list[str]()
    press_button("Do not open", seen)
    assert not window.workbench.documents.open(folder)
    assert window.workbench.session.project is before
    assert f"“ridge.firegui” is already open: process {elsewhere.pid} on" in seen[0]
    press_button("Open read-only", seen)
    assert window.workbench.documents.open(folder)
    assert window.workbench.session.project is not before
    assert window.workbench.session.is_read_only and window.workbench.session.folder is None
    assert window.windowTitle() == "Test Ridge[*] (read-only) — firegui"
    assert folder not in window.workbench.documents.recent


def test_once_the_other_window_was_killed_the_project_opens_as_ever(
    window: MainWindow, folder: Path, elsewhere: subprocess.Popen[str]
) -> None:
    elsewhere.kill()
    elsewhere.wait()
    assert window.workbench.documents.open(folder)
    assert window.workbench.session.folder == folder


def test_saving_over_a_project_that_is_open_elsewhere_is_refused(
    qtbot: QtBot, window: MainWindow, folder: Path, elsewhere: subprocess.Popen[str], refusals: list[InputError],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda *_args: None)
    before = (folder / "project.toml").read_bytes()
    window.workbench.session.mark_saved(folder)
    window.workbench.session.set_regions("clear", ())
    assert not window.workbench.documents.save()
    assert "is open elsewhere: process" in str(refusals[0])
    assert (folder / "project.toml").read_bytes() == before
    assert window.isWindowModified()


def test_a_window_holds_what_it_shows_and_lets_it_go(
    window: MainWindow, folder: Path, tmp_path: Path, project: Project
) -> None:
    other, second = ProjectLock(), tmp_path / "second.firegui"
    save_project(project, second)
    assert window.workbench.documents.open(folder)
    assert other.holder_of(folder)
    assert window.workbench.documents.open(folder), "again, in the same window"
    assert window.workbench.documents.open(second)
    assert not other.holder_of(folder) and other.holder_of(second)
    assert window.close()
    assert not other.holder_of(second)
    FolderLock(second).release()
