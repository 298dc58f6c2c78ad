"""Times of samples, the days of an event to which the samples belong, and notes on these days.

Most fire models use one wind a day. It has the mean speed of the samples of the day, and the direction of the mean of
their vectors. Winds of changing direction shorten the mean vector but not the mean speed, which drives a fire.

A sample of less than a day belongs to the day of its time. A daily sample belongs to the day that contains its middle,
12 hours after its time, so that the mean of a UTC day belongs to the local day which it mostly covers. One with a local
time, such as the observation of a station at 13:00, belongs to the day of its date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.source_files import first_few
from firegui.io.times import Stamp
from firegui.io.weather.conventions import TimeBasis

MOST_SAMPLES = 100_000

DAY_S = 86_400
_DAILY_H = 23.0
_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Stamps:
    """Times of samples.

    ``moments`` (``datetime64[s]``) are in UTC if ``in_utc``, because each of them had an offset. Otherwise they are in
    the clock of the conventions of the series. With ``dates_only`` they are days at the fire, without times.
    """

    moments: NDArray[np.datetime64]
    in_utc: bool
    dates_only: bool = False

    @property
    def step_h(self) -> float | None:
        """Median interval between samples in hours; ``None`` for a single sample."""
        if len(self.moments) < 2:
            return None
        return float(np.median(np.diff(self.moments).astype(np.float64))) / 3600.0


def as_stamps(parsed: Sequence[Stamp]) -> Stamps:
    """Return times that were read from text. They are in UTC if every time has an offset."""
    zoned = all(stamp.moment.tzinfo is not None for stamp in parsed)
    moments = [(stamp.moment.astimezone(UTC) if zoned else stamp.moment).replace(tzinfo=None) for stamp in parsed]
    return Stamps(np.array(moments, "datetime64[s]"), zoned, not any(stamp.has_time for stamp in parsed))


def check_ascending(moments: NDArray[np.datetime64], where: str, names: Sequence[str], problems: Problems) -> bool:
    """Return whether each moment is later than the one before.

    Otherwise the problem names the first moment that is not.
    """
    backwards = np.flatnonzero(np.diff(moments).astype(np.int64) <= 0)
    if not backwards.size:
        return True
    at = int(backwards[0])
    same = moments[at + 1] == moments[at]
    what = "is the same time as" if same else "comes before"
    more = f"; {backwards.size - 1:,} more are out of order" if backwards.size > 1 else ""
    text = f"{names[at + 1]} ({moment_text(moments[at + 1])}) {what} {names[at]} ({moment_text(moments[at])}){more}"
    remedy = "put the samples in the order of their times, each time once"
    if same:
        remedy += "; where clocks were put back, write times in UTC or with their offset"
    problems.add(where, text, remedy)
    return False


def moment_text(moment: np.datetime64) -> str:
    """Return a moment as text to the minute, ``2017-10-09 04:00``."""
    return str(moment.astype("datetime64[m]")).replace("T", " ")


def describe_clock(stamps: Stamps, clock: TimeBasis | None) -> str:
    """Return a note on how times were interpreted; empty if the times or the file define their clock."""
    if stamps.dates_only:
        return "The dates of the wind are taken for days at the fire."
    if stamps.in_utc or clock is TimeBasis.UTC:
        return ""
    if clock is TimeBasis.LOCAL:
        return "The times of the wind are local at the fire."
    return "The times of the wind have no offset and are read as UTC."


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """Times of the samples of a series: ``moments`` in UTC, ``step_h`` hours apart.

    ``moments`` is ``None`` for a wind that does not change.
    """

    moments: NDArray[np.datetime64] | None
    step_h: float | None

    @property
    def is_daily(self) -> bool:
        """Whether a sample covers a day or more."""
        return self.step_h is not None and self.step_h >= _DAILY_H


@dataclass(frozen=True, slots=True, eq=False)
class Days:
    """Indices of the samples of each of ``count`` days, and the ``expected`` number of samples of a day."""

    samples: Mapping[int, NDArray[np.intp]]
    count: int
    expected: int

    @property
    def partial(self) -> tuple[int, ...]:
        """Days with fewer samples than expected."""
        return tuple(day for day, found in sorted(self.samples.items()) if len(found) < self.expected)


def utc_moments(stamps: Stamps, clock: TimeBasis | None, utc_offset_h: float) -> NDArray[np.datetime64]:
    """Return the moments in UTC.

    Dates without times are days at the fire. Times without an offset are in ``clock``. A local time a day is its date.
    """
    if not stamps.dates_only and (stamps.in_utc or clock is not TimeBasis.LOCAL):
        return stamps.moments
    is_daily = stamps.step_h is not None and stamps.step_h >= _DAILY_H
    moments = stamps.moments.astype("datetime64[D]").astype("datetime64[s]") if is_daily else stamps.moments
    return np.asarray(moments - np.timedelta64(round(utc_offset_h * 3600), "s"))


def regular_moments(count: int, first: datetime, step_h: float) -> NDArray[np.datetime64]:
    """Return ``count`` moments in UTC, ``step_h`` hours apart from ``first``, for samples without times."""
    begin = np.datetime64(first.astimezone(UTC).replace(tzinfo=None), "s")
    steps = np.round(np.arange(count) * step_h * 3600.0)
    return np.asarray(begin + steps.astype("timedelta64[s]"))


def covered_until(timing: Timing, start: datetime) -> datetime | None:
    """Return the time (UTC) until which the samples last; ``None`` without times.

    A sample lasts until the next one would be, and one of a day until the end of its day of those from ``start`` on.
    """
    if timing.moments is None:
        return None
    last: datetime = timing.moments[-1].item().replace(tzinfo=UTC)
    if timing.is_daily:
        begin = start.astimezone(UTC)
        return begin + timedelta(days=(last + timedelta(hours=12) - begin) // timedelta(days=1) + 1)
    return last + timedelta(hours=timing.step_h or 0.0)


def sort_into_days(timing: Timing, start: datetime, days: int | None) -> Days:
    """Return the samples of each of ``days`` days from ``start`` (UTC).

    Without ``days`` the last day is that of the last sample. A single last sample at the end of a day does not begin
    another day.
    """
    assert timing.moments is not None
    begin = np.datetime64(start.astimezone(UTC).replace(tzinfo=None), "s")
    seconds = (timing.moments - begin).astype(np.int64)
    if timing.is_daily:
        seconds = seconds + DAY_S // 2
    sample_days = np.floor_divide(seconds, DAY_S)
    expected = 1 if timing.is_daily or not timing.step_h else max(1, round(24.0 / timing.step_h))
    count = _days_with_samples(sample_days, seconds, expected) if days is None else days
    # Moments ascend, so that the samples of a day are adjacent.
    bounds = np.searchsorted(sample_days, np.arange(count + 1))
    samples = {day: np.arange(bounds[day], bounds[day + 1]) for day in range(count) if bounds[day] < bounds[day + 1]}
    return Days(samples, count, expected)


def _days_with_samples(sample_days: NDArray[np.int64], seconds: NDArray[np.int64], expected: int) -> int:
    """Return the number of days up to the last sample.

    A single sample at the end of a day does not begin another day.
    """
    last = int(sample_days[-1])
    alone = np.count_nonzero(sample_days == last) == 1 and expected > 1 and last > 0 and seconds[-1] == last * DAY_S
    return max(last + (0 if alone else 1), 0)


def describe_days(days: Days, filled: Mapping[int, int], first: date, step_h: float | None) -> list[str]:
    """Return notes on daily means, on days with fewer samples than expected, and on filled days.

    ``filled`` maps each day without wind to the day whose wind it takes.
    """
    notes = []
    if days.expected > 1:
        notes.append(
            f"The file has a wind {_interval_text(step_h)}; each day has the mean of its speeds and the direction of "
            "its mean vector, for the fire models that take one wind a day."
        )
    if days.partial:
        texts = [f"{first + timedelta(days=day)} ({len(days.samples[day])} of {days.expected})" for day in days.partial]
        notes.append(f"Days of which the file has a part only: {first_few(texts, _SHOWN)}.")
    return notes + describe_filled_days(filled, first)


def describe_filled_days(filled: Mapping[int, int], first: date) -> list[str]:
    """Return notes on filled days. ``filled`` maps each day without wind to the day whose wind it takes."""
    notes = []
    before = [str(first + timedelta(days=day)) for day, source in filled.items() if source < day]
    after = [str(first + timedelta(days=day)) for day, source in filled.items() if source > day]
    if before:
        notes.append(f"No wind on {first_few(before, _SHOWN)}: the wind of the day before stands in.")
    if after:
        notes.append(f"No wind on {first_few(after, _SHOWN)}: the wind of the day after stands in.")
    return notes


def _interval_text(step_h: float | None) -> str:
    if step_h is None:
        return "several times a day"
    return "every hour" if step_h == 1.0 else f"every {step_h:g} hours"


def fill_days(known: Sequence[int], count: int) -> dict[int, int]:
    """Return for each day without wind, out of ``count`` days, the day whose wind it takes."""
    is_known = np.zeros(count, np.bool_)
    is_known[list(known)] = True
    source = stand_ins(is_known)
    return {day: int(source[day]) for day in range(count) if not is_known[day]}


def stand_ins(known: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each entry of ``known [n]`` the index of the entry whose wind it takes.

    A known entry takes its own wind. Another entry takes that of the last known entry before it, or of the first known
    entry after it.
    """
    last = np.maximum.accumulate(np.where(known, np.arange(len(known)), -1))
    return np.where(last < 0, int(np.argmax(known)), last)


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
_GREGORIAN_NAMES = ("standard", "gregorian", "proleptic_gregorian", "")
_EARLIEST, _LATEST = np.datetime64("1900-01-01", "s"), np.datetime64("2199-12-31", "s")
_GREGORIAN_YEAR = 1583


class TimeError(ValueError):
    """Error of times that cannot be read. Its text is shown to users."""


def decode_times(values: NDArray[np.float64], units: str, calendar: str) -> NDArray[np.datetime64]:
    """Return the moments of ``values`` in ``units``, in UTC and whole seconds.

    ``units`` are, for example, ``hours since 1900-01-01``.

    Raises :class:`TimeError` for calendars other than the Gregorian one, values that are not numbers, unknown units or
    offsets, and years before 1900 or after 2199. The library cftime is not used, because it ignores an offset such as
    ``-7:00`` or ``PDT`` without an error.
    """
    match = _UNITS.fullmatch(units)
    name = "" if match is None else match[1].lower()
    seconds = _SECONDS.get(name, _SECONDS.get(name.rstrip("s"), 0))
    zone = None if match is None else _ZONE.fullmatch(match[8].strip())
    if match is None or not seconds or zone is None:
        raise TimeError(f"counts time in {units!r}, which is not a unit since a date")
    if calendar.lower() not in _GREGORIAN_NAMES:
        raise TimeError(f"counts time in the calendar {calendar}, whose days are not those of the fire")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[1:7])
    if year < _GREGORIAN_YEAR and calendar.lower() != "proleptic_gregorian":
        # Before 1582 the standard calendar is the Julian one, whose dates differ by days.
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
        raise TimeError(f"{int((~np.isfinite(flat)).sum()):,} of {flat.size:,} times are not numbers")
    start = np.datetime64(base.replace(tzinfo=None), "s")
    offsets = np.round(flat * seconds)
    if np.abs(offsets).max(initial=0.0) > 1e12:
        raise TimeError("a time lies thousands of years away")
    moments = start + offsets.astype("timedelta64[s]")
    if flat.size and (moments.min() < _EARLIEST or moments.max() > _LATEST):
        raise TimeError(f"its times run from {moments.min()} to {moments.max()}")
    return np.asarray(moments)
