"""Times as the CF conventions write them: a number of units since a moment (CF 1.11, section 4.4)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

_SECONDS = {
    "second": 1,
    "sec": 1,
    "s": 1,
    "minute": 60,
    "min": 60,
    "hour": 3600,
    "hr": 3600,
    "h": 3600,
    "day": 86400,
    "d": 86400,
}
_UNITS = re.compile(
    r"\s*([A-Za-z]+)\s+since\s+(\d{1,4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d*)?)?)?\s*(.*)"
)
_ZONE = re.compile(r"(?:Z|UTC|GMT)?\s*(?:([+-])(\d{1,2}):?(\d{2})?)?", re.IGNORECASE)
_REAL = ("standard", "gregorian", "proleptic_gregorian", "")
_EARLIEST, _LATEST = np.datetime64("1900-01-01", "s"), np.datetime64("2199-12-31", "s")
_GREGORIAN_YEAR = 1583


class TimeError(ValueError):
    """What keeps times from being read, in words for people."""


def decode_times(values: NDArray[np.float64], units: str, calendar: str) -> NDArray[np.datetime64]:
    """The moments (UTC, whole seconds) that ``values`` in ``units`` (``hours since 1900-01-01``) name.

    Raises :class:`TimeError` for other calendars than the real one, values that are no numbers, and years that no
    weather of a fire has.
    """
    match = _UNITS.fullmatch(units)
    name = "" if match is None else match[1].lower()
    seconds = _SECONDS.get(name, _SECONDS.get(name.rstrip("s"), 0))
    zone = None if match is None else _ZONE.fullmatch(match[8].strip())
    if match is None or not seconds or zone is None:
        raise TimeError(f"counts time in {units!r}, which is no unit since a date")
    if calendar.lower() not in _REAL:
        raise TimeError(f"counts time in the calendar {calendar}, whose days are not those of the fire")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[1:7])
    if year < _GREGORIAN_YEAR and calendar.lower() != "proleptic_gregorian":
        # Before 1582 the standard calendar is the Julian one, which lies days apart.
        raise TimeError(f"counts time from the year {year}, before the calendar of today")
    try:
        base = datetime(max(year, 1), month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        raise TimeError(f"counts time in {units!r}, which names no date") from error
    if zone[1]:
        shift = timedelta(hours=int(zone[2]), minutes=int(zone[3] or 0))
        base = base - shift if zone[1] == "+" else base + shift
    return _moments(values, seconds, base)


def _moments(values: NDArray[np.float64], seconds: int, base: datetime) -> NDArray[np.datetime64]:
    flat = np.atleast_1d(values).ravel()
    if not np.isfinite(flat).all():
        raise TimeError(f"{int((~np.isfinite(flat)).sum()):,} of {flat.size:,} times are no numbers")
    start = np.datetime64(base.replace(tzinfo=None), "s")
    offsets = np.round(flat * seconds)
    if np.abs(offsets).max(initial=0.0) > 1e12:
        raise TimeError("a time lies thousands of years away")
    moments = start + offsets.astype("timedelta64[s]")
    if flat.size and (moments.min() < _EARLIEST or moments.max() > _LATEST):
        raise TimeError(f"its times run from {moments.min()} to {moments.max()}")
    return np.asarray(moments)
