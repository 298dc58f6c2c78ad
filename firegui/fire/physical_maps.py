"""Maps of sixteen neighbours of the physical fire model.

A cell's speed, direction and length-to-width ratio (:mod:`firegui.fire.physical`) become gains by the table of
:mod:`firegui.fire.front_table`; ``φ`` holds them and ``γ`` is 1.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.grid import Box
from firegui.domain.maps import FireMaps
from firegui.domain.physical import PhysicalSettings
from firegui.domain.scenario import Scenario
from firegui.errors import Check, InputError, Problem
from firegui.fire.front_table import MOST_CELLS_PER_STEP, FrontTable
from firegui.fire.landscape import Raster
from firegui.fire.physical import TITLE, WHOLE, PhysicalGround, Wind, memory_problems

_THREADS = 2
"""Periods that are made at a time: most of the work releases the interpreter's lock."""


@dataclass(frozen=True, slots=True, eq=False)
class PhysicalFire:
    """Ground and table of an event whose steps a day are chosen.

    ``cells_per_metre_min`` turns m/min into cells per step; ``most`` is the fastest head in cells per step.
    """

    ground: PhysicalGround
    table: FrontTable
    cells_per_metre_min: float
    most: float

    @staticmethod
    def of(event: Scenario, settings: PhysicalSettings) -> PhysicalFire:
        """Raise :class:`~firegui.errors.InputError` like :meth:`PhysicalGround.of`."""
        ground = PhysicalGround.of(event, settings)
        scale = 1440.0 / (event.steps_per_day * event.grid.cell_size_m)
        most = MOST_CELLS_PER_STEP if settings.speed_percentile == 100.0 else settings.cells_per_step
        return PhysicalFire(ground, FrontTable.of(settings.burn_steps(event.steps_per_day)), scale, most)

    def maps(self, period: int, wind: Wind, box: Box = WHOLE) -> tuple[Raster, Raster, float]:
        """Return ``φ [16, h, w]`` and ``γ [h, w]`` of a period on ``box`` under ``wind`` there.

        The third is its fastest head in cells per step.
        """
        spread = self.ground.spread(period, wind, box)
        cells = spread.speed * np.float32(self.cells_per_metre_min)
        phi = self.table.gains(np.minimum(cells, np.float32(self.most)), spread.ratio, spread.direction)
        return phi, self.ground.burnable[box].astype(np.float32), float(cells.max(initial=0.0))


def physical_maps(
    event: Scenario,
    settings: PhysicalSettings,
    ignition: NDArray[np.bool_],
    start_day: int,
    days: int,
    check: Check | None = None,
) -> FireMaps:
    """Return the maps of ``days`` event days from ``start_day``, started from ``ignition [H, W]``.

    ``check`` is called before each period and may raise to cancel. Raises :class:`~firegui.errors.InputError` like
    :meth:`PhysicalGround.of`, for maps above :data:`MOST_BYTES`, and where the fastest fire needs more steps than the
    event has.
    """
    problems = memory_problems(event, settings, days)
    if problems:
        raise InputError(problems, TITLE)
    fire = PhysicalFire.of(event, settings)
    weather, shape = fire.ground.weather, event.grid.shape
    first, count = (number * weather.periods_per_day for number in (start_day, days))
    speed, towards = weather.winds(slice(first, first + count), shape)
    phi = np.empty((count, 16, *shape), np.float32)
    gamma = np.empty(speed.shape, np.float32)

    def make(number: int) -> float:
        """Make the maps of a period and return its fastest head in cells per step."""
        wind = speed[number], towards[number]
        phi[number], gamma[number], cells = fire.maps(first + number, wind)
        return cells

    fastest = 0.0
    with ThreadPoolExecutor(_THREADS) as pool:
        made = [pool.submit(make, number) for number in range(count)]
        try:
            for each in made:
                if check is not None:
                    check()
                fastest = max(fastest, each.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if settings.speed_percentile == 100.0 and fastest > MOST_CELLS_PER_STEP:
        what = f"is too fast for {event.steps_per_day:,} steps a day: it moves {fastest:.2f} cells a step"
        remedy = "choose the physical model again, so that the steps follow from it, or test a weaker wind"
        raise InputError([Problem("the fastest fire", what, remedy)], TITLE)
    return FireMaps(
        phi=phi,
        gamma=gamma,
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
