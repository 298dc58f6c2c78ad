"""Scaling study (paper, section ``scaling``): problems to time and to search, and results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean, median

import numpy as np

from firegui.domain.benchmark import GRADIENT_CHARGE, PlannerName, SeedSpread
from firegui.domain.fleet import Fleet
from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem

FLEET_SHARES = (2 / 21, 5 / 21, 10 / 21, 15 / 21, 1.0)
"""Of the project's fleet: the paper's 2, 5, 10, 15 and 21 aircraft where it has 21."""
GRID_SHARES = (1 / 4, 2 / 5, 3 / 5, 3 / 4, 1.0)
"""Of the height and the width of the raster: the paper's 154×187 … 619×748, cells rounded down."""
HORIZON_SHARES = (1 / 5, 2 / 5, 3 / 5, 4 / 5, 1.0)
"""Of the planned days: the paper's 3, 6, 9, 12 and 15 where there are 15."""
MIDDLE_HORIZON = 2 / 5
"""The horizon of the other two sweeps: the paper's 6 days, T = 300."""
LEAST_SIDE = 3
"""Cells that a raster needs in height and width."""
LEAST_SEARCH = 1 + GRADIENT_CHARGE
"""Rollout-equivalents of the shortest search that scores a schedule: the gradient's start, and an epoch."""

SEARCHED = (PlannerName.GRADIENT, PlannerName.CMA_ES)
"""What is compared as the dimension grows."""


class ScalingAxis(StrEnum):
    """Dimension that grows while the others stay."""

    FLEET = "fleet"
    GRID = "grid"
    HORIZON = "horizon"


@dataclass(frozen=True, slots=True)
class ScalingSettings:
    """Settings of the study: ``repeats`` interleaved timings and ``seeds`` searches.

    Each search has ``evaluations`` evaluations. A ``budget`` of 0 is as many drops as can be flown, so that the
    searches minimize the project's own objective.
    """

    repeats: int = option(
        15, "Repeats", "timings of each setting, all settings in turn", low=1, high=1000, restarts=False
    )
    warm_ups: int = option(2, "Warm-ups", "rounds that do not count", low=1, high=100)
    quality: bool = option(True, "Quality", "also search at every fleet size", restarts=False)
    evaluations: int = option(
        600,
        "Fire simulations",
        "fire simulations of each search; a step of the gradient search counts as three",
        low=LEAST_SEARCH,
        high=10**9,
    )
    seeds: int = option(3, "Seeds", "searches of each planner at each fleet size", low=1, high=100, restarts=False)
    seed: int = option(0, "First seed", "first seed; the others follow it", low=0, high=2**31)
    budget: int = option(
        0, "Drop budget", "soft limit of the searches; 0 is as many as can be flown", low=0, high=10**9
    )

    def problems(self) -> list[Problem]:
        """Return everything out of bounds."""
        return bounds_problems(self, "scaling")


@dataclass(frozen=True, slots=True)
class ScalingCase:
    """One row of the table: ``days`` on ``rows`` × ``columns`` cells, flown by ``aircraft`` aircraft."""

    sweep: ScalingAxis
    rows: int
    columns: int
    days: int
    steps_per_day: int
    aircraft: int

    @property
    def label(self) -> str:
        """As the paper's table calls it."""
        match self.sweep:
            case ScalingAxis.FLEET:
                return f"fleet: {self.aircraft} aircraft"
            case ScalingAxis.GRID:
                return f"grid: {self.rows}x{self.columns}"
            case ScalingAxis.HORIZON:
                return f"horizon: {self.days}d"

    @property
    def cells(self) -> int:
        """Of the raster."""
        return self.rows * self.columns

    @property
    def steps(self) -> int:
        """``T``."""
        return self.days * self.steps_per_day

    @property
    def dimension(self) -> int:
        """``d = 4 T N_a``: an activation and three pose variables of each step and aircraft."""
        return 4 * self.steps * self.aircraft


def cases_of(shape: tuple[int, int], days: int, steps_per_day: int, aircraft: int) -> tuple[ScalingCase, ...]:
    """Return the cases of a project.

    They are fifteen where the project is large enough, and fewer where some of them would be the same.
    """
    middle = _share(days, MIDDLE_HORIZON)
    fleets = [
        ScalingCase(ScalingAxis.FLEET, *shape, middle, steps_per_day, _share(aircraft, part)) for part in FLEET_SHARES
    ]
    grids = [
        ScalingCase(ScalingAxis.GRID, _side(shape[0], part), _side(shape[1], part), middle, steps_per_day, aircraft)
        for part in GRID_SHARES
    ]
    horizons = [
        ScalingCase(ScalingAxis.HORIZON, *shape, _share(days, part), steps_per_day, aircraft) for part in HORIZON_SHARES
    ]
    return tuple(dict.fromkeys([*fleets, *grids, *horizons]))


def _share(whole: int, part: float) -> int:
    return max(1, round(whole * part))


def _side(cells: int, part: float) -> int:
    return max(min(cells, LEAST_SIDE), math.floor(cells * part))


def part_of(fleet: Fleet, aircraft: int) -> Fleet:
    """Return ``aircraft`` aircraft of the fleet, in proportion to its types and in its order.

    Types that get none are left out. They are given out one by one to the type with the largest
    ``count / (2 got + 1)``, the first of equals (Webster's rule), so each smaller part lies in every larger one, and
    all of them are the fleet.
    """
    got = [0] * len(fleet.types)
    for _ in range(min(aircraft, fleet.n_aircraft)):
        waiting = [index for index, kind in enumerate(fleet.types) if got[index] < kind.count]
        got[max(waiting, key=lambda index: fleet.types[index].count / (2 * got[index] + 1))] += 1
    kinds = (replace(kind, count=count) for kind, count in zip(fleet.types, got, strict=True) if count)
    return replace(fleet, types=tuple(kinds))


@dataclass(frozen=True, slots=True)
class Quartiles:
    """The median and the two quartiles of some timings."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Quartiles:
        """Return the median and the quartiles of at least one value."""
        low, high = np.percentile(values, [25.0, 75.0])
        return Quartiles(median(values), float(low), float(high))

    @property
    def iqr_percent(self) -> float:
        """The interquartile range as a percentage of the median."""
        return 100.0 * (self.high - self.low) / self.median


@dataclass(frozen=True, slots=True)
class Timings:
    """Timings by repeat, in milliseconds: a rollout of one schedule and a gradient step from it.

    The schedule executes ``drops`` drops. The two of a repeat follow one another, so that their ratio is of one moment
    of the machine.
    """

    drops: int
    rollout_ms: tuple[float, ...] = ()
    gradient_ms: tuple[float, ...] = ()

    @property
    def rollout(self) -> Quartiles:
        """Of the rollouts, ms."""
        return Quartiles.of(self.rollout_ms)

    @property
    def gradient(self) -> Quartiles:
        """Of the gradient steps, ms."""
        return Quartiles.of(self.gradient_ms)

    @property
    def ratio(self) -> Quartiles:
        """Of gradient step over rollout, repeat by repeat."""
        return Quartiles.of([step / once for step, once in zip(self.gradient_ms, self.rollout_ms, strict=True)])

    def plus(self, rollout: float, gradient: float) -> Timings:
        """Return the timings with one more repeat."""
        return replace(self, rollout_ms=(*self.rollout_ms, rollout), gradient_ms=(*self.gradient_ms, gradient))


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """A setting, timed twice: at the start of stage 1, and with every aircraft flying as often as it can.

    At ``start`` all logits are just below the threshold, so as a rule no drop is executed; ``flying`` has the same
    poses with logits just above it. ``fire_cells`` is the fire's final extent ``Σ P_T`` without drops.
    """

    case: ScalingCase
    fire_cells: float
    start: Timings
    flying: Timings

    @property
    def repeats(self) -> int:
        """How often it was timed."""
        return len(self.start.rollout_ms)


@dataclass(frozen=True, slots=True, order=True)
class QualityTask:
    """One search: a planner and its seed at one fleet size."""

    aircraft: int
    planner: PlannerName
    seed: int


@dataclass(frozen=True, slots=True)
class QualityRow:
    """A finished search, scored at nominal effectiveness.

    ``dimension`` is the native ``4 T N_a`` and ``searched`` what the planner itself varies. ``baseline`` is the
    objective without drops and ``objective`` that of the best schedule, any budget's penalty included; ``budget`` is
    what that was. ``seconds`` are processor time.
    """

    task: QualityTask
    dimension: int
    searched: int
    baseline: float
    objective: float
    drops: int
    budget: int
    evaluations: int
    seconds: float

    @property
    def removed(self) -> float:
        """The fraction of the baseline objective that the schedule removes."""
        return 1.0 - self.objective / self.baseline if self.baseline else 0.0


@dataclass(frozen=True, slots=True)
class QualityPoint:
    """Result for one fleet size: the fraction removed by each of :data:`SEARCHED`, and the lead.

    The lead is that of the gradient planner. ``advantage`` is the difference of the mean objectives, CMA-ES less
    gradient, with the root sum of squares of the standard deviations of the two; their seeds are not pairs.
    """

    aircraft: int
    dimension: int
    gradient: SeedSpread
    cma_es: SeedSpread
    advantage: SeedSpread


def quality_tasks(cases: Sequence[ScalingCase], settings: ScalingSettings) -> tuple[QualityTask, ...]:
    """Return every search, the smallest fleet first."""
    if not settings.quality:
        return ()
    sizes = [case.aircraft for case in cases if case.sweep is ScalingAxis.FLEET]
    seeds = range(settings.seed, settings.seed + settings.seeds)
    return tuple(QualityTask(size, planner, seed) for size in sizes for seed in seeds for planner in SEARCHED)


@dataclass(frozen=True, slots=True)
class ScalingTable:
    """Finished part of a study.

    ``rows`` are in the order of ``cases``, ``quality`` in that of its tasks. A row with fewer repeats than requested is
    not finished.
    """

    event: str
    fire_model: str
    settings: ScalingSettings
    cases: tuple[ScalingCase, ...]
    full_carry: bool = True
    """Whether the timed gradient follows the burning state from step to step, which the paper's does not."""
    notes: tuple[str, ...] = ()
    rows: tuple[ScalingRow, ...] = ()
    quality: tuple[QualityRow, ...] = ()

    @property
    def tasks(self) -> tuple[QualityTask, ...]:
        """Tasks of all searches."""
        return quality_tasks(self.cases, self.settings)

    @property
    def missing(self) -> tuple[QualityTask, ...]:
        """The searches that are not done."""
        done = {row.task for row in self.quality}
        return tuple(task for task in self.tasks if task not in done)

    @property
    def timed(self) -> bool:
        """Whether every setting has all of its repeats."""
        done = {row.case for row in self.rows if row.repeats >= self.settings.repeats}
        return done >= set(self.cases)

    @property
    def complete(self) -> bool:
        """Whether all timings and searches are done."""
        return self.timed and not self.missing

    @property
    def points(self) -> tuple[QualityPoint, ...]:
        """The fleet sizes at which both planners are done at least once."""
        sizes = dict.fromkeys(row.task.aircraft for row in self.quality)
        points = (_point([row for row in self.quality if row.task.aircraft == size]) for size in sizes)
        return tuple(point for point in points if point is not None)

    def with_quality(self, row: QualityRow) -> ScalingTable:
        """Return the table with one more search, in its place."""
        order = {task: number for number, task in enumerate(self.tasks)}
        rows = sorted((*self.quality, row), key=lambda one: order.get(one.task, len(order)))
        return replace(self, quality=tuple(rows))


def _point(rows: Sequence[QualityRow]) -> QualityPoint | None:
    gradient, cma_es = ([row for row in rows if row.task.planner is planner] for planner in SEARCHED)
    if not gradient or not cma_es:
        return None
    ahead, behind = (SeedSpread.of([row.objective for row in some]) for some in (gradient, cma_es))
    spread = None if ahead.sd is None or behind.sd is None else math.hypot(ahead.sd, behind.sd)
    return QualityPoint(
        rows[0].task.aircraft,
        rows[0].dimension,
        SeedSpread.of([row.removed for row in gradient]),
        SeedSpread.of([row.removed for row in cma_es]),
        SeedSpread(behind.mean - ahead.mean, spread),
    )


def slope_of(rows: Sequence[ScalingRow], *, flying: bool = False) -> float | None:
    """Return the least-squares slope of ``log(ratio)`` against ``log(d)`` over the rows.

    With a single ``d`` the result is ``None``. A slope near 0 says that a gradient's relative cost does not grow with
    the number of variables.
    """
    x = [math.log(row.case.dimension) for row in rows]
    y = [math.log((row.flying if flying else row.start).ratio.median) for row in rows]
    if len(set(x)) < 2:
        return None
    across, along = fmean(x), fmean(y)
    rise = sum((a - across) * (b - along) for a, b in zip(x, y, strict=True))
    return rise / sum((a - across) ** 2 for a in x)
