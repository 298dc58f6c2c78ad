"""The gradient planner under the benchmark's objective and allowance (paper, appendix ``planners``, last section)."""

from __future__ import annotations

import time
from dataclasses import fields, replace

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.planning.contest import Contest
from firegui.planning.evaluations import Arrays, Check
from firegui.planning.gradient import GradientPlanner, PlannerState
from firegui.planning.initialization import START_ROLLOUTS, start_schedule


class BudgetedGradient:
    """Stage 1 on the shared objective, from where ``settings.start`` says, to the end of the allowance.

    The first step makes the start schedule, whose rollouts are charged; a tactical start keeps the budget. Every
    further one is an epoch, charged as three rollouts: 1,999 of them at the paper's allowance of 6,000, which is never
    exceeded (the paper makes 2,000). The cap on epochs and the patience of the settings do not apply.
    """

    def __init__(self, contest: Contest, state: Arrays | None = None) -> None:
        self._contest = contest
        endless = contest.evaluations.allowance + 1
        self._settings = replace(contest.settings, epochs=endless, patience=endless)
        self._planner: GradientPlanner | None = None
        if state:
            restored = PlannerState(**{item.name: state[item.name] for item in fields(PlannerState)})
            shared = contest.evaluations.objective
            self._planner = GradientPlanner.restore(contest.model, self._settings, restored, shared)

    @property
    def dimension(self) -> int:
        """A logit and three pose logits for every step and aircraft."""
        return self._contest.model.n_steps * self._contest.model.fleet.n_aircraft * 4

    @property
    def finished(self) -> bool:
        """Without the allowance for one more epoch."""
        start = START_ROLLOUTS[self._settings.start] if self._planner is None else 0
        return self._contest.evaluations.left < start + GRADIENT_CHARGE

    def advance(self, check: Check | None = None) -> None:
        """The start, or an epoch."""
        contest, evaluations = self._contest, self._contest.evaluations
        if self._planner is None:
            start = start_schedule(contest.model, self._settings, budget=contest.budget, check=check)
            self._planner = GradientPlanner(contest.model, self._settings, start, evaluations.objective)
            evaluations.charge(START_ROLLOUTS[self._settings.start])
            return
        began = time.process_time()
        report = self._planner.epoch(check)
        evaluations.charge_gradient(report.schedule, report.metrics, time.process_time() - began, check)

    def state(self) -> Arrays:
        """The planner's own, nothing before the start."""
        if self._planner is None:
            return {}
        state = self._planner.state()
        return {item.name: getattr(state, item.name) for item in fields(PlannerState)}
