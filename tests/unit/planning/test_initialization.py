"""The front initialization of stage 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.schedule import Schedule, pose_logits_of
from firegui.domain.settings import OptimizerSettings
from firegui.planning.initialization import front_schedule
from firegui.rollout import reference
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet

QUIET = OptimizerSettings(jitter_cells=0.0, exclusion_cells=3.0)


def test_pose_logits_map_back_to_the_poses() -> None:
    maps, fleet = random_maps(0), small_fleet()
    poses = random_schedule(0, maps, fleet).poses
    z = pose_logits_of(poses, maps.shape)
    back = Schedule.from_pose_logits(np.zeros(poses.shape[:2]), z, maps.shape).poses
    np.testing.assert_allclose(back, poses, atol=1e-9)


def test_headings_outside_half_a_turn_are_the_same_axes() -> None:
    poses = np.zeros((1, 3, 3))
    poses[0, :, 2] = (-0.3, 3.5, 4.71)
    back = Schedule.from_pose_logits(np.zeros((1, 3)), pose_logits_of(poses, (10, 10)), (10, 10)).poses
    np.testing.assert_allclose(back[0, :, 2], [np.pi - 0.3, 3.5 - np.pi, 4.71 - np.pi], atol=1e-9)


def test_water_starts_on_the_burning_front_and_retardant_on_the_forecast_ignition() -> None:
    maps, fleet = random_maps(1, shape=(30, 30), steps_per_day=10), small_fleet()
    model = model_of(maps, fleet)
    schedule = front_schedule(model, QUIET)
    states = reference.simulate(model, Schedule.empty(maps.n_steps, fleet.n_aircraft)).burning
    for step in (0, 6, 17):
        now, later = states[step].numpy(), states[min(step + 5, maps.n_steps)].numpy()
        y, x = np.rint(schedule.poses[step, 3, :2]).astype(int)
        assert now[y, x] == now.max()
        ignition = np.maximum(later - now, 0.0)
        y, x = np.rint(schedule.poses[step, 0, :2]).astype(int)
        assert ignition[y, x] == ignition.max() or ignition.max() == 0.0


def test_no_drop_is_executed_at_first_and_headings_lie_across_the_wind() -> None:
    maps, fleet = random_maps(2), small_fleet()
    schedule = front_schedule(model_of(maps, fleet), QUIET)
    assert not schedule.proposed.any()
    assert np.unique(schedule.logits).tolist() == [-0.04]
    y, x, theta = schedule.poses[0, 0]
    wind = maps.wind_dir[0, round(y), round(x)]
    assert theta == pytest.approx((wind + np.pi / 2) % np.pi, abs=1e-4)


def test_the_seed_decides_the_jitter() -> None:
    maps, fleet = random_maps(3), small_fleet()
    model, settings = model_of(maps, fleet), OptimizerSettings(seed=4)
    first, second = front_schedule(model, settings), front_schedule(model, settings)
    np.testing.assert_array_equal(first.poses, second.poses)
    assert (front_schedule(model, replace(settings, seed=5)).poses != first.poses).any()


def test_positions_stay_on_the_raster() -> None:
    maps, fleet = random_maps(4), small_fleet()
    poses = front_schedule(model_of(maps, fleet), OptimizerSettings(jitter_cells=50.0)).poses
    assert poses[..., 0].min() >= 0.0 and poses[..., 0].max() <= maps.shape[0] - 1
    assert poses[..., 1].min() >= 0.0 and poses[..., 1].max() <= maps.shape[1] - 1
