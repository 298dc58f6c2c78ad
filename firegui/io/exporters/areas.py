"""Everything of a plan that has an area.

Footprints, protected regions, no-drop zones and perimeters, in WGS 84. Shapes on the grid become shapes as RFC 7946
asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.fire_hours import BURNED
from firegui.domain.grid import Grid
from firegui.domain.regions import Region
from firegui.errors import InputError, Problem
from firegui.io.exporters.content import ExportContent, Occupancy
from firegui.io.exporters.table import DropRow, outline_polygons
from firegui.io.georeference import Georeference
from firegui.io.vectors.water import mask_polygons

DIGITS = 7
"""Decimals of a degree: a centimetre."""

_WORLD = shapely.box(-180.0, -90.0, 180.0, 90.0)


def region_shape(region: Region) -> Any:
    """Return a region as a polygon or multipolygon in corner coordinates ``(column, row)``."""
    parts = [[[(column, row) for row, column in ring] for ring in part] for part in region.parts]
    polygons = [shapely.Polygon(outer, holes) for outer, *holes in parts]
    return polygons[0] if len(polygons) == 1 else shapely.MultiPolygon(polygons)


def mask_shape(mask: NDArray[np.bool_]) -> Any:
    """Return the cells of a mask ``[H, W]`` as one multipolygon in corner coordinates, empty for no cell."""
    return shapely.MultiPolygon(list(mask_polygons(mask)))


def to_wgs84(shapes: NDArray[np.object_] | list[Any], grid: Grid) -> list[Any]:
    """Return polygons or lines in corner coordinates as such in longitude and latitude.

    Outer rings run counter-clockwise and holes clockwise; what crosses the antimeridian is cut there into parts
    (RFC 7946, sections 3.1.6 and 3.1.9). Raises :class:`~firegui.errors.InputError` for a corner without a longitude.
    """
    place = Georeference(grid)

    def moved(points: NDArray[np.float64]) -> NDArray[np.float64]:
        found = place.lonlat_many(points[:, 1] - 0.5, points[:, 0] - 0.5)
        if found is None or not np.isfinite(found).all():
            problem = Problem("grid", "a corner of a shape has no longitude and latitude", "check the event's CRS")
            raise InputError([problem], "Nothing was exported")
        return np.column_stack(found)

    placed = shapely.transform(np.asarray(shapes, np.object_), moved)
    return [_oriented(_cut(shape)) for shape in placed]


def bounds_of(shapes: list[Any]) -> list[float] | None:
    """Return ``[west, south, east, north]`` of all shapes.

    West is more than east across the antimeridian (section 5.2).
    """
    filled = [shape for shape in shapes if shape is not None and not shape.is_empty]
    if not filled:
        return None
    west, south, east, north = (float(value) for value in shapely.total_bounds(filled))
    if east - west > 180.0:
        parts = shapely.bounds(shapely.get_parts(np.asarray(filled, np.object_)))
        eastern = parts[:, 0] >= 0.0
        if eastern.any() and not eastern.all():
            west, east = float(parts[eastern, 0].min()), float(parts[~eastern, 2].max())
    return [round(value, DIGITS) for value in (west, south, east, north)]


def coordinates(shape: Any) -> list[Any]:
    """Return the coordinates of polygons or lines as GeoJSON has them, rounded to :data:`DIGITS`."""
    if isinstance(shape, (shapely.MultiPolygon, shapely.MultiLineString)):
        return [coordinates(part) for part in shape.geoms]
    if isinstance(shape, shapely.LineString):
        return [[round(x, DIGITS), round(y, DIGITS)] for x, y in shape.coords]
    return [
        [[round(x, DIGITS), round(y, DIGITS)] for x, y in ring.coords] for ring in (shape.exterior, *shape.interiors)
    ]


def _cut(shape: Any) -> Any:
    """Return a shape cut at the antimeridian, where it crosses it.

    No shape of a fire spans half the Earth.
    """
    west, _, east, _ = shape.bounds if not shape.is_empty else (0.0, 0.0, 0.0, 0.0)
    if east - west <= 180.0:
        return shape
    unrolled = shapely.transform(shape, lambda points: np.column_stack([points[:, 0] % 360.0, points[:, 1]]))
    east_side = shapely.intersection(shapely.make_valid(unrolled), _WORLD)
    rest = shapely.difference(shapely.make_valid(unrolled), _WORLD)
    west_side = shapely.transform(rest, lambda points: np.column_stack([points[:, 0] - 360.0, points[:, 1]]))
    parts = [part for side in (east_side, west_side) for part in shapely.get_parts(side)]
    if shapely.get_dimensions(shape) == 1:
        return shapely.MultiLineString([part for part in parts if isinstance(part, shapely.LineString)])
    return shapely.MultiPolygon([part for part in parts if isinstance(part, shapely.Polygon)])


def _oriented(shape: Any) -> Any:
    if shapely.get_dimensions(shape) == 1:
        return shape
    if isinstance(shape, shapely.MultiPolygon):
        return shapely.MultiPolygon([shapely.geometry.polygon.orient(part) for part in shape.geoms])
    return shapely.geometry.polygon.orient(shape)


class Kind(StrEnum):
    """What an area is."""

    FOOTPRINT = "footprint"
    REGION = "protected region"
    ZONE = "no-drop zone"
    OBSERVED = "observed perimeter"
    PLANNED = "planned perimeter"
    BASELINE = "perimeter without drops"


PERIMETERS = (Kind.OBSERVED, Kind.PLANNED, Kind.BASELINE)


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """One area of a plan.

    ``shape`` is a polygon or multipolygon, ``begin`` and ``end`` say when it holds, where that is known. ``row`` is the
    drop of a footprint, ``weight`` that of a protected region.
    """

    kind: Kind
    name: str
    shape: Any
    begin: datetime | None = None
    end: datetime | None = None
    row: DropRow | None = None
    weight: float | None = None


def footprints(content: ExportContent) -> list[Area]:
    """Return the outline of every executed drop at two standard deviations.

    It holds from the drop's step to the end of its local day.
    """
    shapes = outline_polygons([row.drop for row in content.flown])
    placed = to_wgs84(shapes, content.project.scenario.grid)
    return [
        Area(Kind.FOOTPRINT, row.drop.aircraft, shape, *drop_span(row, content), row)
        for row, shape in zip(content.flown, placed, strict=True)
    ]


Span = tuple[datetime | None, datetime | None]
"""When something holds; ``None`` where the date of the fire is not known."""


def drop_span(row: DropRow, content: ExportContent) -> Span:
    """Return the span from the drop to the end of the plan's day in which it falls."""
    calendar = content.project.calendar
    if not calendar.is_dated:
        return None, None
    return calendar.time_of_step(row.drop.step), calendar.time_of_step((row.day + 1) * calendar.steps_per_day)


def drawn_areas(content: ExportContent) -> list[Area]:
    """Return the protected regions and no-drop zones, for the whole plan."""
    project, calendar = content.project, content.project.calendar
    drawn = [(Kind.REGION, region) for region in project.regions]
    drawn += [(Kind.ZONE, zone) for zone in project.operations.no_drop_zones]
    placed = to_wgs84([region_shape(region) for _, region in drawn], project.scenario.grid)
    span: Span = (None, None)
    if calendar.is_dated:
        span = calendar.time_of_step(0), calendar.time_of_step(calendar.n_steps)
    return [
        Area(kind, region.name, shape, *span, weight=region.weight if kind is Kind.REGION else None)
        for (kind, region), shape in zip(drawn, placed, strict=True)
    ]


def perimeters(content: ExportContent) -> list[Area]:
    """Return observed perimeters, and the modelled ones at every day boundary of the plan.

    A modelled perimeter is where fire is as likely as not (P ≥ 0.5).
    """
    found = list(_observed(content))
    for kind, fire in ((Kind.PLANNED, content.plan), (Kind.BASELINE, content.baseline)):
        if fire is not None:
            found += _forecast(kind, fire, content)
    return found


def _observed(content: ExportContent) -> Iterator[Area]:
    """Yield the perimeters that the event holds; each is valid until the next one, the last one for a day."""
    event, zone = content.project.scenario, content.project.calendar.local_zone
    if event.observed is None:
        return
    begins = [datetime.combine(day, time(), zone).astimezone(UTC) for day in event.observed_dates]
    ends = [*begins[1:], *([begins[-1] + timedelta(days=1)] if begins else [])]
    shapes = to_wgs84([mask_shape(mask) for mask in event.observed], event.grid)
    for day, shape, begin, end in zip(event.observed_dates, shapes, begins, ends, strict=True):
        if not shape.is_empty:
            yield Area(Kind.OBSERVED, f"observed {day}", shape, begin, end)


def _forecast(kind: Kind, fire: Occupancy, content: ExportContent) -> Iterator[Area]:
    calendar = content.project.calendar
    shapes = to_wgs84([mask_shape(state >= BURNED) for state in fire.days], content.project.scenario.grid)
    for boundary, shape in zip(fire.boundaries, shapes, strict=True):
        begin = calendar.time_of_step(boundary * calendar.steps_per_day)
        if not shape.is_empty:
            title = "with the plan" if kind is Kind.PLANNED else content.bare
            if not calendar.is_dated:
                yield Area(kind, f"{title}, start of day {boundary + 1}", shape)
                continue
            local = begin.astimezone(calendar.local_zone)
            name = f"{title}, {local.isoformat(sep=' ', timespec='minutes')}"
            yield Area(kind, name, shape, begin, begin + timedelta(days=1))
