from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.fleet import Fleet
from firegui.domain.scaling import (
    QualityTask,
    Quartiles,
    ScalingAxis,
    ScalingCase,
    ScalingRow,
    ScalingSettings,
    ScalingTable,
    Timings,
    cases_of,
    part_of,
    quality_tasks,
    slope_of,
)
from tests.unit.analyses.fake_scaling import row_of, search_of
from tests.unit.domain.samples import paper_fleet

PAPER = cases_of((619, 748), 15, 50, 21)


def counts(fleet: Fleet) -> dict[str, int]:
    return {kind.id: kind.count for kind in fleet.types}


def test_a_project_of_the_papers_size_has_the_papers_fifteen_rows() -> None:
    assert [case.dimension for case in PAPER] == [
        2400, 6000, 12000, 18000, *[25200] * 6, 12600, 25200, 37800, 50400, 63000,
    ]  # fmt: skip
    assert [case.label for case in PAPER[:6]] == [
        "fleet: 2 aircraft", "fleet: 5 aircraft", "fleet: 10 aircraft", "fleet: 15 aircraft", "fleet: 21 aircraft",
        "grid: 154x187",
    ]  # fmt: skip
    assert [case.cells for case in PAPER if case.sweep is ScalingAxis.GRID] == [28798, 73853, 166208, 260304, 463012]
    assert [case.label for case in PAPER[10:]] == [f"horizon: {days}d" for days in (3, 6, 9, 12, 15)]


def test_the_dimension_is_four_variables_a_step_and_aircraft() -> None:
    case = ScalingCase(ScalingAxis.FLEET, 5, 6, days=3, steps_per_day=10, aircraft=7)
    assert (case.steps, case.dimension) == (30, 4 * 30 * 7)


@pytest.mark.parametrize(
    ("shape", "days", "aircraft", "fleets", "grids", "horizons"),
    [
        ((16, 20), 2, 4, [1, 2, 3, 4], [(4, 5), (6, 8), (9, 12), (12, 15), (16, 20)], [1, 2]),
        ((3, 30), 1, 1, [1], [(3, 7), (3, 12), (3, 18), (3, 22), (3, 30)], [1]),
        ((40, 40), 5, 42, [4, 10, 20, 30, 42], [(10, 10), (16, 16), (24, 24), (30, 30), (40, 40)], [1, 2, 3, 4, 5]),
    ],
)
def test_other_projects_have_the_same_shares_and_no_row_twice(
    shape: tuple[int, int],
    days: int,
    aircraft: int,
    fleets: list[int],
    grids: list[tuple[int, int]],
    horizons: list[int],
) -> None:
    cases = cases_of(shape, days, 10, aircraft)
    assert [case.aircraft for case in cases if case.sweep is ScalingAxis.FLEET] == fleets
    assert [(case.rows, case.columns) for case in cases if case.sweep is ScalingAxis.GRID] == grids
    assert [case.days for case in cases if case.sweep is ScalingAxis.HORIZON] == horizons


def test_a_smaller_fleet_is_a_proportional_part_of_every_larger_one() -> None:
    fleet = paper_fleet()
    parts = [counts(part_of(fleet, size)) for size in range(1, 22)]
    assert [sum(part.values()) for part in parts] == list(range(1, 22))
    for smaller, larger in pairwise(parts):
        assert all(larger[name] >= count for name, count in smaller.items())
    assert parts[1] == {"S-2T": 1, "BAe-146": 1}
    assert part_of(fleet, 21) == part_of(fleet, 99) == fleet


def test_a_ratio_is_of_the_timings_of_one_repeat() -> None:
    timings = Timings(0).plus(10.0, 20.0).plus(40.0, 120.0).plus(10.0, 40.0)
    assert timings.ratio.median == 3.0
    assert timings.rollout.median == 10.0
    assert Quartiles.of([1.0, 2.0, 3.0, 4.0, 5.0]) == Quartiles(3.0, 2.0, 4.0)
    assert Quartiles.of([1.0, 2.0, 3.0, 4.0, 5.0]).iqr_percent == pytest.approx(200.0 / 3.0)


def test_the_slope_is_that_of_a_power_of_the_dimension() -> None:
    def row(case: ScalingCase) -> ScalingRow:
        return ScalingRow(
            case, 1.0, Timings(0, (2.0,), (2.0 * 3.0 * case.dimension**0.25,)), Timings(0, (2.0,), (4.0,))
        )

    rows = [row(case) for case in PAPER]
    assert slope_of(rows) == pytest.approx(0.25)
    assert slope_of(rows, flying=True) == pytest.approx(0.0)
    assert slope_of(rows[4:10]) is None


def test_every_planner_searches_at_every_fleet_size_with_every_seed() -> None:
    tasks = quality_tasks(PAPER, ScalingSettings(seeds=2, seed=5))
    assert len(tasks) == 5 * 2 * 2 == len(set(tasks))
    assert [task.aircraft for task in tasks[::4]] == [2, 5, 10, 15, 21]
    assert {task.seed for task in tasks} == {5, 6}
    assert quality_tasks(PAPER, ScalingSettings(quality=False)) == ()


def test_a_table_is_complete_with_all_repeats_and_all_searches() -> None:
    settings = ScalingSettings(repeats=3, seeds=1)
    table = ScalingTable("Fire", "model", settings, PAPER)
    some = replace(table, rows=tuple(row_of(case, 2) for case in PAPER))
    timed = replace(table, rows=tuple(row_of(case, 3) for case in PAPER))
    assert not some.timed and timed.timed and not timed.complete

    for task in reversed(table.tasks):
        timed = timed.with_quality(search_of(task))
    assert timed.complete and timed.missing == ()
    assert [row.task for row in timed.quality] == list(table.tasks)
    assert replace(some, settings=replace(settings, repeats=2, quality=False)).complete


def test_the_advantage_is_the_difference_of_the_means_with_both_spreads() -> None:
    table = ScalingTable("Fire", "model", ScalingSettings(seeds=2), PAPER)
    for planner in (PlannerName.GRADIENT, PlannerName.CMA_ES):
        for seed in (0, 1):
            table = table.with_quality(search_of(QualityTask(2, planner, seed), 2400))
    (point,) = table.points
    assert (point.aircraft, point.dimension) == (2, 2400)
    assert point.gradient.mean == pytest.approx(0.795) and point.cma_es.mean == pytest.approx(0.495)
    sd = 0.1 / math.sqrt(2.0)
    assert point.advantage.mean == pytest.approx(3.0)
    assert point.advantage.sd == pytest.approx(math.hypot(sd, sd))


def test_a_fleet_size_with_one_planner_has_no_point_yet() -> None:
    table = ScalingTable("Fire", "model", ScalingSettings(), PAPER)
    assert table.with_quality(search_of(QualityTask(2, PlannerName.GRADIENT, 0))).points == ()


def test_settings_out_of_bounds_are_all_named() -> None:
    problems = ScalingSettings(repeats=0, evaluations=3, seeds=0).problems()
    assert [problem.what.split(" is ")[0] for problem in problems] == ["Repeats", "Fire simulations", "Seeds"]
