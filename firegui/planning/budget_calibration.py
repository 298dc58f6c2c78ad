"""Proposals that fly a budget: bisection of a threshold over priorities.

The method is in the paper's appendix ``planners``. Execution does not depend on the fire, so this needs no rollout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.planning.flight_rules import Planned, with_pins
from firegui.rollout.gates import gates_of

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

WITHIN = 5
"""How close to the budget the paper calibrates the executed count."""


def proposals_within(model: Planned, priorities: Floats, budget: int, poses: Floats | None = None) -> Bools:
    """Return ``[T, A]``: the proposals that execute nearest to ``budget`` drops.

    They are those of the highest ``priorities [T, A]``. Pairs of equal priority are proposed together: one number for
    an aircraft's whole day makes that day a group. The count does not fall when a pair is added, because the gates fly
    the earliest that can and no choice flies more; so bisection finds the first number of priorities that executes
    ``budget``, or all where the fleet cannot fly that many. With groups one more can be many drops; where that leaves
    the count more than :data:`WITHIN` away, the groups that follow are tried in order and those added that do not
    exceed the budget.

    Pinned drops of the model's rules are counted. ``poses [T, A, 3]`` matter where there are no-drop zones, wind limits
    or airspace rules. Under airspace rules the count can fall by a few drops when a pair is added.
    """
    ranks = _ranks(priorities)
    poses = np.zeros((*priorities.shape, 3)) if poses is None else poses

    def count(proposed: Bools) -> int:
        return executed_count(model, proposed, poses)

    last = int(ranks.max())
    low, high = -1, last + 1  # of ranks ≤ low fewer than the budget are executed; of ranks ≤ high at least as many
    while high - low > 1:
        middle = (low + high) // 2
        if count(ranks <= middle) < budget:
            low = middle
        else:
            high = middle
    below, above = ranks <= low, ranks <= high
    if high > last:
        return below
    short, over = budget - count(below), count(above) - budget
    if min(short, over) > WITHIN:
        below = _filled(model, poses, below, ranks, budget)
        short = budget - count(below)
    return below if short <= over else above


def executed_count(model: Planned, proposed: Bools, poses: Floats) -> int:
    """Return how many drops are executed of ``proposed [T, A]``, pinned ones included."""
    schedule = with_pins(Schedule(np.where(proposed, LISTED_LOGIT, UNLISTED_LOGIT), poses), model)
    return int(gates_of(schedule, model.fleet, model.maps, model.rules).executed.sum())


def _ranks(priorities: Floats) -> NDArray[np.int64]:
    """Return ``[T, A]``: 0 for the highest priority, 1 for the next one; the same for equal ones."""
    _, inverse = np.unique(-priorities, return_inverse=True)
    return inverse.reshape(priorities.shape).astype(np.int64)


def _filled(model: Planned, poses: Floats, proposed: Bools, ranks: NDArray[np.int64], budget: int) -> Bools:
    """Return ``proposed`` with every further group that adds drops and keeps within ``budget``.

    Groups are taken in order.
    """
    executed = executed_count(model, proposed, poses)
    for rank in np.unique(ranks[~proposed]).tolist():
        if executed == budget:
            break
        wider = proposed | (ranks == rank)
        count = executed_count(model, wider, poses)
        if executed < count <= budget:
            proposed, executed = wider, count
    return proposed
