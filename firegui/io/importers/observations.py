"""What burns in an imported event.

Observed perimeters, or where the fire starts, and what to say of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.errors import Check, InputError, Problem, Problems
from firegui.io.crs import same, transformer
from firegui.io.georeference import Georeference, format_ddm
from firegui.io.importers.georeferencing import GridPlacement
from firegui.io.rasters.masks import MaskRaster, is_tiff, read_masks
from firegui.io.source_files import first_few
from firegui.io.vectors.files import crs_problems, read_features, vector_file
from firegui.io.vectors.perimeter_survey import holds_ignition
from firegui.io.vectors.perimeters import (
    PerimeterSource,
    accumulate,
    are_detections,
    guess_growth,
    no_polygons,
    read_outline,
    read_perimeters,
)

_FIRST_NONBURNABLE, _LAST_NONBURNABLE = 91, 99
_FOR_EVER = date.max


Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ignition:
    """The cells ``[H, W]`` in which a fire starts, and what to say of them."""

    mask: Bools
    notes: tuple[str, ...]


def read_ignition(
    where: tuple[float, float] | Path, grid: Grid, fuel: NDArray[np.float32] | None, problems: Problems
) -> Ignition | None:
    """Return where a fire starts.

    A longitude and latitude, a GeoTIFF mask, or a vector file of points or polygons. What is wrong is added to
    ``problems`` and ``None`` returned: as :func:`ignition_at`, and a file that holds nothing on the grid or the
    detections of a satellite.
    """
    if isinstance(where, tuple):
        mask = ignition_at(where, grid, fuel, problems)
        return None if mask is None else Ignition(mask, ())
    mask = _from_raster(where, grid, problems) if is_tiff(where) else _from_vector(where, grid, problems)
    if mask is None:
        return None
    burning = mask if fuel is None else mask & ~((fuel >= _FIRST_NONBURNABLE) & (fuel <= _LAST_NONBURNABLE))
    cells, lost = int(burning.sum()), int(mask.sum() - burning.sum())
    if not cells:
        problems.add("ignition", f"none of the cells of {where.name} has fuel that burns", "choose a place that burns")
        return None
    kept = f"; {lost:,} others do not burn and were left out" if lost else ""
    return Ignition(burning, (f"The fire starts in {cells:,} cell{'' if cells == 1 else 's'} of {where.name}{kept}.",))


def _from_raster(path: Path, grid: Grid, problems: Problems) -> Bools | None:
    read = read_masks(path, grid, problems)
    if read is None:
        return None
    if len(read.masks) != 1:
        problems.add(f"ignition ({path.name})", f"has {len(read.masks)} bands", "keep the one with the ignition")
        return None
    if not read.masks.any():
        problems.add(f"ignition ({path.name})", "nothing burns on the grid", "check that it holds this fire")
        return None
    return np.asarray(read.masks[0])


def _from_vector(path: Path, grid: Grid, problems: Problems) -> Bools | None:
    file = vector_file(path, problems)
    features = None if file is None else read_features(file, None, problems)
    if file is None or features is None:
        return None
    if not all(g is not None and g.geom_type in ("Point", "MultiPoint") for g in features.geometries):
        try:
            return read_outline(path, grid, _FOR_EVER)
        except InputError as error:
            problems.extend(error.problems)
            return None
    wrong = crs_problems(features, file) + (
        no_polygons(features, file.name) if are_detections(features) or not len(features.geometries) else []
    )
    problems.extend(wrong)
    if wrong or features.crs is None or grid.crs is None:
        return None
    points = shapely.get_coordinates(features.geometries)
    if not same(features.crs, grid.crs):
        points = np.column_stack(transformer(features.crs, grid.crs).transform(points[:, 0], points[:, 1]))
    return _cells(points, grid, file.name, problems)


def _cells(points: NDArray[np.float64], grid: Grid, name: str, problems: Problems) -> Bools | None:
    mask = np.zeros(grid.shape, np.bool_)
    for number, (east, north) in enumerate(points, 1):
        y, x = grid.from_world(float(east), float(north))
        on_grid = math.isfinite(y) and -0.5 <= y < grid.rows - 0.5 and -0.5 <= x < grid.columns - 0.5
        if not on_grid:
            what = f"point {number} lies off the raster"
            problems.add(f"ignition ({name})", what, "check the CRS of the file, or leave the point out")
            return None
        mask[math.floor(y + 0.5), math.floor(x + 0.5)] = True
    return mask


def ignition_at(
    point: tuple[float, float], grid: Grid, fuel: NDArray[np.float32] | None, problems: Problems
) -> NDArray[np.bool_] | None:
    """Return ``[H, W]``: the one cell that holds ``point`` (longitude, latitude in degrees, WGS 84).

    A point that is none, that lies off the raster or where FBFM40 (``fuel``) does not burn is added to ``problems``.
    """
    lon, lat = point
    if not (math.isfinite(lon) and math.isfinite(lat) and abs(lon) <= 180.0 and abs(lat) <= 90.0):
        problems.add("ignition", f"{lon:g}, {lat:g} is not on the Earth", "give longitude, then latitude, degrees")
        return None
    place = Georeference(grid)
    if not place.has_place:
        problems.add("ignition", "the layers have no place on the map", "give layers with a CRS and a transform")
        return None
    cell = _cell(place, grid, lon, lat)
    if cell is None:
        problems.add("ignition", f"{format_ddm(lon, lat)} lies off the raster", _where_then(place, grid, lon, lat))
        return None
    code = None if fuel is None else float(fuel[cell])
    if code is not None and _FIRST_NONBURNABLE <= code <= _LAST_NONBURNABLE:
        problems.add("ignition", f"the cell there is fuel {code:g}, which does not burn", "choose a place that burns")
        return None
    mask = np.zeros(grid.shape, np.bool_)
    mask[cell] = True
    return mask


def _cell(place: Georeference, grid: Grid, lon: float, lat: float) -> tuple[int, int] | None:
    found = place.from_lonlat(lon, lat)
    if found is None:
        return None
    # Cell centres are at integers.
    row, column = math.floor(found[0] + 0.5), math.floor(found[1] + 0.5)
    return (row, column) if 0 <= row < grid.rows and 0 <= column < grid.columns else None


def _where_then(place: Georeference, grid: Grid, lon: float, lat: float) -> str:
    if abs(lon) <= 90.0 and _cell(place, grid, lat, lon) is not None:
        return "give longitude first, then latitude"
    rows, columns = np.meshgrid([-0.5, grid.rows - 0.5], [-0.5, grid.columns - 0.5])
    corners = place.lonlat_many(rows.ravel(), columns.ravel())
    if corners is None:
        return "choose a place on it"
    lons, lats = corners
    west, east, south, north = lons.min(), lons.max(), lats.min(), lats.max()
    return f"the raster spans {west:.4f} to {east:.4f} in longitude and {south:.4f} to {north:.4f} in latitude"


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Perimeters ``masks [N, H, W]`` on their local ``dates``, or the cells of an ignition.

    ``ignition [H, W]`` is where a fire starts. Both are ``None`` where nothing was given. ``notes`` say what was
    recognised, assumed and repaired.
    """

    masks: NDArray[np.bool_] | None = None
    dates: tuple[date, ...] = ()
    ignition: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()


def observe(
    source: Path | PerimeterSource | None, place: GridPlacement | None, problems: Problems, check: Check | None = None
) -> Observed:
    """Return what burns, on the grid of ``place``; what is wrong is added to ``problems``.

    The file holds dated polygons; or a raster whose bands are called by dates, each a mask of what has burned; or a
    raster of one band, or points, where the fire starts.
    """
    if source is None:
        return Observed()
    asked = source if isinstance(source, PerimeterSource) else PerimeterSource(source)
    if place is None:
        # The grid is already reported; a missing file can be too.
        if not asked.file.exists():
            problems.add(f"perimeters {asked.file}", "the file does not exist", "check the path")
        return Observed()
    found = Problems()
    observed = _observed(asked, place, found, check)
    problems.extend(_as_perimeters(found))
    return observed


def _observed(asked: PerimeterSource, place: GridPlacement, problems: Problems, check: Check | None) -> Observed:
    if is_tiff(asked.file):
        return _observed_raster(asked, place, problems, check)
    if holds_ignition(asked.file, asked.layer):
        start = read_ignition(asked.file, place.grid, None, problems)
        return Observed() if start is None else Observed(ignition=start.mask, notes=start.notes)
    try:
        read = read_perimeters(asked, place.grid, check)
    except InputError as error:
        problems.extend(error.problems)
        return Observed()
    return Observed(read.masks, read.dates, None, read.notes)


def _observed_raster(asked: PerimeterSource, place: GridPlacement, problems: Problems, check: Check | None) -> Observed:
    read = read_masks(asked.file, place.grid, problems, check)
    if read is None:
        return Observed()
    if not read.masks.any():
        problems.add(asked.file.name, "nothing has burned on the grid", "check that it holds this fire")
        return Observed()
    if read.dates:
        return _dated_bands(asked, read, problems)
    if len(read.masks) != 1:
        what = f"has {len(read.masks)} bands that are not called by their dates"
        problems.add(asked.file.name, what, "name each band by its date (2020-08-19), or keep one, the ignition")
        return Observed()
    cells = int(read.masks[0].sum())
    return Observed(ignition=read.masks[0], notes=(f"The fire starts in the {cells:,} cells of {asked.file.name}.",))


def _dated_bands(asked: PerimeterSource, read: MaskRaster, problems: Problems) -> Observed:
    for number, (one, other) in enumerate(zip(read.dates, read.dates[1:], strict=False), 1):
        if other <= one:
            what = f"band {number + 1} ({other}) does not come after band {number} ({one})"
            problems.add(asked.file.name, what, "put the bands in the order of their dates, each once")
            return Observed()
    growth, why = (asked.growth, "") if asked.growth is not None else guess_growth(read.masks)
    masks, notes = accumulate(read.masks, read.dates, growth)
    return Observed(masks, read.dates, None, (*((why,) if why else ()), *notes))


def _as_perimeters(problems: Problems) -> list[Problem]:
    """Return the problems with a place that says that they are the perimeters'."""
    return [
        problem if problem.where.startswith(("perimeters", "ignition"))
        else replace(problem, where=f"perimeters ({problem.where})")
        for problem in problems
    ]  # fmt: skip


def describe_observed(dates: Sequence[date]) -> str:
    """Return how many perimeters there are, and which days have none of their own."""
    span = (dates[-1] - dates[0]).days + 1
    gaps = sorted({date.fromordinal(n) for n in range(dates[0].toordinal(), dates[-1].toordinal())} - set(dates))
    text = f"Observed perimeters on {len(dates)} of {span} days, {dates[0]} to {dates[-1]}"
    if not gaps:
        return text + "."
    shown = first_few(gaps, 5)
    return f"{text}; days without one show the day before ({shown})."


def describe_coverage(event: Scenario) -> list[str]:
    """Return what to know when wind and perimeters do not begin on the same day."""
    if not event.observed_dates:
        return []
    first, last = event.date_of_day(0), event.date_of_day(event.days - 1)
    if event.observed_dates[0] > last:
        return [f"There is wind for {first} to {last} only, before the first perimeter: check the start."]
    if event.observed_dates[-1] < first:
        return [f"There is wind from {first} only, after the last perimeter: check the start."]
    if event.observed_dates[0] > first:
        day = (event.observed_dates[0] - first).days
        return [f"Day 0 ({first}) has no perimeter yet: a plan can start on day {day} at the earliest."]
    return []
