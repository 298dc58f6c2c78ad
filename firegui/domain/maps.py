"""The frozen fire model as the planner sees it: spread maps by day, or by period of a day."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import MOST_DAYS, STEPS_PER_DAY_LIMITS
from firegui.domain.stencil import Stencil, stencil_of

FOOT_M = 0.3048

SPREAD_LIMITS = (0.0, 1e6)
"""Smallest and largest spread potential and ignition gain. The sum over neighbours and days stays finite in float32."""
BURN_STEPS_LIMITS = (1.0, float(MOST_DAYS * STEPS_PER_DAY_LIMITS[1]))
"""Shortest and longest burn duration in steps: one step, and the longest plan."""
PERIODS_LIMITS = (1, 24)
"""Fewest and most periods of a day."""


@dataclass(frozen=True, slots=True, eq=False)
class FireMaps:
    """Fire of a rollout, for ``D`` days of ``P`` periods on ``H × W`` cells, in the order of time.

    ``phi [D P, N, H, W]`` spread potential from each neighbour (untreated, the emitter's fuel factor included), of 8
    neighbours or 16 (:mod:`firegui.domain.stencil`),
    ``gamma [D P, H, W]`` ignition gain (the receiver's fuel factor included), ``burnable [H, W]`` bool,
    ``wind_speed [D P, H, W]`` m/s, ``wind_dir [D P, H, W]`` radians towards, counter-clockwise from east,
    ``ignition [H, W]`` bool, ``t_burn`` burn duration in steps, ``steps_per_day`` S_day, ``cell_size_m`` Δx,
    ``c_req`` required coverage in gal/100 ft², ``periods_per_day`` P, by which S_day can be divided. Arrays are
    float32.
    """

    phi: NDArray[np.float32]
    gamma: NDArray[np.float32]
    burnable: NDArray[np.bool_]
    wind_speed: NDArray[np.float32]
    wind_dir: NDArray[np.float32]
    ignition: NDArray[np.bool_]
    t_burn: float
    steps_per_day: int
    cell_size_m: float
    c_req: float
    periods_per_day: int = 1

    @property
    def days(self) -> int:
        """``D``."""
        return int(self.phi.shape[0]) // self.periods_per_day

    @property
    def steps_per_period(self) -> int:
        """``S_day / P``. Step ``t`` has the maps of period ``t // (S_day / P)``, counted from the first day."""
        return self.steps_per_day // self.periods_per_day

    @property
    def stencil(self) -> Stencil:
        """Neighbours from which a cell can catch fire.

        Raises :class:`~firegui.errors.InputError` for another size.
        """
        return stencil_of(int(self.phi.shape[1]))

    @property
    def n_steps(self) -> int:
        """``T = D · S_day``."""
        return self.days * self.steps_per_day

    @property
    def half_day(self) -> int:
        """Lead of retardant in steps, ``S_day / 2`` and at least 1 (paper, appendix ``planners``: h = 25)."""
        return max(self.steps_per_day // 2, 1)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_y, n_x)``."""
        return int(self.phi.shape[2]), int(self.phi.shape[3])

    @property
    def cell_area_100ft2(self) -> float:
        """``A_cell = (Δx / 0.3048)² / 100``, in units of 100 ft² (paper, step 3)."""
        return (self.cell_size_m / FOOT_M) ** 2 / 100.0

    def daily_wind(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the wind of each day, ``[D, H, W]``: speed and direction of the mean vector of its periods."""
        if self.periods_per_day == 1:
            return self.wind_speed, self.wind_dir
        by_day = (self.days, self.periods_per_day, *self.shape)
        speed, towards = self.wind_speed.reshape(by_day), self.wind_dir.reshape(by_day)
        east, north = (speed * np.cos(towards)).mean(axis=1), (speed * np.sin(towards)).mean(axis=1)
        return np.hypot(east, north), np.arctan2(north, east)

    def window(self, start_day: int, days: int) -> FireMaps:
        """Return the maps of ``days`` days from ``start_day`` with the same ignition."""
        first, count = start_day * self.periods_per_day, days * self.periods_per_day
        keep = slice(first, first + count)
        return replace(
            self, phi=self.phi[keep], gamma=self.gamma[keep], wind_speed=self.wind_speed[keep],
            wind_dir=self.wind_dir[keep],
        )  # fmt: skip

    def with_ignition(self, ignition: NDArray[Any]) -> FireMaps:
        """Return the same fire model with another ignition."""
        return replace(self, ignition=np.asarray(ignition, bool))
