"""Device in the status bar: the choice, the detected device, and the menu."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.device_menu import BACKENDS, DeviceButton, device_text
from firegui.gui.window.main_window import MainWindow
from firegui.runs.control import RunControl
from firegui.runs.events import DeviceUsed, Message, RunEvent, RunFinished
from firegui.runs.spec import EvaluateSpec, RunSpec
from firegui.runs.stages import FinishReason
from tests.gui.hands import LEFT

MENU_MS = 50


def button_of(window: MainWindow) -> DeviceButton:
    found = window.statusBar().findChild(DeviceButton, "device")
    assert isinstance(found, DeviceButton)
    return found


def pick(window: MainWindow, title: str) -> None:
    """Press the button of the status bar and click the entry ``title`` of its menu."""
    button = button_of(window)
    menu = button.menu()

    def click() -> None:
        entry = next(action for action in menu.actions() if action.text() == title)
        QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(entry).center())

    QTimer.singleShot(MENU_MS, click)
    QTest.mouseClick(button, LEFT, pos=button.rect().center())  # Returns when the menu has closed.
    assert not menu.isVisible()


@pytest.mark.parametrize(("name", "title"), [(name, title) for name, title in BACKENDS.items() if name != "auto"])
def test_a_device_is_chosen_with_the_mouse_in_the_status_bar(window: MainWindow, name: str, title: str) -> None:
    pick(window, title)
    assert window.workbench.session.backend == name
    pick(window, BACKENDS["auto"])
    assert window.workbench.session.backend == "auto"


def test_the_menu_marks_what_was_chosen_in_the_objective_dock(window: MainWindow) -> None:
    window.workbench.session.set_backend("reference")
    marked = [action.text() for action in button_of(window).menu().actions() if action.isChecked()]
    assert marked == [BACKENDS["reference"]]
    assert "plain reference" in button_of(window).text()


def test_the_choice_is_shown_in_the_objective_dock_and_remembered(
    window: MainWindow, preferences_store: QSettings
) -> None:
    assert button_of(window).text() == "Device: automatic"
    pick(window, BACKENDS["cpu"])
    box = window.workbench.panels["Objective"].findChild(QComboBox, "backend")
    assert isinstance(box, QComboBox)
    assert box.currentData() == "cpu"
    assert Preferences(preferences_store).backend == "cpu"


def test_the_device_that_a_run_uses_and_falls_back_on_is_shown_and_another_choice_does_not_inherit_it(
    qtbot: QtBot, session: Session
) -> None:
    resume_stopped = threading.Event()

    def execute(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        assert isinstance(spec, EvaluateSpec)
        emit(Message("Computing on the card", device=DeviceUsed(spec.backend, "the GPU NVIDIA H200")))
        resume_stopped.wait(60)
        emit(Message("Memory does not suffice.", "warning", DeviceUsed(spec.backend, "the CPU")))
        emit(RunFinished(FinishReason.COMPLETED, "done", None, None, None))

    queue = RunQueue(session, execute=execute)
    button, logged, said = DeviceButton(session), list[tuple[str, str]](), list[str]()
    session.message.connect(said.append)
    qtbot.addWidget(button)
    queue.logged.connect(lambda text, level: logged.append((text, level)))
    queue.show_baseline()
    qtbot.waitUntil(lambda: button.text() == "Device: automatic (the GPU NVIDIA H200)")
    resume_stopped.set()
    qtbot.waitUntil(lambda: "this computer's CPU" in button.text())
    assert ("Computing on the card", "info") in logged and "Computing on the card" not in said
    assert ("Memory does not suffice.", "warning") in logged and "Memory does not suffice." in said
    session.set_backend("reference")
    assert button.text() == "Device: plain reference, slow"
    session.set_backend("auto")
    assert "this computer's CPU" in button.text()
    queue.shutdown()
    queue.deleteLater()


@pytest.mark.parametrize(("cores", "words"), [(1, "1 core"), (8, "8 cores")])
def test_the_processor_is_shown_with_its_cores(monkeypatch: pytest.MonkeyPatch, cores: int, words: str) -> None:
    monkeypatch.setattr("firegui.gui.widgets.device_menu.os.cpu_count", lambda: cores)
    assert device_text("auto", "the CPU") == f"Device: automatic (this computer's CPU, {words})"


@pytest.mark.slow
def test_showing_the_device_loads_no_engine() -> None:
    source = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from firegui.gui.window.main_window import MainWindow\n"
        "from firegui.gui.session.session import Session\n"
        "app = QApplication([])\n"
        "window = MainWindow(Session())\n"
        "window.show()\n"
        "app.processEvents()\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'numba', 'triton')))\n"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
