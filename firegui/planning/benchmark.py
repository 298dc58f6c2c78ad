"""Planner, effectiveness and package of each planner name of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from firegui.domain.benchmark import CURVES_AT_DESIGN, PLANNERS, PlannerName
from firegui.domain.settings import Effectiveness, PlanSettings, Start
from firegui.planning.evaluations import Arrays
from firegui.planning.planner_context import BudgetedPlanner, PlannerContext
from firegui.planning.planners.baselines import NoIntervention, RandomFeasible
from firegui.planning.planners.budgeted_gradient import BudgetedGradient
from firegui.planning.planners.derivative_free import cma_es, differential_evolution, particle_swarm
from firegui.planning.planners.greedy import Greedy
from firegui.planning.planners.tactical import Tactical

Maker = Callable[[PlannerContext, Arrays | None], BudgetedPlanner]


def _gradient(context: PlannerContext, state: Arrays | None, *, start: Start) -> BudgetedGradient:
    return BudgetedGradient(replace(context, settings=replace(context.settings, start=start)), state)


_MAKERS: Mapping[PlannerName, Maker] = {
    PlannerName.NONE: NoIntervention,
    PlannerName.UNIFORM: RandomFeasible,
    PlannerName.FOOTPRINT: partial(RandomFeasible, footprint=True),
    PlannerName.TACTICAL: Tactical,
    PlannerName.GREEDY: Greedy,
    PlannerName.CMA_ES: cma_es,
    PlannerName.CMA_ES_NATIVE: partial(cma_es, native=True),
    PlannerName.DIFFERENTIAL_EVOLUTION: differential_evolution,
    PlannerName.PARTICLE_SWARM: particle_swarm,
    PlannerName.GRADIENT: partial(_gradient, start=Start.FRONT),
    PlannerName.GRADIENT_DESIGN: partial(_gradient, start=Start.FRONT),
    PlannerName.GRADIENT_TACTICAL: partial(_gradient, start=Start.TACTICAL),
}


def planner_of(name: PlannerName, context: PlannerContext, state: Arrays | None = None) -> BudgetedPlanner:
    """Return the planner called ``name``, at its beginning or where ``state`` left it.

    ``context`` has the model at :func:`searches_at`. Gradient planners start from the front, whatever the settings say,
    but for the one that is called tactical. Raises :class:`ValueError` for the two-stage plan, which is a run of its
    own, and :class:`~firegui.errors.InputError` where a package is missing.
    """
    if name not in _MAKERS:
        raise ValueError(f"{name.value} is carried out as a run, not as a planner under an allowance")
    return _MAKERS[name](context, state or None)


def searches_at(name: PlannerName, plan: PlanSettings) -> Effectiveness:
    """Return the effectiveness at which a planner searches; every schedule is scored at the nominal one."""
    return plan.design if name in CURVES_AT_DESIGN | {PlannerName.TWO_STAGE} else plan.nominal


def missing_extra(name: PlannerName) -> str:
    """Return the package that has to be installed before ``name`` can run, empty for none."""
    package = PLANNERS[name].package
    return package if package and find_spec(package) is None else ""
