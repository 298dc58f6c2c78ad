"""Airspace rules of a project: gates, audit, every planner of the benchmark, and the rest of a plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.airspace import AirspaceRule
from firegui.domain.benchmark import PlannerName
from firegui.domain.observation import FireState
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.stress import StressScenario
from firegui.planning.audit import AuditReport, Conditions, audit
from firegui.planning.evaluations import Evaluations
from firegui.planning.exercise import Exercise, FlownWorld
from firegui.planning.flight_rules import flight_rules, project_gates
from firegui.planning.planner_context import PlannerContext
from firegui.planning.problem import build
from firegui.planning.repair import PlanRepair
from firegui.planning.replan import executed, remaining
from firegui.planning.shared_objective import SharedObjective
from firegui.planning.stress import executed_only, stress_world
from firegui.rollout.model import Model
from tests.numerics.cases import random_maps, random_schedule
from tests.support import make_project
from tests.unit.planning.planners.planner_contexts import SETTINGS, finish

PER_DAY, CELL = 24, 30.0
HOUR = 60.0
RULES = (
    AirspaceRule(1, 3.0 * HOUR, 2.0 * CELL),
    AirspaceRule(2, 2.0 * HOUR, 8.0 * CELL, ("R", "W")),
    AirspaceRule(1, 4.0 * HOUR, None, ("BIG",)),
    AirspaceRule(2, 1.0 * HOUR),
)
PLANNERS = [name for name in PlannerName if name is not PlannerName.TWO_STAGE]


def ruled(*rules: AirspaceRule) -> Project:
    project = make_project(maps=random_maps(3, days=2, steps_per_day=PER_DAY, periods=2))
    return replace(project, operations=Operations(airspace=rules))


@pytest.fixture(scope="module")
def planned() -> tuple[Project, Model]:
    project = ruled(*RULES)
    return project, build(project, project.plan.design, "cpu")


def report(project: Project, schedule: Schedule, drops: list[tuple[int, int]]) -> AuditReport:
    shape = project.scenario.grid.shape
    fleet = project.planned_fleet
    return audit(schedule, fleet, PER_DAY, shape, drops, conditions=Conditions.of(project))


def flown(model: Model, schedule: Schedule) -> list[tuple[int, int]]:
    return [(int(step), int(column)) for step, column in np.argwhere(executed(model, schedule))]


def listed(project: Project, *drops: tuple[int, str, float, float]) -> tuple[Schedule, list[tuple[int, int]]]:
    """Return a schedule of drops given by step, aircraft, row and column, and their pairs."""
    fleet = project.planned_fleet
    columns = {tail.name: tail.index for tail in fleet.tails}
    schedule = Schedule.empty(2 * PER_DAY, fleet.n_aircraft)
    for step, name, y, x in drops:
        schedule.logits[step, columns[name]] = LISTED_LOGIT
        schedule.poses[step, columns[name]] = y, x, 0.3
    return schedule, [(step, columns[name]) for step, name, _, _ in drops]


def test_a_project_without_rules_has_none_in_its_gates() -> None:
    assert flight_rules(ruled()) is None
    rules = flight_rules(ruled(*RULES))
    assert rules is not None
    assert [(one.most, one.steps, one.radius) for one in rules.airspace] == [
        (1, 3, 2.0), (2, 2, 8.0), (1, 4, None), (2, 1, None),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_the_audit_finds_nothing_in_what_the_gates_let_through(planned: tuple[Project, Model], seed: int) -> None:
    project, model = planned
    schedule = random_schedule(seed, model.maps, model.fleet, share=0.9)
    drops = flown(model, schedule)
    assert drops
    assert report(project, schedule, drops).violations == ()
    free = [(int(s), int(c)) for s, c in np.argwhere(executed(replace(model, rules=None), schedule))]
    found = report(project, schedule, free)
    assert found.airspace == len(found.violations) == found.counts.others > 0


@pytest.mark.parametrize(
    ("rule", "drops", "said"),
    [
        (
            AirspaceRule(2, HOUR, 100.0),
            [(5, "R-1", 8.0, 8.0), (5, "W-1", 8.0, 10.0), (5, "R-2", 8.0, 9.0)],
            "W-1 drops at step 5, one of 3 where the airspace rule has at most 2 drops within 100 m in any 60 min",
        ),
        (
            AirspaceRule(1, 3 * HOUR, 45.0),
            [(5, "R-1", 8.0, 8.0), (7, "W-1", 8.0, 9.4)],
            "W-1 drops at step 7, one of 2 where the airspace rule has at most 1 drop within 45 m in any 180 min",
        ),
        (
            AirspaceRule(1, 2 * HOUR, None, ("BIG", "R")),
            [(5, "R-1", 2.0, 2.0), (5, "W-1", 8.0, 8.0), (6, "BIG-1", 12.0, 14.0)],
            "BIG-1 drops at step 6, one of 2 where the airspace rule has at most 1 drop in any 120 min, of BIG and R",
        ),
    ],
)
def test_the_audit_names_a_planted_violation_of_each_kind(
    rule: AirspaceRule, drops: list[tuple[int, str, float, float]], said: str
) -> None:
    project = ruled(rule)
    schedule, pairs = listed(project, *drops)
    found = report(project, schedule, pairs)
    assert found.violations == (said,)
    assert found.airspace == found.counts.others == 1
    assert int(project_gates(schedule, project).executed.sum()) == len(pairs) - 1
    for other in (
        replace(rule, most=rule.most + 1), replace(rule, minutes=rule.minutes - HOUR if rule.minutes > HOUR else HOUR),
        replace(rule, types=("W",)) if not rule.types else replace(rule, types=("BIG",)),
    ):  # fmt: skip
        kept = ruled(other)
        if other != rule:
            assert report(kept, schedule, pairs).ok
            assert int(project_gates(schedule, kept).executed.sum()) == len(pairs)


def test_three_in_a_line_are_too_many_around_the_middle_one_whoever_comes_first() -> None:
    project = ruled(AirspaceRule(2, HOUR, 60.0))
    for middle in ("R-1", "R-2", "W-1"):
        ends = [name for name in ("R-1", "R-2", "W-1") if name != middle]
        schedule, pairs = listed(
            project, (5, middle, 8.0, 8.0), (5, ends[0], 8.0, 6.2), (5, ends[1], 8.0, 9.8)
        )  # fmt: skip
        found = report(project, schedule, pairs)
        assert found.airspace == 1
        assert found.violations[0].startswith("W-1 drops")
        assert flown_names(project, schedule) == ["R-1", "R-2"]


def flown_names(project: Project, schedule: Schedule) -> list[str]:
    tails = project.planned_fleet.tails
    return [tails[column].name for _, column in np.argwhere(project_gates(schedule, project).executed).tolist()]


@pytest.mark.parametrize("name", PLANNERS)
def test_every_planner_of_the_benchmark_keeps_the_rules(planned: tuple[Project, Model], name: PlannerName) -> None:
    project, model = planned
    if name is PlannerName.CMA_ES or name is PlannerName.CMA_ES_NATIVE:
        pytest.importorskip("cma")
    evaluations = Evaluations(model, SharedObjective(12), 40)
    finish(name, PlannerContext(model, evaluations, SETTINGS))
    drops = flown(model, evaluations.best)
    assert bool(drops) is (name is not PlannerName.NONE)
    assert report(project, evaluations.best, drops).violations == ()


@pytest.mark.parametrize("first", [PER_DAY, 9, 14, 38])
def test_the_rest_of_a_plan_flies_what_the_whole_plan_flies(planned: tuple[Project, Model], first: int) -> None:
    _, model = planned
    schedule = random_schedule(2, model.maps, model.fleet, share=0.8)
    whole = executed(model, schedule)
    state = FireState(model.maps.ignition, np.zeros_like(model.maps.ignition))
    left = remaining(model, schedule, first, state)
    rest = Schedule(schedule.logits[first:], schedule.poses[first:])
    assert whole[:first].any()
    np.testing.assert_array_equal(executed(left, rest), whole[first:])
    assert left.rules is not None
    assert any(len(one.before) for one in left.rules.airspace)
    alone = tuple(replace(one, before=np.zeros((0, 3))) for one in left.rules.airspace)
    free = executed(replace(left, rules=replace(left.rules, airspace=alone)), rest)
    assert first == PER_DAY or (free & ~whole[first:]).any(), "the drops before hold nothing back"


@pytest.mark.usefixtures("short_repairs")
def test_a_repaired_plan_keeps_the_rules() -> None:
    project = ruled(*RULES)
    model = build(project, project.plan.nominal, "cpu")
    plan = executed_only(model, random_schedule(4, model.maps, model.fleet, share=0.9))
    truth = FlownWorld.of_draw(
        stress_world(project, model, StressScenario("failing", failure_rate=0.5)), model, 0, (7, 1)
    )
    repair = PlanRepair(project, model)
    exercise = Exercise(truth, repair, 12)
    state = exercise.begin(plan)
    while not exercise.finished(state):
        state = exercise.advance(state)
        assert report(project, state.schedule, flown(model, state.schedule)).violations == ()
    assert repair.epochs > 0
