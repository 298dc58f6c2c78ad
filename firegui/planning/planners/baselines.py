"""Planners that do not search: no drops at all, and random drops that keep the rules."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.errors import Check
from firegui.planning.budget_calibration import proposals_within
from firegui.planning.evaluations import Arrays
from firegui.planning.planner_context import PlannerContext
from firegui.rollout.simulate import watch

BURNS = 0.05
"""A cell belongs to the burn footprint when its ``p^B`` of the baseline ever exceeds this."""


class RandomFeasible:
    """Uniform random priorities, calibrated to the budget, at uniform random poses.

    Places are uniform on the raster or, with ``footprint``, on the cells of the baseline's burn footprint; headings
    uniform on ``[0, π)``. The footprint takes a rollout of the baseline, which is charged (the paper lists one rollout
    for either control), so that it costs two.
    """

    dimension = 0

    def __init__(self, context: PlannerContext, state: Arrays | None = None, *, footprint: bool = False) -> None:
        self._context, self._footprint = context, footprint
        self._done = state is not None and bool(state["done"][0])

    @property
    def finished(self) -> bool:
        """After its one schedule."""
        return self._done or self._context.evaluations.left < (2 if self._footprint else 1)

    def advance(self, check: Check | None = None) -> None:
        """Draw the schedule and score it."""
        model, evaluations = self._context.model, self._context.evaluations
        generator = np.random.default_rng(self._context.settings.seed)
        size = (model.n_steps, model.fleet.n_aircraft)
        priorities = generator.random(size)
        if self._footprint:
            cells = self._burned(check)
            places = cells[generator.integers(len(cells), size=size)].astype(np.float64)
        else:
            places = generator.random((*size, 2)) * [model.shape[0] - 1, model.shape[1] - 1]
        poses = np.concatenate([places, generator.uniform(0.0, np.pi, (*size, 1))], axis=2)
        proposed = proposals_within(model, priorities, self._context.budget, poses)
        evaluations.score([Schedule(np.where(proposed, LISTED_LOGIT, UNLISTED_LOGIT), poses)], check)
        self._done = True

    def _burned(self, check: Check | None) -> NDArray[np.int64]:
        """Return the cells ``[n, 2]`` of the footprint; every cell where there is none."""
        model = self._context.model
        burned = torch.zeros(model.shape, dtype=torch.bool, device=model.device)

        def see(step: int, burning: torch.Tensor) -> None:
            burned.logical_or_(burning > BURNS)

        watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), see, check=check)
        self._context.evaluations.charge(1)
        found = burned.cpu().numpy()
        return np.argwhere(found if found.any() else ~found)

    def state(self) -> Arrays:
        """Return the state: whether the planner is done."""
        return {"done": np.array([self._done])}


class NoIntervention:
    """The fire without drops, but for those that are pinned; one rollout."""

    dimension = 0

    def __init__(self, context: PlannerContext, state: Arrays | None = None) -> None:
        self._context = context
        self._done = state is not None and bool(state["done"][0])

    @property
    def finished(self) -> bool:
        """After its one rollout."""
        return self._done or self._context.evaluations.left < 1

    def advance(self, check: Check | None = None) -> None:
        """Roll it out."""
        model = self._context.model
        self._context.evaluations.score([Schedule.empty(model.n_steps, model.fleet.n_aircraft)], check)
        self._done = True

    def state(self) -> Arrays:
        """Return whether it is done."""
        return {"done": np.array([self._done])}
