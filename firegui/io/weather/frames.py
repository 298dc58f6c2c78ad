"""Directions counted from the pole, from the top of a file's raster and from the top of the grid, one into another.

Grid north and true north differ by the grid convergence, which grows away from a projection's central meridian: 0.7° on
the Bear fire in California Albers, 3° at the edge of a UTM zone. At every place the Jacobian of the projection takes a
true east–north vector to the grid's axes: to first order what the projection itself does to a short arrow, so shear of
an equal-area projection is in it as well. Only its direction is used; speeds are never changed.

A Jacobian field is worked out on a coarse lattice and interpolated: it is smooth over a fire.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.io.crs import transformer
from firegui.io.georeference import WGS84, Georeference

Floats = NDArray[np.float64]

_NODES = 33
_BAND = 256
_STEP_DEG = 1e-4
"""About 11 m: far above the rounding of a projected coordinate, far below any change of the convergence."""


class Turn:
    """Rotation of vectors ``(u, v)`` in one frame to directions on a grid, by a 2 × 2 matrix at every cell.

    ``matrices [2, 2, n, m]`` are given on nodes that are spread evenly from the first to the last row and column.
    """

    def __init__(self, matrices: Floats, shape: tuple[int, int]) -> None:
        self._nodes = matrices
        self._rows, self._columns = _weights(matrices.shape[2], shape[0]), _weights(matrices.shape[3], shape[1])

    @property
    def largest_deg(self) -> float:
        """The largest angle between the frame's north and the grid's, in degrees."""
        return float(np.degrees(np.abs(np.arctan2(self._nodes[0, 1], self._nodes[1, 1])).max()))

    def towards(self, u: Floats, v: Floats) -> NDArray[np.float32]:
        """Where ``(u, v)`` (each ``[H, W]``) blow, in radians counter-clockwise from the grid's east, in (−π, π]."""
        towards = np.empty(u.shape, np.float32)
        # In bands of rows: the matrices of all cells at once would take more room than the wind itself.
        for first in range(0, len(u), _BAND):
            band = slice(first, first + _BAND)
            (a, b), (c, d) = np.einsum("ai,klij,bj->klab", self._rows[band], self._nodes, self._columns, optimize=True)
            towards[band] = np.arctan2(c * u[band] + d * v[band], a * u[band] + b * v[band])
        return towards


def no_turn(shape: tuple[int, int]) -> Turn:
    """The turn of a frame that is the grid's own."""
    return Turn(np.eye(2)[:, :, np.newaxis, np.newaxis], shape)


def turn_from_true(grid: Grid, axes: Callable[[Floats, Floats], Floats] | None = None) -> Turn | None:
    """Return the turn from true east and north to the axes of ``grid``; ``None`` on a grid without a place.

    For another frame ``axes`` gives its east (first column) and north as true vectors ``[2, 2, …]`` at longitudes and
    latitudes.
    """
    rows, columns = (np.linspace(0.0, size - 1.0, min(_NODES, size)) for size in grid.shape)
    places = Georeference(grid).lonlat_many(*np.meshgrid(rows, columns, indexing="ij"))
    if places is None or grid.crs is None:
        return None
    matrices = jacobian(grid.crs, *places)
    if axes is not None:
        matrices = np.asarray(np.einsum("ij...,jk...->ik...", matrices, axes(*places)))
    return Turn(matrices, grid.shape)


def turn_from_raster(grid: Grid, crs: str) -> Turn | None:
    """Return the turn from the axes of a raster in ``crs`` to those of ``grid``; ``None`` without a place."""

    def axes(lon: Floats, lat: Floats) -> Floats:
        (a, b), (c, d) = jacobian(crs, lon, lat)
        return np.asarray(np.array([[d, -b], [-c, a]]) / (a * d - b * c))

    return turn_from_true(grid, axes)


def jacobian(crs: str, lon: Floats, lat: Floats) -> Floats:
    """``[2, 2, …]``: the image in ``crs`` of true unit vectors east (first column) and north at places, scale removed.

    Central differences of the projection over 0.0001° of longitude and latitude, which are brought to equal lengths by
    the radii of curvature of WGS 84.
    """
    change = transformer(WGS84, crs)
    east = _difference(change.transform(lon + _STEP_DEG, lat), change.transform(lon - _STEP_DEG, lat))
    north = _difference(change.transform(lon, lat + _STEP_DEG), change.transform(lon, lat - _STEP_DEG))
    meridian, parallel = _radii(lat)
    return unit_area(np.stack([east / parallel, north / meridian], axis=1))


def _radii(lat: Floats) -> tuple[Floats, Floats]:
    """Metres per radian along the meridian and along the parallel of latitude, on the ellipsoid of WGS 84."""
    a, e2 = 6378137.0, 6.69437999014e-3
    sine = np.sin(np.radians(lat))
    root = np.sqrt(1.0 - e2 * sine**2)
    return a * (1.0 - e2) / root**3, a / root * np.cos(np.radians(lat))


def _difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Floats:
    return np.stack([one[0] - other[0], one[1] - other[1]])


def unit_area(matrices: Floats) -> Floats:
    """Return matrices ``[2, 2, …]`` scaled to determinants of 1 or −1."""
    (a, b), (c, d) = matrices
    return np.asarray(matrices / np.sqrt(np.abs(a * d - b * c)))


def _weights(nodes: int, cells: int) -> Floats:
    """``[cells, nodes]``: how much of each node is in each cell, by linear interpolation."""
    if nodes == 1:
        return np.ones((cells, 1))
    at = np.linspace(0.0, nodes - 1.0, cells)
    low = np.minimum(at.astype(np.intp), nodes - 2)
    weights = np.zeros((cells, nodes))
    each = np.arange(cells)
    weights[each, low + 1] = at - low
    weights[each, low] = 1.0 - (at - low)
    return weights
