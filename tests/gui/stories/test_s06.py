"""S6: a user previews the plan without a drop, moves it, pins it and removes it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from firegui.domain.schedule import DropRecord
from firegui.gui.map.drop_edits import card_rows
from firegui.gui.scenario.constraints_panel import ConstraintsPanel
from tests.gui.hands import LEFT, cell_text, centre_of
from tests.gui.map_scene import RIGHT
from tests.gui.stories.person import Person


def a_drop(person: Person) -> DropRecord:
    """Return a drop of the plan with none near it, its step on screen."""
    drops = [drop for drop in person.session.result.drops if drop.executed]
    lonely = max(drops, key=lambda drop: min((_apart(drop, other) for other in drops if other is not drop), default=99))
    person.session.set_step(lonely.step)
    person.window.workbench.map.flush()
    return lonely


def _apart(one: DropRecord, other: DropRecord) -> float:
    return abs(one.landing_y - other.landing_y) + abs(one.landing_x - other.landing_x)


def ask_about(person: Person, drop: DropRecord) -> None:
    """Right-click a drop on the map."""
    person.hand.click((drop.landing_y + 0.5, drop.landing_x + 0.5), button=RIGHT)


def test_a_drop_says_whose_and_when_it_is_and_is_pinned_and_freed(person: Person) -> None:
    person.quick_plan()
    drop = a_drop(person)
    ask_about(person, drop)
    menu = person.window.workbench.map.drop_menu.menu
    assert menu is not None
    assert menu.actions()[0].text().startswith(f"{drop.aircraft} · ")
    person.choose_in(menu, "Pin this drop")
    (pin,) = person.session.project.operations.pinned
    assert pin.aircraft == drop.aircraft
    panel = person.front("Constraints", ConstraintsPanel)
    person.see(panel.pins_view)
    assert any(drop.aircraft in cell_text(panel.pins_view, 0, k) for k in range(panel.pins.columnCount()))
    ask_about(person, drop)
    person.choose_in(person.window.workbench.map.drop_menu.menu, "Unpin this drop")
    assert not person.session.project.operations.pinned
    person.undo()
    assert person.session.project.operations.pinned == (pin,)
    QTest.mouseClick(panel.pins_view.viewport(), LEFT, pos=centre_of(panel.pins_view, 0, 0))
    QTest.keyClick(panel.pins_view, Qt.Key.Key_Delete)
    assert not person.session.project.operations.pinned


def test_what_a_drop_is_for_is_shown_and_changes_nothing(person: Person) -> None:
    person.quick_plan()
    drops, drop = person.session.result.drops, a_drop(person)
    ask_about(person, drop)
    person.choose_in(person.window.workbench.map.drop_menu.menu, "Preview without this drop")
    person.until(lambda: person.session.plan_editor.preview is not None)
    look = person.session.plan_editor.preview
    assert look is not None and look.before is not None
    assert look.after.drops_executed == look.before.drops_executed - 1
    assert look.after.objective != look.before.objective
    card = card_rows(person.session)
    assert card is not None and ("", "Difference without this drop:") in card[1]
    assert person.session.result.drops == drops
    assert not person.session.undo_stack.canUndo()


def test_a_drop_is_dragged_the_fire_answers_and_the_drag_is_undone(person: Person) -> None:
    person.quick_plan()
    drop = a_drop(person)
    person.press(person.tool(person.window.workbench.actions["tool:drop"]))
    here = drop.landing_y + 0.5, drop.landing_x + 0.5
    before = person.session.result.plan_metrics
    rows, columns = person.session.project.scenario.grid.shape
    # Towards the centre, because drops outside the grid are refused.
    down, right = (2.0 if here[0] < rows / 2 else -2.0), (3.0 if here[1] < columns / 2 else -3.0)
    person.hand.drag(here, (here[0] + down, here[1] + right))
    person.until(lambda: person.session.plan_editor.plan is not None)
    moved = drop_of(person, drop)
    assert (moved.landing_y - drop.landing_y, moved.landing_x - drop.landing_x) == pytest.approx((down, right), abs=0.3)
    person.until(lambda: person.session.result.plan_metrics not in (None, before))
    person.undo()
    assert _apart(drop_of(person, drop), drop) < 1e-3


def test_a_drop_is_removed_and_comes_back(person: Person) -> None:
    person.quick_plan()
    drop = a_drop(person)
    count = sum(each.executed for each in person.session.result.drops)
    ask_about(person, drop)
    person.choose_in(person.window.workbench.map.drop_menu.menu, "Remove")
    person.until(lambda: sum(each.executed for each in person.session.result.drops) == count - 1)
    person.undo()
    person.until(lambda: sum(each.executed for each in person.session.result.drops) == count)


def drop_of(person: Person, drop: DropRecord) -> DropRecord:
    """Return the state of a drop in the shown plan."""
    (found,) = (
        other
        for other in person.session.result.drops
        if other.executed and (other.step, other.aircraft) == (drop.step, drop.aircraft)
    )
    return found


def test_a_pinned_drop_stays_in_the_next_plan(person: Person) -> None:
    person.quick_plan()
    drop = a_drop(person)
    ask_about(person, drop)
    person.choose_in(person.window.workbench.map.drop_menu.menu, "Pin this drop")
    again = person.quick_plan()
    assert again.drops
    assert _apart(drop_of(person, drop), drop) < 1e-3
