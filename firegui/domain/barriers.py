"""Barriers: roads, rivers, dozer and hand line and burned-out areas, which stop a share of the spread.

Spotting is not modelled: embers cross no barrier.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import bounds_problems, option
from firegui.domain.region_geometry import contains, with_vertex_on_edge
from firegui.domain.regions import Region, Ring, Vertex
from firegui.errors import Problem

Line = tuple[Vertex, ...]
"""``(row, column)`` of its corners in raster corner coordinates, as of a :class:`~firegui.domain.regions.Region`."""
MOST_BARRIERS = 1000
MOST_CORNERS = 100_000
"""Corners of one barrier."""
_PAIRS_AT_ONCE = 1 << 20


class BarrierKind(StrEnum):
    """What a barrier is. It decides the symbol on the map, and no number."""

    ROAD = "road"
    RIVER = "river"
    DOZER = "dozer_line"
    HAND = "hand_line"
    FUEL_BREAK = "fuel_break"
    BURNED_OUT = "burned_out"
    OTHER = "other"


KIND_TITLES: Mapping[BarrierKind, str] = {
    BarrierKind.ROAD: "Road",
    BarrierKind.RIVER: "River",
    BarrierKind.DOZER: "Dozer line",
    BarrierKind.HAND: "Hand line",
    BarrierKind.FUEL_BREAK: "Fuel break",
    BarrierKind.BURNED_OUT: "Burned-out area",
    BarrierKind.OTHER: "Other line",
}
EVENT_LINE_CATEGORIES: Mapping[BarrierKind, str] = {
    BarrierKind.ROAD: "Road as Completed Line",
    BarrierKind.DOZER: "Completed Dozer Line",
    BarrierKind.HAND: "Completed Hand Line",
    BarrierKind.FUEL_BREAK: "Completed Fuel Break",
    BarrierKind.BURNED_OUT: "Completed Burnout",
    BarrierKind.OTHER: "Completed Line",
}
"""Category of each kind in NWCG's Event Line standard (PMS 936), which has none for rivers."""
USUAL_WIDTH_M: Mapping[BarrierKind, float] = {
    BarrierKind.ROAD: 8.0,
    BarrierKind.RIVER: 20.0,
    BarrierKind.DOZER: 4.0,
    BarrierKind.HAND: 1.0,
    BarrierKind.FUEL_BREAK: 60.0,
    BarrierKind.BURNED_OUT: 20.0,
    BarrierKind.OTHER: 5.0,
}
"""Width in metres that a new line of each kind begins with: assumptions, to be replaced by those of the line."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """Lines or areas that stop a share of the spread from a time on.

    It has ``lines``, or ``areas``: polygons, each an outer ring followed by its holes. Both are in raster corner
    coordinates. It exists from ``exists_from`` on, an aware time; ``None`` means from the start. The width counts where
    a line is wider than a cell. :mod:`firegui.fire.barriers` has the equation.
    """

    name: str
    kind: BarrierKind
    lines: tuple[Line, ...] = ()
    areas: tuple[tuple[Ring, ...], ...] = ()
    width_m: float = option(
        5.0, "Width", "width of a line; it counts where the line is wider than a cell", unit="m", low=0.01, high=5000.0,
    )  # fmt: skip
    strength: float = option(
        1.0, "Strength", "share of the spread that is stopped: 100 % lets nothing through", low=0.0, high=1.0,
        percent=True, synonyms="holds effectiveness permeability",
    )  # fmt: skip
    exists_from: datetime | None = None

    @property
    def is_area(self) -> bool:
        """Whether it consists of areas."""
        return bool(self.areas)

    @property
    def rings(self) -> Iterator[Ring]:
        """All outlines of the areas, holes too."""
        return (ring for part in self.areas for ring in part)

    @property
    def corners(self) -> Iterator[Vertex]:
        """All corners."""
        return (corner for corners in (*self.lines, *self.rings) for corner in corners)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(top, left, bottom, right)``, raster corner coordinates."""
        rows, columns = zip(*self.corners, strict=True)
        return min(rows), min(columns), max(rows), max(columns)

    @property
    def region(self) -> Region:
        """The areas as a region of the same name."""
        return Region(self.name, self.areas)

    @property
    def outlines(self) -> Region:
        """The lines or areas as a region, a line as a ring that is not closed, for edits of corners."""
        return self.region if self.is_area else Region(self.name, tuple((line,) for line in self.lines))

    def with_outlines(self, outlines: Region) -> Barrier:
        """Return the barrier with other :attr:`outlines`."""
        if self.is_area:
            return replace(self, areas=outlines.parts)
        return replace(self, lines=tuple(part[0] for part in outlines.parts))

    @property
    def length(self) -> float:
        """Length of the lines in cells; 0 for areas."""
        return sum(math.dist(a, b) for line in self.lines for a, b in pairwise(line))

    def exists_at(self, when: datetime) -> bool:
        """Return whether the barrier exists at an aware time."""
        return self.exists_from is None or self.exists_from <= when

    def problems(self) -> list[Problem]:
        """Return everything wrong with the barrier itself."""
        where = f"barrier {shown_name(self.name) or '(no name)'}"
        found: list[Problem] = []
        if not self.name.strip():
            found.append(Problem(where, "the name is empty", "name every barrier"))
        found += character_problems(where, self.name) + bounds_problems(self, where)
        if self.exists_from is not None and self.exists_from.tzinfo is None:
            what = f"the time {self.exists_from.isoformat()} has no offset from UTC"
            found.append(Problem(where, what, "write it as 2020-08-20T14:00-07:00"))
        return found + list(self._shape_problems(where))

    def _shape_problems(self, where: str) -> Iterator[Problem]:
        if bool(self.lines) == bool(self.areas):
            what = "has both lines and areas" if self.lines else "has no line and no area"
            yield Problem(where, what, "give lines or areas, one of them")
            return
        if (count := sum(1 for _ in self.corners)) > MOST_CORNERS:
            yield Problem(where, f"has {count:,} corners", f"simplify it to at most {MOST_CORNERS:,}")
            return
        if not all(math.isfinite(value) for corner in self.corners for value in corner):
            yield Problem(where, "a corner is not a number", "draw it again")
            return
        if any(len(set(line)) < 2 for line in self.lines):
            yield Problem(where, "a line needs at least two different corners", "draw it again")
        if any(not part or len(set(part[0])) < 3 for part in self.areas):
            yield Problem(where, "an area needs at least three corners", "draw it again")
            return
        for corners in (*self.lines, *self.rings):
            place = crossing(corners, is_ring=self.is_area)
            if place is not None:
                what = f"crosses itself near row {place[0]:.1f}, column {place[1]:.1f}"
                yield Problem(where, what, "draw it again, or split it there")


def barrier_problems(barriers: Iterable[Barrier], shape: tuple[int, int]) -> list[Problem]:
    """Return every problem of barriers on a raster of ``shape``, each and together.

    A barrier that is partly off the raster is no problem.
    """
    barriers, found = list(barriers), list[Problem]()
    for barrier in barriers:
        own = barrier.problems()
        found += own
        if own or not any(True for _ in barrier.corners):
            continue
        top, left, bottom, right = barrier.bounds
        if bottom <= 0 or right <= 0 or top >= shape[0] or left >= shape[1]:
            extent = f"rows {top:g}–{bottom:g}, columns {left:g}–{right:g}"
            what = f"lies outside the grid ({extent} on {shape[0]} × {shape[1]} cells)"
            found.append(
                Problem(f"barrier {shown_name(barrier.name)}", what, "move it onto the grid, or check its CRS")
            )
    found += repeated_names("barriers", (barrier.name for barrier in barriers))
    if len(barriers) > MOST_BARRIERS:
        found.append(Problem("barriers", f"there are {len(barriers):,}", f"give at most {MOST_BARRIERS:,}"))
    return found


def barriers_text(barriers: Sequence[Barrier]) -> str:
    """Return how many lines and areas there are: ``2 lines, 1 area``; empty for none."""
    areas = sum(barrier.is_area for barrier in barriers)
    counts = ((len(barriers) - areas, "line"), (areas, "area"))
    return ", ".join(f"{count:,} {thing}{'' if count == 1 else 's'}" for count, thing in counts if count)


def in_utc(barrier: Barrier) -> Barrier:
    """Return the barrier with its time in UTC, so that one instant is one text.

    A time without an offset stays.
    """
    when = barrier.exists_from
    if when is None or when.tzinfo is None:
        return barrier
    try:
        return replace(barrier, exists_from=when.astimezone(UTC))
    except OverflowError:  # the last day that there is
        return barrier


def barrier_at(
    barriers: Iterable[Barrier], row: float, column: float, within: float, *, fills: bool = True
) -> Barrier | None:
    """Return the barrier nearest to a point, at most ``within`` cells off.

    An area that contains the point is at 0 if it ``fills`` its outline; else only its outline counts.
    """
    best, nearest = None, within
    for barrier in barriers:
        if fills and barrier.is_area and _fills(barrier, row, column):
            far = 0.0
        else:
            lines = (*barrier.lines, *barrier.rings)
            far = min(
                (_distance(row, column, line, nearest, is_ring=barrier.is_area) for line in lines), default=math.inf
            )
        if far <= nearest:
            best, nearest = barrier, far
    return best


def _fills(barrier: Barrier, row: float, column: float) -> bool:
    """Return whether the areas of a barrier contain a point."""
    boxes = (_edges_of(ring, is_ring=True) for ring in barrier.rings)
    is_near = any(box is not None and box.is_near(row, column, 0.0) for box in boxes)
    return is_near and contains(barrier.region, row, column)


def with_corner(barrier: Barrier, row: float, column: float, within: float) -> Barrier | None:
    """Return the barrier with a corner added on its line or outline.

    Without an edge within ``within`` cells the result is ``None``.
    """
    outlines = with_vertex_on_edge(barrier.outlines, row, column, within, is_open=not barrier.is_area)
    return None if outlines is None else barrier.with_outlines(outlines)


def _distance(row: float, column: float, line: Line, within: float, *, is_ring: bool) -> float:
    """Return the distance of a point from a line or ring in cells, infinite above ``within``."""
    edges = _edges_of(line, is_ring=is_ring)
    if edges is None or not edges.is_near(row, column, within):
        return math.inf
    along = np.clip((([row, column] - edges.start) * edges.way).sum(axis=1) / edges.lengths, 0.0, 1.0)
    far = float(np.hypot(*([row, column] - (edges.start + along[:, None] * edges.way)).T).min())
    return far if far <= within else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Edges of a line ``[M, 2]`` with the squares of their lengths, and the box around them."""

    start: NDArray[np.float64]
    way: NDArray[np.float64]
    lengths: NDArray[np.float64]
    box: tuple[float, float, float, float]

    def is_near(self, row: float, column: float, within: float) -> bool:
        """Return whether a point is at most ``within`` rows and columns from the box."""
        top, left, bottom, right = self.box
        return top - within <= row <= bottom + within and left - within <= column <= right + within


@lru_cache(maxsize=4 * MOST_BARRIERS)
def _edges_of(line: Line, *, is_ring: bool) -> _Edges | None:
    """Return the edges of a line or ring, kept because the mouse asks for them at every move."""
    at = np.array([*line, line[0]] if is_ring and line else line, np.float64).reshape(-1, 2)
    if len(at) < 2:
        return None
    way = np.diff(at, axis=0)
    (top, left), (bottom, right) = at.min(axis=0).tolist(), at.max(axis=0).tolist()
    return _Edges(at[:-1], way, np.maximum((way**2).sum(axis=1), 1e-30), (top, left, bottom, right))


@lru_cache(maxsize=512)
def crossing(corners: Line, *, is_ring: bool) -> Vertex | None:
    """Return a place where a line or a ring crosses itself, ``None`` where it does not.

    Parts that only touch do not cross.
    """
    at = np.array([*corners, corners[0]] if is_ring else corners, np.float64)
    at = at[np.concatenate([[True], (np.diff(at, axis=0) != 0.0).any(axis=1)])]
    count = len(at) - 1
    if count < 3:
        return None
    low, high = np.minimum(at[:-1], at[1:]), np.maximum(at[:-1], at[1:])
    axis = int(np.argmax(np.ptp(at, axis=0)))
    order = np.argsort(low[:, axis], kind="stable")
    low, high, start, end = low[order], high[order], at[:-1][order], at[1:][order]
    last = np.searchsorted(low[:, axis], high[:, axis], side="right")
    counts = np.maximum(last - np.arange(count) - 1, 0)
    first = 0
    while first < count:
        upto = first + max(int(np.searchsorted(np.cumsum(counts[first:]), _PAIRS_AT_ONCE, side="right")), 1)
        many = counts[first:upto]
        one = np.repeat(np.arange(first, min(upto, count)), many)
        other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(many) - many, many)
        across = 1 - axis
        near = (low[other, across] <= high[one, across]) & (low[one, across] <= high[other, across])
        place = _proper_crossing(start[one[near]], end[one[near]], start[other[near]], end[other[near]])
        if place is not None:
            return place
        first = upto
    return None


def _proper_crossing(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64], d: NDArray[np.float64]
) -> Vertex | None:
    """Return where the first pair of segments ``a b`` and ``c d`` crosses, ends left out."""

    def side(p: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sign((q[:, 0] - p[:, 0]) * (r[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (r[:, 0] - p[:, 0]))

    with np.errstate(all="ignore"):  # corners beyond all sense lie outside the grid, which is said
        crosses = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    if not crosses.any():
        return None
    k = int(np.flatnonzero(crosses)[0])
    middle = (a[k] + b[k] + c[k] + d[k]) / 4.0
    way, other = b[k] - a[k], d[k] - c[k]
    scale = way[0] * other[1] - way[1] * other[0]
    if scale != 0.0 and math.isfinite(scale):
        gap = c[k] - a[k]
        middle = a[k] + way * (gap[0] * other[1] - gap[1] * other[0]) / scale
    return float(middle[0]), float(middle[1])
