"""Small contests for the planners' tests."""

from __future__ import annotations

from collections.abc import Iterator

from firegui.domain.benchmark import PlannerName
from firegui.domain.settings import OptimizerSettings
from firegui.planning.benchmark import planner_of
from firegui.planning.evaluations import Arrays, Evaluations
from firegui.planning.planner_context import BudgetedPlanner, PlannerContext
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.model import Model
from tests.numerics.cases import model_of, random_maps, small_fleet

SETTINGS = OptimizerSettings(exclusion_cells=3.0, jitter_cells=1.0, learning_rate=0.05, seed=3)
BUDGET = 9
ALLOWANCE = 60


def small_model() -> Model:
    """Three days of 10 steps, five aircraft, a fire of some hundred cells."""
    return model_of(random_maps(0, shape=(30, 32), days=3), small_fleet())


def contest_of(
    model: Model,
    budget: int = BUDGET,
    allowance: int = ALLOWANCE,
    state: Arrays | None = None,
    settings: OptimizerSettings = SETTINGS,
) -> PlannerContext:
    """On ``model`` as it is, with evaluations at their beginning or where ``state`` left them."""
    return PlannerContext(model, Evaluations(model, SharedObjective(budget), allowance, state), settings)


def rounds(name: PlannerName, context: PlannerContext, state: Arrays | None = None) -> Iterator[BudgetedPlanner]:
    """The planner before its first round and after each one."""
    planner = planner_of(name, context, state)
    yield planner
    while not planner.finished:
        planner.advance()
        yield planner


def finish(name: PlannerName, context: PlannerContext, state: Arrays | None = None) -> BudgetedPlanner:
    """The planner at its end."""
    *_, planner = rounds(name, context, state)
    return planner
