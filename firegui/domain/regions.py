"""Protected regions 𝓡: what the plan must keep the fire out of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import plain_number
from firegui.errors import Problem

Vertex = tuple[float, float]
Ring = tuple[Vertex, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """One protected region in raster *corner* coordinates.

    ``parts`` are polygons, each an outer ring followed by its holes; a ring is a tuple of ``(row, column)`` vertices,
    not closed, in which cell ``(i, j)`` covers ``[i, i+1) × [j, j+1)``. A cell belongs to the region when its centre
    ``(i + ½, j + ½)`` lies inside. ``weight`` turns the paper's mean over regions into a weighted mean.
    """

    name: str
    parts: tuple[tuple[Ring, ...], ...]
    weight: float = 1.0

    @staticmethod
    def rectangle(name: str, rows: tuple[float, float], columns: tuple[float, float], weight: float = 1.0) -> Region:
        """Return the half-open rectangle ``[r0, r1) × [c0, c1)`` of cells.

        Rectangles are given as in the paper's Table ``protected_regions``.
        """
        (top, bottom), (left, right) = rows, columns
        ring: Ring = ((top, left), (top, right), (bottom, right), (bottom, left))
        return Region(name, ((ring,),), weight)

    @property
    def as_rectangle(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """``((r0, r1), (c0, c1))`` when the region is an axis-aligned rectangle, else ``None``."""
        if len(self.parts) != 1 or len(self.parts[0]) != 1 or len(self.parts[0][0]) != 4:
            return None
        ring = self.parts[0][0]
        top, left, bottom, right = self.bounds
        corners = {(top, left), (top, right), (bottom, right), (bottom, left)}
        return ((top, bottom), (left, right)) if set(ring) == corners else None

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(top, left, bottom, right)``, raster corner coordinates."""
        rows, columns = zip(*(vertex for part in self.parts for vertex in part[0]), strict=True)
        return min(rows), min(columns), max(rows), max(columns)

    def moved(self, rows: float, columns: float) -> Region:
        """Return the region shifted by that many cells south and east."""
        parts = tuple(tuple(tuple((r + rows, c + columns) for r, c in ring) for ring in part) for part in self.parts)
        return Region(self.name, parts, self.weight)


def region_problems(regions: Iterable[Region], shape: tuple[int, int]) -> list[Problem]:
    """Return every problem of the regions on a raster of ``shape``.

    A region that is partly off the raster is clipped and is no problem.
    """
    found: list[Problem] = []
    regions = list(regions)
    for region in regions:
        where = f"region {shown_name(region.name) or '(no name)'}"
        if not region.name.strip():
            found.append(Problem(where, "the name is empty", "name every region"))
        found += character_problems(where, region.name)
        if not (math.isfinite(region.weight) and region.weight >= 0):
            found.append(Problem(where, f"weight is {plain_number(region.weight)}", "use 0 or more"))
        if not region.parts or any(not part or len(part[0]) < 3 for part in region.parts):
            found.append(Problem(where, "a polygon needs at least three corners", "draw it again"))
            continue
        if not all(math.isfinite(v) for part in region.parts for ring in part for vertex in ring for v in vertex):
            found.append(Problem(where, "a corner is not a number", "draw it again"))
            continue
        top, left, bottom, right = region.bounds
        if bottom <= 0 or right <= 0 or top >= shape[0] or left >= shape[1]:
            extent = f"rows {top:g}–{bottom:g}, columns {left:g}–{right:g}"
            found.append(
                Problem(
                    where,
                    f"lies outside the grid ({extent} on {shape[0]} × {shape[1]} cells)",
                    "move it onto the grid, or check its CRS",
                )
            )
        elif not _spans_a_centre(top, bottom, shape[0]) or not _spans_a_centre(left, right, shape[1]):
            found.append(Problem(where, "is too narrow to cover the centre of any cell", "make it larger or remove it"))
    found += repeated_names("regions", (region.name for region in regions))
    if regions and all(region.weight == 0 for region in regions):
        found.append(Problem("regions", "every weight is 0", "give at least one region a weight"))
    return found


def _spans_a_centre(low: float, high: float, cells: int) -> bool:
    """Return whether any cell centre ``i + ½`` of the raster lies in ``[low, high)``."""
    first = max(math.ceil(low - 0.5), 0)
    return first + 0.5 < high and first < cells
