"""Where the demo's reservoir, village and road lie, and where its fire starts: chosen from the invented terrain."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.fire.demo.terrain import Floats

Cell = tuple[int, int]
Bools = NDArray[np.bool_]

RESERVOIR_CELLS = 420
VILLAGE_CELLS = 130
IGNITION_CELLS = 96
"""About 9 hectares burning when the plan starts."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """``reservoir`` and ``village`` as masks ``[H, W]``, ``road`` as cells from the west to the east edge."""

    reservoir: Bools
    water_level_m: float
    village: Bools
    village_centre: Cell
    road: tuple[Cell, ...]


def near(shape: tuple[int, int], row_share: float, column_share: float, radius: float) -> Bools:
    """The disc of ``radius`` cells around a point given as shares of the raster."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    centre = (row_share * (shape[0] - 1), column_share * (shape[1] - 1))
    return np.asarray((rows - centre[0]) ** 2 + (columns - centre[1]) ** 2 <= radius**2)


def best_cell(cost: Floats, allowed: Bools) -> Cell:
    """The allowed cell of lowest cost, the first in row order among equals."""
    row, column = np.unravel_index(int(np.argmin(np.where(allowed, cost, np.inf))), cost.shape)
    return int(row), int(column)


def grown(cost: Floats, seed: Cell, cells: int, allowed: Bools | None = None) -> Bools:
    """A connected patch of ``cells`` cells: from ``seed``, always the cheapest cell next to the patch is added."""
    taken = np.zeros(cost.shape, bool)
    queued = np.zeros(cost.shape, bool)
    queued[seed] = True
    heap = [(float(cost[seed]), seed)]
    while heap and cells > 0:
        _, (row, column) = heapq.heappop(heap)
        taken[row, column] = True
        cells -= 1
        for cell in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
            inside = 0 <= cell[0] < cost.shape[0] and 0 <= cell[1] < cost.shape[1]
            if inside and not queued[cell] and (allowed is None or allowed[cell]):
                queued[cell] = True
                heapq.heappush(heap, (float(cost[cell]), cell))
    return taken


def distance_from(cell: Cell, shape: tuple[int, int]) -> Floats:
    """Distance of every cell from ``cell``, in cells."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    return np.asarray(np.hypot(rows - cell[0], columns - cell[1]), np.float64)


def choose_places(elevation: Floats, slope: Floats) -> Places:
    """A reservoir on low ground, a village on gentle ground north of it, both east of the fire, and a road."""
    shape = (int(elevation.shape[0]), int(elevation.shape[1]))
    outlet = best_cell(elevation, near(shape, 0.72, 0.72, 24.0))
    reservoir = grown(elevation + 2.0 * distance_from(outlet, shape), outlet, RESERVOIR_CELLS)
    dry = near(shape, 0.38, 0.60, 16.0) & ~reservoir
    centre = best_cell(slope, dry)
    village = grown(slope + 1.2 * distance_from(centre, shape), centre, VILLAGE_CELLS, ~reservoir)
    climb = elevation + np.where(reservoir, 1e4, 0.0)
    west, east = (
        easiest_way(climb[:, : centre[1] + 1], centre[0]),
        easiest_way(climb[:, centre[1] :][:, ::-1], centre[0]),
    )
    road = [(row, column) for column, row in enumerate(west)]
    road += [(row, shape[1] - 1 - column) for column, row in enumerate(east[:-1])][::-1]
    return Places(reservoir, float(elevation[reservoir].max()), village, centre, tuple(road))


def start_of_fire(burnable: Bools, unevenness: Floats) -> Bools:
    """Where the demo burns at the start: a connected patch in the west, on fuel, with an outline that is not round."""
    shape = (int(burnable.shape[0]), int(burnable.shape[1]))
    allowed = near(shape, 0.52, 0.26, 16.0) & burnable
    target = best_cell(distance_from((round(0.52 * shape[0]), round(0.26 * shape[1])), shape), allowed)
    return grown(distance_from(target, shape) + 1.5 * unevenness, target, IGNITION_CELLS, burnable)


def easiest_way(elevation: Floats, last_row: int) -> list[int]:
    """Rows, one per column, of the way from the first column to ``last_row`` in the last with the least climbing.

    Each column moves by at most one row; the cost of a move is the metres climbed or descended.
    """
    rows, columns = elevation.shape
    cost = np.zeros(rows)
    came_from = np.zeros((columns, rows), np.int64)
    for column in range(1, columns):
        options = np.full((3, rows), np.inf)
        for index, shift in enumerate((0, -1, 1)):
            to = slice(max(0, -shift), rows - max(0, shift))
            start = slice(to.start + shift, to.stop + shift)
            climb = np.abs(elevation[to, column] - elevation[start, column - 1]) + abs(shift)
            options[index, to] = cost[start] + climb
        choice = options.argmin(axis=0)
        came_from[column] = np.arange(rows) + np.array([0, -1, 1])[choice]
        cost = options.min(axis=0)
    way = [last_row]
    for column in range(columns - 1, 0, -1):
        way.append(int(came_from[column, way[-1]]))
    return way[::-1]
