"""Greedy: never over the budget, nothing that was flown is lost, nothing that does not help is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.planning.evaluations import Evaluations
from firegui.planning.planner_context import PlannerContext
from firegui.planning.planners.greedy import CANDIDATES, COMMITTED, Greedy, drawn_times
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.gates import FlightRules, Gates, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import aircraft, model_of, random_maps
from tests.unit.planning.planners.planner_contexts import (
    SETTINGS,
    airspace,
    cap,
    contest_of,
    finish,
    listed,
    pins,
    rounds,
    sorties,
    zones,
)


def gates(model: Model, schedule: Schedule) -> Gates:
    return gates_of(schedule, model.fleet, model.maps, model.rules)


def test_every_round_adds_drops_that_help_and_flies_all_that_was_flown_before(model: Model) -> None:
    context = contest_of(model, budget=15, allowance=400)
    before, lowest = np.zeros((model.n_steps, model.fleet.n_aircraft), bool), np.inf
    counts = []
    for planner in rounds(PlannerName.GREEDY, context):
        schedule = listed(planner)
        executed = gates(model, schedule).executed
        assert np.array_equal(executed, schedule.proposed)
        assert (executed | ~before).all()
        assert ((executed & ~before).sum(axis=0) <= 1).all()
        objective = simulate(model, schedule).metrics.objective
        assert objective <= lowest
        before, lowest = executed, objective
        counts.append(int(executed.sum()))
    assert counts[-1] == 15
    assert max(np.diff(counts)) > 1
    assert context.evaluations.best_objective == lowest


@pytest.mark.parametrize("budget", [1, 4, 7])
def test_the_budget_is_never_overshot(model: Model, budget: int) -> None:
    context = contest_of(model, budget=budget, allowance=400)
    for planner in rounds(PlannerName.GREEDY, context):
        assert int(gates(model, listed(planner)).executed.sum()) <= budget
    assert int(gates(model, context.evaluations.best).executed.sum()) == budget


@pytest.mark.parametrize("allowance", [1, 2, 3, 36, 37, 40])
def test_the_allowance_is_kept_to_the_last_rollout(model: Model, allowance: int) -> None:
    context = contest_of(model, budget=15, allowance=allowance)
    finish(PlannerName.GREEDY, context)
    assert 0 < context.evaluations.spent <= allowance
    assert np.isfinite(context.evaluations.best_objective)
    flown = int(gates(model, context.evaluations.best).executed.sum())
    assert flown == 0 if allowance < 3 else flown > 0


class Grudging(Evaluations):
    """Finds every schedule that combines several candidates worse than any other."""

    def score(self, schedules: Sequence[Schedule], check: Check | None = None) -> list[float]:
        scores = super().score(schedules, check)
        return scores if len(schedules) > 1 else [np.inf]


def test_a_combination_that_is_worse_gives_way_to_its_best_candidate(model: Model) -> None:
    context = PlannerContext(model, Grudging(model, SharedObjective(4), 400), SETTINGS)
    counts = [int(listed(planner).proposed.sum()) for planner in rounds(PlannerName.GREEDY, context)]
    assert counts == [0, 1, 2, 3, 4]


def test_it_ends_after_a_round_without_an_improving_candidate(model: Model) -> None:
    dear = model.with_weights(replace(model.weights, budget=1e6))
    context = contest_of(dear, allowance=400)
    finish(PlannerName.GREEDY, context)
    assert context.evaluations.spent <= 1 + CANDIDATES
    assert not context.evaluations.best.proposed.any()


def test_with_nobody_to_fly_the_fire_without_drops_is_its_answer() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 2, grounded_days=(0, 1)),))
    context = contest_of(model_of(random_maps(0), fleet), allowance=50)
    finish(PlannerName.GREEDY, context)
    assert context.evaluations.spent == 1
    assert not context.evaluations.best.proposed.any()


def test_no_more_than_the_most_drops_are_committed_in_a_round() -> None:
    fleet = Fleet((aircraft("W", Material.WATER, 40, turnaround_h=5.0),))
    context = contest_of(model_of(random_maps(0, shape=(30, 32)), fleet), budget=100)
    planner = Greedy(context)
    planner.advance()
    assert 1 < int(listed(planner).proposed.sum()) <= COMMITTED


@pytest.mark.parametrize("rules", [sorties, cap, zones, airspace, pins])
def test_every_drop_it_lists_is_flown_under_the_rules_of_an_operation(
    model: Model, rules: Callable[[Model], FlightRules]
) -> None:
    ruled = replace(model, rules=rules(model))
    context = contest_of(ruled, budget=12, allowance=150)
    for planner in rounds(PlannerName.GREEDY, context):
        schedule = listed(planner)
        assert np.array_equal(gates(ruled, schedule).executed, schedule.proposed)
    assert 2 < int(context.evaluations.best.proposed.sum()) <= 12


def test_times_are_dealt_over_the_aircraft_and_keep_clear_of_what_is_flown(model: Model) -> None:
    schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    schedule.logits[[8, 20], [0, 0]] = 3.0
    pairs = drawn_times(model, gates(model, schedule), 12, np.random.default_rng(0))
    assert len(set(pairs)) == 12
    assert pairs == sorted(pairs)
    counts = np.bincount([column for _, column in pairs], minlength=model.fleet.n_aircraft)
    assert set(counts.tolist()) == {2, 3}
    wait = model.fleet.tails[0].type.turnaround_steps(model.maps.steps_per_day)
    all_of_first = [step for step, column in drawn_times(model, gates(model, schedule), 999, np.random.default_rng(0))
                    if column == 0]  # fmt: skip
    assert all_of_first == [s for s in range(model.n_steps) if min(abs(s - 8), abs(s - 20)) > wait]


def test_as_many_times_are_drawn_in_every_doubling_of_the_time() -> None:
    model = model_of(random_maps(0, shape=(14, 17), days=3), Fleet((aircraft("W", Material.WATER, 1),)))
    empty = gates(model, Schedule.empty(model.n_steps, 1))
    steps = np.array([drawn_times(model, empty, 1, np.random.default_rng(seed))[0][0] for seed in range(1500)])
    shares = [((steps + 1 >= begin) & (steps + 1 < 2 * begin)).mean() for begin in (2, 4, 8)]
    expected = [sum(1.0 / t for t in range(begin, 2 * begin)) for begin in (2, 4, 8)]
    total = sum(1.0 / t for t in range(1, model.n_steps + 1))
    assert shares == pytest.approx(np.array(expected) / total, abs=0.04)
