"""Dates and times as people and programs write them, and the fire's local offset from UTC.

Year first (``2020-08-19 14:30``, ``20200819T1430Z``), a month by its name (``19-Aug-2020``, ``Aug 19, 2020 11:30 PM``),
or numbers with the year last (``8/19/2020``): of these a column tells whether the month or the day comes first, because
days go to 31. Where it does not tell, nothing is guessed. A zone (``Z``, ``UTC``, ``-0700``, ``PDT``) may follow.

Not python-dateutil: it takes ``8/9/2020`` for August without a question and ``10`` for a day of this month, drops a
zone such as PDT, and refuses 24:00, the end of a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from types import MappingProxyType

from firegui.domain.calendar import STEPS_PER_DAY_LIMITS
from firegui.domain.grid import Grid
from firegui.domain.options import limits_text
from firegui.errors import Problem
from firegui.io.georeference import Georeference

FIRST_YEAR, LAST_YEAR = 1900, 2199
MOST_OFFSET_H = 14.0

_LARGEST_SAVING_H = 2.0


def guess_offset_h(grid: Grid, start: datetime | None) -> float:
    """Return the local offset in whole hours.

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
    """Return the problem of a start so far off that its days have no dates: a slip in the year."""
    if FIRST_YEAR <= start.year <= LAST_YEAR:
        return []
    return [Problem(where, f"the start {start:%Y-%m-%d} is not in {FIRST_YEAR} to {LAST_YEAR}", "check the year")]


def offset_problems(utc_offset_h: float, where: str) -> list[Problem]:
    """Return the problem of an offset from UTC that no place on the Earth has."""
    if -MOST_OFFSET_H <= utc_offset_h <= MOST_OFFSET_H:
        return []
    return [Problem(where, f"utc_offset_h is {utc_offset_h}", f"use −{MOST_OFFSET_H:g} to {MOST_OFFSET_H:g}")]


def steps_problems(steps_per_day: int, where: str) -> list[Problem]:
    """Return the problem of a number of steps that no day has."""
    low, high = STEPS_PER_DAY_LIMITS
    if low <= steps_per_day <= high:
        return []
    return [Problem(where, f"steps_per_day is {steps_per_day}", f"use {limits_text(low, high)}")]


def as_utc(start: datetime) -> datetime:
    """Return ``start`` in UTC; one without an offset is read as UTC already."""
    return start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)


def local_midnight(when: date, utc_offset_h: float) -> datetime:
    """Return UTC time of 00:00 local on a date."""
    return datetime(when.year, when.month, when.day, tzinfo=UTC) - timedelta(hours=utc_offset_h)


def offset_text(utc_offset_h: float) -> str:
    """Return ``UTC−7``, ``UTC+5:30``."""
    minutes = round(abs(utc_offset_h) * 60)
    text = f"{minutes // 60}" + (f":{minutes % 60:02d}" if minutes % 60 else "")
    return f"UTC{'−' if utc_offset_h < 0 else '+'}{text}"


_TIME = (
    r"(?:[T _,]*(\d{1,2})[:h]?(\d{2})(?::?(\d{2})(?:[.,]\d*)?)?\s*([AaPp]\.?[Mm]\.?)?"
    r"\s*(Z|[A-Za-z]{2,5}|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?"
)
_YEAR_FIRST = re.compile(r"(\d{4})([-/._ ]?)(\d{1,2})\2(\d{1,2})" + _TIME)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})" + _TIME)
_DAY_NAME = re.compile(r"(\d{1,2})[- ]?([A-Za-z]{3,9})\.?[-, ]*(\d{4})" + _TIME)
_NAME_DAY = re.compile(r"([A-Za-z]{3,9})\.? ?(\d{1,2}),? *(\d{4})" + _TIME)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_ZONES: Mapping[str, float] = MappingProxyType(
    {
        "Z": 0.0, "UTC": 0.0, "GMT": 0.0, "PST": -8.0, "PDT": -7.0, "MST": -7.0, "MDT": -6.0, "CST": -6.0, "CDT": -5.0,
        "EST": -5.0, "EDT": -4.0, "AKST": -9.0, "AKDT": -8.0, "HST": -10.0,
    }
)  # fmt: skip
"""Hours east of Greenwich: the zones that weather services of the United States write."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A moment, with its offset where the text says one; ``has_time`` is false for a bare date."""

    moment: datetime
    has_time: bool


@dataclass(frozen=True, slots=True)
class StampColumn:
    """The stamps of a column, ``None`` for what is none.

    ``month_first`` where the numbers had to tell the order.
    """

    stamps: tuple[Stamp | None, ...]
    month_first: bool | None


def parse_stamps(texts: Sequence[str]) -> StampColumn:
    """Parse every text of a column.

    Where only the order of month and day is in doubt, all of those are ``None``.
    """
    month_first = _order(texts)
    return StampColumn(tuple(parse_stamp(text, month_first) for text in texts), month_first)


def parse_stamp(text: str, month_first: bool | None = None) -> Stamp | None:
    """Parse one text; ``None`` for what is not a date, and for ``8/9/2020`` where the order is not given."""
    text = text.strip()
    match = _YEAR_FIRST.fullmatch(text)
    # Without marks between them only two digits each tell month and day apart.
    if match and (match[2] or len(match[3] + match[4]) == 4):
        return _stamp(match[1], match[3], match[4], match.groups()[4:])
    if match := _YEAR_LAST.fullmatch(text):
        first, second = int(match[1]), int(match[3])
        if month_first is None and (first > 12) == (second > 12) and first != second:
            return None
        leads = month_first if month_first is not None else first <= 12
        month, day = (first, second) if leads else (second, first)
        return _stamp(match[4], month, day, match.groups()[4:])
    if match := _DAY_NAME.fullmatch(text):
        return _stamp(match[3], _month(match[2]), match[1], match.groups()[3:])
    if match := _NAME_DAY.fullmatch(text):
        return _stamp(match[3], _month(match[1]), match[2], match.groups()[3:])
    return None


def _order(texts: Iterable[str]) -> bool | None:
    """Return whether the month comes first in dates with the year last; ``None`` where nothing tells."""
    firsts, seconds = set(), set()
    for text in texts:
        if match := _YEAR_LAST.fullmatch(text.strip()):
            firsts.add(int(match[1]))
            seconds.add(int(match[3]))
            # Who names an American zone writes dates as Americans do.
            if _ZONES.get((match[9] or "").upper(), 0.0) < 0.0:
                return True
    if max(firsts, default=0) > 12 or max(seconds, default=0) > 12:
        return max(firsts) <= 12
    return None


def _stamp(year: str, month: int | str, day: int | str, rest: Sequence[str | None]) -> Stamp | None:
    hour, minute, second, half, zone_name = rest
    zone = _zone(zone_name)
    hours = int(hour or 0)
    if (zone_name and zone is None) or (half and not 1 <= hours <= 12) or not FIRST_YEAR <= int(year) <= LAST_YEAR:
        return None
    if half:
        hours = hours % 12 + (12 if half[0] in "pP" else 0)
    # 24:00 is the end of a day.
    extra = timedelta(days=1) if hours == 24 and int(minute or 0) == 0 else timedelta(0)
    try:
        at = datetime(
            int(year), int(month), int(day), 0 if extra else hours, int(minute or 0), int(second or 0), tzinfo=zone
        )
    except ValueError:
        return None
    return Stamp(at + extra, hour is not None)


def _month(name: str) -> int:
    """Return 1 to 12; 0, which no date has, for another word."""
    lowered = name.lower()
    return next((number for number, start in enumerate(_MONTHS, 1) if lowered.startswith(start)), 0)


def _zone(name: str | None) -> tzinfo | None:
    if not name:
        return None
    known = _ZONES.get(name.upper())
    if known is not None:
        return UTC if known == 0.0 else timezone(timedelta(hours=known))
    if name[0] not in "+-":
        return None
    hours, minutes = int(name[1:3]), int(name[-2:]) if len(name) > 3 else 0
    if hours > 14 or minutes > 59:
        return None
    return timezone((-1 if name[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))
