"""The active front gives the bits of the same engine with every tile awake at every step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.model import Model
from firegui.rollout.outcome import WHOLE, RolloutOptions
from tests.numerics.cases import model_of
from tests.numerics.front_cases import (
    Recorder,
    assert_same_gradient,
    assert_same_outcome,
    busy_fleet,
    differentiate,
    fitful_maps,
    lit,
    many_drops,
    nothing_flies,
    roll,
)

SIDES = list(RetardantSide)
EVERYTHING = (slice(None), slice(None))


def assert_dense(model: Model, schedule: Schedule) -> None:
    """The states of every day's start and end, the metrics and the gradient, awake and dense."""
    wanted = RolloutOptions(keep_states=True)
    active, dense = roll(model, schedule, wanted), roll(model, schedule, wanted, dense=True)
    assert_same_outcome(active[0], dense[0])
    np.testing.assert_array_equal(active[1], dense[1])
    assert_same_gradient(differentiate(model, schedule), differentiate(model, schedule, dense=True))


def assert_dense_free_and_attacked(maps: FireMaps, seed: int = 0, side: RetardantSide = RetardantSide.BOTH) -> None:
    model = model_of(maps, busy_fleet(), side=side)
    assert_dense(model, nothing_flies(model))
    assert_dense(model, many_drops(seed, maps, model.fleet))


def test_the_cases_have_tiles_that_sleep_and_more_than_a_hundred_drops() -> None:
    # What is compared below would say nothing about a fire that keeps every tile awake.
    maps = fitful_maps(1, days=6)
    model = model_of(maps, busy_fleet())
    outcome, days = roll(model, many_drops(1, maps, model.fleet))
    reached = [int((fire > 0.0).sum()) for fire in days]
    assert outcome.metrics.drops_executed > 100
    assert 5 * maps.ignition.sum() < outcome.metrics.final_extent_cells
    assert 2 * reached[1] < reached[-1] < model.n_cells // 2
    assert reached[5] == reached[4]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", range(4))
def test_sleeping_tiles_change_no_bit(seed: int, side: RetardantSide) -> None:
    assert_dense_free_and_attacked(fitful_maps(seed, days=6), seed, side)


@pytest.mark.parametrize("seed", range(3))
def test_every_step_shows_the_same_state(seed: int) -> None:
    maps = fitful_maps(seed)
    model = model_of(maps, busy_fleet())
    schedule, seen = many_drops(seed, maps, model.fleet), []
    for dense in (False, True):
        recorder = Recorder(model)
        ActiveFront(1).simulate(model, schedule, recorder, None, WHOLE, dense=dense)
        seen.append(np.stack(recorder.seen))
    assert len(seen[0]) == model.n_steps + 1
    np.testing.assert_array_equal(seen[0], seen[1])


@pytest.mark.parametrize("side", SIDES)
def test_capped_doses_change_no_bit(side: RetardantSide) -> None:
    maps = fitful_maps(5)
    model = model_of(maps, busy_fleet(payload_gal=5e6), side=side)
    assert_dense(model, many_drops(5, maps, model.fleet))


@pytest.mark.parametrize("shape", [(1, 70), (70, 1), (1, 1), (3, 5), (4, 16), (8, 64), (9, 65), (37, 131)])
def test_rasters_that_tiles_fit_or_do_not_fit(shape: tuple[int, int]) -> None:
    assert_dense_free_and_attacked(fitful_maps(6, shape, gain=0.3), 6)


def test_a_raster_wider_than_a_word_of_tiles() -> None:
    # Tile 63 ends with column 1,023: the fires burn across the border of the words, and far from each other.
    maps = lit(fitful_maps(7, (30, 1100)), (slice(14, 17), slice(1020, 1030)), (slice(5, 8), slice(50, 60)))
    assert_dense_free_and_attacked(maps, 7)


@pytest.mark.parametrize("t_burn", [1.0, 1.2, 2.0, 10.0, 1000.0])
@pytest.mark.parametrize(("days", "steps_per_day"), [(40, 1), (8, 7), (3, 50), (2, 120)])
def test_any_burn_time_and_length_of_a_day(t_burn: float, days: int, steps_per_day: int) -> None:
    gain = 0.12 if t_burn >= 10.0 else 0.4
    maps = fitful_maps(8, (22, 70), gain=gain, days=days, steps_per_day=steps_per_day, t_burn=t_burn)
    model = model_of(maps, busy_fleet())
    assert_dense(model, nothing_flies(model))
    assert_dense(model, many_drops(8, maps, model.fleet, share=0.2))


@pytest.mark.parametrize("first", [1, 20, 33, 60])
def test_scoring_that_starts_late(first: int) -> None:
    maps = fitful_maps(9)
    model = replace(model_of(maps, busy_fleet()), first_scored_step=first)
    assert_dense(model, many_drops(9, maps, model.fleet))


@pytest.mark.parametrize(
    "boxes",
    [
        ((slice(0, 1), slice(None)), (slice(-1, None), slice(None))),
        ((slice(None), slice(0, 1)), (slice(None), slice(-1, None))),
        ((slice(0, 1), slice(0, 1)), (slice(-1, None), slice(-1, None))),
        ((slice(4, 8), slice(16, 48)),),
        (EVERYTHING,),
        (),
    ],
    ids=["north and south", "west and east", "corners", "whole tiles", "everywhere", "nowhere"],
)
def test_wherever_it_starts(boxes: tuple[tuple[slice, slice], ...]) -> None:
    assert_dense_free_and_attacked(lit(fitful_maps(10, (21, 70)), *boxes), 10)


@pytest.mark.parametrize("corner", [(3, 15), (3, 16), (4, 15), (4, 16)])
def test_a_lone_cell_at_the_corner_of_its_tile_reaches_all_its_neighbours(corner: tuple[int, int]) -> None:
    maps = fitful_maps(11, (8, 32), days=2)
    even = np.full_like(maps.phi, 2e-7)
    maps = lit(
        replace(maps, phi=even, gamma=np.ones_like(maps.gamma), burnable=np.ones((8, 32), bool)),
        (slice(corner[0], corner[0] + 1), slice(corner[1], corner[1] + 1)),
    )
    model = model_of(maps, busy_fleet())
    days = roll(model, nothing_flies(model))[1]
    near = days[-1][corner[0] - 1 : corner[0] + 2, corner[1] - 1 : corner[1] + 2]
    assert bool((near > 0.0).all())
    assert int((days[-1] > 0.0).sum()) == 9
    assert_dense(model, nothing_flies(model))


def test_water_wakes_what_has_burned_and_would_burn_again() -> None:
    # All of a valley burns at once and then for very long; water on one cell makes it unburned, and it burns again.
    maps = lit(fitful_maps(12, (12, 64), days=1, t_burn=1000.0), (slice(2, 10), slice(2, 60)))
    gain = np.zeros_like(maps.phi)
    gain[:, :, 2:10, 2:60] = 0.3
    maps = replace(maps, phi=gain, gamma=np.ones_like(maps.gamma), wind_speed=np.zeros_like(maps.wind_speed))
    model = model_of(maps, busy_fleet(payload_gal=9000.0))
    schedule = nothing_flies(model)
    schedule.logits[9, 3], schedule.poses[9, 3] = 3.0, (5.0, 30.0, 0.0)
    recorder = Recorder(model)
    ActiveFront(1).simulate(model, schedule, recorder, None, WHOLE)
    unburned = [float(state[0, 5, 30]) for state in recorder.seen]
    assert unburned[9] == 0.0 < 0.1 < unburned[10]
    assert unburned[10] > 2.0 * unburned[14] > 0.0
    assert_dense(model, schedule)
