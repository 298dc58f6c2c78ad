"""Plans to hand over: random drops on grids in several projections."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.exporters.content import ExportContent, Occupancy, export_content
from tests.unit.io.builders import PLACED, drop, project

SPHERE_LCC = (
    "+proj=lcc +lat_0=38.5 +lon_0=-122.6 +lat_1=30 +lat_2=60 +x_0=0 +y_0=0 +R=6370000 +units=m +no_defs +type=crs"
)


def grid_at(crs: str, east: float, north: float, cell: float = 30.0, shape: tuple[int, int] = (300, 400)) -> Grid:
    """A grid whose north-west corner is there."""
    return Grid(*shape, cell, (cell, 0.0, east, 0.0, -cell, north), crs)


GRIDS: Mapping[str, Grid] = MappingProxyType({
    "California Albers": grid_at("EPSG:3310", -104430.0, 210000.0),
    "a conformal conic on a sphere": grid_at(SPHERE_LCC, -6000.0, 4500.0),
    "UTM": grid_at("EPSG:32610", 500000.0, 4400000.0),
    "the west edge of a UTM zone": grid_at("EPSG:32610", 243000.0, 4400000.0),
    "UTM in the south": grid_at("EPSG:32755", 640000.0, 5_850_000.0),
    "Albers of the whole country": grid_at("ESRI:102039", -2_000_000.0, 2_000_000.0),
})  # fmt: skip
"""By what they are, grids whose north is not true north, on which drops are checked."""


def random_drops(grid: Grid, count: int, seed: int = 7) -> list[DropRecord]:
    """``count`` executed drops anywhere on the grid, at different pairs of step and aircraft of the small fleet."""
    rng = np.random.default_rng(seed)
    high = np.array(grid.shape) - 1.0
    found = []
    for number in range(count):
        (y, x), (dy, dx) = rng.random(2) * high, rng.normal(0.0, 1.0, 2)
        theta = float(rng.uniform(0.0, np.pi))
        placed = {"y": float(y), "x": float(x), "landing_y": float(y + dy), "landing_x": float(x + dx), "theta": theta}
        found.append(drop(number // 3, number % 3, **placed))
    return found


def states(grid: Grid, days: int, seed: int = 3) -> NDArray[np.float32]:
    """``[days + 1, H, W]``: probabilities that never fall."""
    rng = np.random.default_rng(seed)
    steps = rng.random((days + 1, *grid.shape)) / (days + 1)
    return np.cumsum(steps, axis=0).astype(np.float32)


def plan(grid: Grid = PLACED, *, baseline: bool = True, **changes: Any) -> ExportContent:
    """A plan of two days with both fires, two flown drops, and a proposal that is not flown."""
    drops = changes.pop("drops", [drop(20, 1), drop(60, 2, y=2.0, x=5.0), drop(61, 0, executed=False)])
    whole: Project = changes.pop("project", project(grid))
    fires = {"plan": Occupancy(states(grid, 2), 0), "baseline": Occupancy(states(grid, 2, 4)[1:], 1)}
    fires = fires if baseline else {"plan": fires["plan"]}
    return export_content(whole, drops, run="first plan", **{**fires, **changes})
