"""Where a corner that is drawn or dragged comes to rest: on a corner of another shape, where cells meet, or free."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from firegui.domain.regions import Region, Vertex

REACH_PX = 10.0


class Snapping:
    """Asks ``choice`` which of the two are on: corners of other shapes and cell edges."""

    def __init__(self, choice: Callable[[], tuple[bool, bool]]) -> None:
        self._choice = choice

    def snapped(self, row: float, column: float, shapes: Iterable[Region], reach: float, leave: str = "") -> Vertex:
        """``(row, column)`` moved to the nearest corner of ``shapes`` within ``reach`` cells, else to a cell's corner.

        The shape called ``leave`` is the one being drawn. With both off it stays where it is.
        """
        corners, cells = self._choice()
        if corners:
            there = (
                vertex
                for shape in shapes
                if shape.name != leave
                for part in shape.parts
                for ring in part
                for vertex in ring
            )
            near = min(there, key=lambda vertex: math.dist(vertex, (row, column)), default=None)
            if near is not None and math.dist(near, (row, column)) <= reach:
                return near
        return (float(round(row)), float(round(column))) if cells else (row, column)
