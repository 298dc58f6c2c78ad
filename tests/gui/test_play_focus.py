"""Once a plan is started, and once it has ended, Space plays; who is typing goes on typing."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.window.main_window import MainWindow
from firegui.io.project_store import save_project
from tests.gui.hands import LEFT


@pytest.fixture
def saved(window: MainWindow, tmp_path: Path) -> MainWindow:
    """The workbench on a project that was saved; its runs end at once."""
    folder = tmp_path / "ridge.firegui"
    save_project(window.workbench.session.project, folder)
    window.workbench.session.mark_saved(folder)
    return window


def press_space(window: MainWindow) -> None:
    focus = window.focusWidget()
    QTest.keyClick(window if focus is None else focus, Qt.Key.Key_Space)


def epochs_field(window: MainWindow) -> QWidget:
    window.workbench.show_dock("Objective")
    field = window.workbench.docks["Objective"].findChild(QWidget, "optimizer_epochs")
    assert field is not None
    field.setFocus()
    return field


def ended(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: bool(window.workbench.queue.entries) and not window.workbench.queue.is_busy)


def test_after_f5_in_a_number_field_space_plays(qtbot: QtBot, saved: MainWindow) -> None:
    field = epochs_field(saved)
    assert saved.focusWidget() is field
    QTest.keyClick(field, Qt.Key.Key_F5)
    ended(qtbot, saved)
    press_space(saved)
    assert saved.workbench.timeline.is_playing
    press_space(saved)
    assert not saved.workbench.timeline.is_playing


def test_after_the_button_of_the_tool_bar_was_reached_by_tab_and_pressed_space_plays(
    qtbot: QtBot, saved: MainWindow
) -> None:
    bar = saved.findChild(QToolBar)
    assert bar is not None
    button = bar.findChild(QToolButton, "startTool")
    assert button is not None and button.text() == "Start plan"
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.mouseClick(button, LEFT)
    ended(qtbot, saved)
    press_space(saved)
    assert saved.workbench.timeline.is_playing and len(saved.workbench.queue.entries) == 1


def test_who_types_words_goes_on_typing(qtbot: QtBot, saved: MainWindow) -> None:
    saved.workbench.show_dock("Help")
    field = saved.workbench.help.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    QTest.keyClicks(field, "drops")
    saved.workbench.plan.start()
    ended(qtbot, saved)
    press_space(saved)
    assert field.text() == "drops " and not saved.workbench.timeline.is_playing


def test_who_went_to_a_number_while_the_plan_was_worked_out_stays_there(qtbot: QtBot, saved: MainWindow) -> None:
    saved.workbench.plan.start()
    field = epochs_field(saved)
    ended(qtbot, saved)
    assert saved.focusWidget() is field


def test_the_start_page_keeps_the_focus(qtbot: QtBot, saved: MainWindow) -> None:
    saved.workbench.plan.start()
    saved.show_start_page()
    ended(qtbot, saved)
    focus = saved.focusWidget()
    assert focus is not None and saved.start_page.isAncestorOf(focus)
