"""The audit, fed with schedules that break each rule."""

from __future__ import annotations

import numpy as np

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.planning.audit import audit, replay
from firegui.rollout.gates import apply_gates
from tests.numerics.cases import aircraft, random_maps, random_schedule, small_fleet

FLEET = Fleet((aircraft("R", Material.RETARDANT, 2, turnaround_h=5.0, grounded_days=(1,)),))
SHAPE = (20, 20)


def listed(*drops: tuple[int, int]) -> Schedule:
    schedule = Schedule.empty(30, 2)
    for step, column in drops:
        schedule.logits[step, column] = 3.0
        schedule.poses[step, column] = (5.0, 5.0, 0.0)
    return schedule


def test_the_audits_own_reading_of_the_rules_agrees_with_the_gates() -> None:
    for seed in range(5):
        maps, fleet = random_maps(seed), small_fleet()
        schedule = random_schedule(seed, maps, fleet)
        executed = apply_gates(schedule.proposed, fleet, maps.steps_per_day).executed
        assert replay(schedule, fleet, maps.steps_per_day) == [tuple(pair) for pair in np.argwhere(executed).tolist()]


def test_what_the_gates_let_through_has_no_violation() -> None:
    maps, fleet = random_maps(1), small_fleet()
    schedule = random_schedule(1, maps, fleet, share=1.0)
    report = audit(schedule, fleet, maps.steps_per_day, maps.shape)
    assert report.ok
    assert report.candidate > report.executed > 0


def test_a_gap_of_the_turnaround_is_a_violation_and_one_step_more_is_not() -> None:
    schedule = listed((0, 0), (3, 0), (7, 0))
    report = audit(schedule, FLEET, 10, SHAPE, [(0, 0), (3, 0), (7, 0)])
    assert (report.turnaround, report.grounded, report.simultaneous, report.outside) == (1, 0, 0, 0)
    assert "steps 0 and 3" in report.violations[0]


def test_a_drop_on_a_grounded_day_is_a_violation() -> None:
    report = audit(listed((12, 1)), FLEET, 10, SHAPE, [(12, 1)])
    assert (report.grounded, report.ok) == (1, False)
    assert "R-2" in report.violations[0]


def test_two_drops_of_one_aircraft_at_one_step_are_a_violation() -> None:
    report = audit(listed((4, 0)), FLEET, 10, SHAPE, [(4, 0), (4, 0), (4, 1)])
    assert (report.simultaneous, report.turnaround) == (1, 0)


def test_a_drop_outside_the_grid_is_a_violation() -> None:
    schedule = listed((4, 0))
    schedule.poses[4, 0] = (5.0, 19.5, 0.0)
    assert audit(schedule, FLEET, 10, SHAPE, [(4, 0)]).outside == 1
