"""Orders of a plan: what each aircraft flies on each day, as a table.

A day of an aircraft that has drops makes one order. :mod:`firegui.io.exporters.order_sheets` prints them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from firegui.domain.bases import Base, BaseFlight, hours_text
from firegui.domain.calendar import Calendar, to_the_minute
from firegui.domain.fleet import OUTLINE_SIGMAS, AircraftType
from firegui.io.atomic import write_text
from firegui.io.exporters.base_places import fire_place, nearest_flight
from firegui.io.exporters.briefing_days import Period, periods_of
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.table import FEET_PER_M, NOTICE, DropRow, flag_text, number_text
from firegui.io.georeference import Georeference, format_ddm
from firegui.io.tables import csv_text

COLUMNS = (
    "plan_day", "date_local", "aircraft", "type", "make_model", "material", "order_drop", "drop", "clock_local",
    "clock_utc", "line_start_ddm", "line_end_ddm", "release_ddm", "run_heading_true", "run_heading_magnetic",
    "coverage_level", "payload_gal", "line_length_ft", "line_width_ft", "height_agl_ft", "speed_kt", "turnaround_min",
    "base", "base_ddm", "base_hours", "flight_hours", "flight_hours_so_far", "flight_hours_of_day",
    "flight_hours_limit", "duty_hours_of_day", "duty_hours_limit", "near_water", "at_night", "time_local", "time_utc",
    "frequencies", "hazards", "notice", "take_off_local", "take_off_utc", "take_off_base",
)  # fmt: skip
"""One row a drop, by day, aircraft and time. New columns come last, for programs that count columns.

``plan_day`` counts from 1, ``order_drop`` the drops of an order. ``drop`` is the number of the drop in the plan.
A line is where the load lands, along the long axis of the outline that maps draw, from end to end.
``run_heading_true`` and ``run_heading_magnetic`` are flown from its start to its end, in [0, 360); the other way is as
good. ``coverage_level`` is what the fuel requires, in gal/100 ft². ``flight_hours_limit`` and ``duty_hours_limit`` are
those of the type, empty without one. ``take_off_local`` and ``take_off_utc`` are clock times of the take-off for a drop
at its time, from ``take_off_base``; empty without bases."""


Lonlat = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class OrderLine:
    """One drop of an order.

    ``start`` and ``end`` are the ends of its line as texts. ``heading`` and ``magnetic`` lead from start to end, in
    degrees, ``None`` where they are not known. ``base`` is where the aircraft loads after it, ``None`` without bases.
    ``turnaround_h`` and ``flight_h`` are ``None`` for an aircraft that the fleet does not have. ``take_off`` is when it
    leaves ``take_off_base`` for the drop: before the first drop of the day the nearest one, then the one at which it
    has loaded. Both are ``None`` without bases.
    """

    row: DropRow
    dark: bool
    start: str
    end: str
    heading: float | None
    magnetic: float | None
    turnaround_h: float | None
    flight_h: float | None
    base: Base | None
    take_off: datetime | None
    take_off_base: Base | None


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """What ``aircraft`` flies on the day of ``period``.

    ``kind`` is ``None`` for an aircraft that the fleet does not have. ``way`` leads to the nearest base that serves the
    type.
    """

    aircraft: str
    kind: AircraftType | None
    period: Period
    lines: tuple[OrderLine, ...]
    way: BaseFlight | None
    hours_per_step: float

    @property
    def flight_h(self) -> float | None:
        """Flight hours of the day."""
        return self.flight_h_after(len(self.lines))

    def flight_h_after(self, count: int) -> float | None:
        """Return the flight hours of the first ``count`` drops; ``None`` where they are not known."""
        hours = [line.flight_h for line in self.lines[:count]]
        return None if None in hours else sum(filter(None, hours))

    @property
    def duty_h(self) -> float | None:
        """Hours from the take-off before the first drop to the landing after the last.

        Counted as duty limits count them.
        """
        if self.kind is None:
            return None
        first, last = self.lines[0].row.drop.step, self.lines[-1].row.drop.step
        return (last - first) * self.hours_per_step + self.kind.flight_h_at(first)

    @property
    def gallons(self) -> float:
        """Gallons of the day."""
        return sum(line.row.drop.payload_gal for line in self.lines)

    @property
    def bases(self) -> tuple[Base, ...]:
        """Bases at which the aircraft loads on the day, in order of time; else the nearest one."""
        found = [line.base for line in self.lines if line.base is not None]
        found += [] if found or self.way is None else [self.way.base]
        return tuple({base.name: base for base in found}.values())


def orders_of(content: ExportContent) -> list[Order]:
    """Return the orders of the chosen days: by day, then in the order of the fleet."""
    return [order for period in periods_of(content) for order in _of_day(content, period)]


def _of_day(content: ExportContent, period: Period) -> Iterator[Order]:
    project = content.project
    kinds = {tail.name: tail.type for tail in project.planned_fleet.tails}
    fire, place = fire_place(project, period.day, period.rows), Georeference(project.scenario.grid)
    bases = {base.name: base for base in project.operations.bases}
    flown = sorted(
        zip(period.rows, period.dark, strict=True), key=lambda pair: (pair[0].drop.column, pair[0].drop.step)
    )
    for aircraft in dict.fromkeys(row.drop.aircraft for row, _ in flown):
        kind = kinds.get(aircraft)
        way = None if kind is None else nearest_flight(project, kind, fire)
        nearest = None if way is None else way.base
        from_base, leg = nearest, 0.0 if way is None else way.leg_h
        lines: list[OrderLine] = []
        for row, dark in flown:
            if row.drop.aircraft != aircraft:
                continue
            take_off = None
            if kind is not None and from_base is not None:
                # The time in the target area is over when the drop is made.
                before = timedelta(hours=leg + (kind.target_min or 0.0) / 60.0)
                take_off = project.calendar.time_of_step(row.drop.step) - before
            line = _line(row, kind, place, bases, nearest, take_off, from_base, dark=dark)
            lines.append(line)
            cycle = None if kind is None else kind.cycle_at(row.drop.step)
            from_base, leg = line.base, leg if cycle is None else cycle.leg_h
        yield Order(aircraft, kind, period, tuple(lines), way, project.calendar.hours_per_step)


def _line(
    row: DropRow, kind: AircraftType | None, place: Georeference, bases: dict[str, Base], nearest: Base | None,
    take_off: datetime | None, take_off_base: Base | None, *, dark: bool,
) -> OrderLine:  # fmt: skip
    drop, base, wait, flight = row.drop, nearest, None, None
    if kind is not None:
        cycle = kind.cycle_at(drop.step)
        base = nearest if cycle is None else bases.get(cycle.base, nearest)
        wait, flight = kind.wait_h_at(drop.step), kind.flight_h_at(drop.step)
    # A pose counts rows downwards: the long axis runs along (dx, dy) = (cos θ, −sin θ).
    half = OUTLINE_SIGMAS * drop.sigma_parallel_cells
    dy, dx = -half * math.sin(drop.theta), half * math.cos(drop.theta)
    ends = [(drop.landing_y - dy, drop.landing_x - dx), (drop.landing_y + dy, drop.landing_x + dx)]
    heading, magnetic = row.run_headings
    placed = [place.lonlat(*end) for end in ends]
    start, end = placed
    if heading is not None and start is not None and end is not None and _is_against(heading, start, end):
        ends, placed = ends[::-1], placed[::-1]
    texts = [_place_text(at, lonlat) for at, lonlat in zip(ends, placed, strict=True)]
    return OrderLine(row, dark, texts[0], texts[1], heading, magnetic, wait, flight, base, take_off, take_off_base)


def _is_against(heading: float, start: Lonlat, end: Lonlat) -> bool:
    """Return whether the way from ``start`` to ``end``, a few hundred metres, is against ``heading``."""
    east = ((end[0] - start[0] + 180.0) % 360.0 - 180.0) * math.cos(math.radians(start[1]))
    north = end[1] - start[1]
    return east * math.sin(math.radians(heading)) + north * math.cos(math.radians(heading)) < 0.0


def _place_text(at: tuple[float, float], lonlat: Lonlat | None) -> str:
    return f"row {at[0]:.1f}, column {at[1]:.1f}" if lonlat is None else format_ddm(*lonlat)


# -- table -------------------------------------------------------------------------------------------------------------
def write_orders_csv(path: Path, content: ExportContent) -> None:
    """Write one row a drop, atomically: the orders of the chosen days, by day and aircraft."""
    rows = [row for order in orders_of(content) for row in _rows(content, order)]
    write_text(path, csv_text([COLUMNS, *rows]))


def _rows(content: ExportContent, order: Order) -> Iterator[Sequence[str]]:
    project, kind = content.project, order.kind
    calendar, place, cell = project.calendar, Georeference(project.scenario.grid), project.scenario.grid.cell_size_m
    across = 2.0 * OUTLINE_SIGMAS * cell * FEET_PER_M
    utc = replace(calendar, utc_offset_h=0.0)
    limits = (None, None) if kind is None else (kind.most_flight_h, kind.most_duty_h)
    frequencies = "; ".join(item.text for item in project.operations.frequencies)
    hazards = "; ".join(text.strip() for text in project.operations.hazards)
    for number, line in enumerate(order.lines, start=1):
        row, drop, base = line.row, line.row.drop, line.base
        when = calendar.time_of_step(drop.step)
        at = None if base is None else place.lonlat(base.y, base.x)
        date = f"{to_the_minute(when).astimezone(calendar.local_zone):%Y-%m-%d}" if calendar.is_dated else ""
        yield [
            f"{row.day + 1}", date, order.aircraft, "" if kind is None else kind.id, drop.type, str(drop.material),
            f"{number}", "" if row.number is None else f"{row.number}", calendar.clock_text(when),
            utc.clock_text(when) if calendar.is_dated else "", line.start, line.end,
            row.release_ddm or f"row {drop.y:.1f}, column {drop.x:.1f}", number_text(line.heading, 1),
            number_text(line.magnetic, 1), f"{project.required_coverage:.1f}", f"{drop.payload_gal:g}",
            f"{drop.sigma_parallel_cells * across:.0f}", f"{drop.sigma_perpendicular_cells * across:.0f}",
            number_text(row.height_ft, 0), number_text(row.speed_kt, 0),
            number_text(None if line.turnaround_h is None else 60.0 * line.turnaround_h, 0),
            "" if base is None else base.name, "" if at is None else format_ddm(*at),
            "" if base is None else hours_text(base), number_text(line.flight_h, 2),
            number_text(order.flight_h_after(number), 2), number_text(order.flight_h, 2), _limit(limits[0]),
            number_text(order.duty_h, 2), _limit(limits[1]), flag_text(row.near_water),
            flag_text(line.dark if content.night is not None else None), row.time_local, row.time_utc, frequencies,
            hazards, NOTICE, *_take_off(line, calendar),
        ]  # fmt: skip


def _take_off(line: OrderLine, calendar: Calendar) -> tuple[str, str, str]:
    when = line.take_off
    if when is None or line.take_off_base is None:
        return "", "", ""
    utc = replace(calendar, utc_offset_h=0.0).clock_text(when) if calendar.is_dated else ""
    return calendar.clock_text(when), utc, line.take_off_base.name


def _limit(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
