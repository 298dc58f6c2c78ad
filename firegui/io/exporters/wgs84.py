"""Shapes on the grid as shapes in WGS 84, as RFC 7946 asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.regions import Region
from firegui.errors import InputError, Problem
from firegui.io.georeference import Georeference
from firegui.io.vectors.water import mask_polygons

DIGITS = 7
"""Decimals of a degree: a centimetre."""

_WORLD = shapely.box(-180.0, -90.0, 180.0, 90.0)


def region_shape(region: Region) -> Any:
    """A region as a polygon or multipolygon in corner coordinates ``(column, row)``."""
    parts = [[[(column, row) for row, column in ring] for ring in part] for part in region.parts]
    polygons = [shapely.Polygon(outer, holes) for outer, *holes in parts]
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)


def mask_shape(mask: NDArray[np.bool_]) -> Any:
    """The cells of a mask ``[H, W]`` as one multipolygon in corner coordinates, empty for no cell."""
    return shapely.MultiPolygon(list(mask_polygons(mask)))


def to_wgs84(shapes: NDArray[np.object_] | list[Any], grid: Grid) -> list[Any]:
    """Polygons in corner coordinates as polygons in longitude and latitude.

    Outer rings run counter-clockwise and holes clockwise; what crosses the antimeridian is cut there into parts
    (RFC 7946, sections 3.1.6 and 3.1.9). Raises :class:`~firegui.errors.InputError` for a corner without a longitude.
    """
    place = Georeference(grid)

    def moved(points: NDArray[np.float64]) -> NDArray[np.float64]:
        found = place.lonlat_many(points[:, 1] - 0.5, points[:, 0] - 0.5)
        if found is None or not np.isfinite(found).all():
            problem = Problem("grid", "a corner of a shape has no longitude and latitude", "check the event's CRS")
            raise InputError([problem], "Nothing was exported")
        return np.column_stack(found)

    placed = shapely.transform(np.asarray(shapes, np.object_), moved)
    return [_oriented(_cut(shape)) for shape in placed]


def bounds_of(shapes: list[Any]) -> list[float] | None:
    """``[west, south, east, north]`` of all shapes; west is more than east across the antimeridian (section 5.2)."""
    filled = [shape for shape in shapes if shape is not None and not shape.is_empty]
    if not filled:
        return None
    west, south, east, north = (float(value) for value in shapely.total_bounds(filled))
    if east - west > 180.0:
        parts = shapely.bounds(shapely.get_parts(np.asarray(filled, np.object_)))
        eastern = parts[:, 0] >= 0.0
        if eastern.any() and not eastern.all():
            west, east = float(parts[eastern, 0].min()), float(parts[~eastern, 2].max())
    return [round(value, DIGITS) for value in (west, south, east, north)]


def coordinates(shape: Any) -> list[Any]:
    """The coordinates of a polygon or multipolygon as GeoJSON has them, rounded to :data:`DIGITS`."""
    if isinstance(shape, shapely.MultiPolygon):
        return [coordinates(part) for part in shape.geoms]
    return [
        [[round(x, DIGITS), round(y, DIGITS)] for x, y in ring.coords] for ring in (shape.exterior, *shape.interiors)
    ]


def _cut(shape: Any) -> Any:
    """A shape cut at the antimeridian, where it crosses it: no shape of a fire spans half the Earth."""
    west, _, east, _ = shape.bounds if not shape.is_empty else (0.0, 0.0, 0.0, 0.0)
    if east - west <= 180.0:
        return shape
    unrolled = shapely.transform(shape, lambda points: np.column_stack([points[:, 0] % 360.0, points[:, 1]]))
    east_side = shapely.intersection(shapely.make_valid(unrolled), _WORLD)
    rest = shapely.difference(shapely.make_valid(unrolled), _WORLD)
    west_side = shapely.transform(rest, lambda points: np.column_stack([points[:, 0] - 360.0, points[:, 1]]))
    parts = [part for side in (east_side, west_side) for part in shapely.get_parts(side)]
    return shapely.MultiPolygon([part for part in parts if isinstance(part, shapely.Polygon)])


def _oriented(shape: Any) -> Any:
    if isinstance(shape, shapely.MultiPolygon):
        return shapely.MultiPolygon([shapely.geometry.polygon.orient(part) for part in shape.geoms])
    return shapely.geometry.polygon.orient(shape)
