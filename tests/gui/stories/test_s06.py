"""S6: somebody questions a drop: which it is, when it falls, that it must stay."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from firegui.domain.schedule import DropRecord
from firegui.gui.panels.constraints import ConstraintsPanel
from tests.gui.hands import LEFT, cell_text, centre_of
from tests.gui.map_scene import RIGHT
from tests.gui.stories.person import Person


def a_drop(person: Person) -> DropRecord:
    """A drop of the plan with none near it, its step on screen."""
    drops = [drop for drop in person.session.result.drops if drop.executed]
    lonely = max(drops, key=lambda drop: min((_apart(drop, other) for other in drops if other is not drop), default=99))
    person.session.set_step(lonely.step)
    person.window.map.flush()
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
    menu = person.window.map.drop_menu.menu
    assert menu is not None
    assert menu.actions()[0].text().startswith(f"{drop.aircraft} · ")
    person.choose_in(menu, "Pin this drop")
    (pin,) = person.session.project.operations.pinned
    assert pin.aircraft == drop.aircraft
    panel = person.front("Constraints", ConstraintsPanel)
    person.see(panel.pins_view)
    assert drop.aircraft in cell_text(panel.pins_view, 0, 0)
    ask_about(person, drop)
    person.choose_in(person.window.map.drop_menu.menu, "Unpin this drop")
    assert person.session.project.operations.pinned == ()
    person.undo()
    assert person.session.project.operations.pinned == (pin,)
    QTest.mouseClick(panel.pins_view.viewport(), LEFT, pos=centre_of(panel.pins_view, 0, 0))
    QTest.keyClick(panel.pins_view, Qt.Key.Key_Delete)
    assert person.session.project.operations.pinned == ()


def test_a_pinned_drop_stays_in_the_next_plan(person: Person) -> None:
    person.quick_plan()
    drop = a_drop(person)
    ask_about(person, drop)
    person.choose_in(person.window.map.drop_menu.menu, "Pin this drop")
    again = person.quick_plan()
    assert again.drops
    same = [
        other
        for other in person.session.result.drops
        if other.executed and (other.step, other.aircraft) == (drop.step, drop.aircraft)
    ]
    assert len(same) == 1
    assert _apart(same[0], drop) < 1e-3
