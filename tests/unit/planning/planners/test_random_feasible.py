"""The random controls: a budget that is flown, at places and times that know nothing of the fire's arrival."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.benchmark import PlannerName
from firegui.domain.schedule import Schedule
from firegui.planning.planners.baselines import BURNS
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import watch
from tests.unit.planning.planners.planner_contexts import SETTINGS, contest_of, finish


@pytest.mark.parametrize(("name", "cost"), [(PlannerName.UNIFORM, 1), (PlannerName.FOOTPRINT, 2)])
def test_the_budget_is_flown_exactly_and_one_schedule_is_scored(model: Model, name: PlannerName, cost: int) -> None:
    context = contest_of(model, budget=11)
    finish(name, context)
    best = context.evaluations.best
    assert int(gates_of(best, model.fleet, model.maps, model.rules).executed.sum()) == 11
    assert context.evaluations.spent == cost
    assert context.evaluations.curve == ((cost, context.evaluations.best_objective),)
    assert ((best.poses[:, :, 2] >= 0.0) & (best.poses[:, :, 2] < np.pi)).all()
    assert len(np.unique(best.poses[:, :, 2])) == best.logits.size


def test_uniform_poses_are_all_over_the_raster(model: Model) -> None:
    context = contest_of(model)
    finish(PlannerName.UNIFORM, context)
    places = context.evaluations.best.poses[:, :, :2].reshape(-1, 2)
    assert (places.min(axis=0) < 2.0).all()
    assert (places.max(axis=0) > np.array(model.shape) - 3.0).all()


def test_footprint_poses_are_on_cells_that_burn_without_drops(model: Model) -> None:
    context = contest_of(model)
    finish(PlannerName.FOOTPRINT, context)
    most = np.zeros(model.shape, np.float32)

    def see(step: int, burning: object) -> None:
        np.maximum(most, np.asarray(burning), out=most)

    watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), see)
    cells = context.evaluations.best.poses[:, :, :2]
    assert np.array_equal(cells, np.rint(cells))
    inside = most[tuple(cells.astype(int).reshape(-1, 2).T)]
    assert inside.min() > BURNS
    assert (most <= BURNS).mean() > 0.1  # elsewhere there is room to be wrong


def test_another_seed_is_another_schedule_and_the_same_one_the_same(model: Model) -> None:
    bests = []
    for seed in (1, 1, 2):
        context = contest_of(model, settings=replace(SETTINGS, seed=seed))
        finish(PlannerName.FOOTPRINT, context)
        bests.append(context.evaluations.best)
    assert np.array_equal(bests[0].poses, bests[1].poses)
    assert not np.array_equal(bests[0].poses, bests[2].poses)
    assert not np.array_equal(bests[0].logits, bests[2].logits)
