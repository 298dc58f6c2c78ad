"""The gradient that follows the burning state from step to step, against autograd in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings, RetardantSide
from firegui.planning.gradient import GradientPlanner
from firegui.rollout import closed_form
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import Outcome
from firegui.rollout.simulate import simulate, simulate_with_gradient
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import assert_near, busy_fleet, fitful_maps, many_drops, roll, wide_fire
from tests.numerics.gpu_cases import Standin, case, gpu
from tests.numerics.test_gradient import assert_agree
from tests.numerics.test_gradient import autograd as cut_autograd

Slopes = tuple[np.ndarray, np.ndarray]


def autograd(model: Model, schedule: Schedule) -> Slopes:
    """Of the reference with the whole carry, in float64."""
    return cut_autograd(model, schedule, full_carry=True)


def full(model: Model, schedule: Schedule) -> Slopes:
    """As planners get it."""
    _, gradient = simulate_with_gradient(replace(model, full_carry=True), schedule)
    return gradient.logit, gradient.pose


def assert_exact(model: Model, schedule: Schedule) -> None:
    assert_agree(full(model, schedule), autograd(model, schedule))


@pytest.mark.parametrize("side", list(RetardantSide))
@pytest.mark.parametrize("seed", range(4))
def test_the_adjoint_of_both_states_agrees_with_autograd(seed: int, side: RetardantSide) -> None:
    maps, fleet = random_maps(seed, days=3), small_fleet()
    model = model_of(maps, fleet, side=side, precision="float64")
    schedule = random_schedule(seed, maps, fleet)
    assert_exact(model, schedule)


@pytest.mark.parametrize("material", list(Material))
@pytest.mark.parametrize("side", list(RetardantSide))
def test_each_material_alone_agrees_with_autograd(material: Material, side: RetardantSide) -> None:
    maps, fleet = random_maps(20), Fleet((aircraft("X", material, 3),))
    model, schedule = model_of(maps, fleet, side=side, precision="float64"), random_schedule(20, maps, fleet)
    assert_exact(model, schedule)


def test_drops_on_a_fitful_fire_agree_with_autograd() -> None:
    maps, fleet = fitful_maps(3, (26, 60), days=2, steps_per_day=15), busy_fleet()
    model, schedule = model_of(maps, fleet, precision="float64"), many_drops(3, maps, fleet)
    assert_exact(model, schedule)


def test_it_is_another_gradient_than_the_cut_one() -> None:
    maps, fleet = random_maps(5), small_fleet()
    model, schedule = model_of(maps, fleet, precision="float64"), random_schedule(5, maps, fleet)
    _, cut = simulate_with_gradient(model, schedule)
    logit, pose = full(model, schedule)
    assert np.abs(logit - cut.logit).max() > 0.01 * np.abs(cut.logit).max()
    assert np.abs(pose - cut.pose).max() > 0.01 * np.abs(cut.pose).max()


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_every_backend_gives_it_in_float32(backend: str) -> None:
    maps, fleet = random_maps(6), small_fleet()
    model, schedule = model_of(maps, fleet, backend=backend), random_schedule(6, maps, fleet)
    for actual, expected in zip(full(model, schedule), autograd(model_of(maps, fleet), schedule), strict=True):
        assert_near(actual, expected, 1e-4, backend)


@pytest.mark.parametrize("side", list(RetardantSide))
@pytest.mark.parametrize("seed", range(3))
def test_the_kernels_agree_with_autograd_where_water_revives_what_burned(seed: int, side: RetardantSide) -> None:
    maps, fleet = fitful_maps(seed, (26, 60), days=3, steps_per_day=12), busy_fleet()
    model, schedule = model_of(maps, fleet, side=side), many_drops(seed, maps, fleet)
    for actual, expected in zip(full(model, schedule), autograd(model, schedule), strict=True):
        assert_near(actual, expected, 2e-4)


def test_the_kernels_agree_with_windowed_torch_where_steps_are_done_in_halves() -> None:
    maps, fleet = wide_fire(1), busy_fleet()
    model = replace(model_of(maps, fleet), full_carry=True)
    schedule = many_drops(1, maps, fleet)
    nobody = Observer(model, None, keep_days=False)
    _, logit, pose = ActiveFront(2).gradient(model, schedule, nobody, None)
    _, expected_logit, expected_pose = closed_form.gradient(model, schedule, nobody, None)
    assert_near(logit, expected_logit, 1e-4)
    assert_near(pose, expected_pose, 1e-4)


@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize("first_scored", [0, 15])
@pytest.mark.parametrize("side", list(RetardantSide))
def test_a_gradient_that_stops_when_the_fire_is_large_agrees_with_autograd(
    side: RetardantSide, first_scored: int, carry: bool
) -> None:
    maps, fleet = fitful_maps(2, (26, 60), days=4, steps_per_day=12), busy_fleet()
    schedule = many_drops(2, maps, fleet)
    exact = replace(model_of(maps, fleet, side=side, precision="float64"), full_carry=carry)
    exact = replace(exact, first_scored_step=first_scored)
    days = simulate(exact, schedule, keep_days=True).p_fire_days
    assert days is not None
    cells = days.astype(np.float64).sum(axis=(1, 2))
    kernels = replace(model_of(maps, fleet, side=side), full_carry=carry, first_scored_step=first_scored)
    whole = simulate_with_gradient(kernels, schedule)[1]
    # Reached on the first, on a middle and on no day.
    for extent, stops in ((0.5 * cells[1], True), (0.5 * (cells[2] + cells[3]), True), (2.0 * cells[-1], False)):
        truth = replace(exact, gradient_extent=float(extent), backend="reference", device="cpu")
        expected, by_autograd = simulate_with_gradient(truth, schedule)
        for model, tolerance in ((exact, 1e-9), (kernels, 5e-4)):
            rollout, gradient = simulate_with_gradient(replace(model, gradient_extent=float(extent)), schedule)
            assert rollout.metrics.objective == pytest.approx(expected.metrics.objective, rel=tolerance)
            assert_near(gradient.logit, by_autograd.logit, tolerance)
            assert_near(gradient.pose, by_autograd.pose, tolerance)
        assert np.array_equal(whole.pose, gradient.pose) is not stops


def test_the_rollout_of_a_gradient_that_stops_leaves_nothing_behind() -> None:
    maps, fleet = fitful_maps(2, (26, 60), days=4, steps_per_day=12), busy_fleet()
    schedule, model = many_drops(2, maps, fleet), replace(model_of(maps, fleet), full_carry=True)
    before = simulate_with_gradient(model, schedule)[1]
    simulate_with_gradient(replace(model, gradient_extent=1.0), schedule)
    after = simulate_with_gradient(model, schedule)[1]
    assert np.array_equal(before.pose, after.pose) and np.array_equal(before.logit, after.logit)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_rollout_that_ends_below_the_floor_is_not_differentiated(backend: str, precision: str) -> None:
    maps, fleet = fitful_maps(2, (26, 60), days=2, steps_per_day=12), busy_fleet()
    schedule = many_drops(2, maps, fleet)
    model = replace(model_of(maps, fleet, precision=precision), full_carry=True, backend=backend)
    rollout, gradient = simulate_with_gradient(model, schedule)
    cells = rollout.metrics.final_extent_cells
    assert gradient.pose.any() and gradient.logit.any()
    above, same = simulate_with_gradient(replace(model, gradient_floor=0.999 * cells), schedule)
    below, nothing = simulate_with_gradient(replace(model, gradient_floor=1.001 * cells), schedule)
    assert rollout.metrics == above.metrics == below.metrics
    np.testing.assert_array_equal(same.pose, gradient.pose)
    assert not nothing.pose.any() and not nothing.logit.any() and nothing.loss == gradient.loss
    # The fields that the next rollout starts from are at rest.
    _, again = simulate_with_gradient(model, schedule)
    np.testing.assert_array_equal(again.logit, gradient.logit)


def test_a_capped_dose_has_no_gradient_here_either() -> None:
    maps = replace(random_maps(23), wind_speed=np.zeros((2, 14, 17), np.float32))
    heavy = aircraft("R", Material.RETARDANT, 2, payload_gal=5e6, turnaround_h=0.1)
    fleet = Fleet((heavy, aircraft("W", Material.WATER, 1, payload_gal=5e6)))
    for precision, tolerance in (("float64", 1e-9), ("float32", 1e-3)):
        model, schedule = model_of(maps, fleet, precision=precision), random_schedule(23, maps, fleet)
        for actual, expected in zip(full(model, schedule), autograd(model, schedule), strict=True):
            assert_near(actual, expected, tolerance)


def test_the_next_cut_gradient_is_none_the_worse_and_the_same_bits_come_twice() -> None:
    maps, fleet = fitful_maps(4), busy_fleet()
    model, schedule = model_of(maps, fleet), many_drops(4, maps, fleet)
    before = simulate_with_gradient(model, schedule)[1]
    first, second = full(model, schedule), full(model, schedule)
    after = simulate_with_gradient(model, schedule)[1]
    np.testing.assert_array_equal(before.logit, after.logit)
    np.testing.assert_array_equal(before.pose, after.pose)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_gpu_leaves_it_to_the_processor_and_says_so_once() -> None:
    model, schedule = case(3)
    heard: list[str] = []
    spare = Standin(simulated())
    engine = gpu(spare=spare, notice=heard.append, triton=False)
    for _ in range(2):
        engine.gradient(replace(model, full_carry=True), schedule, Observer(model, None, keep_days=False), None)
    assert spare.asked == ["gradient on cpu"] * 2
    assert heard == ["Gradients with the full carry are computed on the processor."]


def simulated() -> Outcome:
    """Some outcome."""
    maps, fleet = random_maps(1, days=1), small_fleet()
    return roll(model_of(maps, fleet), Schedule.empty(maps.n_steps, fleet.n_aircraft))[0]


def test_the_first_stage_descends_it_where_the_settings_ask_for_it() -> None:
    maps, fleet = random_maps(8), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(8, maps, fleet)
    norms = []
    for whole in (False, True):
        planner = GradientPlanner(model, OptimizerSettings(epochs=2, full_carry=whole), schedule)
        norms.append(planner.epoch().grad_norm)
    assert norms[0] != pytest.approx(norms[1], rel=1e-3)
