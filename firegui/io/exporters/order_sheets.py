"""Order sheets as one PDF, with a sheet of one or more pages for each aircraft and day.

Every page names the aircraft and the day, so that loose pages can be sorted. Texts that users typed are wrapped. Only
the name and the type of an aircraft are cut, after some lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from matplotlib.backends.backend_pdf import PdfPages

from firegui.domain.bases import Base, base_text, distance_km
from firegui.domain.calendar import Calendar, to_the_minute
from firegui.domain.fleet import OUTLINE_SIGMAS
from firegui.domain.names import shown_name
from firegui.domain.project import Project
from firegui.errors import Check
from firegui.io.atomic import writing
from firegui.io.exporters.base_places import fire_place
from firegui.io.exporters.briefing import SIZE, Maker, Section, draw_section, empty_page, flow, numbered, room_of
from firegui.io.exporters.briefing_days import CELL, BriefingColumn, hhmm, stretched
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import LINE, MUTED, FigurePage, metadata, printing, wrapped
from firegui.io.exporters.map_figure import go_on
from firegui.io.exporters.orders import Order, orders_of
from firegui.io.exporters.table import FEET_PER_M, KNOTS_PER_MS, NOTICE, heading_pair
from firegui.io.georeference import Georeference, format_ddm

TITLE = "Aircraft order"
NO_ORDERS = "No aircraft drops on these days."
_NAME, _TYPE = 15.0, 9.0
_MOST_LINES = 3
"""Largest number of lines of the name of an aircraft, and of its type, on a page."""
_PAD, _BELOW = 0.05, 0.12
_EMPTY_ROWS = 4
"""Number of empty rows to write frequencies in, on a sheet without frequencies."""
_NO_HAZARDS = "None typed in the project."
_KEY = (
    "Times are starts of steps: drops of several aircraft at one time still have to be put in sequence and separated. "
    "Line: where the load lands, from end to end as maps draw it. Release: where it leaves the aircraft, for the wind "
    "of the plan. Run: heading from start to end and the opposite one, degrees true and magnetic; either may be flown. "
    "CL: coverage level that the fuel requires, gal/100 ft². Turn min: minutes until the aircraft can drop again. "
    "Flight h: hours flown after the drop. N: before sunrise or after sunset. W: within 300 ft of known water. Terrain "
    "clearance, wires and obstacles are not in the model."
)
_KEY_OF_BASES = (
    "Take off: local time of leaving the base where the aircraft has loaded. Base: where it loads after the drop. "
)
_TAKE_OFF, _BASE = "Take off", "Base"
_BASE_COLUMNS = (_TAKE_OFF, _BASE)
"""Columns that only a sheet with bases has."""
_DROPS = (
    BriefingColumn("No.", 0.36, "right"),
    BriefingColumn(_TAKE_OFF, 0.5, "center"),
    BriefingColumn("Local", 0.5, "center", "Drop at"),
    BriefingColumn("UTC", 0.48, "center", "Drop at"),
    BriefingColumn("Start", 1.56, "left", "Line, WGS 84"),
    BriefingColumn("End", 1.56, "left", "Line, WGS 84"),
    BriefingColumn("Release, WGS 84", 1.56),
    BriefingColumn("True", 0.56, "center", "Run, start to end"),
    BriefingColumn("Magnetic", 0.58, "center", "Run, start to end"),
    BriefingColumn("CL", 0.32, "right"),
    BriefingColumn("Gallons", 0.52, "right"),
    BriefingColumn(_BASE, 0.38, "center"),
    BriefingColumn("Turn min", 0.42, "right"),
    BriefingColumn("Flight h", 0.46, "right"),
    BriefingColumn("Note", 0.38, "center"),
)
_RADIO = (BriefingColumn("Use", 4.6), BriefingColumn("AM, MHz", 2.8), BriefingColumn("FM, MHz", 2.8))


def write_order_sheets(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write the sheets as a PDF, atomically. Equal content gives equal bytes.

    ``check`` is called before every page and may raise. Raises :class:`~firegui.errors.InputError` if the file cannot
    be written.
    """
    facts = metadata("pdf", f"{content.project.scenario.name}: aircraft orders", NOTICE)
    with printing(), writing(path) as file, PdfPages(file, metadata=facts) as pdf:
        for page in order_pages(content, check):
            pdf.savefig(page.figure)


def order_pages(content: ExportContent, check: Check | None = None) -> Iterator[FigurePage]:
    """Yield the pages of all sheets, by day and aircraft, or a page with a note without any drops."""
    makers = [make for order in orders_of(content) for make in _sheet(content, order)]
    yield from numbered(makers or [partial(_page_without_orders, content)], check or go_on)


def _page_without_orders(content: ExportContent) -> FigurePage:
    page, (x, top, _, _) = empty_page(content, TITLE, content.sheet.days(content.project.calendar))
    page.text(x, top - 0.3, NO_ORDERS, 11.0)
    return page


def _sheet(content: ExportContent, order: Order) -> Iterator[Maker]:
    """Yield a function that draws the page, for each page of a sheet."""
    width, height = room_of(content)
    key = wrapped(f"{_KEY_OF_BASES if order.bases else ''}{_KEY}", width, 6.6)
    foot = len(key) * 6.6 * LINE / 72.0 + 0.06
    names = _name_lines(order, width)
    head = _names_height(names)
    pages = flow(_sections(content, order, width), height - head - foot)
    for number, sections in enumerate(pages, start=1):
        yield partial(_page, content, order, names, sections, (number, len(pages)), key)


def _page(
    content: ExportContent, order: Order, names: tuple[Sequence[str], Sequence[str]], sections: Sequence[Section],
    place: tuple[int, int], key: Sequence[str],
) -> FigurePage:  # fmt: skip
    day = order.period.day
    page, (x, top, width, height) = empty_page(content, TITLE, range(day, day + 1))
    bottom, high = top - height, _names_height(names)
    page.box(x, top - high + _BELOW, width, high - _BELOW, fill="#f1f3f5", thick=0.8)
    name, kind = names
    down = _PAD + page.lines(x + 0.08, top - _PAD, name, _NAME, bold=True)
    page.lines(x + 0.08, top - down, kind, _TYPE)
    number, count = place
    when = _dates(order, content.project.calendar)
    said = f"Day {day + 1}{f', {when}' if when else ''}"
    page.text(x + width - 0.08, top - 0.22, said, 11.0, bold=True, across="right")
    if count > 1:
        page.text(x + width - 0.08, top - 0.38, f"Page {number} of {count} of this sheet", 7.5, across="right")
    top -= high
    for section in sections:
        top -= draw_section(page, x, top, section)
    page.lines(x, bottom + len(key) * 6.6 * LINE / 72.0, key, 6.6, color=MUTED)
    return page


def _dates(order: Order, calendar: Calendar) -> str:
    """Return the local dates of the drops, ``8 to 9 Oct 2017``. A day of the plan may contain midnight."""
    if not calendar.is_dated:
        return ""
    times = (to_the_minute(calendar.time_of_step(line.row.drop.step)) for line in order.lines)
    dates = [when.astimezone(calendar.local_zone).date() for when in times]
    first, last = min(dates), max(dates)
    begin = f"{first.day} {first:%b} to " if first.month != last.month else f"{first.day} to "
    return f"{begin if first != last else ''}{last.day} {last:%b %Y}"


def _name_lines(order: Order, width: float) -> tuple[list[str], list[str]]:
    """Return the lines of the name and of the type of an aircraft, each cut after some lines."""
    room = width - 2.2
    drop = order.lines[0].row.drop
    kind = " · ".join(filter(None, (order.kind.type if order.kind else drop.type, f"{drop.material}")))
    return (
        wrapped(shown_name(order.aircraft), room, _NAME, True, most=_MOST_LINES) or ["(no name)"],
        wrapped(shown_name(kind), room, _TYPE, most=_MOST_LINES),
    )


def _names_height(names: tuple[Sequence[str], Sequence[str]]) -> float:
    name, kind = names
    return (len(name) * _NAME + len(kind) * _TYPE) * LINE / 72.0 + 2.0 * _PAD + _BELOW


# -- content of a sheet ------------------------------------------------------------------------------------------------
def _sections(content: ExportContent, order: Order, width: float) -> list[Section]:
    operations, calendar = content.project.operations, content.project.calendar
    marks = {base.name: f"{number}" for number, base in enumerate(order.bases, start=1)}
    hazards = [f"{number}. {text.strip()}" for number, text in enumerate(operations.hazards, start=1)]
    drops = _drop_columns(width, calendar, has_bases=bool(marks))
    lines = [_drop_cells(order, number, marks, content.project) for number in range(len(order.lines))]
    if not marks:
        lines = [
            [cell for cell, column in zip(line, _DROPS, strict=True) if column.title not in _BASE_COLUMNS]
            for line in lines
        ]
    found = [Section("Order", _wrapped_lines(_order_lines(content, order, marks), width))]
    found.append(Section("Hazards", _wrapped_lines(hazards or [_NO_HAZARDS], width)))
    found.append(Section("Drops", lines, drops))
    columns = stretched(_RADIO, width)
    rows = [_wrapped_cells((item.use, item.am, item.fm), columns) for item in operations.frequencies]
    rows = rows or [[[""] * len(columns)]] * _EMPTY_ROWS
    found.append(Section("Radio frequencies", [line for row in rows for line in row], columns))
    return found


def _wrapped_lines(texts: Iterable[str], width: float) -> list[list[str]]:
    return [[line] for text in texts for line in wrapped(shown_name(text), width, SIZE)]


def _wrapped_cells(row: Sequence[str], columns: Sequence[BriefingColumn]) -> list[list[str]]:
    """Return the lines of a row of a table, with the text of each cell wrapped to its column."""
    cells = [wrapped(shown_name(text), column.width - 0.1, CELL) for text, column in zip(row, columns, strict=True)]
    return [
        [lines[number] if number < len(lines) else "" for lines in cells]
        for number in range(max(map(len, cells), default=0))
    ]


def _drop_columns(width: float, calendar: Calendar, *, has_bases: bool) -> tuple[BriefingColumn, ...]:
    columns = [item for item in _DROPS if has_bases or item.title not in _BASE_COLUMNS]
    named = (replace(item, title=f"Local {calendar.zone_name}") if item.title == "Local" else item for item in columns)
    return stretched(tuple(named), width)


def _drop_cells(order: Order, number: int, marks: dict[str, str], project: Project) -> list[str]:
    line, row, calendar = order.lines[number], order.lines[number].row, project.calendar
    when = calendar.time_of_step(row.drop.step)
    utc = f"{hhmm(when, replace(calendar, utc_offset_h=0.0))}Z" if calendar.is_dated else ""
    notes = ("N" if line.dark else "", "W" if row.near_water else "")
    return [
        "" if row.number is None else f"{row.number}",
        "" if line.take_off is None else hhmm(line.take_off, calendar), hhmm(when, calendar), utc, line.start, line.end,
        row.release_ddm or f"row {row.drop.y:.1f}, column {row.drop.x:.1f}", heading_pair(line.heading),
        heading_pair(line.magnetic), f"{project.required_coverage:.1f}", f"{row.drop.payload_gal:,.0f}",
        "" if line.base is None else marks[line.base.name],
        "" if line.turnaround_h is None else f"{60.0 * line.turnaround_h:.0f}",
        _hours_text(order.flight_h_after(number + 1)), " ".join(mark for mark in notes if mark),
    ]  # fmt: skip


def _order_lines(content: ExportContent, order: Order, marks: dict[str, str]) -> Iterator[str]:
    kind, calendar = order.kind, content.project.calendar
    first, last = order.lines[0], order.lines[-1]
    times = [hhmm(calendar.time_of_step(line.row.drop.step), calendar) for line in (first, last)]
    count = len(order.lines)
    span = f"at {times[0]}" if count == 1 else f"from {times[0]} to {times[1]}"
    zone = f" {calendar.zone_name}" if calendar.is_dated else ""
    ends = zip(("sunrise", "sunset"), order.period.sun, strict=True)
    sun = [f"{name} {hhmm(when, calendar)}" for name, when in ends if when is not None]
    light = f"; {', '.join(sun)}" if sun else ""
    yield f"{count:,} drop{'' if count == 1 else 's'} {span}{zone}, {order.gallons:,.0f} gal in all{light}."
    yield _load_line(content, order)
    hours = (
        [f"{_hours_text(order.flight_h)} flight hours of the day ({_limit_text(kind.most_flight_h)})"] if kind else []
    )
    if kind and kind.most_duty_h is not None:
        hours.append(f"{_hours_text(order.duty_h)} duty hours ({_limit_text(kind.most_duty_h)})")
    turns = sorted({round(60.0 * line.turnaround_h) for line in order.lines if line.turnaround_h is not None})
    if turns:
        minutes = f"{turns[0]}" if len(turns) == 1 else f"{turns[0]} to {turns[-1]}"
        hours.append(f"turnaround {minutes} min")
    if hours:
        text = ", ".join(hours)
        yield f"{text[0].upper()}{text[1:]}."
    for rule in content.project.operations.airspace:
        if kind is not None and (not rule.types or kind.id in rule.types):
            yield f"Airspace rule of the plan: {rule.text(content.sheet.units)}."
    for base in order.bases:
        yield _base_line(content, order, base, marks[base.name])
    if not order.bases:
        none = "none serves this type" if content.project.operations.bases else "none in the project"
        yield f"Base: {none}; the turnaround is the fixed one of the type."


def _load_line(content: ExportContent, order: Order) -> str:
    kind, drop, project = order.kind, order.lines[0].row.drop, content.project
    across = 2.0 * OUTLINE_SIGMAS * project.scenario.grid.cell_size_m * FEET_PER_M
    long, wide = drop.sigma_parallel_cells * across, drop.sigma_perpendicular_cells * across
    said = (
        f"Load {drop.payload_gal:,.0f} gal {drop.material}, coverage level {project.required_coverage:.1f} gal/100 ft²"
    )
    flown = ""
    if kind is not None:
        flown = f", flown at {kind.speed_ms * KNOTS_PER_MS:.0f} kt and {kind.drop_height_m * FEET_PER_M:.0f} ft AGL"
    return f"{said}; line {long:,.0f} ft long and {wide:,.0f} ft wide{flown}."


def _base_line(content: ExportContent, order: Order, base: Base, mark: str) -> str:
    project, kind = content.project, order.kind
    at = Georeference(project.scenario.grid).lonlat(base.y, base.x)
    fire = fire_place(project, order.period.day, order.period.rows)
    away = distance_km(base, fire, project.scenario.grid.cell_size_m)
    minutes = "" if kind is None or not kind.cruise_ms else f", {1000.0 * away / kind.cruise_ms / 60.0:.0f} min"
    where = "" if at is None else f", {format_ddm(*at)}"
    return f"Base {mark}: {base.name}{where}; {away:,.0f} km{minutes} to the fire. {base_text(base)}."


def _limit_text(limit: float | None) -> str:
    return "no limit given" if limit is None else f"at most {limit:g}"


def _hours_text(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
