"""Which part of the grid a map shows, and at which scale."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.io.exporters.content import ExportContent, Occupancy
from firegui.io.exporters.table import outlines
from firegui.io.georeference import Georeference

M_PER_INCH = 0.0254
_SCALES = (2.0, 2.4, 3.0, 4.0, 5.0, 6.336, 8.0, 10.0, 12.0, 15.0)
"""Leading digits of the representative fractions in use: 1:24,000 and 1:63,360 among them."""
_SMALLEST = 5_000
_MARGIN = 0.06
_SEEN = 0.1
"""Cells with at least this probability of fire belong on the map."""
_NORTHWARD = 0.01
"""Degrees along the meridian to where its direction is taken."""

Box = tuple[float, float, float, float]
"""``(top, left, bottom, right)``, raster corner coordinates."""


@dataclass(frozen=True, slots=True)
class MapFrame:
    """The part of ``grid`` in a frame of ``width`` × ``height`` inches at 1:``scale``.

    ``box`` may reach past it.
    """

    grid: Grid
    box: Box
    scale: int
    width: float
    height: float

    @property
    def cells_per_inch(self) -> float:
        """Cells of the grid in an inch of paper."""
        return self.scale * M_PER_INCH / self.grid.cell_size_m

    def inches(self, column: float, row: float) -> tuple[float, float]:
        """Return where a corner-coordinate point lies in the frame: inches from its lower left corner."""
        _, left, bottom, _ = self.box
        return (column - left) / self.cells_per_inch, (bottom - row) / self.cells_per_inch

    def shows(self, column: float, row: float) -> bool:
        """Return whether the point lies in the frame."""
        top, left, bottom, right = self.box
        return left <= column <= right and top <= row <= bottom

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of what the frame shows of the grid as a position ``(y, x)``, cell centres at integers."""
        top, left, bottom, right = self.box
        rows = max(top, 0.0), min(bottom, float(self.grid.rows))
        columns = max(left, 0.0), min(right, float(self.grid.columns))
        return sum(rows) / 2.0 - 0.5, sum(columns) / 2.0 - 0.5


def view_of(content: ExportContent, width: float, height: float, *, with_areas: bool = False) -> MapFrame:
    """Lay fire and drops of the chosen days, or the whole grid, into a frame.

    Protected regions and no-drop zones count ``with_areas``.

    The frame has ``width`` × ``height`` inches. The scale is the largest round one at which it fits; where it can be,
    the frame is filled with grid.
    """
    grid = content.project.scenario.grid
    whole = (0.0, 0.0, float(grid.rows), float(grid.columns))
    seen = whole if content.sheet.whole_grid else _interest(content, with_areas) or whole
    top, left, bottom, right = seen
    cell = grid.cell_size_m
    across, up = width * M_PER_INCH, height * M_PER_INCH
    scale = round_scale(max((right - left) * cell / across, (bottom - top) * cell / up))
    columns, rows = across * scale / cell, up * scale / cell
    left, right = _spread((left + right) / 2.0, columns, grid.columns)
    top, bottom = _spread((top + bottom) / 2.0, rows, grid.rows)
    return MapFrame(grid, (top, left, bottom, right), scale, width, height)


def round_scale(least: float) -> int:
    """Return the smallest denominator in use that is not below ``least``."""
    return next(scale for scale in _scales() if scale >= least * (1.0 - 1e-9))


def _scales() -> Iterator[int]:
    power = 1_000
    while True:
        yield from (scale for scale in (round(digit * power) for digit in _SCALES) if scale >= _SMALLEST)
        power *= 10


def _spread(middle: float, length: float, cells: int) -> tuple[float, float]:
    """Return an interval of ``length`` around ``middle``, moved into ``0 … cells``.

    One that is longer is centred there.
    """
    if length >= cells:
        return cells / 2.0 - length / 2.0, cells / 2.0 + length / 2.0
    low = min(max(middle - length / 2.0, 0.0), cells - length)
    return low, low + length


def state_at(fire: Occupancy | None, boundary: int) -> NDArray[np.float32] | None:
    """Return ``[H, W]`` at a day boundary, ``None`` where it is not known."""
    if fire is None or not fire.first <= boundary < fire.first + len(fire.days):
        return None
    state: NDArray[np.float32] = fire.days[boundary - fire.first]
    return state


def _interest(content: ExportContent, with_areas: bool) -> Box | None:
    """Return what must be seen.

    The fire at the plan's start, the fire at the end of the chosen days, and their drops. ``with_areas`` regions and
    zones too, but the fire without drops only where that with the plan is not known.
    """
    project, days = content.project, content.sheet.days(content.project.calendar)
    masks = [project.scenario.fire_on(project.plan.start_day)]
    # Where people are to read what is dropped near regions, the fire without drops would make the map too small.
    fires = (content.plan,) if with_areas and content.plan is not None else (content.plan, content.baseline)
    ends = [state_at(fire, days.stop) for fire in fires]
    masks += [None if state is None else np.asarray(state >= _SEEN) for state in ends]
    boxes = [box for box in (_bounds(mask) for mask in masks) if box is not None]
    rings = outlines([row.drop for row in content.flown if row.day in days])
    if len(rings):
        (left, top), (right, bottom) = rings.min(axis=(0, 1)), rings.max(axis=(0, 1))
        boxes.append((float(top), float(left), float(bottom), float(right)))
    if with_areas:
        areas = (*project.regions, *project.operations.no_drop_zones)
        boxes += [area.bounds for area in areas]
    if not boxes:
        return None
    table = np.array(boxes, np.float64)
    (top, left), (bottom, right) = table[:, :2].min(axis=0), table[:, 2:].max(axis=0)
    margin = _MARGIN * max(bottom - top, right - left) + 1.0
    return float(top - margin), float(left - margin), float(bottom + margin), float(right + margin)


def _bounds(mask: NDArray[np.bool_] | None) -> Box | None:
    if mask is None or not mask.any():
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return float(rows[0]), float(columns[0]), float(rows[-1] + 1), float(columns[-1] + 1)


def grid_north(place: Georeference, y: float, x: float) -> float | None:
    """Return angle from true north to the grid's north at a position in degrees, clockwise.

    ``None`` without a place. It is taken between the meridian as it lies on the map and the map's upward direction.
    """
    at = place.lonlat(y, x)
    head = None if at is None else place.from_lonlat(at[0], at[1] + (_NORTHWARD if at[1] < 89.0 else -_NORTHWARD))
    if at is None or head is None:
        return None
    up, across = y - head[0], head[1] - x
    turn = math.degrees(math.atan2(across, up))
    return -turn if at[1] < 89.0 else -math.remainder(turn + 180.0, 360.0)
