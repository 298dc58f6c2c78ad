"""The gradient planner on the shared objective, under the benchmark's counter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Start
from firegui.planning.benchmark import planner_of
from firegui.planning.gradient import GradientPlanner
from firegui.planning.initialization import START_ROLLOUTS, front_schedule, start_schedule
from firegui.planning.planners.budgeted_gradient import BudgetedGradient
from firegui.planning.shared_objective import SharedObjective
from firegui.planning.tactical_sweep import tactical_schedule
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import random_schedule
from tests.unit.planning.planners.planner_contexts import SETTINGS, contest_of, finish


def _crowded(model: Model) -> Schedule:
    """Everybody drops whenever they can, a hair above the threshold."""
    poses = random_schedule(0, model.maps, model.fleet).poses
    return Schedule(np.full((model.n_steps, model.fleet.n_aircraft), 0.04), poses)


def test_over_the_budget_every_executed_logit_is_pushed_down(model: Model) -> None:
    start = _crowded(model)
    executed = gates_of(start, model.fleet, model.maps).executed
    planner = GradientPlanner(model, SETTINGS, start, SharedObjective(budget=5, excess=1e6))
    planner.epoch()
    assert (planner.state().logits < start.logits)[executed].all()


def test_at_the_budget_the_penalty_pushes_nothing(model: Model) -> None:
    start = _crowded(model)
    count = int(gates_of(start, model.fleet, model.maps).executed.sum())
    planners = [GradientPlanner(model, SETTINGS, start, shared) for shared in (SharedObjective(count, 1e6), None)]
    for planner in planners:
        planner.epoch()
    assert np.array_equal(planners[0].state().logits, planners[1].state().logits)


def test_the_penalty_brings_a_crowded_schedule_down_to_the_budget(model: Model) -> None:
    shared = SharedObjective(budget=8, excess=1e3)
    planner = GradientPlanner(model, replace(SETTINGS, epochs=60), _crowded(model), shared)
    drops = [planner.epoch().metrics.drops_executed for _ in range(60)]
    assert drops[0] > 16
    assert simulate(model, planner.best).metrics.drops_executed <= 8


def test_the_counters_best_is_the_planners_and_scores_what_it_says(model: Model) -> None:
    context = contest_of(model, budget=12, allowance=100)
    planner = BudgetedGradient(context)
    while not planner.finished:
        planner.advance()
    evaluations, state = context.evaluations, planner.state()
    assert evaluations.best_objective == state["progress"][2]
    assert np.array_equal(evaluations.best.logits, state["best_logits"])
    assert evaluations.best.pose_logits is not None
    assert np.array_equal(evaluations.best.pose_logits, state["best_pose_logits"])
    metrics = simulate(model, evaluations.best).metrics
    assert evaluations.objective.value(metrics) == pytest.approx(evaluations.best_objective, rel=1e-12)
    nothing = simulate(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft)).metrics.objective
    assert evaluations.best_objective < nothing


@pytest.mark.parametrize("start", Start)
@pytest.mark.parametrize("left", [0, 1, 2])
def test_the_start_and_three_for_every_epoch_are_charged_to_the_end_of_the_allowance(
    model: Model, start: Start, left: int
) -> None:
    allowance = START_ROLLOUTS[start] + 3 * 4 + left
    context = contest_of(model, allowance=allowance, settings=replace(SETTINGS, start=start, epochs=2, patience=1))
    planner = BudgetedGradient(context)
    planner.advance()
    assert context.evaluations.spent == START_ROLLOUTS[start]
    while not planner.finished:
        planner.advance()
    assert context.evaluations.spent == allowance - left
    assert planner.state()["progress"][0] == 4
    assert (context.evaluations.gradient_cost or 0.0) > 0.0


def test_less_than_the_start_and_an_epoch_is_left_alone(model: Model) -> None:
    context = contest_of(model, allowance=START_ROLLOUTS[Start.FRONT] + 2)
    assert BudgetedGradient(context).finished


@pytest.mark.parametrize("configured", Start)
def test_only_the_tactical_one_begins_with_the_heuristics_drops_whatever_the_settings(
    model: Model, configured: Start
) -> None:
    settings = replace(SETTINGS, start=configured)
    begun = {}
    for name in (PlannerName.GRADIENT, PlannerName.GRADIENT_TACTICAL):
        planner = planner_of(name, contest_of(model, budget=6, settings=settings))
        planner.advance()
        begun[name] = planner.state()
    front = front_schedule(model, SETTINGS)
    assert np.array_equal(begun[PlannerName.GRADIENT]["logits"], front.logits)
    assert front.pose_logits is not None
    assert np.array_equal(begun[PlannerName.GRADIENT]["pose_logits"], front.pose_logits)
    tactical = tactical_schedule(model, SETTINGS, budget=6)
    assert np.array_equal(begun[PlannerName.GRADIENT_TACTICAL]["logits"] > 0.0, tactical.proposed)


def test_a_tactical_start_proposes_no_more_than_its_budget(model: Model) -> None:
    start = start_schedule(model, replace(SETTINGS, start=Start.TACTICAL), budget=6)
    assert int(start.proposed.sum()) == 6


def test_a_search_from_the_heuristic_is_no_worse_than_it(model: Model) -> None:
    tactical, gradient = contest_of(model), contest_of(model)
    finish(PlannerName.TACTICAL, tactical)
    finish(PlannerName.GRADIENT_TACTICAL, gradient)
    assert gradient.evaluations.best_objective <= tactical.evaluations.best_objective + 1e-6
