"""Bases of aircraft, and the cycles from them to the fire and back.

A cycle begins with a drop. The aircraft flies to a base, loads, flies back and drops again after its time in the target
area. Where no base serves a type, its turnaround is fixed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import Calendar
from firegui.domain.fleet import MOST_TURNAROUND_H, AircraftType, Cycle, Fleet
from firegui.domain.fuel import WATER
from firegui.domain.grid import Grid
from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import bounds_problems, option, title_of
from firegui.errors import Problem

Point = tuple[float, float]
"""Row and column in cells, cell centres at whole numbers."""
MOST_REACH_KM = 1500.0
"""No aircraft returns to a base farther away between two drops."""
LAKE_REACH_M = 300.0
"""How far from water a lake that aircraft scoop from may be put: its place is typed in or clicked."""
_DAY_H = 24.0
_SLACK_H = 1e-9
"""Hours are sums of fractions; this is no difference."""
LEAST_GROWTH_CELLS = 1e-3
"""A day on which less burns has the burning area of the day before."""


class BaseKind(StrEnum):
    """Kind of a base: where retardant or water is taken up."""

    AIRTANKER = "airtanker_base"
    RELOAD = "reload_base"
    DIP = "dip_site"
    LAKE = "scooping_lake"


KIND_TITLES: Mapping[BaseKind, str] = {
    BaseKind.AIRTANKER: "Airtanker base",
    BaseKind.RELOAD: "Reload base",
    BaseKind.DIP: "Dip site",
    BaseKind.LAKE: "Scooping lake",
}
USUAL_RELOAD_MIN: Mapping[BaseKind, float] = {
    BaseKind.AIRTANKER: 15.0,
    BaseKind.RELOAD: 15.0,
    BaseKind.DIP: 2.0,
    BaseKind.LAKE: 1.0,
}
"""Minutes that a new base of each kind begins with: assumptions, to be replaced by those of the base."""


@dataclass(frozen=True, slots=True)
class Base:
    """Place where aircraft take up retardant or water.

    ``y, x`` are cells, cell centres at whole numbers, also outside the grid. It is open from ``opens_h`` to
    ``closes_h``, hours of the local day, past midnight where it closes before it opens; always without them. ``serves``
    are ids of aircraft types.
    """

    name: str
    kind: BaseKind
    y: float
    x: float
    reload_min: float = option(
        15.0, "Reload time", "minutes from landing until the loaded aircraft has taken off; of a lake or a dip site, "
        "minutes to fill", unit="min", low=0.0, high=1440.0, synonyms="refill load turnaround",
    )  # fmt: skip
    opens_h: float | None = option(
        None, "Opens", "hour of the local day from which on the base loads; empty for always", unit="h", low=0.0,
        high=24.0, synonyms="hours time",
    )  # fmt: skip
    closes_h: float | None = option(
        None, "Closes", "hour of the local day until which the base loads; empty for always", unit="h", low=0.0,
        high=24.0, synonyms="hours time",
    )  # fmt: skip
    serves: tuple[str, ...] = ()

    @property
    def has_hours(self) -> bool:
        """Whether the base is closed for a part of the day."""
        return self.opens_h is not None and self.closes_h is not None

    def hours_closed(self, hour: float) -> float:
        """Return for how many hours from ``hour`` of the local day on the base stays closed."""
        if self.opens_h is None or self.closes_h is None:
            return 0.0
        since = (hour - self.opens_h) % _DAY_H
        open_for = (self.closes_h - self.opens_h) % _DAY_H
        return 0.0 if since <= open_for + _SLACK_H else _DAY_H - since

    def problems(self) -> list[Problem]:
        """Return everything wrong with the base itself."""
        where = f"base {shown_name(self.name) or '(no name)'}"
        found: list[Problem] = []
        if not self.name.strip():
            found.append(Problem(where, "the name is empty", "name every base"))
        found += character_problems(where, self.name) + bounds_problems(self, where)
        if not (math.isfinite(self.y) and math.isfinite(self.x)):
            found.append(Problem(where, f"its place ({self.y}, {self.x}) is not a place", "give two numbers"))
        if (self.opens_h is None) != (self.closes_h is None):
            remedy = "give both hours, or none for a base that is always open"
            found.append(Problem(where, "one of its hours is missing", remedy))
        elif self.has_hours and self.opens_h == self.closes_h:
            found.append(Problem(where, "it closes at the hour at which it opens", "give two different hours"))
        if repeated := sorted({name for name in self.serves if self.serves.count(name) > 1}):
            found.append(Problem(where, f"serves {', '.join(repeated)} more than once", "name each type once"))
        return found


def hours_text(base: Base) -> str:
    """Return when a base is open: ``08:00 to 20:30``, or ``always``."""
    if base.opens_h is None or base.closes_h is None:
        return "always"
    return f"{clock_of(base.opens_h)} to {clock_of(base.closes_h)}"


def base_text(base: Base) -> str:
    """Return kind, hours, reload time and types of a base in one line."""
    served = ", ".join(base.serves) or "no type of the plan"
    hours = f"open {hours_text(base)}" if base.has_hours else "always open"
    return f"{KIND_TITLES[base.kind]}, {hours}, {base.reload_min:g} min to load, for {served}"


def clock_of(hour: float) -> str:
    """Return an hour of the day as ``08:30``."""
    minutes = round(60.0 * hour)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def hour_of(text: str) -> float | None:
    """Return the hour that ``08:30`` or ``8.5`` means; ``None`` for no text. Raises ``ValueError``."""
    text = text.strip()
    if not text:
        return None
    hours, _, minutes = text.partition(":")
    if not (text.isascii() and "_" not in text):
        raise ValueError(f"{text!r} is not a time")
    if not minutes:
        return float(hours)
    if not (hours.isdigit() and minutes.isdigit() and int(minutes) < 60):
        raise ValueError(f"{text!r} is not a time")
    return int(hours) + int(minutes) / 60.0


def serving(bases: Iterable[Base], kind: str) -> tuple[Base, ...]:
    """Return the bases that serve the type ``kind``."""
    return tuple(base for base in bases if kind in base.serves)


def distance_km(base: Base, point: Point, cell_size_m: float) -> float:
    """Return the distance from a base to a place, on the plane of the grid."""
    return math.hypot(base.y - point[0], base.x - point[1]) * cell_size_m / 1000.0


def centres_of_burning(fire_days: Sequence[NDArray[Any]] | NDArray[Any]) -> tuple[Point, ...]:
    """Return the centre of the burning area of every day.

    ``fire_days [D + 1, H, W]`` are ``P`` at the start and at the ends of days, in any unit. A centre is the mean place
    of the cells that burn on that day, ``Σ x (P_{d+1} − P_d)(x) / Σ (P_{d+1} − P_d)``. A day on which nothing burns has
    that of the day before, the first one that of the fire at the start.
    """
    found: list[Point] = []
    before = _centre(fire_days[0])
    for day in range(len(fire_days) - 1):
        grown = np.maximum(fire_days[day + 1].astype(np.float64) - fire_days[day], 0.0)
        before = _centre(grown) or before
        if before is not None:
            found.append(before)
    return tuple(found) if len(found) == len(fire_days) - 1 else ()


def _centre(weights: NDArray[Any]) -> Point | None:
    by_row, by_column = weights.sum(axis=1, dtype=np.float64), weights.sum(axis=0, dtype=np.float64)
    whole = float(by_row.sum())
    if not whole > LEAST_GROWTH_CELLS:
        return None
    y, x = (float(parts @ np.arange(len(parts))) / whole for parts in (by_row, by_column))
    # Another processor sums in another order; a metre less or more must not be another turnaround.
    return round(y, 2), round(x, 2)


@dataclass(frozen=True, slots=True)
class BaseFlight:
    """Way from the fire to a base and back: one flight, and all flights with the time at the fire."""

    base: Base
    distance_km: float
    leg_h: float
    flight_h: float

    @property
    def reload_h(self) -> float:
        """Hours at the base."""
        return self.base.reload_min / 60.0

    @property
    def turnaround_h(self) -> float:
        """Reload time, two flights and the time in the target area."""
        return self.reload_h + self.flight_h


def flights(kind: AircraftType, bases: Iterable[Base], centre: Point, cell_size_m: float) -> tuple[BaseFlight, ...]:
    """Return the way to each base that serves ``kind``, the nearest first; none without a cruise speed."""
    if not kind.cruise_ms:
        return ()
    found = []
    for base in serving(bases, kind.id):
        distance = distance_km(base, centre, cell_size_m)
        leg = distance / (3.6 * kind.cruise_ms)
        found.append(BaseFlight(base, distance, leg, 2.0 * leg + (kind.target_min or 0.0) / 60.0))
    return tuple(sorted(found, key=lambda flight: flight.distance_km))


def cycle_of(ways: Sequence[BaseFlight], hour: float) -> Cycle:
    """Return the cycle after a drop at ``hour`` of the local day; ``ways`` has the nearest base first.

    It is by the nearest base that is open when the aircraft arrives. Where all are closed, by the one at which it can
    load first.
    """
    way = min(ways, key=lambda one: _closed_h(one, hour) + (one.leg_h if _closed_h(one, hour) else 0.0))
    closed = _closed_h(way, hour)
    return Cycle(way.turnaround_h + closed, way.flight_h, way.leg_h, way.base.name)


def _closed_h(way: BaseFlight, hour: float) -> float:
    return way.base.hours_closed((hour + way.leg_h) % _DAY_H)


@lru_cache(maxsize=128)
def cycles_of(
    kind: AircraftType, bases: tuple[Base, ...], centres: tuple[Point, ...], calendar: Calendar, cell_size_m: float
) -> tuple[Cycle, ...]:
    """Return the cycle of a drop of ``kind`` at every step; none where its turnaround is fixed.

    ``centres`` are those of the burning area, one a day.
    """
    if len(centres) != calendar.days or not all(flights(kind, bases, centre, cell_size_m) for centre in centres):
        return ()
    has_hours = calendar.is_dated and any(base.has_hours for base in serving(bases, kind.id))
    found: list[Cycle] = []
    for day, centre in enumerate(centres):
        ways, per_day = flights(kind, bases, centre, cell_size_m), calendar.steps_per_day
        if not has_hours:
            found += [Cycle(ways[0].turnaround_h, ways[0].flight_h, ways[0].leg_h, ways[0].base.name)] * per_day
            continue
        steps = range(day * per_day, (day + 1) * per_day)
        found += [cycle_of(ways, _local_hour(calendar.time_of_step(step), calendar)) for step in steps]
    return tuple(found)


def _local_hour(when: datetime, calendar: Calendar) -> float:
    local = when.astimezone(calendar.local_zone)
    return local.hour + local.minute / 60.0 + local.second / 3600.0


def planned_cycles(
    fleet: Fleet, bases: tuple[Base, ...], centres: tuple[Point, ...], calendar: Calendar, cell_size_m: float
) -> tuple[tuple[Cycle, ...], ...]:
    """Return the cycles of every type of ``fleet``. A base that has problems counts for nothing."""
    bases = tuple(base for base in bases if not base.problems())
    if not bases or not centres:
        return ((),) * len(fleet.types)
    return tuple(cycles_of(kind.unplanned, bases, centres, calendar, cell_size_m) for kind in fleet.types)


def base_problems(bases: Sequence[Base], fleet: Fleet, calendar: Calendar, grid: Grid) -> list[Problem]:
    """Return every problem of bases for a plan of ``fleet``, beside those of each base itself."""
    found = repeated_names("bases", (base.name for base in bases))
    kinds = {kind.id: kind for kind in fleet.types}
    types = ", ".join(sorted(kinds)) or "none"
    for base in bases:
        where = f"base {shown_name(base.name)}"
        if base.problems():
            continue
        if unknown := sorted(set(base.serves) - set(kinds)):
            what = f"serves {', '.join(map(shown_name, unknown))}, which is not an aircraft type of the fleet"
            found.append(Problem(where, what, f"use types of the fleet: {types}"))
        if base.has_hours and not calendar.is_dated:
            remedy = "import the event with its start, or leave the hours out"
            found.append(Problem(where, "its hours need a date, and that of the fire is not known", remedy))
        near = _nearest(base, grid)
        away = distance_km(base, near, grid.cell_size_m)
        if away > MOST_REACH_KM:
            what = f"is {away:,.0f} km from the grid, out of reach of every aircraft"
            found.append(Problem(where, what, f"use a place within {MOST_REACH_KM:,.0f} km, or check its coordinates"))
            continue
        served = [kinds[name] for name in base.serves if name in kinds]
        found += [problem for kind in served for problem in _reach_problems(base, kind, near, grid)]
    for kind in fleet.types:
        if not kind.cruise_ms and (named := serving(bases, kind.id)):
            what = f"is served by {named[0].name} and has no {title_of(kind, 'cruise_ms').lower()}"
            found.append(Problem(f"aircraft {kind.id}", what, "give its cruise speed, or let no base serve it"))
    return found


def lake_problems(bases: Iterable[Base], grid: Grid, fuel: NDArray[np.floating] | None) -> list[Problem]:
    """Return a problem for each scooping lake on ``grid`` without water in ``fuel [H, W]`` near it.

    Nothing is known of water without fuel, and off the grid.
    """
    lakes = [base for base in bases if base.kind is BaseKind.LAKE and (base.y, base.x) == _nearest(base, grid)]
    if fuel is None or not lakes:
        return []
    rows, columns = np.nonzero(fuel == WATER)
    reach = max(LAKE_REACH_M / grid.cell_size_m, 1.0)
    return [
        Problem(
            f"base {shown_name(lake.name)}",
            f"is a scooping lake, and the fuel layer has no water within {LAKE_REACH_M:g} m of it",
            "move it onto water, or make it a dip site",
        )
        for lake in lakes
        if not (np.hypot(rows - lake.y, columns - lake.x) <= reach).any()
    ]


def _nearest(base: Base, grid: Grid) -> Point:
    """Return the place of the grid that is nearest to a base."""
    return min(max(base.y, 0.0), grid.rows - 1.0), min(max(base.x, 0.0), grid.columns - 1.0)


def _reach_problems(base: Base, kind: AircraftType, near: Point, grid: Grid) -> list[Problem]:
    where, ways = f"base {shown_name(base.name)}", flights(kind, [base], near, grid.cell_size_m)
    way = next(iter(ways), None)
    if way is None:
        return []
    remedy = "let a nearer base serve it, or change its limits"
    if way.turnaround_h > MOST_TURNAROUND_H:
        what = f"{kind.id} needs {way.turnaround_h:,.1f} h to the fire and back, more than {MOST_TURNAROUND_H:g} h"
        return [Problem(where, what, remedy)]
    limits = [
        (limit, title_of(kind, name)) for name in ("most_flight_h", "most_duty_h")
        if (limit := getattr(kind, name)) is not None and way.flight_h > limit + _SLACK_H
    ]  # fmt: skip
    return [
        Problem(where, f"{kind.id} flies {way.flight_h:.1f} h to the fire and back, and {title} is {limit:g}", remedy)
        for limit, title in limits
    ]
