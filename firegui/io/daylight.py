"""When a project's daylight rule lets aircraft drop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import Calendar
from firegui.domain.grid import Grid
from firegui.domain.operations import Daylight
from firegui.domain.project import Project
from firegui.errors import Problem
from firegui.io.sun import place_of, sunlight

Window = tuple[datetime, datetime]


def flying_windows(daylight: Daylight, grid: Grid, calendar: Calendar) -> tuple[Window, ...]:
    """From when to when it is light enough to drop, UTC, over the planned days, earliest first.

    The sun is that of the grid's centre. Where it does not set, days touch and there is no margin between them; where
    it does not rise, there is no window. Without a place there is none at all: :meth:`Operations.problems` says so.
    """
    place = place_of(grid)
    if place is None:
        return ()
    first, last = calendar.date_of_day(-2), calendar.date_of_day(calendar.days + 1)
    begin, end = timedelta(minutes=daylight.after_sunrise_min), timedelta(minutes=daylight.before_sunset_min)
    joined: list[Window] = []
    for rise, down in sunlight(place, first, last):
        # Solar midnights of neighbouring days differ by the seconds that the equation of time moves.
        if joined and rise - joined[-1][1] < timedelta(minutes=2):
            joined[-1] = (joined[-1][0], down)
        else:
            joined.append((rise, down))
    return tuple((rise + begin, down - end) for rise, down in joined if rise + begin < down - end)


def dark_steps(daylight: Daylight, grid: Grid, calendar: Calendar) -> NDArray[np.bool_]:
    """``[T]``: steps that begin outside every flying window."""
    windows = flying_windows(daylight, grid, calendar)
    times = (calendar.time_of_step(step) for step in range(calendar.n_steps))
    return np.array([not any(begin <= when <= end for begin, end in windows) for when in times], bool)


def dark_pin_problems(project: Project) -> list[Problem]:
    """Pinned drops outside daylight."""
    operations, calendar = project.operations, project.calendar
    if operations.daylight is None or operations.own_problems() or not project.scenario.grid.is_georeferenced:
        return []
    dark = dark_steps(operations.daylight, project.scenario.grid, calendar)
    return [
        Problem(pin.name, "lies outside daylight", "move the drop or change the daylight margins")
        for pin, _, step in operations.planned_pins(project.planned_fleet, calendar)
        if dark[step]
    ]


@dataclass(frozen=True, slots=True)
class SunDay:
    """Planned day; the sun is up during ``light``, and drops are allowed during ``open``."""

    day: int
    date: str
    light: Window | None
    open: Window | None


def sun_days(project: Project) -> tuple[SunDay, ...]:
    """Return the planned days with the sun at the centre of the grid; none where the grid has no place."""
    grid, calendar, rule = project.scenario.grid, project.calendar, project.operations.daylight
    place = place_of(grid)
    if place is None:
        return ()
    first, last = calendar.date_of_day(-1), calendar.date_of_day(calendar.days)
    lights = tuple(sunlight(place, first, last))
    usable = rule is not None and not rule.problems()
    windows = flying_windows(rule, grid, calendar) if usable and rule is not None else ()
    found = []
    for day in range(calendar.days):
        when = calendar.date_of_day(day)
        noon = datetime(when.year, when.month, when.day, 12, tzinfo=calendar.local_zone)
        span = noon - timedelta(hours=12), noon + timedelta(hours=12)
        # The light that is nearest to noon belongs to the date, for a sunset may fall on the next.
        light = min(lights, key=lambda pair: abs(pair[0] + (pair[1] - pair[0]) / 2 - noon), default=None)
        if light is not None and not (light[1] > span[0] and light[0] < span[1]):
            light = None
        opened = None if light is None else next((w for w in windows if w[0] < light[1] and w[1] > light[0]), None)
        found.append(SunDay(day, f"{when.day} {when:%b}", light, opened))
    return tuple(found)
