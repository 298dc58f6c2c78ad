"""Sunrise and sunset at the fire, and when the daylight rule lets aircraft drop.

Source: NOAA Global Monitoring Laboratory, "Solar Calculation Details" (after Meeus, *Astronomical Algorithms*, 1991).
Good to about a minute up to ±72° of latitude, for a flat horizon: what a ridge hides is not known here.
The example of NREL's Solar Position Algorithm is met within 2 s; astral differs from this by up to 20 s below 50° of
latitude and by minutes beyond 66°, where it has no times for some of the days.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import Calendar
from firegui.domain.grid import Grid
from firegui.domain.operations import Daylight
from firegui.domain.project import Project
from firegui.errors import Problem
from firegui.io.georeference import Georeference

HORIZON_DEG = 90.833
"""Zenith angle of the sun's centre when its upper edge rises: refraction 34′ and half a diameter of 16′."""

_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)
_CENTURY_S = 36525.0 * 86400.0
_ROUNDS = 4

Sunlight = tuple[datetime, datetime]
"""From sunrise to sunset, UTC."""


def place_of(grid: Grid) -> tuple[float, float] | None:
    """Return longitude and latitude of the centre of ``grid`` in degrees, ``None`` where it has no place."""
    return Georeference(grid).lonlat((grid.rows - 1) / 2.0, (grid.columns - 1) / 2.0)


def sunlight(place: tuple[float, float], first: date, last: date) -> Iterator[Sunlight]:
    """Yield sunrise and sunset of every solar day from ``first`` to ``last`` at ``place``.

    ``place`` is longitude and latitude. A solar day runs from midnight to midnight by the sun, so its sunset may fall
    on the next date. Where the sun does not set, it is up from one solar midnight to the next; where it does not rise,
    there is nothing for that day.
    """
    for number in range((last - first).days + 1):
        light = _sunlight(place, first + timedelta(days=number))
        if light is not None:
            yield light


def _sunlight(place: tuple[float, float], day: date) -> Sunlight | None:
    longitude, latitude = place
    clock_noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC) - timedelta(hours=longitude / 15.0)
    noon = clock_noon - timedelta(minutes=_sun(clock_noon)[1])
    height = _cosine_of_hour_angle(latitude, _sun(noon)[0])
    if height >= 1.0:
        return None
    if height <= -1.0:
        return noon - timedelta(hours=12), noon + timedelta(hours=12)
    return _crossing(clock_noon, latitude, -1.0), _crossing(clock_noon, latitude, 1.0)


def _crossing(clock_noon: datetime, latitude: float, side: float) -> datetime:
    """Return when the sun is at the horizon, before (``side`` −1) or after noon.

    The sun is taken where it is at that time.
    """
    when = clock_noon
    for _ in range(_ROUNDS):
        declination, equation_min = _sun(when)
        cosine = min(max(_cosine_of_hour_angle(latitude, declination), -1.0), 1.0)
        hour_angle_h = math.degrees(math.acos(cosine)) / 15.0
        when = clock_noon + timedelta(hours=side * hour_angle_h, minutes=-equation_min)
    return when


def _cosine_of_hour_angle(latitude: float, declination: float) -> float:
    """Return ``cos H = cos 90.833° / (cos φ cos δ) − tan φ tan δ``.

    Outside ±1 the sun does not cross the horizon.
    """
    lat = math.radians(min(max(latitude, -89.9), 89.9))
    return math.cos(math.radians(HORIZON_DEG)) / (math.cos(lat) * math.cos(declination)) - math.tan(lat) * math.tan(
        declination
    )


def _sun(when: datetime) -> tuple[float, float]:
    """Return the declination ``δ`` in radians and the equation of time (sun minus clock) in minutes."""
    t = (when - _J2000).total_seconds() / _CENTURY_S
    longitude = math.radians((280.46646 + t * (36000.76983 + t * 0.0003032)) % 360.0)
    anomaly = math.radians((357.52911 + t * (35999.05029 - t * 0.0001537)) % 360.0)
    eccentricity = 0.016708634 - t * (0.000042037 + t * 0.0000001267)
    centre = (
        math.sin(anomaly) * (1.914602 - t * (0.004817 + t * 0.000014))
        + math.sin(2.0 * anomaly) * (0.019993 - t * 0.000101)
        + math.sin(3.0 * anomaly) * 0.000289
    )
    node = math.radians(125.04 - 1934.136 * t)
    apparent = longitude + math.radians(centre - 0.00569 - 0.00478 * math.sin(node))
    tilt_deg = 23.0 + (26.0 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60.0) / 60.0
    tilt = math.radians(tilt_deg + 0.00256 * math.cos(node))
    y = math.tan(tilt / 2.0) ** 2
    equation = (
        y * math.sin(2.0 * longitude)
        - 2.0 * eccentricity * math.sin(anomaly)
        + 4.0 * eccentricity * y * math.sin(anomaly) * math.cos(2.0 * longitude)
        - 0.5 * y**2 * math.sin(4.0 * longitude)
        - 1.25 * eccentricity**2 * math.sin(2.0 * anomaly)
    )
    return math.asin(math.sin(tilt) * math.sin(apparent)), 4.0 * math.degrees(equation)


Window = tuple[datetime, datetime]


def flying_windows(daylight: Daylight, grid: Grid, calendar: Calendar) -> tuple[Window, ...]:
    """Return from when to when it is light enough to drop, in UTC, over the planned days.

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
    """Return ``[T]``: steps that begin outside every flying window."""
    windows = flying_windows(daylight, grid, calendar)
    times = (calendar.time_of_step(step) for step in range(calendar.n_steps))
    return np.array([not any(begin <= when <= end for begin, end in windows) for when in times], bool)


def dark_pin_problems(project: Project) -> list[Problem]:
    """Return pinned drops outside daylight."""
    operations, calendar = project.operations, project.calendar
    if operations.daylight is None or operations.own_problems() or not project.scenario.grid.is_georeferenced:
        return []
    dark = dark_steps(operations.daylight, project.scenario.grid, calendar)
    return [
        Problem(pin.name, "lies outside daylight", "move the drop or change the daylight margins")
        for pin, _, step in operations.planned_pins(project.planned_fleet, calendar)
        if dark[step]
    ]


def night_steps(project: Project) -> NDArray[np.bool_] | None:
    """Return ``[T]``: steps that begin before sunrise or after sunset at the middle of the grid.

    ``None`` where the sun is not known: without a place, or where the date of the fire is not known.
    """
    place, calendar = place_of(project.scenario.grid), project.calendar
    if place is None or not project.scenario.is_dated:
        return None
    light = list(sunlight(place, calendar.date_of_day(-2), calendar.date_of_day(calendar.days + 1)))
    times = (calendar.time_of_step(step) for step in range(calendar.n_steps))
    return np.array([not any(rise <= when <= down for rise, down in light) for when in times], bool)


@dataclass(frozen=True, slots=True)
class SunDay:
    """Planned day; the sun is up during ``light``, and drops are allowed during ``open``."""

    day: int
    date: str
    light: Window | None
    open: Window | None


def sun_days(project: Project) -> tuple[SunDay, ...]:
    """Return the planned days with the sun at the centre of the grid; none without a place or a date."""
    grid, calendar, rule = project.scenario.grid, project.calendar, project.operations.daylight
    place = place_of(grid)
    if place is None or not calendar.is_dated:
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
