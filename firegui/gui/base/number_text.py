"""Numbers and durations as text, for charts and lists."""

from __future__ import annotations

import math

_LONG_HOURS = 100


def number(value: float | None) -> str:
    """Return a number with three significant digits: ``24.6``, ``1,230``, ``2.1e-05``; a dash for none."""
    if value is None or math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size < 1e-3:
        return f"{value:.1e}"
    return f"{value:.{max(2 - math.floor(math.log10(size)), 0)}f}"


def duration(seconds: float | None) -> str:
    """Return ``0:42``, ``12:05`` or ``1:02:03``, from a hundred hours on ``4 days``; a dash for none."""
    if seconds is None or math.isnan(seconds):
        return "–"
    whole = max(round(seconds), 0)
    hours, minutes = whole // 3600, whole // 60 % 60
    if hours >= _LONG_HOURS:
        return f"{hours // 24:,} days"
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
