"""Days, steps and clock time. Days and steps are counted from 0; the window shows "Day 1"."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

STEPS_PER_DAY = 50
"""The paper's ``S_day``. An event of which nothing else is said has it; whatever has an event asks the event."""
DATE_UNKNOWN = "date unknown"
"""Stands on screens and in files where a date would stand."""
MOST_DAYS = 3650
"""The longest plan, and the latest day of an event or a fleet that anybody can mean."""
STEPS_PER_DAY_LIMITS = (1, 5000)
"""Fewest and most steps of a day. A fast grass fire needs thousands; fewer than an hour each are for tests and toys."""
FRAMES_PER_DAY, FINEST_STRIDE = 10, 5
"""States of a day that are kept for display, and the fewest steps between two of them."""


def turnaround_steps(hours: float, steps_per_day: int) -> int:
    """Return ``Δ_a = ceil(hours / 24 · S_day)``: the steps for which a drop blocks its aircraft."""
    # The product of a round number of hours can land a hair above an integer; that hair is not a step.
    return math.ceil(hours / 24.0 * steps_per_day - 1e-9)


def to_the_minute(when: datetime) -> datetime:
    """Return the nearest minute: steps rarely begin at one."""
    return when.replace(second=0, microsecond=0) + timedelta(minutes=math.floor(when.second / 60.0 + 0.5))


@dataclass(frozen=True, slots=True)
class Calendar:
    """The planning window: ``days`` days of ``steps_per_day`` steps from ``start``.

    ``start`` is the time of step 0 (aware, UTC); ``utc_offset_h`` is the fire's local offset, used for what people
    read and for the date of a day. Where the date of the fire is not known, ``is_dated`` is false: ``start`` is then a
    stand-in, which nothing shows.
    """

    start: datetime
    days: int
    steps_per_day: int
    utc_offset_h: float = 0.0
    is_dated: bool = True

    @property
    def n_steps(self) -> int:
        """``T``."""
        return self.days * self.steps_per_day

    @property
    def hours_per_step(self) -> float:
        """Length of a step in hours, 0.48 at the paper's 50 steps a day."""
        return 24.0 / self.steps_per_day

    @property
    def frame_stride(self) -> int:
        """Steps between displayed states: 5 at up to 59 steps a day, then about a tenth of a day."""
        return max(FINEST_STRIDE, self.steps_per_day // FRAMES_PER_DAY)

    @property
    def local_zone(self) -> timezone:
        """The fire's fixed local offset."""
        return timezone(timedelta(hours=self.utc_offset_h))

    @property
    def zone_name(self) -> str:
        """The local offset as people write it: ``UTC``, ``UTC-7`` or ``UTC+5:30``."""
        if self.utc_offset_h == 0.0:
            return "UTC"
        hours, minutes = divmod(round(abs(self.utc_offset_h) * 60), 60)
        return f"UTC{'-' if self.utc_offset_h < 0 else '+'}{hours}{f':{minutes:02d}' if minutes else ''}"

    def time_of_step(self, step: int) -> datetime:
        """Start of ``step``, in UTC."""
        return self.start.astimezone(UTC) + timedelta(hours=step * 24.0 / self.steps_per_day)

    def day_of_step(self, step: int) -> int:
        """Return zero-based day that ``step`` belongs to."""
        return step // self.steps_per_day

    def day_of_state(self, step: int) -> int:
        """Return the zero-based day of the state at ``step``.

        The state after the last step belongs to the last day.
        """
        return min(self.day_of_step(step), self.days - 1)

    def day_name(self, step: int) -> str:
        """Return the label of the day of ``step``, counted from 1.

        The state after the last step belongs to the last day.
        """
        return f"Day {self.day_of_step(step) + 1}" if step < self.n_steps else f"End of day {self.days}"

    def date_text(self, day: int) -> str:
        """Return the local date of the zero-based ``day`` as ``2020-08-19``, or that it is not known."""
        return self.date_of_day(day).isoformat() if self.is_dated else DATE_UNKNOWN

    def short_date_text(self, day: int, *, year: bool = False) -> str:
        """Return the local date of ``day`` as ``19 Aug`` or ``19 Aug 2020``, or that it is not known."""
        when = self.date_of_day(day)
        return f"{when.day} {when:{'%b %Y' if year else '%b'}}" if self.is_dated else DATE_UNKNOWN

    def day_title(self, day: int) -> str:
        """Return number and local date of ``day``: ``Day 6 · 24 Aug``; ``Day 6`` without a date."""
        return f"Day {day + 1} · {self.short_date_text(day)}" if self.is_dated else f"Day {day + 1}"

    def day_span_text(self, day: int) -> str:
        """Return when ``day`` begins and ends: ``6 Jul 06:00 to 7 Jul 06:00 UTC-7``.

        The result is empty where a day is a date: it begins at midnight, or no date is known.
        """
        if not self._runs_past_midnight:
            return ""
        ends = (f"{self.short_date_text(each)} {self.clock_text(self.start)}" for each in (day, day + 1))
        return f"{' to '.join(ends)} {self.zone_name}"

    def began_text(self, step: int) -> str:
        """Return ``began 6 Jul`` where the day of ``step`` began on an earlier date than that of ``step``."""
        day = self.day_of_state(step)
        date_of_step = to_the_minute(self.time_of_step(step)).astimezone(self.local_zone).date()
        is_later = self._runs_past_midnight and date_of_step > self.date_of_day(day)
        return f"began {self.short_date_text(day)}" if is_later else ""

    @property
    def _runs_past_midnight(self) -> bool:
        return self.is_dated and self.clock_text(self.start) != "00:00"

    @property
    def span_text(self) -> str:
        """First and last date of the window, ``19 Aug 2020 – 2 Sep 2020``, or that they are not known."""
        ends = (self.short_date_text(day, year=True) for day in (0, self.days - 1))
        return " – ".join(ends) if self.is_dated else DATE_UNKNOWN

    def clock_text(self, when: datetime) -> str:
        """Return the local clock time of ``when`` to the nearest minute, ``09:30``.

        Where the date is not known, the result is the time since the start of the plan's day: ``+09:30 h``.
        """
        when = to_the_minute(when)
        if self.is_dated:
            return f"{when.astimezone(self.local_zone):%H:%M}"
        hours, rest = divmod(int((when - self.start).total_seconds() // 60) % (24 * 60), 60)
        return f"+{hours:02d}:{rest:02d} h"

    def date_of_day(self, day: int) -> date:
        """Return local date of the zero-based ``day`` (negative days lie before the window)."""
        return self.start.astimezone(self.local_zone).date() + timedelta(days=day)

    def day_of_date(self, when: date) -> int:
        """Return zero-based day of a local date; may lie outside the window."""
        return (when - self.date_of_day(0)).days
