"""The benchmark's counter of rollouts, and what it takes for the best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import Schedule
from firegui.errors import CancelledError
from firegui.planning.evaluations import Evaluations
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.gates import FlightRules
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet

MAPS = random_maps(0)
SHARED = SharedObjective(budget=4)


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(MAPS, small_fleet())


def schedule(seed: int) -> Schedule:
    return random_schedule(seed, MAPS, small_fleet())


def cancel() -> None:
    raise CancelledError


def test_the_shared_objective_is_the_projects_and_a_penalty_for_every_drop_over_the_budget(model: Model) -> None:
    metrics = simulate(model, schedule(0)).metrics
    assert metrics.drops_executed > 4
    assert SHARED.value(metrics) == metrics.objective + 10.0 * (metrics.drops_executed - 4) / 4
    roomy = SharedObjective(metrics.drops_executed)
    assert roomy.value(metrics) == metrics.objective
    assert Evaluations(model, SHARED, 1).score([schedule(0)]) == [SHARED.value(metrics)]


def test_every_rollout_is_charged_and_the_lowest_is_the_best(model: Model) -> None:
    evaluations = Evaluations(model, SHARED, 10)
    scores = evaluations.score([schedule(seed) for seed in range(4)])
    assert (evaluations.spent, evaluations.left) == (4, 6)
    assert evaluations.best_objective == min(scores)
    assert np.array_equal(evaluations.best.logits, schedule(int(np.argmin(scores))).logits)
    assert evaluations.curve[-1] == (int(np.argmin(scores)) + 1, min(scores))
    assert evaluations.forecast(schedule(1), lambda step, burning: None) == scores[1]
    assert evaluations.spent == 5


def test_a_gradient_epoch_is_charged_three_and_its_cost_is_measured_beside(model: Model) -> None:
    evaluations = Evaluations(model, SHARED, 10)
    assert evaluations.gradient_cost is None
    evaluations.charge_gradient(schedule(0), simulate(model, schedule(0)).metrics, seconds=1.0)
    assert evaluations.spent == GRADIENT_CHARGE == 3
    evaluations.charge_gradient(schedule(0), simulate(model, schedule(0)).metrics, seconds=1.0)
    assert evaluations.gradient_cost is not None
    assert evaluations.gradient_cost > 0.0


def test_rollouts_that_only_show_a_fire_are_charged_and_never_the_best(model: Model) -> None:
    evaluations = Evaluations(model, SHARED, 10)
    evaluations.charge(2)
    assert (evaluations.spent, evaluations.best_objective, evaluations.curve) == (2, np.inf, ())


def test_nothing_goes_beyond_the_allowance(model: Model) -> None:
    evaluations = Evaluations(model, SHARED, 2)
    metrics = simulate(model, schedule(0)).metrics
    with pytest.raises(ValueError, match="3 rollouts asked for, 2 of 2 left"):
        evaluations.score([schedule(0)] * 3)
    with pytest.raises(ValueError, match="3 rollouts"):
        evaluations.charge_gradient(schedule(0), metrics, 1.0)
    with pytest.raises(ValueError, match="5 rollouts"):
        evaluations.charge(5)
    evaluations.score([schedule(0)] * 2)
    with pytest.raises(ValueError, match="0 of 2 left"):
        evaluations.forecast(schedule(0), lambda step, burning: None)


def test_a_cancelled_rollout_is_not_charged(model: Model) -> None:
    evaluations = Evaluations(model, SHARED, 5)
    with pytest.raises(CancelledError):
        evaluations.score([schedule(0)], check=cancel)
    with pytest.raises(CancelledError):
        evaluations.forecast(schedule(0), lambda step, burning: None, check=cancel)
    assert (evaluations.spent, evaluations.best_objective) == (0, np.inf)


def test_pinned_drops_are_part_of_whatever_is_scored(model: Model) -> None:
    pinned = np.zeros((model.n_steps, model.fleet.n_aircraft), bool)
    pinned[4, 2] = True
    poses = np.full((*pinned.shape, 3), 3.0)
    ruled = replace(model, rules=FlightRules(pinned=pinned, pinned_poses=poses))
    evaluations = Evaluations(ruled, SHARED, 5)
    evaluations.score([Schedule.empty(*pinned.shape)])
    assert np.array_equal(evaluations.best.proposed, pinned)
    assert (evaluations.best.poses[4, 2] == 3.0).all()


def test_a_restored_counter_goes_on_with_the_same_numbers(model: Model) -> None:
    evaluations = Evaluations(model, SHARED, 20)
    evaluations.score([schedule(0), schedule(1)])
    evaluations.charge_gradient(schedule(2), simulate(model, schedule(2)).metrics, seconds=1.0)
    restored = Evaluations(model, SHARED, 20, evaluations.state())
    for one in (evaluations, restored):
        one.score([schedule(3)])
    assert restored.spent == evaluations.spent == 6
    assert restored.curve == evaluations.curve
    assert restored.gradient_cost == evaluations.gradient_cost
    assert restored.best_objective == evaluations.best_objective
    assert np.array_equal(restored.best.poses, evaluations.best.poses)
