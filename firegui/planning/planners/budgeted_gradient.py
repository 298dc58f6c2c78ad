"""Gradient planner under the benchmark's objective and allowance.

It is described in the last section of the paper's appendix ``planners``.
"""

from __future__ import annotations

import time
from dataclasses import fields, replace

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.errors import Check
from firegui.planning.evaluations import Arrays
from firegui.planning.gradient import GradientPlanner, PlannerState
from firegui.planning.initialization import START_ROLLOUTS, start_schedule
from firegui.planning.planner_context import PlannerContext


class BudgetedGradient:
    """Stage 1 on the shared objective, from where ``settings.start`` says, to the end of the allowance.

    The first step makes the start schedule, whose rollouts are charged; a tactical start keeps the budget. Every
    further one is an epoch, charged as three rollouts: 1,999 of them at the paper's allowance of 6,000, which is never
    exceeded (the paper makes 2,000). The cap on epochs and the patience of the settings do not apply.
    """

    def __init__(self, context: PlannerContext, state: Arrays | None = None) -> None:
        self._context = context
        endless = context.evaluations.allowance + 1
        self._settings = replace(context.settings, epochs=endless, patience=endless)
        self._planner: GradientPlanner | None = None
        if state:
            restored = PlannerState(**{item.name: state[item.name] for item in fields(PlannerState)})
            shared = context.evaluations.objective
            self._planner = GradientPlanner.restore(context.model, self._settings, restored, shared)

    @property
    def dimension(self) -> int:
        """A logit and three pose logits for every step and aircraft."""
        return self._context.model.n_steps * self._context.model.fleet.n_aircraft * 4

    @property
    def finished(self) -> bool:
        """Without the allowance for one more epoch."""
        start = START_ROLLOUTS[self._settings.start] if self._planner is None else 0
        return self._context.evaluations.left < start + GRADIENT_CHARGE

    def advance(self, check: Check | None = None) -> None:
        """Run the start, or an epoch."""
        context, evaluations = self._context, self._context.evaluations
        if self._planner is None:
            start = start_schedule(context.model, self._settings, budget=context.budget, check=check)
            self._planner = GradientPlanner(context.model, self._settings, start, evaluations.objective)
            evaluations.charge(START_ROLLOUTS[self._settings.start])
            return
        began = time.process_time()
        report = self._planner.epoch(check)
        evaluations.charge_gradient(report.schedule, report.metrics, time.process_time() - began, check)

    def state(self) -> Arrays:
        """Return the state of the gradient planner, nothing before the start."""
        if self._planner is None:
            return {}
        state = self._planner.state()
        return {item.name: getattr(state, item.name) for item in fields(PlannerState)}
