"""Bases from files: rows of a CSV table, or points and polygons of a vector file such as GeoJSON.

Columns, or properties of features, are ``name``, ``kind``, ``reload_min``, ``opens``, ``closes`` and ``serves``.
A table has the coordinates, too: ``lon`` and ``lat`` in degrees, or ``x`` and ``y`` in the CRS of the project. Only the
name and the place are needed. ``opens`` and ``closes`` are hours of the local day (``08:30`` or ``8.5``), ``serves``
ids of aircraft types between semicolons. Of a polygon, such as a lake of a water layer, a point inside is taken.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.bases import USUAL_RELOAD_MIN, Base, BaseKind, hour_of
from firegui.domain.grid import Grid
from firegui.domain.names import repeated_names
from firegui.domain.options import number_from_text
from firegui.errors import Problems
from firegui.io.georeference import WGS84
from firegui.io.source_files import read_text
from firegui.io.vectors.files import crs_problems, read_features, vector_file
from firegui.io.vectors.water import projected_corners
from firegui.io.weather.conventions import Role, parse_name

TABLES = (".csv", ".txt", ".tsv")
MOST_BASES = 1000
_EAST, _NORTH = ("x", "easting"), ("y", "northing")
_REMEDY = "correct that row"


@dataclass(frozen=True, slots=True)
class BaseSource:
    """A file of bases. ``kind`` and ``serves`` are for rows that name none, ``layer`` for vectors."""

    file: Path
    kind: BaseKind = BaseKind.AIRTANKER
    serves: tuple[str, ...] = ()
    layer: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedBases:
    """Bases, and notes on what was assumed."""

    bases: tuple[Base, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    where: str
    values: Mapping[str, str]
    point: tuple[float, float]


def read_bases(source: BaseSource, grid: Grid) -> ImportedBases:
    """Read bases, with places in cells of ``grid``, also outside.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems, file = Problems(), source.file
    title = f"The bases of {file.name} cannot be used"
    if not grid.is_georeferenced:
        problems.add("grid", "the event has no place on the map", "give its CRS and transform, then import the bases")
    problems.raise_if_any(title)
    read = _from_table if file.suffix.lower() in TABLES else _from_vector
    rows = read(source, problems, grid)
    notes: list[str] = []
    bases = _bases(rows, source, grid, problems, notes)
    problems.extend(repeated_names(file.name, (base.name for base in bases)))
    problems.raise_if_any(title)
    return ImportedBases(bases, tuple(notes))


def _bases(
    rows: Sequence[_Row], source: BaseSource, grid: Grid, problems: Problems, notes: list[str]
) -> tuple[Base, ...]:
    found = []
    for row in rows:
        kind = _kind(row, source, problems)
        reload_min = _number(row, "reload_min", USUAL_RELOAD_MIN[kind], problems)
        opens, closes = (_hour(row, name, problems) for name in ("opens", "closes"))
        serves = tuple(part.strip() for part in row.values.get("serves", "").split(";") if part.strip())
        column, corner = row.point
        base = Base(
            row.values.get("name", "").strip(), kind, corner - 0.5, column - 0.5, reload_min, opens, closes,
            serves or source.serves,
        )  # fmt: skip
        problems.extend(base.problems())
        found.append(base)
    if any(not row.values.get("kind", "").strip() for row in rows):
        notes.append(f"Bases without a kind are taken for kind {source.kind}.")
    if any(not row.values.get("reload_min", "").strip() for row in rows):
        usual = ", ".join(f"{minutes:g} min for {kind}" for kind, minutes in USUAL_RELOAD_MIN.items())
        notes.append(f"Reload times that are not given are assumed: {usual}.")
    return tuple(found)


def _kind(row: _Row, source: BaseSource, problems: Problems) -> BaseKind:
    text = row.values.get("kind", "").strip().lower().replace(" ", "_").replace("-", "_")
    if not text:
        return source.kind
    if text in set(BaseKind):
        return BaseKind(text)
    problems.add(row.where, f"the kind {text!r} is unknown", f"write one of {', '.join(BaseKind)}")
    return source.kind


def _number(row: _Row, name: str, usual: float, problems: Problems) -> float:
    text = row.values.get(name, "").strip()
    try:
        return number_from_text(text) if text else usual
    except ValueError:
        problems.add(row.where, f"{name} is {text!r}, no number", _REMEDY)
        return usual


def _hour(row: _Row, name: str, problems: Problems) -> float | None:
    text = row.values.get(name, "")
    try:
        return hour_of(text)
    except ValueError:
        problems.add(row.where, f"{name} is {text.strip()!r}, no hour of the day", "write it as 08:30 or 8.5")
        return None


def _from_table(source: BaseSource, problems: Problems, grid: Grid) -> list[_Row]:
    name, text = source.file.name, read_text(source.file, problems)
    kept = [] if text is None else [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        header, *rows = csv.reader(kept, delimiter=max(",\t", key=kept[0].count), strict=True) if kept else [[]]
    except csv.Error as error:
        problems.add(name, f"is no table ({error})", "save it as CSV with a line of column names")
        return []
    if problems:
        return []
    titles = [title.strip().lower() for title in header]
    place = _place_columns(titles)
    _table_problems(name, titles, len(rows), has_place=place is not None, problems=problems)
    if len(rows) > MOST_BASES:
        return []
    found, points = [], []
    for number, row in enumerate(rows, start=2):
        where = f"{name}, row {number}"
        # The other values of a row without a name or a place are checked all the same.
        found.append((where, {"name": where} | dict(zip(titles, row, strict=False))))
        points.append(None if place is None else _point(row, *place, where, problems))
    system = None if place is None else place[1]
    known = np.array([point for point in points if point is not None], np.float64).reshape(-1, 2)
    placed = np.zeros((len(points), 2))
    placed[[point is not None for point in points]] = projected_corners(known, system or grid.crs or "", grid)
    return _placed_rows(found, placed, problems)


def _point(
    row: Sequence[str], columns: tuple[int, int], system: str | None, where: str, problems: Problems
) -> tuple[float, float] | None:
    """Return the place of a row, ``None`` with what is wrong noted."""
    try:
        first, second = (number_from_text(row[column].strip()) for column in columns)
    except (ValueError, IndexError):
        problems.add(where, "has no numbers for its place", _REMEDY)
        return None
    if not _is_place(first, second, is_grid=system is None):
        problems.add(where, "has coordinates that are no place on the Earth", "give longitude and latitude")
        return None
    return first, second


def _table_problems(name: str, titles: Sequence[str], count: int, *, has_place: bool, problems: Problems) -> None:
    has = ", ".join(titles)[:200] or "none"
    if not has_place:
        what = f"has no columns of longitude and latitude (it has: {has})"
        problems.add(name, what, "name them lon and lat, or x and y in the CRS of the project")
    if "name" not in titles:
        problems.add(name, f"has no column of names (it has: {has})", "call it name")
    if not count:
        problems.add(name, "holds no row", "give at least one base")
    elif count > MOST_BASES:
        problems.add(
            name, f"holds {count:,} rows; at most {MOST_BASES:,} are read", "keep the bases of this fire alone"
        )


def _place_columns(titles: Sequence[str]) -> tuple[tuple[int, int], str | None] | None:
    """Return the columns of the coordinates and their CRS, ``None`` for that of the grid."""
    roles = [None if (found := parse_name(title)) is None else found.role for title in titles]
    if Role.LON in roles and Role.LAT in roles:
        return (roles.index(Role.LON), roles.index(Role.LAT)), WGS84
    east, north = (next((titles.index(one) for one in names if one in titles), None) for names in (_EAST, _NORTH))
    return None if east is None or north is None else ((east, north), None)


def _is_place(first: float, second: float, *, is_grid: bool) -> bool:
    if is_grid:
        return math.isfinite(first) and math.isfinite(second)
    return abs(first) <= 360.0 and abs(second) <= 90.0


def _from_vector(source: BaseSource, problems: Problems, grid: Grid) -> list[_Row]:
    file = vector_file(source.file, problems)
    features = None if file is None else read_features(
        file, source.layer, problems, most=MOST_BASES, of="bases", option="--layer"
    )  # fmt: skip
    if file is None or features is None:
        return []
    problems.extend(crs_problems(features, file))
    columns = {title.lower(): values for title, values in features.columns.items()}
    if "name" not in columns:
        has = ", ".join(features.columns)[:200] or "none"
        problems.add(file.name, f"its features have no property of names (they have: {has})", "call it name")
    if problems or features.crs is None:
        return []
    found, points = [], []
    for number, geometry in enumerate(features.geometries):
        where = f"{file.name}, feature {number + 1}"
        if geometry is None or shapely.is_empty(geometry) or shapely.get_dimensions(geometry) == 1:
            problems.add(where, "is no point and no polygon", "give each base a point")
            continue
        point = geometry.centroid if shapely.get_dimensions(geometry) == 0 else geometry.representative_point()
        points.append((point.x, point.y))
        found.append((where, {title: _text(values[number]) for title, values in columns.items()}))
    placed = projected_corners(np.array(points, np.float64).reshape(-1, 2), features.crs, grid)
    return _placed_rows(found, placed, problems)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (list, tuple, np.ndarray)):
        return ";".join(str(part) for part in value)
    return str(value)


def _placed_rows(
    found: Sequence[tuple[str, Mapping[str, str]]], placed: NDArray[np.float64], problems: Problems
) -> list[_Row]:
    rows = []
    for (where, values), (column, row) in zip(found, placed.tolist(), strict=True):
        if not (math.isfinite(column) and math.isfinite(row)):
            problems.add(where, "its place cannot be shown in the CRS of the project", "check its coordinates")
            column, row = 0.0, 0.0
        rows.append(_Row(where, values, (column, row)))
    return rows
