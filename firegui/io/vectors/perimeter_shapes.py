"""The polygons of a perimeter file: what is none, and what has to be repaired."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.grid import HECTARE_M2
from firegui.errors import Problem, Problems
from firegui.io.vectors.dates import find_dates
from firegui.io.vectors.files import VectorLayer, polygons_of

_DETECTED = ("FRP", "BRIGHTNESS", "BRIGHT_TI4", "ACQ_DATE", "CONFIDENCE")
"""Columns of FIRMS' detections by VIIRS and MODIS."""

_POINTS = ("Point", "MultiPoint")
_SHOWN = 20


def no_polygons(features: VectorLayer, where: str) -> list[Problem]:
    """The features that are no perimeters; a file of points gets one word for all."""
    if len(features.geometries) == 0:
        remedy = "export it as GeoPackage, GeoJSON, KML or shapefile with one polygon per date"
        return [Problem(where, "holds no perimeter", remedy)]
    if all(geometry is not None and geometry.geom_type in _POINTS for geometry in features.geometries):
        return [_say_points(features, where)]
    found = []
    for number, geometry in enumerate(features.geometries, 1):
        if not polygons_of(geometry):
            empty = geometry is None or geometry.is_empty
            what = "has no geometry" if empty else f"is a {geometry.geom_type}, not a polygon"
            found.append(Problem(f"{where}, feature {number}", what, "keep only perimeters, as polygons"))
    if len(found) > _SHOWN:
        rest = Problem(where, f"{len(found) - _SHOWN:,} more features are no polygons", "keep only perimeters")
        return [*found[:_SHOWN], rest]
    return found


def are_detections(features: VectorLayer) -> bool:
    """Whether points are where satellites saw heat, told from their columns or from dates that differ."""
    held = {name.upper() for name in features.columns}
    if sum(name in held for name in _DETECTED) >= 2:
        return True
    dates = find_dates(features.columns, len(features.geometries), "", Problems(), None, 0.0)
    return dates is not None and len(set(dates.dates)) > 1


def _say_points(features: VectorLayer, where: str) -> Problem:
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
    """Polygons alone, those that cross themselves made valid, and a note on how many and how much that changed.

    Rings are made simple first and then merged: what an outline goes around twice has burned, and a figure of eight
    keeps both of its halves. Whatever has no area left is a problem.
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
        parts = polygons_of(shapely.make_valid(result[index], method="structure", keep_collapsed=False))
        if not parts:
            problems.add(f"{where}, feature {index + 1}", "encloses no area", "draw it again, or leave it out")
        result[index] = shapely.multipolygons(parts) if parts else shapely.Polygon()
    change = (shapely.area(result[crossing]).sum() - before) * metres_per_unit**2 / HECTARE_M2
    one = crossing.size == 1
    count = "1 perimeter crosses itself" if one else f"{crossing.size} perimeters cross themselves"
    numbers = ", ".join(str(index + 1) for index in crossing[:_SHOWN]) + (", …" if crossing.size > _SHOWN else "")
    effect = "without a change of area" if abs(change) < 0.05 else f"which changed their area by {change:+,.1f} ha"
    return result, [f"{count} (feature {numbers}) and {'was' if one else 'were'} repaired, {effect}."]
