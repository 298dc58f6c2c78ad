"""What a briefing says of one operational period: a day of the plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from firegui.domain.fleet import AircraftType, Material
from firegui.domain.operations import Grounding
from firegui.domain.project import Project
from firegui.domain.stress import growth_left_text
from firegui.io.exporters.content import ExportContent, Occupancy, light_of
from firegui.io.exporters.map_view import state_at
from firegui.io.exporters.map_wind import mean_wind
from firegui.io.exporters.table import DropRow

ACRES_PER_HA = 2.4710538
ROTOR_MS = 40.0
"""Below this speed over the drop an aircraft type is listed with the helicopters: a fleet does not say which it is."""

Sun = tuple[datetime | None, datetime | None]


@dataclass(frozen=True, slots=True, eq=False)
class Period:
    """One day of the plan: from when to when (UTC), its flown drops in the order of the table, sunrise and sunset."""

    day: int
    begin: datetime
    end: datetime
    rows: tuple[DropRow, ...]
    sun: Sun
    dark: tuple[bool, ...]
    """Which of the rows lie outside sunrise to sunset; all ``False`` where the sun's times are not known."""

    def gallons(self, material: Material) -> float:
        """US gallons of a material."""
        return sum(row.drop.payload_gal for row in self.rows if row.drop.material == material.value)

    def drops(self, material: Material) -> int:
        """Drops of a material."""
        return sum(row.drop.material == material.value for row in self.rows)


@dataclass(frozen=True, slots=True)
class TypeLine:
    """One type of the fleet on one day: its drops, their gallons, when the first is; whether it stays on the ground."""

    kind: AircraftType
    drops: int
    gallons: float
    first: datetime | None
    grounded: bool

    @property
    def is_helicopter(self) -> bool:
        """By its speed over the drop."""
        return self.kind.speed_ms < ROTOR_MS


def periods_of(content: ExportContent) -> list[Period]:
    """The operational periods of the chosen days."""
    calendar = content.project.calendar
    days = content.sheet.days(calendar)
    by_day: dict[int, list[DropRow]] = {day: [] for day in days}
    for row in content.flown:
        if row.day in by_day:
            by_day[row.day].append(row)
    light = light_of(content.project, days.start, days.stop - 1) if len(days) else []
    found = []
    for day in days:
        begin, end = (calendar.time_of_step((day + more) * calendar.steps_per_day) for more in (0, 1))
        rows = tuple(by_day[day])
        times = [calendar.time_of_step(row.drop.step) for row in rows]
        dark = [bool(light) and not any(rise <= when <= down for rise, down in light) for when in times]
        found.append(Period(day, begin, end, rows, _sun_in(light, begin, end), tuple(dark)))
    return found


def type_lines(project: Project, period: Period) -> list[TypeLine]:
    """The fleet by type on one day, in the order of the fleet."""
    calendar = project.calendar
    by_tail = {tail.name: tail.type.id for tail in project.fleet.tails}
    lines = []
    for kind in project.planned_fleet.types:
        rows = [row for row in period.rows if by_tail.get(row.drop.aircraft) == kind.id]
        steps = [row.drop.step for row in rows]
        first = calendar.time_of_step(min(steps)) if steps else None
        gallons = sum(row.drop.payload_gal for row in rows)
        lines.append(TypeLine(kind, len(rows), gallons, first, period.day in kind.grounded_days))
    return [line for line in lines if line.kind.count > 0 or line.drops]


def fire_acres(fire: Occupancy | None, boundary: int, project: Project) -> float | None:
    """Expected area that burns or has burned at a day boundary, in acres: ``Σ P`` times a cell."""
    state = state_at(fire, boundary)
    if state is None:
        return None
    return float(np.sum(state, dtype=np.float64)) * project.scenario.grid.cell_area_ha * ACRES_PER_HA


def remarks(content: ExportContent, period: Period) -> list[str]:
    """What the plan knows that belongs among safety notes and hazards, and what it does not know."""
    return [*_about_the_day(content, period), *_about_the_model(content.project)]


def _about_the_day(content: ExportContent, period: Period) -> Iterator[str]:
    project = content.project
    count = len(period.rows)
    yield f"{count:,} drop{'' if count == 1 else 's'} planned." if count else "No drops planned in this period."
    dark = sum(period.dark)
    if dark:
        yield f"{dark:,} of them before sunrise or after sunset: marked N in the drop table."
    acres = [fire_acres(fire, period.day + 1, project) for fire in (content.plan, content.baseline)]
    if acres[0] is not None:
        without = "" if acres[1] is None else f", {acres[1]:,.0f} {content.bare}"
        yield f"Expected fire at the end of the period: {acres[0]:,.0f} acres with the plan{without}."
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
    yield "Runs may be flown either way. Terrain clearance, wires, obstacles, airspace and bases are not in the model."
    if project.operations.daylight is None:
        yield "The plan was made without a daylight rule."
    if project.scenario.synthetic:
        yield "Synthetic event: no real place and no real fire."


def _grounding_text(item: Grounding, project: Project) -> str:
    zone = project.calendar.local_zone
    start, end = (when.astimezone(zone) for when in (item.start, item.end))
    return f"Grounded in the plan: {item.aircraft}, {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}."


def _sun_in(light: list[tuple[datetime, datetime]], begin: datetime, end: datetime) -> Sun:
    """The first sunrise and the first sunset of a period; ``None`` where the sun does not rise or set in it."""
    # Where the sun stays up, its light runs from midnight to midnight and neither is a sunrise.
    rises = [rise for rise, down in light if begin <= rise < end and down - rise < timedelta(hours=23.9)]
    sets = [down for rise, down in light if begin <= down < end and down - rise < timedelta(hours=23.9)]
    return rises[0] if rises else None, sets[0] if sets else None


def to_the_minute(when: datetime) -> datetime:
    """The nearest minute: steps rarely begin at one."""
    return when.replace(second=0, microsecond=0) + timedelta(minutes=math.floor(when.second / 60.0 + 0.5))


def daily_totals(periods: list[Period]) -> Mapping[str, float]:
    """Drops and gallons of all periods together."""
    return {
        "drops": sum(len(period.rows) for period in periods),
        "retardant": sum(period.gallons(Material.RETARDANT) for period in periods),
        "water": sum(period.gallons(Material.WATER) for period in periods),
    }
