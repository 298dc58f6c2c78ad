"""Samples in time into the days of an event: each day's mean, and what there is to say of it.

The engine takes one wind a day. Of the samples of a day its wind has the mean of their speeds and the direction of the
mean of their vectors: turning winds shorten the mean vector but not the mean speed, which is what drives a fire.

A sample that stands for less than a day belongs to the day in which it was taken; daily ones to the day that holds
their middle, twelve hours later, so that means of UTC days fall on the local day they mostly cover.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.io.weather.series import Stamps, WindSeries
from firegui.io.weather.units import TimeBasis

DAY_S = 86_400
_DAILY_H = 23.0
_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """When the samples of a series are: ``moments`` in UTC; every ``step_h`` hours. ``None`` where one is for ever."""

    moments: NDArray[np.datetime64] | None
    step_h: float | None

    @property
    def is_daily(self) -> bool:
        """Whether a sample stands for a day or more."""
        return self.step_h is not None and self.step_h >= _DAILY_H


@dataclass(frozen=True, slots=True, eq=False)
class Days:
    """The numbers of the samples of each of ``count`` days, and how many a whole day has."""

    samples: Mapping[int, NDArray[np.intp]]
    count: int
    expected: int

    @property
    def partial(self) -> tuple[int, ...]:
        """Days with some of their samples only."""
        return tuple(day for day, found in sorted(self.samples.items()) if len(found) < self.expected)


def utc_moments(stamps: Stamps, clock: TimeBasis | None, utc_offset_h: float) -> NDArray[np.datetime64]:
    """The moments in UTC: dates alone are days at the fire, other stamps are in ``clock`` where they do not say."""
    if stamps.dates_only or (not stamps.in_utc and clock is TimeBasis.LOCAL):
        return stamps.moments - np.timedelta64(round(utc_offset_h * 3600), "s")
    return stamps.moments


def regular_moments(series: WindSeries, first: datetime, step_h: float) -> NDArray[np.datetime64]:
    """The moments of a series that carries none, from ``first`` (UTC)."""
    begin = np.datetime64(first.astimezone(UTC).replace(tzinfo=None), "s")
    steps = np.round(np.arange(series.count) * step_h * 3600.0)
    return np.asarray(begin + steps.astype("timedelta64[s]"))


def sort_into_days(timing: Timing, start: datetime, days: int | None) -> Days:
    """The samples of each day from ``start`` (UTC); ``days`` ``None`` takes all that have any.

    A last sample at the very end of the last day closes it and makes no day of its own.
    """
    assert timing.moments is not None
    begin = np.datetime64(start.astimezone(UTC).replace(tzinfo=None), "s")
    seconds = (timing.moments - begin).astype(np.int64)
    if timing.is_daily:
        seconds = seconds + DAY_S // 2
    each = np.floor_divide(seconds, DAY_S)
    expected = 1 if timing.is_daily or not timing.step_h else max(1, round(24.0 / timing.step_h))
    count = _held(each, seconds, expected) if days is None else days
    # A day's samples stand together: moments ascend.
    bounds = np.searchsorted(each, np.arange(count + 1))
    samples = {day: np.arange(bounds[day], bounds[day + 1]) for day in range(count) if bounds[day] < bounds[day + 1]}
    return Days(samples, count, expected)


def _held(each: NDArray[np.int64], seconds: NDArray[np.int64], expected: int) -> int:
    """Days up to the last with samples, less one that holds a closing instant alone."""
    last = int(each[-1])
    alone = np.count_nonzero(each == last) == 1 and expected > 1 and last > 0 and seconds[-1] == last * DAY_S
    return max(last + (0 if alone else 1), 0)


def say_days(days: Days, filled: Mapping[int, int], first: date, step_h: float | None) -> list[str]:
    """Notes: that days are means, which are of a part, and which have another day's wind (``filled``: day → day)."""
    notes = []
    if days.expected > 1:
        notes.append(
            f"The file has a wind {_every(step_h)}; each day has the mean of its speeds and the direction of "
            "its mean vector, because the fire model takes one wind a day."
        )
    if days.partial:
        texts = [f"{first + timedelta(days=day)} ({len(days.samples[day])} of {days.expected})" for day in days.partial]
        notes.append(f"Days of which the file has a part only: {_listed(texts)}.")
    before = [str(first + timedelta(days=day)) for day, source in filled.items() if source < day]
    after = [str(first + timedelta(days=day)) for day, source in filled.items() if source > day]
    if before:
        notes.append(f"No wind on {_listed(before)}: the wind of the day before stands in.")
    if after:
        notes.append(f"No wind on {_listed(after)}: the wind of the day after stands in.")
    return notes


def _every(step_h: float | None) -> str:
    if step_h is None:
        return "several times a day"
    return "every hour" if step_h == 1.0 else f"every {step_h:g} hours"


def fill_days(known: Sequence[int], count: int) -> dict[int, int]:
    """For each day without wind the day whose wind it takes: the last before it, else the first after it."""
    filled = {}
    for day in range(count):
        if day not in known:
            before = [other for other in known if other < day]
            filled[day] = max(before) if before else min(known)
    return filled


def _listed(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_SHOWN]) + (", …" if len(texts) > _SHOWN else "")
