"""What is to be known of a plan before it is handed over."""

from __future__ import annotations

from dataclasses import replace

from firegui.domain.operations import Daylight, Operations
from firegui.domain.scenario import UNKNOWN_START
from tests.unit.io.builders import UNPLACED, project, scenario
from tests.unit.io.exporters.plans import plan


def test_drops_in_the_dark_are_counted_and_the_rule_named() -> None:
    (said,) = (note for note in plan().notes if "sunrise" in note)
    assert said == "1 of 2 drops lie before sunrise or after sunset: the plan was made without a daylight rule"
    assert plan().warnings == (said,)
    ruled = replace(project(), operations=Operations(daylight=Daylight()))
    assert any("as its rule allows" in note for note in plan(project=ruled).notes)
    assert not any("sunrise" in note for note in plan(UNPLACED).notes), "nobody knows where the sun stands"


def test_an_unknown_date_is_told_and_no_date_stands_in_its_place() -> None:
    unknown = replace(project(), scenario=scenario(start=UNKNOWN_START))
    what = plan(project=replace(unknown, grounded={}))
    assert any("date of the fire is not known" in note for note in what.notes)
    assert not any("2000-01" in note for note in what.notes)
    assert {(row.time_utc, row.time_local, row.declination) for row in what.rows} == {("", "", None)}
    assert what.rows[0].when == "day 1, +09:36 h"
    assert not any("not known" in note for note in plan().notes)


def test_the_limits_of_the_fire_model_come_first() -> None:
    notes = plan(limits=("No wind like this was trained.",)).notes
    assert notes[0] == "No wind like this was trained." and len(notes) > 1
