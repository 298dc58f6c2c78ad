"""S3: a user changes the fleet, tail numbers, the calendar and flying hours."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from firegui.gui.scenario.calendar_panel import CalendarPanel
from firegui.gui.scenario.constraints_panel import ConstraintsPanel
from firegui.gui.scenario.fleet_panel import FIELDS, FleetPanel
from tests.gui.hands import LEFT, cell_text, centre_of, type_into_cell, type_into_field
from tests.gui.stories.person import Person

COLUMN = {field: place for place, field in enumerate(FIELDS)}


def test_aircraft_are_added_and_changed_and_the_footer_says_what_that_allows(person: Person) -> None:
    panel = person.front("Fleet", FleetPanel)
    before = panel.footer
    type_into_cell(person.qtbot, panel.view, 0, COLUMN["count"], "5")
    type_into_cell(person.qtbot, panel.view, 1, COLUMN["turnaround_h"], "15")
    assert panel.footer.startswith("6 aircraft · at most ")
    person.press(person.button(panel, "duplicate"))
    assert len(person.session.project.fleet.types) == 3
    kinds = person.session.project.fleet.types
    assert (kinds[0].count, kinds[1].turnaround_h) == (5, 0.25)
    # The name of the copy is open for editing; Esc leaves it as it is.
    person.key(Qt.Key.Key_Escape)
    person.undo(3)
    assert panel.footer == before


def test_days_are_grounded_by_clicks_and_strokes(person: Person) -> None:
    panel = person.front("Calendar", CalendarPanel)
    place = panel.view.viewport()
    QTest.mouseClick(place, LEFT, pos=centre_of(panel.view, 0, 2))
    assert _grounded(person) == [(), ()]
    QTest.mousePress(place, LEFT, pos=centre_of(panel.view, 1, 0))
    QTest.mouseMove(place, centre_of(panel.view, 1, 2))
    QTest.mouseRelease(place, LEFT, pos=centre_of(panel.view, 1, 2))
    assert _grounded(person) == [(), (0, 1, 2)]
    assert [cell_text(panel.view, 1, day) for day in range(4)] == ["✕", "✕", "✕", ""]
    person.undo(2)
    assert _grounded(person) == [(2,), ()]


def test_a_tail_is_grounded_for_part_of_a_day_and_drops_are_kept_to_daylight(person: Person) -> None:
    panel = person.front("Constraints", ConstraintsPanel)
    person.press(panel.button("grounding-add"))
    person.see(panel.grounding_view)
    box = panel.grounding_view.viewport().findChild(QComboBox)
    assert isinstance(box, QComboBox)
    # The list is open: select one aircraft of the two with the arrow keys, and press Enter.
    for _press in range(box.findData("S-2T-2") - box.currentIndex()):
        QTest.keyClick(box, Qt.Key.Key_Down)
    QTest.keyClick(box, Qt.Key.Key_Return)
    person.until(lambda: person.session.project.operations.groundings[0].aircraft == "S-2T-2")
    person.press(panel.daylight.rule)
    person.see(panel.daylight.after)
    type_into_field(person.qtbot, panel.daylight.after, "45")
    rule = person.session.project.operations.daylight
    assert rule is not None and rule.after_sunrise_min == 45.0
    assert cell_text(panel.daylight.table, 0, 3) != "–"


def _grounded(person: Person) -> list[tuple[int, ...]]:
    return [kind.grounded_days for kind in person.session.project.planned_fleet.types]
