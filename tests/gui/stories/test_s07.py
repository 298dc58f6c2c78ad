"""S7: a user compares two runs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from firegui.domain.units import Units
from firegui.gui.planning.progress_panel import RESULT, ProgressPanel
from firegui.gui.planning.run_comparison import ComparisonPanel
from firegui.gui.planning.runs_panel import RunsPanel
from tests.gui.hands import LEFT
from tests.gui.map_scene import MIDDLE, NONE, Hand
from tests.gui.stories.person import CONTROL, Person
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
    # The settings of the search differ from those of the first run, and its row says so.
    rows = {entry: person.row(entry) for entry in (by_rule, searched)}
    for run, row in rows.items():
        assert run.nominal is not None
        assert row["Final size"].startswith(Units.METRIC.area(run.nominal.final_extent_ha))

    person.front("Runs", RunsPanel)
    person.double_click(person.runs.table, person.line_of(by_rule))
    person.rests()
    assert person.queue.shown is by_rule
    assert person.session.result.drops != first
    live = person.front("Progress", ProgressPanel)
    assert isinstance(live, ProgressPanel)
    page = next(each for each in live.findChildren(QToolButton) if each.text() == "Result")
    person.press(page)
    assert live.page == RESULT
    person.until(lambda: "placed by rule" in live.result.text)

    person.front("Runs", RunsPanel)
    QTest.mouseClick(person.runs.table.viewport(), LEFT, pos=person.line_of(searched))
    QTest.keyClick(person.runs.table, Qt.Key.Key_Return)
    person.rests()
    assert person.queue.shown is searched
    assert person.session.result.drops == first


def test_two_runs_are_put_beside_each_other_with_their_numbers(person: Person) -> None:
    by_rule = person.quick_plan()
    ask_for(person, 4, 4)
    person.key(Qt.Key.Key_F5)
    person.rests()
    searched = person.queue.entries[-1]
    table = person.front("Runs", RunsPanel).table
    for entry, modifier in ((by_rule, NONE), (searched, CONTROL)):
        QTest.mouseClick(table.viewport(), LEFT, modifier, person.line_of(entry))
    person.press(person.runs.button("compare"))
    person.rests()
    person.until(lambda: person.session.side_by_side)
    result = person.session.result
    assert {result.against, result.plan_name} == {by_rule.title, searched.title}
    (page,) = person.window.findChildren(ComparisonPanel)
    assert not page.isVisible()
    person.key(Qt.Key.Key_F7)
    assert page.isVisible()
    assert page.model.titles[1:3] == (by_rule.title, searched.title)
    drops = next(line for line in page.lines if line.what == "Drops")
    assert drops.values == (str(by_rule.drops), str(searched.drops))
    assert any("earch steps" in line.what for line in page.lines), "the inputs in which the runs differ are not told"
    panes = person.window.workbench.maps.panes
    panes[0].setFocus()
    person.hand = Hand(panes[0])
    before = panes[1].camera.to_pixel(20.0, 30.0)
    person.hand.drag((20.0, 30.0), (24.0, 33.0), MIDDLE)
    assert panes[1].camera.to_pixel(20.0, 30.0) != before
