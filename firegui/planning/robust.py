"""Robust feasibility test: disturbances that a removal has to survive in stage 2.

It is from the paper, section ``design_eta``. Two of the paper's three remedies against schedules without a margin; the
third, a design effectiveness below the nominal one, needs no more rollouts and is the default.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings
from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel
from firegui.ensembles.ilr import factors
from firegui.errors import Check
from firegui.planning.trials import Floats, Trial, run, thresholds
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.day_state import UNBOUNDED
from firegui.rollout.model import Model
from firegui.rollout.observe import Window

FIXED = 0
"""Which of the seed's streams the fixed perturbations come from; smoothing takes the next."""


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
