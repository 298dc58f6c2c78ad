"""Operational constraints say everything that is wrong with them, and pins are times, not steps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop, covers, pin_step
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.settings import PlanSettings
from tests.unit.domain.samples import project

HERE = timezone(timedelta(hours=-7))
NOON = datetime(2020, 8, 20, 12, tzinfo=HERE)


def pin(when: datetime = NOON, aircraft: str = "S-2T-1", y: float = 5.0, x: float = 5.0) -> PinnedDrop:
    return PinnedDrop(when, aircraft, y, x, 0.5)


def words(operations: Operations, base: Project | None = None) -> str:
    return "\n".join(str(problem) for problem in replace(base or project(), operations=operations).problems())


def test_a_project_without_constraints_is_the_papers_case() -> None:
    assert project().operations == Operations()
    assert Operations().off
    assert not Operations(hard_cap=0).off


def test_good_constraints_are_no_problem() -> None:
    grounding = Grounding("S-2T-2", NOON, NOON + timedelta(hours=2))
    lake = Region.rectangle("lake", (0, 2), (0, 2))
    assert words(Operations(None, (grounding,), {"S-2T": 3}, 20, (lake,), (pin(),))) == ""


def test_everything_wrong_is_said_at_once() -> None:
    found = words(
        Operations(
            Daylight(float("nan"), 30.0),
            (Grounding("S-2T-9", NOON, NOON + timedelta(hours=1)), Grounding("S-2T", NOON, NOON)),
            {"B-52": 2, "S-2T": -1},
            -5,
            (Region.rectangle("", (0, 2), (0, 2)),),
            (pin(aircraft="S-2T"), pin(y=-4.0), replace(pin(), x=float("inf")), pin(NOON.replace(tzinfo=None))),
        )
    )
    for expected in (
        "Minutes after sunrise is nan", "S-2T-9: is not an aircraft", "not after it begins",
        "B-52 is not an aircraft type",
        "Drops a day of S-2T: -1", "Limit on drops is -5", "no-drop zone (no name)", "is of an aircraft that the fleet",
        "outside the grid", "is not a pose", "time has no offset from UTC",
    ):  # fmt: skip
        assert expected in found, expected


def test_pins_that_the_rules_forbid_are_said() -> None:
    later = NOON + timedelta(minutes=29)  # 0.5 h of turnaround are 2 steps of 28.8 minutes
    operations = Operations(
        groundings=(Grounding("S-2T", NOON - timedelta(hours=1), NOON + timedelta(hours=1)),),
        sorties_per_day={"S-2T": 1},
        hard_cap=1,
        no_drop_zones=(Region.rectangle("lake", (4, 7), (4, 7)),),
        pinned=(pin(), pin(later)),
    )
    found = words(operations)
    assert found.count("grounded at that time") == 2
    assert found.count("no-drop zone lake") == 2
    assert "within the turnaround of 0.5 h" in found
    assert "2 drops are pinned and the cap is 1" in found
    assert "2 drops of S-2T-1 are pinned on 2020-08-20 and 1 are allowed" in found


def test_a_pin_on_a_grounded_day_is_said() -> None:
    base = project(grounded={"S-2T": (NOON.date(),)})
    assert "the aircraft is grounded on 2020-08-20" in words(Operations(pinned=(pin(),)), base)


def test_daylight_needs_a_place() -> None:
    base = project()
    nowhere = replace(base.scenario, grid=replace(base.scenario.grid, transform=None, crs=None))
    found = words(Operations(daylight=Daylight()), replace(base, scenario=nowhere))
    assert found.count("the grid has no CRS") == 1


def test_moving_the_start_leaves_a_pin_at_its_time_and_a_pin_outside_is_ignored_and_said() -> None:
    base = replace(project(), operations=Operations(pinned=(pin(),)))
    ((_, _, step),) = base.operations.planned_pins(base.planned_fleet, base.calendar)
    later = replace(base, plan=PlanSettings(start_day=1, days=2))
    ((_, _, moved),) = later.operations.planned_pins(later.planned_fleet, later.calendar)
    assert base.calendar.time_of_step(step) == later.calendar.time_of_step(moved)
    assert step - moved == 50

    gone = replace(base, plan=PlanSettings(start_day=2, days=2))
    assert gone.operations.planned_pins(gone.planned_fleet, gone.calendar) == ()
    assert gone.operations.notes(gone.calendar) == ("1 pinned drop lies outside the planned days and is ignored",)
    assert base.operations.notes(base.calendar) == ()


@pytest.mark.parametrize("step", [0, 1, 7, 49, 50, 101])
def test_the_time_that_a_schedule_gives_a_step_is_that_step(step: int) -> None:
    calendar = project().calendar
    assert pin_step(pin(calendar.time_of_step(step)), calendar) == step
    assert pin_step(pin(calendar.time_of_step(step) - timedelta(seconds=1)), calendar) == step - 1


def test_a_hole_of_a_zone_does_not_belong_to_it() -> None:
    ring = ((0.0, 0.0), (0.0, 6.0), (6.0, 6.0), (6.0, 0.0))
    hole = ((2.0, 2.0), (2.0, 4.0), (4.0, 4.0), (4.0, 2.0))
    zone = Region("ring", ((ring, hole),))
    assert covers(zone, 1.0, 1.0)
    assert not covers(zone, 3.0, 3.0)
    assert not covers(zone, 7.0, 3.0)


def test_the_planned_wind_is_that_of_the_planned_days() -> None:
    base = project(plan=PlanSettings(start_day=2, days=3))
    speed, direction = base.planned_wind
    np.testing.assert_array_equal(speed, base.scenario.wind_speed[2:5])
    assert direction.shape == speed.shape


def test_times_are_compared_whatever_their_offset() -> None:
    assert Operations(pinned=(pin(),)) == Operations(pinned=(pin(NOON.astimezone(UTC)),))
