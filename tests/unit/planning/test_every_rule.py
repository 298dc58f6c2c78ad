"""Every rule at once: the audit names a planted violation of each, and no planner breaks one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.fire.demo import make_demo
from firegui.planning.audit import AuditReport, Conditions, StatedUse, audit
from firegui.planning.problem import build
from tests.performance.every_rule import PINS, audited_plans, with_every_rule
from tests.support import make_project

EVERY_RULE = (
    "grounded", "turnaround", "simultaneous", "outside", "dark", "closed", "sorties", "cap", "zones", "pinned",
    "unproposed", "used", "flight", "duty", "wind", "airspace",
)  # fmt: skip


def test_the_audit_names_a_planted_violation_of_every_rule_at_once() -> None:
    project = with_every_rule(make_project(), 3)
    assert project.problems() == [] and len(project.operations.pinned) == PINS
    fleet, calendar, grid = project.planned_fleet, project.calendar, project.scenario.grid
    (zone,) = project.operations.no_drop_zones
    place = np.array([row_and_column for part in zone.parts for row_and_column in part[0]]).mean(axis=0) - 0.5
    size = calendar.n_steps, fleet.n_aircraft
    schedule = Schedule(np.full(size, LISTED_LOGIT), np.broadcast_to([*place, 0.3], (*size, 3)).copy())
    windiest = np.argwhere(project.planned_wind[0] == np.max(project.planned_wind[0]))[0]
    step = int(windiest[0]) * calendar.steps_per_day * calendar.days // len(project.planned_wind[0])
    schedule.poses[step, :, :2] = windiest[1:]
    drops = [(when, column) for when in range(size[0]) for column in range(size[1])]
    schedule.logits[1, 0] = -LISTED_LOGIT
    schedule.poses[2, 0, 0] = -5.0
    found = audit(
        schedule, fleet, calendar.steps_per_day, grid.shape, [*drops, drops[3]], conditions=Conditions.of(project),
        stated=[StatedUse("the plan", drops, gallons=1.0)],
    )  # fmt: skip
    assert [name for name in EVERY_RULE if not getattr(found, name)] == []
    assert sum(getattr(found, name) for name in EVERY_RULE) == len(found.violations)
    counts = {name for name, kind in AuditReport.__annotations__.items() if kind == "int"}
    assert counts - {"candidate", "executed"} == set(EVERY_RULE), "a rule without a planted violation"


def test_every_rule_comes_with_a_line_from_the_second_day_on_and_an_area() -> None:
    project = with_every_rule(make_project(), 3)
    line, lake = project.barriers
    assert (line.is_area, lake.is_area) == (False, True) and lake.exists_from is None
    factors = build(project, project.plan.nominal, "cpu").maps.barriers
    assert factors is not None
    first, second = (factors.of_period(day * project.wind_periods) for day in (0, 1))
    assert first is not None and second is not None
    assert len(second.cells) > len(first.cells) > 0


@pytest.mark.slow
def test_no_planner_breaks_a_rule_on_the_demo_fire(tmp_path: Path) -> None:
    planners = [name for name in PlannerName if name not in (PlannerName.CMA_ES, PlannerName.CMA_ES_NATIVE)]
    ruled = with_every_rule(make_demo(), 3, 40)
    plans = list(audited_plans(ruled, tmp_path, planners=planners, allowance=12, budget=40))
    assert len(plans) == len(planners) + 1
    assert [(plan.planner, plan.violations) for plan in plans if plan.violations] == []
    assert all(plan.drops >= PINS for plan in plans)


@pytest.mark.slow
def test_no_planner_breaks_a_rule_on_a_small_fire(tmp_path: Path) -> None:
    plans = list(audited_plans(with_every_rule(make_project(), 6), tmp_path, allowance=30))
    assert [(plan.planner, plan.violations) for plan in plans if plan.violations] == []
    assert all(plan.drops >= PINS for plan in plans)
