"""The closed-form gradient against autograd, and autograd against finite differences, in float64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights, RetardantSide
from firegui.rollout import closed_form, reference
from firegui.rollout.footprint import FootprintShape, footprints
from firegui.rollout.gains import SpreadGains
from firegui.rollout.gates import apply_gates
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.simulate import simulate_with_gradient
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, small_fleet


def autograd(model: Model, schedule: Schedule, *, full_carry: bool = False) -> tuple[np.ndarray, np.ndarray]:
    values = reference.variables(schedule, differentiable=True)
    exact = replace(model, dtype=torch.float64, gains=SpreadGains(model.maps, torch.float64, model.device))
    trajectory = reference.simulate(exact, schedule, differentiable=True, full_carry=full_carry, values=values)
    logit, pose = torch.autograd.grad(trajectory.objective, [values.logits, values.poses])
    executed = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day).executed
    return logit.numpy(), pose.numpy() * executed[:, :, None]


def closed(model: Model, schedule: Schedule) -> tuple[np.ndarray, np.ndarray]:
    exact = replace(model, dtype=torch.float64, gains=SpreadGains(model.maps, torch.float64, model.device))
    return closed_form.gradient(exact, schedule, Observer(exact, None, False), None)[1:]


def assert_close(actual: np.ndarray, expected: np.ndarray) -> None:
    scale = np.abs(expected).max()
    assert scale > 0.0
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-11 * scale)


def assert_agree(actual: tuple[np.ndarray, np.ndarray], expected: tuple[np.ndarray, np.ndarray]) -> None:
    for one, other in zip(actual, expected, strict=True):
        assert_close(one, other)


@pytest.mark.parametrize("side", list(RetardantSide))
@pytest.mark.parametrize("seed", range(4))
def test_closed_form_agrees_with_autograd(seed: int, side: RetardantSide) -> None:
    maps, fleet = random_maps(seed), small_fleet()
    model, schedule = model_of(maps, fleet, side=side), random_schedule(seed, maps, fleet)
    assert_agree(closed(model, schedule), autograd(model, schedule))


@pytest.mark.parametrize("material", list(Material))
def test_each_material_alone_agrees_with_autograd(material: Material) -> None:
    maps, fleet = random_maps(20), Fleet((aircraft("X", material, 3),))
    model, schedule = model_of(maps, fleet), random_schedule(20, maps, fleet)
    assert_agree(closed(model, schedule), autograd(model, schedule))


@pytest.mark.parametrize("term", ["burn", "final", "prot", "budget"])
def test_each_term_of_the_objective_agrees_with_autograd(term: str) -> None:
    zero = ObjectiveWeights(0.0, 0.0, 0.0, 0.0)
    maps, fleet = random_maps(21), small_fleet()
    model = model_of(maps, fleet, weights=replace(zero, **{term: 7.0}))
    schedule = random_schedule(21, maps, fleet)
    (logit, pose), (expected_logit, expected_pose) = closed(model, schedule), autograd(model, schedule)
    assert_close(logit, expected_logit)
    np.testing.assert_allclose(pose, expected_pose, rtol=1e-9, atol=1e-12)


def test_scoring_that_starts_late_agrees_with_autograd() -> None:
    maps, fleet = random_maps(22), small_fleet()
    model, schedule = replace(model_of(maps, fleet), first_scored_step=9), random_schedule(22, maps, fleet)
    assert_agree(closed(model, schedule), autograd(model, schedule))


def test_a_capped_dose_has_no_gradient() -> None:
    maps = replace(random_maps(23), wind_speed=np.zeros((2, 14, 17), np.float32))
    heavy = aircraft("R", Material.RETARDANT, 2, payload_gal=5e6, turnaround_h=0.1)
    fleet = Fleet((heavy, aircraft("W", Material.WATER, 1, payload_gal=5e6)))
    model, schedule = model_of(maps, fleet), random_schedule(23, maps, fleet)
    assert_agree(closed(model, schedule), autograd(model, schedule))


def test_only_open_pairs_have_a_logit_gradient_and_only_executed_ones_a_pose_gradient() -> None:
    maps, fleet = random_maps(24), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(24, maps, fleet)
    gates = apply_gates(schedule.proposed, fleet, maps.steps_per_day)
    logit, pose = closed(model, schedule)
    assert not logit[~gates.open].any()
    assert not pose[~gates.executed].any()
    assert logit[gates.open & ~gates.executed].any()


def test_float32_gradient_is_within_a_ten_thousandth_of_float64() -> None:
    maps, fleet = random_maps(25), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(25, maps, fleet)
    exact_logit, exact_pose = autograd(model, schedule)
    _, gradient = simulate_with_gradient(model, schedule)
    assert np.abs(gradient.logit - exact_logit).max() < 1e-4 * np.abs(exact_logit).max()
    assert np.abs(gradient.pose - exact_pose).max() < 1e-4 * np.abs(exact_pose).max()


def test_the_same_schedule_gives_the_same_bits() -> None:
    maps, fleet = random_maps(26), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(26, maps, fleet)
    (_, first), (_, second) = (simulate_with_gradient(model, schedule) for _ in range(2))
    np.testing.assert_array_equal(first.logit, second.logit)
    np.testing.assert_array_equal(first.pose, second.pose)


def test_autograd_through_the_full_carry_agrees_with_finite_differences() -> None:
    maps, fleet = random_maps(27), small_fleet()
    model, schedule = model_of(maps, fleet, precision="float64"), random_schedule(27, maps, fleet)
    values = reference.variables(schedule, differentiable=True)
    whole = reference.simulate(model, schedule, differentiable=True, full_carry=True, values=values)
    (pose,) = torch.autograd.grad(whole.objective, [values.poses])
    executed = np.argwhere(apply_gates(schedule.proposed, fleet, maps.steps_per_day).executed)
    step = 1e-6
    for when, column in executed[:6]:
        for component in range(3):
            sides = []
            for sign in (1.0, -1.0):
                moved = schedule.poses.copy()
                moved[when, column, component] += sign * step
                result = reference.simulate(model, Schedule(schedule.logits, moved))
                sides.append(float(result.objective))
            slope = (sides[0] - sides[1]) / (2.0 * step)
            assert float(pose[when, column, component]) == pytest.approx(slope, rel=2e-4, abs=1e-7)


def test_footprint_slopes_agree_with_finite_differences_and_the_weights_sum_to_one() -> None:
    scales, shape, step = FootprintShape(3.7, 0.3), (60, 60), 1e-6
    landing = torch.tensor([[20.2, 30.7], [1.3, 58.9]], dtype=torch.float64)
    theta = torch.tensor([0.7, 2.9], dtype=torch.float64)
    prints = footprints(landing, theta, scales, shape, slopes=True)
    assert prints.slope is not None
    np.testing.assert_allclose(prints.weight.sum(dim=(1, 2)), 1.0, rtol=1e-10)
    for component in range(3):
        values = []
        for sign in (1.0, -1.0):
            moved, turned = landing.clone(), theta.clone()
            if component < 2:
                moved[:, component] += sign * step
            else:
                turned += sign * step
            values.append(footprints(moved, turned, scales, shape).weight)
        np.testing.assert_allclose(prints.slope[component], (values[0] - values[1]) / (2 * step), atol=1e-7)


def test_the_long_axis_runs_along_cos_theta_minus_sin_theta() -> None:
    centre = torch.tensor([[30.0, 30.0]], dtype=torch.float64)
    for theta, (dy, dx) in ((0.0, (0, 6)), (np.pi / 2, (-6, 0)), (np.pi / 4, (-4, 4))):
        prints = footprints(centre, torch.tensor([theta], dtype=torch.float64), FootprintShape(4.0, 0.3), (60, 60))
        half = prints.weight.shape[1] // 2
        along, across = float(prints.weight[0, half + dy, half + dx]), float(prints.weight[0, half + dx, half + dy])
        assert along > 0.0
        assert along > 100.0 * across or theta == np.pi / 4
        if theta == np.pi / 4:
            assert along > 100.0 * float(prints.weight[0, half + 4, half + 4])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_cost_term_and_its_gradient_are_those_of_the_prices(backend: str) -> None:
    maps, weights = random_maps(3), ObjectiveWeights(50.0, 30.0, 20.0, 1e-3)
    prices: tuple[dict[str, Any], ...] = ({"hour_price": 800.0}, {"gallon_price": 4.0}, {"drop_price": 0.0})
    kinds = zip(small_fleet().types, prices, strict=True)
    fleet = Fleet(tuple(replace(kind, **price) for kind, price in kinds))
    costs = np.array([4000.0, 4000.0, 12000.0, 0.0, 0.0]) / 4000.0
    schedule = random_schedule(3, maps, fleet)
    free = model_of(maps, fleet, weights=weights, backend=backend)
    paid = free.with_weights(replace(weights, cost=0.5))
    (before, without), (after, slopes) = (simulate_with_gradient(model, schedule) for model in (free, paid))
    executed = before.executed.sum(axis=0)
    assert after.metrics.objective - before.metrics.objective == pytest.approx(0.5 * float(costs @ executed))
    assert after.metrics.cost == pytest.approx(4000.0 * float(costs @ executed))

    gates = apply_gates(schedule.proposed, fleet, maps.steps_per_day)

    def relaxed(logits: np.ndarray) -> float:
        return float((0.5 * costs * gates.open / (1.0 + np.exp(-logits))).sum())

    step, found = 1e-4, slopes.logit - without.logit
    for pair in np.argwhere(gates.open)[::7]:
        more, less = schedule.logits.copy(), schedule.logits.copy()
        more[tuple(pair)] += step
        less[tuple(pair)] -= step
        expected = (relaxed(more) - relaxed(less)) / (2.0 * step)
        assert found[tuple(pair)] == pytest.approx(expected, rel=1e-3, abs=1e-9)
    assert np.array_equal(slopes.pose, without.pose)


def test_prices_without_a_weight_of_cost_change_no_bit() -> None:
    maps, fleet = random_maps(4), small_fleet()
    priced = replace(fleet, types=tuple(replace(kind, hour_price=9.0) for kind in fleet.types))
    schedule = random_schedule(4, maps, fleet)
    (bare, one), (rich, other) = (simulate_with_gradient(model_of(maps, each), schedule) for each in (fleet, priced))
    assert bare.metrics.objective == rich.metrics.objective
    assert np.array_equal(one.logit, other.logit) and np.array_equal(one.pose, other.pose)
