from __future__ import annotations

import math
from dataclasses import replace

import pytest

from firegui.domain.benchmark import (
    BenchmarkSettings,
    BenchmarkTable,
    DeploymentRow,
    PlannerName,
    PlannerTask,
    deployment,
)
from firegui.domain.results import Violations
from tests.unit.domain.benchmark_samples import made_table, without

ONE_SEED = made_table(seeds=1)


def picks(table: BenchmarkTable) -> dict[float, PlannerName | None]:
    """The planner for each time available."""
    return {row.available: row.group.planner if row.group else None for row in deployment(table)}


def slowed(table: BenchmarkTable, **seconds: float) -> BenchmarkTable:
    """The same table where the tasks named took other times; underscores stand for dashes."""
    times = {name.replace("_", "-"): value for name, value in seconds.items()}
    rows = (replace(row, seconds=times.get(row.task.name, row.seconds)) for row in table.rows)
    return replace(table, rows=tuple(rows))


def test_lines_are_sorted_best_first_and_one_seed_has_no_deviation() -> None:
    groups = made_table(PlannerName.TWO_STAGE, PlannerName.GRADIENT, PlannerName.NONE, seeds=2).groups
    assert [group.planner for group in groups] == [PlannerName.TWO_STAGE, PlannerName.GRADIENT, PlannerName.NONE]
    assert [group.objective.sd is None for group in groups] == [True, False, True]
    spread = groups[1].objective
    assert (spread.mean, spread.sd) == pytest.approx((4.35 * 1.005, 4.35 * 0.01 / math.sqrt(2)))


def test_what_is_missing_is_told_in_the_order_in_which_it_is_run() -> None:
    table = without(made_table(PlannerName.TACTICAL, PlannerName.GREEDY, seeds=2), "greedy-0", "tactical-1")
    assert (
        table.missing == (PlannerTask(PlannerName.TACTICAL, 1), PlannerTask(PlannerName.GREEDY, 0))
        and not table.complete
    )
    assert table.group(PlannerName.CMA_ES) is None


def test_a_violation_of_one_seed_counts_and_is_not_averaged_away() -> None:
    table = made_table(PlannerName.TACTICAL, seeds=3)
    broken = replace(table.rows[1], violations=Violations(2, 1, 0, 4))
    group = replace(table, rows=(*table.rows[:1], broken, *table.rows[2:])).group(PlannerName.TACTICAL)
    assert group is not None and group.violations == Violations(2, 1, 0, 4)


def test_the_best_planner_that_is_fast_enough_is_picked_for_each_time_available() -> None:
    assert picks(ONE_SEED) == {
        10.0: PlannerName.TACTICAL,
        60.0: PlannerName.TACTICAL,
        600.0: PlannerName.GRADIENT_TACTICAL,
        3600.0: PlannerName.TWO_STAGE,
        12 * 3600.0: PlannerName.TWO_STAGE,
        math.inf: PlannerName.TWO_STAGE,
    }


def test_the_picks_follow_the_runtimes_that_were_measured() -> None:
    table = slowed(ONE_SEED, tactical_0=61.0, greedy_0=59.0, two_stage_0=20 * 3600.0, gradient_tactical_0=601.0)
    found = picks(table)
    assert (found[10.0], found[60.0]) == (PlannerName.FOOTPRINT, PlannerName.GREEDY)
    assert (found[600.0], found[3600.0]) == (PlannerName.GRADIENT, PlannerName.GRADIENT_TACTICAL)
    assert (found[12 * 3600.0], found[math.inf]) == (PlannerName.GRADIENT_TACTICAL, PlannerName.TWO_STAGE)


def test_the_slowest_seed_has_to_fit() -> None:
    table = made_table(PlannerName.NONE, PlannerName.TACTICAL, seeds=2)
    assert picks(table)[10.0] is PlannerName.TACTICAL
    assert picks(slowed(table, tactical_1=10.5))[10.0] is PlannerName.NONE
    assert picks(slowed(table, tactical_1=10.0))[10.0] is PlannerName.TACTICAL


def test_a_time_in_which_nothing_fits_has_no_planner() -> None:
    rows = deployment(made_table(PlannerName.TWO_STAGE))
    assert rows[0] == DeploymentRow("At once", 10.0)
    last = rows[-1]
    assert (last.seconds, last.reduction) == (1_728.0, None), "without the fire without drops there is no reduction"


def test_extents_are_reduced_against_the_fire_without_drops() -> None:
    assert deployment(ONE_SEED)[-1].reduction == pytest.approx(1.0 - 4_211.0 / 167_865.0)


def test_of_two_equally_good_planners_the_faster_is_picked() -> None:
    table = made_table(PlannerName.NONE, PlannerName.GRADIENT, PlannerName.GREEDY, seeds=1)
    table = replace(table, rows=tuple(replace(row, objective=3.0) for row in table.rows))
    assert picks(table)[math.inf] is PlannerName.NONE
    assert picks(slowed(table, none_0=500.0))[math.inf] is PlannerName.GREEDY


def test_only_a_search_can_use_a_larger_allowance() -> None:
    settings = BenchmarkSettings(matched=(PlannerName.TACTICAL, PlannerName.GRADIENT, PlannerName.NONE))
    (problem,) = settings.problems()
    assert problem.what == "tactical, none cannot use a larger allowance"
    assert BenchmarkSettings(matched=(PlannerName.GRADIENT, PlannerName.CMA_ES_NATIVE)).problems() == []
