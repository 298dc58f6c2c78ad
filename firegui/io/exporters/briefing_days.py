"""What a briefing says of one operational period, a day of the plan, and its tables.

Tables have ruled columns, and the drops of a day go over as many pages as they take.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from firegui.domain.calendar import Calendar
from firegui.domain.fleet import AircraftType
from firegui.domain.names import shown_name
from firegui.domain.operations import Grounding
from firegui.domain.project import Project
from firegui.domain.stress import growth_left_text
from firegui.domain.units import Units
from firegui.io.exporters.base_places import fire_place, nearest_flight
from firegui.io.exporters.content import ExportContent, light_of
from firegui.io.exporters.figure_page import INK, LINE, RULE, FigurePage, shortened, wrapped
from firegui.io.exporters.map_margin import mean_wind
from firegui.io.exporters.table import DropRow, both_ways

ROTOR_MS = 40.0
"""Below this speed over the drop an aircraft type is listed with the helicopters: a fleet does not say which it is."""

Sun = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True, eq=False)
class Period:
    """One day of the plan.

    From when to when (UTC), its flown drops in the order of the table, sunrise and sunset.
    """

    day: int
    begin: datetime
    end: datetime
    rows: tuple[DropRow, ...]
    sun: Sun
    dark: tuple[bool, ...]
    """Which of the rows lie outside sunrise to sunset; all ``False`` where the sun's times are not known."""


@dataclass(frozen=True, slots=True)
class TypeLine:
    """One type of the fleet on one day: its drops, their gallons, when the first is.

    Whether it stays on the ground. ``turnaround_h`` is that after its first drop, or of the noon of a day without one.
    ``base`` is the nearest base that serves it, empty without one.
    """

    kind: AircraftType
    drops: int
    gallons: float
    first: datetime | None
    grounded: bool
    turnaround_h: float = 0.0
    base: str = ""

    @property
    def is_helicopter(self) -> bool:
        """By its speed over the drop."""
        return self.kind.speed_ms < ROTOR_MS


def periods_of(content: ExportContent) -> list[Period]:
    """Return the operational periods of the chosen days."""
    calendar = content.project.calendar
    days = content.sheet.days(calendar)
    by_day: dict[int, list[DropRow]] = {day: [] for day in days}
    for row in content.flown:
        if row.day in by_day:
            by_day[row.day].append(row)
    light = light_of(content.project, days.start, days.stop - 1) if len(days) else []
    night, found = content.night, []
    for day in days:
        begin, end = (calendar.time_of_step((day + more) * calendar.steps_per_day) for more in (0, 1))
        rows = tuple(by_day[day])
        dark = [night is not None and bool(night[row.drop.step]) for row in rows]
        found.append(Period(day, begin, end, rows, _sun_in(light, begin, end), tuple(dark)))
    return found


def type_lines(project: Project, period: Period) -> list[TypeLine]:
    """Return the fleet by type on one day, in the order of the fleet."""
    calendar = project.calendar
    by_tail = {tail.name: tail.type.id for tail in project.fleet.tails}
    lines, place = [], fire_place(project, period.day, period.rows)
    for kind in project.planned_fleet.types:
        rows = [row for row in period.rows if by_tail.get(row.drop.aircraft) == kind.id]
        steps = [row.drop.step for row in rows]
        first = calendar.time_of_step(min(steps)) if steps else None
        gallons = sum(row.drop.payload_gal for row in rows)
        noon = period.day * calendar.steps_per_day + calendar.steps_per_day // 2
        away = kind.wait_h_at(min(steps, default=noon))
        way = nearest_flight(project, kind, place)
        base = "" if way is None else way.base.name
        lines.append(TypeLine(kind, len(rows), gallons, first, period.day in kind.grounded_days, away, base))
    return [line for line in lines if line.kind.count > 0 or line.drops]


def area_text(area_ha: float | None, units: Units) -> str:
    """Return the number of an area; empty where it is not known."""
    return "" if area_ha is None else units.area_number(area_ha)


def remarks(content: ExportContent, period: Period) -> list[str]:
    """Return what the plan knows that belongs among safety notes and hazards, and what it does not know."""
    hazards = (f"Hazard: {shown_name(text.strip())}" for text in content.project.operations.hazards)
    return [*hazards, *_about_the_day(content, period), *_about_the_model(content.project)]


def _about_the_day(content: ExportContent, period: Period) -> Iterator[str]:
    project = content.project
    count = len(period.rows)
    day = content.summary.days[period.day]
    used = day.use_text(content.summary.currency)
    planned = f"{count:,} drop{'' if count == 1 else 's'} planned{', ' if used else ''}{used}."
    yield planned if count else "No drops planned in this period."
    dark = sum(period.dark)
    if dark:
        yield f"{dark:,} of them before sunrise or after sunset: marked N in the drop table."
    if day.fire_ha is not None:
        units, bare = content.sheet.units, day.fire_ha_no_drops
        without = "" if bare is None else f", {units.area(bare)} {content.bare}"
        yield f"Expected fire at the end of the period: {units.area(day.fire_ha)} with the plan{without}."
    if content.stress is not None:
        yield f"{growth_left_text(content.stress)}."
    grounded = [line.kind.type for line in type_lines(project, period) if line.grounded]
    if grounded:
        yield f"Grounded all day in the plan: {', '.join(grounded)}."
    for item in project.operations.groundings:
        if item.start < period.end and item.end > period.begin:
            yield _grounding_text(item, project)
    if period.rows and any(row.near_water is None for row in period.rows):
        yield "Drops were not checked against water."
    close = sum(bool(row.near_water) for row in period.rows)
    if close:
        yield f"{close:,} within 300 ft of known water: marked W in the drop table."
    zones = project.operations.no_drop_zones
    if zones:
        yield f"No-drop zones on the map: {', '.join(zone.name for zone in zones)}."
    wind = mean_wind(project, period.day)
    if wind is not None:
        yield f"Wind in the plan, mean of the day at 10 m: {wind.text}."


def _about_the_model(project: Project) -> Iterator[str]:
    minutes = project.calendar.hours_per_step * 60.0
    yield (
        f"Times are the starts of steps of {minutes:g} minutes: drops with the same time still have to be put in "
        "sequence and separated."
    )
    missing = "obstacles and airspace" if project.operations.bases else "obstacles, airspace and bases"
    yield f"Runs may be flown either way. Terrain clearance, wires, {missing} are not in the model."
    if project.operations.daylight is None:
        yield "The plan was made without a daylight rule."
    if project.scenario.synthetic:
        yield "Synthetic event: no real place and no real fire."


def _grounding_text(item: Grounding, project: Project) -> str:
    zone = project.calendar.local_zone
    start, end = (when.astimezone(zone) for when in (item.start, item.end))
    return f"Grounded in the plan: {item.aircraft}, {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}."


def _sun_in(light: list[tuple[datetime, datetime]], begin: datetime, end: datetime) -> Sun:
    """Return the first sunrise and the first sunset of a period.

    ``None`` where the sun does not rise or set in it.
    """
    # Where the sun stays up, its light runs from midnight to midnight and neither is a sunrise.
    rises = [rise for rise, down in light if begin <= rise < end and down - rise < timedelta(hours=23.9)]
    sets = [down for rise, down in light if begin <= down < end and down - rise < timedelta(hours=23.9)]
    return rises[0] if rises else None, sets[0] if sets else None


CELL = 7.2
ROW = 0.158
HEAD = 6.4
_PAD = 0.04
_STRIPE = "#f1f3f5"


@dataclass(frozen=True, slots=True)
class BriefingColumn:
    """A column of ``width`` inches; ``group`` stands above it and above its neighbours of the same group."""

    title: str
    width: float
    across: str = "left"
    group: str = ""


_DROPS = (
    BriefingColumn("No.", 0.36, "right"),
    BriefingColumn("Local", 0.5, "center", "Mission Start"),
    BriefingColumn("UTC", 0.46, "center", "Mission Start"),
    BriefingColumn("Aircraft", 1.12, "left", "Category/Kind/Type and Function"),
    BriefingColumn("Material", 0.66, "left", "Category/Kind/Type and Function"),
    BriefingColumn("Release, WGS 84", 1.72, "left", "Instructions for Tactical Aircraft"),
    BriefingColumn("Lands at, WGS 84", 1.72, "left", "Instructions for Tactical Aircraft"),
    BriefingColumn("Run true", 0.58, "center", "Instructions for Tactical Aircraft"),
    BriefingColumn("Run mag.", 0.58, "center", "Instructions for Tactical Aircraft"),
    BriefingColumn("Gallons", 0.5, "right", "Instructions for Tactical Aircraft"),
    BriefingColumn("ft AGL", 0.4, "right", "Instructions for Tactical Aircraft"),
    BriefingColumn("kt", 0.32, "right", "Instructions for Tactical Aircraft"),
    BriefingColumn("Note", 0.38, "center", "Instructions for Tactical Aircraft"),
    BriefingColumn("Fly From", 0.5),
    BriefingColumn("Fly To", 0.5),
)


def drop_columns(width: float, calendar: Calendar) -> tuple[BriefingColumn, ...]:
    """Return the drop table in ``width`` inches: block 12 of the form, whose own columns are the groups."""
    named = (replace(item, title=f"Local {calendar.zone_name}") if item.title == "Local" else item for item in _DROPS)
    return stretched(tuple(named), width)


def drop_cells(row: DropRow, dark: bool, calendar: Calendar) -> list[str]:
    """Return one line of :func:`drop_columns`. What is not known stays empty."""
    when = calendar.time_of_step(row.drop.step)
    utc = f"{hhmm(when, replace(calendar, utc_offset_h=0.0))}Z" if calendar.is_dated else ""
    marks = ("N" if dark else "", "W" if row.near_water else "")
    return [
        f"{row.number}", hhmm(when, calendar), utc, row.drop.aircraft, row.drop.material,
        row.release_ddm or f"row {row.drop.y:.1f}, column {row.drop.x:.1f}",
        row.landing_ddm or f"row {row.drop.landing_y:.1f}, column {row.drop.landing_x:.1f}",
        *map(both_ways, row.run_headings), f"{row.drop.payload_gal:,.0f}",
        _whole(row.height_ft), _whole(row.speed_kt), " ".join(mark for mark in marks if mark), "", "",
    ]  # fmt: skip


def hhmm(when: datetime, calendar: Calendar) -> str:
    """Return a time on the 24-hour clock of ``calendar`` to the nearest minute: ``0930``.

    Where the date is not known, the result is the time since the start of the plan's day: ``+0930``.
    """
    return calendar.clock_text(when).removesuffix(" h").replace(":", "")


def drop_lines(period: Period, calendar: Calendar) -> list[list[str]]:
    """Return every line of a day's drop table."""
    pairs = zip(period.rows, period.dark, strict=True)
    return [drop_cells(row, dark, calendar) for row, dark in pairs]


def table_width(columns: Sequence[BriefingColumn]) -> float:
    """Return the width of a table in inches."""
    return sum(column.width for column in columns)


def stretched(columns: Sequence[BriefingColumn], width: float) -> tuple[BriefingColumn, ...]:
    """Return the columns made wider or narrower by one factor so that they fill ``width`` inches."""
    factor = width / table_width(columns)
    return tuple(replace(item, width=item.width * factor) for item in columns)


def head_height(columns: Sequence[BriefingColumn]) -> float:
    """Return the height of the titles above a table in inches."""
    most = max(len(wrapped(column.title, column.width - 2 * _PAD, HEAD, True)) for column in columns)
    return _group_height(columns) + most * HEAD * LINE / 72.0 + 0.05


def _group_height(columns: Sequence[BriefingColumn]) -> float:
    return HEAD * LINE / 72.0 + 0.05 if any(column.group for column in columns) else 0.0


def draw_table(
    page: FigurePage,
    x: float,
    top: float,
    columns: Sequence[BriefingColumn],
    lines: Sequence[Sequence[str]],
    *,
    empty: int = 0,
) -> float:
    """Draw titles, lines and ``empty`` lines to write on, from ``top`` down; return the height taken.

    The height is in inches.
    """
    down = _draw_head(page, x, top, columns)
    wide = table_width(columns)
    for number in range(len(lines) + empty):
        y = top - down - ROW * (number + 1)
        if number % 2:
            page.box(x, y, wide, ROW, fill=_STRIPE, edge="none")
        if number < len(lines):
            _draw_cells(page, x, y, columns, lines[number])
    down += ROW * (len(lines) + empty)
    groups = _group_height(columns)
    for left, right, edge in zip(columns, columns[1:], _edges(x, columns)[1:], strict=False):
        begin = groups if left.group and left.group == right.group else 0.0
        page.rule((edge, top - begin), (edge, top - down), color=RULE, linewidth=0.35)
    page.box(x, top - down, wide, down, thick=0.7)
    return down


def _draw_head(page: FigurePage, x: float, top: float, columns: Sequence[BriefingColumn]) -> float:
    high = head_height(columns)
    page.box(x, top - high, table_width(columns), high, fill="#dfe4ea", edge=INK, thick=0.5)
    groups = _group_height(columns)
    edges = _edges(x, columns)
    for number, (left, column) in enumerate(zip(edges, columns, strict=False)):
        texts = wrapped(column.title, column.width - 2 * _PAD, HEAD, True)
        page.lines(left + _PAD, top - groups - 0.02, texts, HEAD, bold=True)
        if column.group and (number == 0 or columns[number - 1].group != column.group):
            room = sum(item.width for item in columns if item.group == column.group) - 2 * _PAD
            page.lines(left + _PAD, top - 0.02, [shortened(column.group, room, HEAD)], HEAD)
            page.rule((left, top - groups), (left + room + 2 * _PAD, top - groups), color=RULE, linewidth=0.35)
    return high


def _draw_cells(page: FigurePage, x: float, y: float, columns: Sequence[BriefingColumn], cells: Sequence[str]) -> None:
    for left, column, text in zip(_edges(x, columns), columns, cells, strict=False):
        place = {"left": left + _PAD, "right": left + column.width - _PAD, "center": left + column.width / 2.0}
        text = shortened(text, column.width - 2 * _PAD, CELL)
        page.text(place[column.across], y + 0.045, text, CELL, across=column.across)


def _edges(x: float, columns: Sequence[BriefingColumn]) -> list[float]:
    """Return left edges of the columns, and the right edge of the last."""
    edges = [x]
    for column in columns:
        edges.append(edges[-1] + column.width)
    return edges


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
