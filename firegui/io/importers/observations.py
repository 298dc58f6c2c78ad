"""Observed perimeters for an imported event, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.errors import InputError, Problems
from firegui.io.importers.placing import Place
from firegui.io.perimeters import read_perimeters


def observe(
    path: Path | None, place: Place | None, problems: Problems
) -> tuple[NDArray[np.bool_] | None, tuple[date, ...]]:
    """Cumulative masks ``[N, H, W]`` and their dates from a vector file; what is wrong is added to ``problems``."""
    if path is None:
        return None, ()
    if place is None:
        # The grid is already reported; a missing file can be too.
        if not path.exists():
            problems.add(str(path), "the file does not exist", "check the path")
        return None, ()
    try:
        return read_perimeters(path, place.grid)
    except InputError as error:
        problems.extend(error.problems)
        return None, ()


def say_observed(dates: Sequence[date]) -> str:
    """How many perimeters there are, and which days have none of their own."""
    span = (dates[-1] - dates[0]).days + 1
    gaps = sorted({date.fromordinal(n) for n in range(dates[0].toordinal(), dates[-1].toordinal())} - set(dates))
    text = f"Observed perimeters on {len(dates)} of {span} days, {dates[0]} to {dates[-1]}"
    if not gaps:
        return text + "."
    shown = ", ".join(str(gap) for gap in gaps[:5]) + (", …" if len(gaps) > 5 else "")
    return f"{text}; days without one show the day before ({shown})."


def say_coverage(event: Scenario) -> list[str]:
    """What to know when wind and perimeters do not begin on the same day."""
    if not event.observed_dates:
        return []
    first, last = event.date_of_day(0), event.date_of_day(event.days - 1)
    if event.observed_dates[0] > last:
        return [f"There is wind for {first} to {last} only, before the first perimeter: check the start."]
    if event.observed_dates[-1] < first:
        return [f"There is wind from {first} only, after the last perimeter: check the start."]
    if event.observed_dates[0] > first:
        day = (event.observed_dates[0] - first).days
        return [f"Day 0 ({first}) has no perimeter yet: a plan can start on day {day} at the earliest."]
    return []
