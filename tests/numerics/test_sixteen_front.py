"""The active front with sixteen neighbours: the bits of all tiles, and the gradient of the dense reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.outcome import RolloutOptions
from firegui.rollout.simulate import simulate, simulate_with_gradient
from tests.numerics.cases import aircraft, model_of, random_maps
from tests.numerics.front_cases import (
    assert_near,
    assert_same_gradient,
    assert_same_outcome,
    busy_fleet,
    differentiate,
    fitful_maps,
    lit,
    many_drops,
    nothing_flies,
    roll,
    wide_fire,
)
from tests.numerics.test_active_front import assert_dense, assert_dense_free_and_attacked
from tests.numerics.test_full_carry import autograd as full_autograd
from tests.numerics.test_gain_slopes import heard, model_for, squared, target_for
from tests.numerics.test_gradient import autograd

SIDES = list(RetardantSide)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(2))
def test_sleeping_tiles_change_no_bit(seed: int, side: RetardantSide) -> None:
    assert_dense_free_and_attacked(fitful_maps(seed, days=6, neighbours=16), seed, side)


@pytest.mark.parametrize("shape", [(1, 70), (70, 1), (1, 1), (2, 5), (4, 16), (9, 65), (37, 131)])
def test_rasters_that_tiles_fit_or_do_not_fit(shape: tuple[int, int]) -> None:
    assert_dense_free_and_attacked(fitful_maps(6, shape, gain=0.3, neighbours=16), 6)


def test_a_raster_wider_than_a_word_of_tiles() -> None:
    maps = fitful_maps(7, (30, 1100), neighbours=16)
    maps = lit(maps, (slice(14, 17), slice(1020, 1030)), (slice(5, 8), slice(50, 60)))
    assert_dense_free_and_attacked(maps, 7)


@pytest.mark.parametrize("row", range(2, 6))
@pytest.mark.parametrize("column", [13, 14, 15, 16, 17, 18])
def test_a_lone_cell_wakes_every_tile_with_a_neighbour_of_it(row: int, column: int) -> None:
    maps = fitful_maps(11, (8, 32), days=2, neighbours=16)
    even = np.full_like(maps.phi, 1e-7)
    maps = lit(
        replace(maps, phi=even, gamma=np.ones_like(maps.gamma), burnable=np.ones((8, 32), bool)),
        (slice(row, row + 1), slice(column, column + 1)),
    )
    model = model_of(maps, busy_fleet())
    days = roll(model, nothing_flies(model))[1]
    reached = {(int(i) - row, int(j) - column) for i, j in np.argwhere(days[-1] > 0)} - {(0, 0)}
    assert reached == set(maps.stencil.offsets)
    assert_dense(model, nothing_flies(model))


@pytest.mark.parametrize("carry", [False, True])
def test_a_second_run_and_two_threads_give_the_same_bits(carry: bool) -> None:
    maps, fleet = wide_fire(1, 16), busy_fleet()
    model = replace(model_of(maps, fleet), full_carry=carry)
    schedule = many_drops(7, maps, fleet)
    first = differentiate(model, schedule, threads=1)
    for threads in (2, 1):
        assert_same_gradient(differentiate(model, schedule, threads=threads), first)
    assert first[0].metrics.final_extent_cells > 1.1 * maps.ignition.sum()


@pytest.mark.parametrize("side", SIDES)
def test_going_on_from_any_day_gives_the_bits_of_the_whole(side: RetardantSide) -> None:
    maps, fleet = fitful_maps(3, days=6, neighbours=16), busy_fleet()
    model, schedule = model_of(maps, fleet, side=side), many_drops(3, maps, fleet)
    whole = roll(model, schedule, RolloutOptions(keep_states=True))[0]
    for state in whole.states:
        rest = roll(model, schedule, RolloutOptions(start=state, keep_states=True))[0]
        assert_same_outcome(rest, replace(whole, states=whole.states[state.day :]))


@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("column", [14, 1022])
def test_retardant_beside_a_tile_holds_back_what_passes_it(side: RetardantSide, column: int, carry: bool) -> None:
    # It lies in the last columns of a tile and the first of the next, at the border of a word of tiles, too.
    maps = random_maps(2, (12, column + 20), days=2, steps_per_day=6, neighbours=16)
    ignition = np.zeros(maps.shape, bool)
    ignition[:, column - 3 : column - 1] = True
    maps = replace(
        maps, ignition=ignition, burnable=np.ones(maps.shape, bool), wind_speed=np.zeros_like(maps.wind_speed)
    )
    narrow = {"sigma_parallel_m": 60.0, "sigma_perpendicular_m": 3.0, "turnaround_h": 0.1}
    fleet = Fleet((aircraft("R", Material.RETARDANT, 2, **narrow), aircraft("W", Material.WATER, 1, **narrow)))
    schedule = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    rng = np.random.default_rng(4)
    schedule.logits[:] = rng.normal(size=schedule.logits.shape)
    schedule.poses[..., 0] = rng.uniform(0.0, 11.0, schedule.logits.shape)
    schedule.poses[..., 1], schedule.poses[..., 2] = column + rng.uniform(0.0, 3.0, schedule.logits.shape), np.pi / 2.0
    model = replace(model_of(maps, fleet, side=side), full_carry=carry)
    assert simulate(model, schedule).metrics.final_extent_cells == pytest.approx(
        simulate(model_of(maps, fleet, side=side, backend="reference"), schedule).metrics.final_extent_cells, rel=1e-5
    )
    _, found = simulate_with_gradient(model, schedule)
    expected = (full_autograd if carry else autograd)(model, schedule)
    for actual, wanted in zip((found.logit, found.pose), expected, strict=True):
        assert_near(actual, wanted, 1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_slopes_by_the_gains_are_autograds_where_something_ignites(seed: int) -> None:
    maps = random_maps(seed, shape=(21, 37), days=3, steps_per_day=10, neighbours=16)
    target = target_for(maps, seed)
    model = model_for(maps)
    states, found = heard(model, target)
    truth, wanted = heard(model_for(maps, "reference", "float64"), target)
    assert_near(states.astype(np.float64), truth.astype(np.float64), 1e-4)
    lit_later = (truth[-1] > 1e-3) & ~maps.ignition & (model.K.numpy() > 0.0)
    assert_near((found * lit_later).astype(np.float64), (wanted * lit_later).astype(np.float64), 1e-4)


def test_slopes_by_the_gains_are_the_same_bits_on_two_threads() -> None:
    maps = wide_fire(3, 16)
    model, slopes = model_for(maps), squared(target_for(maps, 3))[1]
    found = []
    for threads in (1, 2):
        days = np.zeros(maps.phi.shape, np.float32)

        def hear(day: int, by_gain: np.ndarray, days: np.ndarray = days) -> None:
            days[day] = by_gain

        ActiveFront(threads).gain_slopes(model, slopes, hear, None, through_days=True)
        found.append(days)
    np.testing.assert_array_equal(found[0], found[1])
    assert np.abs(found[0][:, 8:]).max() > 0.0
