"""A plan as GPX 1.1 for a receiver: every executed drop a waypoint with its time, every aircraft's day a route."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from itertools import groupby
from pathlib import Path

from gpxpy.gpx import GPX, GPXRoute, GPXRoutePoint, GPXWaypoint

from firegui.io.atomic import write_text
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.kml_shapes import printable
from firegui.io.exporters.properties import drop_words
from firegui.io.exporters.table import NOTICE, DropRow


def write_gpx(path: Path, content: ExportContent) -> None:
    """Write the drops by time, then the routes by aircraft and day. A route joins drops; it is no flight path."""
    gpx = GPX()
    gpx.creator = "firegui"
    gpx.name = printable(content.project.scenario.name)
    gpx.description = printable("\n".join([NOTICE, *content.notes]))
    gpx.time = content.made.astimezone(UTC)
    names = _names(content.flown)
    for row in content.flown:
        if row.lonlat is not None:
            gpx.waypoints.append(_waypoint(row, names[row.drop.step, row.drop.column], content))
    gpx.routes.extend(_routes(content, names))
    write_text(path, gpx.to_xml(version="1.1") + "\n")


Names = dict[tuple[int, int], str]


def _names(rows: tuple[DropRow, ...]) -> Names:
    """``S-2T-1 D02 #3``: the third drop of an aircraft on its second day."""
    names: Names = {}
    ordered = sorted(rows, key=lambda row: (row.drop.column, row.drop.step))
    for (_, day), found in groupby(ordered, key=lambda row: (row.drop.column, row.day)):
        for number, row in enumerate(found, start=1):
            names[row.drop.step, row.drop.column] = printable(f"{row.drop.aircraft} D{day + 1:02d} #{number}")
    return names


def _waypoint(row: DropRow, name: str, content: ExportContent) -> GPXWaypoint:
    assert row.lonlat is not None
    time = content.project.calendar.time_of_step(row.drop.step)
    words = printable("\n".join(f"{title}: {text}" for title, text in drop_words(row)))
    lon, lat = row.lonlat
    point = GPXWaypoint(latitude=lat, longitude=lon, time=time, name=name, description=words)
    point.type = str(row.drop.material)
    # GPX counts the variation eastward from 0 to 360.
    point.magnetic_variation = None if row.declination is None else round(row.declination, 2) % 360.0
    return point


def _routes(content: ExportContent, names: Names) -> Iterator[GPXRoute]:
    calendar = content.project.calendar
    ordered = sorted(content.flown, key=lambda row: (row.drop.column, row.drop.step))
    for (_, day), found in groupby(ordered, key=lambda row: (row.drop.column, row.day)):
        rows = list(found)
        title = f"{rows[0].drop.aircraft}, day {day + 1}, {calendar.date_of_day(day)}"
        route = GPXRoute(name=printable(title), description=NOTICE)
        for row in rows:
            if row.lonlat is not None:
                lon, lat = row.lonlat
                name = names[row.drop.step, row.drop.column]
                time = calendar.time_of_step(row.drop.step)
                route.points.append(GPXRoutePoint(latitude=lat, longitude=lon, time=time, name=name))
        yield route
