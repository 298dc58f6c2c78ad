"""Bases from files: rows of a CSV table, or points and polygons of a vector file such as GeoJSON.

Columns, or properties of features, are ``name``, ``kind``, ``reload_min``, ``opens``, ``closes`` and ``serves``.
A table has the coordinates, too: ``lon`` and ``lat`` in degrees, or ``x`` and ``y`` in the CRS of the project. Only the
name and the place are needed. ``opens`` and ``closes`` are hours of the local day (``08:30`` or ``8.5``), ``serves``
ids of aircraft types between semicolons. Of a polygon, such as a lake of a water layer, a point inside is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.bases import USUAL_RELOAD_MIN, Base, BaseKind, hour_of
from firegui.domain.grid import Grid
from firegui.domain.names import repeated_names
from firegui.errors import Problems
from firegui.io.importers.attribute_rows import (
    TABLES,
    AttributeRow,
    PlaceColumns,
    feature_rows,
    read_point_table,
    row_numbers,
    titles_text,
)
from firegui.io.vectors.files import crs_problems, read_features, vector_file
from firegui.io.vectors.water import projected_corners

MOST_BASES = 1000


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
class _PlacedBase:
    row: AttributeRow
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
    rows: Sequence[_PlacedBase], source: BaseSource, grid: Grid, problems: Problems, notes: list[str]
) -> tuple[Base, ...]:
    found = []
    for placed in rows:
        row, (column, corner) = placed.row, placed.point
        kind = row.kind(BaseKind, problems, "kind") or source.kind
        reload_min = row.number("reload_min", USUAL_RELOAD_MIN[kind], problems)
        opens, closes = (_hour(row, name, problems) for name in ("opens", "closes"))
        serves = tuple(part.strip() for part in row.text("serves").split(";") if part.strip())
        base = Base(
            row.text("name"), kind, corner - 0.5, column - 0.5, reload_min, opens, closes, serves or source.serves
        )
        problems.extend(base.problems())
        found.append(base)
    if any(not placed.row.text("kind") for placed in rows):
        notes.append(f"Bases without a kind are taken for kind {source.kind}.")
    if any(not placed.row.text("reload_min") for placed in rows):
        usual = ", ".join(f"{minutes:g} min for {kind}" for kind, minutes in USUAL_RELOAD_MIN.items())
        notes.append(f"Reload times that are not given are assumed: {usual}.")
    return tuple(found)


def _hour(row: AttributeRow, name: str, problems: Problems) -> float | None:
    text = row.text(name)
    try:
        return hour_of(text)
    except ValueError:
        problems.add(row.where, f"{name} is {text!r}, no hour of the day", "write it as 08:30 or 8.5")
        return None


def _from_table(source: BaseSource, problems: Problems, grid: Grid) -> list[_PlacedBase]:
    name = source.file.name
    table = read_point_table(source.file, problems, ",\t")  # "serves" has semicolons
    if table is None:
        return []
    titles = [title.lower() for title in table.titles]
    if "name" not in titles:
        problems.add(name, f"has no column of names (it has: {titles_text(titles)})", "call it name")
    if not table.rows:
        problems.add(name, "holds no row", "give at least one base")
    elif len(table.rows) > MOST_BASES:
        what = f"holds {len(table.rows):,} rows; at most {MOST_BASES:,} are read"
        problems.add(name, what, "keep the bases of this fire alone")
        return []
    found, points = [], []
    for number, row in enumerate(table.rows, start=2):
        where = f"{name}, row {number}"
        # The other values of a row without a name or a place are checked all the same.
        found.append(AttributeRow(where, {"name": where} | dict(zip(titles, row, strict=False))))
        points.append(None if table.place is None else _point(row, table.place, where, problems))
    system = None if table.place is None else table.place.system
    known = np.array([point for point in points if point is not None], np.float64).reshape(-1, 2)
    placed = np.zeros((len(points), 2))
    placed[[point is not None for point in points]] = projected_corners(known, system or grid.crs or "", grid)
    return _placed_rows(found, placed, problems)


def _point(row: Sequence[str], place: PlaceColumns, where: str, problems: Problems) -> tuple[float, float] | None:
    """Return the place of a row, ``None`` with what is wrong noted."""
    numbers = row_numbers(row, place.columns)
    if numbers is None:
        problems.add(where, "has no numbers for its place", "correct that row")
        return None
    if not place.are_places(np.array([numbers])).all():
        problems.add(where, "has coordinates that are not on the Earth", "give longitude and latitude")
        return None
    return numbers[0], numbers[1]


def _from_vector(source: BaseSource, problems: Problems, grid: Grid) -> list[_PlacedBase]:
    file = vector_file(source.file, problems)
    features = None if file is None else read_features(
        file, source.layer, problems, most=MOST_BASES, of="bases", option="--layer"
    )  # fmt: skip
    if file is None or features is None:
        return []
    problems.extend(crs_problems(features, file))
    titles = list(features.columns)
    if "name" not in [title.lower() for title in titles]:
        what = f"its features have no property of names (they have: {titles_text(titles)})"
        problems.add(file.name, what, "call it name")
    if problems or features.crs is None:
        return []
    found, points = [], []
    rows = feature_rows(file.name, features.columns, len(features.geometries))
    for row, geometry in zip(rows, features.geometries, strict=True):
        if geometry is None or shapely.is_empty(geometry) or shapely.get_dimensions(geometry) == 1:
            problems.add(row.where, "is neither a point nor a polygon", "give each base a point")
            continue
        point = geometry.centroid if shapely.get_dimensions(geometry) == 0 else geometry.representative_point()
        points.append((point.x, point.y))
        found.append(row)
    placed = projected_corners(np.array(points, np.float64).reshape(-1, 2), features.crs, grid)
    return _placed_rows(found, placed, problems)


def _placed_rows(rows: Sequence[AttributeRow], places: NDArray[np.float64], problems: Problems) -> list[_PlacedBase]:
    placed = []
    for attributes, (column, row) in zip(rows, places.tolist(), strict=True):
        if not (math.isfinite(column) and math.isfinite(row)):
            problems.add(
                attributes.where, "its place cannot be shown in the CRS of the project", "check its coordinates"
            )
            column, row = 0.0, 0.0
        placed.append(_PlacedBase(attributes, (column, row)))
    return placed
