"""The second stage of a project's plan, with the trials that its settings ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings, PlanSettings
from firegui.planning.elimination import Elimination, EliminationState
from firegui.planning.robust import trials_of
from firegui.planning.smoothing import PoseSmoothing, SmoothingSettings, SmoothingState
from firegui.planning.trials import constrained_terms
from firegui.rollout.backend import kernel_threads
from firegui.rollout.model import Model


def eliminator(
    model: Model, plan: PlanSettings, reference: Schedule, checkpoint: Path | None = None,
    check: Callable[[], None] | None = None,
) -> Elimination:  # fmt: skip
    """The elimination of ``reference`` on ``model``, which is at design effectiveness (paper, section ``step5``).

    Goes on from ``checkpoint`` where there is one. Raises :class:`~firegui.errors.InputError` for one of another
    schedule.
    """
    settings, terms = plan.elimination, constrained_terms(plan.setting, plan.weights)
    trials = trials_of(model, reference, settings, terms, plan.optimizer.seed, check=check)
    state = None if checkpoint is None else EliminationState.load(checkpoint)
    ahead = kernel_threads() if model.backend == "cpu" else 1
    return Elimination(model, settings, trials, reference, ahead=ahead, state=state, check=check)


LEAST_PERTURBATIONS = 4
"""How many displacements judge the smoothing, even where the elimination looked at none."""


def smoother(
    model: Model, plan: PlanSettings, reference: Schedule, schedule: Schedule, checkpoint: Path | None = None,
    check: Callable[[], None] | None = None,
) -> PoseSmoothing:  # fmt: skip
    """The smoothing of what the elimination of ``reference`` has left, against the same thresholds.

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
    """What an epoch of the smoothing costs in rollouts: a gradient for every fresh displacement, and its trials."""
    trials = 1 + max(settings.perturbations, LEAST_PERTURBATIONS) + (settings.front_shift > 0.0)
    return GRADIENT_CHARGE * SmoothingSettings().draws + trials
