"""From where a wind file has its values to every cell of a grid.

Rasters are interpolated bilinearly between the centres of their cells; outside of the outermost centres the nearest
stands in. Stations are weighted by their inverse squared distance (Shepard 1968, Proc. 23rd ACM National Conference,
517–524, with power 2). A place without a value takes no part, and a cell that none of its places serves has none.

Directions count from the pole, from the top of a file's raster or from the top of the grid; a :class:`Turn` takes one
into another. Grid north and true north differ by the grid convergence, which grows away from a projection's central
meridian: 0.7° on the Bear fire in California Albers, 3° at the edge of a UTM zone. At every place the Jacobian of the
projection takes a true east–north vector to the grid's axes: to first order what the projection itself does to a short
arrow, so shear of an equal-area projection is in it as well. Only its direction is used; speeds are never changed. A
Jacobian field is worked out on a coarse lattice and interpolated: it is smooth over a fire.

GDAL's own bilinear resampling has no value beyond the outermost centres, and knows no axes of uneven steps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.crs import transformer
from firegui.io.georeference import WGS84, Georeference

Floats = NDArray[np.float64]

_BAND = 256
_CACHED_ROWS = 64
"""Rows that are interpolated together: what they take in between stays in the processor's cache."""
_AT_ONCE = 1e-9
_FAR_M = 300_000.0


@dataclass(frozen=True, slots=True)
class Window:
    """The rows and columns of a file's raster that a grid needs."""

    rows: slice
    columns: slice

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the window."""
        return self.rows.stop - self.rows.start, self.columns.stop - self.columns.start


Cells = tuple[NDArray[np.intp] | slice, NDArray[np.intp] | slice]
"""Rows and columns of the cells of a grid, all of them with ``ALL_CELLS``."""
ALL_CELLS: Cells = (slice(None), slice(None))


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The places of a file against one grid.

    ``spread`` brings values ``[K, …]`` at the places (of the window) to some cells, ``[K, rows, columns]``, NaN where
    there is none; a place without a value in the first of the ``K`` has none in any. ``window`` is what of the file's
    raster is to be read, ``None`` where it has no raster. ``notes`` say what was assumed. ``distance`` is how many
    cells two neighbouring places lie apart, at least.
    """

    spread: Callable[[Floats, Cells], Floats]
    window: Window | None = None
    notes: tuple[str, ...] = ()
    distance: float = math.inf


class WindLocations(ABC):
    """Where the values of a file lie."""

    @property
    def raster(self) -> tuple[int, int] | None:
        """Rows and columns of the file's raster; ``None`` where it has none."""
        return None

    @property
    @abstractmethod
    def text(self) -> str:
        """In words for people: ``70 × 90 cells (width × height)``, ``3 stations``."""

    @abstractmethod
    def on(self, grid: Grid, where: str, problems: Problems) -> Placement | None:
        """Place the values on ``grid``; what is wrong is added to ``problems`` under ``where``."""

    def grid_turn(self, grid: Grid) -> Turn | None:
        """Return the turn from the file's own axes to those of ``grid``; ``None`` where the file has none."""
        return None


class Everywhere(WindLocations):
    """One value for the whole raster."""

    text = "one place for the whole raster"

    def on(self, grid: Grid, where: str, problems: Problems) -> Placement | None:
        """Place the value in every cell."""
        rows, columns = np.arange(grid.rows), np.arange(grid.columns)

        def spread(values: Floats, cells: Cells) -> Floats:
            shape = len(rows[cells[0]]), len(columns[cells[1]])
            return np.stack([np.full(shape, value.ravel()[0]) for value in values])

        return Placement(spread)


@dataclass(frozen=True, eq=False)
class Stations(WindLocations):
    """Points at longitudes and latitudes, in degrees."""

    lons: Floats
    lats: Floats

    @property
    def text(self) -> str:
        """How many."""
        return f"{len(self.lons)} station{'' if len(self.lons) == 1 else 's'}"

    def on(self, grid: Grid, where: str, problems: Problems) -> Placement | None:
        """Weigh the stations by inverse squared distance in the grid's CRS."""
        if not grid.is_georeferenced or grid.crs is None:
            problems.add(where, "its stations have a place, the layers have none", "give layers with a CRS")
            return None
        easts, norths = transformer(WGS84, grid.crs).transform(self.lons, self.lats)
        nearest = self._nearest_m(grid, np.asarray(easts), np.asarray(norths))
        if not nearest <= _FAR_M:
            what = f"its nearest station lies {nearest / 1000:,.0f} km from the raster"
            problems.add(where, what, "check its longitudes (east positive) and latitudes, or leave the columns out")
            return None
        far = [f"The nearest station lies {nearest / 1000:,.0f} km from the raster."] if nearest > 0.0 else []
        if len(self.lons) == 1:
            weights, said = np.ones((1, *grid.shape), np.float32), "One station stands for the whole raster."
        else:
            weights = _shepard(grid, easts, norths)
            said = f"Between {self.text} the wind is weighted by the inverse square of the distance."

        def spread(values: Floats, cells: Cells) -> Floats:
            known = np.isfinite(values[0])
            there = weights[known][:, cells[0]][:, :, cells[1]]
            if not known.any():
                return np.full((len(values), *there.shape[1:]), np.nan)
            total = np.tensordot(values[:, known], there, axes=(1, 0))
            return np.asarray(total / there.sum(axis=0, dtype=np.float64))

        # The wind bends sharply around a station.
        return Placement(spread, None, (*far, said), distance=1.0)

    def _nearest_m(self, grid: Grid, easts: Floats, norths: Floats) -> float:
        """Return metres from the raster's edge to the nearest station; 0 inside, NaN where none can be placed."""
        west, north = grid.to_world(-0.5, -0.5)
        east, south = grid.to_world(grid.rows - 0.5, grid.columns - 0.5)
        across = np.maximum(np.maximum(west - easts, easts - east), 0.0)
        along = np.maximum(np.maximum(south - norths, norths - north), 0.0)
        distance = np.hypot(across, along)
        finite = distance[np.isfinite(distance)]
        unit = grid.cell_size_m / ((east - west) / grid.columns)
        return float(finite.min()) * unit if finite.size else float("nan")


def _shepard(grid: Grid, easts: Floats, norths: Floats) -> NDArray[np.float32]:
    rows, columns = np.arange(grid.rows), np.arange(grid.columns)
    weights = np.empty((len(easts), *grid.shape), np.float32)
    for each, east, north in zip(weights, easts, norths, strict=True):
        y, x = grid.from_world(float(east), float(north))
        each[:] = 1.0 / np.maximum((rows[:, None] - y) ** 2 + (columns[None, :] - x) ** 2, _AT_ONCE)
    return weights


def bilinear(values: Floats, rows: NDArray[np.float32], columns: NDArray[np.float32]) -> Floats:
    """Return ``values [K, h, w]`` at fractional rows and columns, the nearest beyond the edge.

    A corner that is NaN in the first of the ``K`` takes no part: the weights of the others are made up to 1; without
    any the result is NaN.
    """
    h, w = values.shape[1:]
    rows, columns = np.clip(rows, 0, h - 1), np.clip(columns, 0, w - 1)
    top, left = np.minimum(rows.astype(np.intp), max(h - 2, 0)), np.minimum(columns.astype(np.intp), max(w - 2, 0))
    down, right = (rows - top).astype(np.float64), (columns - left).astype(np.float64)
    known = np.isfinite(values[0])
    whole = bool(known.all())
    # Taking from flat rows, one at a time, is several times faster than by rows and columns from all of them.
    filled = (values if whole else np.where(known, values, 0.0)).reshape(len(values), h * w)
    total, weight = np.zeros((len(values), *rows.shape)), np.zeros(rows.shape)
    for low, along in ((top, 1.0 - down), (np.minimum(top + 1, h - 1), down)):
        for side, across in ((left, 1.0 - right), (np.minimum(left + 1, w - 1), right)):
            cells, share = low * w + side, along * across
            if not whole:
                share *= known.ravel().take(cells)
                weight += share
            for each, one in zip(total, filled, strict=True):
                each += one.take(cells) * share
    if whole:
        return total
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(weight > 1e-6, total / weight, np.nan))


Locate = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Fractional rows and columns (centres at whole numbers) of a file's raster at eastings and northings of a grid."""


def use_as_is(shape: tuple[int, int]) -> Placement:
    """Place a raster that lies cell on cell on the grid."""

    # Adding 0 turns −0 into 0, as the weights of an interpolation do: its direction is π and not −π.
    def spread(values: Floats, cells: Cells) -> Floats:
        return np.asarray(values[:, cells[0]][:, :, cells[1]] + 0.0)

    return Placement(spread, Window(slice(0, shape[0]), slice(0, shape[1])), distance=1.0)


def resample_to_grid(
    grid: Grid, shape: tuple[int, int], locate: Locate, where: str, problems: Problems
) -> Placement | None:
    """Place a raster of ``shape`` on ``grid``.

    ``locate`` takes eastings and northings of the grid to its rows and columns. The window is what the grid's cells lie
    between. A raster that does not touch the grid is a problem; cells beyond its edge are said in the notes.
    """
    at, base = _located(grid, locate)
    rows, columns = at[0] + np.float32(base[0]), at[1] + np.float32(base[1])
    inside = (rows > -0.5) & (rows < shape[0] - 0.5) & (columns > -0.5) & (columns < shape[1] - 0.5)
    if not inside.any():
        problems.add(where, "lies off the raster of the layers", "check its CRS, transform or coordinates")
        return None
    window = Window(_between(rows, shape[0]), _between(columns, shape[1]))
    at -= np.array([window.rows.start - base[0], window.columns.start - base[1]], np.float32)[:, None, None]
    outside = int((~inside).sum())
    share = f"{outside:,} of {inside.size:,} cells"
    notes = (f"The wind file does not reach {share}: its nearest wind stands in there.",) if outside else ()
    steps = [np.abs(np.diff(at, axis=axis)) for axis in (1, 2)]
    longest = max((float(np.nanmax(step)) for step in steps if np.isfinite(step).any()), default=0.0)
    return Placement(_in_bands(np.nan_to_num(at)), window, notes, 1.0 / longest if longest else math.inf)


def _in_bands(at: NDArray[np.float32]) -> Callable[[Floats, Cells], Floats]:
    """Interpolate at fractional rows and columns ``[2, H, W]``, some rows at a time."""

    def spread(values: Floats, cells: Cells) -> Floats:
        rows, columns = (part[cells[0]][:, cells[1]] for part in at)
        result = np.empty((len(values), *rows.shape))
        for first in range(0, result.shape[1], _CACHED_ROWS):
            band = slice(first, first + _CACHED_ROWS)
            result[:, band] = bilinear(values, rows[band], columns[band])
        return result

    return spread


_FARTHEST = 1e9
"""Cells from the raster's first one beyond which a place is none: float32 need not hold it."""


def _located(grid: Grid, locate: Locate) -> tuple[NDArray[np.float32], tuple[float, float]]:
    """Return rows and columns ``[2, H, W]`` less whole numbers near their middle, and these.

    Around the middle float32 keeps a grid that is the file's own on its cells, wherever in the file it lies.
    """
    at, base = np.empty((2, *grid.shape), np.float32), (float("nan"), float("nan"))
    assert grid.transform is not None
    a, b, c, d, e, f = grid.transform
    columns = np.arange(grid.columns) + 0.5
    for first in range(0, grid.rows, _BAND):
        rows = np.arange(first, min(first + _BAND, grid.rows))[:, np.newaxis] + 0.5
        with np.errstate(over="ignore", invalid="ignore"):  # of places immeasurably far away
            places = locate(a * columns + b * rows + c, d * columns + e * rows + f)
        found = [np.where(np.abs(values) < _FARTHEST, values, np.nan) for values in places]
        if not np.isfinite(base).all():
            finite = [values[np.isfinite(values)] for values in found]
            row, column = (float(np.round(values.mean())) if values.size else 0.0 for values in finite)
            base = row, column
        at[:, first : first + _BAND] = np.stack([found[0] - base[0], found[1] - base[1]])
    return at, base


def _between(values: NDArray[np.float32], size: int) -> slice:
    """Return the indices that ``values`` lie between, of ``size``."""
    known = values[np.isfinite(values)]
    low, high = np.clip([np.floor(known.min()), np.floor(known.max()) + 1], 0, size - 1)
    return slice(int(low), int(high) + 1)


_NODES = 33
_STEP_DEG = 1e-4
"""About 11 m: far above the rounding of a projected coordinate, far below any change of the convergence."""


class Turn:
    """Rotation of vectors in one frame to directions on a grid, by a 2 × 2 matrix at every cell.

    ``matrices [2, 2, n, m]`` are given on nodes that are spread evenly from the first to the last row and column.
    """

    def __init__(self, matrices: Floats, shape: tuple[int, int]) -> None:
        self._nodes = matrices
        each = zip(matrices.shape[2:], shape, strict=True)
        self._rows, self._columns = (np.linspace(0.0, nodes - 1.0, size) for nodes, size in each)

    @property
    def largest_deg(self) -> float:
        """The largest angle between the frame's north and the grid's, in degrees."""
        return float(np.degrees(np.abs(np.arctan2(self._nodes[0, 1], self._nodes[1, 1])).max()))

    def towards(self, u: Floats, v: Floats, cells: Cells = ALL_CELLS) -> NDArray[np.float32]:
        """Return where ``(u, v)`` blow in some cells, each ``[rows, columns]``.

        The angle is in radians counter-clockwise from the grid's east, in (−π, π].
        """
        rows, columns = self._rows[cells[0]], self._columns[cells[1]]
        across = _between_nodes(self._nodes, columns, axis=-1)
        towards = np.empty(u.shape, np.float32)
        # In bands of rows: the matrices of all cells at once would take more room than the wind itself.
        for first in range(0, len(u), _CACHED_ROWS):
            band = slice(first, first + _CACHED_ROWS)
            (a, b), (c, d) = _between_nodes(across, rows[band], axis=-2)
            towards[band] = np.arctan2(c * u[band] + d * v[band], a * u[band] + b * v[band])
        return towards


def no_turn(shape: tuple[int, int]) -> Turn:
    """Return the turn of a frame that is the grid's own."""
    return Turn(np.eye(2)[:, :, np.newaxis, np.newaxis], shape)


def turn_from_true(grid: Grid, axes: Callable[[Floats, Floats], Floats] | None = None) -> Turn | None:
    """Return the turn from true east and north to the axes of ``grid``.

    ``None`` on a grid without a place. For another frame ``axes`` gives its east (first column) and north as true
    vectors ``[2, 2, …]`` at longitudes and latitudes.
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
    """Return the Jacobian ``[2, 2, …]`` of a projection.

    It is the image in ``crs`` of true unit vectors east (first column) and north at places, scale removed. Central
    differences of the projection over 0.0001° of longitude and latitude, which are brought to equal lengths by the
    radii of curvature of WGS 84.
    """
    change = transformer(WGS84, crs)
    east = _difference(change.transform(lon + _STEP_DEG, lat), change.transform(lon - _STEP_DEG, lat))
    north = _difference(change.transform(lon, lat + _STEP_DEG), change.transform(lon, lat - _STEP_DEG))
    meridian, parallel = _radii(lat)
    return unit_area(np.stack([east / parallel, north / meridian], axis=1))


def _radii(lat: Floats) -> tuple[Floats, Floats]:
    """Return metres per radian along the meridian and the parallel, on the ellipsoid of WGS 84."""
    a, e2 = 6378137.0, 6.69437999014e-3
    sine = np.sin(np.radians(lat))
    root = np.sqrt(1.0 - e2 * sine**2)
    return a * (1.0 - e2) / root**3, a / root * np.cos(np.radians(lat))


def _difference(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> Floats:
    return np.stack([one[0] - other[0], one[1] - other[1]])


def unit_area(matrices: Floats) -> Floats:
    """Return matrices ``[2, 2, …]`` scaled to determinants of 1 or −1; NaN where they have none."""
    (a, b), (c, d) = matrices
    area = np.abs(a * d - b * c)
    return np.asarray(matrices / np.sqrt(np.where(area > 0.0, area, np.nan)))


def _between_nodes(values: Floats, at: Floats, axis: int) -> Floats:
    """Return ``values`` at fractional indices along one of the last two axes, by linear interpolation."""
    last = values.shape[axis] - 1
    low = np.minimum(at.astype(np.intp), max(last - 1, 0))
    share = at - low if axis == -1 else (at - low)[:, np.newaxis]
    lower, upper = values.take(low, axis), values.take(np.minimum(low + 1, last), axis)
    return np.asarray(lower * (1.0 - share) + upper * share)
