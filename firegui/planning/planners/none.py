"""No intervention: the simulator's baseline as a planner of the benchmark."""

from __future__ import annotations

import numpy as np

from firegui.domain.schedule import Schedule
from firegui.planning.contest import Contest
from firegui.planning.evaluations import Arrays, Check


class NoIntervention:
    """The fire without drops, but for those that are pinned; one rollout."""

    dimension = 0

    def __init__(self, contest: Contest, state: Arrays | None = None) -> None:
        self._contest = contest
        self._done = state is not None and bool(state["done"][0])

    @property
    def finished(self) -> bool:
        """After its one rollout."""
        return self._done or self._contest.evaluations.left < 1

    def advance(self, check: Check | None = None) -> None:
        """Roll it out."""
        model = self._contest.model
        self._contest.evaluations.score([Schedule.empty(model.n_steps, model.fleet.n_aircraft)], check)
        self._done = True

    def state(self) -> Arrays:
        """Whether it is done."""
        return {"done": np.array([self._done])}
