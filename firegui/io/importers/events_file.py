"""The arrays of one event of a six-fire HDF5 file (Mendeley Data nx2wsksp9k), found and checked.

One group an event (``Bear_2020``; attributes ``fire_year, height, width``). In it, one raster ``[height, width]`` each:
``ELEV2020`` m, ``SLPD2020`` degrees, ``ASP2020`` degrees clockwise from north (−1 flat), ``230CBD`` kg/m³ × 100,
``230CC`` %, ``230CH`` m × 10, ``230FBFM40``; the numbers are LANDFIRE's versions and may be others. The subgroups
``fire`` (0/1 or 0/255), ``u_component_of_wind_10m`` and ``v_component_of_wind_10m`` (m/s, eastward and northward) hold
one raster a date; subgroups of dates that hold these three are read as well. −9999 is no data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.safe_open.hdf5 import Hdf5Dataset, Hdf5Group, is_hdf5, read_hdf5
from firegui.io.source_files import MOST_DAYS, cells_problem, error_text, file_problem, unpacking_problem

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
_GRID = "bring every raster of the event onto one grid"

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


def read_file(path: Path, problems: Problems) -> Hdf5Group | None:
    """Return what an HDF5 file holds, the values aside; one that cannot be read is reported."""
    problem = file_problem(path)
    if problem is not None:
        problems.extend([problem])
        return None
    try:
        if not is_hdf5(path):
            problems.add(path.name, "is not an HDF5 file", "give the .hdf5 file itself")
            return None
        return read_hdf5(path)
    except OSError as error:
        problems.add(path.name, f"cannot be read ({error_text(error, 120)})", "get the file again from its publisher")
        return None


def entries(file: Hdf5Group) -> tuple[EventEntry, ...]:
    """Return the events of a file, in the order of their names."""
    groups = {name: member for name, member in file.members.items() if isinstance(member, Hdf5Group)}
    return tuple(_entry(name, group) for name, group in groups.items() if _holds_an_event(group))


def read_event(file: Hdf5Group, name: str, problems: Problems) -> EventArrays:
    """Return every raster of the event ``name`` that firegui knows.

    What is wrong is added to ``problems``. Sizes and dates are judged before anything is read, and what has wrong ones
    is not.
    """
    event = file.members[name]
    assert isinstance(event, Hdf5Group)
    datasets, unused = _sort_out(event)
    newest = {key: max(found) for key, found in datasets.layers.items()}  # of LANDFIRE's versions the last by name
    unused += [label for key, found in datasets.layers.items() for label in sorted(set(found) - {newest[key]})]
    layers = {key: _Claim(f"{name}/{label}", datasets.layers[key][label]) for key, label in newest.items()}
    rasters: dict[tuple[str, date], _Claim] = {}
    for key, when, where, dataset in datasets.rasters:
        claim = rasters.setdefault((key, when), _Claim(f"{name}/{where}", dataset))
        if claim.dataset is not dataset:
            problems.add(f"{name}/{where}", f"is a second raster for {when}", "keep one a date")
    for label in unused:
        if any(_DATE.fullmatch(part) and _date(part) is None for part in label.split("/")):
            problems.add(f"{name}/{label}", "is named after a day that does not exist", "correct the date")
    _check_span({when for _, when in rasters}, name, problems)
    shape, fitting = _fitting(event, [*layers.values(), *rasters.values()], problems)
    held = {claim.where: values for claim in fitting if (values := _values(claim, problems)) is not None}
    stacks: dict[str, dict[date, Array]] = {key: {} for key in STACKS}
    for (key, when), claim in sorted(rasters.items(), key=lambda item: item[0]):
        if claim.where in held:
            stacks[key][when] = held[claim.where]
    found_layers = {key: (newest[key], held[claim.where]) for key, claim in layers.items() if claim.where in held}
    return EventArrays(shape, found_layers, stacks, tuple(unused))


@dataclass(frozen=True, slots=True)
class _Datasets:
    """What a group holds, not read yet: layers by key and name.

    Stack, date and place of every dated raster.
    """

    layers: dict[str, dict[str, Hdf5Dataset]]
    rasters: list[tuple[str, date, str, Hdf5Dataset]]


def _sort_out(group: Hdf5Group) -> tuple[_Datasets, list[str]]:
    """Return the datasets of an event, and the names of what is none of them."""
    found, unused = _Datasets({}, []), []
    for key, member in group.members.items():
        layer = next((layer for layer, pattern in _LAYERS.items() if pattern.fullmatch(key)), None)
        if isinstance(member, Hdf5Dataset) and layer is not None:
            found.layers.setdefault(layer, {})[key] = member
        elif isinstance(member, Hdf5Group) and (key in STACKS or _date(key) is not None):
            for inner, dataset in member.members.items():
                stack, when = (key, _date(inner)) if key in STACKS else (inner, _date(key))
                if isinstance(dataset, Hdf5Dataset) and stack in STACKS and when is not None:
                    found.rasters.append((stack, when, f"{key}/{inner}", dataset))
                else:
                    unused.append(f"{key}/{inner}")
        else:
            unused.append(key)
    return found, unused


@dataclass(frozen=True, slots=True)
class _Claim:
    """A raster that is there by its name and is not read yet."""

    where: str
    dataset: Hdf5Dataset

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, of what is a raster."""
        rows, columns = (self.dataset.shape or ())[-2:]
        return rows, columns

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return self.dataset.nbytes

    @property
    def stored(self) -> int:
        """What it takes in the file."""
        return self.dataset.stored_bytes


def _holds_an_event(group: Hdf5Group) -> bool:
    datasets, _ = _sort_out(group)
    return bool(datasets.layers or datasets.rasters)


def _entry(name: str, group: Hdf5Group) -> EventEntry:
    datasets, _ = _sort_out(group)
    dates = sorted({when for stack, when, _, _ in datasets.rasters if stack == FIRE})
    layers = [dataset for found in datasets.layers.values() for dataset in found.values()]
    shapes: list[tuple[int, ...]] = [
        dataset.shape or () for dataset in (*layers, *(raster[-1] for raster in datasets.rasters))
    ]
    rows_columns: list[tuple[int, ...]] = [shape[-2:] for shape in shapes]
    guessed = next(((int(rows), int(columns)) for rows, columns in filter(_is_pair, rows_columns)), None)
    return EventEntry(name, _stated_shape(group) or guessed, tuple(dates))


def _is_pair(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2


def _values(claim: _Claim, problems: Problems) -> Array | None:
    """Return the raster ``[H, W]`` that is claimed."""
    try:
        values = claim.dataset[()]
    except OSError as error:
        problems.add(claim.where, f"is damaged ({error_text(error, 120)})", "get the file again from its publisher")
        return None
    values = values.reshape(values.shape[-2:])
    return values.view(np.uint8) if values.dtype.kind == "b" else values


def _stated_shape(group: Hdf5Group) -> tuple[int, int] | None:
    try:
        return int(group.attributes["height"]), int(group.attributes["width"])
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def _fitting(
    group: Hdf5Group, claims: Sequence[_Claim], problems: Problems
) -> tuple[tuple[int, int] | None, list[_Claim]]:
    """Return the event's rows and columns, and the rasters that have them.

    Every other is reported, all if they are too many. Without attributes it is the size of most of them.
    """
    where = group.name.strip("/")
    sound = [claim for claim in claims if _check_kind(claim, problems)]
    stated, usual = _stated_shape(group), Counter(claim.shape for claim in sound).most_common(1)
    shape = stated or next((found for found, _ in usual), None)
    if shape is None:
        return None, []
    problem = cells_problem(where, *shape)
    if problem is None:
        problem = unpacking_problem(where, sum(claim.bytes for claim in sound), sum(claim.stored for claim in sound))
    problems.extend([] if problem is None else [problem])
    says = "height and width of the event say" if stated else "most rasters of the event have"
    for claim in sound:
        if claim.shape != shape:
            turned = ": its axes are transposed" if claim.shape == shape[::-1] else ""
            size, wanted = (f"{rows:,} × {columns:,}" for rows, columns in (claim.shape, shape))
            problems.add(claim.where, f"has {size} cells, not the {wanted} that {says}{turned}", _GRID)
    return shape, [claim for claim in sound if claim.shape == shape and problem is None]


def _check_kind(claim: _Claim, problems: Problems) -> bool:
    """Return whether it is a raster of numbers."""
    dataset, shape = claim.dataset, claim.dataset.shape
    if dataset.kind == "V" and dataset.damage:
        problems.add(claim.where, f"is damaged ({dataset.damage})", "get the file again from its publisher")
    elif dataset.kind not in "biuf":
        problems.add(claim.where, f"holds {dataset.dtype} values, not numbers", "save plain numbers")
    # Some writers keep an axis of length 1 for the band.
    elif shape is None or len(shape) not in (2, 3) or (len(shape) == 3 and shape[0] != 1):
        problems.add(claim.where, f"has shape {list(shape or ())}", "save one raster [height, width]")
    else:
        return True
    return False


def _check_span(dates: Collection[date], name: str, problems: Problems) -> None:
    span = (max(dates) - min(dates)).days + 1 if dates else 0
    if span > MOST_DAYS:
        what = f"its dates run from {min(dates)} to {max(dates)}, {span:,} days; at most {MOST_DAYS} can be held"
        problems.add(name, what, "check the years of its rasters")


def _date(text: str) -> date | None:
    match = _DATE.fullmatch(text)
    try:
        return None if match is None else date(int(match[1]), int(match[3]), int(match[4]))
    except ValueError:
        return None
