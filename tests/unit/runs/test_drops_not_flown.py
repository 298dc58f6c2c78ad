"""Which drops of an older plan the constraints of a project refuse, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.operations import Daylight, Operations
from firegui.domain.schedule import Schedule
from firegui.io import atomic
from firegui.io.daylight import dark_steps
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.drops_not_flown import drops_not_flown, remedy_text
from tests.support import STEPS_PER_DAY, make_project, write_schedule
from tests.unit.io.builders import drop

LIT = Operations(Daylight(0.0, 0.0))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a schedule of four drops, two of them at midnight."""
    noon = STEPS_PER_DAY // 2
    rows = [
        (0, "R-1", 7.0, 9.0, 0.5),
        (0, "W-1", 8.0, 8.0, 0.0),
        (noon, "R-1", 7.0, 9.0, 0.5),
        (noon, "W-1", 8.0, 8.0, 0.0),
    ]
    return write_schedule(tmp_path / "drops.csv", rows)


def test_drops_at_night_are_not_flown_once_the_project_has_a_daylight_rule(file: Path) -> None:
    project = make_project()
    assert drops_not_flown(file, project).text == ""
    lit = replace(project, operations=LIT)
    assert dark_steps(Daylight(0.0, 0.0), lit.scenario.grid, lit.calendar)[0]
    found = drops_not_flown(file, lit)
    assert found.text == ("2 of 4 planned drops are not flown: they lie at night, and the project has a daylight rule.")
    assert "switch the daylight rule off" in remedy_text(found)


def test_other_constraints_are_told_apart(file: Path) -> None:
    capped = replace(make_project(), operations=Operations(hard_cap=3))
    found = drops_not_flown(file, capped)
    assert found.text == "1 of 4 planned drops is not flown: the constraints of the project refuse it."
    assert "change the constraints" in remedy_text(found)
    both = replace(make_project(), operations=replace(LIT, sorties_per_day={"R": 0}))
    assert drops_not_flown(file, both).text == (
        "3 of 4 planned drops are not flown: 2 lie at night, and the project has a daylight rule; "
        "other constraints of the project refuse 1."
    )


def test_of_a_run_the_executed_drops_count_and_not_what_the_search_proposed(tmp_path: Path) -> None:
    project = make_project()
    schedule = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    schedule.logits[:STEPS_PER_DAY, 0] = 3.0
    schedule.poses[:, :, :2] = 5.0
    write_plan_safetensors(tmp_path / "plan.safetensors", schedule)
    kept = [drop(0, 0, aircraft="R-1"), drop(5, 0, aircraft="R-1"), drop(6, 0, aircraft="R-1", executed=False)]
    atomic.write_json(tmp_path / "drops.json", kept)
    found = drops_not_flown(tmp_path / "plan.safetensors", replace(project, operations=LIT))
    assert (found.planned, found.dark) == (2, 1)
    assert np.count_nonzero(schedule.logits > 0.0) > found.planned
