"""A plane front on uniform gains, computed along its normal only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.front import Floats
from firegui.domain.stencil import stencil_of
from firegui.native.compiled import kernel

BEHIND = 25
"""Cells behind the start of a front that burn at first."""
_PLACES = range(48, 161)
"""Places per cell: the number with which a step to the east and one to the north come nearest to whole places."""


def line_front_speeds(
    gains: NDArray[Any],
    t_burn: float,
    directions: Floats,
    between: tuple[NDArray[np.int64], NDArray[np.int64]],
    cells: NDArray[np.int64],
    dtype: type[np.floating[Any]] = np.float32,
) -> Floats:
    """Return the speeds ``[M]`` of plane fronts in cells per step, in the arithmetic of ``dtype``.

    A fire that depends on ``x = n·position`` only stays so on uniform gains. In every place ``x`` of a line,

        h = Σ_k K_k B(x − n·d_k),  ΔP = (1 − P)(1 − exp(−h)),  B ← (1 − 1/T_b) B + ΔP,  P ← P + ΔP,

    as in a cell of the rollout, but in another program and without a raster. So it has what a rollout has and the
    formula ``v(n)`` has not: a finite distance, and the cut-off of ``dtype``, in which an ignition below the rounding
    of ``1 − exp(−h)`` does not happen.

    ``gains [N]`` are uniform. The speed is that of the front ``P = 0.5`` between the two steps in ``between [M]``. A
    front that starts at 0 must not go farther than ``cells [M]``. It is 0 where the front does not move one cell.
    """
    gains = np.asarray(gains)
    speeds, one = np.zeros(len(directions), np.float64), dtype(1.0)
    for number, (direction, first, last, ahead) in enumerate(zip(directions, *between, cells, strict=True)):
        places, shifts = _places_and_shifts(len(gains), float(direction))
        start = BEHIND * places
        burning: NDArray[Any] = np.zeros(start + (int(ahead) + BEHIND) * places, dtype)
        burning[:start] = one
        burned, ignited, arrival = burning.copy(), np.zeros_like(burning), np.full(len(burning), np.inf)
        kept = one - dtype(1.0 / t_burn)
        _run(burned, burning, ignited, arrival, gains.astype(dtype), shifts, int(last), kept, start)
        speeds[number] = _speed(arrival[start:], places, int(first), int(last))
    return speeds


def _places_and_shifts(neighbours: int, direction: float) -> tuple[int, NDArray[np.int64]]:
    """Return the places per cell, and how many of them fire crosses from each neighbour ``[N]``."""
    counts = np.array(_PLACES)[:, None]
    steps = counts * np.array([np.cos(direction), np.sin(direction)])
    best = int(np.abs(steps - np.round(steps)).max(axis=1).argmin())
    east, north = np.round(steps[best])
    stencil = stencil_of(neighbours)
    ways = [stencil.displacement(n) for n in range(neighbours)]
    return _PLACES[best], np.array([round(column * east - row * north) for row, column in ways], np.int64)


def _speed(arrival: Floats, places: int, first: int, last: int) -> float:
    """Return the cells per step between two steps, from the step at which the fire arrives in each place."""
    # Places of one cell are averaged: along an axis of the raster they are reached all at once.
    arrival = np.maximum.accumulate(arrival)
    begin, end = (max(int(np.searchsorted(arrival, step)), places) for step in (first, last))
    if end - begin < places:
        return 0.0
    before, after = (arrival[place - places : place].mean() for place in (begin, end))
    return float((end - begin) / places / (after - before))


@kernel
def _run(
    burned: NDArray[Any],
    burning: NDArray[Any],
    ignited: NDArray[Any],
    arrival: Floats,
    gains: NDArray[Any],
    shifts: NDArray[np.int64],
    steps: int,
    kept: Any,
    start: int,
) -> None:
    """Write into ``arrival`` the step at which ``P`` reaches 0.5 in each place. Change the states."""
    reach, size, zero = 0, len(burned), burned[-1]
    one, half = burned[0], burned[0] / 2
    for shift in shifts:
        reach = max(reach, abs(shift))
    low, front, farthest = 0, start, start
    for step in range(steps):
        high = min(size, farthest + reach + 1)
        for x in range(low, high):
            exposure = zero
            for k in range(len(shifts)):
                source = min(max(x - shifts[k], 0), size - 1)
                exposure += gains[k] * burning[source]
            ignited[x] = (one - burned[x]) * (one - np.exp(-exposure))
        for x in range(low, high):
            grown = burned[x] + ignited[x]
            if burned[x] < half <= grown:
                arrival[x] = step + (half - burned[x]) / ignited[x]
                front = max(front, x)
            if ignited[x] > zero:
                farthest = max(farthest, x)
            burned[x], burning[x] = grown, kept * burning[x] + ignited[x]
        # What burned out long ago lights nothing.
        low = max(0, front - start)
