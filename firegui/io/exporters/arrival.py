"""When fire arrives at a cell, from the states at day boundaries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.io.exporters.content import BURNED, Occupancy

Times = NDArray[np.float32]


def arrival_days(fire: Occupancy) -> Times:
    """``[H, W]``: days from the plan's start to the first boundary at which ``P ≥ 0.5``; NaN where that never is.

    What burns already in the first state that is known arrives at that state's boundary.
    """
    burned = fire.days >= BURNED
    first = burned.argmax(axis=0) + fire.first
    return np.where(burned.any(axis=0), first, np.nan).astype(np.float32)


def arrival_hours(fire: Occupancy) -> Times:
    """``[H, W]``: hours from the plan's start to ``P = 0.5``, by a straight line between boundaries; else NaN.

    An approximation: the states between the boundaries are not kept, and fire spreads unevenly over a day.
    """
    burned = fire.days >= BURNED
    after = burned.argmax(axis=0)[None]
    high = np.take_along_axis(fire.days, after, axis=0)[0].astype(np.float64)
    low = np.take_along_axis(fire.days, np.maximum(after - 1, 0), axis=0)[0].astype(np.float64)
    inside = burned.any(axis=0) & (after[0] > 0)
    back = np.divide(high - BURNED, high - low, out=np.zeros_like(high), where=inside)
    hours = 24.0 * (after[0] + fire.first - back)
    return np.where(burned.any(axis=0), hours, np.nan).astype(np.float32)
