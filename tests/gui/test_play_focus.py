"""Space plays once a plan is started and once it has ended, unless the user is typing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.planning.runs_panel import RunsList
from firegui.gui.window.main_window import MainWindow
from tests.gui.hands import LEFT

pytestmark = pytest.mark.usefixtures("saved")


def press_space(window: MainWindow) -> None:
    focus = window.focusWidget()
    QTest.keyClick(window if focus is None else focus, Qt.Key.Key_Space)


def epochs_field(window: MainWindow) -> QWidget:
    window.workbench.show_panel("Objective")
    field = window.workbench.panels["Objective"].findChild(QWidget, "optimizer_epochs")
    assert field is not None
    field.setFocus()
    return field


def ended(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: bool(window.workbench.queue.entries) and not window.workbench.queue.is_busy)


def test_after_f5_in_a_number_field_space_plays(qtbot: QtBot, window: MainWindow) -> None:
    field = epochs_field(window)
    assert window.focusWidget() is field
    QTest.keyClick(field, Qt.Key.Key_F5)
    ended(qtbot, window)
    press_space(window)
    assert window.workbench.timeline.is_playing
    press_space(window)
    assert not window.workbench.timeline.is_playing


def test_after_the_button_of_the_tool_bar_was_reached_by_tab_and_pressed_space_plays(
    qtbot: QtBot, window: MainWindow
) -> None:
    bar = window.findChild(QToolBar)
    assert bar is not None
    button = bar.findChild(QToolButton, "startTool")
    assert button is not None and button.text() == "Start plan"
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.mouseClick(button, LEFT)
    ended(qtbot, window)
    press_space(window)
    assert window.workbench.timeline.is_playing and len(window.workbench.queue.entries) == 1


def test_space_plays_from_the_list_of_runs(qtbot: QtBot, window: MainWindow) -> None:
    QTest.keyClick(epochs_field(window), Qt.Key.Key_F5)
    ended(qtbot, window)
    window.workbench.show_panel("Runs")
    table = window.workbench.panels["Runs"].findChild(RunsList)
    assert table is not None
    table.setFocus()
    assert window.focusWidget() is table
    press_space(window)
    assert window.workbench.timeline.is_playing


def test_who_types_words_goes_on_typing(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.show_panel("Help")
    field = window.workbench.help.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    QTest.keyClicks(field, "drops")
    window.workbench.plan.start()
    ended(qtbot, window)
    press_space(window)
    assert field.text() == "drops " and not window.workbench.timeline.is_playing


def test_who_went_to_a_number_while_the_plan_was_worked_out_stays_there(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.plan.start()
    field = epochs_field(window)
    ended(qtbot, window)
    assert window.focusWidget() is field


def test_the_start_page_keeps_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.plan.start()
    window.show_start_page()
    ended(qtbot, window)
    focus = window.focusWidget()
    assert focus is not None and window.start_page.isAncestorOf(focus)
