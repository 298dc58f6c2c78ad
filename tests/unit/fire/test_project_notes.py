from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight, Operations
from firegui.domain.project import Project
from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.settings import ObjectiveWeights
from firegui.domain.weather import WeatherEnd
from firegui.fire.first_project import first_project
from firegui.fire.project_notes import NO_DATE, NO_DAYLIGHT, Grade, project_notes, start_notes
from tests.support import GRID, SHAPE
from tests.unit.domain.samples import weights
from tests.unit.fire.events import event

PLACED = replace(event(SHAPE), grid=GRID, notes=("Wind is the same everywhere.",))


def graded(project: Project, grade: Grade) -> list[str]:
    return [note.text for note in project_notes(project) if note.grade is grade]


def test_the_gravest_notes_come_first_and_each_is_said_once() -> None:
    whole = first_project(PLACED)
    broken = replace(whole, plan=replace(whole.plan, weights=ObjectiveWeights(1.0, 1.0, 1.0, 0.0)))
    grades = [note.grade for note in project_notes(broken)]
    assert grades == sorted(grades, key=list(Grade).index) and set(grades) == set(Grade)
    assert len({note.text for note in project_notes(broken)}) == len(grades)
    assert graded(broken, Grade.NOTE)[-1] == "Wind is the same everywhere."
    assert any("no region is drawn" in text for text in graded(broken, Grade.ERROR))
    assert project_notes(broken)[0].line.startswith("Error: ")


def test_missing_layers_and_a_missing_daylight_rule_are_warnings() -> None:
    whole = first_project(PLACED)
    assert NO_DAYLIGHT in graded(whole, Grade.WARNING)
    assert any("slope" in text for text in graded(whole, Grade.WARNING))
    lit = replace(whole, operations=Operations(daylight=Daylight()))
    assert NO_DAYLIGHT not in graded(lit, Grade.WARNING)


def test_weather_that_ends_before_the_plan_is_a_warning_that_names_file_and_hours() -> None:
    whole = first_project(PLACED)
    begin = PLACED.time_of_day(0)
    for hours, lacking, remedy in (
        (30, 24 * PLACED.days - 30, "that of the day before stands in. Plan at most 1 day, or import weather"),
        (6, 24 * PLACED.days - 6, "before the plan: there its last hour stands in. Import weather"),
        (24 * PLACED.days, 0, ""),
    ):
        end = WeatherEnd("a.wxs", begin + timedelta(hours=hours))
        ending = replace(whole, scenario=replace(PLACED, weather_end=end))
        said = [text for text in graded(ending, Grade.WARNING) if "a.wxs" in text]
        assert [note.text for note in start_notes(ending) if "a.wxs" in note.text] == said
        assert len(said) == (lacking > 0)
        if said:
            local = begin + timedelta(hours=hours + PLACED.utc_offset_h)
            assert said[0].startswith(f"The weather of a.wxs ends on {local:%Y-%m-%d} at {local:%H:%M} local time, ")
            assert f"{lacking} hours before the plan" in said[0] and remedy in said[0]
    short = replace(ending, scenario=replace(PLACED, weather_end=WeatherEnd("a.wxs", begin + timedelta(hours=24))))
    assert any("a.wxs" in text for text in graded(short, Grade.WARNING))
    assert not any("a.wxs" in text for text in graded(replace(short, plan=replace(short.plan, days=1)), Grade.WARNING))


def test_how_a_network_was_made_is_a_note_and_what_its_training_never_saw_a_warning() -> None:
    project = first_project(PLACED).with_network(weights())
    assert any("from published values" in text for text in graded(project, Grade.NOTE))
    assert not any("from published values" in text for text in graded(project, Grade.WARNING))
    assert any("slope" in text for text in graded(project, Grade.WARNING))
    invented = replace(project, scenario=replace(PLACED, synthetic=True))
    assert graded(invented, Grade.WARNING) == [NO_DAYLIGHT], "the sizes of an invented fire do not count"
    assert set(graded(project, Grade.WARNING)) - {NO_DAYLIGHT} <= set(graded(invented, Grade.NOTE))


def test_an_unknown_date_is_a_warning_and_keeps_the_daylight_rule_from_being_used() -> None:
    undated = first_project(replace(PLACED, start=UNKNOWN_START), of_paper=False)
    assert NO_DATE in graded(undated, Grade.WARNING) and not graded(undated, Grade.ERROR)
    assert undated.operations.daylight is None
    ruled = replace(undated, operations=Operations(daylight=Daylight()))
    assert any("need a date" in text for text in graded(ruled, Grade.ERROR))


def test_fires_of_ones_own_drop_in_daylight_and_those_of_the_paper_as_the_paper_does() -> None:
    assert first_project(PLACED).operations == Operations()
    assert first_project(PLACED, of_paper=False).operations == Operations(daylight=Daylight())
    assert first_project(event(SHAPE), of_paper=False).operations == Operations()


def test_a_turnaround_of_almost_no_time_is_warned_of_also_before_the_start() -> None:
    whole = first_project(PLACED)
    first, *others = whole.fleet.types
    for hours, warned in ((0.0, True), (0.05, True), (0.1, False)):
        hurried = replace(whole, fleet=Fleet((replace(first, turnaround_h=hours), *others)))
        for notes in (project_notes(hurried), start_notes(hurried)):
            found = [note for note in notes if note.text.startswith(f"{first.id}: a turnaround of")]
            assert [note.grade for note in found] == [Grade.WARNING] * warned


def test_more_aircraft_of_a_type_than_can_be_expected_are_warned_of() -> None:
    whole = first_project(PLACED)
    first, *others = whole.fleet.types
    for count, warned in ((50, False), (51, True), (999, True)):
        large = replace(whole, fleet=Fleet((replace(first, count=count), *others)))
        for notes in (project_notes(large), start_notes(large)):
            found = [note for note in notes if note.text.startswith(f"{first.id}: {count} aircraft of one type")]
            assert [note.grade for note in found] == [Grade.WARNING] * warned
