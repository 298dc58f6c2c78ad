from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings, Start
from firegui.planning.audit import audit
from firegui.planning.initialization import centroid_schedule, front_schedule, start_schedule
from firegui.planning.tactical_sweep import tactical_schedule
from firegui.rollout.gates import apply_gates
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate, watch
from tests.numerics.cases import model_of, random_maps, small_fleet

SETTINGS = OptimizerSettings(exclusion_cells=3.0, jitter_cells=0.0, seed=4)


def test_every_drop_it_lists_is_executed_and_breaks_no_rule(model: Model) -> None:
    schedule = tactical_schedule(model, SETTINGS)
    executed = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day).executed
    assert np.array_equal(executed, schedule.proposed)
    assert audit(schedule, model.fleet, model.maps.steps_per_day, model.shape).ok
    assert executed.any()


def test_where_a_day_is_one_step_retardant_is_laid_a_step_ahead() -> None:
    model = model_of(random_maps(0, days=6, steps_per_day=1), small_fleet())
    columns = model.columns_of(Material.RETARDANT)
    assert model.maps.half_day == 1
    assert tactical_schedule(model, SETTINGS).proposed[:, columns].any()


def test_it_does_better_than_nothing(model: Model) -> None:
    nothing = simulate(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft)).metrics
    assert simulate(model, tactical_schedule(model, SETTINGS)).metrics.objective < nothing.objective


def test_the_budget_is_never_exceeded_and_is_used(model: Model) -> None:
    assert int(tactical_schedule(model, SETTINGS, budget=7).proposed.sum()) == 7


def test_drops_of_one_step_keep_their_distance(model: Model) -> None:
    schedule = tactical_schedule(model, SETTINGS)
    columns = model.columns_of(Material.RETARDANT)
    for step in np.flatnonzero(schedule.proposed[:, columns].sum(axis=1) > 1):
        places = schedule.poses[step, columns, :2][schedule.proposed[step, columns]]
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(len(places)) * 99.0
        assert gaps.min() > SETTINGS.exclusion_cells


def test_the_same_seed_places_the_same_drops(model: Model) -> None:
    jittered = replace(SETTINGS, jitter_cells=1.0)
    one, other = tactical_schedule(model, jittered), tactical_schedule(model, jittered)
    assert np.array_equal(one.poses, other.poses)
    assert np.array_equal(one.logits, other.logits)


def test_the_centroid_start_lies_where_the_fire_without_drops_burns(model: Model) -> None:
    start = centroid_schedule(model, SETTINGS)
    centroids = {}

    def see(step: int, burning: object) -> None:
        mass = np.asarray(burning, np.float64)
        centroids[step] = [(mass.sum(axis=axis) @ np.arange(mass.shape[1 - axis])) / mass.sum() for axis in (1, 0)]

    watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), see)
    assert start.poses[5, :, :2] == pytest.approx(np.tile(centroids[5], (model.fleet.n_aircraft, 1)))
    assert (start.logits == SETTINGS.initial_logit).all()
    assert len(np.unique(start.poses[:, :, 2])) == start.logits.size


def test_a_tactical_start_proposes_the_heuristics_drops_and_keeps_the_front_elsewhere(model: Model) -> None:
    tactical = tactical_schedule(model, SETTINGS)
    start = start_schedule(
        model, OptimizerSettings(exclusion_cells=3.0, jitter_cells=0.0, seed=4, start=Start.TACTICAL)
    )
    front = front_schedule(model, SETTINGS)
    assert np.array_equal(start.proposed, tactical.proposed)
    listed = tactical.proposed
    assert start.poses[listed] == pytest.approx(tactical.poses[listed], abs=1e-3)
    assert start.poses[~listed] == pytest.approx(front.poses[~listed], abs=1e-3)
    assert (np.abs(start.logits) == abs(SETTINGS.initial_logit)).all()
