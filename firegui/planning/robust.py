"""The robust feasibility test (paper, section ``design_eta``): what else a removal has to survive in stage 2.

Two of the paper's three remedies against schedules without a margin; the third, a design effectiveness below the
nominal one, needs no more rollouts and is the default.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings
from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel
from firegui.planning.trials import Floats, Trial, run, thresholds
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import UNBOUNDED
from firegui.rollout.model import Model
from firegui.rollout.outcome import Check
from firegui.uncertainty.front_shift import front_shift

FIXED = 0
"""Which of the seed's streams the fixed perturbations come from; smoothing takes the next."""


def trials_of(
    model: Model, reference: Schedule, settings: EliminationSettings, terms: Sequence[str], seed: int, *,
    error: ErrorModel = PAPER_BEAR, check: Check | None = None,
) -> tuple[Trial, ...]:  # fmt: skip
    """Every rollout that a removal must pass: first the undisturbed one, which is the paper's own test.

    Then ``settings.perturbations`` fixed Gaussian displacements of all pose logits (the paper tried four of scale
    1e-3), and with ``settings.front_shift = k > 0`` one rollout of a fire that is made worse by ``k`` standard
    deviations of ``error`` at the end of every day. Each holds the losses ``terms`` against what ``reference`` itself
    reaches under the same disturbance, ``τ_k = max(ρ ℓ_k^ref, τ_min)``, so the reference passes them all: where a
    disturbance makes its fire escape, that trial asks for little. ``seed`` decides the displacements.
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
    """``count`` normal displacements of pose logits ``[T, A, 3]``, the same for the same ``seed`` and ``stream``."""
    children = np.random.SeedSequence([seed, stream]).spawn(count)
    return [np.random.default_rng(child).normal(0.0, scale, size) for child in children]


def off_the_pins(model: Model, values: Floats) -> Floats:
    """``values [T, A, 3]`` with 0 for pinned drops, which fly where they were pinned."""
    pinned = None if model.rules is None else model.rules.pinned
    return values if pinned is None else np.where(pinned[:, :, None], 0.0, values)


def model_size(model: Model) -> tuple[int, int]:
    """``(T, N_a)``."""
    return model.n_steps, model.fleet.n_aircraft


def _against(
    model: Model, reference: Schedule, settings: EliminationSettings, terms: Sequence[str], check: Check | None, *,
    shift: Floats | None = None, alter: Alteration | None = None,
) -> Trial:  # fmt: skip
    """The trial of one disturbance, with thresholds from the reference under it."""
    free = Trial(model, UNBOUNDED, shift, alter)
    metrics = run(free, reference, check=check).metrics
    return Trial(model, thresholds(metrics, tuple(terms), settings), shift, alter)
