"""Cycles, hours of a day and wind limits: gates, planners, the remaining plan and the audit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from firegui.domain.bases import Base, BaseKind
from firegui.domain.fleet import Fleet
from firegui.domain.observation import FireState
from firegui.domain.operations import Operations, PinnedDrop, day_limits
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.planning.audit import Conditions, audit
from firegui.planning.flight_rules import flight_rules, most_drops_a_day, no_drop_problems, rule_problems
from firegui.planning.gradient import GradientPlanner
from firegui.planning.initialization import front_schedule
from firegui.planning.problem import build, with_burning_centres
from firegui.planning.replan import executed, remaining
from firegui.planning.tactical_sweep import tactical_schedule
from firegui.rollout.gates import apply_gates, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import random_maps, random_schedule
from tests.support import make_project

PER_DAY = 24
SETTINGS = OptimizerSettings(epochs=6, learning_rate=0.1, exclusion_cells=3.0)


def limited(project: Project | None = None) -> Project:
    """Return a project of two days of hours in which every rule of this file holds something back."""
    whole = make_project(maps=random_maps(3, days=2, steps_per_day=PER_DAY, periods=2)) if project is None else project
    limits: dict[str, dict[str, Any]] = {
        "R": {"cruise_ms": 100.0, "target_min": 6.0, "most_flight_h": 4.0, "most_wind_ms": 9.0},
        "BIG": {"cruise_ms": 120.0, "most_duty_h": 9.0, "most_gust_ms": 20.0},
        "W": {"most_flight_h": 7.0, "most_duty_h": 12.0},
    }
    types = tuple(replace(kind, **limits[kind.id]) for kind in whole.fleet.types)
    bases = (
        Base("Day", BaseKind.AIRTANKER, 5.0, -3000.0, 20.0, 6.0, 20.0, ("R", "BIG")),
        Base("Night", BaseKind.RELOAD, 9000.0, 5.0, 30.0, serves=("R", "BIG")),
    )
    return replace(whole, fleet=replace(whole.fleet, types=types), operations=Operations(bases=bases))


@pytest.fixture(scope="module")
def planned() -> tuple[Project, Model]:
    project = with_burning_centres(limited(), "cpu")
    return project, build(project, project.plan.design, "cpu", waits=False)


def violations(project: Project, model: Model, schedule: Schedule, drops: list[tuple[int, int]]) -> list[str]:
    found = audit(
        schedule, model.fleet, PER_DAY, model.shape, drops, conditions=Conditions.of(project)
    )  # fmt: skip
    return list(found.violations)


def flown(model: Model, schedule: Schedule) -> list[tuple[int, int]]:
    return [(int(step), int(column)) for step, column in np.argwhere(executed(model, schedule))]


def test_a_project_learns_where_its_fire_burns_only_where_a_base_serves_a_type() -> None:
    bare = make_project()
    assert with_burning_centres(bare) is bare
    project = limited()
    assert project.needs_centres
    known = with_burning_centres(project, "cpu")
    assert len(known.burning_centres) == project.calendar.days
    assert with_burning_centres(known) is known
    rows, columns = project.scenario.grid.shape
    assert all(0.0 <= y < rows and 0.0 <= x < columns for y, x in known.burning_centres)


def by_hand(project: Project, model: Model, schedule: Schedule) -> np.ndarray:
    """Return the drops that a plain walk through the steps lets through."""
    fleet, rules = project.planned_fleet, flight_rules(project, model.maps)
    assert rules is not None
    result = np.zeros(schedule.logits.shape, bool)
    speeds = np.asarray(model.maps.wind_speed, np.float64)
    for tail in fleet.tails:
        kind, free_from, day, drops, first = tail.type, 0, -1, 0, -1
        for step in range(schedule.n_steps):
            if step // PER_DAY != day:
                day, drops, first = step // PER_DAY, 0, -1
            limits = day_limits(kind, day, project.calendar)
            y, x, _ = schedule.poses[step, tail.index]
            wind = speeds[step // (PER_DAY // 2), round(y), round(x)]
            if not schedule.proposed[step, tail.index] or step < free_from or day in kind.grounded_days:
                continue
            if wind > kind.wind_limit_ms(2.0) or (limits.drops is not None and drops >= limits.drops):
                continue
            if limits.window is not None and (limits.window < 0 or (first >= 0 and step - first > limits.window)):
                continue
            result[step, tail.index] = True
            drops, first = drops + 1, step if first < 0 else first
            free_from = step + kind.wait_steps(step, PER_DAY) + 1
    return result


@pytest.mark.parametrize("seed", range(6))
def test_the_gates_are_those_of_a_plain_walk_and_the_audit_agrees(planned: tuple[Project, Model], seed: int) -> None:
    project, model = planned
    schedule = random_schedule(seed, model.maps, model.fleet, share=0.9)
    drops = executed(model, schedule)
    np.testing.assert_array_equal(drops, by_hand(project, model, schedule))
    assert violations(project, model, schedule, flown(model, schedule)) == []
    free = apply_gates(schedule.proposed, Fleet(model.fleet.types).without_cycles, PER_DAY).executed
    assert (free & ~drops).any()


def test_open_pairs_are_those_that_could_be_flown(planned: tuple[Project, Model]) -> None:
    _, model = planned
    schedule = random_schedule(1, model.maps, model.fleet, share=0.4)
    gates = gates_of(schedule, model.fleet, model.maps, model.rules)
    assert (gates.open | ~gates.executed).all()
    for step, column in np.argwhere(~gates.open & ~schedule.proposed)[::7].tolist():
        more = replace(schedule, logits=schedule.logits.copy())
        more.logits[step, column] = LISTED_LOGIT
        one = gates_of(more, model.fleet, model.maps, model.rules).executed
        limit = model.fleet.tails[column].type.wind_limit_ms(2.0)
        y, x = np.rint(schedule.poses[step, column, :2]).astype(int)
        assert not one[step, column] or model.maps.wind_speed[step // (PER_DAY // 2), y, x] > limit


def test_the_plans_of_gradient_and_quick_planner_keep_every_rule(planned: tuple[Project, Model]) -> None:
    project, model = planned
    planner = GradientPlanner(model, SETTINGS, front_schedule(model, SETTINGS))
    for _ in range(6):
        planner.epoch()
    quick = tactical_schedule(model, SETTINGS, budget=40)
    for schedule in (planner.best, quick):
        drops = flown(model, schedule)
        assert drops
        assert violations(project, model, schedule, drops) == []
    hours = sum(model.fleet.tails[column].type.flight_h_at(step) for step, column in flown(model, quick))
    assert simulate(model, quick).metrics.flight_hours == pytest.approx(hours)


@pytest.mark.parametrize("first", [PER_DAY, 7, PER_DAY + 9])
def test_the_rest_of_a_plan_flies_what_the_whole_plan_flies(planned: tuple[Project, Model], first: int) -> None:
    _, model = planned
    schedule = random_schedule(2, model.maps, model.fleet, share=0.8)
    whole = executed(model, schedule)
    state = FireState(model.maps.ignition, np.zeros_like(model.maps.ignition))
    left = remaining(model, schedule, first, state)
    rest = Schedule(schedule.logits[first:], schedule.poses[first:])
    assert whole[:first].any()
    np.testing.assert_array_equal(executed(left, rest), whole[first:])


def calmest(model: Model, step: int) -> tuple[float, float, float]:
    speed = model.maps.wind_speed[step // (PER_DAY // 2)]
    y, x = np.unravel_index(int(speed.argmin()), speed.shape)
    return float(y), float(x), 0.3


def listed(model: Model, *drops: tuple[int, int], stormy: bool = False) -> Schedule:
    schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    for step, column in drops:
        speed = model.maps.wind_speed[step // (PER_DAY // 2)]
        y, x = np.unravel_index(int(speed.argmax()), speed.shape)
        schedule.logits[step, column] = LISTED_LOGIT
        schedule.poses[step, column] = (float(y), float(x), 0.3) if stormy else calmest(model, step)
    return schedule


def test_the_audit_names_a_planted_violation_of_every_kind(planned: tuple[Project, Model]) -> None:
    project, model = planned
    columns = {tail.name: tail.index for tail in model.fleet.tails}
    r, big = columns["R-1"], columns["BIG-1"]
    wait = model.fleet.tails[r].type.wait_steps(9, PER_DAY)
    assert wait == model.fleet.tails[r].type.cycles[9].wait_h.__ceil__()
    cases = {
        "turnaround": ([(9, r), (9 + wait, r)], False, f"closer than its turnaround of {wait} steps"),
        "flight": ([(step, r) for step in range(7, 24, 4)], False, "flight hours, of 4 allowed"),
        "duty": ([(6, big), (16, big)], False, "after its duty began until it has landed, of 9 h allowed"),
        "wind": ([(9, r)], True, "in wind of"),
    }
    for rule, (drops, stormy, said) in cases.items():
        schedule = listed(model, *drops, stormy=stormy)
        report = audit(
            schedule, model.fleet, PER_DAY, model.shape, drops, conditions=Conditions.of(project)
        )  # fmt: skip
        assert getattr(report, rule) >= 1, rule
        assert any(said in sentence for sentence in report.violations), (rule, report.violations)
        assert sum(asked in report.violations[0] for asked in ("R-1", "BIG-1")) == 1
        refused = executed(model, schedule)
        assert not all(refused[step, column] for step, column in drops)
    gust = listed(model, (9, big), stormy=True)
    assert any("in gusts of" in sentence for sentence in violations(project, model, gust, [(9, big)]))


def test_hours_that_leave_no_drop_are_named() -> None:
    project = make_project()
    types = tuple(replace(kind, most_flight_h=0.1) for kind in project.fleet.types)
    (problem,) = no_drop_problems(replace(project, fleet=replace(project.fleet, types=types)))
    assert "flight and duty hours are too short for a drop" in problem.what


def test_the_most_drops_of_a_day_follow_the_bases(planned: tuple[Project, Model]) -> None:
    project, _ = planned
    most = dict(zip((kind.id for kind in project.fleet.types), most_drops_a_day(project), strict=True))
    fixed = most_drops_a_day(replace(project, operations=Operations()))
    assert most["R"] == day_limits(project.planned_fleet.types[0], 0, project.calendar).drops
    assert most["W"] == fixed[2] == 2  # seven hours in the air allow two drops of three hours


def test_a_pin_in_too_much_wind_is_said(planned: tuple[Project, Model]) -> None:
    project, model = planned
    step, schedule = 9, listed(model, (9, 0), (9, 1), stormy=True)
    stormy = schedule.poses[step, 0]
    calm = calmest(model, step)
    pins = tuple(
        PinnedDrop(project.calendar.time_of_step(step), name, *(float(value) for value in pose))
        for name, pose in (("R-1", stormy), ("R-2", calm))
    )
    pinned = replace(project, operations=replace(project.operations, pinned=pins))
    (problem,) = rule_problems(pinned, model.maps)
    assert "R-1" in problem.where
    assert "the wind there is above the limit" in problem.what
