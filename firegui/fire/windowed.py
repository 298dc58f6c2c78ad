"""The maps of an event under another wind, on the part of the raster where they are needed.

What does not depend on the wind is computed once; a period's maps on a window are those of the whole raster there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from firegui.domain.compact_maps import MAXIMUM_FACTOR
from firegui.domain.edge_factors import EdgeFactors
from firegui.domain.grid import Box, grown
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.stencil import EIGHT, SIXTEEN
from firegui.errors import InputError, Problem
from firegui.fire.barriers import edge_factors
from firegui.fire.landscape import Raster
from firegui.fire.learned import REACH, EventModel
from firegui.fire.parameters import ScalarParameters
from firegui.fire.physical import Wind
from firegui.fire.physical_maps import PhysicalFire
from firegui.fire.scalar import scalar_fields
from firegui.fire.spread import SpreadFields, Terrain, ignition_gains, potentials

PeriodMaps = Callable[[Wind, Box, int, Box], tuple[Raster, Raster]]
"""``(wind, around, period, box)`` to ``φ [N, h, w]`` and ``γ [h, w]`` of a period of the event on ``box``.

The model takes as many periods a day as :attr:`~firegui.domain.project.Project.model_weather` has. The wind is given on
``around``, which contains ``box`` and :data:`~firegui.fire.learned.REACH` cells more wherever the raster does.
"""


def period_maps(project: Project) -> PeriodMaps:
    """Return the project's fire model under any wind, with its barriers.

    Raises :class:`~firegui.errors.InputError` for imported maps, which know no wind but their own.
    """
    maps_of = _bare_maps(project)
    if not project.barriers:
        return maps_of
    stencil, periods = SIXTEEN if project.fire_model.kind == "physical" else EIGHT, project.wind_periods
    return _Barred(maps_of, edge_factors(project, stencil, 0, project.scenario.days * periods, periods))


def _bare_maps(project: Project) -> PeriodMaps:
    """Return the same without barriers."""
    event, kind = project.scenario, project.fire_model.kind
    if kind == "network" and project.weights is not None:
        with torch.no_grad():
            return _Network(EventModel.of(event, project.weights), event)
    if kind == "scalar":
        parameters = ScalarParameters.of(project.fire_model.parameters)
        return _Scalar(scalar_fields(event, parameters), Terrain.of_event(event), event.grid.shape)
    if kind == "physical":
        return _Physical(PhysicalFire.of(event, project.fire_model))
    what = "imported maps hold for the wind that they were made with"
    raise InputError([Problem("fire model", what, "choose a fire model of firegui, or another kind")])


def inside(box: Box, outer: Box) -> Box:
    """Return ``box`` in the coordinates of ``outer``, which contains it."""
    rows, columns = (
        slice(side.start - around.start, side.stop - around.start) for side, around in zip(box, outer, strict=True)
    )
    return rows, columns


@dataclass(frozen=True, slots=True, eq=False)
class _Barred:
    """Maps of a fire model, reduced by barriers."""

    maps_of: PeriodMaps
    barriers: EdgeFactors

    def __call__(self, wind: Wind, around: Box, period: int, box: Box) -> tuple[Raster, Raster]:
        phi, gamma = self.maps_of(wind, around, period, box)
        phi = np.array(phi)
        rows, columns = (np.arange(side.start, side.stop) for side in box)
        self.barriers.reduce(period, phi, *np.meshgrid(rows, columns, indexing="ij"), MAXIMUM_FACTOR)
        return phi, gamma


@dataclass(frozen=True, slots=True, eq=False)
class _Network:
    model: EventModel
    event: Scenario

    def __call__(self, wind: Wind, around: Box, period: int, box: Box) -> tuple[Raster, Raster]:
        wide = grown(box, REACH, self.event.grid.shape)
        with torch.no_grad():
            phi, gamma = self.model.cropped(*wide).day(*_on(wind, wide, around), self.event.date_of_day(period))
        kept = inside(box, wide)
        return phi[(slice(None), *kept)], gamma[kept]


@dataclass(frozen=True, slots=True, eq=False)
class _Scalar:
    fields: SpreadFields
    terrain: Terrain | None
    shape: tuple[int, int]

    def __call__(self, wind: Wind, around: Box, period: int, box: Box) -> tuple[Raster, Raster]:
        wide = grown(box, 1, self.shape)
        speed, towards = (torch.tensor(part) for part in _on(wind, wide, around))
        fuel, ground = self.fields.fuel, self.terrain
        fields = replace(self.fields, fuel=fuel[wide] if isinstance(fuel, Tensor) else fuel)
        ground = None if ground is None else ground.cropped(*wide)
        kept = inside(box, wide)
        phi, gamma = potentials(fields, speed, towards, ground).numpy(), ignition_gains(fields, speed).numpy()
        return phi[(slice(None), *kept)], gamma[kept]


@dataclass(frozen=True, slots=True, eq=False)
class _Physical:
    """A wind under which a fire is faster than the table leaves it at the table's speed."""

    fire: PhysicalFire

    def __call__(self, wind: Wind, around: Box, period: int, box: Box) -> tuple[Raster, Raster]:
        phi, gamma, _ = self.fire.maps(period, _on(wind, box, around), box)
        return phi, gamma


def _on(wind: Wind, box: Box, around: Box) -> Wind:
    kept = inside(box, around)
    return wind[0][kept], wind[1][kept]
