"""Active fire detections of satellites: the points of FIRMS, as pixels on the grid.

A pixel is a rectangle around the point, as long and as wide as the columns ``SCAN`` and ``TRACK`` say in kilometres,
along the axes of the grid; without them it is 375 m, the pixel of VIIRS. The way the satellite flew is not in the
files, so that the true pixel is turned against this one.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.fire_hours import Overpass
from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem, Problems
from firegui.io.crs import same, transformer
from firegui.io.vectors.files import VectorLayer, crs_problems, read_features, vector_file

_DATE, _TIME = "ACQ_DATE", "ACQ_TIME"
_SIDES = ("SCAN", "TRACK")
_PIXEL_KM = 0.375
_LARGEST_KM = 10.0
_TITLE = "The detections cannot be read"


def read_overpasses(path: Path, grid: Grid) -> tuple[Overpass, ...]:
    """Return the detections of a file by the time of their pass, earlier ones first.

    Those off the grid are left out. Raises :class:`~firegui.errors.InputError` for a file that is not a table of
    detections with date and time (UTC), or that has none on the grid.
    """
    problems = Problems()
    file = vector_file(path, problems)
    features = None if file is None else read_features(file, None, problems, of="detections")
    if file is not None and features is not None:
        problems.extend(crs_problems(features, file))
        if grid.crs is None:
            problems.add("grid", "has no CRS, so that no detection can be placed", "import the event with its CRS")
        if not all(one is not None and one.geom_type == "Point" for one in features.geometries):
            problems.add(file.name, "holds features that are not points", "give the detections as FIRMS publishes them")
    problems.raise_if_any(_TITLE)
    assert file is not None and features is not None and features.crs is not None and grid.crs is not None
    times = _times(features, file.name)
    x, y = shapely.get_coordinates(features.geometries).T
    if not same(features.crs, grid.crs):
        x, y = transformer(features.crs, grid.crs).transform(x, y)
    sides = [_kilometres(features, name) for name in _SIDES]
    found = []
    for time in sorted(set(times)):
        chosen = np.flatnonzero([one == time for one in times])
        seen, count = np.zeros(grid.shape, np.bool_), 0
        for number in chosen.tolist():
            box = _box(grid, float(x[number]), float(y[number]), *(float(side[number]) for side in sides))
            if box is not None:
                seen[box], count = True, count + 1
        if count:
            found.append(Overpass(time, count, seen))
    if not found:
        raise InputError([Problem(file.name, "has no detection on the grid", "give those of this fire")], _TITLE)
    return tuple(found)


def _times(features: VectorLayer, name: str) -> list[datetime]:
    columns = {key.upper(): values for key, values in features.columns.items()}
    missing = [key for key in (_DATE, _TIME) if key not in columns]
    if missing:
        what = f"has no column {' and '.join(missing)}"
        raise InputError([Problem(name, what, "give a file of FIRMS, with date and time of every detection")], _TITLE)
    found, wrong = [], []
    for number, (day, clock) in enumerate(zip(columns[_DATE], columns[_TIME], strict=True), 1):
        try:
            found.append(_time(day, clock))
        except ValueError:
            wrong.append(f"{day} {clock} (feature {number})")
    if wrong:
        what = f"has {len(wrong):,} times that are not a date and HHMM, such as {wrong[0]}"
        raise InputError([Problem(name, what, "write 2017-10-09 and 1015")], _TITLE)
    return found


def _time(day: Any, clock: Any) -> datetime:
    digits = str(clock).strip().replace(":", "")[:4]
    if not digits.isdecimal():
        raise ValueError(clock)
    date = datetime.fromisoformat(str(day).strip().replace("/", "-")[:10])
    number = int(digits)
    return date.replace(hour=number // 100, minute=number % 100, tzinfo=UTC)


def _kilometres(features: VectorLayer, name: str) -> NDArray[np.float64]:
    for key, values in features.columns.items():
        if key.upper() == name and np.issubdtype(values.dtype, np.number):
            sizes = values.astype(np.float64)
            return np.where((sizes > 0.0) & (sizes <= _LARGEST_KM), sizes, _PIXEL_KM)
    return np.full(len(features.geometries), _PIXEL_KM)


def _box(grid: Grid, x: float, y: float, scan_km: float, track_km: float) -> tuple[slice, slice] | None:
    """Return the cell of a point and those whose middles lie in its pixel, ``None`` for one off the grid."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    half = (500.0 * side / grid.cell_size_m for side in (track_km, scan_km))
    sides = []
    for at, reach, size in zip(grid.from_world(x, y), half, grid.shape, strict=True):
        own = math.floor(at + 0.5)
        first, last = min(math.ceil(at - reach), own), max(math.floor(at + reach), own)
        sides.append(slice(max(first, 0), min(last, size - 1) + 1))
    rows, columns = sides
    return (rows, columns) if rows.stop > rows.start and columns.stop > columns.start else None
