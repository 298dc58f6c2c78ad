"""The public functions: prepare a model, roll a schedule out, differentiate it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide
from firegui.rollout import backend as backends
from firegui.rollout.model import Model, build
from firegui.rollout.observe import Observer, Onlooker

Check = Callable[[], None]


@dataclass(frozen=True, slots=True, eq=False)
class Rollout:
    """One simulated plan.

    ``executed [T, A]``; ``p_fire_days [D+1, H, W]`` float32 at day boundaries and ``frames`` where they were asked for.
    """

    metrics: Metrics
    executed: NDArray[np.bool_]
    frames: Frames | None = None
    p_fire_days: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Gradient:
    """Derivatives of the objective ``loss``.

    ``logit [T, A]`` by the straight-through surrogate and ``pose [T, A, 3]`` with respect to ``(y, x, θ)`` in cells and
    radians, float64.
    """

    loss: float
    logit: NDArray[np.float64]
    pose: NDArray[np.float64]


def prepare(
    maps: FireMaps,
    fleet: Fleet,
    masks: NDArray[np.bool_],
    region_weights: Sequence[float],
    *,
    weights: ObjectiveWeights,
    effectiveness: Effectiveness,
    retardant_acts_on: RetardantSide = RetardantSide.BOTH,
    backend: str = "auto",
    precision: str = "float32",
) -> Model:
    """Put the fire, the fleet and the objective on a device.

    ``masks [R, H, W]`` are the protected cells of each region. ``backend`` is ``auto``, ``reference``, ``cpu`` or
    ``cuda``; ``precision`` is ``float32``, which the fire model means, or ``float64`` for checking equations. Raises
    :class:`~firegui.errors.InputError` for an unknown or absent backend or precision and for empty regions.
    """
    name, device = backends.choose(backend)
    return build(
        maps, fleet, masks, region_weights, weights=weights, effectiveness=effectiveness,
        retardant_acts_on=retardant_acts_on, backend=name, device=device, dtype=backends.dtype_of(precision),
    )  # fmt: skip


def simulate(
    model: Model,
    schedule: Schedule,
    *,
    check: Check | None = None,
    frame_stride: int | None = None,
    keep_days: bool = False,
) -> Rollout:
    """Roll ``schedule`` out without a gradient. ``check`` is called every step and may raise to cancel."""
    observer = Observer(model, frame_stride, keep_days)
    outcome = backends.engine(model).simulate(model, schedule, observer, check)
    return Rollout(outcome.metrics, outcome.executed, observer.frames(), observer.days())


def simulate_with_gradient(
    model: Model, schedule: Schedule, *, check: Check | None = None, frame_stride: int | None = None
) -> tuple[Rollout, Gradient]:
    """Roll ``schedule`` out and differentiate the objective with respect to every logit and pose."""
    observer = Observer(model, frame_stride, keep_days=False)
    outcome, logit, pose = backends.engine(model).gradient(model, schedule, observer, check)
    rollout = Rollout(outcome.metrics, outcome.executed, observer.frames(), None)
    return rollout, Gradient(outcome.metrics.objective, logit, pose)


def watch(
    model: Model, schedule: Schedule, see: Callable[[int, Tensor], None], *, check: Check | None = None
) -> Rollout:
    """Roll ``schedule`` out and show ``p^B_t [H, W]`` to ``see(t, p^B)`` at every ``t = 0 … T``.

    The tensor is the rollout's own and changes with the next step: copy what should be kept.
    """
    observer = Onlooker(model, see)
    outcome = backends.engine(model).simulate(model, schedule, observer, check)
    return Rollout(outcome.metrics, outcome.executed)
