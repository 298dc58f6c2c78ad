"""The effect of barriers on the maps of any fire model.

The spread from a neighbour ``n`` into a cell ``x`` in a period is multiplied by

    f_n(x) = Π_b (1 − s_b),    K_n(x) ← clip(γ(x), 0, 100) clip(φ_n(x), 0, 100) f_n(x) burnable(x)

over the barriers ``b`` of strength ``s_b`` that exist at the start of the period and that the edge from ``n`` to ``x``
meets, each once. The edge is the straight line between the centres of the two cells. It meets

- a line where both have a point in common. A line thus has no gap at any angle, whatever the stencil: to get from one
  side of it to the other, fire takes at least one edge that meets it;
- a line wider than a cell also where the centre of ``x`` is at most half the width from the line;
- an area where the centre of ``x`` lies inside, and where the edge passes through it from outside to outside.

A fire leaves an area freely. A wide line and an area are entered cell by cell, so that a strength below 1 holds back
more the wider they are. Lines are taken with their corners at 1/1024 of a cell, in which all tests are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from itertools import compress, pairwise

import numpy as np
from numpy.typing import NDArray

from firegui.domain.barriers import Barrier, Line
from firegui.domain.compact_maps import MAXIMUM_FACTOR, SpreadOnDemand
from firegui.domain.edge_factors import EdgeFactors, SparseFactors
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.stencil import Stencil
from firegui.io.rasters.masks import region_masks

Places = NDArray[np.int64]
Bools = NDArray[np.bool_]

_UNITS = 1024
"""Units of a cell in which lines are taken."""
_PIECES_AT_ONCE = 2048
_MARGIN = 4.0
"""Cells beside the grid in which lines are still followed: more than an edge is long."""


def edge_factors(project: Project, stencil: Stencil, first: int, count: int, periods_per_day: int) -> EdgeFactors:
    """Return the factors of a project's barriers in ``count`` periods from that number ``first`` on.

    Periods are counted from the start of the event.
    """
    event, shape = project.scenario, project.scenario.grid.shape
    edges = [edges_of(barrier, shape, event.grid.cell_size_m, stencil) for barrier in project.barriers]
    phases: dict[tuple[bool, ...], int] = {}
    of_period = np.full(count, -1, np.int64)
    for number in range(count):
        begin = event.time_of_day(0) + timedelta(days=(first + number) / periods_per_day)
        there = tuple(barrier.exists_at(begin) and barrier.strength > 0.0 for barrier in project.barriers)
        if any(there):
            of_period[number] = phases.setdefault(there, len(phases))
    left = [(met, 1.0 - barrier.strength) for met, barrier in zip(edges, project.barriers, strict=True)]
    found = (_joined(list(compress(left, there)), shape[1], len(stencil.offsets)) for there in phases)
    return EdgeFactors(tuple(found), of_period)


def _joined(parts: Sequence[tuple[Places, float]], columns: int, neighbours: int) -> SparseFactors:
    """Return the product of factors of directed edges, each ``cell · N + neighbour``."""
    cells = np.unique(np.concatenate([edges // neighbours for edges, _ in parts]))
    factors = np.ones((len(cells), neighbours), np.float32)
    for edges, factor in parts:
        factors[np.searchsorted(cells, edges // neighbours), edges % neighbours] *= np.float32(factor)
    return SparseFactors(cells, factors, columns)


def with_barriers(maps: FireMaps, project: Project) -> FireMaps:
    """Return the maps of a project's planned days with its barriers.

    Without barriers they are the maps themselves. Arrays of imported or stored maps are copied, others are changed in
    place.
    """
    if not project.barriers:
        return maps
    periods = maps.periods_per_day
    factors = edge_factors(project, maps.stencil, project.plan.start_day * periods, len(maps.phi), periods)
    if isinstance(maps.phi, SpreadOnDemand):
        return replace(maps, phi=replace(maps.phi, barriers=factors), barriers=factors)
    is_own = project.fire_model.kind != "maps" and maps.phi.flags.writeable
    phi = maps.phi if is_own and maps.phi.flags.c_contiguous else np.array(maps.phi, np.float32, order="C")
    for number in range(len(phi)):
        factors.reduce_whole(number, phi[number], MAXIMUM_FACTOR)
    return replace(maps, phi=phi, barriers=factors)


@lru_cache(maxsize=1024)
def edges_of(barrier: Barrier, shape: tuple[int, int], cell_size_m: float, stencil: Stencil) -> Places:
    """Return the directed edges ``cell · N + neighbour`` that a barrier meets on a raster of ``shape``.

    They are in ascending order, and shared between calls.
    """
    neighbours = len(stencil.offsets)
    if barrier.is_area:
        (inside,) = region_masks((barrier.region,), shape)
        met = _edges_met([(*ring, ring[0]) for ring in barrier.rings], shape, stencil)
        receiver, way = met // neighbours, met % neighbours
        offsets = np.array(stencil.offsets)
        emitter = receiver + offsets[way, 0] * shape[1] + offsets[way, 1]
        outside = ~inside.reshape(-1)
        met = met[outside[receiver] & outside[emitter]]
    else:
        met = _edges_met(barrier.lines, shape, stencil)
        inside = np.zeros(shape, np.bool_)
        if barrier.width_m > cell_size_m:
            inside = _near(barrier.lines, barrier.width_m / cell_size_m / 2.0, shape)
    rows, columns = np.nonzero(inside)
    into = [np.empty(0, np.int64)]
    for n, (down, right) in enumerate(stencil.offsets):
        from_grid = (
            (rows + down >= 0) & (rows + down < shape[0]) & (columns + right >= 0) & (columns + right < shape[1])
        )
        into.append((rows[from_grid] * shape[1] + columns[from_grid]) * neighbours + n)
    return np.unique(np.concatenate([met, *into]))


def _edges_met(lines: Sequence[Line], shape: tuple[int, int], stencil: Stencil) -> Places:
    """Return the directed edges that have a point in common with lines."""
    found = [np.empty(0, np.int64)]
    pieces = np.concatenate([np.empty((0, 2, 2), np.int64), *(_pieces(line, shape) for line in lines)])
    for first in range(0, len(pieces), _PIECES_AT_ONCE):
        found += _edges_of_pieces(pieces[first : first + _PIECES_AT_ONCE], shape, stencil)
    return np.unique(np.concatenate(found))


def _pieces(line: Line, shape: tuple[int, int]) -> Places:
    """Return the parts of a line near the grid in pieces shorter than a cell, ``[M, 2, 2]`` in units.

    Each begins where the one before ends, as long as the line stays near the grid.
    """
    corners = [np.empty((0, 2, 2), np.int64)]
    for start, end in pairwise(line):
        part = _clipped(start, end, shape)
        if part is None:
            continue
        (top, left), (bottom, right) = part
        count = math.ceil(max(abs(bottom - top), abs(right - left))) + 1
        along = np.linspace(0.0, 1.0, count + 1)[:, None]
        at = np.rint(((1.0 - along) * part[0] + along * part[1]) * _UNITS).astype(np.int64)
        corners.append(np.stack([at[:-1], at[1:]], axis=1))
    return np.concatenate(corners)


def _clipped(
    start: tuple[float, float], end: tuple[float, float], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the part of a segment on the grid and a margin around it; ends that lie there stay."""
    begin, way = np.array(start, np.float64), np.subtract(end, start, dtype=np.float64)
    enter, leave = 0.0, 1.0
    for axis, size in enumerate(shape):
        for sign, limit in ((-1.0, _MARGIN), (1.0, size + _MARGIN)):
            speed, room = sign * way[axis], limit - sign * begin[axis]
            if speed == 0.0:
                if room < 0.0:
                    return None
            elif speed > 0.0:
                leave = min(leave, room / speed)
            else:
                enter = max(enter, room / speed)
    if enter > leave:
        return None
    ends = (begin if enter == 0.0 else begin + enter * way, np.array(end) if leave == 1.0 else begin + leave * way)
    return ends


def _edges_of_pieces(pieces: Places, shape: tuple[int, int], stencil: Stencil) -> Iterator[Places]:
    """Yield the edges that short pieces meet, both ways of each pair of cells."""
    reach, count = stencil.reach, len(stencil.offsets)
    p, q = pieces[:, 0], pieces[:, 1]
    low, high = pieces.min(axis=1), pieces.max(axis=1)
    side = np.arange(2 * reach + 2)
    rows = (low[:, 0] // _UNITS - reach)[:, None, None] + side[:, None]
    columns = (low[:, 1] // _UNITS - reach)[:, None, None] + side
    rows, columns = np.broadcast_arrays(rows, columns)
    y, x = rows * _UNITS + _UNITS // 2, columns * _UNITS + _UNITS // 2
    at = (slice(None), None, None)
    way = q - p
    here = way[:, 0][at] * (x - p[:, 1][at]) - way[:, 1][at] * (y - p[:, 0][at])
    on_grid = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
    for n, (down, right) in enumerate(stencil.offsets):
        if (down, right) < (0, 0):
            continue
        down_u, right_u = down * _UNITS, right * _UNITS
        # The side of the piece on which each end of the edge lies, and that of the edge of the ends of the piece.
        there = here + (way[:, 0] * right_u - way[:, 1] * down_u)[at]
        of_p = down_u * (p[:, 1][at] - x) - right_u * (p[:, 0][at] - y)
        of_q = down_u * (q[:, 1][at] - x) - right_u * (q[:, 0][at] - y)
        meets = (np.sign(here) * np.sign(there) <= 0) & (np.sign(of_p) * np.sign(of_q) <= 0)
        meets &= (np.minimum(y, y + down_u) <= high[:, 0][at]) & (np.maximum(y, y + down_u) >= low[:, 0][at])
        meets &= (np.minimum(x, x + right_u) <= high[:, 1][at]) & (np.maximum(x, x + right_u) >= low[:, 1][at])
        others, beside = rows + down, columns + right
        meets &= on_grid & (others >= 0) & (others < shape[0]) & (beside >= 0) & (beside < shape[1])
        one = rows[meets] * shape[1] + columns[meets]
        other = others[meets] * shape[1] + beside[meets]
        back = stencil.offsets.index((-down, -right))
        yield one * count + n
        yield other * count + back


def _near(lines: Sequence[Line], reach: float, shape: tuple[int, int]) -> Bools:
    """Return the cells whose centres are at most ``reach`` cells from lines."""
    steps = np.zeros((shape[0], shape[1] + 1), np.int32)
    for line in lines:
        for start, end in pairwise(line):
            part = _clipped_wide(start, end, shape, reach)
            if part is not None:
                _add_stadium(steps, *part, reach)
    return np.cumsum(steps[:, :-1], axis=1) > 0


def _clipped_wide(
    start: tuple[float, float], end: tuple[float, float], shape: tuple[int, int], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the part of a segment within ``reach`` of the grid, in coordinates of cell centres."""
    moved = [(row + reach, column + reach) for row, column in (start, end)]
    part = _clipped(moved[0], moved[1], (shape[0] + math.ceil(2 * reach), shape[1] + math.ceil(2 * reach)))
    return None if part is None else (part[0] - reach - 0.5, part[1] - reach - 0.5)


def _add_stadium(steps: NDArray[np.int32], a: NDArray[np.float64], b: NDArray[np.float64], reach: float) -> None:
    """Count the cells at most ``reach`` from the segment ``a b``, in each row an interval of columns."""
    height, width = steps.shape[0], steps.shape[1] - 1
    first = max(math.ceil(min(a[0], b[0]) - reach), 0)
    last = min(math.floor(max(a[0], b[0]) + reach), height - 1)
    if first > last:
        return
    rows = np.arange(first, last + 1)
    left, right = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    for y, x in (a, b):
        half = reach**2 - (rows - y) ** 2
        inside = half >= 0.0
        wide = np.sqrt(np.maximum(half, 0.0))
        left[inside] = np.minimum(left, x - wide)[inside]
        right[inside] = np.maximum(right, x + wide)[inside]
    length = math.hypot(*(b - a))
    if length > 0.0:
        aside = np.array([b[1] - a[1], a[0] - b[0]]) * (reach / length)
        corners = [a + aside, b + aside, b - aside, a - aside]
        for one, other in zip(corners, [*corners[1:], corners[0]], strict=True):
            low, high = min(one[0], other[0]), max(one[0], other[0])
            crossed = (rows >= low) & (rows <= high)
            share = (rows - one[0]) / (other[0] - one[0]) if high > low else np.zeros(len(rows))
            x = one[1] + share * (other[1] - one[1])
            left[crossed] = np.minimum(left, x)[crossed]
            right[crossed] = np.maximum(right, x)[crossed]
    begin = np.clip(np.ceil(np.where(np.isfinite(left), left, width)), 0, width).astype(np.int64)
    stop = np.clip(np.floor(np.where(np.isfinite(right), right, -1)) + 1, 0, width).astype(np.int64)
    filled = stop > begin
    np.add.at(steps, (rows[filled], begin[filled]), 1)
    np.add.at(steps, (rows[filled], stop[filled]), -1)
