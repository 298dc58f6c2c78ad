"""The GPU engine on maps of sixteen neighbours and of several periods a day."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.rollout import backend, reference
from firegui.rollout.engine_message import EngineMessage
from firegui.rollout.kernels import gpu as gpu_engine
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, RolloutOptions
from firegui.rollout.simulate import simulate_many, simulate_with_gradient
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule
from tests.numerics.gpu_cases import (
    SMALL,
    TILE,
    assert_near,
    case,
    exact,
    gpu,
    gpu_model,
    narrow_fire,
    needs_triton,
    nobody,
    roll,
    short_maps,
)
from tests.numerics.test_on_demand import on_demand

SIDES = list(RetardantSide)


def days_of(model: Model, schedule: Schedule, *, triton: bool, tile: tuple[int, int]) -> NDArray[np.float32]:
    """``P [days + 1, H, W]``."""
    observer = Observer(model, None, keep_days=True)
    gpu(triton=triton, tile=tile).simulate(model, schedule, observer, None, WHOLE)
    days = observer.days()
    assert days is not None
    return days


def truth_of(model: Model, schedule: Schedule) -> NDArray[np.float32]:
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    return np.asarray(1.0 - torch.stack(truth.unburned[:: model.maps.steps_per_day]))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("neighbours", "periods"), [(8, 1), (8, 5), (16, 1), (16, 5)])
def test_rollout_and_gradient_in_torch_agree_with_the_reference(
    neighbours: int, periods: int, side: RetardantSide
) -> None:
    model, schedule = case(3, maps=random_maps(3, days=3, neighbours=neighbours, periods=periods), side=side)
    days = days_of(model, schedule, triton=False, tile=TILE)
    np.testing.assert_allclose(days, truth_of(model, schedule), atol=5e-6)
    kept_whole, twice = (gpu(triton=False, span=span).gradient(model, schedule, nobody(model), None) for span in (3, 1))
    for found, wanted in zip(kept_whole[1:], exact(model, schedule), strict=True):
        assert_near(found, wanted, 1e-4)
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    assert kept_whole[0].metrics.objective == pytest.approx(float(truth.objective), rel=1e-6)
    for one, other in zip(kept_whole[1:], twice[1:], strict=True):
        np.testing.assert_array_equal(one, other)


@needs_triton
@pytest.mark.parametrize(
    ("neighbours", "periods", "side", "rows"),
    [
        pytest.param(8, 3, RetardantSide.BOTH, 7, marks=pytest.mark.slow),
        pytest.param(8, 1, RetardantSide.RECEIVER, 7, marks=pytest.mark.slow),
        pytest.param(8, 1, RetardantSide.EMITTER, 14, marks=pytest.mark.slow),
        pytest.param(8, 1, RetardantSide.BOTH, 14, marks=pytest.mark.slow),
        pytest.param(16, 3, RetardantSide.EMITTER, 7, marks=pytest.mark.slow),
        pytest.param(16, 1, RetardantSide.RECEIVER, 7, marks=pytest.mark.slow),
        pytest.param(16, 3, RetardantSide.BOTH, 11, marks=pytest.mark.slow),
    ],
)
def test_rollout_and_gradient_agree_with_the_reference(
    neighbours: int, periods: int, side: RetardantSide, rows: int
) -> None:
    # Days of an odd number of steps, each computed twice, on a raster that tiles do not divide.
    maps = short_maps(2, shape=(rows, 13), steps_per_day=3, neighbours=neighbours, periods=periods)
    model, schedule = case(2, maps=maps, side=side)
    days = days_of(model, schedule, triton=True, tile=SMALL)
    np.testing.assert_allclose(days, truth_of(model, schedule), atol=2e-6)
    _, *gradient = gpu(tile=SMALL, span=1).gradient(model, schedule, nobody(model), None)
    for found, wanted in zip(gradient, exact(model, schedule), strict=True):
        assert_near(found, wanted, 1e-5)


def beside_a_line(side: RetardantSide) -> tuple[Model, Schedule]:
    """A fire west of the border of two tiles of 8 columns, along which retardant is dropped, and water."""
    maps = random_maps(2, (8, 16), days=2, steps_per_day=3, neighbours=16, periods=3)
    ignition = np.zeros(maps.shape, bool)
    ignition[3:6, 5:7] = True
    maps = replace(
        maps, ignition=ignition, burnable=np.ones(maps.shape, bool), wind_speed=np.zeros_like(maps.wind_speed)
    )
    narrow = {"sigma_parallel_m": 60.0, "sigma_perpendicular_m": 3.0, "turnaround_h": 0.1}
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1, **narrow), aircraft("W", Material.WATER, 1, **narrow)))
    schedule = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    for step, column, x in ((1, 0, 7.2), (2, 1, 8.0), (3, 0, 8.3), (4, 0, 6.8)):
        schedule.logits[step, column], schedule.poses[step, column] = 2.0, (4.0, x, np.pi / 2.0)
    return gpu_model(maps, fleet, side=side), schedule


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("triton", [False, pytest.param(True, marks=[needs_triton, pytest.mark.slow])])
def test_retardant_at_the_border_of_tiles_holds_back_what_passes_it(triton: bool, side: RetardantSide) -> None:
    model, schedule = beside_a_line(side)
    np.testing.assert_allclose(
        days_of(model, schedule, triton=triton, tile=SMALL), truth_of(model, schedule), atol=2e-6
    )
    _, *gradient = gpu(triton=triton, tile=SMALL, span=2).gradient(model, schedule, nobody(model), None)
    for found, wanted in zip(gradient, exact(model, schedule), strict=True):
        assert_near(found, wanted, 1e-5)


@pytest.mark.parametrize("column", [7, 8])
@pytest.mark.parametrize("triton", [False, pytest.param(True, marks=[needs_triton, pytest.mark.slow])])
def test_fire_does_not_jump_a_line_of_cells_that_do_not_burn(triton: bool, column: int) -> None:
    model, schedule = beside_a_line(RetardantSide.BOTH)
    burnable = np.ones(model.shape, bool)
    burnable[:, column] = False
    held = gpu_model(replace(model.maps, burnable=burnable), model.fleet)
    free = days_of(model, schedule, triton=triton, tile=SMALL)[-1]
    days = days_of(held, schedule, triton=triton, tile=SMALL)[-1]
    assert free[:, 9:].max() > 0.0
    assert days[:, column:].max() == 0.0
    assert days[:, column - 1].max() > 0.0


@needs_triton
@pytest.mark.slow
def test_tiles_that_sleep_change_no_bit_of_rollout_and_gradient() -> None:
    eight, schedule = narrow_fire(4)
    phi = np.concatenate([eight.phi, eight.phi], axis=1).repeat(2, axis=0)
    phi[1::2] *= 0.5
    gamma, speed, towards = (
        np.asarray(maps).repeat(2, axis=0) for maps in (eight.gamma, eight.wind_speed, eight.wind_dir)
    )
    maps = replace(eight, phi=phi, gamma=gamma, wind_speed=speed, wind_dir=towards, periods_per_day=2)
    model = case(4, maps=maps)[0]
    active = gpu(tile=SMALL, span=2).gradient(model, schedule, nobody(model), None)
    log = gpu(tile=SMALL).stock(model).history(2, model.fleet.n_aircraft).log.clone()
    dense = gpu(tile=SMALL, span=2, dense=True).gradient(model, schedule, nobody(model), None)
    assert 1.0 - float(log.double().mean()) > 0.1
    assert dense[0].metrics == active[0].metrics
    np.testing.assert_array_equal(dense[1], active[1])
    np.testing.assert_array_equal(dense[2], active[2])
    for found, wanted in zip(active[1:], exact(model, schedule), strict=True):
        assert_near(found, wanted, 1e-5)


@pytest.mark.parametrize("triton", [False, pytest.param(True, marks=[needs_triton, pytest.mark.slow])])
def test_going_on_from_a_state_gives_the_bits_of_the_whole_and_so_does_a_batch(triton: bool) -> None:
    model, schedule = case(2, maps=short_maps(2, shape=(11, 13), steps_per_day=3, neighbours=16, periods=3))
    whole = roll(model, schedule, RolloutOptions(keep_states=True), triton=triton)
    rest = RolloutOptions(start=whole.states[1])
    other, rel = random_schedule(13, model.maps, model.fleet), 0.0 if triton else 1e-12
    *same, last = gpu(triton=triton).simulate_many(model, [schedule, schedule, other], None, [rest, WHOLE, WHOLE])
    for outcome in same:
        assert outcome.metrics.objective == pytest.approx(whole.metrics.objective, rel=rel)
    assert last.metrics.objective == pytest.approx(roll(model, other, triton=triton).metrics.objective, rel=rel)
    assert roll(model, schedule, rest, triton=triton).metrics == whole.metrics


def test_a_graphics_card_computes_all_maps_but_is_not_chosen_for_those_made_on_demand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backend, "choose", lambda _: ("cuda", "cuda"))
    told: list[EngineMessage] = []
    chosen = [backend.device_for(maps, name, told.append)[0] for maps in asked() for name in ("auto", "cuda")]
    assert chosen == ["cuda", "cuda", "cpu", "cuda"]
    assert told == [EngineMessage(backend.NOT_ON_THE_GPU, device="cpu")]


def asked() -> tuple[FireMaps, FireMaps]:
    maps = short_maps(5, neighbours=16, periods=2)
    return maps, on_demand(maps)


def test_maps_that_are_made_on_demand_are_laid_out_whole() -> None:
    (laid_out, schedule), (made, _) = (case(5, maps=maps) for maps in asked())
    outcomes = [roll(model, schedule, triton=False) for model in (laid_out, made)]
    assert outcomes[0].metrics == outcomes[1].metrics


@pytest.mark.slow
def test_maps_that_are_too_large_for_that_are_computed_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_engine, "MOST_BYTES", 1000)
    _, maps = asked()
    model, schedule = case(5, maps=maps)
    told: list[EngineMessage] = []
    model = replace(model, tell=told.append)
    backend.prepare(model)
    (found,), (rollout, gradient) = simulate_many(model, [schedule]), simulate_with_gradient(model, schedule)
    wanted, slopes = simulate_with_gradient(model_of(maps, model.fleet), schedule)
    assert found.metrics == rollout.metrics == wanted.metrics
    np.testing.assert_array_equal(gradient.logit, slopes.logit)
    assert told == [EngineMessage(gpu_engine.TOO_LARGE, "warning", "cpu")]
