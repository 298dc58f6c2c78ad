"""Airspace rules as values: how they are said and typed, what is refused, and pins that break one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from firegui.domain.airspace import MOST_RULES, AirspaceRule, rules_problems, typed_rule
from firegui.domain.operations import Operations, PinnedDrop
from firegui.domain.units import Units
from firegui.errors import Problem
from tests.support import make_project

SPOT = AirspaceRule(1, 60.0, 300.0)
PACE = AirspaceRule(6, 60.0, None, ("R", "BIG"))


def said(problems: list[Problem]) -> str:
    return "\n".join(map(str, problems))


def test_a_rule_is_said_in_one_line_in_the_units_that_are_chosen() -> None:
    assert SPOT.text() == "at most 1 drop within 300 m in any 60 min"
    assert PACE.text() == "at most 6 drops in any 60 min, of R and BIG"
    assert replace(PACE, types=("A", "B", "C")).text().endswith("of A, B and C")
    assert replace(PACE, types=("A",)).text().endswith(", of A")
    assert "within 984 ft" in SPOT.text(Units.US)


@pytest.mark.parametrize(
    ("minutes", "hours", "steps"), [(60.0, 0.5, 2), (60.0, 0.48, 3), (30.0, 0.5, 1), (5.0, 0.48, 1), (61.0, 1.0, 2)]
)
def test_minutes_are_whole_steps(minutes: float, hours: float, steps: int) -> None:
    assert AirspaceRule(1, minutes).steps(hours) == steps


def test_rules_are_typed_between_commas() -> None:
    assert typed_rule("1,60,300") == SPOT
    assert typed_rule(" 6 , 60 , , R , BIG ") == PACE
    assert typed_rule("2,45") == AirspaceRule(2, 45.0)
    for text in ("", "1", "x,60", "1,60,far", "1_0,5"):
        with pytest.raises(ValueError):
            typed_rule(text)


def test_everything_wrong_with_rules_is_one_list() -> None:
    bad = (AirspaceRule(0, 0.0, -1.0), AirspaceRule(1.5, 60.0, float("nan"), ("R", "R", " ")), SPOT)  # type: ignore[arg-type]
    text = said(Operations(airspace=bad).own_problems())
    for part in (
        "airspace rule 1: Drops at most is 0", "Minutes is 0.0", "Radius is -1.0", "airspace rule 2: Radius is nan",
        "Drops at most is 1.5", "names R more than once", "the id of a type is empty",
    ):  # fmt: skip
        assert part in text, part
    assert "airspace rule 3" not in text
    assert "give at most 40" in said(rules_problems((SPOT,) * (MOST_RULES + 1)))
    project = make_project()
    ruled = Operations(airspace=(SPOT, replace(PACE, types=("R", "DC-10"))))
    (problem,) = ruled.problems(project.planned_fleet, project.calendar, project.scenario.grid)
    assert str(problem).startswith("airspace rule 2: DC-10 is not an aircraft type of the fleet")


def test_rules_are_constraints_that_tell_projects_apart() -> None:
    assert not Operations(airspace=(SPOT,)).off
    assert Operations(airspace=(SPOT,)).rules != Operations()


def pins(*drops: tuple[str, int, float]) -> tuple[PinnedDrop, ...]:
    """Return pinned drops of aircraft, at a step and a row."""
    calendar = make_project().calendar
    return tuple(
        PinnedDrop(calendar.time_of_step(step) + timedelta(minutes=1), name, row, 10.0, 0.3)
        for name, step, row in drops
    )


def test_pins_that_break_a_rule_among_themselves_are_named() -> None:
    project = make_project()
    fleet, calendar, grid = project.planned_fleet, project.calendar, project.scenario.grid
    hours = calendar.hours_per_step
    near = pins(("R-1", 4, 8.0), ("R-2", 5, 9.0), ("W-1", 5, 3.0))
    rule = AirspaceRule(1, 60.0 * hours * 2.0, 1.5 * grid.cell_size_m)
    (problem,) = Operations(pinned=near, airspace=(rule,)).problems(fleet, calendar, grid)
    assert problem.where == near[1].name
    assert near[0].name in problem.what and rule.text() in problem.what
    for other in (
        replace(rule, minutes=60.0 * hours), replace(rule, radius_m=0.9 * grid.cell_size_m), replace(rule, most=2),
        replace(rule, types=("R-2", "W")[1:]),
    ):  # fmt: skip
        assert Operations(pinned=near, airspace=(other,)).problems(fleet, calendar, grid) == []
    crowd = Operations(pinned=near, airspace=(AirspaceRule(2, 60.0 * hours * 2.0),)).problems(fleet, calendar, grid)
    assert len(crowd) == 1 and all(pin.name in str(crowd[0]) for pin in near)
