"""A plan as KML (OGC 07-147r2, KML 2.2) for a globe: drops and footprints by day, regions, zones and perimeters.

Folders and placemarks together stay under :data:`MOST_FEATURES`. A plan that needs more leaves out first the
footprints; if that is not enough, all drops of an aircraft on a day become one placemark of several points. The
document's description says so. A plan too large even then is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as XML

from firegui.errors import Problem
from firegui.io.atomic import write_text
from firegui.io.exporters.areas import PERIMETERS, Area, Kind, drawn_areas, drop_span, footprints, perimeters
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.kml_shapes import NAMESPACE, add, point, printable, shape_of, styles, time_span
from firegui.io.exporters.properties import drop_words
from firegui.io.exporters.table import NOTICE, DropRow, utc_text

MOST_FEATURES = 10_000

_GROUPS = (("Protected regions", (Kind.REGION,)), ("No-drop zones", (Kind.ZONE,)), ("Perimeters", PERIMETERS))
_NO_FOOTPRINTS = "Footprints are left out, to keep the file under 10,000 features."
_GROUPED = (
    "There are so many drops that footprints are left out and all drops of an aircraft on a day are one placemark, "
    "to keep the file under 10,000 features."
)


def kml_problems(content: ExportContent) -> list[Problem]:
    """A plan that is too large for KML even when every aircraft has one placemark a day."""
    needed = _grouped_count(content)
    if needed < MOST_FEATURES:
        return []
    what = f"KML would need {needed:,} features even with one for each aircraft and day, and fewer than 10,000 are read"
    return [Problem("format kml", what, "plan fewer days, or export a GeoPackage")]


def write_kml(path: Path, content: ExportContent) -> None:
    """Write the executed drops, their footprints, regions, zones and perimeters, each with the time when it holds."""
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
    for day, rows in groupby(content.flown, key=lambda row: row.day):
        folder = _folder(document, f"{_day_title(day, content)}, drops")
        for together in _placemarks(list(rows), single=single):
            _add_drops(folder, together, content)
    if whole:
        for day, shown in groupby(outlines, key=lambda area: area.row.day if area.row else 0):
            _add_areas(_folder(document, f"{_day_title(day, content)}, footprints"), shown)
    for title, kinds in _GROUPS:
        chosen = [area for area in areas if area.kind in kinds]
        if chosen:
            _add_areas(_folder(document, title), chosen)
    text = XML.tostring(root, encoding="unicode")
    write_text(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _head(content: ExportContent, reduced: str) -> list[str]:
    made = content.made.astimezone(content.project.calendar.local_zone).isoformat(sep=" ", timespec="minutes")
    run = f"Run {content.run}, made {made}" if content.run else f"Made {made}"
    lines = [NOTICE, run, f"{len(content.flown):,} drops, fire model {content.project.fire_model.label}"]
    return [*lines, *content.notes, *([reduced] if reduced else [])]


def _count(content: ExportContent, areas: Sequence[Area]) -> int:
    """Features without footprints: the document, a folder a day, three for areas, and a placemark for everything."""
    return 1 + _days(content) + 3 + len(content.flown) + len(areas)


def _grouped_count(content: ExportContent) -> int:
    pairs = {(row.drop.aircraft, row.day) for row in content.flown}
    event, operations = content.project.scenario, content.project.operations
    states = sum(len(fire.days) for fire in (content.plan, content.baseline) if fire is not None)
    areas = len(content.project.regions) + len(operations.no_drop_zones) + len(event.observed_dates) + states
    return 1 + _days(content) + 3 + len(pairs) + areas


def _days(content: ExportContent) -> int:
    return len({row.day for row in content.flown})


def _day_title(day: int, content: ExportContent) -> str:
    return f"Day {day + 1}, {content.project.calendar.date_of_day(day)}"


def _placemarks(rows: Sequence[DropRow], *, single: bool) -> list[list[DropRow]]:
    """The drops of a day that share a placemark."""
    if single:
        return [[row] for row in rows]
    ordered = sorted(rows, key=lambda row: (row.drop.column, row.drop.step))
    return [list(found) for _, found in groupby(ordered, key=lambda row: row.drop.column)]


def _folder(document: XML.Element, title: str) -> XML.Element:
    folder = add(document, "Folder")
    add(folder, "name", title)
    return folder


def _add_drops(folder: XML.Element, rows: Sequence[DropRow], content: ExportContent) -> None:
    """One placemark: a drop, or all drops of an aircraft on a day."""
    first = rows[0].drop
    placemark = add(folder, "Placemark")
    clock = rows[0].time_local[11:16]
    title = f"{first.aircraft} {clock}" if len(rows) == 1 else f"{first.aircraft}, {len(rows)} drops"
    add(placemark, "name", title)
    add(placemark, "description", _table(rows))
    time_span(placemark, *drop_span(rows[0], content))
    add(placemark, "styleUrl", f"#{first.material}")
    holder = placemark if len(rows) == 1 else add(placemark, "MultiGeometry")
    for row in rows:
        if row.lonlat is not None:
            point(holder, row.lonlat)


def _table(rows: Sequence[DropRow]) -> str:
    """The balloon's text. It is HTML of its own, so that values are escaped once here and once as XML."""
    if len(rows) > 1:
        lines = [f"{row.time_local}: {row.release_ddm}" for row in rows]
        return "<br/>".join(escape(printable(line)) for line in [*lines, NOTICE])
    cells = "".join(
        f"<tr><td>{escape(title)}</td><td>{escape(printable(text))}</td></tr>" for title, text in drop_words(rows[0])
    )
    return f"<table>{cells}</table>"


def _add_areas(folder: XML.Element, areas: Iterable[Area]) -> None:
    for area in areas:
        placemark = add(folder, "Placemark")
        add(placemark, "name", area.name if area.row is None else f"{area.name} {area.row.time_local[11:16]}")
        held = f"{utc_text(area.begin)} to {utc_text(area.end)}" if area.begin and area.end else ""
        add(placemark, "description", "<br/>".join(escape(text) for text in (str(area.kind), held, NOTICE) if text))
        if area.begin is not None and area.end is not None:
            time_span(placemark, area.begin, area.end)
        style = str(area.kind) if area.row is None else f"{area.kind} {area.row.drop.material}"
        add(placemark, "styleUrl", f"#{style.replace(' ', '-')}")
        shape_of(placemark, area.shape)
