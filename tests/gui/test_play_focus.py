"""Where the focus is once work is started and once it has ended: on the map after a plan, else where it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QSpinBox, QToolBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.planning.runs_panel import RunsList
from firegui.gui.scenario.fleet_panel import FIELDS, FleetPanel
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from tests.gui.analyses.scene import FakeRun
from tests.gui.hands import LEFT
from tests.gui.shell_scene import settle

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


def test_f5_starts_nothing_while_the_entry_of_the_field_cannot_be_used(qtbot: QtBot, window: MainWindow) -> None:
    field = epochs_field(window)
    assert isinstance(field, QSpinBox)
    kept = field.value()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClick(field, Qt.Key.Key_F5)
    QTest.keyClick(field, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    assert not window.workbench.queue.entries and window.focusWidget() is field
    assert field.property("role") == "refused" and field.text() == ""
    QTest.keyClick(field, Qt.Key.Key_Escape)
    QTest.keyClick(field, Qt.Key.Key_F5)
    ended(qtbot, window)
    assert field.value() == kept and len(window.workbench.queue.entries) == 1


@pytest.mark.parametrize("text", ["0", "-1", "many"])
def test_f5_starts_nothing_while_the_entry_of_the_open_cell_cannot_be_used(
    qtbot: QtBot, window: MainWindow, text: str
) -> None:
    bench = window.workbench
    bench.show_panel("Fleet")
    view, fleet = bench.panel("Fleet", FleetPanel).view, bench.session.project.planned_fleet
    while len(bench.panel("Fleet", FleetPanel).model.rows) > 1:
        bench.panel("Fleet", FleetPanel).model.remove(1)
    kept = bench.session.project.planned_fleet
    index = view.model().index(0, FIELDS.index("count"))
    view.setCurrentIndex(index)
    view.edit(index)
    editor = view.indexWidget(index)
    assert isinstance(editor, QLineEdit) and fleet.types[0] == kept.types[0]
    editor.setText(text)
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        QTest.keyClick(editor, Qt.Key.Key_F5, modifier)
        assert not bench.queue.entries and editor.hasFocus() and view.note is not None
    assert bench.session.project.planned_fleet == kept and editor.text() == text
    editor.setText("2")
    QTest.keyClick(editor, Qt.Key.Key_F5)
    ended(qtbot, window)
    assert bench.session.project.planned_fleet.types[0].count == 2 and len(bench.queue.entries) == 1


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


@pytest.mark.parametrize("field", ["id", "count"])
def test_space_plays_from_the_table_of_aircraft_and_enter_edits_the_cell(window: MainWindow, field: str) -> None:
    bench = window.workbench
    bench.show_panel("Fleet")
    view, before = bench.panel("Fleet", FleetPanel).view, bench.session.project
    view.setCurrentIndex(view.model().index(0, FIELDS.index(field)))
    view.setFocus()
    press_space(window)
    assert bench.timeline.is_playing and view.viewport().findChild(QLineEdit) is None
    QTest.keyClick(view, Qt.Key.Key_Return)
    editor = view.viewport().findChild(QLineEdit)
    assert editor is not None and editor.text() == view.currentIndex().data()
    QTest.keyClick(editor, Qt.Key.Key_Return)
    settle()
    assert view.viewport().findChild(QLineEdit) is None and bench.session.project == before


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


# -- analyses ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def panel(window: MainWindow, schedule_file: Path) -> Iterator[StressPanel]:
    """Return the shown stress panel, whose tests last until they are stopped."""
    window.workbench.show_panel("Stress")
    panel = window.workbench.panel("Stress", StressPanel)
    panel.form.schedules.add_file(schedule_file)
    panel._controller._execute = FakeRun(lambda _spec: (), endless=True)
    yield panel
    panel._controller.shutdown()


def test_the_focus_goes_from_the_start_button_of_an_analysis_to_stop_and_returns(
    qtbot: QtBot, window: MainWindow, panel: StressPanel
) -> None:
    start, stop = panel.button("start"), panel.button("stop")
    start.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(start, Qt.Key.Key_Space)
    assert not start.isEnabled() and window.focusWidget() is stop
    QTest.keyClick(stop, Qt.Key.Key_Space)
    qtbot.waitUntil(start.isEnabled)
    assert window.focusWidget() is start


def test_the_focus_stays_where_the_user_went_while_an_analysis_was_at_work(
    qtbot: QtBot, window: MainWindow, panel: StressPanel
) -> None:
    start, stop = panel.button("start"), panel.button("stop")
    start.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(start, Qt.Key.Key_Space)
    QTest.keyClick(stop, Qt.Key.Key_Tab)
    there = window.focusWidget()
    assert there is not stop
    panel._controller.stop()
    qtbot.waitUntil(start.isEnabled)
    assert window.focusWidget() is there


def test_a_field_that_is_disabled_with_its_form_leaves_the_focus_in_the_panel_and_gets_it_back(
    qtbot: QtBot, window: MainWindow, panel: StressPanel
) -> None:
    field = panel.form.findChild(QWidget, "draws")
    assert field is not None
    field.setFocus()
    panel.start()
    focus = window.focusWidget()
    assert focus is not None and window.workbench.shell.side.sections["Stress"].isAncestorOf(focus)
    panel._controller.stop()
    qtbot.waitUntil(panel.button("start").isEnabled)
    assert window.focusWidget() is field


def test_the_focus_of_a_hidden_result_goes_to_the_map(window: MainWindow) -> None:
    bench = window.workbench
    bench.show_panel("Stress")
    bench.shell.set_mode(CentreMode.BOTH)
    settle()
    result = bench.shell.centre.result
    button = next(each for each in result.findChildren(QWidget) if each.focusPolicy() and each.isVisible())
    button.setFocus()
    bench.shell.set_mode(CentreMode.MAP)
    assert bench.maps.isAncestorOf(window.focusWidget())


def test_the_focus_is_on_the_map_after_the_tour(window: MainWindow) -> None:
    bench = window.workbench
    bench.maps.setFocus()
    bench.guide.begin_tour()
    focus = window.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, Qt.Key.Key_Escape)
    assert bench.maps.isAncestorOf(window.focusWidget())
