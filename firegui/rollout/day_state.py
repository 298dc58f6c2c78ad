"""State of a rollout at a day boundary, from which it can resume, and bounds that end it early."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.rollout.model import Model

TERMS = ("burn", "final", "prot", "val")
"""The loss terms of the fire: ``loss_burn`` and so on of the metrics. All but the last end a rollout early."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper limits of the loss terms.

    A rollout that cannot end within them is given up.
    """

    burn: float = math.inf
    final: float = math.inf
    prot: float = math.inf
    val: float = math.inf

    @property
    def none(self) -> bool:
        """Whether nothing is limited."""
        return all(math.isinf(getattr(self, term)) for term in TERMS)


UNBOUNDED = Bounds()


@dataclass(frozen=True, slots=True)
class Exceeded:
    """Bound that ended a rollout at ``step``.

    ``term`` would end at ``value`` or more, above its ``limit``.
    """

    step: int
    term: str
    value: float
    limit: float


@dataclass(frozen=True, slots=True, eq=False)
class DayState:
    """A rollout at the start of ``day``: enough to go on from there, bit for bit.

    ``executed [t, A]`` and ``poses [t, A, 3]`` are the drops before it; ``body`` is the engine's own, and only an
    engine of the same ``backend`` on the same model can go on from it.
    """

    backend: str
    day: int
    executed: NDArray[np.bool_]
    poses: NDArray[np.float64]
    body: object

    def fits(self, executed: NDArray[np.bool_], schedule: Schedule) -> bool:
        """Return whether ``schedule`` flies the drops of this state before this day.

        ``executed [T, A]`` are its executed drops.
        """
        steps = len(self.executed)
        if not np.array_equal(self.executed, executed[:steps]):
            return False
        return np.array_equal(self.poses[self.executed], schedule.poses[:steps][self.executed])


def state_of(model: Model, schedule: Schedule, executed: NDArray[np.bool_], day: int, body: object) -> DayState:
    """Return the state of ``schedule`` at the start of ``day``, with the engine's own ``body``."""
    steps = day * model.maps.steps_per_day
    return DayState(model.backend, day, executed[:steps].copy(), schedule.poses[:steps].copy(), body)


def exceeded(model: Model, metrics: Metrics, bounds: Bounds) -> Exceeded | None:
    """Return which bound a finished rollout has broken, if any."""
    for term in TERMS:
        value, limit = getattr(metrics, f"loss_{term}"), getattr(bounds, term)
        if value > limit:
            return Exceeded(model.n_steps, term, value, limit)
    return None
