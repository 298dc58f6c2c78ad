"""The scaling study's problems, timings and searches on the real engine. How fast anything is, no test asserts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.fleet import availability_cap
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.scaling import (
    LEAST_SEARCH,
    SEARCHED,
    QualityTask,
    ScalingAxis,
    ScalingCase,
    ScalingRow,
    ScalingSettings,
    cases_of,
)
from firegui.domain.schedule import Schedule
from firegui.errors import CancelledError, Check
from firegui.planning.problem import build
from firegui.planning.scaling import (
    BYTES_PER_CELL_AND_DAY,
    ScalingFires,
    ScalingTimer,
    grouped,
    most_drops,
    window_around,
)
from firegui.rollout.engine_message import ignore_message
from firegui.rollout.simulate import simulate
from tests.support import SHAPE, STEPS_PER_DAY, make_project, stop

FAST = ScalingSettings(repeats=2, warm_ups=1, evaluations=24, seeds=1)


def go_on() -> None:
    """Never asks for a stop."""


def unheard(done: int, total: int, text: str) -> None:
    """Hears nothing."""


def cases(project: Project) -> tuple[ScalingCase, ...]:
    return cases_of(project.scenario.grid.shape, project.plan.days, STEPS_PER_DAY, project.fleet.n_aircraft)


def fires(project: Project) -> ScalingFires:
    return ScalingFires(project, "cpu", ignore_message, go_on)


@pytest.fixture(scope="module")
def project() -> Project:
    return make_project()


@pytest.fixture(scope="module")
def bench(project: Project) -> ScalingTimer:
    return ScalingTimer(project, "cpu", ignore_message, go_on)


@pytest.mark.parametrize("corner", [(0, 0), (29, 39), (15, 2)])
def test_a_window_lies_on_the_raster_and_holds_the_fires_beginning(corner: tuple[int, int]) -> None:
    ignition = np.zeros((30, 40), bool)
    ignition[corner] = True
    rows, columns = window_around(ignition, (7, 10))
    assert (rows.stop - rows.start, columns.stop - columns.start) == (7, 10)
    assert rows.start >= 0 and rows.stop <= 30 and columns.start >= 0 and columns.stop <= 40
    assert ignition[rows, columns].any()


def test_a_window_between_two_fires_lies_on_one_of_them() -> None:
    ignition = np.zeros((30, 40), bool)
    ignition[2, 2] = ignition[25, 35] = True
    assert ignition[window_around(ignition, (8, 10))].any()


def test_every_setting_has_its_raster_horizon_and_fleet(project: Project) -> None:
    found = fires(project)
    for case in cases(project):
        model = found.model(case)
        assert model.shape == (case.rows, case.columns)
        assert (model.n_steps, model.fleet.n_aircraft) == (case.steps, case.aircraft)
        assert all(day < case.days for kind in model.fleet.types for day in kind.grounded_days)
        assert model.maps.ignition.any()
        assert np.array_equal(model.K.shape, (case.days, 8, case.rows, case.columns))


def test_the_largest_setting_is_the_projects_own_problem(project: Project) -> None:
    largest = fires(project).model(cases(project)[-1])
    whole = build(project, effectiveness=project.plan.nominal, backend="cpu")
    schedule = Schedule.empty(whole.n_steps, whole.fleet.n_aircraft)
    schedule.logits[:] = 1.0
    schedule.poses[:] = (8.0, 10.0, 0.5)
    assert simulate(largest, schedule).metrics == simulate(whole, schedule).metrics


def test_a_fire_that_stays_inside_burns_in_a_window_as_on_the_whole_raster() -> None:
    slow = make_project()
    assert slow.maps is not None
    burnable = np.zeros(SHAPE, bool)
    burnable[6:10, 8:12] = True
    slow = replace(slow, maps=replace(slow.maps, burnable=burnable), regions=())
    slow = replace(slow, plan=replace(slow.plan, weights=replace(slow.plan.weights, prot=0.0)))
    found = fires(slow)
    small, large = (
        found.model(case) for case in cases(slow) if case.sweep is ScalingAxis.GRID and case.rows in (9, 16)
    )
    nothing = Schedule.empty(small.n_steps, small.fleet.n_aircraft)
    extents = [simulate(model, nothing).metrics.final_extent_cells for model in (small, large)]
    assert extents[0] == pytest.approx(extents[1], rel=1e-6) and extents[0] > 4.0


def test_regions_outside_a_window_do_not_count_in_it(project: Project) -> None:
    middle = Region.rectangle("Quartiles", (7, 9), (9, 11))
    found = fires(replace(project, regions=(*project.regions, middle)))
    small = next(case for case in cases(project) if case.sweep is ScalingAxis.GRID)
    model = found.model(small)
    assert int(model.protected.sum()) == 4
    assert float(model.protection.sum()) == pytest.approx(1.0)


def test_operational_constraints_are_left_out(project: Project) -> None:
    capped = replace(project, operations=Operations(hard_cap=1))
    assert fires(capped).model(cases(project)[0]).rules is None


def test_fires_that_do_not_fit_together_are_measured_apart() -> None:
    small, other, large = (ScalingCase(ScalingAxis.FLEET, side, side, 1, 10, 2) for side in (10, 20, 40))
    again = replace(small, aircraft=1)
    need = BYTES_PER_CELL_AND_DAY
    assert grouped([small, again, other, large], None) == [[small, again, other, large]]
    assert grouped([small, again, other, large], need * 600.0) == [[small, again, other], [large]]
    assert grouped([small, again, other, large], need * 1.0) == [[small, again], [other], [large]]


def test_a_round_times_every_setting_and_rounds_that_are_done_are_kept(project: Project, bench: ScalingTimer) -> None:
    kept: list[tuple[ScalingRow, ...]] = []
    some = cases(project)[:2]

    def times(settings: ScalingSettings, done: tuple[ScalingRow, ...]) -> tuple[ScalingRow, ...]:
        return bench.times(some, settings, done, hear=unheard, keep=kept.append, check=go_on)

    rows = times(FAST, ())
    assert [len(round_) for round_ in kept] == [2, 2]
    assert [[row.repeats for row in round_] for round_ in kept] == [[1, 1], [2, 2]]
    assert [row.case for row in rows] == list(some)
    assert all(row.start.drops == 0 and row.flying.drops > 0 and row.fire_cells > 4.0 for row in rows)

    kept.clear()
    more = times(replace(FAST, repeats=3), rows)
    assert len(kept) == 1
    for row, before in zip(more, rows, strict=True):
        assert row.repeats == 3
        assert row.start.rollout_ms[:2] == before.start.rollout_ms
        assert row.flying.gradient_ms[:2] == before.flying.gradient_ms
    assert times(FAST, more) == more


def test_a_cancelled_round_is_not_kept(project: Project, bench: ScalingTimer) -> None:
    kept: list[tuple[ScalingRow, ...]] = []

    def hear(done: int, total: int, text: str) -> None:
        if text.startswith("Timing") and done == 1:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        bench.times(cases(project)[:2], FAST, (), hear=hear, keep=kept.append, check=go_on)
    assert [[row.repeats for row in round_] for round_ in kept] == [[1, 1]]


def test_the_fleet_can_fly_as_much_as_its_calendar_says(project: Project, bench: ScalingTimer) -> None:
    assert most_drops(bench.model) == availability_cap(project.planned_fleet, project.calendar)


@pytest.mark.parametrize("planner", [PlannerName.GRADIENT, PlannerName.CMA_ES])
def test_a_search_keeps_to_its_evaluations_and_repeats_itself(
    planner: PlannerName, project: Project, bench: ScalingTimer
) -> None:
    def search(seed: int, settings: ScalingSettings = FAST, check: Check = go_on) -> tuple[float, int]:
        row = bench.search(cases(project), QualityTask(4, planner, seed), settings, check)
        assert FAST.evaluations - 3 < row.evaluations <= FAST.evaluations
        assert (row.dimension, row.task.seed) == (4 * 10 * 4, seed)
        assert row.removed == pytest.approx(1.0 - row.objective / row.baseline)
        return row.objective, row.drops

    first = search(1)
    assert search(1) == first
    assert search(2) != first


def test_without_a_budget_a_search_has_no_penalty_to_pay(project: Project, bench: ScalingTimer) -> None:
    task = QualityTask(4, PlannerName.CMA_ES, 0)
    free = bench.search(cases(project), task, FAST, go_on)
    tight = bench.search(cases(project), task, replace(FAST, budget=2), go_on)
    assert free.drops <= free.budget and tight.budget == 2
    assert free.objective < tight.objective


@pytest.mark.parametrize("planner", SEARCHED)
def test_the_shortest_search_scores_a_schedule(planner: PlannerName, project: Project, bench: ScalingTimer) -> None:
    row = bench.search(cases(project), QualityTask(4, planner, 0), replace(FAST, evaluations=LEAST_SEARCH), go_on)
    assert row.evaluations <= LEAST_SEARCH and 0.0 < row.objective < float("inf")


def test_a_cancelled_search_says_so(project: Project, bench: ScalingTimer) -> None:
    with pytest.raises(CancelledError):
        bench.search(cases(project), QualityTask(4, PlannerName.GRADIENT, 0), FAST, stop)
