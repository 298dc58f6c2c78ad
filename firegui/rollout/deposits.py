"""From a schedule to footprints, batched by aircraft type (paper, steps 1 to 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.compact_maps import WORKS
from firegui.domain.fleet import AircraftType, Material
from firegui.domain.schedule import Schedule
from firegui.rollout.footprint import Footprints, FootprintShape, footprints
from firegui.rollout.landing import drift_cells
from firegui.rollout.model import Model
from firegui.rollout.suppression import dose_of_payload

Pairs = NDArray[np.int64]

MAXIMUM_ELEMENTS = 2_000_000
"""Footprint elements evaluated at a time: bounds the memory of a batch to some tens of megabytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Footprints of the ``(step, column)`` pairs ``pairs [n, 2]`` of one aircraft type.

    ``dose`` is ``P_a α_a``.
    """

    kind: AircraftType
    dose: float
    pairs: Pairs
    prints: Footprints


def scales_of(kind: AircraftType, model: Model) -> FootprintShape:
    """Return footprint scales in cells."""
    return FootprintShape(
        kind.sigma_parallel_m / model.maps.cell_size_m, kind.sigma_perpendicular_m / model.maps.cell_size_m
    )


def groups(model: Model, wanted: NDArray[np.bool_]) -> Iterator[tuple[AircraftType, Pairs]]:
    """Yield the wanted ``(step, column)`` pairs by aircraft type in fleet order.

    Each group is sorted by step, then column.
    """
    first = 0
    for kind in model.fleet.types:
        pairs = np.argwhere(wanted[:, first : first + kind.count])
        if len(pairs):
            yield kind, pairs + np.array([0, first])
        first += kind.count


def landing_offsets(model: Model, kind: AircraftType, pairs: Pairs, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return wind drift ``[n, 2]`` = ``(Δy, Δx)`` of each pair in cells."""
    return np.stack(drift_cells(model.maps, kind, pairs[:, 0], poses[:, 0], poses[:, 1]), axis=1)


def working(model: Model, steps: NDArray[np.int64], prints: Footprints) -> Footprints:
    """Return the footprints of drops at ``steps [n]``, with 0 where drops do not work in that period.

    What falls there is lost: the rest of a footprint stays as it is.
    """
    cells = model.maps.drop_cells
    if cells is None or not len(steps):
        return prints
    periods, side = steps // model.maps.steps_per_period, np.arange(prints.weight.shape[1])
    top, left = prints.top.cpu().numpy(), prints.left.cpu().numpy()
    half = len(side) // 2
    cells.ask(periods, top + half, left + half, half)
    rows = np.clip(top[:, None] + side, 0, model.shape[0] - 1)[:, :, None]
    columns = np.clip(left[:, None] + side, 0, model.shape[1] - 1)[:, None, :]
    works = cells.values[cells.periods[periods][:, None, None], rows, columns] == WORKS
    factor = torch.from_numpy(works).to(prints.weight.device)
    slope = None if prints.slope is None else prints.slope * factor
    return replace(prints, weight=prints.weight * factor, slope=slope)


def batches(model: Model, schedule: Schedule, wanted: NDArray[np.bool_], *, slopes: bool = False) -> Iterator[Batch]:
    """Yield footprints of every wanted pair, in batches that fit in memory."""
    for kind, pairs in groups(model, wanted):
        scales = scales_of(kind, model)
        elements = (2 * scales.half_width + 1) ** 2 * (4 if slopes else 1)
        size = max(1, MAXIMUM_ELEMENTS // elements)
        dose = dose_of_payload(kind, model.maps, model.effectiveness)
        for begin in range(0, len(pairs), size):
            chunk = pairs[begin : begin + size]
            poses = schedule.poses[chunk[:, 0], chunk[:, 1]]
            landing = torch.from_numpy(poses[:, :2] + landing_offsets(model, kind, chunk, poses)).to(model.device)
            theta = torch.from_numpy(poses[:, 2].copy()).to(model.device)
            prints = footprints(landing, theta, scales, model.shape, slopes=slopes)
            yield Batch(kind, dose, chunk, working(model, chunk[:, 0], prints))


@dataclass(frozen=True, slots=True, eq=False)
class StepDose:
    """``E_t`` of one material at one step on the cells it reaches.

    Flat ``cells [k]`` and float64 ``dose [k]``, summed over aircraft and not yet capped.
    """

    cells: Tensor
    dose: Tensor


def step_doses(model: Model, schedule: Schedule, executed: NDArray[np.bool_]) -> dict[Material, dict[int, StepDose]]:
    """Return the summed doses of the executed drops, per material and step.

    What lands outside the raster is lost. The order of summation is the fleet's, so that the same schedule gives the
    same bits.
    """
    parts: dict[tuple[Material, int], list[tuple[Tensor, Tensor]]] = {}
    rows, columns = model.shape
    for batch in batches(model, schedule, executed):
        prints, side = batch.prints, batch.prints.weight.shape[1]
        tops, lefts = prints.top.tolist(), prints.left.tolist()
        for k, (step, _) in enumerate(batch.pairs.tolist()):
            top, left = tops[k], lefts[k]
            i0, i1, j0, j1 = max(top, 0), min(top + side, rows), max(left, 0), min(left + side, columns)
            if i0 >= i1 or j0 >= j1:
                continue
            patch = prints.weight[k, i0 - top : i1 - top, j0 - left : j1 - left] * batch.dose
            row = torch.arange(i0, i1, device=model.device)[:, None] * columns
            cells = row + torch.arange(j0, j1, device=model.device)[None, :]
            parts.setdefault((batch.kind.material, step), []).append((cells.reshape(-1), patch.reshape(-1)))
    doses: dict[Material, dict[int, StepDose]] = {Material.WATER: {}, Material.RETARDANT: {}}
    field = torch.zeros(model.n_cells, dtype=torch.float64, device=model.device)
    for (material, step), pieces in parts.items():
        doses[material][step] = _summed(pieces, field)
    return doses


def _summed(pieces: list[tuple[Tensor, Tensor]], field: Tensor) -> StepDose:
    """Sum overlapping patches, in their order, on ``field``, which is all zero before and after."""
    for cells, dose in pieces:
        field[cells] += dose  # a patch names each of its cells once
    # Only where the patches lie: a look at the whole raster takes longer than everything else here.
    low = min(int(cells[0]) for cells, _ in pieces)
    high = max(int(cells[-1]) for cells, _ in pieces) + 1
    touched = torch.nonzero(field[low:high]).flatten() + low
    total = field[touched]
    field[touched] = 0.0
    return StepDose(touched, total)
