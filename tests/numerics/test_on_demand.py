"""Gains that are made for the tiles that a fire reaches: the bits of those laid out whole, whoever made them before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from firegui.domain.compact_maps import BlockRaster, SpreadOnDemand
from firegui.domain.maps import FireMaps
from firegui.domain.settings import RetardantSide
from firegui.planning.replan import split_days, treated
from firegui.rollout.kernels import layout
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.kernels.cpu_model import layout_of
from firegui.rollout.model import Model
from firegui.rollout.outcome import RolloutOptions
from tests.numerics.cases import model_of
from tests.numerics.front_cases import (
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

SIDES = list(RetardantSide)
SHAPE = (90, 210)
LAYERS = ("phi", "gamma", "wind_speed", "wind_dir")


def on_demand(maps: FireMaps) -> FireMaps:
    """The same maps, asked for cell by cell."""
    return replace(maps, phi=SpreadOnDemand.of_array(np.asarray(maps.phi)))


def pair(maps: FireMaps, seed: int, *, full_carry: bool = False) -> tuple[Model, Model]:
    """Models of both."""
    whole, asked = (model_of(each, busy_fleet(), side=SIDES[seed % 3]) for each in (maps, on_demand(maps)))
    return replace(whole, full_carry=full_carry), replace(asked, full_carry=full_carry)


def mild(seed: int, neighbours: int, periods: int) -> FireMaps:
    """A fire whose gains are small, so that what burns far off cannot ignite a tile, and whose cells burn briefly."""
    maps = fitful_maps(seed, SHAPE, gain=0.7, days=2 * periods, steps_per_day=12, neighbours=neighbours)
    phi, gamma = np.minimum(np.asarray(maps.phi), 1.0), np.minimum(maps.gamma, 1.0)
    maps = replace(maps, phi=phi, gamma=gamma, periods_per_day=periods, steps_per_day=12 * periods, t_burn=3.0)
    return lit(maps, (slice(40, 46), slice(60, 80)))


@pytest.mark.parametrize("full_carry", [False, True])
@pytest.mark.parametrize(("seed", "neighbours", "periods"), [(0, 8, 1), (1, 16, 1), (2, 8, 3), (3, 16, 3), (4, 16, 4)])
def test_states_and_gradients_are_those_of_gains_laid_out_whole(
    seed: int, neighbours: int, periods: int, full_carry: bool
) -> None:
    maps = mild(seed, neighbours, periods)
    whole, asked = pair(maps, seed, full_carry=full_carry)
    schedule = many_drops(seed, maps, whole.fleet)
    expected = differentiate(whole, schedule)
    assert_same_gradient(differentiate(asked, schedule), expected)
    # Then all of it has been made; on two threads; and where another fire has asked for other tiles before.
    assert_same_gradient(differentiate(asked, schedule), expected)
    assert_same_gradient(differentiate(asked, schedule, threads=2), expected)
    other = pair(maps, seed, full_carry=full_carry)[1]
    roll(other, nothing_flies(other))
    assert_same_gradient(differentiate(other, schedule, threads=2), expected)


def test_a_second_gradient_asks_the_fire_model_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = mild(1, 16, 4)
    _, asked = pair(maps, 1)
    schedule = many_drops(1, maps, asked.fleet)
    expected = differentiate(asked, schedule)

    def refuse(*_: object) -> None:
        raise AssertionError("the fire model was asked for cells")

    monkeypatch.setattr(layout.GainsOnDemand, "_gains_of", refuse)
    assert_same_gradient(differentiate(asked, schedule), expected)


def test_only_tiles_that_something_near_could_ignite_are_made() -> None:
    maps = replace(mild(5, 16, 4), t_burn=1.5)
    longer: dict[str, Any] = {name: np.concatenate([np.asarray(getattr(maps, name))] * 2) for name in LAYERS}
    longer["phi"][8:] *= 0.001
    _, asked = pair(replace(maps, **longer), 5)
    roll(asked, nothing_flies(asked))
    laid = layout_of(asked)
    made = (np.asarray(laid.gains.slots) >= 0).reshape(16, -1)
    assert 0.0 < made[:9].mean() < 0.7
    assert not made[-1].any(), "all of it has burned out by then"


@pytest.mark.parametrize("neighbours", [8, 16])
def test_a_wide_fire_in_two_halves_and_every_tile_at_every_step(neighbours: int) -> None:
    maps = wide_fire(7, neighbours)
    whole, asked = pair(maps, 7)
    schedule = many_drops(7, maps, whole.fleet)
    expected = differentiate(whole, schedule, threads=2)
    assert_same_gradient(differentiate(asked, schedule, threads=2), expected)
    assert_same_gradient(
        differentiate(pair(maps, 7)[1], schedule, dense=True), differentiate(whole, schedule, dense=True)
    )


def test_a_resumed_rollout_makes_what_it_needs() -> None:
    maps = mild(8, 16, 3)
    whole = pair(maps, 8)[0]
    schedule = many_drops(8, maps, whole.fleet)
    expected, _ = roll(whole, schedule, RolloutOptions(keep_states=True))
    for state in expected.states:
        fresh = pair(maps, 8)[1]
        found, _ = roll(fresh, schedule, RolloutOptions(start=state))
        assert_same_outcome(found, roll(whole, schedule, RolloutOptions(start=state))[0])


def test_what_is_left_of_the_maps_after_drops_and_in_shorter_days_is_the_same() -> None:
    maps = mild(9, 16, 3)
    rng = np.random.default_rng(9)
    factors = [np.where(rng.uniform(size=maps.shape) < 0.1, 0.2, 1.0).astype(np.float32) for _ in range(3)]
    found, expected = (
        split_days(treated(treated(each, *factors), *factors), 18, 36) for each in (on_demand(maps), maps)
    )
    assert isinstance(found.phi, SpreadOnDemand) and found.steps_per_day == expected.steps_per_day
    np.testing.assert_array_equal(np.asarray(found.phi), expected.phi)
    np.testing.assert_array_equal(found.gamma, expected.gamma)


@pytest.mark.parametrize("full_carry", [False, True])
def test_gains_for_which_there_is_no_room_are_made_again(full_carry: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = mild(3, 16, 4)
    whole, plenty = pair(maps, 3, full_carry=full_carry)
    schedule = many_drops(3, maps, whole.fleet)
    differentiate(plenty, schedule)
    monkeypatch.setattr(layout, "MOST_MADE_BYTES", 400 * 4096)
    _, scarce = pair(maps, 3, full_carry=full_carry)
    expected = differentiate(whole, schedule)
    assert_same_gradient(differentiate(scarce, schedule), expected)
    kept = [int((np.asarray(layout_of(model).gains.slots) >= 0).sum()) for model in (plenty, scarce)]
    assert kept[1] <= 400 < kept[0]
    # Many at once, of which any may find no more room.
    schedules = [many_drops(seed, maps, whole.fleet) for seed in range(6)]
    nobody = [RolloutOptions()] * 6
    found, wanted = (ActiveFront(3).simulate_many(model, schedules, None, nobody) for model in (scarce, whole))
    for one, other in zip(found, wanted, strict=True):
        assert_same_outcome(one, other)


def test_a_wind_on_blocks_moves_drops_as_the_same_wind_on_cells() -> None:
    maps = mild(4, 8, 3)
    speed, towards = (np.asarray(part)[:, ::6, ::6].copy() for part in (maps.wind_speed, maps.wind_dir))
    blocks = replace(
        maps, wind_speed=BlockRaster(speed, 6, SHAPE), wind_dir=BlockRaster(towards, 6, SHAPE)
    )  # fmt: skip
    cells = replace(maps, wind_speed=np.asarray(blocks.wind_speed), wind_dir=np.asarray(blocks.wind_dir))
    models = [model_of(each, busy_fleet()) for each in (blocks, cells)]
    schedule = many_drops(4, maps, models[0].fleet)
    assert_same_gradient(differentiate(models[0], schedule), differentiate(models[1], schedule))
