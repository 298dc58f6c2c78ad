"""Tables of a benchmark as files: CSV with exact numbers, LaTeX as in the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from firegui.analyses.benchmark.report import (
    BENCHMARK,
    COST,
    DEPLOYMENT,
    FEASIBILITY,
    MATCHED,
    RESOURCES,
    STRESS,
    printed_tables,
)
from firegui.analyses.stress.results import result_values
from firegui.domain.benchmark import (
    GRADIENT_CHARGE,
    PLANNERS,
    BenchmarkRow,
    BenchmarkTable,
    Group,
    PlannerName,
    SeedSpread,
    deployment,
)
from firegui.domain.project import Project
from firegui.domain.results import metric_values
from firegui.domain.settings import Setting
from firegui.io import atomic
from firegui.io.tables import booktabs, records_csv

ROWS, CURVES, SCENARIOS = "rows.csv", "curves.csv", "scenarios.csv"
USED = ("gallons", "flight_hours", "cost")
"""What drops take, in the metrics of a row; the last columns of every sheet that has them."""
_LABELS = {Setting.A: "", Setting.B: "_b", Setting.BOTH: "_ab", Setting.CUSTOM: "_custom"}
"""Put after a label, so that one document can have the tables of several benchmarks."""

_TWO_STAGE = PlannerName.TWO_STAGE.value

Values = dict[str, Any]
"""A line by its columns."""


def write_tables(folder: Path, table: BenchmarkTable, project: Project) -> None:
    """Replace every sheet and every LaTeX table in ``folder``, which exists, each file whole.

    Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    for name, text in {**sheets(table), **papers(table, project)}.items():
        atomic.write_text(folder / name, text)


def papers(table: BenchmarkTable, project: Project) -> dict[str, str]:
    """Return the LaTeX tables by file name."""
    after = _LABELS[project.plan.setting]
    return {
        f"{one.name}.tex": booktabs(
            one.heads, one.rows, caption=one.caption, label=f"{one.name}{after}", left=one.left
        )
        for one in printed_tables(table, project)
    }  # fmt: skip


def sheets(table: BenchmarkTable) -> dict[str, str]:
    """Return the CSV files by name; numbers read back exactly, and missing values are empty.

    Sheets of planners end with those that have no run yet: ``seeds`` of ``seeds_asked`` are done. ``_sd`` columns are
    sample standard deviations over the seeds, violations sums over them, everything else means.
    """
    # Planners without a run know few of the columns, and come last.
    found = {
        f"{BENCHMARK}.csv": _by_planner(table, _performance),
        f"{COST}.csv": _by_planner(table, _cost),
        f"{FEASIBILITY}.csv": _by_planner(table, _feasibility),
        f"{DEPLOYMENT}.csv": deployment_values(table),
        ROWS: [row_values(row) for row in sorted(table.rows, key=lambda row: row.task)],
        CURVES: curve_values(table),
    }
    if table.scenarios:
        found[f"{STRESS}.csv"] = _by_planner(table, lambda group: _stress(group, table.scenarios))
        found[SCENARIOS] = scenario_values(table)
    if any(group.used("gallons") for group in table.groups):
        found[f"{RESOURCES}.csv"] = _by_planner(table, _resources)
    if any(task.matched for task in table.tasks):
        lines = _by_planner(table, _matched)
        found[f"{MATCHED}.csv"] = [line for line in lines if line["matched"] or line["planner"] == _TWO_STAGE]
    return {name: records_csv(lines) for name, lines in found.items()}


def row_values(row: BenchmarkRow) -> Values:
    """Return every number of a row but its curve."""
    metrics = metric_values(row.metrics)
    metrics.pop("value_lost", None)  # of each layer, which summaries of plans have
    return {
        "task": row.task.name,
        "planner": row.task.planner.value,
        "seed": row.task.seed,
        "matched": row.task.matched,
        "objective": row.objective,
        "objective_before_penalty": metrics.pop("objective"),
        **{name: value for name, value in metrics.items() if name not in USED},
        "candidate": row.candidate,
        **asdict(row.violations),
        "dimension": row.dimension,
        "evaluations": row.evaluations,
        "seconds": row.seconds,
        "gradient_cost": row.gradient_cost,
        "growth_left": None if row.stress is None else row.stress.nominal.share_worst,
        "worst_growth_left": None if row.stress is None else row.stress.worst.share_worst,
        "worst_scenario": None if row.stress is None else row.stress.worst.scenario.name,
        **{name: metrics[name] for name in USED},
    }


def scenario_values(table: BenchmarkTable) -> list[Values]:
    """Return the stress table of every task, a line a scenario; shares are of the growth left."""
    return [
        {"task": row.task.name, "scenario": result.scenario.name, **result_values(result)}
        for row in sorted(table.rows, key=lambda row: row.task)
        if row.stress is not None
        for result in (row.stress.nominal, *row.stress.results)
    ]


def group_values(table: BenchmarkTable) -> list[Values]:
    """Return every number of every line of the tables, the best first.

    Planners without a run follow.
    """
    return _by_planner(
        table,
        lambda group: {
            **_performance(group),
            **_cost(group),
            **_feasibility(group),
            **_stress(group, table.scenarios),
            **_resources(group),
        },
    )


def deployment_values(table: BenchmarkTable) -> list[Values]:
    """Return the deployment table; no deadline is ``inf`` seconds, no fitting planner is ``None``."""
    return [
        {
            "decision": row.decision,
            "available_seconds": row.available,
            "planner": None if row.group is None else row.group.planner.value,
            "matched": None if row.group is None else row.group.matched,
            "seconds": row.seconds,
            "objective": None if row.group is None else row.group.objective.mean,
            "extent_reduction": row.reduction,
        }
        for row in deployment(table)
    ]


def curve_values(table: BenchmarkTable) -> list[Values]:
    """Return every improvement of every task, at the effectiveness that it searched at."""
    return [
        {"task": row.task.name, "evaluations": evaluations, "best": best}
        for row in sorted(table.rows, key=lambda row: row.task)
        for evaluations, best in row.curve
    ]


def _by_planner(table: BenchmarkTable, columns: Callable[[Group], Values]) -> list[Values]:
    asked = Counter((task.planner, task.matched) for task in table.tasks)
    groups = table.groups
    lines = [
        {**_which(group.planner, group.matched, len(group.rows), asked), **columns(group)} for group in groups
    ]  # fmt: skip
    done = {(group.planner, group.matched) for group in groups}
    return lines + [_which(planner, matched, 0, asked) for planner, matched in asked if (planner, matched) not in done]


def _which(planner: PlannerName, matched: bool, seeds: int, asked: Counter[tuple[PlannerName, bool]]) -> Values:
    return {
        "planner": planner.value,
        "title": PLANNERS[planner].title,
        "matched": matched,
        "seeds": seeds,
        "seeds_asked": asked[planner, matched],
    }


def _performance(group: Group) -> Values:
    return {
        **_spread("drops", group.metric("drops_executed")),
        **_spread("final_extent_cells", group.metric("final_extent_cells")),
        **_spread("occupancy_cell_days", group.metric("occupancy_cell_days")),
        **_spread("protected_cells", group.metric("protected_cells")),
        **_spread("objective", group.objective),
        **_spread("objective_before_penalty", group.metric("objective")),
        **_worst(group),
    }


def _worst(group: Group) -> Values:
    return {**_spread("worst_growth_left", group.worst_growth_left), "worst_scenario": group.worst_scenario or None}


def _stress(group: Group, scenarios: Sequence[str]) -> Values:
    shares = {f"growth_left: {name}": group.growth_left(name) for name in scenarios}
    return {
        **_worst(group),
        **_spread("growth_left", group.growth_left()),
        **{key: value for name, share in shares.items() for key, value in _spread(name, share).items()},
    }


def _cost(group: Group) -> Values:
    return {
        "dimension": max(row.dimension for row in group.rows),
        **_spread("evaluations", group.evaluations),
        **_spread("seconds", group.seconds),
        **_spread("gradient_cost", group.gradient_cost),
        "gradient_charge": None if group.gradient_cost is None else GRADIENT_CHARGE,
    }


def _resources(group: Group) -> Values:
    return {key: value for name in USED for key, value in _spread(name, group.used(name)).items()}


def _matched(group: Group) -> Values:
    return {**_performance(group), **_cost(group)}


def _feasibility(group: Group) -> Values:
    return {
        **_spread("candidate", group.candidates),
        **_spread("executed", group.metric("drops_executed")),
        **asdict(group.violations),
    }


def _spread(name: str, spread: SeedSpread | None) -> Values:
    return {name: spread and spread.mean, f"{name}_sd": spread and spread.sd}
