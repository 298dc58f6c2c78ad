"""The second stage of a project's plan, with the disturbances that a removal has to survive.

The disturbances are from the paper, section ``design_eta``: two of its three remedies against schedules without a
margin. The third, a design effectiveness below the nominal one, needs no more rollouts and is the default.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import Schedule, pose_logits_of, pose_scale
from firegui.domain.settings import EliminationSettings, PlanSettings, SearchMethod
from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel
from firegui.ensembles.ilr import factors
from firegui.errors import Check, InputError, Problem
from firegui.planning.checkpoint import Checkpoint
from firegui.planning.elimination import Elimination, EliminationState
from firegui.planning.fast_removal import FastRemoval, FastRemovalState
from firegui.planning.gradient import adam_step
from firegui.planning.trials import (
    Floats,
    Trial,
    constrained_terms,
    constraint_weights,
    displaced,
    ratios,
    run,
    thresholds,
)
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.backend import kernel_threads
from firegui.rollout.day_state import UNBOUNDED
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.observe import Window
from firegui.rollout.simulate import simulate_with_gradient

FIXED = 0
"""Which of the seed's streams the fixed perturbations come from; smoothing takes the next."""


LEAST_PERTURBATIONS = 4
"""How many displacements judge the smoothing, even where the elimination looked at none."""
FRESH = FIXED + 1


def trials_of(
    model: Model, reference: Schedule, settings: EliminationSettings, terms: Sequence[str], seed: int, *,
    error: ErrorModel = PAPER_BEAR, check: Check | None = None,
) -> tuple[Trial, ...]:  # fmt: skip
    """Return every rollout that a removal must pass.

    The first is the undisturbed one, which is the paper's own test. Then ``settings.perturbations`` fixed Gaussian
    displacements of all pose logits (the paper tried four of scale 1e-3), and with ``settings.front_shift = k > 0`` one
    rollout of a fire that is made worse by ``k`` standard deviations of ``error`` at the end of every day. Each holds
    the losses ``terms`` against what ``reference`` itself reaches under the same disturbance,
    ``τ_k = max(ρ ℓ_k^ref, τ_min)``, so the reference passes them all: where a disturbance makes its fire escape, that
    trial asks for little. ``seed`` decides the displacements.
    """
    shifts: list[Floats | None] = [None]
    shifts += [
        off_the_pins(model, shift)
        for shift in displacements((*model_size(model), 3), settings.perturbations, settings.perturbation_scale, seed)
    ]
    trials = [_against(model, reference, settings, terms, check, shift=shift) for shift in shifts]
    if settings.front_shift > 0.0:
        alter = front_shift(settings.front_shift, error)
        trials.append(_against(model, reference, settings, terms, check, alter=alter))
    return tuple(trials)


def displacements(size: tuple[int, int, int], count: int, scale: float, seed: int, stream: int = FIXED) -> list[Floats]:
    """Return ``count`` normal displacements of pose logits ``[T, A, 3]``.

    They are the same for the same ``seed`` and ``stream``.
    """
    children = np.random.SeedSequence([seed, stream]).spawn(count)
    return [np.random.default_rng(child).normal(0.0, scale, size) for child in children]


def off_the_pins(model: Model, values: Floats) -> Floats:
    """Return ``values [T, A, 3]`` with 0 for pinned drops, which fly where they were pinned."""
    pinned = None if model.rules is None else model.rules.pinned
    return values if pinned is None else np.where(pinned[:, :, None], 0.0, values)


def model_size(model: Model) -> tuple[int, int]:
    """Return ``(T, N_a)``."""
    return model.n_steps, model.fleet.n_aircraft


def _against(
    model: Model, reference: Schedule, settings: EliminationSettings, terms: Sequence[str], check: Check | None, *,
    shift: Floats | None = None, alter: Alteration | None = None,
) -> Trial:  # fmt: skip
    """Return the trial of one disturbance, with thresholds from the reference under it."""
    free = Trial(model, UNBOUNDED, shift, alter)
    metrics = run(free, reference, check=check).metrics
    return Trial(model, thresholds(metrics, tuple(terms), settings), shift, alter)


def front_shift(k: float, error: ErrorModel = PAPER_BEAR) -> Alteration:
    """Return the shift by ``k ≥ 0`` standard deviations as a change of a rollout.

    It is for :func:`~firegui.rollout.simulate.simulate`. ``z ← z + k σ_1 v_1`` where ``P > threshold``, with ``σ_1² ``
    the largest eigenvalue of ``Σ`` and ``v_1`` its direction, pointed towards more fire. The mean residual ``μ`` is
    left out, as the paper's words have it. Done as the multiplication of odds that this is, so that no floor is needed:
    a cell that has burned stays burned, and ``k = 0`` changes no bit. ``U`` never rises, not even by rounding.
    """
    if not k >= 0.0:
        raise ValueError(f"a front shift of {k} standard deviations is not one towards more fire")
    deviation, direction = error.principal()
    odds, threshold = factors(k * deviation * direction), error.threshold

    def shift(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        touched = np.nonzero(1.0 - unburned > threshold)
        unburned[touched], burning[touched] = _shifted(unburned[touched], burning[touched], odds)
        return unburned, burning

    return Alteration(shift if k > 0.0 else lambda day, window, *state: state, only_grows=True)


def _shifted(unburned: State, burning: State, odds: Floats) -> tuple[State, State]:
    """Return ``(U, B) [n]`` with their odds multiplied and ``U`` held at what it was.

    ``B`` and ``R`` share the rest.
    """
    u, b = unburned.astype(np.float64), burning.astype(np.float64)
    parts = odds[:, None] * np.stack([u, b, np.maximum(1.0 - u - b, 0.0)])
    after = np.minimum(parts[0] / parts.sum(axis=0), u)
    alight = (1.0 - after) * parts[1] / (parts[1] + parts[2])
    return np.minimum(after.astype(unburned.dtype), unburned), alight.astype(burning.dtype)


def eliminator(
    model: Model, plan: PlanSettings, reference: Schedule, checkpoint: Path | None = None,
    check: Check | None = None,
) -> Elimination | FastRemoval:  # fmt: skip
    """Return the elimination of ``reference`` on ``model``, which is at design effectiveness.

    It is the paper's section ``step5``, or the fast removal where the settings say so. Goes on from ``checkpoint``
    where there is one. Raises :class:`~firegui.errors.InputError` for one of another schedule.
    """
    settings, terms = plan.elimination, constrained_terms(plan.setting, plan.weights)
    trials = trials_of(model, reference, settings, terms, plan.optimizer.seed, check=check)
    ahead = kernel_threads() if model.backend == "cpu" else 1
    if plan.optimizer.search is SearchMethod.FAST:
        rounds = None if checkpoint is None else FastRemovalState.load(checkpoint)
        return FastRemoval(model, settings, trials, reference, ahead=ahead, state=rounds, check=check)
    state = None if checkpoint is None else EliminationState.load(checkpoint)
    return Elimination(model, settings, trials, reference, ahead=ahead, state=state, check=check)


def smoother(
    model: Model, plan: PlanSettings, reference: Schedule, schedule: Schedule, checkpoint: Path | None = None,
    check: Check | None = None,
) -> PoseSmoothing:  # fmt: skip
    """Return the smoothing of what the elimination of ``reference`` has left, against the same thresholds.

    Goes on from ``checkpoint`` where there is one. Raises :class:`~firegui.errors.InputError` for one of another
    schedule.
    """
    settings, terms = plan.elimination, constrained_terms(plan.setting, plan.weights)
    judged = replace(settings, perturbations=max(settings.perturbations, LEAST_PERTURBATIONS))
    trials = trials_of(model, reference, judged, terms, plan.optimizer.seed, check=check)
    chosen = SmoothingSettings(epochs=settings.smoothing, scale=settings.perturbation_scale)
    state = None if checkpoint is None else SmoothingState.load(checkpoint)
    return PoseSmoothing(trials, schedule, chosen, plan.optimizer.seed, state)


def smoothing_charge(settings: EliminationSettings) -> int:
    """Return the cost of an epoch of the smoothing in rollouts.

    It is a gradient for every fresh displacement, and its trials.
    """
    trials = 1 + max(settings.perturbations, LEAST_PERTURBATIONS) + (settings.front_shift > 0.0)
    return GRADIENT_CHARGE * SmoothingSettings().draws + trials


@dataclass(frozen=True, slots=True)
class SmoothingSettings:
    """The paper names 300 epochs; the rest is ours.

    ``draws`` fresh displacements of ``scale``, that of the test, make an epoch's mean. ``learning_rate`` is Adam's:
    a tenth of stage 1's, for the lines are where they should be but for a cell. The gradient is that with the full
    carry: on the schedule tried, the cut one lowered this mean slowly and let the undisturbed fire grow.
    """

    epochs: int = 300
    scale: float = 1e-3
    draws: int = 4
    learning_rate: float = 3e-4
    clip_norm: float = 1.0
    full_carry: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class SmoothingState(Checkpoint):
    """State from which the smoothing can resume. Arrays are float64.

    ``progress`` is epoch, best epoch (−1: the start) and best value.
    """

    pose_logits: Floats
    mean: Floats
    square: Floats
    best: Floats
    progress: Floats


@dataclass(frozen=True, slots=True)
class SmoothingReport:
    """Means of ``Σ_k ℓ_k / τ_k`` in one epoch.

    They are over its displacements, and over the trials for the poses it began with. ``held`` is the latter, ``best``
    the lowest of them so far.
    """

    epoch: int
    mean: float
    held: float
    best: float
    improved: bool


class PoseSmoothing:
    """Adam on the poses of a fixed set of drops.

    An epoch judges the poses by the trials, keeps them as the best if the mean of ``Σ_k ℓ_k / τ_k`` over these is lower
    than any before, and takes a step down the gradient of that sum (with the thresholds of the undisturbed trial),
    averaged over ``draws`` fresh displacements. The undisturbed losses may rise a little for it, beyond their slack: an
    elimination ends so close to its thresholds that with them held nothing could move. Nor is it kept that no single
    drop can be removed. An epoch that is cancelled leaves everything as it was.
    """

    def __init__(
        self, trials: Sequence[Trial], schedule: Schedule, settings: SmoothingSettings, seed: int,
        state: SmoothingState | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``schedule``, or go on from ``state``; ``trials[0]`` is the undisturbed one.

        Raises :class:`~firegui.errors.InputError` for the state of a schedule of another size.
        """
        self._trials, self._settings, self._seed = tuple(trials), settings, seed
        model = self._trials[0].model
        self._model = replace(model, weights=constraint_weights(self._trials[0].bounds), full_carry=settings.full_carry)
        self._logits = schedule.logits
        self._flown = int(gates_of(schedule, model.fleet, model.maps, model.rules).executed.sum())
        z = pose_logits_of(schedule.poses, model.shape) if schedule.pose_logits is None else schedule.pose_logits
        if state is not None and state.pose_logits.shape != z.shape:
            remedy = "resume with the project the run was started on"
            raise InputError([Problem("smoothing checkpoint", "is not of this schedule", remedy)])
        nothing = np.zeros_like(z)
        self._state = state or SmoothingState(z, nothing, nothing, z, np.array([0.0, -1.0, np.inf]))

    @property
    def epochs_done(self) -> int:
        """Epochs finished so far."""
        return int(self._state.progress[0])

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.epochs_done >= self._settings.epochs

    @property
    def best_value(self) -> float:
        """Mean of ``Σ_k ℓ_k / τ_k`` over the trials of the best poses; infinite before the first epoch."""
        return float(self._state.progress[2])

    @property
    def best(self) -> Schedule:
        """The same drops at the best poses so far; the start where none was better."""
        return self._schedule(self._state.best)

    def state(self) -> SmoothingState:
        """Return a state from which the stage can resume."""
        return self._state

    def epoch(self, check: Check | None = None) -> SmoothingReport:
        """Judge, remember, step."""
        now, epoch = self._state, self.epochs_done
        schedule = self._schedule(now.pose_logits)
        held = self._held(schedule, check)
        improved = held < self.best_value
        best, progress = (now.best, np.array([epoch + 1.0, *now.progress[1:]]))
        if improved:
            best, progress = now.pose_logits, np.array([epoch + 1.0, epoch, held])
        value, slope = self._slope(schedule, epoch, check)
        z, mean, square = adam_step(
            now.pose_logits, slope, now.mean, now.square, epoch + 1, self._settings.learning_rate
        )
        self._state = SmoothingState(z, mean, square, best, progress)
        return SmoothingReport(epoch, value, held, self.best_value, improved)

    def _schedule(self, pose_logits: Floats) -> Schedule:
        return Schedule.from_pose_logits(self._logits, pose_logits, self._model.shape)

    def _held(self, schedule: Schedule, check: Check | None) -> float:
        """Return the mean of ``Σ_k ℓ_k / τ_k`` over the trials.

        It is infinite where a drop is not flown any more, as in a zone.
        """
        total = 0.0
        for trial in self._trials:
            rollout = run(trial, schedule, bounded=False, check=check)
            if trial.shift is None and int(rollout.executed.sum()) < self._flown:
                return float(np.inf)
            total += float(np.nansum(list(ratios(rollout.metrics, trial.bounds).values())))
        return total / len(self._trials)

    def _slope(self, schedule: Schedule, epoch: int, check: Check | None) -> tuple[float, Floats]:
        """Return the mean of the constrained losses over the epoch's displacements, and its gradient.

        The gradient is by pose logits and clipped.
        """
        settings, shape = self._settings, self._model.shape
        size = (*model_size(self._model), 3)
        shifts = displacements(size, settings.draws, settings.scale, self._seed, FRESH + epoch)
        value, slope = 0.0, np.zeros(size)
        for shift in shifts:
            moved = displaced(schedule, off_the_pins(self._model, shift), shape)
            _, gradient = simulate_with_gradient(self._model, moved, check=check)
            assert moved.pose_logits is not None
            value += gradient.loss / len(shifts)
            slope += gradient.pose * pose_scale(shape) * np.cos(moved.pose_logits) / 2.0 / len(shifts)
        slope = off_the_pins(self._model, slope)
        norm = float(np.sqrt(np.sum(slope**2)))
        return value, slope * min(1.0, settings.clip_norm / (norm + 1e-6))
