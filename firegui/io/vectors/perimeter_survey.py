"""What a file of perimeters turns out to be, before it is laid on a grid."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem, Problems
from firegui.io.crs import short_name
from firegui.io.rasters.masks import band_dates, is_tiff, polygon_mask
from firegui.io.vectors.dates import FeatureDates, date_columns, find_dates
from firegui.io.vectors.files import VectorLayer, crs_problems, may_hold_points, read_features, vector_file
from firegui.io.vectors.perimeters import (
    PerimeterGrowth,
    PerimeterSource,
    are_detections,
    guess_growth,
    no_polygons,
    read_perimeters,
)

_SIDE = 256
_POINTS = ("Point", "MultiPoint")


@dataclass(frozen=True, slots=True)
class PerimeterSurvey:
    """What a source of perimeters is.

    ``kind`` in words; ``layers`` that could be chosen and the ``layer`` that is; ``columns`` that hold a date for every
    feature and the ``date_column`` that is taken; ``growth`` as it will be taken, ``growth_reason`` why. ``dates``
    ascend. ``ignition`` says that the file is where the fire starts and holds no perimeters, ``simulated`` that its
    name or its columns are those of a fire model's output. ``problems`` say what keeps it from being used.
    """

    kind: str = ""
    crs: str = ""
    layers: tuple[str, ...] = ()
    layer: str = ""
    features: int = 0
    columns: tuple[str, ...] = ()
    date_column: str = ""
    growth: PerimeterGrowth | None = None
    growth_reason: str = ""
    dates: tuple[date, ...] = ()
    ignition: bool = False
    simulated: bool = False
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def survey_perimeters(source: PerimeterSource, grid: Grid | None = None) -> PerimeterSurvey:
    """Return what ``source`` is, and on ``grid`` whether it can be laid there. Never raises for bad input."""
    problems = Problems()
    survey = _raster(source.file, problems) if is_tiff(source.file) else _vector(source, grid, problems)
    named = [
        problem if problem.where.startswith("perimeters") else replace(problem, where=f"perimeters ({problem.where})")
        for problem in problems
    ]
    return replace(survey, problems=tuple(named))


def holds_ignition(path: Path, layer: str | None) -> bool:
    """Return whether a vector file holds nothing but points that are not detections of a satellite."""
    file = vector_file(path, Problems())
    if file is None or not may_hold_points(file):
        return False
    features = read_features(file, layer, Problems())
    return features is not None and _are_points(features) and not are_detections(features)


def _are_points(features: VectorLayer) -> bool:
    kinds = [geometry is not None and geometry.geom_type in _POINTS for geometry in features.geometries]
    return bool(kinds) and all(kinds)


_MODELS = re.compile(
    r"(^|[^a-z])(sim|simul[a-z]*|run[ _-]?\d+|outputs?|predict[a-z]*|forecast[a-z]*|modell?ed|projected|"
    r"farsite|flammap|fspro|elmfire|gridfire|prometheus|pyretechnics|burnp3|cell2fire|phoenix|spark)([^a-z]|$)"
)
_MODEL_COLUMNS = re.compile(r"elapsed_?(mi|min|minutes|h|hours|time)|fire_?type|sim_?(time|hour|day)|spread_?rate")
"""FARSITE's shapefiles have the columns ``Fire_Type`` and ``Elapsed_Mi``, cut to ten letters."""


def names_simulation(name: str) -> bool:
    """Return whether a name says that a fire model made the file."""
    return _MODELS.search(name.lower()) is not None


def _has_model_columns(features: VectorLayer) -> bool:
    return any(_MODEL_COLUMNS.fullmatch(name.lower()) for name in features.columns)


def _raster(path: Path, problems: Problems) -> PerimeterSurvey:
    dates = band_dates(path, problems)
    if dates:
        return PerimeterSurvey("a raster with a band for every date", dates=dates)
    return PerimeterSurvey("a raster of where the fire starts", ignition=True)


def _vector(source: PerimeterSource, grid: Grid | None, problems: Problems) -> PerimeterSurvey:
    file = vector_file(source.file, problems)
    features = None if file is None else read_features(file, source.layer, problems)
    if file is None or features is None:
        return PerimeterSurvey("a vector file")
    wrong = Problems()
    wrong.extend(crs_problems(features, file))
    place = "" if features.crs is None else short_name(features.crs)
    survey = PerimeterSurvey("polygons", place, features.layers, features.layer, len(features.geometries))
    names = [file.stem, features.layer]
    survey = replace(survey, simulated=any(map(names_simulation, names)) or _has_model_columns(features))
    if _are_points(features) and not are_detections(features):
        problems.extend(wrong)
        return replace(survey, kind="points where the fire starts", ignition=True)
    count, offset = len(features.geometries), source.utc_offset_h or 0.0
    dates = find_dates(features.columns, count, file.name, wrong, source.date_column, offset, by_file=True)
    wrong.extend(no_polygons(features, file.name))
    problems.extend(wrong)
    if wrong or dates is None:
        return replace(survey, columns=date_columns(features.columns, count))
    return _dated(source, grid, survey, features, dates, problems)


def _dated(
    source: PerimeterSource, grid: Grid | None, survey: PerimeterSurvey, features: VectorLayer, dates: FeatureDates,
    problems: Problems,
) -> PerimeterSurvey:  # fmt: skip
    notes, days = dates.notes, tuple(sorted(set(dates.dates)))
    if grid is not None and grid.is_georeferenced:
        try:
            read = read_perimeters(source, grid)
        except InputError as error:
            problems.extend(error.problems)
        else:
            notes, days = read.notes, read.dates
    growth, why = guess_growth(_sketch(features, dates))
    if source.growth is not None:
        growth, why = source.growth, "as was said"
    return replace(
        survey,
        columns=dates.offered,
        date_column=dates.column,
        growth=growth,
        growth_reason=why,
        dates=days,
        notes=notes,
    )


def _sketch(features: VectorLayer, dates: FeatureDates) -> NDArray[np.bool_]:
    """Return what the polygons of each date cover on a small raster around them all."""
    left, bottom, right, top = shapely.total_bounds(features.geometries)
    size = max(right - left, top - bottom, 1e-9) / _SIDE
    place = Affine(size, 0.0, left, 0.0, -size, top)
    days = sorted(set(dates.dates))
    masks = [
        polygon_mask([g for g, when in zip(features.geometries, dates.dates, strict=True) if when == day], place,
                     (_SIDE, _SIDE))
        for day in days
    ]  # fmt: skip
    return np.stack(masks)
