"""The briefing as one PDF.

It holds the plan at a glance, and for each operational period its form, map and drop table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_pdf import PdfPages

from firegui.domain.bases import base_text, serving
from firegui.domain.fleet import Material
from firegui.domain.names import shown_name
from firegui.domain.plan_summary import DaySummary
from firegui.domain.project import Project
from firegui.domain.stress import growth_left_text, left_out_texts, scenario_text
from firegui.domain.units import Units, percent_text
from firegui.errors import Check
from firegui.io.atomic import writing
from firegui.io.exporters.briefing_days import (
    ROW,
    BriefingColumn,
    Period,
    TypeLine,
    area_text,
    draw_table,
    drop_columns,
    drop_lines,
    head_height,
    hhmm,
    periods_of,
    stretched,
    type_lines,
)
from firegui.io.exporters.content import INCHES, ExportContent, Paper
from firegui.io.exporters.day_maps import on_day
from firegui.io.exporters.figure_page import LINE, MUTED, FigurePage, metadata, printing, wrapped
from firegui.io.exporters.ics220 import FORM, TITLES, FormPage, draw_form, draw_identity, form_pages
from firegui.io.exporters.map_figure import map_page
from firegui.io.exporters.map_margin import draw_head, page_head_height, period_text, time_text
from firegui.io.exporters.table import KNOTS_PER_MS, NOTICE
from firegui.io.georeference import Georeference, format_ddm

Maker = Callable[[], FigurePage]

EDGE = 0.4
_FOOT = 0.16
_TOP, _TITLE, _TOTAL = 0.42, 0.2, 0.44
_KEY = (
    "Times are starts of steps. Run: either direction, degrees true and magnetic. N: before sunrise or after sunset. "
    "W: within 300 ft of known water. Numbers are those on the map of the day."
)


def write_briefing(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write the briefing as a PDF, atomically; the same content makes the same bytes.

    ``check`` is called before every page and may raise. Raises :class:`~firegui.errors.InputError` where the system
    refuses to write.
    """
    facts = metadata("pdf", f"{content.project.scenario.name}: air operations briefing", NOTICE)
    with printing(), writing(path) as file, PdfPages(file, metadata=facts) as pdf:
        for page in briefing_pages(content, check):
            pdf.savefig(page.figure)


def briefing_pages(content: ExportContent, check: Check | None = None) -> Iterator[FigurePage]:
    """Yield the pages one after the other, each with its number.

    ``check`` is called before each and may raise.
    """
    ask = check or (lambda: None)
    yield from numbered(list(_makers(content, ask)), ask)


def numbered(makers: Sequence[Maker], check: Check) -> Iterator[FigurePage]:
    """Yield the pages that ``makers`` make, each with its number and the notice below."""
    for number, make in enumerate(makers, start=1):
        check()
        page = make()
        page.text(page.width - EDGE, _FOOT, f"Page {number} of {len(makers)}", 7.0, color=MUTED, across="right")
        page.text(EDGE, _FOOT, NOTICE, 7.0, color=MUTED)
        yield page


def _makers(content: ExportContent, check: Check) -> Iterator[Maker]:
    """Yield one function for each page, in order.

    How many there are must be known before the first is drawn.
    """
    periods = periods_of(content)
    yield from _overview(content, periods)
    if len(periods) > 1:
        yield partial(map_page, content, check)
    for period in periods:
        for part in form_pages(content, period, room_of(content)):
            yield partial(_form_page, content, period, part)
        yield partial(map_page, on_day(content, period.day), check)
        yield from _table_pages(content, period)


# -- overview ----------------------------------------------------------------------------------------------------------
def _overview(content: ExportContent, periods: Sequence[Period]) -> Iterator[Maker]:
    width, height = room_of(content)
    for sections in flow(sections_of(content, periods, width), height):
        yield partial(_sections_page, content, sections)


def _sections_page(content: ExportContent, sections: Sequence[Section]) -> FigurePage:
    days = content.sheet.days(content.project.calendar)
    page, (x, top, _, _) = empty_page(content, "Briefing: the plan at a glance", days)
    for section in sections:
        top -= draw_section(page, x, top, section)
    return page


# -- a day -------------------------------------------------------------------------------------------------------------
def _form_page(content: ExportContent, period: Period, part: FormPage) -> FigurePage:
    page, area = empty_page(content, FORM, range(period.day, period.day + 1))
    draw_form(page, area, content, period, part)
    return page


def _table_pages(content: ExportContent, period: Period) -> Iterator[Maker]:
    width, height = room_of(content)
    lines = drop_lines(period, content.project.calendar)
    room = height - _TOP - _TITLE - 0.06 - head_height(drop_columns(width, content.project.calendar)) - _TOTAL
    parts = list(_chunks(lines, max(int(room / ROW), 1)))
    for number, part in enumerate(parts, start=1):
        yield partial(_table_page, content, period, part, (number, len(parts)))


def _table_page(
    content: ExportContent, period: Period, lines: Sequence[Sequence[str]], place: tuple[int, int]
) -> FigurePage:
    page, (x, top, width, _) = empty_page(content, FORM, range(period.day, period.day + 1))
    draw_identity(page, (x, top, width, _TOP), content, period)
    number, count = place
    part = f"   {number} of {count}" if count > 1 else ""
    title = wrapped(f"{TITLES[12]}{part}", width, 7.0, True, most=1)
    page.lines(x, top - _TOP - 0.05, title, 7.0, bold=True)
    top -= _TOP + _TITLE + 0.06
    top -= draw_table(page, x, top, drop_columns(width, content.project.calendar), lines)
    if number == count:
        summary = content.summary
        text = _total_text(summary.days[period.day], content.sheet.units, summary.currency)
        page.text(x, top - 0.15, text, 8.0, bold=True)
    page.lines(x, top - 0.22, wrapped(_KEY, width, 6.6, most=2), 6.6, color=MUTED)
    return page


def _total_text(day: DaySummary, units: Units, currency: str) -> str:
    kinds = (Material.RETARDANT, Material.WATER)
    drops = ", ".join(f"{day.drops_of(kind):,} {kind.value}" for kind in kinds)
    volumes = ", ".join(f"{units.volume(day.gallons_of(kind))} {kind.value}" for kind in kinds)
    return "; ".join(filter(None, (f"Total: {day.drops:,} drops ({drops})", volumes, day.use_text(currency))))


# -- paper -------------------------------------------------------------------------------------------------------------
def empty_page(content: ExportContent, title: str, days: range) -> tuple[FigurePage, tuple[float, float, float, float]]:
    """Return an empty page with its head, and the area below it: left, top, width, height."""
    page = FigurePage(_size(content))
    draw_head(page, EDGE, content, title, period_text(days, content.project.calendar))
    width, height = room_of(content)
    return page, (EDGE, page.height - EDGE - page_head_height(content), width, height)


def _size(content: ExportContent) -> tuple[float, float]:
    """Return the paper of forms and tables: across, A4 or else letter, for a tabloid sheet is for maps."""
    short, long = INCHES[Paper.A4 if content.sheet.paper is Paper.A4 else Paper.LETTER]
    return long, short


def room_of(content: ExportContent) -> tuple[float, float]:
    """Return width and height below the head of a page."""
    width, height = _size(content)
    return width - 2.0 * EDGE, height - 2.0 * EDGE - page_head_height(content)


def _chunks(lines: Sequence[Any], most: int) -> Iterator[list[Any]]:
    rest = iter(lines)
    while part := list(islice(rest, most)):
        yield part


_FIRE = "Fire at the day's end"
_VOLUME, _PAYLOAD = "Volume", "Payload"
DAYS = (
    BriefingColumn("Day", 0.4, "right"),
    BriefingColumn("Date", 0.85, "center"),
    BriefingColumn("Sunrise", 0.6, "center"),
    BriefingColumn("Sunset", 0.6, "center"),
    BriefingColumn("Drops", 0.6, "right", "Drops"),
    BriefingColumn("Retardant", 0.7, "right", "Drops"),
    BriefingColumn("Water", 0.6, "right", "Drops"),
    BriefingColumn("Not in daylight", 0.75, "right", "Drops"),
    BriefingColumn("Near water", 0.65, "right", "Drops"),
    BriefingColumn("Retardant", 0.85, "right", _VOLUME),
    BriefingColumn("Water", 0.85, "right", _VOLUME),
    BriefingColumn("With the plan", 0.95, "right", _FIRE),
    BriefingColumn("Without drops", 0.95, "right", _FIRE),
    BriefingColumn("Grounded", 1.5),
)
AIRCRAFT = (
    BriefingColumn("Make/Model", 2.2),
    BriefingColumn("No.", 0.35, "right"),
    BriefingColumn("Material", 0.7),
    BriefingColumn(_PAYLOAD, 0.65, "right"),
    BriefingColumn("All drops", 0.55, "right"),
    BriefingColumn(_VOLUME, 0.75, "right"),
)
SIZE = 7.6
_DAYS_ACROSS = 12
_GAP = 0.14


@dataclass(frozen=True, slots=True)
class Section:
    """A table, or lines of text where there are no ``columns``, under a title."""

    title: str
    lines: Sequence[Sequence[str]]
    columns: tuple[BriefingColumn, ...] = ()

    @property
    def step(self) -> float:
        """Inches of one line."""
        return ROW if self.columns else SIZE * LINE / 72.0

    @property
    def head(self) -> float:
        """Inches of everything but the lines, the gap below included."""
        return (0.2 if self.title else 0.0) + (head_height(self.columns) if self.columns else 0.0) + _GAP

    @property
    def height(self) -> float:
        """Inches."""
        return self.head + self.step * len(self.lines)


def _day_columns(content: ExportContent) -> tuple[BriefingColumn, ...]:
    """Return the columns of the days, with the units and what the other fire is without."""
    units, bare = content.sheet.units, content.summary.bare.capitalize()
    groups = {_FIRE: f"{_FIRE}, {units.area_unit}", _VOLUME: f"{_VOLUME}, {units.volume_unit}"}
    return tuple(
        replace(
            item, group=groups.get(item.group, item.group), title=bare if item.title == "Without drops" else item.title
        )
        for item in DAYS
    )


def _aircraft_columns(units: Units) -> tuple[BriefingColumn, ...]:
    titles = {_PAYLOAD: f"{_PAYLOAD} {units.load_unit}", _VOLUME: f"{_VOLUME} {units.volume_unit}"}
    return tuple(replace(item, title=titles.get(item.title, item.title)) for item in AIRCRAFT)


def day_lines(content: ExportContent, periods: Sequence[Period]) -> list[list[str]]:
    """Return one line a day, and the totals below them."""
    lines = [_line(content, period) for period in periods]
    days = [content.summary.days[period.day] for period in periods]
    close = [row.near_water for period in periods for row in period.rows]
    dark, volumes = [day.night for day in days], _volumes(days, content.sheet.units)
    lines.append(
        ["", "Total", "", "", f"{sum(day.drops for day in days):,}", *_by_material(days),
         "?" if None in dark else f"{sum(filter(None, dark)):,}", _count(close), *volumes, "", "", ""]
    )  # fmt: skip
    return lines


def notes_of(content: ExportContent) -> list[str]:
    """Return what to know before using the plan: what it is made of, and what every number leaves out."""
    project = content.project
    held = content.not_flown
    minutes = project.calendar.hours_per_step * 60.0
    notes = [
        f"Plan: {content.run or 'without a name'}, made {time_text(content.made, project.calendar)}. "
        f"Fire model: {project.fire_model.label}.",
        f"Times are the starts of steps of {minutes:g} minutes, local ({project.calendar.zone_name}) and UTC (Z).",
        "Coordinates are WGS 84 in degrees and decimal minutes. Release is where the load leaves the aircraft, Lands "
        "at where the wind of the plan carries it. Runs are axes: the two headings of a run are its two directions.",
        "Expected fire is the sum of each cell's chance to burn or to have burned; the edges on the maps are where it "
        "is 50 %.",
        "Types slower than 78 kt over the drop are listed as helicopters: a fleet does not say which it is.",
    ]
    if content.stress is not None:
        growth = "Growth is what burns at the end beyond the start, over the same without drops"
        notes.insert(1, f"{growth_left_text(content.stress)}. {growth}.")
    if held:
        notes.append(f"{held:,} drops that the plan proposes but does not fly (turnaround, grounding) are left out.")
    rules = [*airspace_notes(project, content.sheet.units), *base_notes(project)]
    return [*content.crew_notes, *notes, *rules, *(_sentence(text) for text in content.notes)]


def airspace_notes(project: Project, units: Units) -> list[str]:
    """Return the airspace rules that the plan keeps."""
    rules = project.operations.airspace
    return [f"Airspace rule of the plan: {shown_name(rule.text(units))}." for rule in rules]


def base_notes(project: Project) -> list[str]:
    """Return where types fly from, how long they need, and what limits their drops."""
    notes: list[str] = []
    place = Georeference(project.scenario.grid)
    for base in project.operations.bases:
        at = place.lonlat(base.y, base.x)
        where = f", {format_ddm(*at)}" if at is not None else ""
        notes.append(f"{base.name}{where}: {base_text(base)}.")
    for kind in project.planned_fleet.types:
        if kind.cycles and kind.count:
            minutes = [60.0 * cycle.wait_h for cycle in kind.cycles]
            low, high = min(minutes), max(minutes)
            span = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"
            closed = any(base.has_hours for base in serving(project.operations.bases, kind.id))
            hours = ", with the hours in which its bases are closed" if closed else ""
            notes.append(
                f"{kind.id}: turnaround {span} minutes, from its base to the middle of what burns on the day{hours}."
            )
        limits = [
            f"{title} {value:g} {unit}" for title, value, unit in (
                ("flight hours a day", kind.most_flight_h, "h"), ("duty hours a day", kind.most_duty_h, "h"),
                ("wind", _knots(kind.most_wind_ms), "kt"), ("gusts", _knots(kind.most_gust_ms), "kt"),
            ) if value is not None
        ]  # fmt: skip
        if limits and kind.count:
            notes.append(f"{kind.id}: at most {', '.join(limits)}.")
    if any(kind.most_wind_ms is not None or kind.most_gust_ms is not None for kind in project.fleet.types):
        notes.append("Wind limits are checked against the wind of the plan's weather. Smoke is not modelled.")
    return notes


def _knots(speed_ms: float | None) -> float | None:
    return None if speed_ms is None else round(speed_ms * KNOTS_PER_MS, 1)


def stress_lines(content: ExportContent) -> list[list[str]]:
    """Return the table of stress cases, titles first; empty without a test.

    The worst case comes first and the model itself last.
    """
    if content.stress is None:
        return []
    summary, units = content.summary, content.sheet.units
    titles = ["Case", "What differs from the model", "Fire at the end, worst draw", "Without drops, same case"]
    has_regions = summary.protects_regions
    if has_regions:
        titles.append("In the regions of the run" if summary.has_other_regions else "In the regions")
    lines = [[*titles, "Growth left", "Draws"]]
    for case in (*content.stress.worst_first, content.stress.nominal):
        cells = [case.cells_worst, case.cells_no_drops, *([case.protected_worst] if has_regions else [])]
        areas = [units.area(each * summary.cell_ha) for each in cells]
        text = scenario_text(case.scenario)
        lines.append([case.scenario.title, text, *areas, percent_text(case.share_worst), f"{len(case.draws)}"])
    return lines


def sections_of(content: ExportContent, periods: Sequence[Period], width: float) -> list[Section]:
    """Return what stands on the first pages, in order: the result, the days, the aircraft, the notes."""
    result = [[f"{title}: {text}"] for title, text in content.summary.headline(content.sheet.units)]
    found = [
        Section("Result of the whole plan", result),
        Section("Days", day_lines(content, periods), stretched(_day_columns(content), width)),
    ]
    names = [period.day for period in periods]
    for first in range(0, len(periods), _DAYS_ACROSS):
        part = periods[first : first + _DAYS_ACROSS]
        days = tuple(
            BriefingColumn(f"Day {day + 1}", 0.42, "right", "Drops") for day in names[first : first + _DAYS_ACROSS]
        )
        empty = (BriefingColumn("", 0.42 * (_DAYS_ACROSS - len(days)), group=""),) if len(days) < _DAYS_ACROSS else ()
        columns = stretched((*_aircraft_columns(content.sheet.units), *days, *empty), width)
        found.append(Section("Aircraft by type", aircraft_lines(content, periods, part), columns))
    if content.stress is not None:
        titles, *lines = stress_lines(content)
        widths = (1.2, 4.2, *[0.9] * (len(titles) - 4), 0.7, 0.5)
        heads = [
            BriefingColumn(title, wide, "right" if number > 1 else "left")
            for number, (title, wide) in enumerate(zip(titles, widths, strict=True))
        ]
        found.append(Section("Stress cases: the same plan where the world differs", lines, stretched(heads, width)))
    untested = [f"{text}." for text in left_out_texts(content.stress)]
    notes = [line for text in (*notes_of(content), *untested) for line in wrapped(f"• {text}", width, SIZE)]
    return [*found, Section("What to know", [[line] for line in notes])]


def aircraft_lines(content: ExportContent, periods: Sequence[Period], part: Sequence[Period]) -> list[list[str]]:
    """Return one line for each type of the fleet.

    Drops and volume of all ``periods``, drops of each day of ``part``.
    """
    units, by_type = content.sheet.units, dict[str, dict[int, TypeLine]]()
    for period in periods:
        for line in type_lines(content.project, period):
            by_type.setdefault(line.kind.id, {})[period.day] = line
    found = []
    for days in by_type.values():
        kind = next(iter(days.values())).kind
        drops, gallons = sum(line.drops for line in days.values()), sum(line.gallons for line in days.values())
        cells = [_drops_text(days.get(period.day)) for period in part]
        known = [kind.type, f"{kind.count}", kind.material.value, f"{units.load_value(kind.payload_gal):,.0f}"]
        found.append([*known, f"{drops:,}", units.volume_number(gallons), *cells])
    return found


def flow(sections: Sequence[Section], height: float) -> list[list[Section]]:
    """Return the sections on pages of ``height`` inches.

    A section stays together where a page can hold it; one with more lines goes on on the next page.
    """
    pages: list[list[Section]] = [[]]
    left = height
    for section in sections:
        lines = list(section.lines)
        while lines:
            most = int((left - section.head) / section.step + 1e-9)
            fits_alone = section.head + section.step * len(lines) <= height
            if pages[-1] and most < (len(lines) if fits_alone else 2):
                pages.append([])
                left = height
                continue
            here, lines = lines[: max(most, 1)], lines[max(most, 1) :]
            part = replace(section, lines=here)
            pages[-1].append(part)
            left -= part.height
    return pages


def draw_section(page: FigurePage, x: float, top: float, section: Section) -> float:
    """Draw a section from ``top`` down; returns the height that it takes."""
    down = 0.0
    if section.title:
        page.text(x, top - 0.13, section.title, 9.0, bold=True)
        down = 0.2
    if section.columns:
        draw_table(page, x, top - down, section.columns, section.lines)
    else:
        page.lines(x, top - down, [line for (line,) in section.lines], SIZE)
    return section.height


def _line(content: ExportContent, period: Period) -> list[str]:
    calendar, day = content.project.calendar, content.summary.days[period.day]
    sun = [hhmm(when, calendar) if when is not None else "" for when in period.sun]
    return [
        f"{day.day + 1}", calendar.date_text(day.day), *sun, f"{day.drops:,}",
        *_by_material([day]), "?" if day.night is None else f"{day.night:,}",
        _count([row.near_water for row in period.rows]), *_volumes([day], content.sheet.units),
        *(area_text(area, content.sheet.units) for area in (day.fire_ha, day.fire_ha_no_drops)),
        _grounded(content, period),
    ]  # fmt: skip


def _by_material(days: Sequence[DaySummary]) -> list[str]:
    """Return the drops of retardant and of water."""
    return [f"{sum(day.drops_of(kind) for day in days):,}" for kind in (Material.RETARDANT, Material.WATER)]


def _volumes(days: Sequence[DaySummary], units: Units) -> list[str]:
    """Return the volumes of retardant and of water."""
    kinds = (Material.RETARDANT, Material.WATER)
    return [units.volume_number(sum(day.gallons_of(kind) for day in days)) for kind in kinds]


def _count(values: Sequence[bool | None]) -> str:
    """Return how many are true; ``?`` where that is not known of all."""
    return "?" if any(value is None for value in values) else f"{sum(bool(value) for value in values):,}"


def _drops_text(line: TypeLine | None) -> str:
    """Return the number of drops of a type on a day; a dash where it is grounded."""
    if line is None:
        return ""
    return "–" if line.grounded and not line.drops else f"{line.drops:,}"


def _grounded(content: ExportContent, period: Period) -> str:
    """Return the ids of the types that stay on the ground all day.

    Where most do, the others are named; where both lists are long, they are counted.
    """
    kinds = [kind for kind in content.project.planned_fleet.types if kind.count]
    ids = [kind.id for kind in kinds if period.day in kind.grounded_days]
    others = [kind.id for kind in kinds if kind.id not in ids]
    if len(ids) <= 2:
        return ", ".join(ids)
    if len(others) > 2:
        return f"{len(ids)} of {len(kinds)} types"
    return f"all but {', '.join(others)}" if others else "all types"


def _sentence(text: str) -> str:
    """Return a note with a capital and a full stop.

    One that begins with the name of a file keeps its letters.
    """
    first, _, _ = text.partition(" ")
    begun = f"{text[:1].upper()}{text[1:]}" if first.isalpha() else text
    return f"{begun.rstrip('.')}."
