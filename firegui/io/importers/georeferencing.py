"""Where and when an imported raster is.

What was said, what is recognised, what is assumed, in this order. Published rasters without a georeference are
recognised by their content.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from firegui.assets import resource
from firegui.domain.grid import Grid
from firegui.domain.scenario import UNKNOWN_START
from firegui.errors import Problems
from firegui.io import crs as crs_io
from firegui.io import toml
from firegui.io.array_files import Array
from firegui.io.georeference import Six
from firegui.io.times import MOST_OFFSET_H, as_utc, guess_offset_h, local_midnight, offset_text, start_problems


@dataclass(frozen=True, slots=True)
class KnownGrid:
    """What is known of a published raster.

    Its place, the start of its weather, and where that knowledge is from.
    """

    name: str
    p_veg_sha256: str
    shape: tuple[int, int]
    crs: str
    transform: tuple[float, float, float, float, float, float]
    start: datetime
    utc_offset_h: float
    source: str
    notes: tuple[str, ...] = ()


def known_grids() -> tuple[KnownGrid, ...]:
    """Return the shipped catalogue ``resources/known_grids.toml``."""
    problems = Problems()
    path = resource("known_grids.toml")
    table = toml.Table(toml.read_toml(path, problems), path.name, problems)
    rows = [toml.read_dataclass(KnownGrid, row, lenient=True) for row in table.tables("grid")]
    table.finish()
    problems.raise_if_any("The shipped file known_grids.toml is damaged")
    return tuple(row for row in rows if row is not None)


def fingerprint(p_veg: Array) -> str:
    """Return SHA-256 of the raster as float64, row by row, little endian."""
    return hashlib.sha256(np.ascontiguousarray(p_veg, "<f8").tobytes()).hexdigest()


def recognise(p_veg: Array) -> KnownGrid | None:
    """Return the catalogue's entry for this canopy raster, if it is a published one."""
    candidates = [known for known in known_grids() if known.shape == p_veg.shape]
    digest = fingerprint(p_veg) if candidates and p_veg.dtype.kind in "fiu" else ""
    return next((known for known in candidates if known.p_veg_sha256 == digest), None)


DEFAULT_CELL_M = 30.0


@dataclass(frozen=True, slots=True)
class GridPlacement:
    """The grid, and what was assumed about it."""

    grid: Grid
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventStart:
    """The time of event day 0 (UTC), the local offset, and what was assumed about them."""

    start: datetime
    utc_offset_h: float
    notes: tuple[str, ...]


def add_lacking_crs(what: str, problems: Problems) -> None:
    """Add the problem of a transform in a CRS that nothing says."""
    problems.add("grid CRS (--crs)", what, "give the CRS that the transform is in, such as EPSG:32610")


def find_placement(
    shape: tuple[int, int] | None,
    known: KnownGrid | None,
    crs: str | None,
    transform: Sequence[float] | None,
    problems: Problems,
) -> GridPlacement | None:
    """Put a raster of ``shape`` on the map. What is wrong is added to ``problems`` and ``None`` returned."""
    six = _six(transform, problems)
    unknown_crs = [] if crs is None else crs_io.problems(crs)
    problems.extend(unknown_crs)
    if shape is None or unknown_crs or (transform is not None and six is None):
        return None
    if six is not None and crs is None and known is None:
        add_lacking_crs("a transform without a CRS", problems)
        return None
    notes = []
    # A recognised raster fills in only what agrees with what was said.
    if known and (crs is None or crs_io.same(crs, known.crs)) and (six is None or crs is None):
        notes.append(f"Place recognised: {known.name}, {known.crs} ({known.source}).")
        crs, six = crs or known.crs, six or known.transform
    grid = Grid(*shape, six[0] if six else DEFAULT_CELL_M, six, crs)
    if six and crs:
        unit = crs_io.metres_per_unit(crs)
        grid = Grid(*shape, six[0] * unit, six, crs)
    found = crs_io.grid_problems(grid)
    problems.extend(found)
    if not grid.is_georeferenced:
        notes.append(f"No place on the map (no CRS and transform); cells are taken to be {DEFAULT_CELL_M:g} m.")
    return None if found else GridPlacement(grid, tuple(notes))


def find_start(
    grid: Grid,
    known: KnownGrid | None,
    start: datetime | None,
    utc_offset_h: float | None,
    dates: Sequence[date],
    what: str = "observed",
) -> EventStart:
    """Return the time of day 0.

    As said, else as recognised, else midnight of the first of ``dates``, else a stand-in. ``what`` says of which dates.
    """
    notes = []
    if start is not None and start.tzinfo is None:
        notes.append("The start was given without an offset and read as UTC.")
    begin = as_utc(start) if start is not None else (known.start if known else None)
    offset = local_offset(grid, known, start, utc_offset_h)
    if utc_offset_h is None and known is None:
        notes.append(f"Local time taken to be {offset_text(offset)}, a guess from the place (--utc-offset sets it).")
    if start is None and known:
        notes.append(f"Start recognised: {known.start:%Y-%m-%d %H:%M} UTC.")
    if begin is None and dates:
        begin = local_midnight(dates[0], offset)
        dated = f"the first {what} date" if what == "observed" else f"the first date {what}"
        notes.append(f"Wind day 0 taken to be {dates[0]}, {dated}, from local midnight.")
    if begin is None:
        begin = UNKNOWN_START
        notes.append("The date of the fire is not known. Give the start of day 0.")
    return EventStart(begin, offset, tuple(notes))


def local_offset(grid: Grid, known: KnownGrid | None, start: datetime | None, utc_offset_h: float | None) -> float:
    """Return hours from UTC to local time.

    As said, else as recognised, else guessed from the place and the start.
    """
    if utc_offset_h is not None:
        return utc_offset_h
    return known.utc_offset_h if known else guess_offset_h(grid, None if start is None else as_utc(start))


def check_when(start: datetime | None, utc_offset_h: float | None, problems: Problems) -> None:
    """Add to ``problems`` a start that is in no likely year and an offset that no place on the Earth has."""
    if utc_offset_h is not None and not -MOST_OFFSET_H <= utc_offset_h <= MOST_OFFSET_H:
        problems.add("UTC offset", f"{utc_offset_h} hours", "give the fire's local offset, such as -7")
    if start is not None:
        problems.extend(start_problems(start, "start"))


def _six(transform: Sequence[float] | None, problems: Problems) -> Six | None:
    if transform is None:
        return None
    values = [float(value) for value in transform]
    if len(values) != 6 or not all(math.isfinite(value) for value in values):
        shown = ", ".join(f"{value:g}" for value in values)
        problems.add(
            "transform",
            f"[{shown}] is not six numbers",
            "give a,b,c,d,e,f with x = a·column + b·row + c, y = d·column + e·row + f",
        )
        return None
    a, b, c, d, e, f = values
    return a, b, c, d, e, f
