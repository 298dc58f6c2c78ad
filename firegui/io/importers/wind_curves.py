"""A raster whose cells have a longitude and a latitude each, as weather models on projected grids often come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.crs import transformer
from firegui.io.georeference import WGS84, Georeference
from firegui.io.importers.wind_frames import Turn, node_lonlat, turn_from_axes
from firegui.io.importers.wind_places import Floats, Laid, laid

_ITERATIONS = 12
_CLOSE = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class CurvedRaster:
    """Longitudes and latitudes ``[n, m]`` of the centres of a raster's cells, in degrees."""

    lons: Floats
    lats: Floats

    @property
    def raster(self) -> tuple[int, int]:
        """Its rows and columns."""
        return self.lons.shape[0], self.lons.shape[1]

    @property
    def text(self) -> str:
        """Its size."""
        return f"{self.lons.shape[0]:,} × {self.lons.shape[1]:,} cells"

    def on(self, grid: Grid, where: str, problems: Problems) -> Laid | None:
        """Interpolated onto the cells of ``grid``, between neighbours on the raster."""
        if grid.crs is None or grid.transform is None:
            problems.add(where, "has a place, the layers have none", "give layers with a CRS and a transform")
            return None
        raster = self._around(grid)
        if raster is None:
            problems.add(where, "lies off the raster of the layers", "check its longitudes and latitudes")
            return None

        def locate(easts: Floats, norths: Floats) -> tuple[Floats, Floats]:
            x, y = np.broadcast_arrays(easts, norths)
            return raster.index(x, y)

        return laid(grid, self.raster, locate, where, problems)

    def grid_turn(self, grid: Grid) -> Turn | None:
        """From the directions in which its columns and rows run near ``grid``."""
        places, raster = node_lonlat(grid), self._around(grid)
        if places is None or raster is None or grid.crs is None:
            return None
        x, y = transformer(WGS84, grid.crs).transform(*places)
        rows, columns = raster.index(np.asarray(x), np.asarray(y))
        east = self._direction(rows, columns, 1)
        north = self._direction(rows, columns, 0)
        # Rows may be stored from the north or from the south: a raster's north is the one nearer to the pole.
        return turn_from_axes(grid, east * np.sign(east[0]), north * np.sign(north[1]))

    def _direction(self, rows: Floats, columns: Floats, axis: int) -> Floats:
        """True east and north components of a step along an axis at the nearest cells."""
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
        """What of the raster lies around ``grid``, in the grid's CRS; ``None`` where nothing does."""
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
    """About the size of the raster's cells near one of them, in degrees."""
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
        """Fractional rows and columns of places, by Newton's method on the bilinear raster."""
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
    """The bilinear raster at places and its slopes down and across; beyond the edge its last cells go on."""
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
