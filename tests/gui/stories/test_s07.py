"""S7: somebody compares two runs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from firegui.gui.plots.live import RESULT, LivePlots
from firegui.gui.plots.text import number
from tests.gui.hands import LEFT
from tests.gui.stories.person import Person
from tests.gui.stories.test_s04 import ask_for


def test_two_runs_stand_in_one_list_and_either_is_shown_by_a_double_click(person: Person) -> None:
    by_rule = person.quick_plan()
    ask_for(person, 4, 4)
    person.key(Qt.Key.Key_F5)
    person.rests()
    searched = person.queue.entries[-1]
    assert searched is not by_rule
    assert person.queue.shown is searched
    first = person.session.result.drops
    # The settings of the search are not those of the first run, and its line says so.
    rows = {entry: person.row(entry) for entry in (by_rule, searched)}
    assert by_rule.best is not None and searched.best is not None
    assert rows[by_rule]["Best"] == number(by_rule.best) and rows[searched]["Best"] == number(searched.best)

    person.double_click(person.runs.table, person.line_of(by_rule))
    person.rests()
    assert person.queue.shown is by_rule
    assert person.session.result.drops != first
    live = person.window.docks["Progress"].widget()
    assert isinstance(live, LivePlots)
    page = next(each for each in live.findChildren(QToolButton) if each.text() == "Result")
    person.press(page)
    assert live.page == RESULT
    assert "placed by rule" in live.result.text

    QTest.mouseClick(person.runs.table.viewport(), LEFT, pos=person.line_of(searched))
    QTest.keyClick(person.runs.table, Qt.Key.Key_Return)
    person.rests()
    assert person.queue.shown is searched
    assert person.session.result.drops == first
