"""Values at risk in the objective: every engine against autograd in float64, finite differences and plain sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights
from firegui.domain.values import ValueLayer
from firegui.rollout import closed_form
from firegui.rollout.day_state import Bounds
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.simulate import simulate, simulate_with_gradient
from firegui.rollout.values import value_fields
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import assert_near
from tests.numerics.gpu_cases import SMALL, case, exact, gpu, needs_triton, nobody, short_maps
from tests.numerics.test_gradient import assert_agree, autograd, closed

VALUES_ALONE = ObjectiveWeights(0.0, 0.0, 0.0, 0.0, val=40.0)
BESIDE = ObjectiveWeights(50.0, 30.0, 20.0, 1e-3, val=40.0)


def layers(maps: FireMaps, seed: int = 0) -> tuple[ValueLayer, ...]:
    """A few structures, and habitat that lies in half of the cells."""
    rng = np.random.default_rng(seed)
    structures = np.where(rng.random(maps.shape) < 0.1, rng.integers(1, 9, maps.shape), 0)
    habitat = np.where(rng.random(maps.shape) < 0.5, rng.random(maps.shape), 0.0)
    return (ValueLayer.of("structures", "", structures, 2.0, 0.8), ValueLayer.of("habitat", "", habitat, 0.5))


def valued(model: Model, *, weights: ObjectiveWeights = BESIDE) -> Model:
    return replace(model, values=value_fields(layers(model.maps), model.device), weights=weights)


def independent_losses(model: Model, fire: np.ndarray) -> tuple[list[float], float]:
    """What is lost by layer, and 𝓛_val, cell by cell."""
    lost, weighed, whole = [], 0.0, 0.0
    for layer in layers(model.maps):
        lost.append(0.0)
        for at, value in np.ndenumerate(layer.cells):
            worth = float(value) * layer.terms.susceptibility
            lost[-1] += worth * float(fire[at])
            weighed += layer.terms.weight * worth * float(fire[at])
            whole += layer.terms.weight * worth
    return lost, weighed / whole


@pytest.mark.parametrize("backend", ["reference", "cpu", "torch"])
def test_what_is_lost_is_an_independent_sum_over_the_last_state(backend: str) -> None:
    maps, fleet = random_maps(1), small_fleet()
    bare = model_of(maps, fleet, backend="cpu" if backend == "torch" else backend)
    model, schedule = replace(valued(bare), in_torch=backend == "torch"), random_schedule(1, maps, fleet)
    rollout = simulate(model, schedule, keep_days=True)
    assert rollout.p_fire_days is not None
    lost, loss = independent_losses(model, rollout.p_fire_days[-1])
    assert 0.0 < loss < 1.0
    assert rollout.metrics.value_lost == pytest.approx(lost, rel=1e-5)
    assert rollout.metrics.loss_val == pytest.approx(loss, rel=1e-5)
    without = simulate(replace(model, values=None), schedule).metrics
    assert (without.loss_val, without.value_lost) == (0.0, ())
    assert rollout.metrics.objective == pytest.approx(without.objective + 40.0 * loss, rel=1e-6)


@pytest.mark.parametrize("weights", [VALUES_ALONE, BESIDE])
@pytest.mark.parametrize("seed", range(3))
def test_the_closed_form_agrees_with_autograd(seed: int, weights: ObjectiveWeights) -> None:
    maps, fleet = random_maps(seed), small_fleet()
    model, schedule = valued(model_of(maps, fleet), weights=weights), random_schedule(seed, maps, fleet)
    assert_agree(closed(model, schedule), autograd(model, schedule))
    whole = replace(valued(model_of(maps, fleet, precision="float64"), weights=weights), full_carry=True)
    _, gradient = simulate_with_gradient(whole, schedule)
    assert_agree((gradient.logit, gradient.pose), autograd(whole, schedule, full_carry=True))


@pytest.mark.parametrize("full_carry", [False, True])
@pytest.mark.parametrize("weights", [VALUES_ALONE, BESIDE])
def test_the_kernels_agree_with_autograd(weights: ObjectiveWeights, *, full_carry: bool) -> None:
    maps, fleet = random_maps(4), small_fleet()
    model, schedule = valued(model_of(maps, fleet), weights=weights), random_schedule(4, maps, fleet)
    _, gradient = simulate_with_gradient(replace(model, full_carry=full_carry), schedule)
    expected = autograd(model, schedule, full_carry=full_carry)
    for found, wanted in zip((gradient.logit, gradient.pose), expected, strict=True):
        assert_near(found, wanted, 1e-3)


def test_the_gradient_by_a_pose_agrees_with_finite_differences() -> None:
    maps, fleet = random_maps(3, days=1), small_fleet()
    model = replace(valued(model_of(maps, fleet, precision="float64"), weights=VALUES_ALONE), full_carry=True)
    schedule = random_schedule(3, maps, fleet)
    _, gradient = simulate_with_gradient(model, schedule)
    steepest = np.argsort(np.abs(gradient.pose), axis=None)[-4:]
    for step, aircraft, part in zip(*np.unravel_index(steepest, gradient.pose.shape), strict=True):
        objectives = []
        for shift in (1e-4, -1e-4):
            poses = schedule.poses.copy()
            poses[step, aircraft, part] += shift
            objectives.append(simulate(model, replace(schedule, poses=poses)).metrics.objective)
        slope = (objectives[0] - objectives[1]) / 2e-4
        assert gradient.pose[step, aircraft, part] == pytest.approx(slope, rel=1e-3)


def test_values_without_a_weight_change_no_bit_of_rollout_and_gradient() -> None:
    maps, fleet = random_maps(5), small_fleet()
    bare, schedule = model_of(maps, fleet), random_schedule(5, maps, fleet)
    for full_carry in (False, True):
        model = replace(bare, full_carry=full_carry)
        before, without = simulate_with_gradient(model, schedule)
        after, beside = simulate_with_gradient(valued(model, weights=model.weights), schedule)
        assert after.metrics.value_lost
        assert replace(after.metrics, loss_val=0.0, value_lost=()) == before.metrics
        np.testing.assert_array_equal(beside.logit, without.logit)
        np.testing.assert_array_equal(beside.pose, without.pose)


def test_a_cell_that_never_burned_leaves_nothing_behind_for_the_next_rollout() -> None:
    maps, fleet = random_maps(6), small_fleet()
    bare, schedule = model_of(maps, fleet), random_schedule(6, maps, fleet)
    _, before = simulate_with_gradient(bare, schedule)
    simulate_with_gradient(valued(bare), schedule)
    _, after = simulate_with_gradient(bare, schedule)
    np.testing.assert_array_equal(before.logit, after.logit)


def test_a_bound_on_values_is_judged_at_the_end() -> None:
    maps, fleet = random_maps(7), small_fleet()
    for backend in ("reference", "cpu"):
        model, schedule = valued(model_of(maps, fleet, backend=backend)), random_schedule(7, maps, fleet)
        loss = simulate(model, schedule).metrics.loss_val
        assert simulate(model, schedule, bounds=Bounds(val=loss * 1.01)).exceeded is None
        over = simulate(model, schedule, bounds=Bounds(val=loss * 0.99)).exceeded
        assert over is not None
        assert (over.term, over.step) == ("val", model.n_steps)


@needs_triton
@pytest.mark.parametrize("triton", [pytest.param(True, marks=pytest.mark.slow), False])
def test_the_gpu_kernels_agree_with_autograd(*, triton: bool) -> None:
    # In few tiles, for Triton's interpreter, that the raster does not fill.
    model, schedule = case(2, maps=short_maps(2, shape=(7, 13), steps_per_day=3))
    model = valued(model)
    outcome, logit, pose = gpu(tile=SMALL, span=1, triton=triton).gradient(model, schedule, nobody(model), None)
    on_processor = replace(model, values=model.values and model.values.on("cpu"))
    for found, wanted in zip((logit, pose), exact(on_processor, schedule), strict=True):
        assert_near(found, wanted, 1e-5)
    beside = closed_form.simulate(replace(on_processor, device="cpu"), schedule, nobody(model), None).metrics
    assert outcome.metrics.value_lost == pytest.approx(beside.value_lost, rel=1e-5)
    assert outcome.metrics.loss_val == pytest.approx(beside.loss_val, rel=1e-5)


def test_the_dense_front_has_the_bits_of_the_active_one() -> None:
    maps, fleet = random_maps(8, days=2), small_fleet()
    model, schedule = valued(model_of(maps, fleet)), random_schedule(8, maps, fleet)
    found = [
        ActiveFront(1).gradient(model, schedule, Observer(model, None, keep_days=False), None, dense=dense)
        for dense in (False, True)
    ]
    assert found[0][0].metrics == found[1][0].metrics
    for one, other in zip(found[0][1:], found[1][1:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_schedule_without_drops_loses_what_the_fire_alone_takes() -> None:
    maps, fleet = random_maps(9), small_fleet()
    model = valued(model_of(maps, fleet))
    nothing = simulate(model, Schedule.empty(model.n_steps, fleet.n_aircraft), keep_days=True)
    assert nothing.p_fire_days is not None
    assert nothing.metrics.loss_val == pytest.approx(independent_losses(model, nothing.p_fire_days[-1])[1], rel=1e-5)
