"""What the engine hands back, named without importing it: a prepared model, a rollout, a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.results import Frames, Metrics
from firegui.domain.settings import Effectiveness, ObjectiveWeights
from firegui.rollout.gates import FlightRules

Check = Callable[[], None]
"""Called often by long work; raises :class:`~firegui.errors.CancelledError` to end it."""


class EngineModel(Protocol):
    """A prepared model: the fire, the fleet and the objective on a device."""

    @property
    def backend(self) -> str:
        """What computes: ``reference``, ``cpu`` or ``cuda``."""

    @property
    def device(self) -> str:
        """Where it computes."""

    @property
    def maps(self) -> FireMaps:
        """The fire of the planned days."""

    @property
    def fleet(self) -> Fleet:
        """The fleet, with grounded days of the plan."""

    @property
    def rules(self) -> FlightRules | None:
        """The operational constraints."""

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_y, n_x)``."""

    def with_effectiveness(self, effectiveness: Effectiveness) -> EngineModel:
        """The same model with another suppressant."""

    def with_weights(self, weights: ObjectiveWeights) -> EngineModel:
        """The same model with another objective."""


class RolloutResult(Protocol):
    """One simulated plan."""

    @property
    def metrics(self) -> Metrics:
        """Its numbers."""

    @property
    def frames(self) -> Frames | None:
        """Pictures of the fire, if asked for."""

    @property
    def p_fire_days(self) -> NDArray[np.float32] | None:
        """``P [D+1, H, W]`` at day boundaries, if asked for."""


class GradientResult(Protocol):
    """Derivatives of the objective."""

    @property
    def loss(self) -> float:
        """The objective."""

    @property
    def logit(self) -> NDArray[np.float64]:
        """``[T, A]``."""

    @property
    def pose(self) -> NDArray[np.float64]:
        """``[T, A, 3]``, with respect to ``(y, x, θ)`` in cells and radians."""
