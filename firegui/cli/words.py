"""Days and command lines as people read them. Programs get days counted from 0; people count from 1."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path


def date_text(when: date) -> str:
    """Return a date as ``21 Aug``."""
    return f"{when.day} {when:%b}"


def day_text(day: int, when: date | None) -> str:
    """Return a zero-based ``day`` as ``day 3 (21 Aug)``; ``day 3`` where the date is not known."""
    if when is None:
        return f"day {day + 1}"
    return f"day {day + 1} ({date_text(when)})"


def days_text(days: Sequence[int], dates: Sequence[date]) -> str:
    """Return zero-based ``days`` as ``days 3 (21 Aug), 4 (22 Aug)``; empty for none.

    Without ``dates``, which are not always known, the result is ``days 3, 4``.
    """
    dated = (f"{day + 1} ({date_text(when)})" for day, when in zip(days, dates, strict=False))
    each = ", ".join(dated if dates else map(str, (day + 1 for day in days)))
    return f"{'day' if len(days) == 1 else 'days'} {each}" if each else ""


def command_text(*words: str | Path) -> str:
    """Return ``firegui`` with ``words``, as it can be typed."""
    return shlex.join(["firegui", *map(str, words)])
