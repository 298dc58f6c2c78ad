"""Whether dated polygons are each day's increment or the whole fire of each day, and what that makes of their masks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.bool_]

_COVERED = 0.9
_SHOWN = 3


class PerimeterGrowth(StrEnum):
    """What the polygons of a date show."""

    INCREMENTS = "increments"
    CUMULATIVE = "cumulative"


def guess_growth(masks: Masks) -> tuple[PerimeterGrowth, str]:
    """What masks ``[N, H, W]`` of what is drawn on each date are, and a note that says so and why.

    Whole perimeters cover the fire of the date before: cumulative where each covers nine tenths of all that was drawn
    before it, increments otherwise, which add up and lose nothing of either.
    """
    covered = _covered(masks)
    if not covered:
        return PerimeterGrowth.CUMULATIVE, ""
    least = min(covered)
    if least >= _COVERED:
        why = f"every one covers at least {np.floor(least * 100):.0f} % of those before it"
        return PerimeterGrowth.CUMULATIVE, f"The perimeters are taken for the whole fire of their date: {why}."
    why = f"one covers only {np.floor(least * 100):.0f} % of those before it"
    return PerimeterGrowth.INCREMENTS, f"The perimeters are taken for daily increments and add up: {why}."


def accumulate(masks: Masks, days: Sequence[date], growth: PerimeterGrowth) -> tuple[Masks, list[str]]:
    """The fire of each date, ``[N, H, W]``, and what to know of it.

    Increments add up. A whole perimeter stands as it was mapped: cells that a later map takes back are said.
    """
    if growth is PerimeterGrowth.INCREMENTS:
        return np.logical_or.accumulate(masks, axis=0), []
    back = {day: int((earlier & ~later).sum())
            for day, earlier, later in zip(days[1:], masks[:-1], masks[1:], strict=True)}  # fmt: skip
    taken = {day: cells for day, cells in back.items() if cells}
    if not taken:
        return masks, []
    shown = ", ".join(f"{cells:,} on {day}" for day, cells in list(taken.items())[:_SHOWN])
    more = ", …" if len(taken) > _SHOWN else ""
    return masks, [f"Later perimeters take back cells of earlier ones ({shown}{more}): each stands as it was mapped."]


def _covered(masks: Masks) -> list[float]:
    """For each date after the first, the share of everything before that it covers."""
    shares = []
    before = np.zeros(masks.shape[1:], np.bool_)
    for mask in masks:
        total = int(before.sum())
        if total and mask.any():
            shares.append(int((before & mask).sum()) / total)
        before |= mask
    return shares
