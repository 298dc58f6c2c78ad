"""Size of a fire hour by hour, and how far it covers what satellites saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid

Bools = NDArray[np.bool_]

BURNED = 0.5
"""From this probability on a cell counts as burned where a map needs a line."""


@dataclass(frozen=True, slots=True, eq=False)
class FireByHour:
    """A fire at ``hours [n]`` from the plan's start, in ascending order.

    ``cells [n]`` are the expected cells that burn or have burned, ``ΣP``. ``arrival [H, W]`` is the first of the hours
    at which ``P ≥ 0.5``, NaN where that never is.
    """

    hours: NDArray[np.float64]
    cells: NDArray[np.float64]
    arrival: NDArray[np.float32]

    def burned(self, hour: float) -> Bools:
        """Return ``[H, W]``: where ``P ≥ 0.5`` at one of the hours, or before."""
        found: Bools = self.arrival <= np.float32(hour)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Overpass:
    """Detections of one pass of a satellite: ``count`` of them, in pixels that cover ``seen [H, W]``."""

    time: datetime
    count: int
    seen: Bools


@dataclass(frozen=True, slots=True)
class OverpassMatch:
    """The fire of the model beside all pixels seen up to a pass, in hectares of the raster.

    ``both_ha`` is the area where the model has fire and a pixel was seen. ``hour`` counts from the plan's start.
    """

    time: datetime
    hour: float
    detections: int
    seen_ha: float
    fire_ha: float
    both_ha: float

    @property
    def found(self) -> float:
        """Share of the pixels' area in which the model has fire."""
        return self.both_ha / self.seen_ha if self.seen_ha else 0.0

    @property
    def confirmed(self) -> float:
        """Share of the model's fire that lies in pixels."""
        return self.both_ha / self.fire_ha if self.fire_ha else 0.0


def match_overpasses(
    fire: FireByHour, overpasses: Sequence[Overpass], start: datetime, grid: Grid
) -> tuple[OverpassMatch, ...]:
    """Return the match of each pass within the fire's hours; pixels of earlier passes count too."""
    found, area, count = [], grid.cell_area_ha, 0
    seen = np.zeros(grid.shape, np.bool_)
    for one in overpasses:
        hour = (one.time - start).total_seconds() / 3600.0
        seen, count = seen | one.seen, count + one.count
        if 0.0 <= hour <= float(fire.hours[-1]):
            burned = fire.burned(hour)
            sizes = (float(mask.sum()) * area for mask in (seen, burned, seen & burned))
            found.append(OverpassMatch(one.time, hour, count, *sizes))
    return tuple(found)
