"""Drops that would come down in a no-drop zone.

This module needs only NumPy and runs once per rollout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import AircraftType, Fleet
from firegui.rollout.landing import Air, drift_cells, fall_time_s

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

REACH_SIGMAS = 2.0
"""The long axis counts up to this many ``σ∥`` on either side of the landing point."""

SPACING_CELLS = 0.5
_CHUNK = 4096


def axis_offsets(sigma_cells: float) -> Floats:
    """Return offsets along the long axis at which a drop is tested.

    They are every half cell from the landing point, and both ends.
    """
    reach = REACH_SIGMAS * sigma_cells
    count = int(np.floor(reach / SPACING_CELLS))
    inner = np.arange(-count, count + 1) * SPACING_CELLS
    return np.unique(np.concatenate([[-reach], inner, [reach]]))


def nearby(zones: Bools, fleet: Fleet, air: Air) -> Bools:
    """Return ``[K, H, W]``: cells from which a drop of each type could reach ``zones [H, W]``.

    The heading does not matter. A release elsewhere need not be looked at. ``K`` is the number of types.
    """
    fastest = float(air.wind_speed.max(initial=0.0))
    return np.stack([_widened(zones, _reach_cells(kind, air, fastest)) for kind in fleet.types])


def _reach_cells(kind: AircraftType, air: Air, fastest: float) -> int:
    reach_m = REACH_SIGMAS * kind.sigma_parallel_m + fastest * fall_time_s(kind)
    # One cell for the two roundings, of the release to its cell here and of a point of the axis to its own.
    return int(np.ceil(reach_m / air.cell_size_m)) + 1


def _widened(mask: Bools, cells: int) -> Bools:
    """Return ``mask`` with every cell within ``cells`` rows and columns of one of its own."""
    for axis in (0, 1):
        padded = np.pad(mask, [(cells + 1, cells) if a == axis else (0, 0) for a in (0, 1)])
        sums = np.cumsum(padded, axis=axis, dtype=np.int32)
        length = mask.shape[axis]
        upper = np.take(sums, np.arange(length) + 2 * cells + 1, axis=axis)
        mask = upper > np.take(sums, np.arange(length), axis=axis)
    return mask


def in_zones(poses: Floats, fleet: Fleet, air: Air, zones: Bools, near: Bools | None = None) -> Bools:
    """Return ``[T, A]``: whether a drop with ``poses [T, A, 3]`` would come down in ``zones [H, W]``.

    It does when a point of the footprint's long axis within ``±2 σ∥`` of the landing point, looked at every half cell,
    falls into a cell of the zones. ``near`` is :func:`nearby`, which saves looking at drops far away from any zone.
    """
    found = np.zeros(poses.shape[:2], bool)
    kinds = np.repeat(np.arange(len(fleet.types)), [kind.count for kind in fleet.types])  # [A]
    if near is None:
        steps, tails = np.nonzero(~found)
    else:
        height, width = zones.shape
        rows = np.minimum(np.maximum(np.rint(poses[..., 0]), 0), height - 1).astype(np.intp)
        columns = np.minimum(np.maximum(np.rint(poses[..., 1]), 0), width - 1).astype(np.intp)
        steps, tails = np.nonzero(near.take((kinds * height + rows) * width + columns))
    for index in np.unique(kinds[tails]):
        own = np.flatnonzero(kinds[tails] == index)
        for begin in range(0, len(own), _CHUNK):
            chunk = own[begin : begin + _CHUNK]
            at, of = steps[chunk], tails[chunk]
            found[at, of] = _lands_in(fleet.types[index], poses[at, of], at, air, zones)
    return found


def _lands_in(kind: AircraftType, poses: Floats, steps: NDArray[np.int64], air: Air, zones: Bools) -> Bools:
    """Return ``[n]`` of drops of one type with ``poses [n, 3]`` at ``steps [n]``."""
    y, x, theta = poses.T
    drift_y, drift_x = drift_cells(air, kind, steps, y, x)
    along = axis_offsets(kind.sigma_parallel_m / air.cell_size_m)
    rows = np.floor((y + drift_y)[:, None] - np.sin(theta)[:, None] * along + 0.5).astype(np.int64)
    columns = np.floor((x + drift_x)[:, None] + np.cos(theta)[:, None] * along + 0.5).astype(np.int64)
    inside = (rows >= 0) & (rows < zones.shape[0]) & (columns >= 0) & (columns < zones.shape[1])
    hit = zones[np.where(inside, rows, 0), np.where(inside, columns, 0)] & inside
    return np.asarray(hit.any(axis=1))
