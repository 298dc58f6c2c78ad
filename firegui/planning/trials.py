"""Trials of a removal in the second stage: rollouts within bounds (paper, section ``step5``).

The paper's own test is one rollout of the schedule as it is. Its two alternatives to a design margin (section
``design_eta``) add rollouts: with all poses displaced, and with a fire that is worse than the model says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule, pose_logits_of
from firegui.domain.settings import EliminationSettings, ObjectiveWeights, Setting
from firegui.errors import Check
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import TERMS, UNBOUNDED, Bounds
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, simulate

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A rollout on ``model`` that has to end within ``bounds``.

    ``shift [T, A, 3]`` is added to the pose logits of the schedule, ``None`` for none. ``alter`` changes the fire
    at the ends of days (:func:`~firegui.planning.two_stage.front_shift`).
    """

    model: Model
    bounds: Bounds
    shift: Floats | None = None
    alter: Alteration | None = None

    def schedule(self, schedule: Schedule) -> Schedule:
        """Return the schedule to roll out for ``schedule``."""
        return schedule if self.shift is None else displaced(schedule, self.shift, self.model.shape)


def run(trial: Trial, schedule: Schedule, *, bounded: bool = True, check: Check | None = None) -> Rollout:
    """Roll ``schedule`` out for ``trial``.

    The rollout is given up early at its bounds unless not ``bounded``.
    """
    bounds = trial.bounds if bounded else UNBOUNDED
    return simulate(trial.model, trial.schedule(schedule), bounds=bounds, alter=trial.alter, check=check)


def passes(trial: Trial, rollout: Rollout) -> bool:
    """Return whether every constraint of ``trial`` holds at the end of its rollout."""
    within = (getattr(rollout.metrics, f"loss_{term}") <= getattr(trial.bounds, term) for term in TERMS)
    return rollout.exceeded is None and all(within)


def constraint_weights(bounds: Bounds) -> ObjectiveWeights:
    """Return the weights ``1/τ_k``, for an objective ``Σ_k ℓ_k / τ_k`` over the constrained terms."""
    limits = {term: getattr(bounds, term) for term in TERMS}
    weights = {term: 1.0 / limit if 0.0 < limit < np.inf else 0.0 for term, limit in limits.items()}
    return ObjectiveWeights(**weights, budget=0.0)


def displaced(schedule: Schedule, shift: Floats, shape: tuple[int, int]) -> Schedule:
    """Return ``schedule`` with ``shift [T, A, 3]`` added to its pose logits."""
    z = pose_logits_of(schedule.poses, shape) if schedule.pose_logits is None else schedule.pose_logits
    return Schedule.from_pose_logits(schedule.logits, z + shift, shape)


def constrained_terms(setting: Setting, weights: ObjectiveWeights) -> tuple[str, ...]:
    """Return the losses that stage 2 holds (paper, ``step5``).

    They are burn and final extent in setting A, and protected exposure in B. With both together or weights of one's
    own, every fire term that has one.
    """
    if setting is Setting.A:
        return ("burn", "final")
    if setting is Setting.B:
        return ("prot",)
    return tuple(term for term in TERMS if getattr(weights, term) > 0)


def thresholds(reference: Metrics, terms: tuple[str, ...], settings: EliminationSettings) -> Bounds:
    """Return ``τ_k = max(ρ ℓ_k^ref, τ_min)`` of the constrained terms (paper, ``step5``).

    The others are unbounded.
    """
    limits = {term: max(settings.slack * getattr(reference, f"loss_{term}"), settings.floor) for term in terms}
    return Bounds(**limits)


def ratios(metrics: Metrics, bounds: Bounds) -> dict[str, float]:
    """Return ``ℓ_k / τ_k`` of every term, NaN where it is not constrained."""
    limits = {term: getattr(bounds, term) for term in TERMS}
    return {
        term: getattr(metrics, f"loss_{term}") / limit if 0.0 < limit < np.inf else np.nan
        for term, limit in limits.items()
    }
