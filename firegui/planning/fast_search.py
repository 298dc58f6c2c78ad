"""Fast first stage: step sizes that fall, and a fire that is followed to an extent only.

A rollout in which the fire escapes takes ten times as long as one in which it is held, and its gradient says how to
fight a fire that a good plan does not have. So an epoch follows the fire only to an extent that the plan should keep,
and the drops of later days get no slope while the fire escapes on an early one. Where no plan keeps the extent, the
search goes on to a larger one, up to the whole fire.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings, SearchMethod
from firegui.errors import Check
from firegui.planning.gradient import EpochReport, GradientPlanner, PlannerState, Slope
from firegui.planning.stress_training import falling
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate

EPOCHS = 300
"""Epochs with one extent, in which the step size falls."""

FALL = 0.1
"""By what factor the step sizes fall."""

RATE = 0.75
"""First step size of the poses in cells: how far Adam moves a drop in the middle of the raster at the most."""

FIRST_SHARE, WIDER = 1.0 / 64.0, 4.0
"""Share of the growth without drops that the first extent allows, and the factor to the next."""

BEGAN, SHARE, NO_DROPS, IS_HELD = 3, 4, 5, 6
"""Places in :attr:`PlannerState.progress` after a planner's own: the epoch at which the extent was set, its share of
the growth, the cells that burn without drops, and whether the best plan keeps the extent."""


class FastPlanner(GradientPlanner):
    """Adam with falling step sizes on the fire within an extent.

    It ends when the step size has fallen and the best plan keeps the extent. Objectives of a fire that exceeds the
    extent are those of a fire that stops there. So the best plan is chosen anew after each change of the extent. An
    objective that does not count the growth of the whole fire has no extent.
    """

    def __init__(
        self, model: Model, settings: OptimizerSettings, start: Schedule, *, epochs: int = EPOCHS,
        state: PlannerState | None = None, check: Check | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``start``, or go on from ``state``. So many ``epochs`` have one extent."""
        super().__init__(model, settings, start)
        self._epochs_of_extent = epochs
        self._start_cells = float(model.gains.start()[0].sum())
        share, no_drops = 1.0, math.inf
        if state is None and model.weights.counts_growth:
            nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
            share, no_drops = FIRST_SHARE, simulate(model, nothing, check=check).metrics.final_extent_cells
        self._state = replace(self._state, progress=np.array([*self._state.progress, 0.0, share, no_drops, 0.0]))
        if state is not None:
            self.go_on_from(state)

    @property
    def extent(self) -> float:
        """Cells up to which an epoch follows the fire."""
        share, no_drops = float(self._state.progress[SHARE]), float(self._state.progress[NO_DROPS])
        return self._start_cells + share * (no_drops - self._start_cells) if share < 1.0 else math.inf

    @property
    def epochs(self) -> int:
        """Epochs up to the end of those with the extent of now."""
        return min(self._settings.epochs, int(self._state.progress[BEGAN]) + self._epochs_of_extent)

    @property
    def finished(self) -> str:
        """``""`` while it can go on, ``"epochs"`` at the end."""
        is_last = self.epochs == self._settings.epochs or math.isinf(self.extent) or self._state.progress[IS_HELD] > 0.0
        return "epochs" if is_last and self.epochs_done >= self.epochs else ""

    def epoch(self, check: Check | None = None, frame_stride: int | None = None) -> EpochReport:
        """Evaluate, remember, step. There are no frames: they would end where the fire is followed to."""
        before = self._state
        if self.epochs_done >= self.epochs:
            self._state = self._with_wider_extent(before)
        self._free = replace(self._free, gradient_extent=self.extent)
        try:
            report = super().epoch(check)
        except BaseException:
            self._state = before
            raise
        is_held = report.metrics.final_extent_cells <= self.extent
        if report.improved:
            progress = self._state.progress.copy()
            progress[IS_HELD] = is_held
            self._state = replace(self._state, progress=progress)
        return replace(report, is_whole=is_held)

    def _stepped(
        self, now: PlannerState, slope: Slope, rate: float, step: int, pose_rate: float | None = None
    ) -> PlannerState:
        done = step - 1 - int(now.progress[BEGAN])
        pose_rate = RATE / (max(*self._model.shape, 3) / 2.0)
        share = done / self._epochs_of_extent
        now_rate, now_pose_rate = (falling(first, FALL * first, share) for first in (rate, pose_rate))
        return super()._stepped(now, slope, now_rate, done + 1, now_pose_rate)

    @staticmethod
    def _with_wider_extent(state: PlannerState) -> PlannerState:
        """Return ``state`` at the beginning of the search within the next extent."""
        progress = state.progress.copy()
        progress[1:3] = -1.0, np.inf
        progress[[BEGAN, SHARE, IS_HELD]] = progress[0], WIDER * progress[SHARE], 0.0
        logits, poses = np.zeros_like(state.logits), np.zeros_like(state.pose_logits)
        return replace(
            state, logits_mean=logits, logits_square=logits, pose_mean=poses, pose_square=poses, progress=progress
        )


def planner(model: Model, settings: OptimizerSettings, start: Schedule, check: Check | None = None) -> GradientPlanner:
    """Return the first stage from ``start`` on, as ``settings.search`` says."""
    if settings.search is SearchMethod.FAST:
        return FastPlanner(model, settings, start, check=check)
    return GradientPlanner(model, settings, start)


def restore_planner(model: Model, settings: OptimizerSettings, checkpoint: Path) -> GradientPlanner:
    """Return the planner whose state is in the file ``checkpoint``; see :meth:`GradientPlanner.restore`."""
    state = PlannerState.load(checkpoint)
    if settings.search is SearchMethod.FAST:
        nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        return FastPlanner(model, settings, nothing, state=state)
    return GradientPlanner.restore(model, settings, state)
