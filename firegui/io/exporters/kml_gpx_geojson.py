"""A plan as KML, GPX and GeoJSON: drops and footprints by day, regions, zones and perimeters.

KML (OGC 07-147r2, KML 2.2) is for a globe: folders and placemarks together stay under :data:`MOST_FEATURES`. A plan
that needs more leaves out first the footprints; if that is not enough, all drops of an aircraft on a day become one
placemark of several points. The document's description says so. A plan too large even then is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree as XML

import shapely
from gpxpy.gpx import GPX, GPXRoute, GPXRoutePoint, GPXWaypoint

from firegui.domain.barriers import Barrier
from firegui.domain.bases import base_text
from firegui.domain.fleet import Material
from firegui.domain.plan_colors import BARRIERS, REGION, RETARDANT, WATER, ZONE
from firegui.errors import Problem
from firegui.io.atomic import write_text
from firegui.io.exporters.areas import (
    DIGITS,
    PERIMETERS,
    Area,
    Kind,
    bounds_of,
    coordinates,
    drawn_areas,
    drop_span,
    footprints,
    perimeters,
)
from firegui.io.exporters.barrier_places import barrier_attributes, barrier_text, placed_barriers
from firegui.io.exporters.base_places import base_attributes, placed_bases
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.table import (
    BASELINE,
    NOTICE,
    OBSERVED,
    PLANNED,
    DropRow,
    drop_attributes,
    drop_words,
    utc_text,
)

MOST_FEATURES = 10_000
_BLACK = "#111111"

_GROUPS = (("Protected regions", (Kind.REGION,)), ("No-drop zones", (Kind.ZONE,)), ("Perimeters", PERIMETERS))
_NO_FOOTPRINTS = "Footprints are left out, to keep the file under 10,000 features."
_GROUPED = (
    "There are so many drops that footprints are left out and all drops of an aircraft on a day are one placemark, "
    "to keep the file under 10,000 features."
)


def kml_problems(content: ExportContent) -> list[Problem]:
    """Return the problem of a plan that is too large for KML even with one placemark an aircraft and day."""
    needed = _grouped_count(content)
    if needed < MOST_FEATURES:
        return []
    what = f"KML would need {needed:,} features even with one for each aircraft and day, and fewer than 10,000 are read"
    return [Problem("format kml", what, "plan fewer days, or export a GeoPackage")]


@dataclass(frozen=True, slots=True)
class DropLook:
    """How drops are drawn: by material, each from its time to the end of the day.

    Subclasses draw them in another way.
    """

    def add_styles(self, document: XML.Element, content: ExportContent) -> None:
        """Add further styles; those of materials and areas are there."""

    def add_to(self, placemark: XML.Element, row: DropRow, content: ExportContent) -> None:
        """Add the time and the style of a drop to its placemark."""
        time_span(placemark, *drop_span(row, content))
        add(placemark, "styleUrl", f"#{row.drop.material}")


def write_kml(path: Path, content: ExportContent) -> None:
    """Write the executed drops, their footprints, regions, zones and perimeters.

    Each has the time when it holds.
    """
    write_text(path, kml_text(content, DropLook()))


def kml_text(content: ExportContent, look: DropLook) -> str:
    """Return the document that :func:`write_kml` writes, with drops of a ``look``."""
    root = XML.Element("kml", xmlns=NAMESPACE)
    document = add(root, "Document")
    areas, outlines = [*drawn_areas(content), *perimeters(content)], footprints(content)
    count = _count(content, areas)
    whole, single = count + len(outlines) + _days(content) < MOST_FEATURES, count < MOST_FEATURES
    reduced = "" if whole else _NO_FOOTPRINTS if single else _GROUPED
    add(document, "name", content.project.scenario.name)
    add(document, "open", "1")
    add(document, "description", "<br/>".join(escape(text) for text in _head(content, reduced)))
    styles(document)
    barriers = placed_barriers(content.project)
    for kind in sorted({barrier.kind for barrier, _ in barriers}):
        _outline(_style(document, f"barrier-{kind}"), BARRIERS.get(kind, _BLACK), 3.0, 0.25)
    look.add_styles(document, content)
    for day, rows in groupby(content.flown, key=lambda row: row.day):
        folder = _folder(document, f"{_day_title(day, content)}, drops")
        for together in _placemarks(list(rows), single=single):
            _add_drops(folder, together, content, look)
    if whole:
        for day, shown in groupby(outlines, key=lambda area: area.row.day if area.row else 0):
            _add_areas(_folder(document, f"{_day_title(day, content)}, footprints"), shown)
    for title, kinds in _GROUPS:
        chosen = [area for area in areas if area.kind in kinds]
        if chosen:
            _add_areas(_folder(document, title), chosen)
    if barriers:
        folder = _folder(document, "Barriers")
        for barrier, shape in barriers:
            placemark = add(folder, "Placemark")
            add(placemark, "name", printable(barrier.name))
            add(placemark, "description", escape(printable(barrier_text(barrier))))
            time_span(placemark, *_barrier_span(barrier, content))
            add(placemark, "styleUrl", f"#barrier-{barrier.kind}")
            shape_of(placemark, shape)
    bases = list(placed_bases(content.project))
    if bases:
        folder = _folder(document, "Bases")
        for base, at in bases:
            placemark = add(folder, "Placemark")
            add(placemark, "name", printable(base.name))
            add(placemark, "description", escape(printable(base_text(base))))
            point(placemark, at)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{XML.tostring(root, encoding="unicode")}\n'


def _head(content: ExportContent, reduced: str) -> list[str]:
    made = content.made.astimezone(content.project.calendar.local_zone).isoformat(sep=" ", timespec="minutes")
    run = f"Run {content.run}, made {made}" if content.run else f"Made {made}"
    lines = [NOTICE, run, f"Fire model {content.project.fire_model.label}"]
    lines += [f"{title}: {text}" for title, text in content.summary.headline(content.sheet.units)]
    return [*lines, *content.crew_notes, *content.notes, *([reduced] if reduced else [])]


def _count(content: ExportContent, areas: Sequence[Area]) -> int:
    """Return the number of features without footprints.

    The document, a folder a day, three for areas, and a placemark for everything.
    """
    return 1 + _days(content) + 3 + len(content.flown) + len(areas) + _folded_count(content)


def _grouped_count(content: ExportContent) -> int:
    pairs = {(row.drop.aircraft, row.day) for row in content.flown}
    event, operations = content.project.scenario, content.project.operations
    states = sum(len(fire.days) for fire in (content.plan, content.baseline) if fire is not None)
    areas = len(content.project.regions) + len(operations.no_drop_zones) + len(event.observed_dates) + states
    return 1 + _days(content) + 3 + len(pairs) + areas + _folded_count(content)


def _folded_count(content: ExportContent) -> int:
    """Return the number of features of bases and barriers: a placemark each, and their folders."""
    return sum(len(each) + 1 for each in (content.project.operations.bases, content.project.barriers) if each)


def _barrier_span(barrier: Barrier, content: ExportContent) -> tuple[datetime | None, datetime | None]:
    """Return the time until the plan's end in which a barrier exists; nothing for the whole plan."""
    calendar, when = content.project.calendar, barrier.exists_from
    if when is None or not calendar.is_dated or when <= calendar.time_of_step(0):
        return None, None
    return when, max(when, calendar.time_of_step(calendar.n_steps))


def _days(content: ExportContent) -> int:
    return len({row.day for row in content.flown})


def _day_title(day: int, content: ExportContent) -> str:
    return f"Day {day + 1}, {content.project.calendar.date_text(day)}"


def _placemarks(rows: Sequence[DropRow], *, single: bool) -> list[list[DropRow]]:
    """Return the drops of a day that share a placemark."""
    if single:
        return [[row] for row in rows]
    ordered = sorted(rows, key=lambda row: (row.drop.column, row.drop.step))
    return [list(found) for _, found in groupby(ordered, key=lambda row: row.drop.column)]


def _folder(document: XML.Element, title: str) -> XML.Element:
    folder = add(document, "Folder")
    add(folder, "name", title)
    return folder


def _add_drops(folder: XML.Element, rows: Sequence[DropRow], content: ExportContent, look: DropLook) -> None:
    """Add one placemark: a drop, or all drops of an aircraft on a day."""
    first = rows[0].drop
    placemark = add(folder, "Placemark")
    title = (
        f"#{rows[0].number} {first.aircraft} {rows[0].clock}"
        if len(rows) == 1
        else f"{first.aircraft}, {len(rows)} drops"
    )
    add(placemark, "name", title)
    add(placemark, "description", _table(rows))
    look.add_to(placemark, rows[0], content)
    holder = placemark if len(rows) == 1 else add(placemark, "MultiGeometry")
    for row in rows:
        if row.lonlat is not None:
            point(holder, row.lonlat)


def _table(rows: Sequence[DropRow]) -> str:
    """Return the balloon's text.

    It is HTML of its own, so that values are escaped once here and once as XML.
    """
    if len(rows) > 1:
        lines = [f"{row.when}: {row.release_ddm}" for row in rows]
        return "<br/>".join(escape(printable(line)) for line in [*lines, NOTICE])
    cells = "".join(
        f"<tr><td>{escape(title)}</td><td>{escape(printable(text))}</td></tr>" for title, text in drop_words(rows[0])
    )
    return f"<table>{cells}</table>"


def _add_areas(folder: XML.Element, areas: Iterable[Area]) -> None:
    for area in areas:
        placemark = add(folder, "Placemark")
        add(placemark, "name", area.name if area.row is None else f"#{area.row.number} {area.name} {area.row.clock}")
        held = f"{utc_text(area.begin)} to {utc_text(area.end)}" if area.begin and area.end else ""
        add(placemark, "description", "<br/>".join(escape(text) for text in (str(area.kind), held, NOTICE) if text))
        time_span(placemark, area.begin, area.end)
        style = str(area.kind) if area.row is None else f"{area.kind} {area.row.drop.material}"
        add(placemark, "styleUrl", f"#{style.replace(' ', '-')}")
        shape_of(placemark, area.shape)


def write_gpx(path: Path, content: ExportContent) -> None:
    """Write the drops by time, then the routes by aircraft and day. A route joins drops.

    It is no flight path.
    """
    gpx = GPX()
    gpx.creator = "firegui"
    gpx.name = printable(content.project.scenario.name)
    gpx.description = printable("\n".join([NOTICE, *content.crew_notes, *content.notes]))
    gpx.time = content.made.astimezone(UTC)
    names = _names(content.flown)
    for row in content.flown:
        if row.lonlat is not None:
            gpx.waypoints.append(_waypoint(row, names[row.drop.step, row.drop.column], content))
    for base, (lon, lat) in placed_bases(content.project):
        found = GPXWaypoint(
            latitude=lat, longitude=lon, name=printable(base.name), description=printable(base_text(base))
        )
        found.type = "base"
        gpx.waypoints.append(found)
    gpx.routes.extend(_routes(content, names))
    write_text(path, gpx.to_xml(version="1.1") + "\n")


Names = dict[tuple[int, int], str]


def _names(rows: tuple[DropRow, ...]) -> Names:
    """Return ``S-2T-1 D02 #31``: drop 31 of the plan, by this aircraft on the second day."""
    return {
        (row.drop.step, row.drop.column): printable(f"{row.drop.aircraft} D{row.day + 1:02d} #{row.number}")
        for row in rows
    }


def _waypoint(row: DropRow, name: str, content: ExportContent) -> GPXWaypoint:
    assert row.lonlat is not None
    calendar = content.project.calendar
    time = calendar.time_of_step(row.drop.step) if calendar.is_dated else None
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
        title = f"{rows[0].drop.aircraft}, day {day + 1}, {calendar.date_text(day)}"
        route = GPXRoute(name=printable(title), description=NOTICE)
        for row in rows:
            if row.lonlat is not None:
                lon, lat = row.lonlat
                name = names[row.drop.step, row.drop.column]
                time = calendar.time_of_step(row.drop.step) if calendar.is_dated else None
                route.points.append(GPXRoutePoint(latitude=lat, longitude=lon, time=time, name=name))
        if len(route.points) > 1:  # a route of one point is refused by receivers and by GDAL
            yield route


def write_drops_geojson(path: Path, content: ExportContent) -> None:
    """Write one point per drop of the content at its release in WGS 84.

    Where it lands is among its properties.
    """
    cell = content.project.scenario.grid.cell_size_m
    features = [_drop(row, cell, has_flames=content.flames is not None) for row in content.rows]
    lonlats = [row.lonlat for row in content.rows if row.lonlat is not None]
    _write(path, content, features, _bounds_of_points(lonlats), content.table_notes)


def write_areas_geojson(path: Path, content: ExportContent) -> None:
    """Write the polygons, barriers as lines or polygons, and bases as points; ``kind`` tells which.

    The polygons are footprints of executed drops, regions, no-drop zones and perimeters.
    """
    areas, bases = [*footprints(content), *drawn_areas(content), *perimeters(content)], placed_bases(content.project)
    features, shapes = [_area(area) for area in areas], [area.shape for area in areas]
    for barrier, shape in placed_barriers(content.project):
        geometry = {"type": shape.geom_type, "coordinates": coordinates(shape)}
        features.append({"type": "Feature", "geometry": geometry, "properties": barrier_attributes(barrier)})
        shapes.append(shape)
    for base, lonlat in bases:
        point = {"type": "Point", "coordinates": [round(value, DIGITS) for value in lonlat]}
        features.append({"type": "Feature", "geometry": point, "properties": base_attributes(base, lonlat)})
        shapes.append(shapely.Point(lonlat))
    _write(path, content, features, bounds_of(shapes), content.notes)


def _write(
    path: Path,
    content: ExportContent,
    features: list[dict[str, Any]],
    bounds: list[float] | None,
    notes: Sequence[str],
) -> None:
    document: dict[str, Any] = {"type": "FeatureCollection", "name": content.project.scenario.name, "notice": NOTICE}
    document |= {} if bounds is None else {"bbox": bounds}
    document |= {"notes": [*content.crew_notes, *notes], "features": features}
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _drop(row: DropRow, cell_size_m: float, *, has_flames: bool) -> dict[str, Any]:
    point = None
    if row.lonlat is not None:
        point = {"type": "Point", "coordinates": [round(value, DIGITS) for value in row.lonlat]}
    properties = drop_attributes(row, cell_size_m, has_flames=has_flames)
    return {"type": "Feature", "geometry": point, "properties": properties}


def _area(area: Area) -> dict[str, Any]:
    properties: dict[str, Any] = {"kind": str(area.kind), "name": area.name}
    properties |= {"begin": utc_text(area.begin), "end": utc_text(area.end)} if area.begin and area.end else {}
    if area.row is not None:
        drop = area.row.drop
        properties |= {"step": drop.step, "day": area.row.day, "material": str(drop.material)}
        properties |= {"time_local": area.row.time_local or None, "near_water": area.row.near_water}
        properties |= {"drop": area.row.number, "plan_day": area.row.day + 1}
    if area.weight is not None:
        properties["weight"] = area.weight
    properties["notice"] = NOTICE
    geometry = {"type": area.shape.geom_type, "coordinates": coordinates(area.shape)}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _bounds_of_points(lonlats: list[tuple[float, float]]) -> list[float] | None:
    if not lonlats:
        return None
    lons, lats = [lon for lon, _ in lonlats], [lat for _, lat in lonlats]
    west, east = min(lons), max(lons)
    if east - west > 180.0:
        # Across the antimeridian a box's west is more than its east (RFC 7946, section 5.2).
        west, east = min(lon for lon in lons if lon >= 0.0), max(lon for lon in lons if lon < 0.0)
    return [round(value, DIGITS) for value in (west, min(lats), east, max(lats))]


NAMESPACE = "http://www.opengis.net/kml/2.2"

# What XML 1.0 cannot hold, escaped or not.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

MATERIALS: Mapping[str, str] = MappingProxyType({Material.RETARDANT: RETARDANT, Material.WATER: WATER})
LINES: Mapping[Kind, str] = MappingProxyType(
    {Kind.REGION: REGION, Kind.ZONE: ZONE, Kind.OBSERVED: OBSERVED, Kind.PLANNED: PLANNED, Kind.BASELINE: BASELINE}
)


def add(parent: XML.Element, tag: str, text: str | None = None) -> XML.Element:
    """Add a KML element below ``parent``."""
    element = XML.SubElement(parent, tag)
    if text is not None:
        element.text = printable(text)
    return element


def printable(text: str) -> str:
    """Return ``text`` without the control characters that no XML may hold."""
    return _NO_XML.sub("", text)


def time_span(parent: XML.Element, begin: datetime | None, end: datetime | None) -> None:
    """Add when a feature holds, where that is known."""
    if begin is None or end is None:
        return
    span = add(parent, "TimeSpan")
    add(span, "begin", utc_text(begin.astimezone(UTC)))
    add(span, "end", utc_text(end.astimezone(UTC)))


def point(parent: XML.Element, lonlat: tuple[float, float]) -> None:
    """Add a point on the ground."""
    add(add(parent, "Point"), "coordinates", f"{lonlat[0]:.{DIGITS}f},{lonlat[1]:.{DIGITS}f}")


def shape_of(parent: XML.Element, shape: Any) -> None:
    """Add polygons or lines on the ground."""
    if isinstance(shape, (shapely.MultiPolygon, shapely.MultiLineString)):
        holder = add(parent, "MultiGeometry")
        for part in shape.geoms:
            shape_of(holder, part)
    elif isinstance(shape, shapely.LineString):
        line = add(parent, "LineString")
        add(line, "tessellate", "1")
        add(line, "coordinates", _places(shape))
    else:
        _polygon(parent, shape)


def styles(document: XML.Element) -> None:
    """Add a style for each material's points and footprints and for each kind of area."""
    for material, colour in MATERIALS.items():
        style = _style(document, str(material))
        icon = add(style, "IconStyle")
        add(icon, "color", kml_colour(colour))
        add(icon, "scale", "0.7")
        add(add(style, "LabelStyle"), "scale", "0.7")
        _outline(_style(document, f"{Kind.FOOTPRINT}-{material}"), colour, 1.5, 0.4)
    for kind, colour in LINES.items():
        fill = 0.25 if kind in (Kind.REGION, Kind.ZONE) else 0.0
        _outline(_style(document, kind.replace(" ", "-")), colour, 2.0, fill)


def kml_colour(colour: str, opacity: float = 1.0) -> str:
    """Return ``#rrggbb`` as KML has it: ``aabbggrr``."""
    red, green, blue = colour[1:3], colour[3:5], colour[5:7]
    return f"{round(opacity * 255):02x}{blue}{green}{red}"


def _style(document: XML.Element, name: str) -> XML.Element:
    style = add(document, "Style")
    style.set("id", name)
    return style


def _outline(style: XML.Element, colour: str, width: float, fill: float) -> None:
    line = add(style, "LineStyle")
    add(line, "color", kml_colour(colour))
    add(line, "width", f"{width:g}")
    poly = add(style, "PolyStyle")
    add(poly, "color", kml_colour(colour, fill))
    add(poly, "fill", "1" if fill else "0")


def _polygon(parent: XML.Element, shape: Any) -> None:
    polygon = add(parent, "Polygon")
    add(polygon, "tessellate", "1")
    for tag, rings in (("outerBoundaryIs", [shape.exterior]), ("innerBoundaryIs", shape.interiors)):
        for ring in rings:
            add(add(add(polygon, tag), "LinearRing"), "coordinates", _places(ring))


def _places(line: Any) -> str:
    return " ".join(f"{x:.{DIGITS}f},{y:.{DIGITS}f}" for x, y in line.coords)
