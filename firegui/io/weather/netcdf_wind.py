"""Wind from NetCDF.

The wind is u and v, such as ``u10`` and ``v10`` of ERA5, or speed and direction. The raster has axes of latitude and
longitude, projected axes, or 2-D latitudes and longitudes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from pyproj import CRS
from pyproj.exceptions import CRSError

from firegui.errors import Problems
from firegui.io.crs import parse
from firegui.io.georeference import WGS84
from firegui.io.source_files import cells_problem
from firegui.io.weather.conventions import Components, Height, North, ParsedName, Role, Sense, TimeBasis, parse_name
from firegui.io.weather.locations import Floats, WindLocations, Window
from firegui.io.weather.netcdf_air import netcdf_air
from firegui.io.weather.netcdf_file import NetcdfVariable
from firegui.io.weather.raster_locations import AxisRaster, CurvedRaster
from firegui.io.weather.series import WindField, WindSeries, choose_pair, one_by_one, said_conventions
from firegui.io.weather.time_axis import MOST_SAMPLES, Stamps, TimeError, check_ascending, decode_times

Variables = Mapping[str, NetcdfVariable]

_MOST_COORDINATES = 100_000
_STANDARD_NAMES = {
    "eastward_wind": ParsedName(Role.U, north=North.TRUE),
    "northward_wind": ParsedName(Role.V, north=North.TRUE),
    "grid_eastward_wind": ParsedName(Role.U, north=North.GRID),
    "grid_northward_wind": ParsedName(Role.V, north=North.GRID),
    "x_wind": ParsedName(Role.U, north=North.GRID),
    "y_wind": ParsedName(Role.V, north=North.GRID),
    "wind_speed": ParsedName(Role.SPEED),
    "wind_from_direction": ParsedName(Role.DIRECTION, sense=Sense.FROM),
    "wind_to_direction": ParsedName(Role.DIRECTION, sense=Sense.TOWARDS),
}
"""Wind variables by their standard name in the CF conventions."""

_TIME_NAMES = ("valid_time", "time", "Time", "Times", "t", "date", "datetime")
_VERSION_DIMENSION = "expver"


def netcdf_series(
    variables: Variables, components: Components | None, where: str, problems: Problems
) -> WindSeries | None:
    """Return the wind of an opened file, or ``None`` with problems.

    ``components`` chooses between u and v and speed and direction, for a file with both. ``problems`` must be empty.
    """
    pair = _choose(variables, components, where, problems)
    if pair is None:
        return None
    kind, one, other = pair
    if one.dimensions != other.dimensions or one.shape != other.shape:
        what = f"{one.name} {list(one.shape)} and {other.name} {list(other.shape)} are not on the same dimensions"
        problems.add(where, what, "give both parts of the wind on one grid and at the same times")
        return None
    axes = _find_axes(variables, one, where, problems)
    layout = None if axes is None else _layout(variables, one, axes.dimensions, where, problems)
    if axes is None or layout is None:
        return None
    count = 1 if layout.time is None else one.shape[one.dimensions.index(layout.time)]
    if count > MOST_SAMPLES or count < 1:
        problems.add(where, f"holds {count:,} times", f"give 1 to {MOST_SAMPLES:,}, cut to the days of the fire")
        return None
    stamps = _stamps(variables, layout.time, where, problems)
    read = partial(_read_time, layout, axes.dimensions)
    fields = (
        WindField(one.name, _parsed_name(one), one.text("units").strip(), one_by_one(partial(read, one))),
        WindField(other.name, _parsed_name(other), "", one_by_one(partial(read, other))),
    )
    relative = one.number("GRIB_uvRelativeToGrid", -1.0)
    north = North.TRUE if axes.geographic or relative == 0.0 else North.GRID if relative == 1.0 else None
    said = said_conventions(kind, fields, where, problems, north, TimeBasis.UTC)
    air, note = netcdf_air(variables, one, read)
    notes = (f"Wind from {one.name} and {other.name} of {where}.", *layout.notes, *([note] if note else []))
    return None if problems else WindSeries(
        "NetCDF", where, said, count, stamps, axes.places, fields, notes, air=air
    )  # fmt: skip


def _choose(
    variables: Variables, components: Components | None, where: str, problems: Problems
) -> tuple[Components, NetcdfVariable, NetcdfVariable] | None:
    """Return the two variables of the wind.

    u and v are preferred to speed and direction, and variables at 10 m to all others.
    """
    found: dict[Role, list[tuple[NetcdfVariable, ParsedName]]] = {}
    for variable in variables.values():
        parsed = _parsed_name(variable)
        if parsed is not None and len(variable.dimensions) >= 2 and variable.is_numeric:
            found.setdefault(parsed.role, []).append((variable, parsed))
    pair = choose_pair({role: _preferred(items) for role, items in found.items()}, components)
    if pair is None:
        held = ", ".join(name for name, item in variables.items() if len(item.dimensions) >= 2) or "none"
        wanted = "u and v, or speed and direction" if components is None else f"{components} of the wind"
        what = f"holds no wind that is recognised (variables: {held})"
        problems.add(where, what, f"give {wanted}, named u10 and v10")
        return None
    kind, first, second = pair
    if len(first) == len(second) == 1:
        return kind, first[0], second[0]
    names = ", ".join(item.name for item in (*first, *second))
    problems.add(where, f"holds several winds ({names})", "keep the two of one height in the file")
    return None


def _preferred(found: Sequence[tuple[NetcdfVariable, ParsedName]]) -> list[NetcdfVariable]:
    at_10 = [variable for variable, parsed in found if parsed.height is Height.M10]
    return at_10 or [variable for variable, _ in found]


def _parsed_name(variable: NetcdfVariable) -> ParsedName | None:
    by_name = parse_name(variable.name)
    by_standard = _STANDARD_NAMES.get(variable.text("standard_name"))
    if by_standard is None or by_name is None:
        return by_standard or by_name
    return replace(by_standard, height=by_name.height, unit=by_name.unit)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Use of the dimensions of a wind variable besides its rows and columns.

    ``time`` is the dimension of times, ``chosen`` the index along each dimension of which one entry is used, and
    ``merged`` the dimension of versions of the data.
    """

    time: str | None
    chosen: Mapping[str, int]
    merged: str | None
    notes: tuple[str, ...]


def _layout(
    variables: Variables, variable: NetcdfVariable, space: tuple[str, str], where: str, problems: Problems
) -> _Layout | None:
    time = _time_dimension(variables, variable, space)
    chosen: dict[str, int] = {}
    merged, notes = None, []
    for name, size in zip(variable.dimensions, variable.shape, strict=True):
        if name in space or name == time:
            continue
        if size == 1:
            chosen[name] = 0
        elif name == _VERSION_DIMENSION and size <= 4:
            merged = name
            notes.append(f"{variable.name} comes in {size} versions ({name}): the first that has a value is taken.")
        elif (level := _ten_metres(variables.get(name), size)) is not None:
            chosen[name] = level
            notes.append(f"Of {size} heights ({name}) that of 10 m is taken.")
        else:
            what = f"{variable.name} has {size:,} entries along {name}, beside its times and places"
            problems.add(where, what, "keep one (one height, one member) in the file")
            return None
    return _Layout(time, chosen, merged, tuple(notes))


def _time_dimension(variables: Variables, variable: NetcdfVariable, space: tuple[str, str]) -> str | None:
    rest = [name for name in variable.dimensions if name not in space]
    for name in rest:
        coordinate = variables.get(name)
        if " since " in (coordinate.text("units") if coordinate is not None else ""):
            return name
    for coordinate in variables.values():
        if (
            len(coordinate.dimensions) == 1
            and coordinate.dimensions[0] in rest
            and " since " in coordinate.text("units")
        ):
            return coordinate.dimensions[0]
    return next((name for name in rest if name in _TIME_NAMES), None)


def _ten_metres(coordinate: NetcdfVariable | None, size: int) -> int | None:
    if (
        coordinate is None
        or coordinate.shape != (size,)
        or size > 200
        or coordinate.text("units") not in ("m", "metre")
    ):
        return None
    at = np.flatnonzero(np.abs(coordinate.values() - 10.0) < 1e-3)
    return int(at[0]) if at.size == 1 else None


def _stamps(variables: Variables, time: str | None, where: str, problems: Problems) -> Stamps | None:
    """Return the times along the dimension ``time``, or ``None`` without times.

    Only times that cannot be read are a problem.
    """
    along = [item for item in variables.values() if item.dimensions == (time,) and " since " in item.text("units")]
    if not along:
        return None
    item = min(along, key=lambda item: (item.name != "valid_time", item.name != time))
    try:
        moments = decode_times(item.values(), item.text("units"), item.text("calendar"))
    except (TimeError, OSError) as error:
        problems.add(
            f"{where}, {item.name}", str(error), "give times as hours since 1900-01-01, or the first (--wind-first)"
        )
        return None
    names = [f"time {number}" for number in range(1, len(moments) + 1)]
    check_ascending(moments, f"{where}, {item.name}", names, problems)
    return Stamps(moments, in_utc=False)


def _read_time(
    layout: _Layout, space: tuple[str, str], variable: NetcdfVariable, number: int, window: Window | None
) -> Floats:
    """Return a variable at one time in a window, as ``[rows, columns]``.

    The dimensions of the variable may have any order.
    """
    indices: dict[str, int | slice] = dict(layout.chosen)
    if layout.time is not None:
        indices[layout.time] = number
    if window is not None:
        indices |= {space[0]: window.rows, space[1]: window.columns}
    values = variable.values(tuple(indices.get(name, slice(None)) for name in variable.dimensions))
    left = [name for name in variable.dimensions if name not in layout.chosen and name != layout.time]
    if layout.merged is not None:
        values = _first_with_value(values, left.index(layout.merged))
    return values.T if left.index(space[0]) > left.index(space[1]) else values


def _first_with_value(values: Floats, axis: int) -> Floats:
    """Return the first value along ``axis`` that is not missing."""
    first, *rest = np.moveaxis(values, axis, 0)
    for more in rest:
        first = np.where(np.isnan(first), more, first)
    return np.asarray(first)


_LAT_UNITS = ("degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn")
_LON_UNITS = ("degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese")
_LAT_NAMES, _LON_NAMES = (
    ("lat", "latitude", "xlat", "nav_lat", "gridlat_0"),
    ("lon", "longitude", "xlong", "nav_lon", "gridlon_0"),
)
_Y, _X = "projection_y_coordinate", "projection_x_coordinate"


@dataclass(frozen=True, slots=True, eq=False)
class _Axes:
    """Names of the dimensions of rows and columns, their locations, and whether they are geographic."""

    dimensions: tuple[str, str]
    places: WindLocations
    geographic: bool


def _find_axes(variables: Variables, variable: NetcdfVariable, where: str, problems: Problems) -> _Axes | None:
    """Return the axes of ``variable``, or ``None`` with problems.

    The first of these that the file has is used: 1-D latitudes and longitudes, 1-D projected coordinates with a grid
    mapping, 2-D latitudes and longitudes.
    """
    lat, lon = (_axis_coordinate(variables, variable, kind) for kind in ("lat", "lon"))
    if lat is not None and lon is not None:
        return _axes(variable, lat, lon, WGS84, where, problems)
    y, x = (_axis_coordinate(variables, variable, kind) for kind in ("y", "x"))
    crs = _grid_mapping_crs(variables, variable)
    if y is not None and x is not None and crs is not None:
        return _axes(variable, y, x, crs, where, problems)
    lat, lon = (_curved_coordinate(variables, variable, kind) for kind in ("lat", "lon"))
    if lat is not None and lon is not None:
        return _curved_axes(lat, lon, where, problems)
    names = ", ".join(variable.dimensions)
    what = f"does not say where {variable.name} ({names}) lies: no latitudes and longitudes, no grid mapping"
    problems.add(where, what, "give the file with its coordinate variables")
    return None


def _coordinate_kind(item: NetcdfVariable) -> str | None:
    """Return ``lat``, ``lon``, ``y`` or ``x`` for a coordinate variable."""
    units, standard, name = item.text("units").lower(), item.text("standard_name"), item.name.lower()
    if units in _LAT_UNITS or standard == "latitude" or name in _LAT_NAMES:
        return "lat"
    if units in _LON_UNITS or standard == "longitude" or name in _LON_NAMES:
        return "lon"
    if standard == _Y or name in ("y", "northing", "northings", "south_north"):
        return "y"
    return "x" if standard == _X or name in ("x", "easting", "eastings", "west_east") else None


def _axis_coordinate(variables: Variables, variable: NetcdfVariable, kind: str) -> NetcdfVariable | None:
    """Return the 1-D coordinate of a kind along a dimension of the variable."""
    found = (
        item for item in variables.values()
        if len(item.dimensions) == 1 and item.dimensions[0] in variable.dimensions and _coordinate_kind(item) == kind
    )  # fmt: skip
    return next(found, None)


def _curved_coordinate(variables: Variables, variable: NetcdfVariable, kind: str) -> NetcdfVariable | None:
    """Return the 2-D coordinate of a kind along two dimensions of the variable."""
    for item in variables.values():
        within = len(item.dimensions) == 2 and set(item.dimensions) <= set(variable.dimensions)
        if within and _coordinate_kind(item) == kind:
            return item
    return None


def _grid_mapping_crs(variables: Variables, variable: NetcdfVariable) -> str | None:
    """Return the CRS of the grid mapping of the variable, as WKT."""
    name = variable.text("grid_mapping").split(":")[0].strip()
    named = [variables[name]] if name in variables else []
    for item in named or [item for item in variables.values() if "grid_mapping_name" in item.attributes]:
        text = item.text("crs_wkt") or item.text("spatial_ref")
        plain = {key: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
                 for key, value in item.attributes.items()}  # fmt: skip
        try:
            found = parse(text) if text else CRS.from_cf(plain)
            if found is not None:
                return str(found.to_wkt())
        except (CRSError, KeyError, ValueError, TypeError):
            continue
    return None


def _axes(
    variable: NetcdfVariable, down: NetcdfVariable, across: NetcdfVariable, crs: str, where: str, problems: Problems
) -> _Axes | None:
    values = []
    for item in (down, across):
        found = _axis_values(item, where, problems)
        if found is None:
            return None
        values.append(found * (_metres_per_unit(item) if crs != WGS84 else 1.0))
    problem = cells_problem(where, len(values[0]), len(values[1]))
    if problem is not None:
        problems.extend([problem])
        return None
    geographic = CRS.from_user_input(crs).is_geographic
    if crs == WGS84 and np.abs(values[0]).max() > 90.0:
        problems.add(f"{where}, {down.name}", f"reaches {np.abs(values[0]).max():g}°", "give latitudes of −90 to 90")
        return None
    return _Axes((down.dimensions[0], across.dimensions[0]), AxisRaster(values[0], values[1], crs), geographic)


def _axis_values(item: NetcdfVariable, where: str, problems: Problems) -> Floats | None:
    """Return the values of a coordinate, which must ascend or descend, or ``None`` with problems."""
    size = item.shape[0]
    if not 1 <= size <= _MOST_COORDINATES:
        problems.add(f"{where}, {item.name}", f"has {size:,} values", f"give 1 to {_MOST_COORDINATES:,}")
        return None
    try:
        values = item.values()
    except OSError as error:
        problems.add(where, str(error), "get the file again from where it came")
        return None
    steps = np.diff(values)
    if not np.isfinite(values).all() or not ((steps > 0).all() or (steps < 0).all()):
        # Longitudes may jump once, where 360 becomes 0 or 180 becomes −180.
        wraps = (
            _coordinate_kind(item) == "lon"
            and np.isfinite(values).all()
            and np.count_nonzero(np.diff(np.sign(steps))) <= 2
        )
        if not wraps or len(np.unique(values % 360.0)) != size:
            problems.add(f"{where}, {item.name}", "does not run one way", "put its values in order, each once")
            return None
    return values


def _metres_per_unit(item: NetcdfVariable) -> float:
    return 1000.0 if item.text("units").strip().lower() in ("km", "kilometer", "kilometers", "kilometre") else 1.0


def _curved_axes(lat: NetcdfVariable, lon: NetcdfVariable, where: str, problems: Problems) -> _Axes | None:
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
        problems.add(where, f"{lat.name} or {lon.name} holds what is not a place", "give degrees in every cell")
        return None
    return _Axes((lat.dimensions[0], lat.dimensions[1]), CurvedRaster(lons, lats), False)
