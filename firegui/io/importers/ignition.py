"""A fire that starts at a point."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.georeference import Georeference, format_ddm

_FIRST_NONBURNABLE, _LAST_NONBURNABLE = 91, 99


def ignition_at(
    point: tuple[float, float], grid: Grid, fuel: NDArray[np.float32] | None, problems: Problems
) -> NDArray[np.bool_] | None:
    """``[H, W]``: the one cell that holds ``point`` (longitude, latitude in degrees, WGS 84).

    A point that is none, that lies off the raster or where FBFM40 (``fuel``) does not burn is added to ``problems``.
    """
    lon, lat = point
    if not (math.isfinite(lon) and math.isfinite(lat) and abs(lon) <= 180.0 and abs(lat) <= 90.0):
        problems.add("ignition", f"{lon:g}, {lat:g} is no place on the Earth", "give longitude, then latitude, degrees")
        return None
    place = Georeference(grid)
    if not place.has_place:
        problems.add("ignition", "the layers have no place on the map", "give layers with a CRS and a transform")
        return None
    cell = _cell(place, grid, lon, lat)
    if cell is None:
        problems.add("ignition", f"{format_ddm(lon, lat)} lies off the raster", _where_then(place, grid, lon, lat))
        return None
    code = None if fuel is None else float(fuel[cell])
    if code is not None and _FIRST_NONBURNABLE <= code <= _LAST_NONBURNABLE:
        problems.add("ignition", f"the cell there is fuel {code:g}, which does not burn", "choose a place that burns")
        return None
    mask = np.zeros(grid.shape, np.bool_)
    mask[cell] = True
    return mask


def _cell(place: Georeference, grid: Grid, lon: float, lat: float) -> tuple[int, int] | None:
    found = place.from_lonlat(lon, lat)
    if found is None:
        return None
    # Cell centres are at integers.
    row, column = math.floor(found[0] + 0.5), math.floor(found[1] + 0.5)
    return (row, column) if 0 <= row < grid.rows and 0 <= column < grid.columns else None


def _where_then(place: Georeference, grid: Grid, lon: float, lat: float) -> str:
    if abs(lon) <= 90.0 and _cell(place, grid, lat, lon) is not None:
        return "give longitude first, then latitude"
    rows, columns = np.meshgrid([-0.5, grid.rows - 0.5], [-0.5, grid.columns - 0.5])
    corners = place.lonlat_many(rows.ravel(), columns.ravel())
    if corners is None:
        return "choose a place on it"
    lons, lats = corners
    west, east, south, north = lons.min(), lons.max(), lats.min(), lats.max()
    return f"the raster spans {west:.4f} to {east:.4f} in longitude and {south:.4f} to {north:.4f} in latitude"
