"""Constraints dock: every constraint can be set, undone, drawn on the map, saved and loaded."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDateTimeEdit, QDialogButtonBox
from pytestqt.qtbot import QtBot

from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.gui.map.drop_menu import drop_at as drop_under
from firegui.gui.scenario.constraint_tables import PinDropsDialog
from firegui.gui.scenario.constraints_panel import NO_PLACE, ConstraintsPanel
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.gui.window.main_window import MainWindow
from firegui.io.daylight import sun_days
from firegui.io.project.scenario_toml import read_operations
from tests.gui.hands import (
    cell_text,
    double_click,
    show_widget,
    type_into_cell,
    type_into_field,
    type_refused_into_cell,
)
from tests.gui.map_scene import RIGHT, Hand, drop_at, only, painted, undo_steps

ZONE = Region.rectangle("Reservoir", (10, 20), (30, 40))
NOON = datetime(2020, 8, 19, 19, tzinfo=UTC)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> ConstraintsPanel:
    shown = ConstraintsPanel(session)
    show_widget(qtbot, shown, 460, 1400)
    return shown


def rules(session: Session) -> Operations:
    return session.project.operations


def show_drop(session: Session) -> None:
    session.show_result(ShownResult("run", drops=(drop_at(20.0, 30.0, 0.0, step=20),), project=session.project))


# -- daylight ----------------------------------------------------------------------------------------------------------
def test_nothing_is_constrained_at_first_and_the_dock_says_so(panel: ConstraintsPanel, session: Session) -> None:
    assert rules(session).off
    assert "the paper's case" in panel.notes.text()
    assert not panel.problems.isVisible()
    assert not panel.button("reset").isEnabled()


def test_daylight_is_turned_on_with_margins_and_undone(qtbot: QtBot, panel: ConstraintsPanel, session: Session) -> None:
    panel.daylight.rule.click()
    type_into_field(qtbot, panel.daylight.after, "45")
    assert rules(session).daylight == Daylight(45.0, 30.0)
    session.undo_stack.undo()
    assert rules(session).daylight == Daylight()
    assert panel.daylight.after.value() == 30.0
    session.undo_stack.undo()
    assert rules(session).off
    assert not panel.daylight.rule.isChecked()


def test_every_planned_day_shows_sun_and_flying_window_in_local_time(panel: ConstraintsPanel, session: Session) -> None:
    table = panel.daylight.table
    assert table.model().rowCount() == 4
    assert cell_text(table, 0, 0) == "1 · 19 Aug"
    assert cell_text(table, 0, 3) == "–"
    rise, down = (cell_text(table, 1, column) for column in (1, 2))
    session.set_operations("x", Operations(daylight=Daylight(60.0, 30.0)))
    assert "05:" < rise < "07:" and "19:" < down < "21:"
    assert int(cell_text(table, 1, 3)[:2]) == int(rise[:2]) + 1
    assert cell_text(table, 1, 3)[3:] == rise[3:]
    assert cell_text(table, 1, 4) < down
    assert "UTC-7" in panel.daylight.note.text()
    panel.resize(290, panel.height())
    QApplication.processEvents()
    assert table.columnWidth(0) >= table.sizeHintForColumn(0), "the date can be read in a narrow panel"
    assert all(table.columnWidth(column) >= table.sizeHintForColumn(column) for column in range(5))
    assert table.horizontalScrollBar().maximum() == 0, "no time is cut off"


def test_the_table_of_daylight_rounds_times_as_other_places_of_the_window_do(
    panel: ConstraintsPanel, session: Session
) -> None:
    session.set_operations("x", Operations(daylight=Daylight()))
    table, calendar, truncated = panel.daylight.table, session.project.calendar, 0
    for row, day in enumerate(sun_days(session.project)):
        for column, span in ((1, day.light), (3, day.open)):
            if span is not None:
                assert cell_text(table, row, column) == calendar.clock_text(span[0])
                truncated += calendar.clock_text(span[0]) != f"{span[0].astimezone(calendar.local_zone):%H:%M}"
    assert truncated, "some of the times lie in the second half of a minute"


def test_without_a_coordinate_system_daylight_says_what_it_needs(
    panel: ConstraintsPanel, session: Session, project: Project
) -> None:
    grid = replace(project.scenario.grid, crs=None, transform=None)
    session.open_project(replace(project, scenario=replace(project.scenario, grid=grid)), None)
    assert panel.daylight.note.text() == NO_PLACE
    assert not panel.daylight.table.isVisible()
    assert not panel.daylight.rule.isEnabled()
    assert sun_days(session.project) == ()


# -- groundings, sorties, cap ------------------------------------------------------------------------------------------
def test_an_aircraft_is_grounded_for_part_of_the_shown_day_and_freed_again(
    qtbot: QtBot, panel: ConstraintsPanel, session: Session
) -> None:
    session.set_step(60)
    panel.button("grounding-add").click()
    (made,) = rules(session).groundings
    assert made.aircraft == "S-2T"
    assert (made.start.isoformat(), made.end.isoformat()) == ("2020-08-20T12:00:00-07:00", "2020-08-20T18:00:00-07:00")
    box = panel.grounding_view.viewport().findChild(QComboBox)
    assert isinstance(box, QComboBox)
    assert [box.itemData(k) for k in range(box.count())] == ["S-2T", "CL-415", "S-2T-1", "S-2T-2", "CL-415-1"]
    box.setCurrentIndex(4)
    box.activated.emit(4)
    assert rules(session).groundings[0].aircraft == "CL-415-1"
    panel.grounding_view.selectRow(0)
    panel.grounding_view.setFocus()
    QTest.keyClick(panel.grounding_view, Qt.Key.Key_Delete)
    assert rules(session).groundings == ()


def test_the_end_of_a_grounding_is_set_in_local_time(qtbot: QtBot, panel: ConstraintsPanel, session: Session) -> None:
    session.set_operations("x", Operations(groundings=(Grounding("S-2T", NOON, NOON.replace(hour=20)),)))
    assert cell_text(panel.grounding_view, 0, 1) == "19 Aug 12:00"
    double_click(qtbot, panel.grounding_view, 0, 2)
    editor = panel.grounding_view.viewport().findChild(QDateTimeEdit)
    assert isinstance(editor, QDateTimeEdit)
    assert editor.time().hour() == 13
    editor.setTime(editor.time().addSecs(5400))
    QTest.keyClick(editor, Qt.Key.Key_Return)
    # Enter commits a moment later, in the event loop.
    qtbot.waitUntil(lambda: rules(session).groundings[0].end == datetime(2020, 8, 19, 21, 30, tzinfo=UTC))


def test_an_end_before_the_start_is_refused_in_the_open_cell(
    qtbot: QtBot, panel: ConstraintsPanel, session: Session, refusals: list[InputError]
) -> None:
    session.set_operations("x", Operations(groundings=(Grounding("S-2T", NOON, NOON.replace(hour=20)),)))
    before = session.project
    double_click(qtbot, panel.grounding_view, 0, 2)
    editor = panel.grounding_view.viewport().findChild(QDateTimeEdit)
    assert isinstance(editor, QDateTimeEdit)
    editor.setSelectedSection(QDateTimeEdit.Section.HourSection)
    QTest.keyClicks(editor, "03")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.grounding_view.note is not None)
    note = panel.grounding_view.note
    assert note is not None and note.isVisible() and editor.isVisible() and editor.hasFocus()
    assert note.text() == (
        "The end, 19 Aug 03:00, is not after the start, 19 Aug 12:00; choose an end after the start. "
        "Esc keeps 19 Aug 13:00."
    )
    assert editor.property("role") == "refused"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: panel.grounding_view.viewport().findChild(QDateTimeEdit) is None)
    assert session.project is before and panel.grounding_view.note is None
    assert refusals == [], "no list of problems is opened"


def test_a_grounding_that_ends_before_it_begins_is_told_at_once(panel: ConstraintsPanel, session: Session) -> None:
    session.set_operations("x", Operations(groundings=(Grounding("Jet", NOON, NOON),)))
    assert "give an end after the start" in panel.problems.text()
    assert "is not an aircraft of the fleet" in panel.problems.text()


def test_sorties_of_a_type_are_limited_and_freed(qtbot: QtBot, panel: ConstraintsPanel, session: Session) -> None:
    type_into_cell(qtbot, panel.sorties_view, 0, 1, "6")
    assert rules(session).sorties_per_day == {"S-2T": 6}
    assert [cell_text(panel.sorties_view, row, 1) for row in range(2)] == ["6", "no limit"]
    type_into_cell(qtbot, panel.sorties_view, 0, 1, "")
    assert rules(session).off


@pytest.mark.parametrize("text", ["some", "²", "9" * 5_000])
def test_a_limit_that_is_no_number_is_refused(
    qtbot: QtBot, panel: ConstraintsPanel, session: Session, refusals: list[InputError], text: str
) -> None:
    why = type_refused_into_cell(qtbot, panel.sorties_view, 1, 1, text)
    assert rules(session).off
    assert "use 0 to" in why and refusals == []


def test_the_limit_of_a_type_that_left_the_fleet_can_still_be_lifted(
    qtbot: QtBot, panel: ConstraintsPanel, session: Session, project: Project
) -> None:
    session.set_operations("x", Operations(sorties_per_day={"CL-415": 3}))
    session.set_planned_fleet("x", Fleet(project.fleet.types[:1]))
    assert "is not an aircraft type of the fleet" in panel.problems.text()
    type_into_cell(qtbot, panel.sorties_view, 1, 1, "")
    assert not panel.problems.isVisible()


def test_the_cap_proposes_the_shown_plan_and_typing_is_one_step(
    qtbot: QtBot, panel: ConstraintsPanel, session: Session
) -> None:
    show_drop(session)
    panel.refresh()
    panel.capped.click()
    assert rules(session).hard_cap == 1
    type_into_field(qtbot, panel.cap, "250")
    assert rules(session).hard_cap == 250
    assert undo_steps(session) == 2
    panel.capped.click()
    assert rules(session).hard_cap is None


# -- zones -------------------------------------------------------------------------------------------------------------
def test_a_zone_is_drawn_as_a_rectangle_with_its_own_tool_and_undone(
    panel: ConstraintsPanel, session: Session, hand: Hand
) -> None:
    regions = session.project.regions
    panel.button("zone").click()
    assert session.tool is Tool.ZONE
    hand.drag((10.5, 30.5), (19.5, 39.5))
    assert rules(session).no_drop_zones == (Region.rectangle("Z1", (10, 20), (30, 40)),)
    assert session.project.regions == regions
    session.undo_stack.undo()
    assert rules(session).off


def test_a_zone_is_drawn_corner_by_corner(panel: ConstraintsPanel, session: Session, hand: Hand) -> None:
    panel.button("zone-polygon").click()
    for place in ((10.0, 30.0), (20.0, 30.0), (20.0, 45.0)):
        hand.click(place)
    hand.key(Qt.Key.Key_Return)
    (zone,) = rules(session).no_drop_zones
    assert zone.name == "Z1"
    assert len(zone.parts[0][0]) == 3
    assert zone.as_rectangle is None


def test_zones_are_renamed_and_deleted_in_the_list(qtbot: QtBot, panel: ConstraintsPanel, session: Session) -> None:
    session.set_operations("x", Operations(no_drop_zones=(ZONE,)))
    assert cell_text(panel.zones_view, 0, 1) == "100"
    assert cell_text(panel.zones_view, 0, 2) == "9.0 ha"
    type_into_cell(qtbot, panel.zones_view, 0, 0, "Lake")
    assert rules(session).no_drop_zones[0].name == "Lake"
    panel.zones_view.selectRow(0)
    panel.button("zone-delete").click()
    assert rules(session).no_drop_zones == ()


def test_a_zone_keeps_its_name_where_the_new_one_is_taken(
    qtbot: QtBot, panel: ConstraintsPanel, session: Session, refusals: list[InputError]
) -> None:
    session.set_operations("x", Operations(no_drop_zones=(ZONE, replace(ZONE, name="Lake"))))
    why = type_refused_into_cell(qtbot, panel.zones_view, 0, 0, "Lake")
    assert rules(session).no_drop_zones[0].name == "Reservoir"
    assert "There is already a no-drop zone Lake" in why and refusals == []


def test_zones_and_pins_are_painted_on_the_map_in_layers_of_their_own(session: Session, hand: Hand) -> None:
    only(hand.view, "extent")
    assert "none drawn" in hand.view.layers["zones"].missing()
    pin = PinnedDrop(NOON, "S-2T-1", 30.0, 50.0, 0.0)
    session.set_operations("x", Operations(no_drop_zones=(ZONE,), pinned=(pin,)))
    where = hand.pixel((15.0, 35.0))
    zone = painted(hand.view, "zones")
    assert zone[where.y() - 8 : where.y() + 8, where.x() - 8 : where.x() + 8].any()
    # Hatched: the layers below show between the strokes.
    assert not zone[where.y() - 8 : where.y() + 8, where.x() - 8 : where.x() + 8].all()
    where = hand.pixel((30.5, 50.5))
    assert painted(hand.view, "pins")[where.y(), where.x()]


# -- pins --------------------------------------------------------------------------------------------------------------
def test_a_drop_is_pinned_and_unpinned_by_a_right_click_on_the_map(session: Session, hand: Hand) -> None:
    show_drop(session)
    session.set_step(20)
    hand.view.flush()
    for expected, count in (("Pin this drop", 1), ("Unpin this drop", 0)):
        hand.click((20.5, 33.0), button=RIGHT)
        menu = hand.view.drop_menu.menu
        assert menu is not None
        pin_it = next(action for action in menu.actions() if action.text() == expected)
        pin_it.trigger()
        menu.close()
        assert len(rules(session).pinned) == count
    session.undo_stack.undo()
    (pin,) = rules(session).pinned
    assert (pin.aircraft, pin.y, pin.x) == ("S-2T-1", 18.0, 30.0)
    assert pin.time == session.project.calendar.time_of_step(20)


def test_a_drop_is_found_only_under_its_footprint() -> None:
    drop = drop_at(20.0, 30.0, 0.0)
    assert drop_under([drop], 20.5, 39.0, 0.5) is drop
    assert drop_under([drop], 24.0, 30.5, 0.5) is None
    assert drop_under([replace(drop, executed=False)], 20.5, 30.5, 0.5) is None


def test_drops_of_the_shown_plan_are_pinned_from_a_list(qtbot: QtBot, session: Session) -> None:
    drops = [drop_at(20.0, 30.0, 0.0, step=step) for step in (20, 40, 70)]
    dialog = PinDropsDialog(session, drops, session.project, None)
    qtbot.addWidget(dialog)
    pin = next(b for b in dialog.findChild(QDialogButtonBox).buttons() if b.text() == "Pin")  # type: ignore[union-attr]
    assert not pin.isEnabled()
    assert dialog.model.rowCount() == 2
    dialog.day.setCurrentIndex(0)
    assert dialog.model.rowCount() == 3
    dialog.table.selectAll()
    assert pin.isEnabled()
    assert [each.time for each in dialog.chosen] == [session.project.calendar.time_of_step(k) for k in (20, 40, 70)]


def test_pins_are_listed_and_removed_with_delete(panel: ConstraintsPanel, session: Session) -> None:
    pins = tuple(PinnedDrop(NOON.replace(minute=k), "CL-415-1", 30.0, 50.0 + k, 0.5) for k in (0, 30))
    session.set_operations("x", Operations(pinned=pins))
    assert cell_text(panel.pins_view, 0, 0) == "19 Aug 12:00"
    assert cell_text(panel.pins_view, 0, 4) == "061"
    panel.pins_view.selectRow(0)
    panel.pins_view.setFocus()
    QTest.keyClick(panel.pins_view, Qt.Key.Key_Delete)
    assert rules(session).pinned == pins[1:]


def test_a_pin_in_the_dark_is_told_in_the_dock_and_by_the_plan_button(
    window: MainWindow, session: Session, refusals: list[InputError], tmp_path: Path
) -> None:
    midnight = PinnedDrop(datetime(2020, 8, 20, 7, tzinfo=UTC), "S-2T-1", 30.0, 50.0, 0.0)
    session.set_operations("x", Operations(daylight=Daylight(), pinned=(midnight,)))
    panel = window.workbench.panels["Constraints"]
    assert isinstance(panel, ConstraintsPanel)
    assert "lies outside daylight" in panel.problems.text()
    window.workbench.session.refused.disconnect(window._show_problems)
    session.mark_saved(tmp_path / "p.firegui")
    window.workbench.plan.start()
    assert "lies outside daylight" in str(refusals[-1])
    assert not window.workbench.queue.entries


# -- files and the window ----------------------------------------------------------------------------------------------
def test_constraints_are_saved_and_loaded(panel: ConstraintsPanel, session: Session, tmp_path: Path) -> None:
    wanted = Operations(Daylight(), (), {"S-2T": 4}, 90, (ZONE,))
    session.set_operations("x", wanted)
    panel.save(tmp_path / "operations")
    assert read_operations(tmp_path / "operations.toml") == wanted
    panel.button("reset").click()
    assert rules(session).off
    panel.load(tmp_path / "operations.toml")
    assert rules(session) == wanted


def test_a_file_that_cannot_be_used_changes_nothing(
    panel: ConstraintsPanel, session: Session, refusals: list[InputError], tmp_path: Path
) -> None:
    (tmp_path / "bad.toml").write_text("hard_cap = -1\nmore = 2\n")
    panel.load(tmp_path / "bad.toml")
    assert len(refusals[0].problems) == 2
    assert rules(session).off


def test_f3_brings_the_dock_forward_and_the_zone_tools_have_keys(window: MainWindow, session: Session) -> None:
    QTest.keyClick(window, Qt.Key.Key_F3)
    assert not window.workbench.panels["Constraints"].visibleRegion().isEmpty()
    QTest.keyClick(window, Qt.Key.Key_6)
    assert window.workbench.actions["tool:zone"].isChecked()
    QTest.keyClick(window, Qt.Key.Key_7)
    assert window.workbench.actions["tool:zone-polygon"].isChecked()
