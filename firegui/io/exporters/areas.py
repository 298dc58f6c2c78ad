"""Everything of a plan that has an area: footprints, protected regions, no-drop zones and perimeters, in WGS 84."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from firegui.io.exporters.content import BURNED, ExportContent, Occupancy
from firegui.io.exporters.footprint import outline_polygons
from firegui.io.exporters.table import DropRow
from firegui.io.exporters.wgs84 import mask_shape, region_shape, to_wgs84


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
    """One area: ``shape`` is a polygon or multipolygon, ``begin`` and ``end`` when it holds, where that is known.

    ``row`` is the drop of a footprint, ``weight`` that of a protected region.
    """

    kind: Kind
    name: str
    shape: Any
    begin: datetime | None = None
    end: datetime | None = None
    row: DropRow | None = None
    weight: float | None = None


def footprints(content: ExportContent) -> list[Area]:
    """The outline of every executed drop at two standard deviations, from its step to the end of its local day."""
    shapes = outline_polygons([row.drop for row in content.flown])
    placed = to_wgs84(shapes, content.project.scenario.grid)
    return [
        Area(Kind.FOOTPRINT, row.drop.aircraft, shape, *drop_span(row, content), row)
        for row, shape in zip(content.flown, placed, strict=True)
    ]


def drop_span(row: DropRow, content: ExportContent) -> tuple[datetime, datetime]:
    """From the drop to the end of the plan's day in which it falls."""
    calendar = content.project.calendar
    return calendar.time_of_step(row.drop.step), calendar.time_of_step((row.day + 1) * calendar.steps_per_day)


def drawn_areas(content: ExportContent) -> list[Area]:
    """The protected regions and no-drop zones, for the whole plan."""
    project, calendar = content.project, content.project.calendar
    drawn = [(Kind.REGION, region) for region in project.regions]
    drawn += [(Kind.ZONE, zone) for zone in project.operations.no_drop_zones]
    placed = to_wgs84([region_shape(region) for _, region in drawn], project.scenario.grid)
    span = calendar.time_of_step(0), calendar.time_of_step(calendar.n_steps)
    return [
        Area(kind, region.name, shape, *span, weight=region.weight if kind is Kind.REGION else None)
        for (kind, region), shape in zip(drawn, placed, strict=True)
    ]


def perimeters(content: ExportContent) -> list[Area]:
    """Observed perimeters, and where fire is as likely as not (P ≥ 0.5) at every day boundary of the plan."""
    found = list(_observed(content))
    for kind, fire in ((Kind.PLANNED, content.plan), (Kind.BASELINE, content.baseline)):
        if fire is not None:
            found += _forecast(kind, fire, content)
    return found


def _observed(content: ExportContent) -> Iterator[Area]:
    """The perimeters that the event holds; each is valid until the next one, the last one for a day."""
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
            local = begin.astimezone(calendar.local_zone)
            title = "with the plan" if kind is Kind.PLANNED else content.bare
            name = f"{title}, {local.isoformat(sep=' ', timespec='minutes')}"
            yield Area(kind, name, shape, begin, begin + timedelta(days=1))
