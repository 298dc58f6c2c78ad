"""S5: a user plays plan and baseline side by side."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.gui.hands import LEFT
from tests.gui.map_scene import MIDDLE, Hand
from tests.gui.readouts import view_buttons_of
from tests.gui.stories.person import SHIFT, Person


def all_three(person: Person) -> None:
    """Return a plan with all three fires on screen."""
    person.quick_plan()
    person.press(view_buttons_of(person.window)[-1])
    person.until(lambda: all(pane.drawn_step >= 0 for pane in person.window.workbench.maps.panes))


def test_three_fires_stand_beside_each_other_and_move_together(person: Person) -> None:
    all_three(person)
    panes = person.window.workbench.maps.panes
    shown = person.window.workbench.queue.shown
    assert shown is not None
    titles = [pane.decorations.caption.title.split(" · ")[0] for pane in panes]
    assert titles == ["No drops", shown.title, f"Saved by {shown.title}"]
    before = panes[0].camera.to_pixel(20.0, 30.0)
    hand = Hand(panes[2])
    hand.drag((20.0, 30.0), (26.0, 36.0), MIDDLE)
    person.until(lambda: panes[0].camera.to_pixel(20.0, 30.0) != before)
    assert panes[0].camera.to_pixel(20.0, 30.0) == panes[2].camera.to_pixel(20.0, 30.0)


def test_space_plays_them_in_step_to_the_end(person: Person) -> None:
    all_three(person)
    timeline, session = person.window.workbench.timeline, person.session
    timeline.speed.setFocus()
    timeline.speed.selectAll()
    QTest.keyClicks(timeline.speed, "30")
    QTest.keyClick(timeline.speed, Qt.Key.Key_Return)
    last = session.project.calendar.n_steps
    QTest.mouseClick(timeline.track, LEFT, pos=QPoint(timeline.track.width() - 40, timeline.track.height() - 8))
    begun = session.step
    assert 0 < begun < last
    QTest.keyClick(timeline.track, Qt.Key.Key_Space)
    person.until(lambda: session.step == last and not timeline.is_playing)
    person.until(lambda: {pane.drawn_step for pane in person.window.workbench.maps.panes} == {last})


def test_keys_step_by_frame_and_by_day(person: Person) -> None:
    all_three(person)
    session, track = person.session, person.window.workbench.timeline.track
    QTest.keyClick(track, Qt.Key.Key_Home)
    QTest.keyClick(track, Qt.Key.Key_Right)
    assert session.step == person.window.workbench.timeline.stride
    QTest.keyClick(track, Qt.Key.Key_Right, SHIFT)
    assert session.step == session.project.calendar.steps_per_day
    QTest.keyClick(track, Qt.Key.Key_Left)
    assert session.step == session.project.calendar.steps_per_day - person.window.workbench.timeline.stride


def test_the_plan_shows_its_drops_where_the_baseline_shows_none(person: Person) -> None:
    person.quick_plan()
    step = next(drop.step for drop in person.session.result.drops if drop.executed)
    person.session.set_step(step)
    view = person.window.workbench.map
    baseline, plan = view_buttons_of(person.window)[:2]
    person.press(baseline)
    view.flush()
    without = view.snapshot()
    assert not view.layers["drops"].in_view
    person.press(plan)
    view.flush()
    assert view.layers["drops"].in_view
    assert view.snapshot() != without
