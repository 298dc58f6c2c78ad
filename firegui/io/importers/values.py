"""Values at risk from files: points in CSV, points and polygons in vector files, and GeoTIFF.

Every way keeps the sum of what lies on the grid. A point counts in the cell in which it lies. The value of a polygon is
spread in equal parts over the cells whose centres lie inside, or counts in the cell of a point inside where no centre
does; of one that is partly off the grid, the part of its area on the grid counts. A raster with the cells of the grid
is copied. Of another raster each cell is divided into squares of at most a quarter of the grid's cells, and each square
counts in the cell in which its centre lies: counts are summed there, and densities are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.domain.values import ValueLayer, cell_problems, value_problems
from firegui.errors import Check, Problems
from firegui.io.importers.attribute_rows import TABLES, read_point_table, row_numbers, titles_text
from firegui.io.rasters.files import RasterFile, read_box, read_header
from firegui.io.rasters.masks import is_tiff
from firegui.io.rasters.warp import RasterGeometry, needed_box, offset_on
from firegui.io.source_files import first_few
from firegui.io.vectors.files import crs_problems, read_features, vector_file
from firegui.io.vectors.water import projected_corners

Floats = NDArray[np.float64]

_WEIGHTS = ("weight", "value")
"""Columns of values that need not be named."""
_MOST_FEATURES = 2_000_000
_FINER = 4.0
"""Squares along a side of a grid cell into which cells of other rasters are divided, at least."""
_CELLS_AT_ONCE = 2_000_000
_SHOWN = 5


class RasterMeaning(StrEnum):
    """What the numbers of a raster are."""

    COUNTS = "counts"
    DENSITIES = "densities"


MEANINGS: Mapping[RasterMeaning, str] = {
    RasterMeaning.COUNTS: "Counts or sums of each cell", RasterMeaning.DENSITIES: "Densities or shares",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValueSource:
    """A file of values and how to read it.

    ``column`` holds the values of a table or a vector file; without it a column called weight or value does, else every
    feature counts 1. ``layer`` is that of a vector file with several. ``meaning`` is that of a raster.
    """

    file: Path
    name: str = ""
    column: str = ""
    layer: str | None = None
    meaning: RasterMeaning | None = None
    weight: float = 1.0
    susceptibility: float = 1.0


@dataclass(frozen=True, slots=True)
class ImportedValues:
    """A layer of values, and notes on what was assumed or left out."""

    layer: ValueLayer
    notes: tuple[str, ...]


def read_values(source: ValueSource, grid: Grid, check: Check | None = None) -> ImportedValues:
    """Read a layer of values onto ``grid``. Its name is that of the file unless given.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems, notes, file = Problems(), list[str](), source.file
    layer = None
    if not grid.is_georeferenced:
        problems.add("grid", "the event has no place on the map", "give its CRS and transform, then import the values")
    problems.raise_if_any(f"The values of {file.name} cannot be used")
    if is_tiff(file):
        cells = _from_raster(source, grid, problems, notes, check)
    else:
        read = _from_table if file.suffix.lower() in TABLES else _from_vector
        cells = read(source, grid, problems, notes, check)
    if cells is not None and not problems:
        problems.extend(cell_problems(file.name, cells))
        layer = ValueLayer.of(source.name or file.stem, file.name, cells, source.weight, source.susceptibility)
        problems.extend([] if problems else value_problems([layer], grid.shape))
    problems.raise_if_any(f"The values of {file.name} cannot be used")
    assert layer is not None
    return ImportedValues(layer, tuple(notes))


# -- points and polygons -----------------------------------------------------------------------------------------------
def _from_table(
    source: ValueSource, grid: Grid, problems: Problems, notes: list[str], _check: Check | None
) -> Floats | None:
    name, table = source.file.name, read_point_table(source.file, problems, ",;\t")
    if table is None:
        return None
    column, place = _weight_column(source, table.titles, problems, notes), table.place
    if place is None or problems:
        return None
    read = [row_numbers(row, [*place.columns, *([] if column is None else [column])]) for row in table.rows]
    wrong = [number for number, row in enumerate(read, start=2) if row is None]
    if wrong:
        what = f"has rows without numbers for place and value (row {first_few(wrong, _SHOWN)})"
        problems.add(name, what, "give every row its coordinates and its value")
        return None
    if not read:
        problems.add(name, "holds no row", "give at least one point")
        return None
    numbers = np.array(read, np.float64)
    unreal = np.flatnonzero(~place.are_places(numbers[:, :2])) + 2
    if len(unreal):
        what = f"has coordinates that are not on the Earth (row {first_few(unreal.tolist(), _SHOWN)})"
        problems.add(name, what, "give longitude and latitude in degrees")
        return None
    weights = np.ones(len(numbers)) if column is None else numbers[:, 2]
    points = projected_corners(numbers[:, :2], place.system or grid.crs or "", grid)
    return _binned(points, weights, grid, name, "points", problems, notes)


def _weight_column(source: ValueSource, titles: Sequence[str], problems: Problems, notes: list[str]) -> int | None:
    """Return the column of values; ``None`` where every row counts 1."""
    if source.column:
        if source.column in titles:
            return titles.index(source.column)
        what = f"has no column {source.column!r} (it has: {titles_text(titles)})"
        problems.add(source.file.name, what, "name one of them, or none: then every feature counts 1")
        return None
    found = next((at for at, title in enumerate(titles) if title.lower() in _WEIGHTS), None)
    notes.append("Every feature counts 1." if found is None else f"Values are those of the column {titles[found]}.")
    return found


def _from_vector(
    source: ValueSource, grid: Grid, problems: Problems, notes: list[str], check: Check | None
) -> Floats | None:
    file = vector_file(source.file, problems)
    features = None if file is None else read_features(
        file, source.layer, problems, most=_MOST_FEATURES, of="values", option="--layer"
    )  # fmt: skip
    if file is None or features is None:
        return None
    problems.extend(crs_problems(features, file))
    titles = list(features.columns)
    column = _weight_column(source, titles, problems, notes)
    weights = np.ones(len(features.geometries))
    if column is not None:
        weights = _column_numbers(features.columns[titles[column]], titles[column], file.name, problems)
    kinds = shapely.get_dimensions(features.geometries)
    lines = (np.flatnonzero(kinds == 1) + 1).tolist()
    if lines:
        what = f"holds lines (feature {first_few(lines, _SHOWN)})"
        problems.add(file.name, what, "give points or polygons")
    held = ~shapely.is_missing(features.geometries) & ~shapely.is_empty(features.geometries)
    if not held.any():
        problems.add(file.name, "holds no point and no polygon", "give at least one")
    if problems or features.crs is None:
        return None
    if not held.all():
        notes.append(f"{_count(int((~held).sum()), 'feature')} without a geometry left out.")
    system, whole = features.crs, features.geometries[held]
    placed = np.asarray(shapely.transform(whole, lambda points: projected_corners(points, system, grid)), object)
    weights, kinds = weights[held], kinds[held]
    points, at = shapely.get_coordinates(placed[kinds == 0], return_index=True)
    shares = weights[kinds == 0] / np.maximum(np.bincount(at, minlength=int((kinds == 0).sum())), 1)
    spread, parts = _polygon_points(placed[kinds == 2], weights[kinds == 2], grid, check)
    return _binned(
        np.concatenate([points, spread]), np.concatenate([shares[at], parts]), grid, file.name, "features", problems,
        notes,
    )  # fmt: skip


def _column_numbers(values: NDArray[Any], title: str, name: str, problems: Problems) -> Floats:
    try:
        return np.asarray([math.nan if value is None else value for value in values.tolist()], np.float64)
    except (TypeError, ValueError):
        problems.add(name, f"the column {title} holds no numbers", "name a column of numbers")
        return np.ones(len(values))


def _polygon_points(polygons: NDArray[Any], weights: Floats, grid: Grid, check: Check | None) -> tuple[Floats, Floats]:
    """Return points that stand for polygons, and the part of the value that each has.

    They are the centres of the cells inside, or a point inside where no centre is. What is off the grid is one point.
    """
    points, parts = [np.empty((0, 2))], [np.empty(0)]
    whole = shapely.box(0.0, 0.0, grid.columns, grid.rows)
    bounds = np.nan_to_num(shapely.bounds(polygons), nan=-1.0)
    for polygon, weight, (left, top, right, bottom) in zip(polygons, weights, bounds, strict=True):
        if check is not None:
            check()
        inside = left >= 0.0 and top >= 0.0 and right <= grid.columns and bottom <= grid.rows
        share = 1.0 if inside else _area_share(polygon, whole)
        first, last = max(math.floor(left), 0), min(math.ceil(right), grid.columns)
        high, low = max(math.floor(top), 0), min(math.ceil(bottom), grid.rows)
        x, y = (axis.ravel() for axis in np.meshgrid(np.arange(first, last) + 0.5, np.arange(high, low) + 0.5))
        held = shapely.contains_xy(polygon, x, y)
        found = np.column_stack([x[held], y[held]])
        if not len(found):
            found = np.array(polygon.representative_point().coords)
        points += [found, np.full((1, 2), -1.0)]
        parts += [np.full(len(found), weight * share / len(found)), np.array([weight * (1.0 - share)])]
    return np.concatenate(points), np.concatenate(parts)


def _area_share(polygon: Any, whole: Any) -> float:
    """Return the share of a polygon's area that lies in ``whole``."""
    sound = polygon if polygon.is_valid else polygon.buffer(0.0)
    return float(sound.intersection(whole).area / sound.area) if sound.area > 0.0 else 0.0


def _binned(
    points: Floats, weights: Floats, grid: Grid, name: str, things: str, problems: Problems, notes: list[str]
) -> Floats | None:
    """Return the sums of ``weights`` by cell, for points ``(column, row)`` in corner coordinates."""
    problems.extend(cell_problems(name, weights))
    column, row = np.floor(np.nan_to_num(points, nan=-1.0, posinf=-1.0, neginf=-1.0)).T
    held = (column >= 0) & (column < grid.columns) & (row >= 0) & (row < grid.rows)
    if not (held & (weights > 0.0)).any() and not problems:
        problems.add(name, f"none of its {things} lies on the grid", "check its CRS, or cut the file to the fire")
    if problems:
        return None
    lost = float(weights[~held].sum() / weights.sum())
    if lost > 1e-9:
        notes.append(f"{100.0 * lost:.3g} % of the values lies off the grid and is left out.")
    cells = np.zeros(grid.shape)
    np.add.at(cells, (row[held].astype(int), column[held].astype(int)), weights[held])
    return cells


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


# -- rasters -----------------------------------------------------------------------------------------------------------
def _from_raster(
    source: ValueSource, grid: Grid, problems: Problems, notes: list[str], check: Check | None
) -> Floats | None:
    name = source.file.name
    if source.column or source.layer is not None:
        problems.add(name, "is a raster, which has no column and no layer", "leave them out")
    header = read_header(source.file, name, problems)
    if header is None:
        return None
    if len(header.bands) != 1:
        problems.add(name, f"holds {len(header.bands)} bands", "give a raster with one band")
    if header.geometry.crs is None or header.geometry.transform is None:
        problems.add(name, "does not say its CRS and place", "set them in a GIS")
        return None
    offset = offset_on(header.geometry, grid)
    if offset is None and source.meaning is None:
        what = "its cells are not those of the grid, and it does not say whether its numbers are counts or densities"
        problems.add(name, what, "say which (--cells counts, --cells densities)")
    box = needed_box(header.geometry, grid)
    if box is None:
        problems.add(name, "does not cover the grid", "check its CRS and extent")
    if problems or box is None:
        return None
    values = read_box(header, 1, box, name, problems)
    read = None if values is None else _real(values, header, name, problems)
    if read is None:
        return None
    numbers, data = read
    place = tuple((header.geometry.affine @ Affine.translation(box[2], box[0]))[:6])
    geometry = RasterGeometry(numbers.shape, place, header.geometry.crs)
    if offset is not None:
        return _summed(numbers, geometry, grid, 1, check)
    parts = _parts(geometry, grid)
    sums = _summed(numbers, geometry, grid, parts, check)
    if source.meaning is RasterMeaning.COUNTS:
        notes.append("Counts are summed by cell.")
        return sums
    notes.append("Densities are averaged over each cell.")
    covered = _summed(data.astype(np.float64), geometry, grid, parts, check)
    return np.divide(sums, covered, out=np.zeros(grid.shape), where=covered > 0.0)


def _real(
    values: NDArray[Any], header: RasterFile, name: str, problems: Problems
) -> tuple[Floats, NDArray[np.bool_]] | None:
    """Return the values as numbers, 0 where there is no data, and where there is.

    What are not values is noted.
    """
    band = header.bands[0]
    numbers = values.astype(np.float64)
    missing = np.zeros(values.shape, bool) if band.nodata is None else values == band.nodata
    missing |= np.isnan(numbers) & (band.nodata is not None and math.isnan(band.nodata))
    numbers = np.where(missing, 0.0, numbers * band.scale + band.offset)
    problems.extend(cell_problems(name, numbers))
    return None if problems else (numbers, ~missing)


def _summed(values: Floats, geometry: RasterGeometry, grid: Grid, parts: int, check: Check | None) -> Floats:
    """Return the sums of a raster's cells, each divided into ``parts`` × ``parts`` squares."""
    assert geometry.crs is not None
    rows, columns = np.nonzero(values)
    steps = (np.arange(parts) + 0.5) / parts
    south, east = (axis.ravel() for axis in np.meshgrid(steps, steps, indexing="ij"))
    cells, at_once = np.zeros(grid.shape), max(_CELLS_AT_ONCE // parts**2, 1)
    for first in range(0, len(rows), at_once):
        if check is not None:
            check()
        i, j = rows[first : first + at_once], columns[first : first + at_once]
        x, y = geometry.affine @ ((j[:, None] + east).ravel(), (i[:, None] + south).ravel())
        column, row = np.floor(
            np.nan_to_num(projected_corners(np.column_stack([x, y]), geometry.crs, grid), nan=-1.0)
        ).T
        shares = np.repeat(values[i, j] / parts**2, parts**2)
        held = (column >= 0) & (column < grid.columns) & (row >= 0) & (row < grid.rows)
        np.add.at(cells, (row[held].astype(int), column[held].astype(int)), shares[held])
    return cells


def _parts(geometry: RasterGeometry, grid: Grid) -> int:
    """Return into how many squares along a side a raster's cell is divided."""
    assert geometry.crs is not None
    middle = geometry.affine @ (geometry.shape[1] / 2.0, geometry.shape[0] / 2.0)
    beside = geometry.affine @ (geometry.shape[1] / 2.0 + 1.0, geometry.shape[0] / 2.0 + 1.0)
    here, there = projected_corners(np.array([middle, beside]), geometry.crs, grid)
    longest = float(np.abs(there - here).max())
    return max(math.ceil(_FINER * longest), 1) if math.isfinite(longest) else 1
