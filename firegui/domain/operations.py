"""Operational limits beyond the paper: darkness, groundings, sorties, airspace, zones, pins, bases.

Radio frequencies and hazards for the crews are kept beside them. Everything is off by default, which is the paper's
case. A drop happens at the start of its step, and that instant is what times are compared with.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from firegui.domain.airspace import AirspaceRule, crowded, rules_problems
from firegui.domain.bases import Base, base_problems, serving
from firegui.domain.calendar import Calendar
from firegui.domain.crew_notes import RadioFrequency, frequency_problems, hazard_problems
from firegui.domain.fleet import AircraftType, Fleet, Tail
from firegui.domain.grid import Grid
from firegui.domain.options import bounds_problems, option, title_of
from firegui.domain.regions import Region, region_problems
from firegui.errors import Problem

MOST_DROPS = 1_000_000
_MOST_MARGIN_MIN = 720.0
NIGHT_WORDS = "night dark darkness dawn dusk twilight"
"""Other words that find the daylight rule."""
_MARGIN: Mapping[str, Any] = {
    "unit": "min", "low": -_MOST_MARGIN_MIN, "high": _MOST_MARGIN_MIN, "synonyms": NIGHT_WORDS,
}  # fmt: skip
DROPS_A_DAY = "Drops a day"
GUST_FACTOR = 2.0
"""A gust is about twice as fast as the mean of ten minutes (Crosby and Chandler 1966)."""
_SAME_HOURS = 1e-6
_MOST_NAMED = 4
"""Number of pinned drops that a problem names besides the last one."""


@dataclass(frozen=True, slots=True)
class Daylight:
    """Daylight limit of drops.

    Drops start ``after_sunrise_min`` minutes after sunrise and end ``before_sunset_min`` minutes before sunset.
    """

    after_sunrise_min: float = option(30.0, "Minutes after sunrise", "below 0 drops into the twilight", **_MARGIN)
    before_sunset_min: float = option(30.0, "Minutes before sunset", "below 0 drops into the twilight", **_MARGIN)

    def problems(self) -> list[Problem]:
        """Return problems of the margins: not a number, or longer than half a day.

        A negative margin flies into the twilight.
        """
        return bounds_problems(self, "daylight")


@dataclass(frozen=True, slots=True)
class Grounding:
    """Time from ``start`` to ``end`` in which ``aircraft`` makes no drop.

    ``aircraft`` is a tail such as ``S-2T-1`` or a whole type such as ``S-2T``. Both are aware times; a drop at ``end``
    is allowed.
    """

    aircraft: str
    start: datetime
    end: datetime

    def problems(self) -> list[Problem]:
        """Return the problems that do not depend on the fleet."""
        where = f"grounding of {self.aircraft or '(no aircraft)'}"
        naive = [name for name in ("start", "end") if getattr(self, name).tzinfo is None]
        found = [_naive(where, name) for name in naive]
        if not naive and self.end <= self.start:
            what = f"ends at {self.end.isoformat()}, not after it begins at {self.start.isoformat()}"
            found.append(Problem(where, what, "give an end after the start"))
        return found


@dataclass(frozen=True, slots=True)
class PinnedDrop:
    """A drop that planning keeps as it is: at ``time`` (aware) by the tail ``aircraft`` with this pose.

    ``y, x`` is the release point in cells, cell centres at integers, ``theta`` the long axis in radians.
    """

    time: datetime
    aircraft: str
    y: float
    x: float
    theta: float

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"pinned drop of {self.aircraft or '(no aircraft)'} at {self.time.isoformat()}"

    def problems(self) -> list[Problem]:
        """Return the problems that depend on neither the fleet nor the grid."""
        found = [_naive(self.name, "time")] if self.time.tzinfo is None else []
        if not all(math.isfinite(value) for value in (self.y, self.x, self.theta)):
            found.append(
                Problem(self.name, f"its pose ({self.y}, {self.x}, {self.theta}) is not a pose", "use numbers")
            )
        return found


@dataclass(frozen=True, slots=True)
class Operations:
    """The operational constraints of a project.

    ``sorties_per_day`` is the most drops of one aircraft on one day of the plan, by type id; ``hard_cap`` the most
    drops of the whole plan; in ``no_drop_zones`` no drop may come down. A pinned drop is kept by every planner. Pins
    and groundings are times, so that moving the start of the plan does not move them. The turnaround of types that one
    of ``bases`` serves follows from its distance to the fire. ``gust_factor`` is what gusts are taken for where a type
    has a gust limit, because the weather has mean winds. Every one of the ``airspace`` rules limits the drops of a
    place and a time. ``frequencies`` and ``hazards`` are printed for the crews, and no plan depends on them.
    """

    daylight: Daylight | None = None
    groundings: tuple[Grounding, ...] = ()
    sorties_per_day: Mapping[str, int] = field(default_factory=dict)
    hard_cap: int | None = option(
        None, "Limit on drops", "most drops of the whole plan; pinned drops count", low=0, high=MOST_DROPS
    )
    no_drop_zones: tuple[Region, ...] = ()
    pinned: tuple[PinnedDrop, ...] = ()
    bases: tuple[Base, ...] = ()
    gust_factor: float = option(
        GUST_FACTOR, "Gust factor", "gusts are taken for the wind of the weather times this", low=1.0, high=5.0,
        synonyms="wind limit",
    )  # fmt: skip
    frequencies: tuple[RadioFrequency, ...] = ()
    hazards: tuple[str, ...] = ()
    airspace: tuple[AirspaceRule, ...] = ()

    @property
    def off(self) -> bool:
        """Whether nothing is constrained: the paper's case. Limits of aircraft types are no part of this."""
        return replace(self.rules, gust_factor=GUST_FACTOR) == Operations()

    @property
    def rules(self) -> Operations:
        """What a plan depends on: everything but the notes for crews."""
        return replace(self, frequencies=(), hazards=())

    @property
    def has_notes(self) -> bool:
        """Whether there are notes for crews."""
        return bool(self.frequencies or self.hazards)

    def with_notes_of(self, other: Operations) -> Operations:
        """Return the same rules with the frequencies and hazards of ``other``."""
        return replace(self, frequencies=other.frequencies, hazards=other.hazards)

    def serves(self, fleet: Fleet) -> bool:
        """Return whether a base serves a type of ``fleet``, whose turnaround then depends on the fire."""
        return any(serving(self.bases, kind.id) for kind in fleet.types)

    def own_problems(self) -> list[Problem]:
        """Return everything that is wrong on any project: values, times without an offset, ends before starts."""
        found = [] if self.daylight is None else self.daylight.problems()
        found += [problem for item in self.groundings for problem in item.problems()]
        found += [problem for pin in self.pinned for problem in pin.problems()]
        found += [problem for base in self.bases for problem in base.problems()]
        found += frequency_problems(self.frequencies) + hazard_problems(self.hazards)
        found += rules_problems(self.airspace)
        found += bounds_problems(self, "operations")
        return found + [
            Problem("operations", f"{DROPS_A_DAY} of {key}: {count}", f"use 0 to {MOST_DROPS:,}")
            for key, count in self.sorties_per_day.items()
            if not 0 <= count <= MOST_DROPS
        ]

    def problems(self, fleet: Fleet, calendar: Calendar, grid: Grid) -> list[Problem]:
        """Return every problem of a plan of ``fleet`` (grounded days included) in ``calendar``.

        Not here, because they take the sun and the wind: pins in the dark (:mod:`firegui.io.daylight`) and pins whose
        footprint drifts into a zone (:mod:`firegui.planning.flight_rules`). A pin outside the planned window counts
        for nothing; :meth:`notes` says so.
        """
        found = self.own_problems()
        if self.daylight is not None and not grid.is_georeferenced:
            remedy = "give the event a CRS and a transform, or leave daylight out"
            found.append(Problem("daylight", "the sun's times need a place, and the grid has no CRS", remedy))
        elif self.daylight is not None and not calendar.is_dated:
            remedy = "import the event with its start, or leave daylight out"
            found.append(Problem("daylight", "the sun's times need a date, and that of the fire is not known", remedy))
        found += self._unknown(fleet) + rules_problems(self.airspace, fleet)
        found += base_problems(self.bases, fleet, calendar, grid)
        found += [
            replace(problem, where=problem.where.replace("region", "no-drop zone", 1))
            for problem in region_problems(self.no_drop_zones, grid.shape)
            if "every weight is 0" not in problem.what
        ]
        return found + list(_pin_problems(self, fleet, calendar, grid))

    def _unknown(self, fleet: Fleet) -> list[Problem]:
        ids, names = {kind.id for kind in fleet.types}, {tail.name for tail in fleet.tails}
        types, tails = ", ".join(sorted(ids)) or "none", ", ".join(sorted(names)) or "none"
        found = [
            Problem(
                f"grounding of {item.aircraft}", "is not an aircraft of the fleet", f"use one of {types}; or {tails}"
            )
            for item in self.groundings
            if item.aircraft not in ids | names
        ]
        found += [
            Problem(DROPS_A_DAY, f"{key} is not an aircraft type of the fleet", f"use one of {types}")
            for key in self.sorties_per_day
            if key not in ids
        ]
        return found + [
            Problem(pin.name, "is of an aircraft that the fleet does not have", f"use one of {tails}")
            for pin in self.pinned
            if pin.aircraft not in names
        ]

    def planned_pins(self, fleet: Fleet, calendar: Calendar) -> tuple[tuple[PinnedDrop, Tail, int], ...]:
        """Return the pins that can be placed, each with its aircraft and step.

        Their aircraft is known and their time is inside the planned window.
        """
        tails = {tail.name: tail for tail in fleet.tails}
        placed = ((pin, tails.get(pin.aircraft), pin_step(pin, calendar)) for pin in self.pinned)
        return tuple(
            (pin, tail, step)
            for pin, tail, step in placed
            if tail is not None and step is not None and 0 <= step < calendar.n_steps
        )

    def notes(self, calendar: Calendar) -> tuple[str, ...]:
        """Return notes that are not problems: the pins outside the planned window."""
        steps = [pin_step(pin, calendar) for pin in self.pinned]
        outside = sum(step is not None and not 0 <= step < calendar.n_steps for step in steps)
        if not outside:
            return ()
        many = "1 pinned drop lies" if outside == 1 else f"{outside:,} pinned drops lie"
        return (f"{many} outside the planned days and {'is' if outside == 1 else 'are'} ignored",)


def pin_step(pin: PinnedDrop, calendar: Calendar) -> int | None:
    """Return the step that ``pin.time`` falls into; it may lie outside the plan.

    A time without an offset gives ``None``.
    """
    if pin.time.tzinfo is None:
        return None
    steps = (pin.time - calendar.start) / timedelta(hours=calendar.hours_per_step)
    return math.floor(steps + 1e-6)  # the start of a step, written in whole microseconds, is that step


def is_grounded(grounding: Grounding, tail: Tail, when: datetime) -> bool:
    """Return whether ``grounding`` keeps ``tail`` from a drop at ``when``."""
    return grounding.aircraft in (tail.name, tail.type.id) and grounding.start <= when < grounding.end


def covers(region: Region, row: float, column: float) -> bool:
    """Return whether the point ``(row, column)`` lies in ``region`` and in none of its holes.

    Rows and columns are corner coordinates.
    """
    return any(sum(_crossings(ring, row, column) for ring in part) % 2 == 1 for part in region.parts)


def _crossings(ring: tuple[tuple[float, float], ...], row: float, column: float) -> int:
    """Return how many edges of the ring a ray from the point towards the east crosses."""
    count = 0
    for (r0, c0), (r1, c1) in zip(ring, (*ring[1:], ring[0]), strict=True):
        if (r0 > row) != (r1 > row) and column < c0 + (row - r0) / (r1 - r0) * (c1 - c0):
            count += 1
    return count


def _naive(where: str, name: str) -> Problem:
    return Problem(where, f"{name} has no offset from UTC", "write it as 2020-08-21T14:30:00-07:00")


def _pin_problems(operations: Operations, fleet: Fleet, calendar: Calendar, grid: Grid) -> Iterator[Problem]:
    sound = replace(
        operations,
        groundings=tuple(item for item in operations.groundings if not item.problems()),
        pinned=tuple(pin for pin in operations.pinned if not pin.problems()),
        no_drop_zones=tuple(zone for zone in operations.no_drop_zones if not region_problems([zone], grid.shape)),
        airspace=tuple(rule for rule in operations.airspace if not rule.problems("")),
    )
    pins = sound.planned_pins(fleet, calendar)
    for pin, tail, step in pins:
        yield from _one_pin(sound, pin, tail, step, calendar, grid)
    yield from _too_close(pins, calendar)
    yield from _too_many(sound, pins, calendar)
    yield from _too_crowded(sound, pins, calendar, grid)


def _one_pin(
    operations: Operations, pin: PinnedDrop, tail: Tail, step: int, calendar: Calendar, grid: Grid
) -> Iterator[Problem]:
    day = calendar.day_of_step(step)
    if day in tail.type.grounded_days:
        yield Problem(pin.name, f"the aircraft is grounded on {calendar.date_of_day(day)}", "move it or lift the day")
    when = calendar.time_of_step(step)
    if any(is_grounded(item, tail, when) for item in operations.groundings):
        yield Problem(pin.name, "the aircraft is grounded at that time", "move the drop or the grounding")
    if not (0.0 <= pin.y <= grid.rows - 1 and 0.0 <= pin.x <= grid.columns - 1):
        yield Problem(pin.name, f"row {pin.y:g}, column {pin.x:g} is outside the grid", "move it onto the grid")
    for zone in operations.no_drop_zones:
        if covers(zone, pin.y + 0.5, pin.x + 0.5):
            yield Problem(pin.name, f"lies in the no-drop zone {zone.name}", "move the drop or the zone")


def _too_close(pins: Iterable[tuple[PinnedDrop, Tail, int]], calendar: Calendar) -> Iterator[Problem]:
    ordered = sorted(pins, key=lambda item: (item[1].index, item[2]))
    for (earlier, tail, first), (later, other, second) in pairwise(ordered):
        wait = tail.type.wait_steps(first, calendar.steps_per_day)
        if tail.index == other.index and second - first <= wait:
            hours = tail.type.wait_h_at(first)
            what = f"follows the one at {earlier.time.isoformat()} within the turnaround of {hours:.3g} h"
            yield Problem(later.name, what, "move one of them")


def _too_crowded(
    operations: Operations, pins: tuple[tuple[PinnedDrop, Tail, int], ...], calendar: Calendar, grid: Grid
) -> Iterator[Problem]:
    """Yield the problems of pins that break an airspace rule among themselves."""
    for rule in operations.airspace:
        counted = [(pin, step) for pin, tail, step in pins if not rule.types or tail.type.id in rule.types]
        drops = [(step, pin.y, pin.x) for pin, step in counted]
        for together in crowded(rule, drops, calendar.hours_per_step, grid.cell_size_m):
            last = max(together, key=lambda index: counted[index][1])
            others = [counted[index][0].name for index in together if index != last]
            more = f" and {len(others) - _MOST_NAMED:,} more" if len(others) > _MOST_NAMED else ""
            what = f"with the {', the '.join(others[:_MOST_NAMED])}{more} it breaks the airspace rule: {rule.text()}"
            yield Problem(counted[last][0].name, what, "move one of them, or loosen the rule")


def _too_many(
    operations: Operations, pins: tuple[tuple[PinnedDrop, Tail, int], ...], calendar: Calendar
) -> Iterator[Problem]:
    if operations.hard_cap is not None and len(pins) > operations.hard_cap:
        what = f"{len(pins)} drops are pinned and the cap is {operations.hard_cap}"
        yield Problem(title_of(operations, "hard_cap"), what, "raise the cap or remove pins")
    flown = Counter((tail.name, tail.type.id, calendar.day_of_step(step)) for _, tail, step in pins)
    for (name, kind, day), count in sorted(flown.items()):
        most = operations.sorties_per_day.get(kind)
        if most is not None and count > most:
            what = f"{count} drops of {name} are pinned on {calendar.date_of_day(day)} and {most} are allowed"
            yield Problem(DROPS_A_DAY, what, "raise the number or remove pins")
    yield from _too_long(pins, calendar)


def _too_long(pins: tuple[tuple[PinnedDrop, Tail, int], ...], calendar: Calendar) -> Iterator[Problem]:
    """Yield the problems of pins that take more flight or duty hours than an aircraft has on a day."""
    days: dict[tuple[int, int], list[tuple[Tail, int]]] = {}
    for _, tail, step in pins:
        days.setdefault((tail.index, calendar.day_of_step(step)), []).append((tail, step))
    for (_, day), flown in sorted(days.items()):
        tail, steps = flown[0][0], sorted(step for _, step in flown)
        kind, limits = tail.type, day_limits(tail.type, day, calendar)
        for name, limit, amount in (
            ("most_flight_h", limits.drops, len(steps)), ("most_duty_h", limits.window, steps[-1] - steps[0]),
        ):  # fmt: skip
            if limit is not None and amount > limit:
                what = f"the pinned drops of {tail.name} on {calendar.date_of_day(day)} take more than its"
                title = f"{title_of(kind, name).lower()} of {getattr(kind, name):g}"
                yield Problem(f"aircraft {kind.id}", f"{what} {title}", "raise the limit or remove pins")


@dataclass(frozen=True, slots=True)
class DayLimits:
    """What flight and duty hours leave of a day to one aircraft; ``None`` for no limit.

    ``drops`` is the most drops, and ``window`` the most steps from the first to the last of them, below 0 for no drop.
    """

    drops: int | None
    window: int | None


def day_limits(kind: AircraftType, day: int, calendar: Calendar) -> DayLimits:
    """Return the limits of a planned ``day``.

    ``⌊flight hours / hours of a drop⌋`` drops. Duty lasts from the take-off before the first drop to the landing after
    the last: ``⌊(duty hours − hours of a drop) / hours of a step⌋`` steps. Where hours of bases make drops of a day
    differ, the longest counts.
    """
    steps = range(day * calendar.steps_per_day, (day + 1) * calendar.steps_per_day)
    hours = max((kind.flight_h_at(step) for step in steps), default=0.0) if kind.cycles else kind.turnaround_h
    drops = window = None
    if kind.most_flight_h is not None and hours > 0.0:
        drops = math.floor(kind.most_flight_h / hours + _SAME_HOURS)
    if kind.most_duty_h is not None:
        window = math.floor((kind.most_duty_h - hours) / calendar.hours_per_step + _SAME_HOURS)
    return DayLimits(drops, window)
