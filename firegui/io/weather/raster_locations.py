"""Rasters of a wind file.

With an affine transform, with a coordinate for every row and column, or curved.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from rasterio import Affine

from firegui.domain.grid import Grid, cells_text
from firegui.errors import Problems
from firegui.io.crs import same, transformer
from firegui.io.georeference import WGS84, Georeference, Six
from firegui.io.weather.locations import (
    Floats,
    Locate,
    Placement,
    Turn,
    WindLocations,
    no_turn,
    resample_to_grid,
    turn_from_raster,
    turn_from_true,
    unit_area,
    use_as_is,
)


class RasterLocations(WindLocations):
    """Centres of the cells of a raster."""

    @property
    @abstractmethod
    def raster(self) -> tuple[int, int]:
        """Its rows and columns."""

    @property
    def text(self) -> str:
        """Its size."""
        return cells_text(self.raster)

    def on(self, grid: Grid, where: str, problems: Problems) -> Placement | None:
        """Interpolate onto the cells of ``grid``."""
        if grid.crs is None or grid.transform is None:
            problems.add(where, "has a place, the layers have none", "give layers with a CRS and a transform")
            return None
        locate = self._locate(grid)
        if locate is None:
            problems.add(where, "lies off the raster of the layers", "check its longitudes and latitudes")
            return None
        return resample_to_grid(grid, self.raster, locate, where, problems)

    @abstractmethod
    def _locate(self, grid: Grid) -> Locate | None:
        """Return the way from a grid's eastings and northings to rows and columns.

        ``None`` far from the raster.
        """


@dataclass(frozen=True)
class AffineRaster(RasterLocations):
    """A raster with six affine coefficients in ``crs``; both ``None`` where the file has no place."""

    rows: int
    columns: int
    transform: Six | None
    crs: str | None

    @property
    def raster(self) -> tuple[int, int]:
        """Its rows and columns."""
        return self.rows, self.columns

    def on(self, grid: Grid, where: str, problems: Problems) -> Placement | None:
        """Interpolate onto the cells of ``grid``; take a raster that is the grid's own as it is."""
        alike = self.raster == grid.shape
        if self.transform is None or self.crs is None or not grid.is_georeferenced:
            if alike:
                return use_as_is(self.raster)
            what = f"has no CRS or no transform, and its {self.text} are not the {grid.rows:,} × {grid.columns:,}"
            problems.add(where, f"{what} of the layers", "give it a place, or a raster on the grid of the layers")
            return None
        if alike and self.transform == grid.transform and grid.crs is not None and same(self.crs, grid.crs):
            return use_as_is(self.raster)
        return super().on(grid, where, problems)

    def _locate(self, grid: Grid) -> Locate | None:
        assert self.transform is not None and self.crs is not None and grid.crs is not None
        inverse, change = ~Affine(*self.transform), transformer(grid.crs, self.crs)

        def locate(easts: Floats, norths: Floats) -> tuple[Floats, Floats]:
            x, y = change.transform(easts, norths)
            column, row = inverse @ (np.asarray(x), np.asarray(y))
            return row - 0.5, column - 0.5

        return locate

    def grid_turn(self, grid: Grid) -> Turn | None:
        """Return the turn from the axes of its CRS, which may be the grid's."""
        if self.crs is None or (grid.crs is not None and same(self.crs, grid.crs)):
            return no_turn(grid.shape)
        return turn_from_raster(grid, self.crs)


@dataclass(frozen=True, eq=False)
class AxisRaster(RasterLocations):
    """A raster with a coordinate in ``crs`` for every row (``ys``) and every column (``xs``).

    Both may ascend or descend. Longitudes may count to 360 or to ±180, and wrap around.
    """

    ys: Floats
    xs: Floats
    crs: str

    @property
    def raster(self) -> tuple[int, int]:
        """Its rows and columns."""
        return len(self.ys), len(self.xs)

    def _locate(self, grid: Grid) -> Locate | None:
        assert grid.crs is not None
        change, index_x = transformer(grid.crs, self.crs), _index_lon if self.crs == WGS84 else _index

        def locate(easts: Floats, norths: Floats) -> tuple[Floats, Floats]:
            across, along = np.broadcast_arrays(easts, norths)
            x, y = change.transform(across, along)
            return _index(self.ys, np.asarray(y)), index_x(self.xs, np.asarray(x))

        return locate

    def grid_turn(self, grid: Grid) -> Turn | None:
        """Return the turn from the axes of its CRS."""
        return turn_from_raster(grid, self.crs)


def _index(axis: Floats, at: Floats) -> Floats:
    """Return the fractional index of ``at`` along an axis that runs one way.

    Beyond its ends it goes on by the last step.
    """
    if len(axis) == 1:
        # A single row or column has no step that could be exceeded: it serves within a degree, or 100 km.
        reach = 1.0 if np.abs(axis[0]) <= 360.0 else 100_000.0
        return np.where(np.abs(at - axis[0]) <= reach, 0.0, np.inf)
    ordered = axis if axis[0] < axis[-1] else axis[::-1]
    found = np.interp(at, ordered, np.arange(len(axis), dtype=np.float64))
    found = np.where(at < ordered[0], (at - ordered[0]) / (ordered[1] - ordered[0]), found)
    last = ordered[-1] - ordered[-2]
    found = np.where(at > ordered[-1], len(axis) - 1 + (at - ordered[-1]) / last, found)
    found = np.where(np.isfinite(at), found, np.nan)
    return found if axis[0] < axis[-1] else len(axis) - 1 - found


def _index_lon(axis: Floats, at: Floats) -> Floats:
    """Return :func:`_index` of longitudes, each brought to within half a turn of the axis's middle first.

    An axis that jumps back once is unrolled; one that runs one way is kept, also where it leaves out half the Earth.
    """
    steps = np.diff(axis)
    unrolled = axis if (steps > 0.0).all() or (steps < 0.0).all() else np.unwrap(axis, period=360.0)
    middle = 0.5 * (unrolled[0] + unrolled[-1])
    return _index(unrolled, middle + (at - middle + 180.0) % 360.0 - 180.0)


_ITERATIONS = 12
_CLOSE = 1e-4


@dataclass(frozen=True, eq=False)
class CurvedRaster(RasterLocations):
    """Longitudes and latitudes ``[n, m]`` of the centres of a raster's cells, in degrees."""

    lons: Floats
    lats: Floats

    @property
    def raster(self) -> tuple[int, int]:
        """Its rows and columns."""
        return self.lons.shape[0], self.lons.shape[1]

    def _locate(self, grid: Grid) -> Locate | None:
        raster = self._around(grid)
        return None if raster is None else lambda x, y: raster.index(*np.broadcast_arrays(x, y))

    def grid_turn(self, grid: Grid) -> Turn | None:
        """Return the turn from the directions in which its columns and rows run near ``grid``."""
        crs, raster = grid.crs, self._around(grid)
        if raster is None or crs is None:
            return None

        def axes(lon: Floats, lat: Floats) -> Floats:
            x, y = transformer(WGS84, crs).transform(lon, lat)
            rows, columns = raster.index(np.asarray(x), np.asarray(y))
            east, north = self._direction(rows, columns, 1), self._direction(rows, columns, 0)
            # Rows may be stored from the north or from the south: a raster's north is the one nearer to the pole.
            return unit_area(np.stack([east * np.sign(east[0]), north * np.sign(north[1])], axis=1))

        return turn_from_true(grid, axes)

    def _direction(self, rows: Floats, columns: Floats, axis: int) -> Floats:
        """Return true east and north components of a step along an axis at the nearest cells."""
        at = [
            np.clip(np.rint(np.nan_to_num(values)), 0, size - 1).astype(np.intp)
            for values, size in zip((rows, columns), self.lons.shape, strict=True)
        ]
        high, low = list(at), list(at)
        high[axis] = np.minimum(at[axis] + 1, self.lons.shape[axis] - 1)
        low[axis] = np.maximum(at[axis] - 1, 0)
        one, other = tuple(high), tuple(low)
        across = (self.lons[one] - self.lons[other] + 180.0) % 360.0 - 180.0
        return np.stack([across * np.cos(np.radians(self.lats[one])), self.lats[one] - self.lats[other]])

    def _around(self, grid: Grid) -> _Projected | None:
        """Return what of the raster lies around ``grid``, in the grid's CRS; ``None`` where nothing does."""
        place = Georeference(grid).lonlat(grid.rows / 2.0, grid.columns / 2.0)
        if place is None or grid.crs is None:
            return None
        across = (self.lons - place[0] + 180.0) % 360.0 - 180.0
        distance = np.hypot(across * np.cos(np.radians(place[1])), self.lats - place[1])
        row, column = np.unravel_index(int(np.argmin(distance)), distance.shape)
        step = _step_deg(distance, int(row), int(column))
        span = max(grid.rows, grid.columns) * grid.cell_size_m / 111_000.0
        if distance[row, column] > span + 2.0 * step:
            return None
        reach = int(np.ceil(0.75 * span / step)) + 2
        rows = slice(max(int(row) - reach, 0), int(row) + reach + 1)
        columns = slice(max(int(column) - reach, 0), int(column) + reach + 1)
        x, y = transformer(WGS84, grid.crs).transform(self.lons[rows, columns], self.lats[rows, columns])
        return _Projected(np.asarray(x), np.asarray(y), rows.start, columns.start)


def _step_deg(distance: Floats, row: int, column: int) -> float:
    """Return the approximate size of the raster's cells near one of them, in degrees."""
    near = distance[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
    return max(float(np.median(near)), 1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class _Projected:
    """Eastings and northings of a part of the raster that begins at ``row`` and ``column``."""

    x: Floats
    y: Floats
    row: int
    column: int

    def index(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return fractional rows and columns of places, by Newton's method on the bilinear raster."""
        rows = np.full(x.shape, (self.x.shape[0] - 1) / 2.0)
        columns = np.full(x.shape, (self.x.shape[1] - 1) / 2.0)
        for _ in range(_ITERATIONS):
            here_x, x_down, x_across = _tangent(self.x, rows, columns)
            here_y, y_down, y_across = _tangent(self.y, rows, columns)
            determinant = x_down * y_across - x_across * y_down
            with np.errstate(divide="ignore", invalid="ignore"):
                down = ((x - here_x) * y_across - (y - here_y) * x_across) / determinant
                across = (x_down * (y - here_y) - y_down * (x - here_x)) / determinant
            rows, columns = rows + down, columns + across
            if np.nanmax(np.abs([down, across]), initial=0.0) < _CLOSE:
                break
        return rows + self.row, columns + self.column


def _tangent(values: Floats, rows: Floats, columns: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the bilinear raster at places and its slopes down and across.

    Beyond the edge its last cells go on.
    """
    top, left = (
        np.clip(np.nan_to_num(at), 0, size - 2).astype(np.intp)
        for at, size in zip((rows, columns), values.shape, strict=True)
    )
    down, across = rows - top, columns - left
    a, b = values[top, left], values[top, left + 1]
    c, d = values[top + 1, left], values[top + 1, left + 1]
    slope_down = (c - a) * (1.0 - across) + (d - b) * across
    slope_across = (b - a) * (1.0 - down) + (d - c) * down
    return a + (c - a) * down + (b - a) * across + (a - b - c + d) * down * across, slope_down, slope_across
