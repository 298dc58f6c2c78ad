"""Barriers from vector files, and to GeoJSON.

Categories of NWCG's Event Line standard (PMS 936) decide the kind of a feature and whether there is any line yet:
planned line, routes and the uncontrolled edge of the fire are left out.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.barriers import (
    EVENT_LINE_CATEGORIES,
    KIND_TITLES,
    MOST_BARRIERS,
    USUAL_WIDTH_M,
    Barrier,
    BarrierKind,
    Line,
    barrier_problems,
    in_utc,
)
from firegui.domain.grid import Grid
from firegui.domain.regions import Ring
from firegui.errors import InputError, Problem, Problems
from firegui.io.atomic import write_text
from firegui.io.georeference import Georeference
from firegui.io.importers.attribute_rows import AttributeRow, feature_rows
from firegui.io.times import parse_stamp
from firegui.io.vectors.files import VectorLayer, crs_problems, read_features, vector_file
from firegui.io.vectors.water import projected_corners

CATEGORIES: Mapping[str, BarrierKind] = {
    "completed dozer line": BarrierKind.DOZER,
    "completed plow line": BarrierKind.DOZER,
    "completed hand line": BarrierKind.HAND,
    "completed road as line": BarrierKind.ROAD,
    "road as completed line": BarrierKind.ROAD,
    "completed fuel break": BarrierKind.FUEL_BREAK,
    "completed burnout": BarrierKind.BURNED_OUT,
    "completed mixed construction line": BarrierKind.OTHER,
    "completed line": BarrierKind.OTHER,
    "contained line": BarrierKind.OTHER,
    "contained fire edge": BarrierKind.OTHER,
}
"""Kind of each category of Event Line that stops fire, in small letters; the older names too."""
_NO_BARRIERS = (
    "planned", "proposed", "incomplete", "uncontrolled", "fire edge", "fire spread", "route", "break line",
    "line break", "division", "branch", "zone", "hazard", "hoselay", "pump", "fence", "drop", "highlighted", "infrared",
    "management action", "temporary flight", "repair", "other", "geographic",
)  # fmt: skip
"""Words of categories that stop no fire."""
_CATEGORY = ("featurecategory", "featurecat", "feature_category", "feature_ca")
_STATUS, _DELETED = ("featurestatus", "featuresta"), ("deletethis", "delete_this")
_LABEL = ("label", "linename")
_TIME = "exists_from"
_OWN_KIND = "barrier_kind"
"""Kind of a barrier in exported files, whose other features have none."""
TIME_REMEDY = "write it as 2020-08-20T14:00-07:00"
_FAR = 1e7
"""Cells: no place of a grid."""


@dataclass(frozen=True, slots=True)
class BarrierSource:
    """A file of barriers. What a feature does not say is as given here.

    ``layer`` is that of a vector file with several. Without ``width_m`` a line has the usual width of its kind.
    """

    file: Path
    kind: BarrierKind | None = None
    layer: str | None = None
    width_m: float | None = None
    strength: float = 1.0
    exists_from: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportedBarriers:
    """Barriers, and notes on what was assumed or left out."""

    barriers: tuple[Barrier, ...]
    notes: tuple[str, ...]


def read_barriers(source: BarrierSource, grid: Grid) -> ImportedBarriers:
    """Read lines and polygons onto ``grid``.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems, notes, file = Problems(), list[str](), source.file
    title = f"The barriers of {file.name} cannot be used"
    if not grid.is_georeferenced:
        problems.add(
            "grid", "the event has no place on the map", "give its CRS and transform, then import the barriers"
        )
    problems.raise_if_any(title)
    found = vector_file(file, problems)
    features = None if found is None else read_features(
        found, source.layer, problems, of="barriers", option="--layer"
    )  # fmt: skip
    if found is not None and features is not None:
        problems.extend(crs_problems(features, found))
    problems.raise_if_any(title)
    assert features is not None
    barriers = _barriers(features, source, grid, problems, notes)
    problems.extend(barrier_problems(barriers, grid.shape))
    if not problems and not barriers:
        problems.add(file.name, f"holds no barrier. {' '.join(notes)}".strip(), "give completed lines, or name a kind")
    problems.raise_if_any(title)
    return ImportedBarriers(tuple(barriers), tuple(notes))


def _barriers(
    features: VectorLayer, source: BarrierSource, grid: Grid, problems: Problems, notes: list[str]
) -> list[Barrier]:
    placed = _placed(features, grid)
    left_out, unknown, taken = Counter[str](), Counter[str](), set[str]()
    found: list[Barrier] = []
    rows = feature_rows(source.file.name, features.columns, len(placed))
    for row, geometry in zip(rows, placed, strict=True):
        reason = _reason_left_out(row)
        if reason:
            left_out[reason] += 1
            continue
        kind = _kind(row, source, problems)
        if kind is None:
            unknown[row.text(*_CATEGORY)] += 1
            continue
        lines, areas = _shapes(geometry, row.where, problems)
        if not lines and not areas:
            continue
        name = row.text("name")
        if not name:
            label = row.text(*_LABEL)
            name = _free_name(label, kind, taken, numbered=not label)
        taken.add(name.casefold())
        width = row.number("width_m", source.width_m or USUAL_WIDTH_M[kind], problems)
        strength = row.number("strength", source.strength, problems)
        written = row.text(_TIME)
        when = read_time(written, row.where, problems) if written else source.exists_from
        found.append(Barrier(name, kind, lines, areas, width, strength, when))
    notes += [f"{_features(count)} of {name} left out." for name, count in sorted(left_out.items())]
    for name, count in sorted(unknown.items()):
        notes.append(f"{_features(count)} of the unknown category {name!r} left out: name a kind to read them.")
    has_widths = any("width_m" in row.values for row in rows)
    if source.width_m is None and any(not barrier.is_area for barrier in found) and not has_widths:
        notes.append("Widths that are not given are assumed by kind.")
    if len(found) > MOST_BARRIERS:
        problems.add(source.file.name, f"holds {len(found):,} barriers", f"keep at most {MOST_BARRIERS:,}")
        return []
    return found


def _placed(features: VectorLayer, grid: Grid) -> NDArray[Any]:
    """Return the geometries in the corner coordinates ``(column, row)`` of the grid."""
    assert features.crs is not None
    system = features.crs
    moved = shapely.transform(features.geometries, lambda points: projected_corners(points, system, grid))
    return np.asarray(moved, object)


def _reason_left_out(row: AttributeRow) -> str:
    """Return the category or status for which a feature is not a barrier; empty for one that may be."""
    category, status = row.text(*_CATEGORY), row.text(*_STATUS)
    if row.text(*_DELETED).lower().startswith("yes"):
        return "features marked as deleted"
    if status.lower() in ("proposed", "planned"):
        return f"the status {status!r}"
    if _OWN_KIND in row.values and not row.text(_OWN_KIND):
        return "features of the file that are not barriers"
    known = category.lower() in CATEGORIES
    return f"the category {category!r}" if not known and any(word in category.lower() for word in _NO_BARRIERS) else ""


def _kind(row: AttributeRow, source: BarrierSource, problems: Problems) -> BarrierKind | None:
    """Return the kind of a feature; ``None`` for one of an unknown category."""
    category = row.text(*_CATEGORY)
    if not row.text(_OWN_KIND) and category.lower() in CATEGORIES:
        return CATEGORIES[category.lower()]
    if row.text(_OWN_KIND, "kind"):
        return row.kind(BarrierKind, problems, _OWN_KIND, "kind") or BarrierKind.OTHER
    if category and source.kind is None:
        return None
    return source.kind or BarrierKind.OTHER


def _shapes(geometry: Any, where: str, problems: Problems) -> tuple[tuple[Line, ...], tuple[tuple[Ring, ...], ...]]:
    parts = [] if geometry is None else _parts(geometry)
    lines = [part for part in parts if part.geom_type in ("LineString", "LinearRing")]
    polygons = [part for part in parts if part.geom_type == "Polygon"]
    if not parts or len(lines) + len(polygons) < len(parts) or (lines and polygons):
        what = "mixes lines, polygons or points" if lines or polygons else "is a point"
        problems.add(where, what if parts else "has no geometry", "give each barrier lines, or polygons")
        return (), ()
    corners = shapely.get_coordinates(parts)
    if not np.isfinite(corners).all() or np.abs(corners).max() > _FAR:
        problems.add(where, "its place cannot be shown in the CRS of the project", "check its coordinates")
        return (), ()
    return (
        tuple(_corners(line) for line in lines),
        tuple(tuple(_corners(ring)[:-1] for ring in (part.exterior, *part.interiors)) for part in polygons),
    )


def _parts(geometry: Any) -> list[Any]:
    if hasattr(geometry, "geoms"):
        return [part for each in geometry.geoms for part in _parts(each)]
    return [] if geometry.is_empty else [geometry]


def _corners(line: Any) -> Line:
    return tuple((float(row), float(column)) for column, row in shapely.get_coordinates(line))


def _free_name(label: str, kind: BarrierKind, taken: set[str], *, numbered: bool) -> str:
    """Return a label, or the kind and a number, with a number behind it until it is free."""
    base, number = label or KIND_TITLES[kind], 1 if numbered else 2
    if label and label.casefold() not in taken:
        return label
    while f"{base} {number}".casefold() in taken:
        number += 1
    return f"{base} {number}"


def read_time(text: str, where: str, problems: Problems) -> datetime | None:
    """Return the time of a text, which has to have an offset from UTC; ``None`` with what is wrong noted."""
    stamp = parse_stamp(text)
    if stamp is None:
        problems.add(where, f"{text!r} is not a time", TIME_REMEDY)
    elif stamp.moment.tzinfo is None:
        problems.add(where, f"the time {text!r} has no offset from UTC", TIME_REMEDY)
    else:
        return stamp.moment
    return None


def _features(count: int) -> str:
    return f"{count:,} feature{'' if count == 1 else 's'}"


def free_names(barriers: Iterable[Barrier], known: Iterable[Barrier]) -> tuple[Barrier, ...]:
    """Return barriers with numbers behind the names that others have already."""
    taken, found = {barrier.name.casefold() for barrier in known}, []
    for barrier in barriers:
        name = barrier.name
        if name.casefold() in taken:
            name = _free_name(name, barrier.kind, taken, numbered=False)
        taken.add(name.casefold())
        found.append(replace(barrier, name=name))
    return tuple(found)


def write_barriers(barriers: Sequence[Barrier], path: Path, grid: Grid) -> None:
    """Write barriers as GeoJSON, atomically; :func:`read_barriers` reads them back.

    Raises :class:`~firegui.errors.InputError` on a grid without a place.
    """
    place = Georeference(grid)
    if not place.has_place:
        problem = Problem("grid", "the event has no place on the map", "give its CRS and transform")
        raise InputError([problem], "The barriers cannot be written as GeoJSON")
    features = [_feature(in_utc(barrier), place) for barrier in barriers]
    collection = {"type": "FeatureCollection", "features": features}
    write_text(path, json.dumps(collection, indent=1, ensure_ascii=False) + "\n")


def _feature(barrier: Barrier, place: Georeference) -> dict[str, Any]:
    def points(corners: Line) -> list[list[float]]:
        # Corner coordinates are half a cell off the cell-centre positions that Georeference speaks.
        return [list(place.lonlat(row - 0.5, column - 0.5) or (math.nan, math.nan)) for row, column in corners]

    if barrier.is_area:
        shape = "MultiPolygon"
        held: list[Any] = [[points((*ring, ring[0])) for ring in part] for part in barrier.areas]
    else:
        shape, held = "MultiLineString", [points(line) for line in barrier.lines]
    if not np.isfinite(np.concatenate([np.ravel(ring) for part in held for ring in _flat(part)])).all():
        problem = Problem(f"barrier {barrier.name}", "has a corner with no longitude and latitude", "draw it again")
        raise InputError([problem], "The barriers cannot be written as GeoJSON")
    when, category = barrier.exists_from, EVENT_LINE_CATEGORIES.get(barrier.kind)
    properties = {
        "name": barrier.name, "kind": str(barrier.kind), **({} if category is None else {"FeatureCategory": category}),
        "width_m": barrier.width_m, "strength": barrier.strength,
        **({} if when is None else {_TIME: when.isoformat()}),
    }  # fmt: skip
    return {"type": "Feature", "properties": properties, "geometry": {"type": shape, "coordinates": held}}


def _flat(part: Any) -> list[Any]:
    return part if isinstance(part[0][0], list) else [part]
