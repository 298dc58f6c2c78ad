"""Wind from NetCDF: ERA5's ``u10`` and ``v10``, or speed and direction, on latitudes or on a projected grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from firegui.errors import Problems
from firegui.io.weather.axes import find_axes
from firegui.io.weather.conventions import (
    PAIRS,
    Components,
    Height,
    Named,
    North,
    Role,
    Sense,
    TimeBasis,
    WindConventions,
    named,
    said_conventions,
    speed_unit,
)
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.netcdf_file import NetcdfVariable
from firegui.io.weather.series import Sample, WindSeries
from firegui.io.weather.time_axis import MOST_SAMPLES, Stamps, TimeError, check_ascending, decode_times

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
        first, second = (_best(found.get(role, [])) for role in PAIRS[kind])
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
    relative = one.variable.number("GRIB_uvRelativeToGrid", -1.0)
    north = North.TRUE if geographic or relative == 0.0 else North.GRID if relative == 1.0 else None
    unit = speed_unit(one.variable.text("units"))
    return said_conventions(kind, one.named, other.named, unit=unit, north=north, clock=TimeBasis.UTC)


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
