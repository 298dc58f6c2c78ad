"""A table of the benchmark, made up so that its numbers look like the paper's setting A."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from firegui.domain.benchmark import (
    MATCHED_PLANNERS,
    BenchmarkRow,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    PlannerTask,
    tasks_of,
)
from firegui.domain.results import Metrics, Violations
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressScenario, StressTable

BUDGET, ALLOWANCE, AT_ITS_COST = 1_032, 6_000, 25_686
NO_DROPS = 24.58


@dataclass(frozen=True, slots=True)
class _Planner:
    """What a planner reaches; a seed is a hundredth worse than the one before."""

    objective: float
    extent: float
    drops: int
    candidate: int
    dimension: int
    evaluations: int
    seconds: float


_PLANNERS: Mapping[PlannerName, _Planner] = {
    PlannerName.NONE: _Planner(NO_DROPS, 167_865.0, 0, 0, 0, 1, 0.004),
    PlannerName.UNIFORM: _Planner(23.66, 161_920.0, 1_033, 1_503, 0, 1, 0.03),
    PlannerName.FOOTPRINT: _Planner(22.21, 151_529.0, 1_033, 1_503, 0, 1, 0.18),
    PlannerName.TACTICAL: _Planner(15.38, 110_125.0, 1_032, 1_032, 0, 7, 5.23),
    PlannerName.GREEDY: _Planner(17.09, 118_285.0, 1_032, 1_032, 0, 2_076, 161.3),
    PlannerName.CMA_ES: _Planner(18.44, 122_684.0, 999, 4_450, 1_260, 6_000, 299.0),
    PlannerName.CMA_ES_NATIVE: _Planner(31.33, 77_726.0, 2_970, 7_715, 63_000, 6_000, 310.0),
    PlannerName.DIFFERENTIAL_EVOLUTION: _Planner(21.57, 128_193.0, 1_301, 5_450, 1_260, 6_000, 306.9),
    PlannerName.PARTICLE_SWARM: _Planner(29.70, 157_366.0, 1_705, 6_850, 1_260, 6_000, 301.7),
    PlannerName.GRADIENT: _Planner(4.35, 27_626.0, 1_032, 2_713, 63_000, 6_000, 418.4),
    PlannerName.GRADIENT_DESIGN: _Planner(7.01, 46_885.0, 1_031, 2_622, 63_000, 6_000, 420.1),
    PlannerName.GRADIENT_TACTICAL: _Planner(4.1, 26_000.0, 1_030, 2_500, 63_000, 6_000, 420.3),
    PlannerName.TWO_STAGE: _Planner(0.870, 4_211.0, 1_032, 1_032, 63_000, AT_ITS_COST, 1_728.0),
}


def made_row(task: PlannerTask) -> BenchmarkRow:
    """The row of a task; at the matched allowance it costs more and is better by a third."""
    planner, worse = _PLANNERS[task.planner], 1.0 + 0.01 * task.seed
    if task.planner is PlannerName.NONE:
        worse = 1.0
    objective = planner.objective * worse * (0.67 if task.matched else 1.0)
    evaluations = AT_ITS_COST if task.matched else planner.evaluations
    penalty = 10.0 * max(0, planner.drops - BUDGET) / BUDGET
    extent = planner.extent * worse
    metrics = Metrics(
        extent, 0.09 * extent, 6.0 * planner.extent, 0.3 * planner.extent, 0.1, 0.2, 0.0, planner.candidate,
        planner.drops, objective - penalty,
    )  # fmt: skip
    return BenchmarkRow(
        task=task,
        metrics=metrics,
        objective=objective,
        dimension=planner.dimension,
        evaluations=evaluations,
        seconds=planner.seconds * worse * (evaluations / planner.evaluations),
        candidate=planner.candidate,
        violations=Violations(0, 0, 0),
        gradient_cost=2.05 * worse if "gradient" in task.planner.value else None,
        curve=_curve(objective, evaluations, task.seed),
    )


def with_stress(table: BenchmarkTable) -> BenchmarkTable:
    """The same table with two stress scenarios. "late" leaves more; both leave a hundredth more for each seed."""

    def result(scenario: StressScenario, *shares: float) -> StressResult:
        return StressResult(scenario, 4.0, 104.0, tuple(StressDraw(4.0 + 100.0 * s, 0.0, s, 5) for s in shares))

    def stress(row: BenchmarkRow) -> StressTable | None:
        if not row.metrics.drops_executed:
            return None
        more = 0.01 * row.task.seed
        failing = result(StressScenario("failing", failure_rate=0.1, draws=2), 0.125, 0.25 + more)
        late = result(StressScenario("late", delay_minutes=30.0), 0.5 + more)
        return StressTable(5, result(NOMINAL, 0.0625), (failing, late))

    return replace(table, rows=tuple(replace(row, stress=stress(row)) for row in table.rows))


def made_table(
    *planners: PlannerName, seeds: int = 3, matched: tuple[PlannerName, ...] = (), budget: int = BUDGET
) -> BenchmarkTable:
    """A finished table of ``planners``, without a name of them all."""
    given = planners or tuple(PlannerName)
    settings = BenchmarkSettings(given, matched, seeds, allowance=ALLOWANCE, budget=budget)
    tasks = tasks_of(settings)
    return BenchmarkTable(settings, tasks, tuple(map(made_row, tasks)), budget, AT_ITS_COST if matched else 0)


def without(table: BenchmarkTable, *names: str) -> BenchmarkTable:
    """The same table while the tasks of ``names`` are not done."""
    return replace(table, rows=tuple(row for row in table.rows if row.task.name not in names))


def whole_table() -> BenchmarkTable:
    """All planners, three seeds, and what the paper repeats at the matched allowance."""
    return made_table(matched=MATCHED_PLANNERS)


def _curve(end: float, evaluations: int, seed: int) -> tuple[tuple[int, float], ...]:
    if evaluations == 1:
        return ((1, end),)
    start, count = max(NO_DROPS, end), 40
    spent = [max(1, round((0.93 * evaluations) ** (number / count)) + seed) for number in range(1, count + 1)]
    share = [math.sin(0.5 * math.pi * number / count) ** 2 for number in range(1, count + 1)]
    found = {at: start * (end / start) ** part for at, part in zip(spent, share, strict=True)}
    return tuple(sorted(found.items()))
