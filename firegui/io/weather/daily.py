"""Daily wind from its eastward and northward parts, with its gaps filled and said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.importers.layer_values import Array, cells_text, no_number

NO_DATA = -9999.0
STRONGEST_MS = 100.0

Parts = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DailyWind:
    """``speed [D, H, W]`` in m/s and ``towards [D, H, W]`` in radians counter-clockwise from east, from day ``first``.

    ``notes`` say which days and cells had no wind of their own.
    """

    first: date
    speed: NDArray[np.float32]
    towards: NDArray[np.float32]
    notes: tuple[str, ...]


def daily_wind(
    eastward: Mapping[date, Array], northward: Mapping[date, Array], where: str, problems: Problems
) -> DailyWind | None:
    """The wind of every day from the first to the last that has both parts, ``[H, W]`` in m/s each.

    −9999, NaN and infinity are no data. A day without any takes the wind of the day before; single cells take their
    day's mean. Without a single day, or with speeds that cannot be, ``problems`` gets the reason under ``where``.
    """
    known: dict[date, Parts] = {}
    impossible = False
    patched: dict[date, int] = {}
    for when in sorted(set(eastward) & set(northward)):
        parts = np.stack([eastward[when], northward[when]]).astype(np.float64)
        holes = (no_number(parts) | (parts == NO_DATA)).any(axis=0)
        if holes.all():
            continue
        if np.abs(parts[:, ~holes]).max() > STRONGEST_MS:
            problems.add(f"{where}, wind of {when}", f"is above {STRONGEST_MS:g} m/s", "give wind in m/s")
            impossible = True
            continue
        if holes.any():
            patched[when] = int(holes.sum())
            parts[:, holes] = parts[:, ~holes].mean(axis=1, keepdims=True)
        known[when] = parts
    if not known:
        if not impossible:
            problems.add(where, "has no day with wind", "give u and v of the wind on at least one date")
        return None
    days, gaps = _days(list(known))
    # One day at a time: all days in double precision would take four times the room of the result.
    speed = np.stack([np.hypot(*known[day]).astype(np.float32) for day in days])
    towards = np.stack([np.arctan2(known[day][1], known[day][0]).astype(np.float32) for day in days])
    return DailyWind(days[0], speed, towards, tuple(_notes(gaps, patched)))


def _days(known: Sequence[date]) -> tuple[list[date], list[date]]:
    """For each day from the first to the last the day whose wind it has, and the days that have none of their own."""
    days, gaps = [known[0]], []
    while days[0] + timedelta(days=len(days)) <= known[-1]:
        when = days[0] + timedelta(days=len(days))
        gaps += [] if when in known else [when]
        days.append(when if when in known else days[-1])
    return days, gaps


def _notes(gaps: Sequence[date], patched: Mapping[date, int]) -> list[str]:
    notes = []
    if gaps:
        shown = ", ".join(str(day) for day in gaps[:5]) + (", …" if len(gaps) > 5 else "")
        notes.append(f"No wind on {shown}: the wind of the day before stands in.")
    if patched:
        cells, days = sum(patched.values()), len(patched)
        spread = f"{days} days" if days != 1 else "1 day"
        notes.append(f"No wind in {cells_text(cells)} of {spread}: the day's mean stands in.")
    return notes
