"""Slope and aspect from elevation, by Horn's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FLAT_DEG = 0.05
"""Below this slope a cell has no direction that means anything."""

Floats = NDArray[np.float64]


def horn(elevation: NDArray[np.float32], cell_size_m: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Slope in degrees and aspect in degrees clockwise from the grid's north, each ``[H, W]`` float32.

    With ``z`` of the eight neighbours, the opposite ones weighted 2 (Horn 1981, Proceedings of the IEEE 69(1), 14–47)::

        ∂z/∂x = ((z_NE + 2 z_E + z_SE) − (z_NW + 2 z_W + z_SW)) / (8 Δx)
        ∂z/∂y = ((z_NW + 2 z_N + z_NE) − (z_SW + 2 z_S + z_SE)) / (8 Δx)
        slope = atan √((∂z/∂x)² + (∂z/∂y)²),  aspect = the direction of −(∂z/∂x, ∂z/∂y)

    The aspect is the way the ground faces, −1 where the slope is under :data:`FLAT_DEG`. ``elevation [H, W]`` in m has
    row 0 in the north; where a neighbour is beyond the raster or without data, the line from the opposite one through
    the cell goes on, else the plane through the cell and its direct neighbours. Cells without data have neither slope
    nor aspect.
    """
    z = np.pad(elevation.astype(np.float64), 1, constant_values=np.nan)
    rows, columns = elevation.shape

    def at(south: int, east: int) -> Floats:
        return z[1 + south : 1 + south + rows, 1 + east : 1 + east + columns]

    centre = at(0, 0)

    def height(south: int, east: int, instead: Floats) -> Floats:
        found = np.where(np.isnan(at(south, east)), 2.0 * centre - at(-south, -east), at(south, east))
        return np.where(np.isnan(found), instead, found)

    n, s, w, e = (height(*side, centre) for side in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    nw, ne = height(-1, -1, n + w - centre), height(-1, 1, n + e - centre)
    sw, se = height(1, -1, s + w - centre), height(1, 1, s + e - centre)
    eastward = ((ne + 2.0 * e + se) - (nw + 2.0 * w + sw)) / (8.0 * cell_size_m)
    northward = ((nw + 2.0 * n + ne) - (sw + 2.0 * s + se)) / (8.0 * cell_size_m)
    slope = np.rad2deg(np.arctan(np.hypot(eastward, northward)))
    # Its own height is no part of the differences.
    slope[np.isnan(centre)] = np.nan
    aspect = np.rad2deg(np.arctan2(-eastward, -northward)) % 360.0
    aspect = np.where(slope < FLAT_DEG, -1.0, aspect)
    aspect[np.isnan(slope)] = np.nan
    return slope.astype(np.float32), _below_360(aspect.astype(np.float32))


def turned(aspect: NDArray[np.float32], degrees: float) -> NDArray[np.float32]:
    """The aspect in a raster whose north lies ``degrees`` counter-clockwise of the one it was measured from."""
    found = np.where(aspect < 0.0, aspect, (aspect.astype(np.float64) + degrees) % 360.0)
    return _below_360(found.astype(np.float32))


def _below_360(aspect: NDArray[np.float32]) -> NDArray[np.float32]:
    # Rounded to float32, what is just under 360 becomes 360.
    aspect[aspect >= 360.0] = 0.0
    return aspect
