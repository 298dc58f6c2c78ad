"""Landing point of the material: free-fall drift in the local wind (paper, step 2).

This module needs NumPy and nothing else.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import WindRaster
from firegui.domain.fleet import AircraftType

GRAVITY_MS2 = 9.81

Floats = NDArray[np.float64]


class Air(Protocol):
    """The wind over the raster: what :class:`~firegui.domain.maps.FireMaps` have of it."""

    @property
    def wind_speed(self) -> WindRaster:
        """``[D P, H, W]`` m/s."""

    @property
    def wind_dir(self) -> WindRaster:
        """``[D P, H, W]`` radians towards, counter-clockwise from east."""

    @property
    def steps_per_day(self) -> int:
        """``S_day``."""

    @property
    def steps_per_period(self) -> int:
        """``S_day / P``."""

    @property
    def cell_size_m(self) -> float:
        """``Δx``."""


def fall_time_s(kind: AircraftType) -> float:
    """Return ``t_fall = sqrt(2 H_a / g)`` in seconds."""
    return float(np.sqrt(2.0 * kind.drop_height_m / GRAVITY_MS2))


def drift_cells(maps: Air, kind: AircraftType, steps: NDArray[np.int64], y: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return displacement ``(Δy, Δx)`` in cells of drops released at ``(y, x)`` on ``steps``.

    ``Δx = V cos ψ t_fall / Δ`` and ``Δy = −V sin ψ t_fall / Δ``, with the wind of the period at the nearest cell to the
    release point (piecewise constant, hence without gradient).
    """
    height, width = maps.wind_speed.shape[1:]
    rows = np.clip(np.rint(y), 0, height - 1).astype(np.int64)
    columns = np.clip(np.rint(x), 0, width - 1).astype(np.int64)
    periods = steps // maps.steps_per_period
    speed = maps.wind_speed[periods, rows, columns].astype(np.float64)
    towards = maps.wind_dir[periods, rows, columns].astype(np.float64)
    reach = speed * fall_time_s(kind) / maps.cell_size_m
    return -reach * np.sin(towards), reach * np.cos(towards)
