"""Story S3 in the fleet dock: numbers, ids, rows, files; invalid fleets are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from firegui.domain.calendar import Calendar
from firegui.domain.fleet import Fleet, Material, availability_cap
from firegui.domain.operations import Daylight, Operations
from firegui.domain.units import FOOT_M, KNOT_MS, Units
from firegui.errors import InputError
from firegui.gui.base.layouts import column, scroll_area
from firegui.gui.scenario.fleet_panel import FIELDS, TABLE_FIELDS, FleetPanel
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import RefusingLine
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout.gates import apply_gates
from tests.gui.hands import (
    LEFT,
    cell_text,
    centre_of,
    double_click,
    show_widget,
    type_into_cell,
    type_refused_into_cell,
)

COLUMN = {field: index for index, field in enumerate(FIELDS)}
Pick = Callable[[str, Path], None]


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> FleetPanel:
    """Return the dock on two S-2T and one CL-415."""
    shown = FleetPanel(session)
    show_widget(qtbot, shown, 900, 400)
    return shown


@pytest.fixture
def pick(monkeypatch: pytest.MonkeyPatch) -> Pick:
    """Answer the next file dialog."""

    def answer(method: str, path: Path) -> None:
        monkeypatch.setattr(QFileDialog, method, lambda *_args, **_kwargs: (str(path), ""))

    return answer


def test_a_turnaround_is_shown_and_typed_in_minutes_and_kept_in_hours(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    first = panel.model.index(0, COLUMN["turnaround_h"])
    title = panel.model.headerData(COLUMN["turnaround_h"], Qt.Orientation.Horizontal)
    assert "min" in str(title)
    hours = session.project.fleet.types[0].turnaround_h
    assert float(first.data(Qt.ItemDataRole.EditRole)) == pytest.approx(60.0 * hours)
    enter(qtbot, panel, 0, "turnaround_h", "45")
    assert session.project.fleet.types[0].turnaround_h == 0.75 and first.data(Qt.ItemDataRole.EditRole) == "45"
    # Two steps of 28.8 minutes, and the next drop is in the step after.
    assert first.data() == "45 → 86"
    session.edit("more steps", session.project.with_steps_per_day(500))
    assert first.data() == "45 → 49"


def test_an_interval_much_longer_than_the_turnaround_is_marked(session: Session, panel: FleetPanel) -> None:
    turnaround = panel.model.index(0, COLUMN["turnaround_h"])
    panel.view.setCurrentIndex(turnaround)
    panel.model.enter(turnaround, "30")
    assert panel.form.interval.property("role") == "warning"
    assert "whole steps of 28.8 min" in panel.form.coarse.text() and "Fire model…" in panel.form.coarse.text()
    panel.model.enter(turnaround, "280")
    assert panel.form.interval.property("role") == "muted" and panel.form.coarse.isHidden()


def test_the_lines_of_the_form_have_room_after_an_edit_is_undone(qtbot: QtBot, session: Session) -> None:
    panel = FleetPanel(session)
    area = scroll_area(column(panel), horizontal=False)
    show_widget(qtbot, area, 290, 700)
    turnaround = panel.model.index(1, COLUMN["turnaround_h"])
    panel.view.setCurrentIndex(turnaround)
    for minutes in ("60", "700"):
        panel.model.enter(turnaround, minutes)
        QTest.qWait(50)
    # The sentence on whole steps comes back, and the form needs more height.
    session.undo_stack.undo()
    QTest.qWait(50)
    assert panel.form.coarse.isVisible()
    lines = (panel.form.drawn, panel.form.interval, panel.form.coarse)
    assert [line.height() >= line.heightForWidth(line.width()) for line in lines] == [True] * 3


def test_the_papers_fleet_can_make_4037_drops_in_15_days() -> None:
    calendar = Calendar(datetime(2020, 8, 19, 7, tzinfo=UTC), 15, 50)
    assert availability_cap(default_fleet(), calendar) == 4037


@pytest.mark.parametrize("grounded", [(), (0,), (1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("turnaround_h", [0.0, 0.48, 0.5, 7.0, 30.0])
def test_the_cap_is_what_the_gates_execute_when_everything_is_proposed(
    session: Session, grounded: tuple[int, ...], turnaround_h: float
) -> None:
    kinds = [replace(k, turnaround_h=turnaround_h, grounded_days=grounded) for k in session.project.fleet.types]
    fleet, calendar = Fleet(tuple(kinds)), session.project.calendar
    everything = np.ones((calendar.n_steps, fleet.n_aircraft), bool)
    assert availability_cap(fleet, calendar) == apply_gates(everything, fleet, calendar.steps_per_day).executed.sum()


def enter(qtbot: QtBot, panel: FleetPanel, row: int, field: str, text: str) -> None:
    """Type into the cell of a field, or into the form if the table does not show it."""
    if field in TABLE_FIELDS:
        type_into_cell(qtbot, panel.view, row, COLUMN[field], text)
        return
    panel.view.setCurrentIndex(panel.model.index(row, COLUMN["id"]))
    line = panel.form.fields[field]
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def test_the_table_has_four_columns_and_the_form_follows_the_selected_type(session: Session, panel: FleetPanel) -> None:
    header = panel.view.horizontalHeader()
    shown = [FIELDS[header.logicalIndex(place)] for place in range(len(FIELDS))]
    assert [field for field in shown if not panel.view.isColumnHidden(COLUMN[field])] == list(TABLE_FIELDS)
    assert set(panel.form.fields) == set(FIELDS) - set(TABLE_FIELDS)
    panel.view.setCurrentIndex(panel.model.index(1, COLUMN["count"]))
    name = panel.form.fields["type"]
    assert isinstance(name, QLineEdit) and name.text() == "CL-415 Super Scooper"


def test_a_long_name_fits_the_form_and_is_in_the_tooltip(qtbot: QtBot, session: Session) -> None:
    panel = FleetPanel(session)
    show_widget(qtbot, panel, 290, 900)
    row = next(k for k, kind in enumerate(session.project.fleet.types) if kind.id == "S-2T")
    panel.view.setCurrentIndex(panel.model.index(row, COLUMN["count"]))
    name = panel.form.fields["type"]
    assert isinstance(name, QLineEdit)
    QTest.qWait(50)
    assert name.width() > name.fontMetrics().horizontalAdvance("Grumman S-2T Turbo Tracker") + 10
    assert name.toolTip().startswith(name.text())


def test_the_form_says_that_lengths_are_half_lengths_and_what_maps_draw(session: Session, panel: FleetPanel) -> None:
    row = next(k for k, kind in enumerate(session.project.fleet.types) if kind.id == "S-2T")
    panel.view.setCurrentIndex(panel.model.index(row, COLUMN["count"]))
    assert panel.form.fields["sigma_parallel_m"].accessibleName() == "Length scale, m"
    assert panel.form.drawn.text() == "drawn 447 m long, 13 m wide"
    session.set_units(Units.US)
    assert panel.form.drawn.text() == "drawn 1,466 ft long, 44 ft wide"


def test_the_form_and_the_cell_say_how_often_an_aircraft_drops(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    panel.view.setCurrentIndex(panel.model.index(0, COLUMN["id"]))
    enter(qtbot, panel, 0, "turnaround_h", "30")
    # Two steps of 28.8 minutes, and the next drop is in the step after.
    assert panel.form.interval.text() == "one drop every 86 min, at most 17 a day"
    tip = str(panel.model.index(0, COLUMN["turnaround_h"]).data(Qt.ItemDataRole.ToolTipRole))
    assert "30 min are 2 whole steps of 28.8 min" in " ".join(tip.split()) and tip == panel.form.interval.toolTip()
    session.set_operations("daylight", Operations(daylight=Daylight()))
    assert panel.form.interval.text().endswith(" a day in daylight") and "most 17" not in panel.form.interval.text()
    session.set_operations("limit", Operations(sorties_per_day={session.project.fleet.types[0].id: 3}))
    assert panel.form.interval.text() == "one drop every 86 min, at most 3 a day"


def test_the_form_is_in_the_units_of_the_session_and_the_fleet_in_si(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    before = session.project.fleet
    session.set_units(Units.US)
    panel.view.setCurrentIndex(panel.model.index(0, COLUMN["id"]))
    speed, height = panel.form.fields["speed_ms"], panel.form.fields["drop_height_m"]
    assert speed.accessibleName() == "Speed, kn" and height.accessibleName() == "Drop height, ft"
    assert isinstance(speed, QLineEdit) and float(speed.text()) == pytest.approx(
        before.types[0].speed_ms / KNOT_MS, rel=1e-3
    )
    speed.editingFinished.emit()
    assert session.project.fleet == before, "leaving a field without an edit changes nothing"
    enter(qtbot, panel, 0, "speed_ms", "120")
    enter(qtbot, panel, 0, "drop_height_m", "150")
    after = session.project.fleet.types[0]
    assert after.speed_ms == pytest.approx(120 * KNOT_MS) and after.drop_height_m == pytest.approx(150 * FOOT_M)
    assert speed.text() == "120"
    session.set_units(Units.METRIC)
    assert float(speed.text()) == pytest.approx(after.speed_ms, rel=1e-3)


def test_numbers_that_no_aircraft_has_are_named_below_the_table(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    first = session.project.fleet.types[0].id
    assert not panel.unusual.isVisible()
    enter(qtbot, panel, 0, "turnaround_h", "0")
    assert panel.unusual.isVisible()
    assert panel.unusual.text().startswith(f"⚠ {first}: a turnaround of 0 lets each aircraft drop again in the next")
    enter(qtbot, panel, 0, "turnaround_h", "60")
    assert not panel.unusual.isVisible()
    enter(qtbot, panel, 0, "payload_gal", "900000")
    assert panel.unusual.text().endswith("is outside what aircraft carry: 100 to 75,000 L.")
    session.set_units(Units.US)
    assert panel.unusual.text().endswith("is outside what aircraft carry: 26 to 19,800 gal.")


def test_the_footer_follows_counts_calendar_and_length(qtbot: QtBot, session: Session, panel: FleetPanel) -> None:
    assert panel.footer.startswith("3 aircraft · at most ")
    assert panel.footer.endswith("drops in 4 days")
    before = panel.footer
    type_into_cell(qtbot, panel.view, 0, COLUMN["count"], "5")
    assert panel.footer.startswith("6 aircraft")
    session.undo_stack.undo()
    assert panel.footer == before
    session.set_operations("daylight", Operations(daylight=Daylight()))
    assert panel.footer.endswith("drops in the daylight of 4 days")
    assert panel.footer != before.replace("drops in", "drops in the daylight of")
    session.undo_stack.undo()
    assert panel.footer == before
    session.set_plan("shorten", replace(session.project.plan, days=1))
    assert panel.footer.endswith("drops in 1 day")


def test_a_payload_can_be_edited_undone_and_redone(qtbot: QtBot, session: Session, panel: FleetPanel) -> None:
    type_into_cell(qtbot, panel.view, 0, COLUMN["payload_gal"], "4,732")
    assert session.project.fleet.types[0].payload_gal == 1250.0
    session.undo_stack.undo()
    assert session.project.fleet.types[0].payload_gal == 1200.0
    assert cell_text(panel.view, 0, COLUMN["payload_gal"]) == "4,542"
    session.undo_stack.redo()
    assert cell_text(panel.view, 0, COLUMN["payload_gal"]) == "4,732"
    session.set_units(Units.US)
    assert cell_text(panel.view, 0, COLUMN["payload_gal"]) == "1,250"
    type_into_cell(qtbot, panel.view, 0, COLUMN["payload_gal"], "1,300")
    assert session.project.fleet.types[0].payload_gal == 1300.0


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("payload_gal", "-5", "use 2 to 3,785,412 L"),
        ("payload_gal", "1", "use 2 to 3,785,412 L"),
        ("payload_gal", "nan", "use 2 to 3,785,412 L"),
        ("count", "1.5", "Number of aircraft: '1.5' cannot be read; use a whole number, 0 to 1000. Esc keeps 2."),
        ("count", "-1", "use a whole number, 0 to 1000"),
        ("turnaround_h", "9000", "Turnaround: too large; use 0 to 4320 min"),
        ("turnaround_h", "soon", "cannot be read; use 0 to 4320 min"),
        ("sigma_parallel_m", "0", "Length scale: too small; use 0.01 to 5000 m"),
        ("id", "CL-415", "is used 2 times"),
        ("id", "", "The id is empty"),
    ],
)
def test_an_impossible_value_is_refused_in_the_open_field(
    qtbot: QtBot, session: Session, panel: FleetPanel, refusals: list[InputError], field: str, text: str, said: str
) -> None:
    before, shown = session.project, cell_text(panel.view, 0, COLUMN[field])
    if field in TABLE_FIELDS:
        why = type_refused_into_cell(qtbot, panel.view, 0, COLUMN[field], text)
    else:
        enter(qtbot, panel, 0, field, text)
        line = panel.form.fields[field]
        assert isinstance(line, RefusingLine) and line.note is not None
        assert line.is_refused and line.text() == text
        why = line.note.text()
        QTest.keyClick(line, Qt.Key.Key_Escape)
        assert line.text() == shown and not line.is_refused
    assert said in why and why[0].isupper()
    assert session.project is before
    assert session.undo_stack.count() == 0
    assert cell_text(panel.view, 0, COLUMN[field]) == shown
    assert refusals == [], "no list of problems is opened"


def test_a_fleet_without_aircraft_is_refused_at_the_field_that_is_0(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    panel.view.setCurrentIndex(panel.model.index(1, 0))
    while panel.model.rowCount() > 1:
        panel.remove()
        panel.view.setCurrentIndex(panel.model.index(1, 0))
    said = type_refused_into_cell(qtbot, panel.view, 0, COLUMN["count"], "0")
    assert said.startswith("Aircraft is 0 for every type; use 1 or more for one of them")


def open_cell(qtbot: QtBot, panel: FleetPanel, text: str) -> QLineEdit:
    """Open the cell with the number of the first type and replace its text."""
    double_click(qtbot, panel.view, 0, COLUMN["count"])
    editor = panel.view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, text)
    return editor


def test_a_refused_cell_keeps_the_keys_and_can_be_mended(qtbot: QtBot, session: Session, panel: FleetPanel) -> None:
    editor = open_cell(qtbot, panel, "many")
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.hasFocus() and editor.text() == "many" and editor.property("role") == "refused"
    panel.view.setFocus()
    assert editor.hasFocus(), "the table gives its keys to the open cell"
    QTest.keyClicks(editor, "5")
    assert panel.view.note is None, "the note goes with the next letter"
    assert not editor.property("role")
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert session.project.fleet.types[0].count == 5


@pytest.mark.parametrize("entered", [True, False])
def test_a_click_on_another_cell_gives_a_refused_text_up_and_opens_that_cell(
    qtbot: QtBot, session: Session, panel: FleetPanel, entered: bool
) -> None:
    editor = open_cell(qtbot, panel, "many")
    if entered:
        QTest.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: panel.view.note is not None)
    double_click(qtbot, panel.view, 1, COLUMN["turnaround_h"])
    note = panel.view.note
    if entered:
        assert note is None, "the reason was told before"
    else:
        assert note is not None and note.isVisible() and "'many'" in note.text() and "It stays 2." in note.text()
    opened = QApplication.focusWidget()
    assert isinstance(opened, QLineEdit) and opened is not editor
    opened.selectAll()
    QTest.keyClicks(opened, "180")
    QTest.keyClick(opened, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.view.viewport().findChild(QLineEdit) is None)
    first, second = session.project.fleet.types
    assert (first.count, second.turnaround_h) == (2, 3.0)
    assert panel.view.note is None


def test_a_refused_cell_is_given_up_when_the_focus_goes_elsewhere(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    editor = open_cell(qtbot, panel, "many")
    field = panel.form.fields["speed_ms"]
    QTest.mouseClick(field, LEFT)
    qtbot.waitUntil(lambda: panel.view.viewport().findChild(QLineEdit) is None)
    assert editor is not QApplication.focusWidget() and field.hasFocus()
    assert panel.view.note is not None and "It stays 2." in panel.view.note.text()
    session.open_project(replace(session.project, fleet=Fleet(session.project.fleet.types[:1])), None)
    assert panel.view.note is None


def test_a_refused_field_keeps_the_focus_on_tab_until_esc(qtbot: QtBot, session: Session, panel: FleetPanel) -> None:
    line = panel.form.fields["sigma_parallel_m"]
    assert isinstance(line, RefusingLine)
    kept = line.text()
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "abc")
    QTest.keyClick(line, Qt.Key.Key_Tab)
    assert line.hasFocus() and line.text() == "abc" and line.property("role") == "refused"
    assert line.note is not None and line.note.isVisible()
    assert line.note.text().startswith("Length scale: 'abc' cannot be read; use ")
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert line.hasFocus() and line.text() == kept and not line.property("role") and line.note.isHidden()
    QTest.keyClick(line, Qt.Key.Key_Tab)
    assert not line.hasFocus() and session.undo_stack.count() == 0


def test_a_click_elsewhere_gives_the_text_of_a_refused_field_up_and_says_so(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    line, other = panel.form.fields["sigma_parallel_m"], panel.form.fields["speed_ms"]
    assert isinstance(line, RefusingLine)
    kept = line.text()
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "abc")
    QTest.mouseClick(other, LEFT)
    qtbot.waitUntil(lambda: line.text() == kept)
    assert other.hasFocus() and not line.is_refused
    assert line.note is not None and line.note.isVisible() and f"It stays {kept}." in line.note.text()


def test_a_fleet_that_came_with_a_fault_can_still_be_put_right(
    qtbot: QtBot, session: Session, panel: FleetPanel, refusals: list[InputError]
) -> None:
    first, second = session.project.fleet.types
    broken = Fleet((replace(first, payload_gal=-1.0), replace(second, sigma_parallel_m=-1.0)))
    session.open_project(replace(session.project, fleet=broken), None)
    type_into_cell(qtbot, panel.view, 0, COLUMN["payload_gal"], "3407")
    assert session.project.fleet.types[0].payload_gal == 900.0
    assert refusals == []


@pytest.mark.parametrize(("field", "text", "kind"), [("id", "S2", "S2"), ("count", "3", "S-2T")])
def test_an_edit_keeps_groundings_even_on_days_outside_the_plan_and_under_another_id(
    qtbot: QtBot, session: Session, panel: FleetPanel, field: str, text: str, kind: str
) -> None:
    days = (date(2020, 8, 21), date(2020, 8, 24))
    session.open_project(replace(session.project, grounded={"S-2T": days}), None)
    enter(qtbot, panel, 0, field, text)
    assert session.project.grounded[kind] == days
    assert ("S-2T" in session.project.grounded) is (kind == "S-2T")


def test_the_material_is_chosen_from_a_list(session: Session, panel: FleetPanel) -> None:
    panel.view.setCurrentIndex(panel.model.index(0, COLUMN["id"]))
    box = panel.form.fields["material"]
    assert isinstance(box, QComboBox)
    assert [box.itemText(row) for row in range(box.count())] == ["water", "retardant"]
    box.setCurrentText("water")
    box.activated.emit(0)
    assert session.project.fleet.types[0].material is Material.WATER


def test_rows_can_be_added_duplicated_and_removed_each_undoably(session: Session, panel: FleetPanel) -> None:
    before = session.project.fleet
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    panel.duplicate()
    assert [kind.id for kind in session.project.fleet.types] == ["S-2T", "S-2Tb", "CL-415"]
    assert session.project.planned_fleet.types[1].grounded_days == (2,)
    panel.add()
    assert [kind.id for kind in session.project.fleet.types] == ["S-2T", "S-2Tb", "NEW", "CL-415"]
    panel.view.setCurrentIndex(panel.model.index(3, 0))
    panel.remove()
    assert session.project.fleet.n_aircraft == 5
    assert session.project.problems() == []
    for _ in range(3):
        session.undo_stack.undo()
    assert session.project.fleet == before


def test_delete_removes_the_selected_type_and_no_region(qtbot: QtBot, session: Session, panel: FleetPanel) -> None:
    session.select_region("R1")
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=centre_of(panel.view, 1, 0))
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    assert [kind.id for kind in session.project.fleet.types] == ["S-2T"]
    assert len(session.project.regions) == 1


def test_the_last_type_cannot_be_removed(session: Session, panel: FleetPanel, refusals: list[InputError]) -> None:
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    panel.remove()
    panel.view.setCurrentIndex(panel.model.index(0, 0))
    panel.remove()
    assert len(session.project.fleet.types) == 1
    assert "no aircraft" in str(refusals[0])


def test_reset_takes_the_papers_fleet_with_its_grounded_days(session: Session, panel: FleetPanel) -> None:
    panel.reset()
    assert session.project.fleet.n_aircraft == 21
    assert session.project.planned_fleet.types[0].grounded_days == (2, 3)
    session.undo_stack.undo()
    assert session.project.fleet.n_aircraft == 3


def test_an_exported_fleet_comes_back_equal(session: Session, panel: FleetPanel, pick: Pick, tmp_path: Path) -> None:
    before = session.project.planned_fleet
    pick("getSaveFileName", tmp_path / "mine")
    panel.export_file()
    panel.reset()
    pick("getOpenFileName", tmp_path / "mine.toml")
    panel.import_file()
    assert session.project.planned_fleet == before


def test_a_bad_fleet_file_changes_nothing_and_lists_every_problem(
    session: Session, panel: FleetPanel, refusals: list[InputError], pick: Pick, tmp_path: Path
) -> None:
    path = tmp_path / "fleet.toml"
    pick("getSaveFileName", path)
    panel.export_file()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("1200.0", "-1.0").replace("100.5", "0.0"), encoding="utf-8")
    before = session.project
    pick("getOpenFileName", path)
    panel.import_file()
    assert session.project is before
    assert len(refusals) == 1
    assert {problem.what for problem in refusals[0].problems} >= {"Payload is -1.0", "Length scale is 0.0"}


def test_prices_and_their_currency_are_typed_emptied_and_undone(
    qtbot: QtBot, session: Session, panel: FleetPanel
) -> None:
    panel.form.show_row(0)
    before = session.project.fleet

    def typed(line: QLineEdit | QComboBox, text: str) -> None:
        assert isinstance(line, RefusingLine)
        line.setFocus()
        line.setText(text)
        QTest.keyClick(line, Qt.Key.Key_Return)

    typed(panel.form.fields["hour_price"], "7,601")
    typed(panel.form.fields["gallon_price"], "4.12")
    kind = session.project.fleet.types[0]
    assert (kind.hour_price, kind.drop_price, kind.gallon_price) == (7601.0, None, 4.12)
    typed(panel.form.currency, "CA$")
    assert session.project.fleet.currency == "CA$"
    typed(panel.form.fields["hour_price"], "")
    assert session.project.fleet.types[0].hour_price is None
    for refused in ("-1", "nan", "inf", "1e12", "four"):
        line = panel.form.fields["hour_price"]
        typed(line, refused)
        assert isinstance(line, RefusingLine) and line.is_refused
        QTest.keyClick(line, Qt.Key.Key_Escape)
    typed(panel.form.currency, "D" * 13)
    assert panel.form.currency.is_refused and session.project.fleet.currency == "CA$"
    QTest.keyClick(panel.form.currency, Qt.Key.Key_Escape)
    for _ in range(4):
        session.undo_stack.undo()
    assert session.project.fleet == before
    assert panel.form.currency.text() == before.currency


def test_no_header_is_cut_off(panel: FleetPanel) -> None:
    header = panel.view.horizontalHeader()
    for index in map(COLUMN.__getitem__, TABLE_FIELDS):
        assert header.sectionSizeHint(index) <= header.sectionSize(index), FIELDS[index]
