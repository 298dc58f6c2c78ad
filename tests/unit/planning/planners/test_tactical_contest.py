"""The tactical heuristic as a planner of the benchmark, and under the rules of an operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.planning import tactical_sweep
from firegui.planning.flight_rules import with_pins
from firegui.planning.tactical_sweep import TACTICAL_ROLLOUTS, tactical_schedule
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate, watch
from tests.numerics.cases import aircraft, model_of, random_maps
from tests.unit.planning.planners.planner_contexts import (
    BUDGET,
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


def test_the_best_of_three_passes_is_kept_and_every_rollout_is_charged(model: Model) -> None:
    context = contest_of(model)
    passes = [listed(planner) for planner in rounds(PlannerName.TACTICAL, context)][1:]
    objectives = [simulate(model, one).metrics.objective for one in passes]
    assert len(passes) == 3
    assert context.evaluations.spent == TACTICAL_ROLLOUTS <= 7
    assert context.evaluations.best_objective == min(objectives)
    assert np.array_equal(context.evaluations.best.poses, passes[int(np.argmin(objectives))].poses)
    assert all(int(one.proposed.sum()) == BUDGET for one in passes)


def test_without_a_contest_it_is_the_same_schedule(model: Model) -> None:
    context = contest_of(model)
    finish(PlannerName.TACTICAL, context)
    alone = tactical_schedule(model, SETTINGS, budget=BUDGET)
    assert np.array_equal(alone.logits, context.evaluations.best.logits)
    assert np.array_equal(alone.poses, context.evaluations.best.poses)


def test_an_allowance_that_does_not_suffice_is_left_alone(model: Model) -> None:
    context = contest_of(model, allowance=TACTICAL_ROLLOUTS - 1)
    assert finish(PlannerName.TACTICAL, context).finished
    assert context.evaluations.spent == 0


@pytest.mark.parametrize("rules", [sorties, cap, zones, airspace, pins])
@pytest.mark.parametrize("budget", [12, None])
def test_every_drop_it_lists_is_flown_under_the_rules_of_an_operation(
    model: Model, rules: Callable[[Model], FlightRules], budget: int | None
) -> None:
    ruled = replace(model, rules=rules(model))
    schedule = tactical_schedule(ruled, SETTINGS, budget=budget)
    executed = gates_of(schedule, model.fleet, model.maps, ruled.rules).executed
    assert np.array_equal(executed, schedule.proposed)
    assert np.array_equal(schedule.logits, with_pins(schedule, ruled).logits)
    assert int(executed.sum()) == (5 if rules is cap else 12) or budget is None
    assert executed.sum() > 0


def test_pinned_drops_are_flown_in_the_first_forecast_too(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = pins(model)
    ruled = replace(model, rules=rules)
    watched: list[Schedule] = []

    def note(model: Model, schedule: Schedule, *others: Any, **named: Any) -> Any:
        watched.append(schedule)
        return watch(model, schedule, *others, **named)

    monkeypatch.setattr(tactical_sweep, "watch", note)
    tactical_schedule(ruled, SETTINGS, budget=12)
    (first,) = watched
    assert rules.pinned is not None and np.array_equal(first.proposed, rules.pinned)


def test_with_nobody_to_fly_nothing_is_listed() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 2, grounded_days=(0, 1)),))
    context = contest_of(model_of(random_maps(0), fleet))
    finish(PlannerName.TACTICAL, context)
    assert not context.evaluations.best.proposed.any()
    assert np.isfinite(context.evaluations.best_objective)
