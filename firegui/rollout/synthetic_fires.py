"""Synthetic fires for timing an engine: small, enlarged, and held by a ring of drops."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.calendar import STEPS_PER_DAY
from firegui.domain.fleet import AircraftType, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.stencil import NEIGHBOURS
from firegui.rollout.deposits import scales_of
from firegui.rollout.footprint import CELL_VARIANCE
from firegui.rollout.gates import apply_gates
from firegui.rollout.landing import drift_cells
from firegui.rollout.model import Model
from firegui.rollout.suppression import dose_of_payload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SHAPE, DAYS = (619, 748), 15
START_CELLS = 2391
"""Grid, horizon and starting size of the paper's fire; all else of :func:`synthetic_fire` is made up."""

BAND_CELLS = 9


def synthetic_fire(shape: tuple[int, int] = SHAPE, days: int = DAYS, start_cells: int = START_CELLS) -> FireMaps:
    """Return a fire of constant parameters under an invented daily wind.

    It starts from a disc of about ``start_cells`` in the middle. ``φ_n = k exp(c V cos(β_n − ψ)) / d_n`` with
    ``k = 0.044``, ``c = 0.5``, ``d_n`` the distance in cells; ``γ = 1``, every cell burns, 30 m cells, ``T_burn = 10``
    steps.
    """
    day = np.arange(days)
    speed = (1.5 + 0.6 * np.sin(1.7 * day)).astype(np.float32)  # m/s
    towards = (-0.6 + 1.1 * np.sin(0.9 * day)).astype(np.float32)
    phi = np.empty((days, 8, *shape), np.float32)
    for n, (d_row, d_column) in enumerate(NEIGHBOURS):
        direction = np.arctan2(d_row, -d_column)  # from the neighbour into the cell, rows count southward
        along = np.exp(0.5 * speed * np.cos(direction - towards)) / np.hypot(d_row, d_column)
        phi[:, n] = (0.044 * along)[:, None, None]
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    from_middle = (rows - shape[0] // 2) ** 2 + (columns - shape[1] // 2) ** 2
    everywhere = np.ones((days, *shape), np.float32)
    return FireMaps(
        phi, everywhere, np.ones(shape, bool), everywhere * speed[:, None, None], everywhere * towards[:, None, None],
        from_middle <= start_cells / np.pi, 10.0, STEPS_PER_DAY, 30.0, 2.7,
    )  # fmt: skip


def enlarged(maps: FireMaps, factor: int) -> FireMaps:
    """Return the same fire in the middle of a raster ``factor`` times as high and as wide.

    Its rim is extended outward. Drops work everywhere, and what burns ahead of the start passes barriers.
    """
    if factor == 1:
        return maps
    sides = [((factor - 1) * size // 2, (factor - 1) * size - (factor - 1) * size // 2) for size in maps.shape]

    def outward(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.pad(values, [(0, 0)] * (values.ndim - 2) + sides, mode="edge")

    return replace(
        maps,
        phi=outward(np.asarray(maps.phi)),
        gamma=outward(maps.gamma),
        burnable=np.pad(maps.burnable, sides, mode="edge"),
        wind_speed=outward(np.asarray(maps.wind_speed)),
        wind_dir=outward(np.asarray(maps.wind_dir)),
        ignition=np.pad(maps.ignition, sides),
        burned_out=None if maps.burned_out is None else np.pad(maps.burned_out, sides),
        drop_cells=None,
        barriers=None,
    )


def bytes_of(maps: FireMaps) -> int:
    """Return the memory of the maps in bytes."""
    arrays = (maps.phi, maps.gamma, maps.burnable, maps.wind_speed, maps.wind_dir, maps.ignition)
    return sum(np.asarray(array).nbytes for array in arrays)


def poised_schedule(model: Model, fire: NDArray[np.float32]) -> Schedule:
    """Return a schedule without drops in which every aircraft is poised over a burning cell.

    These are cells of ``fire [H, W]`` where ``P > 0.5``, at every step.
    What an optimizer starts from: each available pair has a footprint to differentiate, and none is executed.
    """
    schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    return _poised(schedule, np.argwhere(fire > min(0.5, 0.5 * float(fire.max()))))


def holding_schedule(model: Model, drops: int, distance: int) -> Schedule:
    """Return a schedule that lays a band of retardant around the fire as fast as the fleet flies.

    The band is ``distance`` cells off. The first ``drops`` slots that the gates leave are used, in time order.
    Retardant always goes where the band has got least: first once around, then again and again, along the band. Water
    goes to the edge of the starting fire in turn. Aircraft that do not drop are poised over the band.
    """
    maps, fleet = model.maps, model.fleet
    size = (maps.n_steps, fleet.n_aircraft)
    slots = np.argwhere(apply_gates(np.ones(size, bool), fleet, maps.steps_per_day, model.rules).executed)[:drops]
    ring = _Ring.around(maps.ignition, distance)
    schedule = _poised(Schedule.empty(*size), ring.cells)
    edge = np.argwhere(maps.ignition & _spread(~maps.ignition))
    edge = edge if len(edge) else np.argwhere(maps.ignition)
    tails = fleet.tails
    for turn, (step, column) in enumerate(slots.tolist()):
        kind = tails[column].type
        if kind.material is Material.WATER:
            target, heading = edge[turn * 7 % len(edge)].astype(np.float64), 0.0
        else:
            target, heading = ring.treat(model, kind)
        drift = drift_cells(maps, kind, np.array([step]), target[:1], target[1:])
        schedule.logits[step, column] = 3.0
        schedule.poses[step, column] = (target[0] - drift[0][0], target[1] - drift[1][0], heading)
    return schedule


def _poised(schedule: Schedule, cells: Ints) -> Schedule:
    generator = np.random.default_rng(0)
    size = schedule.logits.shape
    schedule.poses[:, :, :2] = cells[generator.integers(len(cells), size=size)]
    schedule.poses[:, :, 2] = generator.uniform(0.0, np.pi, size)
    return schedule


@dataclass(slots=True, eq=False)
class _Ring:
    """A band of cells ``[n, 2]`` around a fire, the heading along it at each, and the dose each has got."""

    cells: Ints
    headings: Floats
    dose: Floats

    @staticmethod
    def around(fire: Bools, distance: int) -> _Ring:
        """Return cells ``distance … distance + BAND_CELLS`` off ``fire``, in octagonal steps."""
        rows, columns = np.nonzero(fire)
        margin = distance + BAND_CELLS + 6
        top, left = max(int(rows.min()) - margin, 0), max(int(columns.min()) - margin, 0)
        near = fire[top : int(rows.max()) + margin + 1, left : int(columns.max()) + margin + 1]
        steps = _steps_away(near, margin)
        first = min(distance, int(steps.max()))  # a raster may end before the band begins
        band = (steps >= first) & (steps < first + BAND_CELLS)
        # The outward direction comes from distances smoothed over some cells; the band runs across it.
        smooth = torch.nn.functional.avg_pool2d(torch.from_numpy(steps)[None, None], 9, 1, 4, count_include_pad=False)
        d_row, d_column = np.gradient(smooth[0, 0].numpy().astype(np.float64))
        heading = np.mod(np.arctan2(d_column, d_row), np.pi)
        cells = np.argwhere(band)
        return _Ring(cells + np.array([top, left]), heading[band], np.zeros(len(cells)))

    def treat(self, model: Model, kind: AircraftType) -> tuple[Floats, float]:
        """Choose where an aircraft of ``kind`` drops, record it, and return the cell and the heading."""
        weakest = int(np.argmin(self.dose))
        target, heading = self.cells[weakest].astype(np.float64), float(self.headings[weakest])
        scales = scales_of(kind, model)
        offset = self.cells - target
        along = offset[:, 1] * np.cos(heading) - offset[:, 0] * np.sin(heading)
        across = offset[:, 1] * np.sin(heading) + offset[:, 0] * np.cos(heading)
        long, short = scales.parallel**2 + CELL_VARIANCE, scales.perpendicular**2 + CELL_VARIANCE
        share = np.exp(-0.5 * (along**2 / long + across**2 / short)) / (2.0 * np.pi * np.sqrt(long * short))
        self.dose += share * dose_of_payload(kind, model.maps, model.effectiveness)
        return target, heading


def _steps_away(fire: Bools, most: int) -> NDArray[np.float32]:
    """Return how many octagonal steps each cell lies off ``fire``, up to ``most``."""
    steps = np.full(fire.shape, float(most), np.float32)
    reached = fire
    steps[reached] = 0.0
    for step in range(1, most):
        wider = _spread(reached, diagonal=step % 2 == 0)
        steps[wider & ~reached] = step
        reached = wider
    return steps


def _spread(cells: Bools, *, diagonal: bool = True) -> Bools:
    """Return ``cells`` and their neighbours."""
    padded = np.pad(cells, 1)
    rows, columns = cells.shape
    found = cells.copy()
    for d_row, d_column in NEIGHBOURS:
        if diagonal or d_row == 0 or d_column == 0:
            found |= padded[1 + d_row : 1 + d_row + rows, 1 + d_column : 1 + d_column + columns]
    return found
