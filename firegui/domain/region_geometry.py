"""Geometry of regions in raster corner coordinates: hit tests, areas, and edits by handles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firegui.domain.regions import Region, Ring, Vertex

_DECIMALS = 2
"""Polygon corners are kept to a hundredth of a cell."""


@dataclass(frozen=True, slots=True)
class Handle:
    """Part of a region that can be dragged.

    It is a corner ``(part, ring, index)``, or sides of a rectangle. For a rectangle ``vertical`` is −1, 0 or 1 when the
    top side, no side or the bottom side follows, ``horizontal`` the same for left and right; for a polygon both are 0.
    """

    row: float
    column: float
    part: int = 0
    ring: int = 0
    index: int = 0
    vertical: int = 0
    horizontal: int = 0


def handles_of(region: Region) -> tuple[Handle, ...]:
    """Return eight handles of a rectangle, or one per corner of a polygon."""
    box = region.as_rectangle
    if box is None:
        return corner_handles(region)
    (top, bottom), (left, right) = box
    rows, columns = (top, (top + bottom) / 2, bottom), (left, (left + right) / 2, right)
    return tuple(
        Handle(rows[v + 1], columns[h + 1], vertical=v, horizontal=h) for v in (-1, 0, 1) for h in (-1, 0, 1) if v or h
    )


def corner_handles(region: Region) -> tuple[Handle, ...]:
    """Return one handle for each corner."""
    return tuple(
        Handle(row, column, p, r, i)
        for p, part in enumerate(region.parts)
        for r, ring in enumerate(part)
        for i, (row, column) in enumerate(ring)
    )


def with_handle_at(
    region: Region, handle: Handle, row: float, column: float, shape: tuple[int, int], *, keeps_cells: bool = True
) -> Region:
    """Return the region with a handle dragged to ``(row, column)``, kept on the grid.

    A rectangle stays one of whole cells, unless the region keeps no cells.
    """
    row, column = clamped(row, column, shape)
    box = region.as_rectangle if keeps_cells else None
    if box is None:
        return with_vertex(region, handle, rounded(row, column))
    rows = _dragged_side(box[0], handle.vertical, round(row), shape[0])
    columns = _dragged_side(box[1], handle.horizontal, round(column), shape[1])
    return Region.rectangle(region.name, rows, columns, region.weight)


def _dragged_side(interval: tuple[float, float], side: int, value: int, size: int) -> tuple[float, float]:
    low, high = interval
    if side < 0:
        return min(value, math.ceil(high) - 1), high
    if side > 0:
        return low, min(max(value, math.floor(low) + 1), size)
    return low, high


def _with_ring(region: Region, part: int, ring: int, corners: Ring) -> Region:
    parts = [list(rings) for rings in region.parts]
    parts[part][ring] = corners
    return replace(region, parts=tuple(tuple(rings) for rings in parts))


def with_vertex(region: Region, handle: Handle, to: Vertex) -> Region:
    """Return the region with one corner moved."""
    ring = region.parts[handle.part][handle.ring]
    return _with_ring(region, handle.part, handle.ring, (*ring[: handle.index], to, *ring[handle.index + 1 :]))


def without_vertex(region: Region, handle: Handle, fewest: int = 3) -> Region | None:
    """Return the region with one corner removed, or ``None`` when less than ``fewest`` would be left."""
    ring = region.parts[handle.part][handle.ring]
    if len(ring) <= fewest:
        return None
    return _with_ring(region, handle.part, handle.ring, ring[: handle.index] + ring[handle.index + 1 :])


def with_vertex_on_edge(
    region: Region, row: float, column: float, within: float, *, is_open: bool = False
) -> Region | None:
    """Return the region with a corner added on the edge nearest to the point.

    Without an edge within ``within`` cells the result is ``None``. Where rings are open, they have no edge from the
    last corner to the first one.
    """
    best: tuple[float, int, int, int, Vertex] | None = None
    for p, part in enumerate(region.parts):
        for r, ring in enumerate(part):
            for i, start in enumerate(ring[:-1] if is_open else ring):
                near = _nearest_on_edge(start, ring[(i + 1) % len(ring)], (row, column))
                distance = math.dist(near, (row, column))
                if distance <= within and (best is None or distance < best[0]):
                    best = distance, p, r, i, near
    if best is None:
        return None
    _, p, r, i, near = best
    ring = region.parts[p][r]
    return _with_ring(region, p, r, (*ring[: i + 1], rounded(*near), *ring[i + 1 :]))


def _nearest_on_edge(start: Vertex, end: Vertex, point: Vertex) -> Vertex:
    dr, dc = end[0] - start[0], end[1] - start[1]
    length = dr * dr + dc * dc
    t = 0.0 if length == 0 else ((point[0] - start[0]) * dr + (point[1] - start[1]) * dc) / length
    t = min(max(t, 0.0), 1.0)
    return start[0] + t * dr, start[1] + t * dc


def contains(region: Region, row: float, column: float) -> bool:
    """Return whether the point lies inside the region (odd-even rule within a part)."""
    return any(sum(_inside(ring, row, column) for ring in part) % 2 == 1 for part in region.parts)


def _inside(ring: Sequence[Vertex], row: float, column: float) -> bool:
    inside = False
    for (r0, c0), (r1, c1) in zip(ring, (*ring[1:], ring[0]), strict=True):
        if (r0 > row) != (r1 > row) and column < c0 + (row - r0) / (r1 - r0) * (c1 - c0):
            inside = not inside
    return inside


def region_at(regions: Iterable[Region], row: float, column: float, prefer: str = "") -> Region | None:
    """Return the region under the point, or ``None``.

    ``prefer`` wins if it is there; else the smallest region wins, because a larger one would hide it.
    """
    under = [region for region in regions if contains(region, row, column)]
    chosen = [region for region in under if region.name == prefer]
    return chosen[0] if chosen else min(under, key=area, default=None)


def area(region: Region) -> float:
    """Return area in cells, by the shoelace formula."""
    return sum(abs(ring_area(part[0])) - sum(abs(ring_area(hole)) for hole in part[1:]) for part in region.parts)


def ring_area(ring: Sequence[Vertex]) -> float:
    """Return signed area of a ring in cells."""
    following = (*ring[1:], ring[0]) if ring else ()
    return 0.5 * sum(r0 * c1 - r1 * c0 for (r0, c0), (r1, c1) in zip(ring, following, strict=True))


def clamped(row: float, column: float, shape: tuple[int, int]) -> Vertex:
    """Return the nearest point on the grid."""
    return min(max(row, 0.0), float(shape[0])), min(max(column, 0.0), float(shape[1]))


def rounded(row: float, column: float) -> Vertex:
    """Return a place as corners are kept: to a hundredth of a cell."""
    return round(row, _DECIMALS), round(column, _DECIMALS)


def clipped(start: Vertex, end: Vertex, shape: tuple[int, int]) -> tuple[Vertex, Vertex] | None:
    """Return the part of an edge that lies on the grid, ``None`` for an edge beside it.

    By Liang and Barsky (1984).
    """
    way = end[0] - start[0], end[1] - start[1]
    first, last = 0.0, 1.0
    for begin, step, size in zip(start, way, shape, strict=True):
        if step == 0.0:
            if not 0.0 <= begin <= size:
                return None
            continue
        near, far = sorted((-begin / step, (size - begin) / step))
        first, last = max(first, near), min(last, far)
    if first > last:
        return None
    low, high = ((start[0] + t * way[0], start[1] + t * way[1]) for t in (first, last))
    return low, high


def shift_on_grid(region: Region, rows: float, columns: float, shape: tuple[int, int]) -> tuple[int, int]:
    """Return a shift in whole cells that moves the region no further off the grid."""
    top, left, bottom, right = region.bounds
    return _kept(rows, top, bottom, shape[0]), _kept(columns, left, right, shape[1])


def _kept(shift: float, low: float, high: float, size: int) -> int:
    least, most = min(math.ceil(-low), 0), max(math.floor(size - high), 0)
    return min(max(round(shift), least), most)


def touches_grid(start: Vertex, end: Vertex, shape: tuple[int, int]) -> bool:
    """Return whether the rectangle between two corners has a part of the grid."""
    return all(max(a, b) > 0.0 and min(a, b) < size for a, b, size in zip(start, end, shape, strict=True))


def cell_rectangle(start: Vertex, end: Vertex, shape: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the half-open rows and columns from the cell under ``start`` to that under ``end``.

    Both cells are included.
    """
    rows = _cells(start[0], end[0], shape[0])
    return rows, _cells(start[1], end[1], shape[1])


def _cells(a: float, b: float, size: int) -> tuple[int, int]:
    low, high = (min(max(math.floor(value), 0), size - 1) for value in sorted((a, b)))
    return low, high + 1
