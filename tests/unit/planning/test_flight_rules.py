"""From a project's constraints to rules, and what the first stage makes of pins, caps and zones."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from firegui.domain.fleet import Fleet, availability_cap
from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import InputError
from firegui.planning.audit import Conditions, audit
from firegui.planning.flight_rules import (
    flight_rules,
    most_drops_a_day,
    most_drops_of,
    no_drop_problems,
    project_gates,
    with_pins,
    within_cap,
)
from firegui.planning.gradient import GradientPlanner
from firegui.planning.initialization import front_schedule
from firegui.planning.problem import build
from firegui.rollout.drops import drop_records
from firegui.rollout.engine_message import EngineMessage
from firegui.rollout.gates import FlightRules, apply_gates, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.support import make_project

SETTINGS = OptimizerSettings(epochs=15, learning_rate=0.1, exclusion_cells=3.0)
LAKE = Region.rectangle("lake", (4.0, 7.0), (6.0, 12.0))


def planned(operations: Operations) -> Project:
    return replace(make_project(), operations=operations)


def pin(project: Project, step: int, name: str, y: float = 12.0, x: float = 14.0) -> PinnedDrop:
    return PinnedDrop(project.calendar.time_of_step(step), name, y, x, 0.7)


def model(project: Project) -> Model:
    return build(project, effectiveness=project.plan.design, backend="cpu")


def test_without_constraints_there_are_no_rules() -> None:
    assert flight_rules(make_project()) is None
    assert model(make_project()).rules is None


def test_the_most_drops_of_a_project_are_those_that_its_constraints_let_be_flown() -> None:
    free = make_project()
    fleet, calendar = free.planned_fleet, free.calendar
    assert most_drops_of(free) == availability_cap(fleet, calendar)
    lit = replace(free, operations=Operations(Daylight(0.0, 0.0)))
    rules = flight_rules(lit)
    assert rules is not None and rules.closed is not None
    everything = np.ones((calendar.n_steps, fleet.n_aircraft), bool)
    found = most_drops_of(lit)
    assert 0 < found == apply_gates(everything, fleet, calendar.steps_per_day, rules).executed.sum()
    assert found < most_drops_of(free)
    assert most_drops_of(replace(free, operations=Operations(hard_cap=2, no_drop_zones=(LAKE,)))) == 2
    # A sun that is not known is a problem of its own, and no reason to show no number.
    nowhere = replace(free.scenario, grid=replace(free.scenario.grid, transform=None, crs=""))
    assert most_drops_of(replace(lit, scenario=nowhere)) == most_drops_of(free)


def test_the_most_drops_a_day_are_those_of_one_aircraft_that_is_not_grounded() -> None:
    free = make_project()
    steps = free.calendar.steps_per_day
    waits = [kind.turnaround_steps(steps) for kind in free.fleet.types]
    assert most_drops_a_day(free) == tuple(-(-steps // (wait + 1)) for wait in waits)
    assert most_drops_a_day(grounded(free)) == most_drops_a_day(free)
    lit = most_drops_a_day(replace(free, operations=Operations(Daylight(0.0, 0.0))))
    assert all(0 < few < many for few, many in zip(lit, most_drops_a_day(free), strict=True))
    first = free.fleet.types[0].id
    assert most_drops_a_day(replace(free, operations=Operations(sorties_per_day={first: 2})))[0] == 2


def grounded(project: Project) -> Project:
    """Return the project with every aircraft type grounded on every planned day."""
    fleet = project.planned_fleet
    days = tuple(range(project.calendar.days))
    return project.with_fleet(Fleet(tuple(kind.with_grounded_days(days) for kind in fleet.types)))


def test_a_project_that_no_drop_can_be_flown_in_says_everything_that_stands_against_one() -> None:
    free = make_project()
    assert no_drop_problems(free) == [] == no_drop_problems(planned(Operations(hard_cap=1)))
    (problem,) = no_drop_problems(grounded(free))
    assert str(problem) == (
        "No drop is possible: every aircraft is grounded on every planned day — lift a grounded day or plan other days"
    )
    ends = free.calendar.start, free.calendar.start + timedelta(days=free.calendar.days)
    (problem,) = no_drop_problems(
        planned(Operations(groundings=tuple(Grounding(kind.id, *ends) for kind in free.fleet.types)))
    )
    assert problem.what == "every aircraft is grounded on every planned day"
    (problem,) = no_drop_problems(replace(grounded(free), operations=Operations(hard_cap=0)))
    assert problem.what == "every aircraft is grounded on every planned day and the limit on drops is 0"
    assert problem.remedy == "lift a grounded day or plan other days, and raise it"
    none = {kind.id: 0 for kind in free.fleet.types}
    assert [problem.what for problem in no_drop_problems(planned(Operations(sorties_per_day=none)))] == [
        "every aircraft type has 0 drops a day"
    ]
    (problem,) = no_drop_problems(planned(Operations(Daylight(700.0, 700.0))))
    assert problem.what == "the daylight rule leaves no time for a drop"


def test_limits_that_only_together_leave_no_drop_are_named_together() -> None:
    free = make_project()
    first, *others = free.fleet.types
    closed = replace(free, fleet=Fleet((first, *others)), operations=Operations(sorties_per_day={first.id: 0}))
    days = tuple(range(free.calendar.days))
    half = closed.with_fleet(Fleet((first, *(kind.with_grounded_days(days) for kind in others))))
    (problem,) = no_drop_problems(half)
    assert problem.what == "grounded days and rules of the operation leave no time for a drop"


def test_daylight_and_groundings_close_steps_and_pins_carry_their_poses() -> None:
    base = make_project()
    start = base.calendar.start
    grounding = Grounding("R-2", start + timedelta(hours=12), start + timedelta(hours=16))
    project = planned(Operations(Daylight(0.0, 0.0), (grounding,), {"W": 2}, 9, (), (pin(base, 4, "R-1"),)))
    assert project.problems() == []
    rules = flight_rules(project)
    assert rules is not None
    assert rules.closed is not None
    assert rules.pinned is not None
    assert rules.pinned_poses is not None
    # Ten steps a day of 2.4 hours from local midnight: light from 07:12 to 19:12, sunset near 20:00.
    assert np.flatnonzero(~rules.closed[:10, 0]).tolist() == [3, 4, 5, 6, 7, 8]
    assert np.flatnonzero(~rules.closed[:10, 1]).tolist() == [3, 4, 7, 8]
    assert np.argwhere(rules.pinned).tolist() == [[4, 0]]
    assert rules.pinned_poses[4, 0].tolist() == [12.0, 14.0, 0.7]
    assert rules.cap == 9
    assert rules.sorties is not None
    kinds = [tail.type.id for tail in project.fleet.tails]
    assert rules.sorties.tolist() == [2 if kind == "W" else -1 for kind in kinds]


def test_a_pin_in_the_dark_or_drifting_into_a_zone_keeps_a_project_from_being_planned() -> None:
    base = make_project()
    project = planned(
        Operations(Daylight(), no_drop_zones=(LAKE,), pinned=(pin(base, 0, "R-1"), pin(base, 5, "R-2", 7.5, 6.0)))
    )
    with pytest.raises(InputError) as caught:
        model(project)
    assert "outside daylight" in str(caught.value)
    assert "reaches a no-drop zone" in str(caught.value)


def test_a_pin_outside_the_window_is_said_when_the_model_is_made() -> None:
    base = make_project()
    heard: list[EngineMessage] = []
    build(planned(Operations(pinned=(pin(base, 10_000, "R-1"),))), effectiveness=base.plan.design, tell=heard.append)
    assert "1 pinned drop lies outside the planned days and is ignored" in [remark.text for remark in heard]


def test_a_schedules_gates_need_no_fire_model() -> None:
    project = planned(Operations(hard_cap=3, no_drop_zones=(LAKE,)))
    prepared = model(project)
    schedule = random_schedule(1, prepared.maps, prepared.fleet)
    np.testing.assert_array_equal(project_gates(schedule, project).executed, simulate(prepared, schedule).executed)
    with pytest.raises(InputError, match="Limit on drops is -1"):
        project_gates(schedule, planned(Operations(hard_cap=-1)))


def test_pins_are_put_into_a_schedule_with_and_without_pose_logits() -> None:
    base = make_project()
    prepared = model(planned(Operations(pinned=(pin(base, 4, "R-1"),))))
    empty = Schedule.empty(prepared.n_steps, prepared.fleet.n_aircraft)
    z = Schedule.from_pose_logits(empty.logits, np.full((*empty.logits.shape, 3), 0.1), prepared.shape)
    for schedule in (with_pins(empty, prepared), with_pins(z, prepared)):
        assert np.argwhere(schedule.proposed).tolist() == [[4, 0]]
        assert schedule.poses[4, 0].tolist() == [12.0, 14.0, 0.7]
    pose_logits = with_pins(z, prepared).pose_logits
    assert pose_logits is not None
    back = Schedule.from_pose_logits(empty.logits, pose_logits, prepared.shape)
    assert back.poses[4, 0] == pytest.approx((12.0, 14.0, 0.7), abs=1e-9)
    assert with_pins(empty, model(base)) is empty


def capped(cap: int, pinned: tuple[tuple[int, int], ...] = ()) -> tuple[Model, Schedule]:
    maps, fleet = random_maps(2), small_fleet()
    pins = np.zeros((maps.n_steps, fleet.n_aircraft), bool)
    for pair in pinned:
        pins[pair] = True
    schedule = random_schedule(2, maps, fleet, share=0.6)
    rules = FlightRules(cap=cap, pinned=pins, pinned_poses=schedule.poses)
    return replace(model_of(maps, fleet), rules=rules), schedule


def test_under_a_cap_the_drops_with_the_lowest_logits_are_given_up_and_not_the_last() -> None:
    prepared, schedule = capped(5)
    kept = within_cap(schedule, prepared)
    flown = gates_of(kept, prepared.fleet, prepared.maps, prepared.rules).executed
    assert flown.sum() == 5
    given_up = schedule.proposed & ~kept.proposed
    assert schedule.logits[given_up].max() <= schedule.logits[flown].min()
    chronological = gates_of(schedule, prepared.fleet, prepared.maps, prepared.rules).executed
    assert schedule.logits[flown].sum() > schedule.logits[chronological].sum()
    assert within_cap(kept, prepared) is kept


def test_of_equal_logits_the_later_step_then_the_higher_column_goes_first() -> None:
    prepared, schedule = capped(3)
    flat = Schedule(np.full_like(schedule.logits, -1.0), schedule.poses)
    for pair in ((0, 1), (0, 3), (9, 0), (9, 4), (15, 0)):
        flat.logits[pair] = 0.5
    kept = within_cap(flat, prepared)
    assert [tuple(pair) for pair in np.argwhere(kept.proposed).tolist()] == [(0, 1), (0, 3), (9, 0)]


def test_the_cap_keeps_room_for_pins() -> None:
    prepared, schedule = capped(4, ((6, 0), (12, 4)))
    schedule.logits[6, 0] = schedule.logits[12, 4] = 0.01  # the lowest of all, and kept
    kept = within_cap(schedule, prepared)
    flown = gates_of(kept, prepared.fleet, prepared.maps, prepared.rules).executed
    assert flown.sum() == 4
    assert flown[6, 0]
    assert flown[12, 4]


def test_the_first_stage_keeps_every_rule_and_the_audit_agrees() -> None:
    base = make_project()
    operations = Operations(
        Daylight(0.0, 0.0), (), {"R": 1}, 6, (LAKE,), (pin(base, 4, "R-1"), pin(base, 13, "W-1", 10.0, 3.0))
    )
    project = planned(operations)
    prepared = model(project)
    planner = GradientPlanner(prepared, SETTINGS, front_schedule(prepared, SETTINGS))
    reports = [planner.epoch() for _ in range(15)]
    best = planner.best
    assert max(report.metrics.drops_executed for report in reports) == 6
    assert simulate(prepared, best).metrics.objective == planner.best_objective
    assert best.poses[4, 0] == pytest.approx((12.0, 14.0, 0.7), abs=1e-9)
    state = planner.state()
    w1 = [tail.name for tail in project.fleet.tails].index("W-1")
    for step, column in ((4, 0), (13, w1)):
        assert state.logits[step, column] == SETTINGS.logit_clamp
    drops = drop_records(prepared.maps, prepared.fleet, best, prepared.rules)
    executed = [(drop.step, drop.column) for drop in drops if drop.executed]
    found = audit(best, prepared.fleet, 10, prepared.shape, executed, conditions=Conditions.of(project))
    assert found.violations == ()
    assert {(4, 0), (13, w1)} <= set(executed)


def test_pairs_after_the_last_allowed_drop_may_still_bid_under_a_cap() -> None:
    project = planned(Operations(hard_cap=2))
    prepared = model(project)
    planner = GradientPlanner(prepared, SETTINGS, front_schedule(prepared, SETTINGS))
    before = planner.state().logits
    for _ in range(3):
        planner.epoch()
    moved = planner.state().logits != before
    last = np.flatnonzero(planner.best.proposed.any(axis=1)).max(initial=0)
    assert moved[last + 1 :].any()
