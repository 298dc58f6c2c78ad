"""Maps of several periods a day: every engine against the dense reference and an independent reading."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.planning.replan import split_days
from firegui.rollout.landing import drift_cells
from firegui.rollout.model import Model
from firegui.rollout.simulate import gain_slopes, simulate, simulate_with_gradient
from tests.numerics import independent
from tests.numerics.cases import model_of, random_maps, random_schedule, region_masks, small_fleet
from tests.numerics.front_cases import assert_near, fitful_maps
from tests.numerics.test_active_front import assert_dense_free_and_attacked
from tests.numerics.test_full_carry import autograd as full_autograd
from tests.numerics.test_gradient import assert_agree, autograd

SIDES = list(RetardantSide)
STEPS, PERIODS = 12, 6


def maps_of(seed: int, neighbours: int = 8, days: int = 2, periods: int = PERIODS) -> FireMaps:
    return random_maps(seed, days=days, steps_per_day=STEPS, neighbours=neighbours, periods=periods)


@pytest.mark.parametrize("seed", range(20))
def test_gradients_agree_with_the_dense_reference_on_either_carry(seed: int) -> None:
    maps, fleet = maps_of(seed, neighbours=16), small_fleet()
    schedule, side = random_schedule(seed, maps, fleet), SIDES[seed % 3]
    model = model_of(maps, fleet, side=side, precision="float64")
    for carry, truth in ((False, autograd), (True, full_autograd)):
        _, found = simulate_with_gradient(replace(model, full_carry=carry), schedule)
        assert_agree((found.logit, found.pose), truth(model, schedule))


@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize(("seed", "neighbours"), [(0, 8), (1, 8), (2, 16), (3, 16)])
def test_gradients_in_float32_agree_with_the_dense_reference(seed: int, neighbours: int, carry: bool) -> None:
    maps, fleet = maps_of(seed, neighbours), small_fleet()
    schedule, side = random_schedule(seed, maps, fleet), SIDES[seed % 3]
    model = replace(model_of(maps, fleet, side=side), full_carry=carry)
    _, found = simulate_with_gradient(model, schedule)
    truth = (full_autograd if carry else autograd)(model, schedule)
    for actual, expected in zip((found.logit, found.pose), truth, strict=True):
        assert_near(actual, expected, 1e-3)


@pytest.mark.parametrize("neighbours", [8, 16])
def test_the_engine_agrees_with_an_independent_reading(neighbours: int) -> None:
    maps, fleet = maps_of(5, neighbours), small_fleet()
    schedule = random_schedule(5, maps, fleet)
    goal = independent.Objective(
        50.0, 30.0, 20.0, 1e-3, region_masks(maps), (1.0, 2.0), {"retardant": 0.9, "water": 0.8}
    )
    truth = independent.read(maps, fleet, schedule, goal)
    found = simulate(model_of(maps, fleet), schedule, keep_days=True).p_fire_days
    assert found is not None and len(found) == maps.days + 1
    np.testing.assert_allclose(found, truth.fire[::STEPS], atol=1e-5)
    rollout, gradient = simulate_with_gradient(model_of(maps, fleet, precision="float64"), schedule)
    assert rollout.metrics.objective == pytest.approx(truth.objective, rel=1e-12)
    assert_agree((gradient.logit, gradient.pose), (truth.logit, truth.pose))


@pytest.mark.parametrize("neighbours", [8, 16])
@pytest.mark.parametrize("seed", range(2))
def test_tiles_that_sleep_in_one_period_wake_in_the_next(seed: int, neighbours: int) -> None:
    # Six short days of unlike gains, some without spread, as the periods of two days.
    short = fitful_maps(seed, days=6, neighbours=neighbours)
    maps = replace(short, steps_per_day=3 * short.steps_per_day, periods_per_day=3)
    assert maps.days == 2
    assert_dense_free_and_attacked(maps, seed, SIDES[seed])


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_periods_that_are_all_alike_are_the_day(backend: str) -> None:
    daily, fleet = maps_of(7, periods=1), small_fleet()
    schedule = random_schedule(7, daily, fleet)
    often = replace(
        daily, phi=np.asarray(daily.phi).repeat(4, axis=0), gamma=daily.gamma.repeat(4, axis=0),
        wind_speed=np.asarray(daily.wind_speed).repeat(4, axis=0),
        wind_dir=np.asarray(daily.wind_dir).repeat(4, axis=0), periods_per_day=4,
    )  # fmt: skip
    assert (often.days, often.n_steps) == (daily.days, daily.n_steps)
    (one, slope), (other, same) = (
        simulate_with_gradient(model_of(maps, fleet, backend=backend), schedule) for maps in (daily, often)
    )
    assert one.metrics == other.metrics
    np.testing.assert_array_equal(slope.pose, same.pose)
    np.testing.assert_array_equal(slope.logit, same.logit)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_fire_by_periods_is_that_of_as_many_short_days(backend: str) -> None:
    maps, nothing = maps_of(8, days=3), Schedule.empty(3 * STEPS, small_fleet().n_aircraft)
    short = replace(maps, steps_per_day=STEPS // PERIODS, periods_per_day=1)
    assert short.days == maps.days * PERIODS
    states = [
        simulate(model_of(each, small_fleet(), backend=backend), nothing, keep_days=True).p_fire_days
        for each in (maps, short)
    ]
    assert states[0] is not None and states[1] is not None
    # The kernels rescale the burning state at the end of a day.
    np.testing.assert_allclose(states[0], states[1][::PERIODS], atol=2e-6 if backend == "cpu" else 0.0)


def test_drops_drift_in_the_wind_of_their_period() -> None:
    maps, fleet = maps_of(9), small_fleet()
    steps = np.arange(maps.n_steps)
    y, x = np.full(len(steps), 5.0), np.full(len(steps), 6.0)
    down, right = drift_cells(maps, fleet.types[0], steps, y, x)
    for step in steps.tolist():
        period = step * PERIODS // STEPS
        reach, towards = np.hypot(down[step], right[step]), np.arctan2(-down[step], right[step])
        assert towards == pytest.approx(float(maps.wind_dir[period, 5, 6]), abs=1e-5)
        assert reach == pytest.approx(reach_of(maps, fleet, period), rel=1e-5)


def reach_of(maps: FireMaps, fleet: Fleet, period: int) -> float:
    fall_s = np.sqrt(2.0 * fleet.types[0].drop_height_m / 9.81)
    return float(maps.wind_speed[period, 5, 6]) * float(fall_s) / maps.cell_size_m


def heard(model: Model) -> list[tuple[int, np.ndarray]]:
    found: list[tuple[int, np.ndarray]] = []
    gain_slopes(model, lambda days: days - 0.3, lambda period, slope: found.append((period, slope.copy())))
    return found


def test_slopes_by_gains_are_heard_of_every_period() -> None:
    maps = maps_of(10)
    found = {name: heard(model_of(maps, small_fleet(), backend=name)) for name in ("reference", "cpu")}
    numbers = [number for number, _ in found["reference"]]
    assert numbers == list(range(maps.days * PERIODS - 1, -1, -1)) == [number for number, _ in found["cpu"]]
    for (_, truth), (_, slope) in zip(*found.values(), strict=True):
        assert truth.any()
        # Where nothing ignites the kernels leave 0.
        np.testing.assert_allclose(np.where(slope == 0.0, 0.0, truth), slope, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize(("first", "count"), [(0, 24), (12, 12), (6, 18), (5, 19), (4, 8)])
def test_what_is_left_of_a_plan_has_the_maps_of_its_steps(first: int, count: int) -> None:
    maps = maps_of(11)
    left = split_days(maps, first, count)
    assert left.n_steps == count
    for step in range(count):
        now, then = step // left.steps_per_period, (first + step) // maps.steps_per_period
        for name in ("phi", "gamma", "wind_speed", "wind_dir"):
            np.testing.assert_array_equal(getattr(left, name)[now], getattr(maps, name)[then])
