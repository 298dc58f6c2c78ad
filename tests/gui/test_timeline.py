"""The timeline: keys, mouse, playing, and what it paints."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.plan_colors import RETARDANT
from firegui.domain.project import Project
from firegui.domain.scenario import UNKNOWN_START
from firegui.gui.base.layouts import column
from firegui.gui.map.timeline import TimelineBar, time_text
from firegui.gui.map.timeline_track import TrackData, grounded_text
from firegui.gui.scenario.calendar_panel import GroundedDayMenu
from firegui.gui.session.session import Session, ShownResult
from tests.gui.fake_runs import drop, frames
from tests.gui.hands import show_widget

LEFT, RIGHT, SPACE, HOME, END = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End,
)  # fmt: skip
NO_KEYS, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def bar(qapp: object, session: Session) -> TimelineBar:
    return TimelineBar(session)


@pytest.fixture
def field(qapp: object) -> QLineEdit:
    return QLineEdit()


@pytest.fixture(autouse=True)
def window(qtbot: QtBot, bar: TimelineBar, field: QLineEdit) -> QWidget:
    """Return a window with the timeline and a text field."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.addWidget(bar)
    layout.addWidget(field)
    made.resize(1200, 120)
    qtbot.addWidget(made)
    made.show()
    return made


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = NO_KEYS) -> None:
    QTest.keyClick(widget, key, modifier)


# -- keys --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("awaited", ["", "Computing the fire without drops…"])
def test_space_without_a_fire_says_in_the_status_bar_why_none_plays(
    bar: TimelineBar, session: Session, messages: list[str], awaited: str
) -> None:
    session.set_awaited(awaited)
    press(bar, SPACE)
    (said,) = messages
    assert said.startswith("Only days and wind are played: ") and ("computed" in said) is bool(awaited)
    press(bar, SPACE)
    assert len(messages) == 1 and not bar.is_playing
    session.show_result(ShownResult("run", plan=frames(session.project)))
    press(bar, SPACE)
    assert len(messages) == 1 and bar.is_playing


def test_space_without_a_project_says_that_one_must_be_opened(qtbot: QtBot) -> None:
    session, messages = Session(), list[str]()
    session.message.connect(messages.append)
    host = column(bar := TimelineBar(session))
    show_widget(qtbot, host, 1200, 120)
    press(host, SPACE)
    assert messages == ["Nothing can be played: open a project first."] and not bar.is_playing


@pytest.mark.parametrize(
    ("step", "key", "modifier", "after"),
    [
        (5, RIGHT, NO_KEYS, 10), (10, LEFT, NO_KEYS, 5), (60, RIGHT, SHIFT, 100), (60, LEFT, SHIFT, 50),
        (50, LEFT, SHIFT, 0), (60, END, NO_KEYS, 200), (60, HOME, NO_KEYS, 0),
    ],
)  # fmt: skip
def test_arrows_step_by_a_frame_with_shift_to_a_day_and_home_and_end_go_to_the_ends(
    session: Session, bar: TimelineBar, step: int, key: Qt.Key, modifier: Qt.KeyboardModifier, after: int
) -> None:
    session.set_step(step)
    press(bar.track, key, modifier)
    assert session.step == after


def test_stepping_from_between_two_frames_lands_on_a_frame(session: Session, bar: TimelineBar) -> None:
    session.set_step(12)
    bar.step_by(1)
    assert session.step == 15
    session.set_step(12)
    bar.step_by(-1)
    assert session.step == 10


def test_the_last_frame_is_the_end_even_off_the_stride(session: Session, project: Project, bar: TimelineBar) -> None:
    session.open_project(replace(project, scenario=replace(project.scenario, steps_per_day=12)), None)
    bar.to_end()
    assert session.step == 48
    bar.step_by(-1)
    assert session.step == 45
    bar.step_by(1)
    assert session.step == 48


def test_keys_that_no_other_widget_wants_reach_the_timeline(session: Session, window: QWidget) -> None:
    press(window, RIGHT)
    assert session.step == 5


def test_a_text_field_keeps_its_keys(session: Session, field: QLineEdit, bar: TimelineBar) -> None:
    press(field, SPACE)
    press(field, LEFT)
    assert field.text() == " "
    assert field.cursorPosition() == 0
    assert not bar.is_playing
    assert session.step == 0


def test_space_plays_and_holds(bar: TimelineBar) -> None:
    press(bar.track, SPACE)
    assert bar.is_playing
    press(bar.track, SPACE)
    assert not bar.is_playing


def test_a_key_with_control_is_left_to_others(bar: TimelineBar) -> None:
    QTest.keyClick(bar.track, SPACE, Qt.KeyboardModifier.ControlModifier)
    assert not bar.is_playing


# -- the mouse ---------------------------------------------------------------------------------------------------------
def test_a_click_seeks(session: Session, bar: TimelineBar) -> None:
    place = QPoint(round(bar.track.x_of_step(120)), 45)
    QTest.mouseClick(bar.track, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert session.step == bar.track.step_at(place.x())
    assert abs(session.step - 120) <= 1


def test_dragging_seeks_and_stays_inside(session: Session, bar: TimelineBar) -> None:
    track = bar.track
    QTest.mousePress(track, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(40, 45))
    QTest.mouseMove(track, QPoint(round(track.x_of_step(80)), 45))
    assert abs(session.step - 80) <= 1
    QTest.mouseMove(track, QPoint(track.width() + 500, 30))
    assert session.step == 200
    QTest.mouseMove(track, QPoint(-500, 30))
    assert session.step == 0
    QTest.mouseRelease(track, Qt.MouseButton.LeftButton)


def test_places_and_steps_are_inverse(bar: TimelineBar) -> None:
    assert [bar.track.step_at(bar.track.x_of_step(step)) for step in (0, 1, 77, 200)] == [0, 1, 77, 200]


# -- playing -----------------------------------------------------------------------------------------------------------
def test_playing_advances_by_the_frames_there_are(qtbot: QtBot, session: Session, bar: TimelineBar) -> None:
    steps: list[int] = []
    session.step_changed.connect(steps.append)
    bar.speed.setValue(30)
    bar.play()
    qtbot.waitUntil(lambda: len(steps) >= 4)
    bar.play(False)
    assert steps[:4] == [5, 10, 15, 20]


def test_playing_stops_at_the_end(qtbot: QtBot, session: Session, bar: TimelineBar) -> None:
    bar.speed.setValue(30)
    session.set_step(190)
    with qtbot.waitSignal(bar.playing_changed, check_params_cb=lambda on: not on):
        bar.play()
    assert session.step == 200


def test_playing_from_the_end_starts_at_the_beginning(session: Session, bar: TimelineBar) -> None:
    session.set_step(200)
    bar.play()
    assert session.step == 0
    bar.play(False)


def test_a_loop_goes_round(qtbot: QtBot, session: Session, bar: TimelineBar) -> None:
    bar.speed.setValue(30)
    bar._buttons["loop"].setChecked(True)
    session.set_step(195)
    bar.play()
    qtbot.waitUntil(lambda: session.step == 10)
    assert bar.is_playing
    bar.play(False)


def test_a_project_that_is_opened_is_not_played_from_the_middle(
    session: Session, project: Project, bar: TimelineBar
) -> None:
    session.set_step(100)
    bar.play()
    session.open_project(replace(project), None)
    assert not bar.is_playing
    assert session.step == 0


@pytest.mark.parametrize(("steps", "stride"), [(50, 5), (5000, 500)])
def test_the_timeline_follows_the_steps_per_day_of_the_project(
    session: Session, project: Project, bar: TimelineBar, steps: int, stride: int
) -> None:
    session.open_project(replace(project, scenario=replace(project.scenario, steps_per_day=steps)), None)
    bar.step_by(1)
    assert session.step == stride
    bar.step_days(1)
    assert session.step == steps
    bar.to_end()
    assert session.step == steps * project.plan.days
    words = bar.findChild(QLabel)
    assert words is not None and words.sizeHint().width() <= words.minimumWidth() + 1


# -- what it says ------------------------------------------------------------------------------------------------------
def test_the_time_is_local_and_says_so(project: Project) -> None:
    assert time_text(project.calendar, 0) == "Day 1 · 00:00 UTC-7 · step 0 of 200"
    assert time_text(project.calendar, 130) == "Day 3 · 14:24 UTC-7 · step 130 of 200"
    # Midnight after the last day is neither the beginning of that day nor a day of its own.
    assert time_text(project.calendar, 200) == "End of day 4 · 00:00 UTC-7 · step 200 of 200"


def test_a_day_that_runs_past_midnight_says_from_when_to_when(
    session: Session, bar: TimelineBar, project: Project
) -> None:
    words = bar.findChild(QLabel)
    assert words is not None and words.toolTip() == "" and "to" not in bar.track.describe(0).splitlines()[1].split()
    start = project.scenario.start + timedelta(hours=6)
    session.open_project(replace(project, scenario=replace(project.scenario, start=start)), None)
    span = "20 Aug 06:00 to 21 Aug 06:00 UTC-7"
    session.set_step(95)
    assert words.text().startswith("Day 2 · 03:36 UTC-7")
    assert words.toolTip() == f"Day 2 runs from {span}"
    assert bar.track.describe(95).splitlines()[1] == span


def test_only_executed_drops_inside_the_plan_are_counted_by_material(project: Project) -> None:
    drops = [drop(3), drop(3), drop(3, "water"), drop(4, executed=False), drop(900)]
    data = TrackData.of(project, drops)
    assert (data.retardant[3], data.water[3]) == (2, 1)
    assert (data.retardant.sum(), data.water.sum()) == (2, 1)


def test_a_day_knows_who_stays_on_the_ground(project: Project) -> None:
    both = replace(project, grounded={"S-2T": (date(2020, 8, 21),), "CL-415": (date(2020, 8, 21), date(2020, 8, 22))})
    data = TrackData.of(both, [])
    assert data.grounded == ((), (), ("S-2T", "CL-415"), ("CL-415",))
    assert [data.all_grounded(day) for day in range(4)] == [False, False, True, False]


def test_a_type_without_aircraft_does_not_keep_a_day_from_being_all_grounded(project: Project) -> None:
    fleet = project.planned_fleet
    alone = project.with_fleet(fleet.replace_type(1, replace(fleet.types[1], count=0)))
    assert TrackData.of(alone, []).all_grounded(2)


def test_the_words_of_a_grounded_day_are_shorter_where_the_day_is_narrow(bar: TimelineBar, project: Project) -> None:
    data, metrics = TrackData.of(project, []), bar.track.fontMetrics()
    whole = f"grounded: 1 of {data.types} types"
    room = metrics.horizontalAdvance(whole)
    shown = [grounded_text(metrics, data, 2, width) for width in (room, room - 1, 4)]
    assert shown[:2] == [whole, "1 grounded"] and len(shown[2]) <= 1


def test_the_tooltip_tells_of_the_day(session: Session, bar: TimelineBar, project: Project) -> None:
    session.show_result(ShownResult("r", plan=frames(project), drops=(drop(101), drop(102, "water"))))
    text = bar.track.describe(110)
    assert text.startswith("Day 3 · Friday 21 August 2020\n1 retardant and 1 water drops this day\ngrounded: S-2T\n")


def test_grounding_shows_at_once(session: Session, bar: TimelineBar) -> None:
    fleet = session.project.planned_fleet
    session.set_planned_fleet("Ground", fleet.replace_type(1, fleet.types[1].with_grounded_days((0,))))
    assert "grounded: CL-415" in bar.track.describe(0)


def test_a_plan_keeps_its_groundings_on_the_timeline_after_those_of_the_project_change(
    session: Session, bar: TimelineBar, project: Project
) -> None:
    def words(day: int, room: float = 400) -> str:
        assert bar.track._data is not None
        return grounded_text(bar.track.fontMetrics(), bar.track._data, day, room)

    shown = ShownResult("r", plan=frames(project), project=project, folder=Path("r"))
    session.show_result(shown)
    whole = words(2)
    assert whole == "grounded: 1 of 2 types" and "in the project" not in bar.track.describe(110)
    before = bar.track.grab().toImage()
    # The menu of the band changes the open project, not the plan on the map.
    for kind in (0, 1):
        fleet = session.project.planned_fleet
        days = {0: (), 1: (1,)}[kind]
        session.set_planned_fleet("Ground", fleet.replace_type(kind, fleet.types[kind].with_grounded_days(days)))
    assert words(2) == "grounded: 1 in the plan shown, none in the project now"
    assert words(1) == "grounded: none in the plan shown, 1 in the project now" and not words(0)
    assert words(2, 160) == "grounded: 1, now none"
    lines = bar.track.describe(110).splitlines()
    assert lines[-3:-1] == ["grounded when this plan was made: S-2T", "grounded in the project now: none"]
    assert lines[-1].endswith("to ground aircraft in the project")
    assert bar.track.describe(60).splitlines()[-2] == "grounded in the project now: CL-415"
    assert bar.track.grab().toImage() != before
    # A fire without drops has no groundings: the timeline has those of the project.
    session.show_result(replace(shown, plan=None, folder=None))
    assert not words(2) and words(1) == whole
    session.show_result(shown)
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert words(2) == whole and not words(1)


def test_the_track_paints_grounded_days_and_drops(session: Session, bar: TimelineBar, project: Project) -> None:
    plain = bar.track.grab().toImage()
    session.show_result(ShownResult("r", plan=frames(project), drops=tuple(drop(30) for _ in range(4))))
    assert bar.track.grab().toImage() != plain


def test_a_click_seeks_at_every_height_and_a_right_click_asks_to_ground_aircraft(
    session: Session, bar: TimelineBar
) -> None:
    asked: list[int] = []
    bar.grounding_requested.connect(lambda day, _place: asked.append(day))
    session.set_step(20)
    place = QPoint(round(bar.track.x_of_step(60)), 25)
    for height in (4, 25, 45):
        session.set_step(20)
        at = QPoint(place.x(), height)
        QTest.mouseClick(bar.track, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        assert asked == [] and abs(session.step - 60) <= 1
    session.set_step(20)
    menu = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, bar.track.mapToGlobal(place))
    QApplication.sendEvent(bar.track, menu)
    assert (asked, session.step) == ([1], 20)
    press(bar.track, Qt.Key.Key_G)
    assert asked == [1, 0], "G asks for the day of the shown step"


def test_a_click_on_the_words_about_grounded_aircraft_asks_for_them(session: Session, bar: TimelineBar) -> None:
    fleet = session.project.planned_fleet
    session.set_planned_fleet("Ground", fleet.replace_type(1, fleet.types[1].with_grounded_days((0,))))
    asked: list[int] = []
    bar.grounding_requested.connect(lambda day, _place: asked.append(day))
    session.set_step(20)
    middle = session.project.calendar.steps_per_day / 2
    place = QPoint(round(bar.track.x_of_step(middle)), 25)
    QTest.mouseClick(bar.track, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert (asked, session.step) == ([0], 20)


def test_the_menu_of_the_band_grounds_a_type_on_that_day_as_one_undoable_edit(qtbot: QtBot, session: Session) -> None:
    menu = GroundedDayMenu(session, 1)
    qtbot.addWidget(menu)
    kinds = session.project.planned_fleet.types
    entry = next(action for action in menu.actions() if action.text() == kinds[1].type)
    entry.trigger()
    assert session.project.planned_fleet.types[1].grounded_days == (1,)
    session.undo_stack.undo()
    assert not session.project.planned_fleet.types[1].grounded_days
    next(action for action in menu.actions() if action.text() == "Ground &all types").trigger()
    assert all(1 in kind.grounded_days for kind in session.project.planned_fleet.types)


def test_the_menu_of_the_band_names_no_date_that_is_not_known(qtbot: QtBot, session: Session) -> None:
    event = replace(session.project.scenario, start=UNKNOWN_START)
    session.edit("forget the date", replace(session.project, scenario=event))
    menu = GroundedDayMenu(session, 1)
    qtbot.addWidget(menu)
    assert menu.actions()[0].text() == "Grounded on day 2, date unknown"


@pytest.mark.parametrize("stride", [1, 5, 25])
def test_the_speed_is_hours_of_fire_a_second_whatever_the_distance_of_the_frames(
    bar: TimelineBar, session: Session, stride: int
) -> None:
    session.show_result(ShownResult(baseline=replace(frames(session.project), stride=stride)))
    hours = session.project.calendar.hours_per_step
    for speed in (5, 20, 240):
        bar.speed.setValue(speed)
        session.set_step(0)
        bar.play()
        interval, before = bar._timer.interval(), session.step
        bar._advance()
        bar.play(False)
        assert (session.step - before) * hours * 1000 / interval == pytest.approx(speed, rel=0.05)
        assert interval >= 33


def test_the_timeline_says_whose_drops_it_shows_while_two_plans_are_compared(
    session: Session, bar: TimelineBar
) -> None:
    def lines() -> set[str]:
        return {line for label in bar.findChildren(QLabel) for line in label.text().splitlines()}

    rows, result = "Run 2 above, Run 5 below", session.result
    assert rows not in lines() and "Run 2" not in bar.track.describe(0)
    one = drop(0)
    session.show_result(
        replace(result, against="Run 2, regions", plan_name="Run 5", first_drops=(one, one, one), drops=(one,))
    )
    assert rows in lines()
    described = bar.track.describe(0)
    assert "Run 2: 3 retardant and 0 water" in described and "Run 5: 1 retardant and 0 water" in described
    # Each plan has a row of bars, of one scale: that of the first is three times as high.
    picture = bar.track.grab().toImage()
    x = round((bar.track.x_of_step(0) + 1) * picture.devicePixelRatio())
    painted = [picture.pixelColor(x, y) == QColor(RETARDANT) for y in range(picture.height())]
    heights = [len(list(group)) for is_bar, group in groupby(painted) if is_bar]
    assert len(heights) == 2 and heights[0] >= 2 * heights[1]
    session.show_result(replace(result, against=""))
    assert rows not in lines()
