"""Numbers and durations as text, for charts and lists."""

from __future__ import annotations

import math

_FEW, _MINUTE, _HOUR = 10.0, 60.0, 3600.0
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


def about_text(seconds: float) -> str:
    """Return an estimated time as text: ``a few seconds``, ``about 40 s`` or ``about 12 min``."""
    if seconds < _FEW:
        return "a few seconds"
    if seconds < 1.5 * _MINUTE:
        return f"about {10 * max(round(seconds / 10.0), 1)} s"
    if seconds < 1.5 * _HOUR:
        return f"about {round(seconds / _MINUTE)} min"
    return f"about {seconds / _HOUR:.1f} h"
