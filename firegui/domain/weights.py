"""The weights of the network fire model as plain arrays, with what they were trained on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import EXPECTED_LAYERS, Scenario
from firegui.errors import Problem

KERNELS = (3, 5, 7)
WIDTH = 32
MAPS = ("base_rate", "wind_gain", "wind_alignment", "slope_gain", "ignition_gain", "fuel")
GAINS = ("wind_gain", "wind_alignment", "slope_gain")
"""The maps that stand in an exponent with wind or slope; a training without either cannot teach them."""

FUEL_CODES = 205
FUEL_SIZE = 4
OPTIONAL_LAYERS = EXPECTED_LAYERS
"""Layers that the network can read, in the order of its flags."""
LAYER_CHANNELS = (
    "elevation",
    "sin slope",
    "sin aspect",
    "cos aspect",
    "canopy density",
    "canopy cover",
    "canopy height",
)
STATIC_CHANNELS = len(LAYER_CHANNELS) + FUEL_SIZE + len(OPTIONAL_LAYERS)
WIND_CHANNELS = 2
CHANNELS = STATIC_CHANNELS + WIND_CHANNELS


def _tensor_shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"fuel.weight": (FUEL_CODES, FUEL_SIZE)}
    for index, size in enumerate(KERNELS):
        shapes[f"branches.{index}.weight"] = (WIDTH, CHANNELS, size, size)
        shapes[f"branches.{index}.bias"] = (WIDTH,)
    return shapes | {"head.weight": (len(MAPS), WIDTH * len(KERNELS), 1, 1), "head.bias": (len(MAPS),)}


TENSOR_SHAPES: Mapping[str, tuple[int, ...]] = MappingProxyType(_tensor_shapes())
"""Every tensor of the network and its shape. Input channels: :data:`LAYER_CHANNELS`, the fuel code's learned vector,
one presence flag per layer of :data:`OPTIONAL_LAYERS`, and last the wind, eastward and northward."""

SAME_FIRE_DAYS = 60
"""An event on the raster of a correction that starts more days apart from it is another fire."""
_REMEDY = "use a file that firegui has written"


@dataclass(frozen=True, slots=True)
class TrainedEvent:
    """Event of a training: its ``name``, the local date ``start`` of its day 0, and what it covers.

    Days ``0 … fit_days`` were read. ``layers`` are the landscape layers it had, ``wind_max_ms`` the strongest wind of
    those days and ``slope_max_deg`` the steepest slope, 0 without that layer.
    """

    name: str
    start: date
    fit_days: int
    layers: tuple[str, ...]
    wind_max_ms: float
    slope_max_deg: float


@dataclass(frozen=True, slots=True)
class Training:
    """Origin of trained weights.

    ``learned`` are those of :data:`GAINS` that the training could teach; the others are the prior of
    :mod:`firegui.fire.prior`. ``limits`` say in sentences what the model cannot be trusted with, ``firegui`` is the
    version that trained it.
    """

    label: str
    events: tuple[TrainedEvent, ...]
    epochs: int
    seed: int
    learned: tuple[str, ...]
    limits: tuple[str, ...]
    firegui: str

    @property
    def layers(self) -> tuple[str, ...]:
        """The landscape layers that at least one event had."""
        return tuple(key for key in OPTIONAL_LAYERS if any(key in event.layers for event in self.events))

    @property
    def wind_max_ms(self) -> float:
        """The strongest wind that any event showed, m/s."""
        return max((event.wind_max_ms for event in self.events), default=0.0)

    @property
    def slope_max_deg(self) -> float:
        """The steepest slope that any event showed, degrees."""
        return max((event.slope_max_deg for event in self.events), default=0.0)

    def problems(self) -> list[Problem]:
        """Return everything that contradicts itself."""
        where = "training"
        found = [
            Problem(where, f"{name!r} is not a map that can be learned", _REMEDY)
            for name in self.learned
            if name not in GAINS
        ]
        for event in self.events:
            for key in event.layers:
                if key not in OPTIONAL_LAYERS:
                    found.append(Problem(where, f"{event.name} had the unknown layer {key!r}", _REMEDY))
            for name, value in (("strongest wind", event.wind_max_ms), ("steepest slope", event.slope_max_deg)):
                if not (math.isfinite(value) and value >= 0.0):
                    found.append(Problem(where, f"{name} of {event.name} is {value}", "use a number of 0 or more"))
        return found


def days_from_middle(day: int, fit_days: int, *, rising: bool) -> float:
    """Return ``τ``, the days from the middle of the fitted days ``0 … fit_days − 1``.

    A rising trend stops at the ends of these days.
    """
    last = fit_days - 1
    return (min(max(day, 0), last) if rising else max(day, 0)) - 0.5 * last


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """Smooth correction of the base rate, fitted to one event.

    It is valid for the raster and the dates of that event alone.

    On day ``k`` the base rate is multiplied by ``exp(c(x) + b τ_k)``. ``c`` is ``log_rate [h, w]`` float32, nodes that
    span the raster from corner cell to corner cell, bilinear between them. ``b`` is ``trend``, the change of the log
    rate per day, and ``τ_k`` the days since the middle of the fitted ones, which are ``fit_days`` days from the local
    date ``start`` on: a fire that slows down, because it runs out of fuel or is fought, keeps slowing down. A rising
    trend ends with the fitted days. ``shape`` and ``transform`` are those of the raster, see
    :class:`~firegui.domain.grid.Grid`.
    """

    event: str
    shape: tuple[int, int]
    transform: tuple[float, float, float, float, float, float] | None
    log_rate: NDArray[np.float32]
    trend: float = 0.0
    start: date | None = None
    fit_days: int = 0

    def trend_on(self, when: date) -> float:
        """Return ``b τ`` on the local date ``when``, 0 without a trend."""
        if self.start is None or self.fit_days < 1:
            return 0.0
        return self.trend * days_from_middle((when - self.start).days, self.fit_days, rising=self.trend > 0.0)

    def fits(self, event: Scenario) -> bool:
        """Return whether the event has the raster that it was fitted on and starts at about its time.

        Another fire on the same raster is another fire. Rasters without a place on the map are told apart only by
        their size, so there the event must also have the name.
        """
        grid = event.grid
        same_time = self.start is None or abs((event.date_of_day(0) - self.start).days) <= SAME_FIRE_DAYS
        same_name = grid.transform is not None or self.event == event.name
        return same_time and same_name and self.shape == grid.shape and self.transform == grid.transform

    def problems(self) -> list[Problem]:
        """Return everything that makes it unusable."""
        where, nodes = f"correction for {self.event}", self.log_rate
        if nodes.ndim != 2 or min(nodes.shape) < 2:
            return [Problem(where, f"has nodes of shape {list(nodes.shape)}", "give at least 2 × 2 nodes")]
        if not np.isfinite(nodes).all():
            return [Problem(where, "has nodes that are not finite", _REMEDY)]
        if not math.isfinite(self.trend) or self.fit_days < 0:
            return [Problem(where, f"has the trend {self.trend} of {self.fit_days} days", _REMEDY)]
        return []


@dataclass(frozen=True, slots=True, eq=False)
class NetworkWeights:
    """Trained network.

    ``tensors`` are float32, named and shaped as in :data:`TENSOR_SHAPES`.
    """

    tensors: Mapping[str, NDArray[np.float32]]
    training: Training
    corrections: tuple[Correction, ...] = ()

    def correction_for(self, event: Scenario) -> Correction | None:
        """Return the correction fitted to this event, or ``None``.

        The raster and about the dates must match. If several fit, the name decides.
        """
        fitting = [correction for correction in self.corrections if correction.fits(event)]
        return next((one for one in fitting if one.event == event.name), fitting[0] if fitting else None)

    def problems(self) -> list[Problem]:
        """Return everything that makes the weights unusable."""
        found = tensor_problems(self.tensors)
        for correction in self.corrections:
            found += correction.problems()
        return found + self.training.problems()


def tensor_problems(tensors: Mapping[str, NDArray[Any]]) -> list[Problem]:
    """Return the problems of ``tensors``.

    A tensor may be missing, unknown, not finite, or of another shape or type than in :data:`TENSOR_SHAPES`.
    """
    found = []
    for name, shape in TENSOR_SHAPES.items():
        tensor = tensors.get(name)
        if tensor is None:
            found.append(Problem(name, "the tensor is missing", _REMEDY))
        elif tensor.shape != shape:
            found.append(Problem(name, f"has the shape {list(tensor.shape)}, not {list(shape)}", _REMEDY))
        elif tensor.dtype != np.float32:
            found.append(Problem(name, f"holds {tensor.dtype} values, not float32", _REMEDY))
        elif not np.isfinite(tensor).all():
            found.append(Problem(name, "has values that are not finite", _REMEDY))
    unknown = (name for name in tensors if name not in TENSOR_SHAPES)
    return found + [Problem(name, "is not a tensor of this network", _REMEDY) for name in unknown]
