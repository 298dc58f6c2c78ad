"""The problems of a scaling study: a project's fire with fewer days, on a part of its raster, with fewer aircraft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingCase, part_of
from firegui.io.rasterize import region_masks
from firegui.planning.problem import build
from firegui.rollout.machine import available_memory
from firegui.rollout.model import Model
from firegui.rollout.remark import Tell
from firegui.rollout.simulate import prepare

Check = Callable[[], None]
Window = tuple[slice, slice]

BYTES_PER_CELL_AND_DAY = 3 * 4 * (8 + 1 + 2)
"""Of a fire: its maps, the gains laid out from them, and the way there."""
ROOM_SHARE = 0.5
"""Of the free memory that fires held at once may take."""

_Size = tuple[int, int, int]


class ScalingFires:
    """Prepares the settings of a study from one project, at nominal effectiveness.

    Operational constraints are left out: the paper's table knows only turnaround and grounded days, and pins and zones
    would not lie in every part of the raster. Settings with the same fire share it.
    """

    def __init__(self, project: Project, backend: str, tell: Tell, check: Check) -> None:
        """Raises :class:`~firegui.errors.InputError` for a project that cannot be planned."""
        bare = replace(project, operations=Operations())
        nominal = project.plan.nominal
        self.whole = build(bare, effectiveness=nominal, backend=backend, tell=tell, check=check)
        self._project, self._backend = project, backend
        self._masks = region_masks(project.regions, self.whole.shape)
        self._kept: dict[_Size, Model] = {}

    def model(self, case: ScalingCase) -> Model:
        """The problem of ``case``; its fire is kept until :meth:`forget`."""
        fleet = grounded_within(part_of(self._project.planned_fleet, case.aircraft), case.days)
        return replace(self._fire(_size(case)), fleet=fleet)

    def forget(self) -> None:
        """Let go of every fire but the whole one."""
        self._kept.clear()

    def groups(self, cases: Sequence[ScalingCase]) -> list[list[ScalingCase]]:
        """``cases`` in groups whose fires fit into memory together: one, unless memory is short."""
        room = available_memory()
        return grouped(cases, None if room is None else ROOM_SHARE * room)

    def _fire(self, size: _Size) -> Model:
        if size == (*self.whole.shape, self.whole.maps.days):
            return self.whole
        if size not in self._kept:
            self._kept[size] = self._prepared(size)
        return self._kept[size]

    def _prepared(self, size: _Size) -> Model:
        rows, columns, days = size
        whole, plan = self.whole, self._project.plan
        window = window_around(whole.maps.ignition, (rows, columns))
        masks = self._masks[:, window[0], window[1]]
        inside = np.array([mask.any() for mask in masks], bool)
        weights = [region.weight for region, there in zip(self._project.regions, inside.tolist(), strict=True) if there]
        return prepare(
            part_of_maps(whole.maps.window(0, days), window),
            whole.fleet,
            masks[inside],
            weights,
            weights=plan.weights,
            effectiveness=plan.nominal,
            retardant_acts_on=plan.retardant_acts_on,
            backend=self._backend,
            tell=whole.tell,
        )


def grouped(cases: Sequence[ScalingCase], room: float | None) -> list[list[ScalingCase]]:
    """``cases`` in their order, a new group wherever another fire would not fit into ``room`` bytes any more.

    A fire that does not fit alone is tried alone. ``None`` is room enough.
    """
    groups: list[list[ScalingCase]] = []
    held: set[_Size] = set()
    taken = 0.0
    for case in cases:
        size = _size(case)
        need = 0.0 if size in held else float(BYTES_PER_CELL_AND_DAY * case.cells * case.days)
        if not groups or (room is not None and need > 0.0 and taken + need > room):
            groups.append([])
            held, taken = set(), 0.0
            need = float(BYTES_PER_CELL_AND_DAY * case.cells * case.days)
        groups[-1].append(case)
        held.add(size)
        taken += need
    return groups


def grounded_within(fleet: Fleet, days: int) -> Fleet:
    """The fleet with the grounded days of its first ``days`` alone."""
    kinds = (kind.with_grounded_days(tuple(day for day in kind.grounded_days if day < days)) for kind in fleet.types)
    return Fleet(tuple(kinds))


def window_around(ignition: NDArray[np.bool_], shape: tuple[int, int]) -> Window:
    """The part of ``shape`` of the raster in the middle of which, as far as its rim allows, the fire begins.

    Its middle is the burning cell nearest to the centroid of all, so that there is always a fire in it. A window keeps
    the cells as they are. On a coarser raster of the same extent the same daily maps would carry the fire several
    times as fast, and a footprint would shrink to a fraction of a cell: another fire and another problem.
    """
    cells = np.argwhere(ignition)
    middle = cells[np.argmin(((cells - cells.mean(axis=0)) ** 2).sum(axis=1))]
    first = [
        int(np.clip(at - size // 2, 0, whole - size))
        for at, size, whole in zip(middle, shape, ignition.shape, strict=True)
    ]
    return slice(first[0], first[0] + shape[0]), slice(first[1], first[1] + shape[1])


def part_of_maps(maps: FireMaps, window: Window) -> FireMaps:
    """The fire inside ``window``; beyond it nothing burns."""
    rows, columns = window
    return replace(
        maps,
        phi=maps.phi[..., rows, columns],
        gamma=maps.gamma[..., rows, columns],
        burnable=maps.burnable[rows, columns],
        wind_speed=maps.wind_speed[..., rows, columns],
        wind_dir=maps.wind_dir[..., rows, columns],
        ignition=maps.ignition[rows, columns],
    )


def _size(case: ScalingCase) -> _Size:
    return case.rows, case.columns, case.days
