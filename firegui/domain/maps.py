"""The frozen fire model as the planner sees it: spread maps by day, or by period of a day."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import MOST_DAYS, STEPS_PER_DAY_LIMITS
from firegui.domain.compact_maps import DropCells, SpreadOnDemand, WindRaster
from firegui.domain.edge_factors import EdgeFactors
from firegui.domain.observation import FireState
from firegui.domain.stencil import NEIGHBOURS, SIXTEEN, Stencil, stencil_of
from firegui.errors import Problem, Problems

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
    float32. ``burned_out [H, W]`` bool are cells that burned before the start: they count as burned and ignite nothing.
    They are none of ``ignition``; ``None`` means that there are none. With ``moving_start`` the front has its full
    speed from the start (:mod:`firegui.rollout.moving_start`).

    ``phi`` and the wind may be held in fewer numbers (:mod:`firegui.domain.compact_maps`), and ``gamma`` may be a view
    that repeats one raster. ``drop_cells`` says where drops work; ``None`` means everywhere. ``barriers`` are the
    factors that ``phi`` has been multiplied by already; ``None`` means that there are none.

    Raises :class:`~firegui.errors.InputError` for another number of neighbours, and for periods that do not make whole
    days of equal periods. Values are checked where files are read.
    """

    phi: NDArray[np.float32] | SpreadOnDemand
    gamma: NDArray[np.float32]
    burnable: NDArray[np.bool_]
    wind_speed: WindRaster
    wind_dir: WindRaster
    ignition: NDArray[np.bool_]
    t_burn: float
    steps_per_day: int
    cell_size_m: float
    c_req: float
    periods_per_day: int = 1
    burned_out: NDArray[np.bool_] | None = None
    drop_cells: DropCells | None = None
    moving_start: bool = False
    barriers: EdgeFactors | None = None

    def __post_init__(self) -> None:
        """Refuse sizes of which no rollout can be made."""
        stencil_of(int(self.phi.shape[1]))
        problems = Problems()
        problems.extend(whole_days_problems(self.periods_per_day, int(self.phi.shape[0])))
        problems.extend(equal_periods_problems(self.periods_per_day, self.steps_per_day))
        problems.raise_if_any("The maps cannot be used")

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
        """Neighbours from which a cell can catch fire."""
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
        speed, towards = np.asarray(self.wind_speed), np.asarray(self.wind_dir)
        if self.periods_per_day == 1:
            return speed, towards
        by_day = (self.days, self.periods_per_day, *self.shape)
        speed, towards = speed.reshape(by_day), towards.reshape(by_day)
        east, north = (speed * np.cos(towards)).mean(axis=1), (speed * np.sin(towards)).mean(axis=1)
        return np.hypot(east, north), np.arctan2(north, east)

    def window(self, start_day: int, days: int) -> FireMaps:
        """Return the maps of ``days`` days from ``start_day`` with the same ignition."""
        first, count = start_day * self.periods_per_day, days * self.periods_per_day
        keep = slice(first, first + count)
        return replace(
            self, phi=self.phi[keep], gamma=self.gamma[keep], wind_speed=self.wind_speed[keep],
            wind_dir=self.wind_dir[keep], drop_cells=None if self.drop_cells is None else self.drop_cells[keep],
            barriers=None if self.barriers is None else self.barriers[keep],
        )  # fmt: skip

    @property
    def start(self) -> FireState:
        """What burns at the start, and what has burned out."""
        nothing = np.zeros_like(self.ignition)
        return FireState(self.ignition, nothing if self.burned_out is None else self.burned_out)

    def scaled(self, factor: NDArray[np.float32] | float, most: float = np.inf) -> FireMaps:
        """Return the same fire with the ignition gains times ``factor [H, W]`` or a number.

        They are clipped to ``most`` before.
        """
        repeats = self.gamma.strides[0] == 0  # one raster for all periods
        gamma = self.gamma[0] if repeats else self.gamma
        found = ((gamma if most == np.inf else np.clip(gamma, 0.0, most)) * factor).astype(np.float32)
        return replace(self, gamma=np.broadcast_to(found, self.gamma.shape) if repeats else found)

    def with_ignition(self, ignition: NDArray[Any], burned_out: NDArray[Any] | None = None) -> FireMaps:
        """Return the same fire model with another start."""
        out = None if burned_out is None or not burned_out.any() else np.asarray(burned_out, bool)
        return replace(self, ignition=np.asarray(ignition, bool), burned_out=out)


def whole_days_problems(periods: int, count: int) -> list[Problem]:
    """Return the problem of ``count`` maps in a row that make no whole number of days of ``periods``."""
    if count % periods == 0:
        return []
    what = f"is {periods}, and there are {count} maps in a row: no whole number of days"
    return [Problem("periods_per_day", what, "give the maps of every period of every day")]


def equal_periods_problems(periods: int, steps: int) -> list[Problem]:
    """Return the problem of a day of ``steps`` that cannot be divided into ``periods`` equal periods."""
    if steps % periods == 0:
        return []
    fewer = [str(count) for count in range(PERIODS_LIMITS[0], PERIODS_LIMITS[1] + 1) if steps % count == 0]
    what = "has fewer steps than periods" if steps < periods else "cannot be divided into that many equal periods"
    remedy = f"give maps of {' or '.join(fewer)} periods a day, or steps a day that are a multiple of {periods}"
    return [Problem("periods_per_day", f"is {periods}, and a day of {steps} steps {what}", remedy)]


def speed_problems(phi: NDArray[np.float32], gamma: NDArray[np.float32], burnable: NDArray[np.bool_]) -> list[Problem]:
    """Return the problem of maps of sixteen neighbours whose fire is too fast for their steps.

    Where the gain ``K = γ φ`` of a knight's move, the farthest neighbour, is 1 or more, the formula of the front's
    speed (:mod:`firegui.rollout.front_speed`) has no minimum at a finite ``λ``. The front then reaches the farthest
    neighbour in every step, and a larger ``K`` changes nothing: the fire is slower than the maps mean.

    Maps of eight neighbours are not checked. The paper's model was learned in an automaton that saturates: ``K`` is
    the exponent of a probability ``1 − e^{−K}`` per step, may be 1 or more, and one cell a step is the limit of that
    model, which its card states.
    """
    if phi.shape[1] != len(SIXTEEN.offsets):
        return []
    count, largest = 0, 0.0
    for spread, ignited in zip(phi[:, len(NEIGHBOURS) :], np.where(burnable, gamma, np.float32(0.0)), strict=True):
        for from_neighbour in spread:
            gains = from_neighbour * ignited
            largest = max(largest, float(gains.max()))
            count += int(np.count_nonzero(gains >= 1.0))
    if count == 0:
        return []
    what = (
        f"{count:,} values of the knight's moves, times gamma, are 1 or more (up to {largest:.3g}): the front reaches "
        "the farthest neighbour in every step, whatever the value"
    )
    remedy = "make the maps for more steps a day (S_day), so that the fastest front moves at most 0.6 cells a step"
    return [Problem("phi", what, remedy)]
