"""Maps of sixteen neighbours of the physical fire model.

A cell's speed, direction and length-to-width ratio (:mod:`firegui.fire.physical`) become gains by the table of
:mod:`firegui.fire.front_table`; ``φ`` holds them and ``γ`` is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.maps import FireMaps
from firegui.domain.physical import PhysicalSettings
from firegui.domain.scenario import Scenario
from firegui.domain.stencil import SIXTEEN
from firegui.errors import InputError, Problem
from firegui.fire.front_table import MOST_CELLS_PER_STEP, FrontTable
from firegui.fire.landscape import Raster
from firegui.fire.physical import TITLE, WHOLE, PhysicalGround, Place, Wind


@dataclass(frozen=True, slots=True, eq=False)
class PhysicalFire:
    """Ground and table of an event whose steps a day are chosen.

    ``cells_per_metre_min`` turns m/min into cells per step; ``most`` is the fastest head in cells per step.
    ``refuses_faster`` is set where no limit of the user's slows the fire down.
    """

    ground: PhysicalGround
    table: FrontTable
    cells_per_metre_min: float
    most: float
    steps_per_day: int
    refuses_faster: bool

    @staticmethod
    def of(event: Scenario, settings: PhysicalSettings) -> PhysicalFire:
        """Raise :class:`~firegui.errors.InputError` like :meth:`PhysicalGround.of`."""
        ground = PhysicalGround.of(event, settings)
        scale = 1440.0 / (event.steps_per_day * event.grid.cell_size_m)
        is_limited = settings.speed_percentile < 100.0
        most = settings.cells_per_step if is_limited else MOST_CELLS_PER_STEP
        table = FrontTable.of(settings.burn_steps(event.steps_per_day))
        return PhysicalFire(ground, table, scale, most, event.steps_per_day, not is_limited)

    def maps(self, period: int, wind: Wind, box: Place = WHOLE) -> tuple[Raster, Raster, float]:
        """Return ``φ [16, h, w]`` and ``γ [h, w]`` of a period on ``box``, or on cells, under ``wind`` there.

        The third is its fastest head in cells per step.
        """
        spread = self.ground.spread(period, wind, box)
        cells = spread.speed * np.float32(self.cells_per_metre_min)
        phi = self.table.gains(np.minimum(cells, np.float32(self.most)), spread.ratio, spread.direction)
        return phi, self.ground.burnable[box].astype(np.float32), float(cells.max(initial=0.0))

    def potentials(self, period: int, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Raster:
        """Return ``φ [16, ...]`` of cells ``rows [...], columns [...]`` in a period of the event.

        Raises :class:`~firegui.errors.InputError` where the fire there needs more steps than the event has.
        """
        wind = self.ground.weather.wind_of_cells(period, rows, columns)
        phi, _, fastest = self.maps(period, wind, (rows, columns))
        if self.refuses_faster and fastest > MOST_CELLS_PER_STEP:
            what = f"is too fast for {self.steps_per_day:,} steps a day: it moves {fastest:.2f} cells a step"
            remedy = "choose the physical model again, so that the steps follow from it, or test a weaker wind"
            raise InputError([Problem("the fastest fire", what, remedy)], TITLE)
        return phi


def physical_maps(
    event: Scenario, settings: PhysicalSettings, ignition: NDArray[np.bool_], start_day: int, days: int
) -> FireMaps:
    """Return the maps of ``days`` event days from ``start_day``, started from ``ignition [H, W]``.

    Their spread is made where the fire goes. Raises :class:`~firegui.errors.InputError` like
    :meth:`PhysicalGround.of`.
    """
    fire = PhysicalFire.of(event, settings)
    weather, shape = fire.ground.weather, event.grid.shape
    first, count = (number * weather.periods_per_day for number in (start_day, days))
    speed, towards = weather.winds(slice(first, first + count), shape)
    periods = np.arange(first, first + count)
    return FireMaps(
        phi=SpreadOnDemand(fire.potentials, periods, len(SIXTEEN.offsets), shape, fire.table.most_gain),
        gamma=np.broadcast_to(fire.ground.burnable.astype(np.float32), (count, *shape)),
        burnable=fire.ground.burnable,
        wind_speed=speed,
        wind_dir=towards,
        ignition=ignition,
        t_burn=settings.burn_steps(event.steps_per_day),
        steps_per_day=event.steps_per_day,
        cell_size_m=event.grid.cell_size_m,
        c_req=PAPER_COVERAGE,
        periods_per_day=weather.periods_per_day,
    )
