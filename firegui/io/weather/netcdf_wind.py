"""Wind from NetCDF: ERA5's ``u10`` and ``v10``, or speed and direction, on latitudes or on a projected grid."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.weather.axes import find_axes
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.names import Named, Role, named
from firegui.io.weather.netcdf_file import NetcdfVariable
from firegui.io.weather.series import MOST_SAMPLES, Sample, Stamps, WindSeries, check_ascending
from firegui.io.weather.units import Components, Height, North, Sense, TimeBasis, WindConventions, speed_unit

Variables = Mapping[str, NetcdfVariable]

_STANDARD = {
    "eastward_wind": Named(Role.U, north=North.TRUE),
    "northward_wind": Named(Role.V, north=North.TRUE),
    "grid_eastward_wind": Named(Role.U, north=North.GRID),
    "grid_northward_wind": Named(Role.V, north=North.GRID),
    "x_wind": Named(Role.U, north=North.GRID),
    "y_wind": Named(Role.V, north=North.GRID),
    "wind_speed": Named(Role.SPEED),
    "wind_from_direction": Named(Role.DIRECTION, sense=Sense.FROM),
    "wind_to_direction": Named(Role.DIRECTION, sense=Sense.TOWARDS),
}
"""Of the CF standard name table."""

_PAIRS = {Components.U_V: (Role.U, Role.V), Components.SPEED_DIRECTION: (Role.SPEED, Role.DIRECTION)}
_TIME_NAMES = ("valid_time", "time", "Time", "Times", "t", "date", "datetime")
_OTHER_VERSIONS = "expver"


@dataclass(frozen=True, slots=True, eq=False)
class _WindVariable:
    """A variable of the wind, and what its names and attributes say."""

    variable: NetcdfVariable
    named: Named


def netcdf_series(
    variables: Variables, components: Components | None, where: str, problems: Problems
) -> WindSeries | None:
    """The wind of an opened file; ``components`` chooses where it holds u and v beside speed and direction.

    What is wrong is added to ``problems``, which come in empty, and ``None`` returned.
    """
    pair = _choose(variables, components, where, problems)
    if pair is None:
        return None
    one, other = pair[1].variable, pair[2].variable
    if one.dimensions != other.dimensions or one.shape != other.shape:
        what = f"{one.name} {list(one.shape)} and {other.name} {list(other.shape)} are not on the same dimensions"
        problems.add(where, what, "give both parts of the wind on one grid and at the same times")
        return None
    axes = find_axes(variables, one, where, problems)
    layout = None if axes is None else _layout(variables, one, axes.dimensions, where, problems)
    if axes is None or layout is None:
        return None
    stamps = _stamps(variables, layout.time, where, problems)
    if layout.time is not None and stamps is None and problems:
        return None
    count = 1 if layout.time is None else one.shape[one.dimensions.index(layout.time)]
    if count > MOST_SAMPLES or count < 1:
        problems.add(where, f"holds {count:,} times", f"give 1 to {MOST_SAMPLES:,}, cut to the days of the fire")
        return None
    text = one.text("units").strip()
    if text and speed_unit(text) is None:
        what = f"{one.name} says its unit is {text!r}, which is no speed"
        problems.add(where, what, "give a wind, or correct its unit")
        return None
    said = _said(pair[0], pair[1], pair[2], axes.geographic)
    notes = (f"Wind from {one.name} and {other.name} of {where}.", *layout.notes, *axes.notes)
    sample = _sampler(one, other, layout, axes.dimensions)
    return WindSeries("NetCDF", where, said, count, stamps, axes.places, sample, notes)


def _choose(
    variables: Variables, components: Components | None, where: str, problems: Problems
) -> tuple[Components, _WindVariable, _WindVariable] | None:
    """The two variables of the wind: u and v before speed and direction, those that say 10 m before others."""
    found: dict[Role, list[_WindVariable]] = {}
    for variable in variables.values():
        says = _named(variable)
        if says is not None and len(variable.dimensions) >= 2 and variable.is_numeric:
            found.setdefault(says.role, []).append(_WindVariable(variable, says))
    for kind in (Components.U_V, Components.SPEED_DIRECTION) if components is None else (components,):
        first, second = (_best(found.get(role, [])) for role in _PAIRS[kind])
        if len(first) == len(second) == 1:
            return kind, first[0], second[0]
        if first and second:
            names = ", ".join(item.variable.name for item in (*first, *second))
            problems.add(where, f"holds several winds ({names})", "keep the two of one height in the file")
            return None
    held = ", ".join(name for name, item in variables.items() if len(item.dimensions) >= 2) or "none"
    wanted = "u and v, or speed and direction" if components is None else f"{components} of the wind"
    problems.add(where, f"holds no wind that is recognised (variables: {held})", f"give {wanted}, named u10 and v10")
    return None


def _best(found: Sequence[_WindVariable]) -> list[_WindVariable]:
    at_10 = [item for item in found if item.named.height is Height.M10]
    return at_10 or list(found)


def _named(variable: NetcdfVariable) -> Named | None:
    by_name = named(variable.name)
    by_standard = _STANDARD.get(variable.text("standard_name"))
    if by_standard is None:
        return by_name
    height = None if by_name is None else by_name.height
    return replace(by_standard, height=height, unit=None if by_name is None else by_name.unit)


def _said(kind: Components, one: _WindVariable, other: _WindVariable, geographic: bool) -> WindConventions:
    unit = speed_unit(one.variable.text("units")) or one.named.unit
    relative = one.variable.number("GRIB_uvRelativeToGrid", -1.0)
    north = one.named.north or other.named.north
    if geographic or relative == 0.0:
        north = North.TRUE
    elif relative == 1.0:
        north = North.GRID
    sense = other.named.sense if kind is Components.SPEED_DIRECTION else None
    return WindConventions(kind, unit, one.named.height or other.named.height, sense, north, TimeBasis.UTC)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How to index the variables: the time's dimension, whole numbers for what is chosen, a dimension to merge."""

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
        elif name == _OTHER_VERSIONS and size <= 4:
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
    """The times along ``time``; a file without is no problem, one with times that cannot be read is."""
    if time is None:
        return None
    along = [item for item in variables.values() if item.dimensions == (time,) and " since " in item.text("units")]
    along.sort(key=lambda item: (item.name != "valid_time", item.name != time))
    if not along:
        return None
    item = along[0]
    if item.shape[0] > MOST_SAMPLES:
        problems.add(where, f"holds {item.shape[0]:,} times", f"give at most {MOST_SAMPLES:,}")
        return None
    try:
        moments = decode_times(item.values(), item.text("units"), item.text("calendar"))
    except (TimeError, OSError) as error:
        problems.add(f"{where}, {item.name}", str(error), "give times as hours since 1900-01-01, or --wind-first")
        return None
    names = [f"time {number}" for number in range(1, len(moments) + 1)]
    check_ascending(moments, f"{where}, {item.name}", names, problems)
    return Stamps(moments, in_utc=False)


def _sampler(one: NetcdfVariable, other: NetcdfVariable, layout: _Layout, space: tuple[str, str]) -> Sample:
    """Reads one time of both variables in a window, as ``[rows, columns]`` whatever the order of the dimensions."""
    flip = one.dimensions.index(space[0]) > one.dimensions.index(space[1])

    def part(variable: NetcdfVariable, number: int, window: Window | None) -> Floats:
        picks: dict[str, int | slice] = dict(layout.chosen)
        if layout.time is not None:
            picks[layout.time] = number
        if window is not None:
            picks |= {space[0]: window.rows, space[1]: window.columns}
        values = variable.values(tuple(picks.get(name, slice(None)) for name in variable.dimensions))
        if layout.merged is not None:
            values = _merge(values, [name for name in variable.dimensions if name not in layout.chosen
                                     and name != layout.time].index(layout.merged))  # fmt: skip
        return values.T if flip else values

    return lambda number, window: (part(one, number, window), part(other, number, window))


def _merge(values: Floats, axis: int) -> Floats:
    """The first entry along ``axis`` that has a value."""
    first, *rest = np.moveaxis(values, axis, 0)
    for more in rest:
        first = np.where(np.isnan(first), more, first)
    return np.asarray(first)


_SECONDS = {
    "second": 1,
    "sec": 1,
    "s": 1,
    "minute": 60,
    "min": 60,
    "hour": 3600,
    "hr": 3600,
    "h": 3600,
    "day": 86400,
    "d": 86400,
}
_UNITS = re.compile(
    r"\s*([A-Za-z]+)\s+since\s+(\d{1,4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d*)?)?)?\s*(.*)"
)
_ZONE = re.compile(r"(?:Z|UTC|GMT)?\s*(?:([+-])(\d{1,2}):?(\d{2})?)?", re.IGNORECASE)
_REAL = ("standard", "gregorian", "proleptic_gregorian", "")
_EARLIEST, _LATEST = np.datetime64("1900-01-01", "s"), np.datetime64("2199-12-31", "s")
_GREGORIAN_YEAR = 1583


class TimeError(ValueError):
    """What keeps times from being read, in words for people."""


def decode_times(values: NDArray[np.float64], units: str, calendar: str) -> NDArray[np.datetime64]:
    """The moments (UTC, whole seconds) that ``values`` in ``units`` (``hours since 1900-01-01``) name.

    Raises :class:`TimeError` for other calendars than the real one, values that are no numbers, and years that no
    weather of a fire has.
    """
    match = _UNITS.fullmatch(units)
    name = "" if match is None else match[1].lower()
    seconds = _SECONDS.get(name, _SECONDS.get(name.rstrip("s"), 0))
    zone = None if match is None else _ZONE.fullmatch(match[8].strip())
    if match is None or not seconds or zone is None:
        raise TimeError(f"counts time in {units!r}, which is no unit since a date")
    if calendar.lower() not in _REAL:
        raise TimeError(f"counts time in the calendar {calendar}, whose days are not those of the fire")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[1:7])
    if year < _GREGORIAN_YEAR and calendar.lower() != "proleptic_gregorian":
        # Before 1582 the standard calendar is the Julian one, which lies days apart.
        raise TimeError(f"counts time from the year {year}, before the calendar of today")
    try:
        base = datetime(max(year, 1), month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        raise TimeError(f"counts time in {units!r}, which names no date") from error
    if zone[1]:
        shift = timedelta(hours=int(zone[2]), minutes=int(zone[3] or 0))
        base = base - shift if zone[1] == "+" else base + shift
    return _moments(values, seconds, base)


def _moments(values: NDArray[np.float64], seconds: int, base: datetime) -> NDArray[np.datetime64]:
    flat = np.atleast_1d(values).ravel()
    if not np.isfinite(flat).all():
        raise TimeError(f"{int((~np.isfinite(flat)).sum()):,} of {flat.size:,} times are no numbers")
    start = np.datetime64(base.replace(tzinfo=None), "s")
    offsets = np.round(flat * seconds)
    if np.abs(offsets).max(initial=0.0) > 1e12:
        raise TimeError("a time lies thousands of years away")
    moments = start + offsets.astype("timedelta64[s]")
    if flat.size and (moments.min() < _EARLIEST or moments.max() > _LATEST):
        raise TimeError(f"its times run from {moments.min()} to {moments.max()}")
    return np.asarray(moments)
