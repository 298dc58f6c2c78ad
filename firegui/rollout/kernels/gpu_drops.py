"""Drops as the GPU kernels read them: one row of numbers each, and the tiles in their reach.

Computed in NumPy without a loop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule
from firegui.rollout.deposits import scales_of
from firegui.rollout.footprint import CELL_VARIANCE, MINIMUM_EXPONENT
from firegui.rollout.landing import fall_time_s
from firegui.rollout.model import Model
from firegui.rollout.suppression import dose_of_payload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEGLIGIBLE = 1e-7
"""Doses below this are left out: they change no response by more than float32 does."""
COLUMNS = 21
"""Numbers of a drop, in the order of the constants of ``gpu_arithmetic``."""
SLACK = 1e-6
"""Cells by which a footprint's box is widened, so that rounding never leaves out a cell that the kernels count."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """Division of the raster into tiles.

    Fields are ``[tile_rows · height, tile_columns · width]``, a little larger than the raster.
    """

    rows: int
    columns: int
    height: int
    width: int

    @property
    def tile_rows(self) -> int:
        """Rows of tiles."""
        return -(-self.rows // self.height)

    @property
    def tile_columns(self) -> int:
        """Columns of tiles."""
        return -(-self.columns // self.width)

    @property
    def tiles(self) -> int:
        """Number of tiles."""
        return self.tile_rows * self.tile_columns

    @property
    def field(self) -> tuple[int, int]:
        """Shape of a field."""
        return self.tile_rows * self.height, self.tile_columns * self.width


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """The ``wanted [T, A]`` pairs of a schedule, which is number ``run`` of its batch."""

    run: int
    schedule: Schedule
    wanted: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class GpuDropList:
    """Drops ordered by step, run and column of the fleet.

    ``rows [n, 21]`` float64; ``pairs [m]`` the drop of every (drop, tile) pair; ``drop_at [T + 1]`` and
    ``pair_at [T + 1]`` where the drops and the pairs of a step begin; ``index [n, 2]`` step and column; ``group`` the
    most drops of one run at one step.
    """

    rows: Floats
    pairs: NDArray[np.int32]
    drop_at: Ints
    pair_at: Ints
    index: Ints
    group: int

    def most_at_a_step(self) -> int:
        """Return the most drops of a step, over all runs."""
        return int(np.diff(self.drop_at).max(initial=0))

    def most_pairs(self, steps: int) -> int:
        """Return the most pairs in any ``steps`` steps that begin at a multiple of ``steps``."""
        at = self.pair_at[np.minimum(np.arange(0, len(self.pair_at) - 1 + steps, steps), len(self.pair_at) - 1)]
        return int(np.diff(at).max(initial=0))


def farthest(dose: float) -> float:
    """Return the exponent beyond which a footprint is not evaluated.

    ``P α G`` is negligible there, or it is the model's −50.
    """
    return max(math.log(NEGLIGIBLE / max(dose, NEGLIGIBLE)), MINIMUM_EXPONENT)


def band_size(model: Model) -> tuple[int, int]:
    """Return the evaluated cells along and across the axis of the largest footprint.

    The number across is a power of two.
    """
    longest, widest = 1, 1
    for kind in model.fleet.types:
        scales, far = scales_of(kind, model), farthest(dose_of_payload(kind, model.maps, model.effectiveness))
        # The window is walked along the coordinate closer to the long axis, which tilts the cut by √2 at most.
        half = math.sqrt(-2.0 * far * 2.0 * (scales.perpendicular**2 + CELL_VARIANCE)) + 0.5
        longest = max(longest, 2 * scales.half_width + 1)
        widest = max(widest, min(2 * math.floor(half) + 1, 4 * scales.half_width + 1))
    return longest, int(2 ** math.ceil(math.log2(widest + 1)))


@dataclass(frozen=True, slots=True, eq=False)
class AircraftColumns:
    """Aircraft data of a drop, by column of the schedule."""

    along: Floats
    across: Floats
    dose: Floats
    half: Floats
    water: Floats
    far: Floats
    fall_s: Floats


def columns_of(model: Model) -> AircraftColumns:
    """Return the fleet, column by column."""
    rows = []
    for kind in model.fleet.types:
        scales, dose = scales_of(kind, model), dose_of_payload(kind, model.maps, model.effectiveness)
        along, across = (1.0 / (s**2 + CELL_VARIANCE) for s in (scales.parallel, scales.perpendicular))
        water = float(kind.material is Material.WATER)
        row = (along, across, dose, float(scales.half_width), water, farthest(dose), fall_time_s(kind))
        rows += [row] * kind.count
    return AircraftColumns(*np.array(rows, np.float64).reshape(-1, 7).T)


def drop_list(model: Model, tiling: Tiling, requests: Sequence[Request]) -> GpuDropList:
    """Return the wanted drops of all requests."""
    wanted = np.stack([request.wanted for request in requests], axis=1)  # [T, runs, A], already in the list's order
    step, position, column = np.nonzero(wanted)
    poses = np.empty((len(step), 3))
    by_run = np.argsort(position.astype(np.int16), kind="stable")  # a radix sort
    bounds = np.searchsorted(position[by_run], np.arange(len(requests) + 1))
    for number, request in enumerate(requests):
        mine = by_run[bounds[number] : bounds[number + 1]]
        poses[mine] = request.schedule.poses[step[mine], column[mine]]
    run = np.array([request.run for request in requests])[position]
    rows = _rows(model, step, column, poses)
    rows[:, 18], rows[:, 19] = run, step
    _reach(rows, tiling)
    counts = (rows[:, 13] * rows[:, 14]).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows[:, 15] = starts[:-1]
    cuts = np.flatnonzero(np.diff(step * len(requests) + position, prepend=-1, append=-1))  # between steps and runs
    sizes = np.diff(cuts)
    rows[:, 16], rows[:, 17] = np.repeat(cuts[:-1], sizes), np.repeat(cuts[1:], sizes)
    drop_at = np.searchsorted(step, np.arange(model.n_steps + 1))
    pairs = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    index = np.stack([step, column], axis=1)
    return GpuDropList(rows, pairs, drop_at, starts[drop_at], index, int(sizes.max(initial=1)))


def _rows(model: Model, step: Ints, column: Ints, poses: Floats) -> Floats:
    """Return the rows without what depends on tiles, runs and other drops.

    The drift is that of ``landing.drift_cells``.
    """
    maps, of = model.maps, columns_of(model)
    last = np.array(model.shape) - 1
    release = np.clip(np.rint(poses[:, :2]), 0, last).astype(np.int64)
    at = (step // maps.steps_per_period, release[:, 0], release[:, 1])
    reach = maps.wind_speed[at].astype(np.float64) * of.fall_s[column] / maps.cell_size_m
    towards = maps.wind_dir[at].astype(np.float64)
    landing = poses[:, :2] + np.stack([-reach * np.sin(towards), reach * np.cos(towards)], axis=1)
    centre = np.clip(np.rint(landing), 0, last)
    rows = np.zeros((len(poses), COLUMNS))
    rows[:, 0:2] = landing - centre
    rows[:, 2], rows[:, 3] = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    rows[:, 4], rows[:, 5], rows[:, 6], rows[:, 7] = (
        values[column] for values in (of.along, of.across, of.dose, of.half)
    )
    rows[:, 8:10] = centre
    rows[:, 10], rows[:, 20] = of.water[column], of.far[column]
    return rows


def _reach(rows: Floats, tiling: Tiling) -> None:
    """Compute the rectangle of tiles that a footprint can reach, in columns 11 to 14.

    It is empty where the footprint misses the raster.
    """
    cos2, sin2 = rows[:, 2] ** 2, rows[:, 3] ** 2
    along, across = 1.0 / rows[:, 4], 1.0 / rows[:, 5]
    variance = np.stack([sin2 * along + cos2 * across, cos2 * along + sin2 * across], axis=1)
    spread = np.sqrt(variance * -2.0 * rows[:, 20:]) + SLACK
    half, size = rows[:, 7:8], np.array([tiling.rows, tiling.columns])
    low = np.maximum(np.maximum(np.ceil(rows[:, 0:2] - spread), -half) + rows[:, 8:10], 0)
    high = np.minimum(np.minimum(np.floor(rows[:, 0:2] + spread), half) + rows[:, 8:10], size - 1)
    tile = np.array([tiling.height, tiling.width])
    first, last = low // tile, high // tile
    empty = (low > high).any(axis=1)
    rows[:, 11:13] = np.where(empty[:, None], 0, first)
    rows[:, 13:15] = np.where(empty[:, None], 0, last - first + 1)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceDrops:
    """A drop list on the device. ``shares [n]`` is to hold ``P α / Σ G``."""

    host: GpuDropList
    rows: Tensor
    pairs: Tensor
    shares: Tensor


def upload(drops: GpuDropList, device: str) -> DeviceDrops:
    """Copy a list to ``device``."""
    rows, pairs = torch.from_numpy(drops.rows).to(device), torch.from_numpy(drops.pairs).to(device)
    return DeviceDrops(drops, rows, pairs, torch.zeros(len(drops.rows), dtype=torch.float64, device=device))
