"""Open water, and which drops come close to it.

The United States' Interagency Policy for Aerial and Ground Delivery of Wildland Fire Chemicals Near Waterways keeps
retardant 300 ft away from waterways. Nothing is refused for it here: drops within that distance are marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.io.georeference import Georeference
from firegui.io.rasters.rasterize import mask_rings

NEAR_M = 91.44
"""300 ft."""

WATER_FUEL = 98
"""The fuel model of open water in both standard sets: NB8 of Scott and Burgan's forty, 98 beside Anderson's 13."""


@dataclass(frozen=True, slots=True, eq=False)
class WaterLayer:
    """Where water is, as shapely geometries in the grid's corner coordinates ``(column, row)``, in cells.

    ``cell_m`` is a cell's side on the ground in metres; ``source`` says where the water is known from.
    """

    geometries: NDArray[np.object_]
    cell_m: float
    source: str

    def near(self, outlines: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Which outlines, in the same coordinates, lie within :data:`NEAR_M` of water."""
        close = np.zeros(len(outlines), np.bool_)
        if len(self.geometries) and len(outlines):
            tree = shapely.STRtree(self.geometries)
            found = tree.query(outlines, predicate="dwithin", distance=NEAR_M / self.cell_m)
            close[found[0]] = True
        return close


def water_of_fuel(event: Scenario) -> WaterLayer | None:
    """The cells of fuel model 98 as water; ``None`` where the event has no fuel layer."""
    fuel = event.layers.get("fuel")
    if fuel is None:
        return None
    polygons = mask_polygons(np.asarray(fuel == WATER_FUEL))
    return WaterLayer(
        polygons, Georeference(event.grid).ground_cell_m, f"fuel model {WATER_FUEL} (NB8) of the landscape"
    )


def mask_polygons(mask: NDArray[np.bool_]) -> NDArray[np.object_]:
    """The cells of ``mask [H, W]`` as polygons with holes, in corner coordinates ``(column, row)``."""
    found = mask_rings(mask)
    polygons = np.empty(len(found), np.object_)
    for number, (outer, *holes) in enumerate(found):
        polygons[number] = shapely.Polygon(outer, holes)
    return polygons


def near_water(outlines: Sequence[Any], water: WaterLayer | None) -> list[bool | None]:
    """For each outline whether it is near water; ``None`` for all where nobody knows where water is."""
    if water is None:
        return [None] * len(outlines)
    return [bool(close) for close in water.near(np.asarray(outlines, np.object_))]
