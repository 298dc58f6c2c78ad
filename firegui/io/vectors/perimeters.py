"""Observed perimeters: polygons with dates, brought onto the grid as one cumulative mask per date.

Polygons are checked and repaired first. Dated polygons are each day's increment or the whole fire of each day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from rasterio import Affine

from firegui.domain.grid import HECTARE_M2, Grid
from firegui.domain.units import percent_text
from firegui.errors import Check, InputError, Problem, Problems
from firegui.io import crs
from firegui.io.rasters.masks import polygon_mask
from firegui.io.safe_open.vectors import make_valid
from firegui.io.source_files import error_text
from firegui.io.times import guess_offset_h
from firegui.io.vectors.dates import FeatureDates, find_dates
from firegui.io.vectors.files import VectorLayer, crs_problems, polygons_of, read_features, vector_file

Masks = NDArray[np.bool_]

_COVERED = 0.9
_SHOWN_DAYS = 3


class PerimeterGrowth(StrEnum):
    """What the polygons of a date show."""

    INCREMENTS = "increments"
    CUMULATIVE = "cumulative"


def guess_growth(masks: Masks) -> tuple[PerimeterGrowth, str]:
    """Return what masks ``[N, H, W]`` of what is drawn on each date are, and a note that says so and why.

    Whole perimeters cover the fire of the date before: cumulative where each covers nine tenths of all that was drawn
    before it, increments otherwise, which add up and lose nothing of either.
    """
    covered = _covered(masks)
    if not covered:
        return PerimeterGrowth.CUMULATIVE, ""
    least = min(covered)
    if least >= _COVERED:
        why = f"every one covers at least {np.floor(least * 100):.0f} % of those before it"
        return PerimeterGrowth.CUMULATIVE, f"The perimeters are taken for the whole fire of their date: {why}."
    why = f"one covers only {np.floor(least * 100):.0f} % of those before it"
    return PerimeterGrowth.INCREMENTS, f"The perimeters are taken for daily increments and add up: {why}."


def accumulate(masks: Masks, days: Sequence[date], growth: PerimeterGrowth) -> tuple[Masks, list[str]]:
    """Return the fire of each date, ``[N, H, W]``, and what to know of it.

    Increments add up. A whole perimeter stands as it was mapped: cells that a later map takes back are said.
    """
    if growth is PerimeterGrowth.INCREMENTS:
        return np.logical_or.accumulate(masks, axis=0), []
    back = {day: int((earlier & ~later).sum())
            for day, earlier, later in zip(days[1:], masks[:-1], masks[1:], strict=True)}  # fmt: skip
    taken = {day: cells for day, cells in back.items() if cells}
    if not taken:
        return masks, []
    shown = ", ".join(f"{cells:,} on {day}" for day, cells in list(taken.items())[:_SHOWN_DAYS])
    more = ", …" if len(taken) > _SHOWN_DAYS else ""
    return masks, [f"Later perimeters take back cells of earlier ones ({shown}{more}): each stands as it was mapped."]


def _covered(masks: Masks) -> list[float]:
    """Return for each date after the first, the share of everything before that it covers."""
    shares = []
    before = np.zeros(masks.shape[1:], np.bool_)
    for mask in masks:
        total = int(before.sum())
        if total and mask.any():
            shares.append(int((before & mask).sum()) / total)
        before |= mask
    return shares


_DETECTED = ("FRP", "BRIGHTNESS", "BRIGHT_TI4", "ACQ_DATE", "CONFIDENCE")
"""Columns of FIRMS' detections by VIIRS and MODIS."""

_POINTS = ("Point", "MultiPoint")
_SHOWN = 20


def no_polygons(features: VectorLayer, where: str) -> list[Problem]:
    """Return the features that are not perimeters; a file of points gets one word for all."""
    if len(features.geometries) == 0:
        remedy = "export it as GeoPackage, GeoJSON, KML or shapefile with one polygon per date"
        return [Problem(where, "holds no perimeter", remedy)]
    if all(geometry is not None and geometry.geom_type in _POINTS for geometry in features.geometries):
        return [_describe_points(features, where)]
    found = []
    for number, geometry in enumerate(features.geometries, 1):
        if not polygons_of(geometry):
            empty = geometry is None or geometry.is_empty
            what = "has no geometry" if empty else f"is a {geometry.geom_type}, not a polygon"
            found.append(Problem(f"{where}, feature {number}", what, "keep only perimeters, as polygons"))
    if len(found) > _SHOWN:
        rest = Problem(where, f"{len(found) - _SHOWN:,} more features are not polygons", "keep only perimeters")
        return [*found[:_SHOWN], rest]
    return found


def are_detections(features: VectorLayer) -> bool:
    """Return whether points are where satellites saw heat.

    Their columns, or dates that differ, tell it.
    """
    held = {name.upper() for name in features.columns}
    if sum(name in held for name in _DETECTED) >= 2:
        return True
    dates = find_dates(features.columns, len(features.geometries), "", Problems(), None, 0.0)
    return dates is not None and len(set(dates.dates)) > 1


def _describe_points(features: VectorLayer, where: str) -> Problem:
    count = f"{len(features.geometries):,} point{'' if len(features.geometries) == 1 else 's'}"
    if are_detections(features):
        dates = find_dates(features.columns, len(features.geometries), "", Problems(), None, 0.0)
        span = "" if dates is None else f" of {min(dates.dates)} to {max(dates.dates)}"
        what = f"holds {count}{span}: places where a satellite saw heat, which have no outline"
        return Problem(where, what, "draw a polygon around those of each day in a GIS, or give an ignition")
    return Problem(where, f"holds {count} and no perimeter", "give the file as the ignition instead")


def repaired(
    geometries: NDArray[Any], where: str, metres_per_unit: float, problems: Problems
) -> tuple[NDArray[Any], list[str]]:
    """Return polygons alone, made valid where they cross themselves, and a note on the change.

    The note says how many were changed, and by how much. Rings are made simple first and then merged: what an outline
    goes around twice has burned, and a figure of eight keeps both of its halves. Whatever has no area left is a
    problem.
    """
    result = geometries.copy()
    for index, geometry in enumerate(geometries):
        if geometry.geom_type == "GeometryCollection":
            result[index] = shapely.multipolygons(polygons_of(geometry))
    crossing = np.flatnonzero(~shapely.is_valid(result))
    if not crossing.size:
        return result, []
    before = shapely.area(result[crossing]).sum()
    for index in map(int, crossing):
        try:
            parts = polygons_of(make_valid(Path(where), result[index]))
        except OSError as error:
            what = f"crosses itself in too many places to be repaired ({error_text(error)})"
            problems.add(f"{where}, feature {index + 1}", what, "draw it again, or leave it out")
            result[index] = shapely.Polygon()
            continue
        if not parts:
            problems.add(f"{where}, feature {index + 1}", "encloses no area", "draw it again, or leave it out")
        result[index] = shapely.multipolygons(parts) if parts else shapely.Polygon()
    change = (shapely.area(result[crossing]).sum() - before) * metres_per_unit**2 / HECTARE_M2
    one = crossing.size == 1
    count = "1 perimeter crosses itself" if one else f"{crossing.size} perimeters cross themselves"
    numbers = ", ".join(str(index + 1) for index in crossing[:_SHOWN]) + (", …" if crossing.size > _SHOWN else "")
    effect = "without a change of area" if abs(change) < 0.05 else f"which changed their area by {change:+,.1f} ha"
    return result, [f"{count} (feature {numbers}) and {'was' if one else 'were'} repaired, {effect}."]


@dataclass(frozen=True, slots=True)
class PerimeterSource:
    """Where the observed fire comes from.

    ``file`` is a vector file, or a folder that holds one; ``layer`` of several in it. ``date_column`` names the column
    of dates, ``growth`` says whether a polygon is a day's increment or the whole fire of that day, ``utc_offset_h`` is
    the local time for dates that are given in UTC; ``None`` leaves each to be recognised, which a note says.
    """

    file: Path
    layer: str | None = None
    date_column: str | None = None
    growth: PerimeterGrowth | None = None
    utc_offset_h: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Perimeters:
    """Cumulative masks ``[N, H, W]``, their ``N`` ascending local dates, and what was assumed or repaired."""

    masks: NDArray[np.bool_]
    dates: tuple[date, ...]
    growth: PerimeterGrowth
    notes: tuple[str, ...]


def read_perimeters(source: Path | PerimeterSource, grid: Grid, check: Check | None = None) -> Perimeters:
    """Read observed perimeters onto ``grid``, by the cell-centre rule.

    Increments add up; of whole perimeters each stands as it was mapped. Polygons that cross themselves are repaired.
    Raises :class:`~firegui.errors.InputError` with everything that is wrong, and what ``check`` raises.
    """
    asked = source if isinstance(source, PerimeterSource) else PerimeterSource(source)
    problems = Problems()
    title = f"The perimeters {asked.file} cannot be used"
    file, features = _opened(asked.file, asked.layer, grid, problems, title)
    dates = _dated(asked, features, grid, file, problems, by_file=True)
    _check(features, file, problems)
    problems.raise_if_any(title)
    assert dates is not None
    geometries, notes = _on_grid(features, grid, file, problems)
    problems.raise_if_any(title)
    days, masks = _masks(geometries, dates.dates, grid, check)
    if not masks.any():
        problems.add(file.name, *_off_grid(geometries, grid))
    problems.raise_if_any(title)
    growth, why = (asked.growth, "") if asked.growth is not None else guess_growth(masks)
    summed, said = accumulate(masks, days, growth)
    told = (*dates.notes, *notes, *_describe_cut(geometries, grid), *((why,) if why else ()), *said)
    return Perimeters(summed, days, growth, told)


def read_outline(path: Path, grid: Grid, until: date, utc_offset_h: float | None = None) -> NDArray[np.bool_]:
    """Return one perimeter ``[H, W]`` on ``grid``.

    The union of the polygons of a file, by the cell-centre rule. Where the polygons have dates, those after the local
    date ``until`` are left out; ``utc_offset_h`` as in :class:`PerimeterSource`, ``path`` as in
    :func:`read_perimeters`. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    title = f"The perimeter {path} cannot be used"
    file, features = _opened(path, None, grid, problems, title)
    undated = Problems()
    dates = _dated(PerimeterSource(path, utc_offset_h=utc_offset_h), features, grid, file, undated)
    if dates is None and any("not a date" in problem.what for problem in undated):
        problems.extend(undated)  # it has a column of dates, and some of them are none
    _check(features, file, problems)
    problems.raise_if_any(title)
    geometries, _ = _on_grid(features, grid, file, problems)
    problems.raise_if_any(title)
    if dates is not None:
        geometries = geometries[[when <= until for when in dates.dates]]
        if len(geometries) == 0:
            what = f"its perimeters are of {min(dates.dates)} and later, none is of {until} or before"
            problems.add(file.name, what, "give the perimeter of the day to plan from, or check the day")
        problems.raise_if_any(title)
    assert grid.transform is not None
    mask = polygon_mask(list(geometries), Affine(*grid.transform), grid.shape)
    if not mask.any():
        problems.add(file.name, *_off_grid(geometries, grid))
    problems.raise_if_any(title)
    return mask


def _opened(path: Path, layer: str | None, grid: Grid, problems: Problems, title: str) -> tuple[Path, VectorLayer]:
    """Return the file and its features. Raises with what is wrong with them or with the place of the grid."""
    if not grid.is_georeferenced:
        what = "the event has no place on the map"
        problems.add("grid", what, "give its CRS and transform, so that perimeters can be laid on it")
    else:
        problems.extend(crs.grid_problems(grid))
    file = vector_file(path, problems)
    features = None if file is None else read_features(file, layer, problems)
    if file is None or features is None:
        raise InputError(problems, title)
    return file, features


def _dated(
    asked: PerimeterSource, features: VectorLayer, grid: Grid, file: Path, problems: Problems, by_file: bool = False
) -> FeatureDates | None:
    offset = asked.utc_offset_h if asked.utc_offset_h is not None else guess_offset_h(grid, None)
    count = len(features.geometries)
    return find_dates(features.columns, count, file.name, problems, asked.date_column, offset, by_file)


def _check(features: VectorLayer, file: Path, problems: Problems) -> None:
    problems.extend(no_polygons(features, file.name))
    problems.extend(crs_problems(features, file))


def _on_grid(features: VectorLayer, grid: Grid, file: Path, problems: Problems) -> tuple[NDArray[Any], list[str]]:
    """Return the polygons in the grid's CRS, valid, with notes on what was repaired."""
    geometries = features.geometries
    if features.crs is not None and grid.crs is not None and not crs.same(features.crs, grid.crs):
        change = crs.transformer(features.crs, grid.crs)
        geometries = np.asarray(shapely.transform(geometries, change.transform, interleaved=False))
        bad = np.flatnonzero(~np.isfinite(shapely.bounds(geometries)).all(axis=1))
        for number in bad:
            what = f"cannot be brought from {crs.short_name(features.crs)} to {crs.short_name(grid.crs)}"
            problems.add(f"{file.name}, feature {number + 1}", what, "check that the file says its true CRS")
        if bad.size:
            return geometries, []
    return repaired(geometries, file.name, crs.metres_per_unit(grid.crs or ""), problems)


def _masks(
    geometries: NDArray[Any], dates: tuple[date, ...], grid: Grid, check: Check | None
) -> tuple[tuple[date, ...], NDArray[np.bool_]]:
    """Return what the polygons of each date cover, ``[N, H, W]``."""
    days = tuple(sorted(set(dates)))
    masks = np.zeros((len(days), *grid.shape), np.bool_)
    assert grid.transform is not None
    place = Affine(*grid.transform)
    for mask, day in zip(masks, days, strict=True):
        if check is not None:
            check()
        chosen = geometries[[when == day for when in dates]]
        mask[:] = polygon_mask(list(chosen), place, grid.shape)
    return days, masks


def _extent(grid: Grid) -> tuple[float, float, float, float]:
    west, south = grid.to_world(grid.rows - 0.5, -0.5)
    east, north = grid.to_world(-0.5, grid.columns - 0.5)
    return west, south, east, north


def _describe_cut(geometries: NDArray[Any], grid: Grid) -> list[str]:
    """Return a note that some of the fire lies beyond the raster, and how much."""
    west, south, east, north = _extent(grid)
    left, bottom, right, top = shapely.total_bounds(geometries)
    if left >= west and right <= east and bottom >= south and top <= north:
        return []
    inside = shapely.intersection(geometries, shapely.box(west, south, east, north))
    whole = shapely.area(geometries).sum()
    share = 0.0 if whole <= 0.0 else 1.0 - shapely.area(inside).sum() / whole
    return (
        [f"Of the perimeters' area {percent_text(share)} lies off the raster and was cut off."]
        if share >= 0.0005
        else []
    )


def _off_grid(geometries: NDArray[Any], grid: Grid) -> tuple[str, str]:
    left, bottom, right, top = shapely.total_bounds(geometries)
    west, south, east, north = _extent(grid)
    if right <= west or left >= east or top <= south or bottom >= north:
        where = f"x {left:.6g} to {right:.6g}, y {bottom:.6g} to {top:.6g}"
        extent = f"x {west:.6g} to {east:.6g}, y {south:.6g} to {north:.6g}"
        what = f"every perimeter lies off the grid ({where} in {grid.crs}, the grid spans {extent})"
        return what, "likely a CRS mismatch: check the CRS and transform of the event and the CRS of the file"
    return "no perimeter covers the centre of a cell", "check that the file holds this fire"
