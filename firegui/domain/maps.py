"""The frozen fire model as the planner sees it: daily spread maps."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, eq=False)
class FireMaps:
    """Fire of a rollout, for ``D`` days on ``H × W`` cells.

    ``phi [D, N, H, W]`` spread potential from each neighbour (untreated, the emitter's fuel factor included), of 8
    neighbours or 16 (:mod:`firegui.domain.stencil`),
    ``gamma [D, H, W]`` ignition gain (the receiver's fuel factor included), ``burnable [H, W]`` bool,
    ``wind_speed [D, H, W]`` m/s, ``wind_dir [D, H, W]`` radians towards, counter-clockwise from east,
    ``ignition [H, W]`` bool, ``t_burn`` burn duration in steps, ``steps_per_day`` S_day, ``cell_size_m`` Δx,
    ``c_req`` required coverage in gal/100 ft². Arrays are float32.
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

    @property
    def days(self) -> int:
        """``D``."""
        return int(self.phi.shape[0])

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

    def window(self, start_day: int, days: int) -> FireMaps:
        """Return the maps of ``days`` days from ``start_day`` with the same ignition."""
        keep = slice(start_day, start_day + days)
        return FireMaps(
            self.phi[keep], self.gamma[keep], self.burnable, self.wind_speed[keep], self.wind_dir[keep],
            self.ignition, self.t_burn, self.steps_per_day, self.cell_size_m, self.c_req,
        )  # fmt: skip

    def with_ignition(self, ignition: NDArray[Any]) -> FireMaps:
        """Return the same fire model with another ignition."""
        return FireMaps(
            self.phi, self.gamma, self.burnable, self.wind_speed, self.wind_dir,
            np.asarray(ignition, bool), self.t_burn, self.steps_per_day, self.cell_size_m, self.c_req,
        )  # fmt: skip
