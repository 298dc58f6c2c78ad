"""The active front against the dense reference and float64 autograd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights, RetardantSide
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout import closed_form, reference
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.simulate import prepare, simulate, watch
from firegui.rollout.synthetic_fires import holding_schedule, synthetic_fire
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import (
    assert_near,
    busy_fleet,
    differentiate,
    fire_of,
    fitful_maps,
    lit,
    many_drops,
    nothing_flies,
    roll,
)
from tests.numerics.test_gradient import autograd

SIDES = list(RetardantSide)
COMPONENTS = ("y", "x", "θ")


def assert_gradient(model: Model, schedule: Schedule) -> None:
    """Logits and each component of the poses agree with autograd, each by its own largest value."""
    truth, tolerance = autograd(model, schedule), 1e-4
    _, logit, pose = differentiate(model, schedule)
    assert_near(logit, truth[0], tolerance, "logit")
    for k, name in enumerate(COMPONENTS):
        assert_near(pose[:, :, k], truth[1][:, :, k], tolerance, name)


def assert_closed_form(model: Model, schedule: Schedule, tolerance: float) -> None:
    """Logits and, where something flies, poses against the closed form in torch."""
    truth = closed_form.gradient(model, schedule, Observer(model, None, keep_days=False), None)[1:]
    _, logit, pose = differentiate(model, schedule)
    assert_near(logit, truth[0], tolerance, "logit")
    if schedule.proposed.any():
        assert_near(pose, truth[1], tolerance, "pose")


@pytest.mark.parametrize("attacked", [False, True])
def test_250_steps_of_a_growing_fire_agree_with_dense_torch(attacked: bool) -> None:
    maps = synthetic_fire((200, 220), days=5, start_cells=400)
    nothing = np.zeros((0, *maps.shape), bool)
    model = prepare(
        maps, default_fleet(), nothing, [], weights=ObjectiveWeights(), effectiveness=NOMINAL, backend="cpu"
    )
    schedule = holding_schedule(model, 150, 6) if attacked else nothing_flies(model)
    outcome, days = roll(model, schedule)
    truth = reference.simulate(model, schedule)
    fire = fire_of(truth.unburned, maps.steps_per_day)
    assert outcome.metrics.drops_executed == (150 if attacked else 0)
    assert fire[-1].sum() > (2 if attacked else 3) * fire[0].sum()
    np.testing.assert_allclose(
        days.sum(axis=(1, 2), dtype=np.float64), fire.sum(axis=(1, 2), dtype=np.float64), rtol=1e-5
    )
    assert float(np.abs(days - fire).max()) <= 5e-3
    assert outcome.metrics.objective == pytest.approx(float(truth.objective), rel=1e-5)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(10))
def test_the_gradient_of_thirty_steps_agrees_with_autograd(seed: int, side: RetardantSide) -> None:
    maps, fleet = random_maps(seed, days=3), small_fleet()
    model, schedule = model_of(maps, fleet, side=side), random_schedule(seed, maps, fleet)
    assert_gradient(model, schedule)


@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_of_a_fire_that_sleeps_and_wakes_agrees_with_autograd(seed: int) -> None:
    maps = fitful_maps(seed, (21, 70), gain=0.3, days=3, steps_per_day=10)
    model = model_of(maps, busy_fleet(), side=SIDES[seed % 3])
    schedule = many_drops(seed, maps, model.fleet)
    assert_gradient(model, schedule)


def test_the_gradient_with_scoring_that_starts_late_agrees_with_autograd() -> None:
    maps, fleet = random_maps(30, days=3), small_fleet()
    model, schedule = replace(model_of(maps, fleet), first_scored_step=13), random_schedule(30, maps, fleet)
    assert_gradient(model, schedule)


def test_a_capped_dose_has_no_gradient() -> None:
    calm = np.zeros((3, 14, 17), np.float32)
    maps = replace(random_maps(31, days=3), wind_speed=calm)
    heavy = aircraft("R", Material.RETARDANT, 2, payload_gal=1e5, turnaround_h=3.0)
    fleet = Fleet((heavy, aircraft("W", Material.WATER, 2, payload_gal=1e5, turnaround_h=6.0)))
    model, schedule = model_of(maps, fleet), random_schedule(31, maps, fleet)
    assert_gradient(model, schedule)


@pytest.mark.parametrize("t_burn", [1.0, 1.2, 2.0, 10.0, 1000.0])
@pytest.mark.parametrize(("days", "steps_per_day"), [(30, 1), (4, 7), (1, 30)])
@pytest.mark.parametrize("material", list(Material))
def test_the_gradient_knows_what_burned_out_within_the_day_before(
    material: Material, days: int, steps_per_day: int, t_burn: float
) -> None:
    # Whole rows of tiles burn from the start: nothing ignites in them any more, and soon nothing burns in them.
    maps = random_maps(32, shape=(24, 70), days=days, steps_per_day=steps_per_day)
    maps = lit(replace(maps, t_burn=t_burn), (slice(8, 14), slice(16, 48)))
    fleet = Fleet((aircraft("X", material, 3),))
    model, schedule = model_of(maps, fleet), many_drops(32, maps, fleet, share=0.1)
    assert_gradient(model, schedule)


@pytest.mark.parametrize(
    ("t_burn", "days", "steps_per_day"), [(10.0, 6, 50), (10.0, 9, 50), (2.0, 2, 50), (3.0, 2, 120)]
)
@pytest.mark.parametrize("material", list(Material))
@pytest.mark.parametrize("share", [-1.0, 0.1])
def test_the_gradient_of_a_long_fire_knows_what_burned_out_days_ago(
    share: float, material: Material, t_burn: float, days: int, steps_per_day: int
) -> None:
    maps = random_maps(33, shape=(24, 70), days=days, steps_per_day=steps_per_day)
    maps = lit(replace(maps, t_burn=t_burn, phi=np.asarray(maps.phi) * np.float32(0.5)), (slice(8, 14), slice(16, 48)))
    fleet = Fleet((aircraft("X", material, 2),))
    model, schedule = model_of(maps, fleet), many_drops(33, maps, fleet, share)
    assert_closed_form(model, schedule, 1e-3)


@pytest.mark.parametrize(
    ("seed", "shape", "gain", "t_burn", "steps_per_day"),
    [
        (564697, (26, 36), 0.5, 10.0, 7),
        (253573, (36, 62), 0.2, 10.0, 7),
        (539174, (31, 30), 0.05, 50.0, 20),
        (977636, (4, 69), 0.5, 50.0, 3),
        (24845, (18, 12), 0.2, 50.0, 20),
        (841902, (14, 63), 0.2, 10.0, 7),
    ],
)
def test_a_cell_that_has_burned_stays_burned_on_the_way_back(
    seed: int, shape: tuple[int, int], gain: float, t_burn: float, steps_per_day: int
) -> None:
    # The scale of the burning state changes every day, with a rounding that is no ignition: on the way back a cell with
    # U = 0 has to get 0 again, or it passes on what it should not and is not damped for the water that asks.
    days = 60 // steps_per_day
    maps = fitful_maps(seed, shape, gain=gain, days=days, steps_per_day=steps_per_day, t_burn=t_burn)
    model = model_of(maps, busy_fleet())
    for schedule in (many_drops(seed, maps, model.fleet, share=share) for share in (-1.0, 0.05)):
        assert_closed_form(model, schedule, 1e-4)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("material", list(Material))
def test_before_a_drop_that_ended_all_exposure_there_was_some(material: Material, side: RetardantSide) -> None:
    # What nearly every cell of the fire gets at step 12 makes every exposure faint, on the way back until that step.
    maps = random_maps(36, shape=(16, 40), days=1, steps_per_day=24)
    calm = np.zeros_like(maps.wind_speed)
    maps = lit(replace(maps, wind_speed=calm, t_burn=1000.0), (slice(6, 10), slice(8, 32)))
    wide = aircraft("X", material, 1, payload_gal=2e6, sigma_parallel_m=300.0, sigma_perpendicular_m=150.0)
    fleet = Fleet((wide, aircraft("W", Material.WATER, 3), aircraft("R", Material.RETARDANT, 1)))
    model, schedule = model_of(maps, fleet, side=side), many_drops(36, maps, fleet, share=-1.0)
    schedule.logits[12, 0], schedule.poses[12, 0] = 3.0, (7.5, 19.5, 0.0)
    truth = autograd(model, schedule)
    _, logit, _pose = differentiate(model, schedule)
    assert roll(model, schedule)[0].metrics.drops_executed == 1
    assert_near(logit[:12, 1:], truth[0][:12, 1:], 1e-4, "before")
    assert_near(logit, truth[0], 1e-4, "logit")


def test_watching_shows_the_burning_states_of_the_reference() -> None:
    maps, fleet = random_maps(34), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(34, maps, fleet)
    seen: list[tuple[int, np.ndarray]] = []
    watched = watch(model, schedule, lambda step, burning: seen.append((step, burning.numpy().copy())))
    truth = torch.stack(reference.simulate(model, schedule).burning)
    assert [step for step, _ in seen] == list(range(21))
    np.testing.assert_allclose(np.stack([burning for _, burning in seen]), truth, atol=3e-6)
    assert watched.metrics == simulate(model, schedule).metrics


@pytest.mark.parametrize("stride", [1, 3, 7, 19, 20, 50])
def test_frames_of_any_stride_are_pictures_of_the_same_states(stride: int) -> None:
    maps, fleet = random_maps(35), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(35, maps, fleet)
    seen = simulate(model, schedule, frame_stride=stride, keep_days=True)
    truth = reference.simulate(model, schedule)
    steps = [*range(0, 20, stride), 20]
    assert seen.frames is not None and seen.p_fire_days is not None
    for found, states in (
        (seen.frames.fire, [1.0 - unburned for unburned in truth.unburned]),
        (seen.frames.burning, truth.burning),
        (seen.frames.retardant, truth.retardant),
    ):
        wanted = torch.stack([states[step] for step in steps]).numpy() * 255.0
        assert found.whole().shape == wanted.shape
        assert float(np.abs(found.whole() - wanted).max()) <= 0.5 + 2e-3
        assert sum(part.levels.size for part in found.parts) < wanted.size  # only where something is to be seen
    np.testing.assert_array_equal(seen.p_fire_days, roll(model, schedule)[1])
    assert seen.metrics == simulate(model, schedule).metrics
