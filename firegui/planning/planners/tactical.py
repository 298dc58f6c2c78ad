"""Tactical heuristic as a planner of the benchmark: one pass at a time.

It is in the paper's appendix ``planners``.
"""

from __future__ import annotations

import numpy as np

from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.planning.evaluations import Arrays
from firegui.planning.planner_context import PlannerContext
from firegui.planning.tactical_sweep import PASSES, TACTICAL_ROLLOUTS, tactical_pass


class Tactical:
    """Three passes, each a forecast under the schedule of the one before and a sweep; the best is kept.

    It is charged four rollouts where the paper counts seven: the forecast of a pass scores the schedule of the one
    before as well.
    """

    dimension = 0

    def __init__(self, context: PlannerContext, state: Arrays | None = None) -> None:
        self._context = context
        self._passes, model = 0, context.model
        self._schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        if state is not None:
            self._passes = int(state["passes"][0])
            self._schedule = Schedule(state["logits"], state["poses"])

    @property
    def finished(self) -> bool:
        """After the last pass, or where the allowance does not suffice for those that are left."""
        return self._passes == PASSES or self._context.evaluations.left < TACTICAL_ROLLOUTS - self._passes

    def advance(self, check: Check | None = None) -> None:
        """Run the next pass."""
        evaluations, settings = self._context.evaluations, self._context.settings
        self._schedule = tactical_pass(evaluations, settings, self._passes, self._schedule, check)
        self._passes += 1

    def state(self) -> Arrays:
        """Return the number of passes done and the schedule of the last."""
        passes = np.array([self._passes], np.int64)
        return {"passes": passes, "logits": self._schedule.logits, "poses": self._schedule.poses}
