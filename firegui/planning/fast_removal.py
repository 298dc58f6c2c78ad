"""Fast second stage: remove drops in rounds while the others adapt, then test single drops.

A round removes a share of the drops, those that the gradient says are worth least, and moves the others until every
constraint holds. One that does not hold in time is taken back, and the next removes half as many. When a round would
remove next to none, the paper's elimination goes over what is left, so that in the end no single drop can be removed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import Schedule, pose_logits_of
from firegui.domain.settings import EliminationSettings
from firegui.errors import Check, InputError, Problem
from firegui.planning.adapting_removal import AdaptingRemoval, CountedState
from firegui.planning.elimination import (
    AT_WORK,
    EXHAUSTED,
    Elimination,
    EliminationReport,
    EliminationState,
    PlanTried,
    per_cost,
    pinned_drops,
    removal_costs,
)
from firegui.planning.flight_rules import uncapped
from firegui.planning.gradient import adam_step, slope_of
from firegui.planning.stress_training import falling
from firegui.planning.trials import Trial, constraint_weights, passes, ratios, run
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, simulate, simulate_with_gradient

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST_CUT, SMALLEST_CUT = 0.1, 0.02
"""Shares of the drops that a round removes: the first, halved after each round that did not hold, and the least."""

EPOCHS = 60
"""Steps in which the drops that are left adapt, at the most."""

RATE, LAST_RATE = 0.19, 0.075
"""First and last step size of a round in cells: how far Adam moves a drop in the middle of the raster at the most."""

MEMORY = 0.9
"""Decay of the mean gradient of a drop within a round."""

FOLLOWED = 2.0
"""A fire is followed until so many times the cells have burned that may burn."""


class RemovalCount(IntEnum):
    """Places in :attr:`FastRemovalState.counts`.

    ``SINGLE`` is 1 once the rounds are over and single drops are tested.
    """

    ROUND = 0
    EPOCH = 1
    ROLLOUTS = 2
    REMOVED = 3
    SINGLE = 4


@dataclass(frozen=True, slots=True, eq=False)
class FastRemovalState(CountedState):
    """State from which the removal can resume.

    ``kept [T, A]`` and ``pose_logits`` are the latest plan that holds, ``trial`` and ``trial_poses`` the one at work.
    ``worth [T, A]`` is the mean of ``−∂/∂D Σ_k ℓ_k / τ_k`` for the drops of the former, ``trial_worth`` for those of
    the latter. ``mean`` and ``square`` are Adam's moments, ``cut [1]`` is the share that a round removes, ``counts``
    are those of :class:`RemovalCount`. The others are the :class:`~firegui.planning.elimination.EliminationState` of
    the tests of single drops.
    """

    kept: Bools
    pose_logits: Floats
    trial: Bools
    trial_poses: Floats
    worth: Floats
    trial_worth: Floats
    mean: Floats
    square: Floats
    cut: Floats
    single_kept: Bools
    single_order: Ints
    single_stack: Ints
    single_counts: Ints


class FastRemoval(AdaptingRemoval[FastRemovalState]):
    """Removal of the drops of one reference schedule that its constraints do not need.

    It ends like :class:`~firegui.planning.elimination.Elimination`, with drops that may have moved. A cancelled call
    leaves everything as it was.
    """

    def __init__(
        self, model: Model, settings: EliminationSettings, trials: Sequence[Trial], reference: Schedule, *,
        ahead: int = 2, state: FastRemovalState | None = None, check: Check | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``reference``, or go on from ``state``.

        ``trials[0]`` is the undisturbed rollout on ``model``. ``ahead`` single tests are rolled out at a time. Raises
        :class:`~firegui.errors.InputError` for the state of another schedule.
        """
        self._model, self._settings, self._trials, self._ahead = model, settings, tuple(trials), ahead
        executed = gates_of(reference, model.fleet, model.maps, model.rules).executed
        self._before, self._pinned = int(executed.sum()), pinned_drops(model, executed)
        if state is not None and (state.kept.shape != executed.shape or (state.kept & ~executed).any()):
            remedy = "resume with the project the run was started on"
            raise InputError([Problem("removal checkpoint", "is not of this schedule", remedy)])
        z = reference.pose_logits
        z = pose_logits_of(reference.poses, model.shape) if z is None else z
        zeros, nothing, none = np.zeros_like(z), np.zeros(executed.shape), np.empty(0, np.int64)
        self._state = state or FastRemovalState(
            kept=executed, pose_logits=z, trial=executed, trial_poses=z, worth=nothing, trial_worth=nothing,
            mean=zeros, square=zeros, cut=np.array([FIRST_CUT]), counts=np.zeros(len(RemovalCount), np.int64),
            single_kept=executed, single_order=none, single_stack=none, single_counts=none,
        )  # fmt: skip
        bounds = self._trials[0].bounds
        extent = FOLLOWED * bounds.final * model.n_cells
        self._descended = replace(
            model, weights=constraint_weights(bounds), rules=uncapped(model.rules), full_carry=True,
            gradient_extent=extent if math.isfinite(extent) else math.inf,
        )  # fmt: skip
        self._tried: list[PlanTried] = []
        self._single: Elimination | None = None
        if self._count(RemovalCount.SINGLE):
            self._single = self._tests_of_single_drops(check)
        self._metrics = simulate(model, self.schedule, check=check).metrics

    # -- what it is now ----------------------------------------------------------------------------------------------
    @property
    def schedule(self) -> Schedule:
        """The drops that are left, at the poses that they have moved to."""
        if self._single is not None:
            return self._single.schedule
        return self._schedule(self._state.kept, self._state.pose_logits)

    @property
    def finished(self) -> str:
        """Why it ended, in the words of :class:`~firegui.planning.elimination.Elimination`."""
        if self._single is not None:
            return self._single.finished
        return EXHAUSTED if self._count(RemovalCount.ROLLOUTS) >= self._settings.allowance else AT_WORK

    @property
    def tried(self) -> list[PlanTried]:
        """Plans that the latest :meth:`advance` took over, in order."""
        return self._tried if self._single is None or self._tried else self._single.tried

    @property
    def report(self) -> EliminationReport:
        """Where it is. The rounds count as passes, and a gradient as three rollouts."""
        rounds, rollouts = self._count(RemovalCount.ROUND), self._count(RemovalCount.ROLLOUTS)
        if self._single is not None:
            single = self._single.report
            return replace(
                single, passes=rounds + single.passes, rollouts=rollouts + single.rollouts, drops_before=self._before
            )
        drops = int(self._state.kept.sum())
        return EliminationReport(
            rounds, rollouts, drops, self._before, self._count(RemovalCount.REMOVED), self._count(RemovalCount.EPOCH),
            EPOCHS, drops - int(self._state.trial.sum()), ratios(self._metrics, self._trials[0].bounds), self._metrics,
        )  # fmt: skip

    def state(self) -> FastRemovalState:
        """Return a state from which the removal can resume."""
        if self._single is None:
            return self._state
        single = self._single.state()
        return replace(
            self._state, single_kept=single.kept, single_order=single.order, single_stack=single.stack,
            single_counts=single.counts,
        )  # fmt: skip

    # -- the search --------------------------------------------------------------------------------------------------
    def advance(self, check: Check | None = None) -> EliminationReport:
        """Take a step of a round, or decide on the next tests of single drops."""
        self._tried.clear()
        if self._single is not None:
            self._single.advance(check)
        elif not self.finished:
            before, metrics = self._state, self._metrics
            try:
                self._step(check)
            except BaseException:
                self._state, self._metrics, self._single = before, metrics, None
                self._tried.clear()
                raise
        return self.report

    def _step(self, check: Check | None) -> None:
        now, epoch = self._state, self._count(RemovalCount.EPOCH)
        schedule = self._schedule(now.trial, now.trial_poses)
        rollout, gradient = simulate_with_gradient(self._descended, schedule, check=check)
        slope = slope_of(gradient, schedule, self._descended)
        worth = MEMORY * now.trial_worth - (1.0 - MEMORY) * slope.logit
        self._charge(GRADIENT_CHARGE)
        if self._count(RemovalCount.ROUND) == 0:
            self._state = replace(self._state, worth=worth)
            self._begin_round(check)
        elif passes(self._trials[0], rollout) and (taken := self._held(schedule, check)) is not None:
            kept = taken.executed
            self._state = replace(self._state, kept=kept, pose_logits=now.trial_poses, worth=worth)
            self._metrics = taken.metrics
            self._tried.append(PlanTried(self._schedule(kept, now.trial_poses), taken.metrics))
            self._change(RemovalCount.REMOVED, int(now.kept.sum() - kept.sum()))
            self._begin_round(check)
        elif epoch >= EPOCHS:
            self._state = replace(self._state, cut=now.cut / 2.0)
            self._begin_round(check)
        else:
            half = max(*self._model.shape, 3) / 2.0
            rate = falling(RATE, LAST_RATE, epoch / EPOCHS) / half
            z, mean, square = adam_step(now.trial_poses, slope.clipped(1.0).pose, now.mean, now.square, epoch + 1, rate)
            self._state = replace(self._state, trial_poses=z, mean=mean, square=square, trial_worth=worth)
            self._change(RemovalCount.EPOCH, epoch + 1)

    def _held(self, schedule: Schedule, check: Check | None) -> Rollout | None:
        """Return the undisturbed rollout of ``schedule`` where every trial holds."""
        found: list[Rollout] = []
        for trial in self._trials:
            found.append(run(trial, schedule, check=check))
            self._charge(1)
            if not passes(trial, found[-1]):
                return None
        return found[0]

    def _begin_round(self, check: Check | None) -> None:
        """Remove a share of the drops of the latest plan that holds, or begin to test single drops."""
        now = self._state
        cut, flat = float(now.cut[0]), np.flatnonzero(now.kept & ~self._pinned)
        most = min(int(now.kept.sum()) - self._settings.keep, len(flat))
        count = min(max(1, int(cut * len(flat))), most)
        trial, nothing = now.kept, np.zeros_like(now.mean)
        if cut >= SMALLEST_CUT and count > 0:
            trial = now.kept.copy()
            worth = per_cost(now.worth, removal_costs(self._model, self._settings))
            trial.ravel()[flat[np.lexsort((flat, worth.ravel()[flat]))][:count]] = False
        self._state = replace(
            now, trial=trial, trial_poses=now.pose_logits, trial_worth=np.zeros_like(now.worth), mean=nothing,
            square=nothing,
        )  # fmt: skip
        self._change(RemovalCount.EPOCH, 0)
        if trial is not now.kept:
            self._change(RemovalCount.ROUND, self._count(RemovalCount.ROUND) + 1)
        elif self._count(RemovalCount.ROLLOUTS) < self._settings.allowance:
            self._change(RemovalCount.SINGLE, 1)
            self._single = self._tests_of_single_drops(check)

    def _tests_of_single_drops(self, check: Check | None) -> Elimination:
        now = self._state
        state = None
        if len(now.single_counts):
            state = EliminationState(now.single_kept, now.single_order, now.single_stack, now.single_counts)
        left = max(1, self._settings.allowance - self._count(RemovalCount.ROLLOUTS))
        reference = self._schedule(now.kept, now.pose_logits)
        return Elimination(
            self._model, replace(self._settings, allowance=left), self._trials, reference, ahead=self._ahead,
            state=state, check=check,
        )  # fmt: skip

    # -- small things ------------------------------------------------------------------------------------------------
    def _charge(self, rollouts: int) -> None:
        self._change(RemovalCount.ROLLOUTS, self._count(RemovalCount.ROLLOUTS) + rollouts)
