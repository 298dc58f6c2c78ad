"""Small contests for the planners' tests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from firegui.domain.benchmark import PlannerName
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.planning.benchmark import planner_of
from firegui.planning.evaluations import Arrays, Evaluations
from firegui.planning.planner_context import BudgetedPlanner, PlannerContext
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.airspace import AirspaceLimit
from firegui.rollout.gates import FlightRules
from firegui.rollout.model import Model

SETTINGS = OptimizerSettings(exclusion_cells=3.0, jitter_cells=1.0, learning_rate=0.05, seed=3)
BUDGET = 9
ALLOWANCE = 60


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


def listed(planner: BudgetedPlanner) -> Schedule:
    """Return the schedule that the planner has so far."""
    state = planner.state()
    return Schedule(state["logits"], state["poses"])


# -- rules of an operation ---------------------------------------------------------------------------------------------
def sorties(_model: Model) -> FlightRules:
    """Limit the drops a day of three of the five aircraft."""
    return FlightRules(sorties=np.array([1, -1, 2, 1, -1]))


def cap(_model: Model) -> FlightRules:
    """Limit the drops of the whole plan to five."""
    return FlightRules(cap=5)


def zones(model: Model) -> FlightRules:
    """Forbid drops in the southern half."""
    forbidden = np.zeros(model.shape, bool)
    forbidden[14:, :] = True
    return FlightRules(zones=forbidden)


def airspace(model: Model) -> FlightRules:
    """Keep drops apart, and limit the drops of the first two aircraft in any three steps."""
    count = model.fleet.n_aircraft
    everyone, two = np.ones(count, bool), np.arange(count) < 2
    return FlightRules(airspace=(AirspaceLimit(1, 3, 2.5, everyone), AirspaceLimit(1, 3, None, two)))


def pins(model: Model) -> FlightRules:
    """Pin a drop on each of the three days."""
    pinned = np.zeros((model.n_steps, model.fleet.n_aircraft), bool)
    pinned[[3, 13, 28], [0, 4, 4]] = True
    return FlightRules(pinned=pinned, pinned_poses=np.full((*pinned.shape, 3), 2.0))
