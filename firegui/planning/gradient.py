"""Stage 1 (paper, step 4): Adam on every drop and pose logit, one epoch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule, pose_logits_of, pose_scale
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check, InputError, Problem
from firegui.planning.checkpoint import Checkpoint
from firegui.planning.flight_rules import uncapped, with_pins, within_cap
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import Gradient, Rollout, simulate_with_gradient

Floats = NDArray[np.float64]

BETAS = (0.9, 0.999)
ADAM_EPSILON = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class PlannerState(Checkpoint):
    """State from which a run can resume: variables, Adam's moments, the best so far.

    Arrays are float64.
    """

    logits: Floats
    pose_logits: Floats
    logits_mean: Floats
    logits_square: Floats
    pose_mean: Floats
    pose_square: Floats
    best_logits: Floats
    best_pose_logits: Floats
    progress: Floats  # epoch, best epoch, best objective


@dataclass(frozen=True, slots=True, eq=False)
class EpochReport:
    """One epoch.

    The current ``schedule`` and its rollout, the best objective up to now and the gradient norm before clipping;
    ``improved`` says that this epoch's schedule is the new best. ``is_whole`` is false where the fire was not followed
    to the end, so that ``metrics`` are those of a smaller one.
    """

    epoch: int
    metrics: Metrics
    best: float
    improved: bool
    grad_norm: float
    rollout: Rollout
    schedule: Schedule
    is_whole: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """Derivatives of a mean loss by logits ``[T, A]`` and pose logits ``[T, A, 3]``."""

    logit: Floats
    pose: Floats

    @property
    def norm(self) -> float:
        """Norm of all derivatives together."""
        return float(np.sqrt(np.sum(self.logit**2) + np.sum(self.pose**2)))

    def clipped(self, norm: float) -> Slope:
        """Return the slope with a norm of at most ``norm``."""
        factor = min(1.0, norm / (self.norm + 1e-6))
        return Slope(self.logit * factor, self.pose * factor)


def slope_of(gradient: Gradient, schedule: Schedule, model: Model) -> Slope:
    """Return the derivatives by logits and pose logits, ``∂L/∂z = ∂L/∂p · range cos(z)/2``.

    They are 0 for pinned drops.
    """
    assert schedule.pose_logits is not None
    logit = gradient.logit
    pose = gradient.pose * pose_scale(model.shape) * np.cos(schedule.pose_logits) / 2.0
    pinned = None if model.rules is None else model.rules.pinned
    if pinned is not None:
        logit, pose = np.where(pinned, 0.0, logit), np.where(pinned[:, :, None], 0.0, pose)
    return Slope(logit, pose)


def mean_gradient(gradients: Sequence[Gradient]) -> Gradient:
    """Return the mean of gradients."""
    count = len(gradients)
    return Gradient(
        sum(one.loss for one in gradients) / count,
        np.asarray(sum(one.logit for one in gradients) / count),
        np.asarray(sum(one.pose for one in gradients) / count),
    )


class GradientPlanner:
    """Adam through the rollout (paper, Table ``opt_params``).

    An epoch evaluates the current schedule and its gradient, keeps the schedule if it is the best so far, clips the
    gradient of all logits together to norm ``clip_norm``, takes an Adam step, and clamps the drop logits to
    ``± logit_clamp``. An epoch that is cancelled leaves the planner as it was.

    Pinned drops stay at ``+ logit_clamp`` and at their pose. Under a hard cap an epoch evaluates, and keeps as the
    best, the schedule with the highest logits that the cap allows: :func:`~firegui.planning.flight_rules.within_cap`.

    With ``shared`` the objective is the benchmark's: the model's and a penalty for drops over a budget, differentiated
    through the straight-through gate like ``λ_budget`` wherever the count is over it.
    """

    def __init__(
        self, model: Model, settings: OptimizerSettings, start: Schedule, shared: SharedObjective | None = None
    ) -> None:
        start = with_pins(start, model)
        z = pose_logits_of(start.poses, model.shape) if start.pose_logits is None else start.pose_logits
        zeros_d, zeros_z = np.zeros_like(start.logits), np.zeros_like(z)
        limit = settings.logit_clamp
        logits = np.clip(start.logits, -limit, limit)
        pinned = None if model.rules is None else model.rules.pinned
        logits = logits if pinned is None else np.where(pinned, limit, logits)
        progress = np.array([0.0, -1.0, np.inf])
        self._state = PlannerState(logits, z, zeros_d, zeros_d, zeros_z, zeros_z, logits, z, progress)
        self._model, self._settings, self._pinned, self._shared = model, settings, pinned, shared
        # within_cap has chosen what may fly; a cap on the gates would only take later pairs' gradient away.
        self._free = replace(model, rules=uncapped(model.rules), full_carry=settings.full_carry)

    @staticmethod
    def restore(
        model: Model, settings: OptimizerSettings, state: PlannerState, shared: SharedObjective | None = None
    ) -> GradientPlanner:
        """Resume from a saved state.

        The result is that of an unbroken run. Raises for a state of another size.
        """
        planner = GradientPlanner(model, settings, Schedule.empty(model.n_steps, model.fleet.n_aircraft), shared)
        planner.go_on_from(state)
        return planner

    def go_on_from(self, state: PlannerState) -> None:
        """Go on from a saved state. Raises :class:`~firegui.errors.InputError` for one of another size."""
        expected = self._state.logits.shape
        if len(state.progress) != len(self._state.progress):
            what, remedy = "is of a run with another margin or stress set", "resume with the settings it was started on"
            raise InputError([Problem("checkpoint", what, remedy)])
        if state.logits.shape != expected:
            size = f"{state.logits.shape[0]} steps and {state.logits.shape[1]} aircraft"
            what = f"is for {size}, not {expected[0]} and {expected[1]}"
            raise InputError([Problem("checkpoint", what, "resume with the project the run was started on")])
        self._state = state

    @property
    def epochs_done(self) -> int:
        """Epochs finished so far."""
        return int(self._state.progress[0])

    @property
    def epochs(self) -> int:
        """Most epochs that it does."""
        return self._settings.epochs

    @property
    def rollouts(self) -> int:
        """Cost of the epochs so far in rollouts.

        A gradient is charged as three (paper, planner benchmark).
        """
        return GRADIENT_CHARGE * self.epochs_done

    @property
    def best_epoch(self) -> int:
        """Epoch of the best schedule, −1 before the first."""
        return int(self._state.progress[1])

    @property
    def best_objective(self) -> float:
        """Objective of the best schedule at the effectiveness of the model."""
        return float(self._state.progress[2])

    @property
    def best(self) -> Schedule:
        """The best schedule so far; the start before the first epoch."""
        return Schedule.from_pose_logits(self._state.best_logits, self._state.best_pose_logits, self._model.shape)

    @property
    def finished(self) -> str:
        """Reason of the end: ``""`` while it can run, ``"epochs"`` at the cap, or ``"patience"``.

        The last means that nothing improved for long enough.
        """
        if self.epochs_done >= self._settings.epochs:
            return "epochs"
        idle = self.epochs_done - 1 - self.best_epoch
        return "patience" if self.best_epoch >= 0 and idle >= self._settings.patience else ""

    def state(self) -> PlannerState:
        """Return a state that :meth:`restore` resumes."""
        return self._state

    def epoch(self, check: Check | None = None, frame_stride: int | None = None) -> EpochReport:
        """Evaluate, remember, step."""
        now = self._state
        schedule = Schedule.from_pose_logits(now.logits, now.pose_logits, self._model.shape)
        schedule = within_cap(schedule, self._model)
        rollout, gradient = self._evaluate(schedule, check, frame_stride)
        slope = slope_of(gradient, schedule, self._free)
        shared, metrics = self._shared, rollout.metrics
        epoch, objective = self.epochs_done, metrics.objective if shared is None else shared.value(metrics)
        improved = objective < self.best_objective
        if improved:
            progress = np.array([epoch + 1.0, epoch, objective, *now.progress[3:]])
            now = replace(now, best_logits=schedule.logits, best_pose_logits=now.pose_logits, progress=progress)
        else:
            now = replace(now, progress=np.array([epoch + 1.0, *now.progress[1:]]))
        self._state = self._stepped(now, slope, self._settings.learning_rate, epoch + 1)
        return EpochReport(epoch, rollout.metrics, self.best_objective, improved, slope.norm, rollout, schedule)

    def _evaluate(self, schedule: Schedule, check: Check | None, frame_stride: int | None) -> tuple[Rollout, Gradient]:
        """Return the rollout and the gradient of the objective descended.

        The rollout's metrics are those of the model's own objective.
        """
        model, shared = self._free, self._shared
        if shared is None:
            return simulate_with_gradient(model, schedule, check=check, frame_stride=frame_stride)
        # Execution does not depend on the fire, so the count is known before the rollout.
        drops = int(gates_of(schedule, model.fleet, model.maps, model.rules).executed.sum())
        priced = model.with_weights(shared.weights(model.weights, drops))
        rollout, gradient = simulate_with_gradient(priced, schedule, check=check, frame_stride=frame_stride)
        own = replace(rollout.metrics, objective=rollout.metrics.objective - shared.slope(drops) * drops)
        return replace(rollout, metrics=own), gradient

    def _stepped(
        self, now: PlannerState, slope: Slope, rate: float, step: int, pose_rate: float | None = None
    ) -> PlannerState:
        """Return the state after Adam's step number ``step``, without a count of epochs.

        ``pose_rate`` is the step size of the poses where that is another one.
        """
        slope = slope.clipped(self._settings.clip_norm)
        logits, logits_mean, logits_square = adam_step(
            now.logits, slope.logit, now.logits_mean, now.logits_square, step, rate
        )
        pose, pose_mean, pose_square = adam_step(
            now.pose_logits, slope.pose, now.pose_mean, now.pose_square, step, rate if pose_rate is None else pose_rate
        )
        limit = self._settings.logit_clamp
        return replace(
            now, logits=np.clip(logits, -limit, limit), logits_mean=logits_mean, logits_square=logits_square,
            pose_logits=pose, pose_mean=pose_mean, pose_square=pose_square,
        )  # fmt: skip


def adam_step(
    value: Floats, slope: Floats, mean: Floats, square: Floats, step: int, rate: float
) -> tuple[Floats, Floats, Floats]:
    """Return the new value and moments after one step of Adam (Kingma & Ba, algorithm 1).

    Operation for operation what :class:`torch.optim.Adam` does to one tensor, bit for bit. The class itself would load
    torch's compiler first, which takes seconds and holds up the window.
    """
    first, second = BETAS
    now, gradient = torch.from_numpy(value.copy()), torch.from_numpy(slope)
    average, variance = torch.from_numpy(mean.copy()), torch.from_numpy(square.copy())
    average.lerp_(gradient, 1.0 - first)
    variance.mul_(second).addcmul_(gradient, gradient, value=1.0 - second)
    spread = (variance.sqrt() / (1.0 - second**step) ** 0.5).add_(ADAM_EPSILON)
    now.addcdiv_(average, spread, value=-rate / (1.0 - first**step))
    return now.numpy(), average.numpy(), variance.numpy()
