"""Where the raster of a NetCDF variable lies: on latitudes and longitudes, on projected axes, or on curved ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pyproj import CRS
from pyproj.exceptions import CRSError

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.crs import transformer
from firegui.io.georeference import WGS84, Georeference
from firegui.io.source_files import cells_problem
from firegui.io.weather.frames import Turn, node_lonlat, turn_from_axes, turn_from_raster
from firegui.io.weather.locations import Floats, WindLocations, WindResampler, resample_to_grid
from firegui.io.weather.netcdf_file import NetcdfVariable

Variables = Mapping[str, NetcdfVariable]

MOST_AXIS = 100_000

_LAT_UNITS = ("degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn")
_LON_UNITS = ("degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese")
_LAT_NAMES, _LON_NAMES = (
    ("lat", "latitude", "xlat", "nav_lat", "gridlat_0"),
    ("lon", "longitude", "xlong", "nav_lon", "gridlon_0"),
)
_Y, _X = "projection_y_coordinate", "projection_x_coordinate"


@dataclass(frozen=True, slots=True, eq=False)
class Axes:
    """The dimensions of rows and columns by name, where they lie, and whether they are latitudes and longitudes."""

    dimensions: tuple[str, str]
    places: WindLocations
    geographic: bool
    notes: tuple[str, ...] = ()


def find_axes(variables: Variables, variable: NetcdfVariable, where: str, problems: Problems) -> Axes | None:
    """The axes of ``variable``: 1-D latitudes and longitudes, else 1-D projected coordinates, else 2-D latitudes.

    Projected coordinates need a grid mapping. What is wrong is added to ``problems`` and ``None`` returned.
    """
    lat, lon = (_along(variables, variable, kind) for kind in ("lat", "lon"))
    if lat is not None and lon is not None:
        return _axes(variable, lat, lon, WGS84, where, problems)
    y, x = (_along(variables, variable, kind) for kind in ("y", "x"))
    crs = _mapping(variables, variable)
    if y is not None and x is not None and crs is not None:
        return _axes(variable, y, x, crs, where, problems)
    lat, lon = (_curved(variables, variable, kind) for kind in ("lat", "lon"))
    if lat is not None and lon is not None:
        return _curved_axes(lat, lon, where, problems)
    names = ", ".join(variable.dimensions)
    what = f"does not say where {variable.name} ({names}) lies: no latitudes and longitudes, no grid mapping"
    problems.add(where, what, "give the file with its coordinate variables")
    return None


def _kind(item: NetcdfVariable) -> str | None:
    """``lat``, ``lon``, ``y`` or ``x`` for a coordinate variable."""
    units, standard, name = item.text("units").lower(), item.text("standard_name"), item.name.lower()
    if units in _LAT_UNITS or standard == "latitude" or name in _LAT_NAMES:
        return "lat"
    if units in _LON_UNITS or standard == "longitude" or name in _LON_NAMES:
        return "lon"
    if standard == _Y or name in ("y", "northing", "northings", "south_north"):
        return "y"
    return "x" if standard == _X or name in ("x", "easting", "eastings", "west_east") else None


def _along(variables: Variables, variable: NetcdfVariable, kind: str) -> NetcdfVariable | None:
    """The 1-D coordinate of a kind along one of the variable's dimensions."""
    found = (
        item for item in variables.values()
        if len(item.dimensions) == 1 and item.dimensions[0] in variable.dimensions and _kind(item) == kind
    )  # fmt: skip
    return next(found, None)


def _curved(variables: Variables, variable: NetcdfVariable, kind: str) -> NetcdfVariable | None:
    """The coordinate of a kind over two of the variable's dimensions."""
    for item in variables.values():
        within = len(item.dimensions) == 2 and set(item.dimensions) <= set(variable.dimensions)
        if within and _kind(item) == kind:
            return item
    return None


def _mapping(variables: Variables, variable: NetcdfVariable) -> str | None:
    """The CRS of the variable's grid mapping, as WKT."""
    name = variable.text("grid_mapping").split(":")[0].strip()
    named = [variables[name]] if name in variables else []
    for item in named or [item for item in variables.values() if "grid_mapping_name" in item.attributes]:
        text = item.text("crs_wkt") or item.text("spatial_ref")
        plain = {key: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
                 for key, value in item.attributes.items()}  # fmt: skip
        try:
            return str((CRS.from_wkt(text) if text else CRS.from_cf(plain)).to_wkt())
        except (CRSError, KeyError, ValueError, TypeError):
            continue
    return None


def _axes(
    variable: NetcdfVariable, down: NetcdfVariable, across: NetcdfVariable, crs: str, where: str, problems: Problems
) -> Axes | None:
    values = []
    for item in (down, across):
        found = _axis_values(item, where, problems)
        if found is None:
            return None
        values.append(found * (_metres(item) if crs != WGS84 else 1.0))
    problem = cells_problem(where, len(values[0]), len(values[1]))
    if problem is not None:
        problems.extend([problem])
        return None
    geographic = CRS.from_user_input(crs).is_geographic
    if crs == WGS84 and np.abs(values[0]).max() > 90.0:
        problems.add(f"{where}, {down.name}", f"reaches {np.abs(values[0]).max():g}°", "give latitudes of −90 to 90")
        return None
    return Axes((down.dimensions[0], across.dimensions[0]), AxisRaster(values[0], values[1], crs), geographic)


def _axis_values(item: NetcdfVariable, where: str, problems: Problems) -> Floats | None:
    """A coordinate's values, which must run one way."""
    size = item.shape[0]
    if not 1 <= size <= MOST_AXIS:
        problems.add(f"{where}, {item.name}", f"has {size:,} values", f"give 1 to {MOST_AXIS:,}")
        return None
    try:
        values = item.values()
    except OSError as error:
        problems.add(where, str(error), "get the file again from where it came")
        return None
    steps = np.diff(values)
    if not np.isfinite(values).all() or not ((steps > 0).all() or (steps < 0).all()):
        # Longitudes may jump once, where 360 becomes 0 or 180 becomes −180.
        wraps = _kind(item) == "lon" and np.isfinite(values).all() and np.count_nonzero(np.diff(np.sign(steps))) <= 2
        if not wraps or len(np.unique(values % 360.0)) != size:
            problems.add(f"{where}, {item.name}", "does not run one way", "put its values in order, each once")
            return None
    return values


def _metres(item: NetcdfVariable) -> float:
    return 1000.0 if item.text("units").strip().lower() in ("km", "kilometer", "kilometers", "kilometre") else 1.0


def _curved_axes(lat: NetcdfVariable, lon: NetcdfVariable, where: str, problems: Problems) -> Axes | None:
    if lat.dimensions != lon.dimensions or lat.shape != lon.shape or min(lat.shape) < 2:
        problems.add(where, f"{lat.name} and {lon.name} are not on one raster", "give both on the wind's raster")
        return None
    problem = cells_problem(where, *lat.shape)
    if problem is not None:
        problems.extend([problem])
        return None
    try:
        lats, lons = lat.values(), lon.values()
    except OSError as error:
        problems.add(where, str(error), "get the file again from where it came")
        return None
    if not (np.isfinite(lats).all() and np.isfinite(lons).all() and np.abs(lats).max() <= 90.0):
        problems.add(where, f"{lat.name} or {lon.name} holds what is no place", "give degrees in every cell")
        return None
    return Axes((lat.dimensions[0], lat.dimensions[1]), CurvedRaster(lons, lats), False)


@dataclass(frozen=True, slots=True, eq=False)
class AxisRaster:
    """A raster with a coordinate for every row (``ys``) and every column (``xs``) in ``crs``, either way round.

    Longitudes may count to 360 or to ±180, and wrap around.
    """

    ys: Floats
    xs: Floats
    crs: str

    @property
    def raster(self) -> tuple[int, int]:
        """Its rows and columns."""
        return len(self.ys), len(self.xs)

    @property
    def text(self) -> str:
        """Its size."""
        return f"{len(self.ys):,} × {len(self.xs):,} cells"

    def on(self, grid: Grid, where: str, problems: Problems) -> WindResampler | None:
        """Interpolated onto the cells of ``grid``."""
        if grid.crs is None or grid.transform is None:
            problems.add(where, "has a place, the layers have none", "give layers with a CRS and a transform")
            return None
        change = transformer(grid.crs, self.crs)
        wraps = self.crs == WGS84

        def locate(easts: Floats, norths: Floats) -> tuple[Floats, Floats]:
            across, along = np.broadcast_arrays(easts, norths)
            x, y = change.transform(across, along)
            return _index(self.ys, np.asarray(y)), _index_lon(self.xs, np.asarray(x)) if wraps else _index(self.xs, x)

        return resample_to_grid(grid, self.raster, locate, where, problems)

    def grid_turn(self, grid: Grid) -> Turn | None:
        """From the axes of its CRS."""
        return turn_from_raster(grid, self.crs)


def _index(axis: Floats, at: Floats) -> Floats:
    """Fractional index of ``at`` along an axis that runs one way, linear beyond its ends by its last step."""
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
    """:func:`_index` of longitudes, each brought to within half a turn of the axis's middle first.

    An axis that jumps back once is unrolled; one that runs one way is kept, also where it leaves out half the Earth.
    """
    steps = np.diff(axis)
    unrolled = axis if (steps > 0.0).all() or (steps < 0.0).all() else np.unwrap(axis, period=360.0)
    middle = 0.5 * (unrolled[0] + unrolled[-1])
    return _index(unrolled, middle + (at - middle + 180.0) % 360.0 - 180.0)


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

    def on(self, grid: Grid, where: str, problems: Problems) -> WindResampler | None:
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

        return resample_to_grid(grid, self.raster, locate, where, problems)

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
