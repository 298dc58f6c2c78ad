"""The fire's local offset from UTC where nobody gave it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from firegui.domain.grid import Grid
from firegui.errors import Problem
from firegui.io.georeference import Georeference

UNKNOWN_START = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands in for a start that nobody knows; whoever uses it says so in a note."""

FIRST_YEAR, LAST_YEAR = 1900, 2199

_LARGEST_SAVING_H = 2.0


def guess_offset_h(grid: Grid, start: datetime | None) -> float:
    """The local offset in whole hours.

    A start that is midnight within two hours of sun time is taken for local midnight, which settles daylight saving;
    otherwise sun time (longitude / 15°) decides. 0 on a grid without a place.
    """
    place = Georeference(grid).lonlat(grid.rows / 2.0, grid.columns / 2.0)
    if place is None:
        return 0.0
    sun = place[0] / 15.0
    if start is not None:
        clock = start.astimezone(UTC)
        hours = -(clock.hour + clock.minute / 60.0 + clock.second / 3600.0)
        midnight = min((hours + shift for shift in (0.0, 24.0)), key=lambda offset: abs(offset - sun))
        if abs(midnight - sun) <= _LARGEST_SAVING_H:
            return midnight
    return float(round(sun))


def start_problems(start: datetime, where: str) -> list[Problem]:
    """A start so far off that its days have no dates, which a slip in the year makes."""
    if FIRST_YEAR <= start.year <= LAST_YEAR:
        return []
    return [Problem(where, f"the start {start:%Y-%m-%d} is not in {FIRST_YEAR} to {LAST_YEAR}", "check the year")]


def as_utc(start: datetime) -> datetime:
    """``start`` in UTC; one without an offset is read as UTC already."""
    return start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)


def local_midnight(when: date, utc_offset_h: float) -> datetime:
    """UTC time of 00:00 local on a date."""
    return datetime(when.year, when.month, when.day, tzinfo=UTC) - timedelta(hours=utc_offset_h)


def say_offset(utc_offset_h: float) -> str:
    """``UTC−7``, ``UTC+5:30``."""
    minutes = round(abs(utc_offset_h) * 60)
    text = f"{minutes // 60}" + (f":{minutes % 60:02d}" if minutes % 60 else "")
    return f"UTC{'−' if utc_offset_h < 0 else '+'}{text}"
