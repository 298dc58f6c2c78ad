"""The arrays of one event of a six-fire HDF5 file (Mendeley Data nx2wsksp9k), found and checked.

One group an event (``Bear_2020``; attributes ``fire_year, height, width``). In it, one raster ``[height, width]`` each:
``ELEV2020`` m, ``SLPD2020`` degrees, ``ASP2020`` degrees clockwise from north (−1 flat), ``230CBD`` kg/m³ × 100,
``230CC`` %, ``230CH`` m × 10, ``230FBFM40``; the numbers are LANDFIRE's versions and may be others. The subgroups
``fire`` (0/1 or 0/255), ``u_component_of_wind_10m`` and ``v_component_of_wind_10m`` (m/s, eastward and northward) hold
one raster a date; subgroups of dates that hold these three are read as well. −9999 is no data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems

FIRE, EASTWARD, NORTHWARD = "fire", "u_component_of_wind_10m", "v_component_of_wind_10m"
STACKS = (FIRE, EASTWARD, NORTHWARD)

_LAYERS: Mapping[str, re.Pattern[str]] = {
    "elevation": re.compile(r"ELEV\d*"),
    "slope": re.compile(r"SLPD\d*"),
    "aspect": re.compile(r"ASP\d*"),
    "fuel": re.compile(r"\d*FBFM40"),
    "canopy_cover": re.compile(r"\d*CC"),
    "canopy_height": re.compile(r"\d*CH"),
    "canopy_density": re.compile(r"\d*CBD"),
}
_DATE = re.compile(r"(\d{4})([-_./]?)(\d{1,2})\2(\d{1,2})(?:[T ].*)?")
_FAILURES = (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError)

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class EventEntry:
    """One event of a file, as far as its names tell: rows and columns, and the dates of its perimeters."""

    name: str
    shape: tuple[int, int] | None
    dates: tuple[date, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EventArrays:
    """What an event holds: layers by key with the name of their dataset, rasters by subgroup and date.

    ``shape`` is the event's rows and columns, ``unused`` names what was not looked at.
    """

    shape: tuple[int, int] | None
    layers: Mapping[str, tuple[str, Array]]
    stacks: Mapping[str, Mapping[date, Array]]
    unused: tuple[str, ...]


@contextmanager
def opened(path: Path, problems: Problems) -> Iterator[h5py.File | None]:
    """Open an HDF5 file for reading; one that cannot be is reported and ``None`` yielded."""
    if not path.is_file():
        problems.add(str(path), "the file does not exist", "check the path")
        yield None
        return
    if not h5py.is_hdf5(path):
        problems.add(path.name, "is not an HDF5 file", "give the .hdf5 file itself")
        yield None
        return
    try:
        file = h5py.File(path, "r")
    except _FAILURES as error:
        problems.add(path.name, f"cannot be read ({_brief(error)})", "get the file again from its publisher")
        yield None
        return
    with file:
        yield file


def entries(file: h5py.File) -> tuple[EventEntry, ...]:
    """The events of a file, in the order of their names."""
    groups = {name: member for name, member in _members(file).items() if isinstance(member, h5py.Group)}
    return tuple(_entry(name, group) for name, group in groups.items() if _holds_an_event(group))


def read_event(file: h5py.File, name: str, problems: Problems) -> EventArrays:
    """Every raster of the event ``name`` that firegui knows; what is wrong is added to ``problems``."""
    datasets, unused = _sort_out(file[name])
    layers: dict[str, tuple[str, Array]] = {}
    stacks: dict[str, dict[date, Array]] = {key: {} for key in STACKS}
    for key, found in datasets.layers.items():
        # Of several versions the last by name, which is the newest of LANDFIRE's.
        newest = max(found)
        unused += sorted(set(found) - {newest})
        values = _raster(found[newest], f"{name}/{newest}", problems)
        if values is not None:
            layers[key] = newest, values
    for key, when, where, dataset in datasets.rasters:
        values = _raster(dataset, f"{name}/{where}", problems)
        if when in stacks[key]:
            problems.add(f"{name}/{where}", f"is a second raster for {when}", "keep one a date")
        elif values is not None:
            stacks[key][when] = values
    arrays = {f"{name}/{label}": values for label, values in layers.values()}
    arrays |= {f"{name}/{key}/{when}": values for key, stack in stacks.items() for when, values in stack.items()}
    shape = _check_shapes(file[name], arrays, problems)
    # What has another shape is reported; the rest can be looked at further.
    fitting = {key: value for key, value in layers.items() if value[1].shape == shape}
    ordered = {
        key: {when: raster for when, raster in sorted(stack.items()) if raster.shape == shape}
        for key, stack in stacks.items()
    }
    return EventArrays(shape, fitting, ordered, tuple(unused))


@dataclass(frozen=True, slots=True)
class _Datasets:
    """What a group holds, not read yet: layers by key and name; stack, date and place of every dated raster."""

    layers: dict[str, dict[str, h5py.Dataset]]
    rasters: list[tuple[str, date, str, h5py.Dataset]]


def _sort_out(group: h5py.Group) -> tuple[_Datasets, list[str]]:
    """The datasets of an event, and the names of what is none of them."""
    found, unused = _Datasets({}, []), []
    for key, member in _members(group).items():
        layer = next((layer for layer, pattern in _LAYERS.items() if pattern.fullmatch(key)), None)
        if isinstance(member, h5py.Dataset) and layer is not None:
            found.layers.setdefault(layer, {})[key] = member
        elif isinstance(member, h5py.Group) and (key in STACKS or _date(key) is not None):
            for inner, dataset in _members(member).items():
                stack, when = (key, _date(inner)) if key in STACKS else (inner, _date(key))
                if isinstance(dataset, h5py.Dataset) and stack in STACKS and when is not None:
                    found.rasters.append((stack, when, f"{key}/{inner}", dataset))
                else:
                    unused.append(f"{key}/{inner}")
        else:
            unused.append(key)
    return found, unused


def _holds_an_event(group: h5py.Group) -> bool:
    datasets, _ = _sort_out(group)
    return bool(datasets.layers or datasets.rasters)


def _entry(name: str, group: h5py.Group) -> EventEntry:
    datasets, _ = _sort_out(group)
    dates = sorted({when for stack, when, _, _ in datasets.rasters if stack == FIRE})
    layers = [dataset for found in datasets.layers.values() for dataset in found.values()]
    rows_columns = [dataset.shape[-2:] for dataset in (*layers, *(raster[-1] for raster in datasets.rasters))]
    guessed = next(((int(rows), int(columns)) for rows, columns in filter(_is_pair, rows_columns)), None)
    return EventEntry(name, _stated_shape(group) or guessed, tuple(dates))


def _is_pair(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2


def _members(group: h5py.Group) -> dict[str, Any]:
    """Name and object of everything in a group, by name; links that lead nowhere are left out."""
    found = {}
    for name in sorted(group):
        try:
            found[str(name)] = group[name]
        except _FAILURES:
            continue
    return found


def _raster(dataset: h5py.Dataset, where: str, problems: Problems) -> Array | None:
    try:
        values = np.asarray(dataset[()])
    except _FAILURES as error:
        problems.add(where, f"is damaged ({_brief(error)})", "get the file again from its publisher")
        return None
    if values.dtype.kind not in "biuf":
        problems.add(where, f"holds {values.dtype} values, not numbers", "save plain numbers")
        return None
    # Some writers keep an axis of length 1 for the band.
    values = values[0] if values.ndim == 3 and values.shape[0] == 1 else values
    if values.ndim != 2:
        problems.add(where, f"has shape {list(values.shape)}", "save one raster [height, width]")
        return None
    return values.view(np.uint8) if values.dtype.kind == "b" else values


def _stated_shape(group: h5py.Group) -> tuple[int, int] | None:
    try:
        return int(group.attrs["height"]), int(group.attrs["width"])
    except _FAILURES:
        return None


def _check_shapes(group: h5py.Group, arrays: Mapping[str, Array], problems: Problems) -> tuple[int, int] | None:
    """The event's rows and columns; every raster that has others is reported."""
    stated = _stated_shape(group)
    shapes = [(int(values.shape[0]), int(values.shape[1])) for values in arrays.values()]
    shape = stated or next(iter(shapes), None)
    for where, found in zip(arrays, shapes, strict=True):
        if shape is not None and found != shape:
            says = "height and width of the event say" if stated else "the first raster of the event has"
            problems.add(
                where, f"has {found[0]} × {found[1]} cells, not the {shape[0]} × {shape[1]} that {says}", _GRID
            )
    return shape


_GRID = "bring every raster of the event onto one grid"


def _date(text: str) -> date | None:
    match = _DATE.fullmatch(text)
    try:
        return None if match is None else date(int(match[1]), int(match[3]), int(match[4]))
    except ValueError:
        return None


def _brief(error: BaseException) -> str:
    text = " ".join(str(error).strip("'\"").split()) or type(error).__name__
    return text if len(text) <= 120 else text[:117] + "…"
