"""Maps of sixteen neighbours: every engine against the dense reference and an independent reading."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.errors import InputError
from firegui.planning.replan import executed, ground_factor, treated
from firegui.rollout.benchmark import DenseRollout
from firegui.rollout.simulate import gain_slopes, simulate, simulate_with_gradient
from tests.numerics import independent
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, region_masks, small_fleet
from tests.numerics.front_cases import assert_near
from tests.numerics.test_full_carry import autograd as full_autograd
from tests.numerics.test_gradient import assert_agree, autograd

SIDES = list(RetardantSide)


def maps_of(seed: int, **changes: int) -> FireMaps:
    return random_maps(seed, neighbours=16, **changes)  # type: ignore[arg-type]


def with_knights(maps: FireMaps, value: float = 0.0) -> FireMaps:
    knights = np.full_like(maps.phi, value)
    return replace(maps, phi=np.concatenate([maps.phi, knights], axis=1))


@pytest.mark.parametrize("seed", range(20))
def test_gradients_agree_with_the_dense_reference_on_either_carry(seed: int) -> None:
    maps, fleet = maps_of(seed, days=3), small_fleet()
    schedule, side = random_schedule(seed, maps, fleet), SIDES[seed % 3]
    model = model_of(maps, fleet, side=side, precision="float64")
    for carry, truth in ((False, autograd), (True, full_autograd)):
        _, found = simulate_with_gradient(replace(model, full_carry=carry), schedule)
        assert_agree((found.logit, found.pose), truth(model, schedule))


@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_gradients_in_float32_agree_with_the_dense_reference(seed: int, carry: bool) -> None:
    maps, fleet = maps_of(seed, days=3), small_fleet()
    schedule, side = random_schedule(seed, maps, fleet), SIDES[seed % 3]
    model = replace(model_of(maps, fleet, side=side), full_carry=carry)
    _, found = simulate_with_gradient(model, schedule)
    truth = (full_autograd if carry else autograd)(model, schedule)
    for actual, expected in zip((found.logit, found.pose), truth, strict=True):
        assert_near(actual, expected, 1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_agrees_with_an_independent_reading(seed: int) -> None:
    maps, fleet = maps_of(seed), small_fleet()
    schedule = random_schedule(seed, maps, fleet)
    goal = independent.Objective(
        50.0, 30.0, 20.0, 1e-3, region_masks(maps), (1.0, 2.0), {"retardant": 0.9, "water": 0.8}
    )
    truth = independent.read(maps, fleet, schedule, goal)
    found = simulate(model_of(maps, fleet), schedule, keep_days=True).p_fire_days
    assert found is not None
    np.testing.assert_allclose(found, truth.fire[:: maps.steps_per_day], atol=1e-5)
    rollout, gradient = simulate_with_gradient(model_of(maps, fleet, precision="float64"), schedule)
    assert rollout.metrics.objective == pytest.approx(truth.objective, rel=1e-12)
    assert_agree((gradient.logit, gradient.pose), (truth.logit, truth.pose))


@pytest.mark.parametrize("name", ["reference", "cpu"])
def test_knights_that_carry_nothing_leave_the_fire_of_eight_neighbours(name: str) -> None:
    maps, fleet = random_maps(4), small_fleet()
    schedule, wide = random_schedule(4, maps, fleet), with_knights(maps)
    eight = simulate(model_of(maps, fleet, precision="float64", backend=name), schedule, keep_days=True)
    sixteen = simulate(model_of(wide, fleet, precision="float64", backend=name), schedule, keep_days=True)
    assert eight.p_fire_days is not None and sixteen.p_fire_days is not None
    np.testing.assert_array_equal(sixteen.p_fire_days, eight.p_fire_days)


def test_a_spark_reaches_sixteen_cells_in_a_step_and_no_more() -> None:
    maps = replace(maps_of(0, days=1, steps_per_day=1), burnable=np.ones((14, 17), bool))
    ignition = np.zeros(maps.shape, bool)
    ignition[7, 8] = True
    phi = np.ones_like(maps.phi)
    model = model_of(replace(maps, phi=phi, ignition=ignition), small_fleet())
    days = simulate(model, Schedule.empty(1, model.fleet.n_aircraft), keep_days=True).p_fire_days
    assert days is not None
    reached = {(int(i) - 7, int(j) - 8) for i, j in np.argwhere(days[-1] > 0)} - {(0, 0)}
    assert reached == set(model.maps.stencil.offsets)


# -- lines -------------------------------------------------------------------------------------------------------------
def line_of(shape: tuple[int, int], kind: str) -> np.ndarray:
    """One cell wide: across the raster, along its diagonal, or that with cells that share an edge."""
    rows, columns = np.indices(shape)
    if kind == "straight":
        return np.asarray(columns == shape[1] // 2)
    along = rows - columns
    return np.asarray(along == 0 if kind == "diagonal" else (along == 0) | (along == 1))


def gain_at(speed: float, weights: np.ndarray, along: np.ndarray, t_burn: float) -> float:
    """The factor of ``weights`` at which a straight front moves at ``speed`` cells a step.

    ``v = min over λ > 0 of ln(1 − 1/T_b + Σ_n K_n exp(λ n·d_n)) / λ``, with ``along`` the ``n·d_n``.
    """
    steepness = np.geomspace(0.02, 20.0, 2000)
    return float(
        ((np.exp(steepness * speed) - 1.0 + 1.0 / t_burn) / (np.exp(np.outer(steepness, along)) @ weights)).max()
    )


def windy(neighbours: int, line: np.ndarray) -> FireMaps:
    """A fire on one side of a line with the wind across it, at a speed that does not depend on the neighbours."""
    shape, is_straight = line.shape, bool(line[:, line.shape[1] // 2].all())
    rows, columns = np.indices(shape)
    base = random_maps(0, shape, days=1, steps_per_day=14, neighbours=neighbours)
    towards = np.array([0.0, 1.0]) if is_straight else np.array([-1.0, 1.0]) / np.sqrt(2.0)  # in rows and columns
    ways = np.array([base.stencil.displacement(n) for n in range(neighbours)], np.float64)
    weights = np.exp(2.0 * ways @ towards / np.hypot(*ways.T))
    phi = np.empty_like(base.phi)
    phi[:] = (gain_at(0.5, weights, ways @ towards, base.t_burn) * weights)[:, None, None]
    return replace(
        base, phi=phi, gamma=np.ones_like(base.gamma), burnable=np.ones(shape, bool),
        ignition=np.asarray(columns < shape[1] // 2 - 4 if is_straight else columns - rows < -4),
        wind_speed=np.zeros_like(base.wind_speed),
    )  # fmt: skip


def beyond(maps: FireMaps, line: np.ndarray) -> float:
    """``Σ P_T`` on the other side of the line; what it is of the open ground's is what a line lets through."""
    model = model_of(maps, small_fleet(), precision="float64")
    days = simulate(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), keep_days=True).p_fire_days
    assert days is not None
    rows, columns = np.indices(line.shape)
    other = columns > rows if not line[:, line.shape[1] // 2].all() else columns > line.shape[1] // 2
    return float(days[-1][other].sum())


@pytest.mark.parametrize("kind", ["straight", "diagonal", "stairs"])
def test_a_road_one_cell_wide_lets_through_no_more_than_with_eight(kind: str) -> None:
    line = line_of((24, 24), kind)
    passed = {}
    for neighbours in (8, 16):
        maps = windy(neighbours, line)
        passed[neighbours] = beyond(replace(maps, burnable=~line), line) / beyond(maps, line)
    assert passed[16] <= passed[8]
    assert (passed[8] == 0.0) is (kind != "diagonal")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", ["straight", "diagonal", "stairs"])
def test_retardant_one_cell_wide_lets_through_no_more_than_with_eight(kind: str, side: RetardantSide) -> None:
    line = line_of((24, 24), kind)
    factor = np.where(line, np.float32(0.05), np.float32(1.0))
    nothing = np.ones_like(factor)
    passed = {}
    for neighbours in (8, 16):
        maps = windy(neighbours, line)
        held = treated(
            maps, factor if side is not RetardantSide.RECEIVER else nothing,
            factor if side is not RetardantSide.EMITTER else nothing, factor,
        )  # fmt: skip
        passed[neighbours] = beyond(held, line) / beyond(maps, line)
    assert passed[16] <= passed[8]


def test_retardant_that_is_known_acts_like_retardant_that_is_laid() -> None:
    maps = replace(maps_of(8), wind_speed=np.zeros((2, 14, 17), np.float32))
    fleet = Fleet((aircraft("R", Material.RETARDANT, 3, turnaround_h=0.1),))
    model = model_of(maps, fleet, precision="float64")
    schedule = random_schedule(8, maps, fleet, share=0.9)
    schedule.logits[1:] = -3.0
    factor = ground_factor(model, schedule, executed(model, schedule))
    assert factor.min() < 0.9
    known = model_of(treated(maps, factor, factor, factor), fleet, precision="float64")
    nothing = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    laid, found = (simulate(*pair, keep_days=True).p_fire_days for pair in ((model, schedule), (known, nothing)))
    assert laid is not None and found is not None
    np.testing.assert_allclose(found, laid, atol=1e-5)


# -- gains, benchmark --------------------------------------------------------------------------------------------------
def test_slopes_by_the_gains_have_sixteen_neighbours() -> None:
    model = model_of(maps_of(3), small_fleet(), precision="float64")
    heard: dict[int, np.ndarray] = {}
    gain_slopes(model, np.ones_like, lambda day, slopes: heard.update({day: slopes}))
    assert {day: slopes.shape for day, slopes in heard.items()} == {0: (16, 14, 17), 1: (16, 14, 17)}
    assert all(np.abs(heard[1][n]).max() > 0.0 for n in range(16))


def test_the_dense_benchmark_refuses_sixteen_neighbours() -> None:
    with pytest.raises(InputError, match="maps: have 16 neighbours"):
        DenseRollout(model_of(maps_of(1), small_fleet()))
