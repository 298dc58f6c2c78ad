"""The rollout against a second reading of the paper, and its own invariants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.errors import CancelledError, InputError
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout import closed_form, reference
from firegui.rollout.gates import apply_gates
from firegui.rollout.observe import Observer
from firegui.rollout.simulate import prepare, simulate, simulate_with_gradient
from tests.numerics import independent
from tests.numerics.cases import WEIGHTS, aircraft, model_of, random_maps, random_schedule, region_masks, small_fleet
from tests.support import StopAt


def test_every_logit_positive_gives_the_papers_availability_cap() -> None:
    assert int(apply_gates(np.ones((750, 21), bool), default_fleet(), 50).executed.sum()) == 4037


def test_a_cell_of_thirty_metres_is_the_papers_number_of_hundred_square_feet() -> None:
    assert random_maps(0).cell_area_100ft2 == pytest.approx(96.9, abs=0.05)


def test_an_aircraft_is_closed_for_its_turnaround_and_open_again_one_step_later() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1, turnaround_h=5.0),))
    gates = apply_gates(np.ones((12, 1), bool), fleet, steps_per_day=10)
    assert np.flatnonzero(gates.executed[:, 0]).tolist() == [0, 4, 8]


def test_a_blocked_proposal_is_not_executed_and_does_not_restart_the_timer() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1, turnaround_h=5.0),))
    proposed = np.zeros((10, 1), bool)
    proposed[[0, 2, 4]] = True
    assert np.flatnonzero(apply_gates(proposed, fleet, 10).executed[:, 0]).tolist() == [0, 4]


def test_nothing_flies_on_a_grounded_day() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 2, grounded_days=(1,)),))
    executed = apply_gates(np.ones((30, 2), bool), fleet, 10).executed
    assert not executed[10:20].any()
    assert executed[20].all()


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_agrees_with_an_independent_reading_of_the_paper(seed: int) -> None:
    maps, fleet = random_maps(seed), small_fleet()
    schedule = random_schedule(seed, maps, fleet)
    goal = independent.Objective(
        50.0, 30.0, 20.0, 1e-3, region_masks(maps), (1.0, 2.0), {"retardant": 0.9, "water": 0.8}
    )
    truth = independent.read(maps, fleet, schedule, goal)
    model = model_of(maps, fleet)
    result = simulate(model, schedule, keep_days=True)
    assert result.p_fire_days is not None
    np.testing.assert_allclose(result.p_fire_days, truth.fire[:: maps.steps_per_day], atol=1e-5)
    assert [tuple(pair) for pair in np.argwhere(result.executed).tolist()] == truth.executed
    assert result.metrics.objective == pytest.approx(truth.objective, rel=1e-5)
    assert result.metrics.final_extent_cells == pytest.approx(truth.fire[-1].sum(), rel=1e-5)
    assert result.metrics.occupancy_cell_days == pytest.approx(truth.fire.sum(axis=(1, 2)).mean() * maps.days, rel=1e-5)
    exact = model_of(maps, fleet, precision="float64")
    rollout, gradient = simulate_with_gradient(exact, schedule)
    assert rollout.metrics.objective == pytest.approx(truth.objective, rel=1e-12)
    for found, wanted in ((gradient.logit, truth.logit), (gradient.pose, truth.pose)):
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("side", list(RetardantSide))
def test_the_window_of_the_fire_gives_the_dense_answer_bit_for_bit(side: RetardantSide) -> None:
    maps, fleet = random_maps(5, shape=(40, 50)), small_fleet()
    schedule = random_schedule(5, maps, fleet)
    model = model_of(maps, fleet, side=side)
    observer = Observer(model, None, keep_days=True)
    closed_form.simulate(model, schedule, observer, None)
    dense = reference.simulate(model, schedule)
    expected = torch.stack(dense.unburned[:: maps.steps_per_day])
    windowed = observer.days()
    assert windowed is not None
    np.testing.assert_array_equal(windowed, 1.0 - expected.numpy())


def test_both_backends_report_the_same_metrics() -> None:
    maps, fleet = random_maps(6), small_fleet()
    schedule = random_schedule(6, maps, fleet)
    fast = simulate(model_of(maps, fleet), schedule).metrics
    slow = simulate(model_of(maps, fleet, backend="reference"), schedule).metrics
    for name in fast.__slots__:
        expected = getattr(slow, name)
        # Without prices there is no cost.
        assert getattr(fast, name) == (None if expected is None else pytest.approx(expected, rel=1e-6)), name


def test_the_state_stays_on_the_probability_simplex() -> None:
    maps, fleet = random_maps(7), small_fleet()
    states = reference.simulate(model_of(maps, fleet), random_schedule(7, maps, fleet))
    for unburned, burning in zip(states.unburned, states.burning, strict=True):
        burned = (1.0 - unburned) - burning
        assert float(burned.min()) > -1e-6
        assert float(burning.min()) >= 0.0 and float(burning.max()) <= 1.0


def test_without_drops_the_fire_never_shrinks() -> None:
    maps, fleet = random_maps(8), small_fleet()
    states = reference.simulate(model_of(maps, fleet), Schedule.empty(maps.n_steps, fleet.n_aircraft))
    for before, after in zip(states.unburned, states.unburned[1:], strict=False):
        assert bool((after <= before).all())


def test_nothing_burns_outside_the_fuel() -> None:
    maps, fleet = random_maps(9), small_fleet()
    days = simulate(model_of(maps, fleet), Schedule.empty(maps.n_steps, fleet.n_aircraft), keep_days=True).p_fire_days
    assert days is not None
    assert float(days[-1][~maps.burnable].max()) == 0.0


def test_water_moves_burning_probability_back_to_unburned() -> None:
    calm = np.zeros((2, 14, 17), np.float32)
    maps = replace(random_maps(10), wind_speed=calm)
    fleet = Fleet((aircraft("W", Material.WATER, 1),))
    schedule = Schedule.empty(maps.n_steps, 1)
    schedule.logits[0], schedule.poses[0, 0] = 3.0, (7.0, 8.0, 0.0)
    states = reference.simulate(model_of(replace(maps, phi=np.zeros_like(maps.phi)), fleet), schedule)
    assert float(states.unburned[1][7, 8]) > 0.1
    assert float(states.unburned[0][7, 8]) == 0.0


def test_retardant_at_required_coverage_keeps_one_minus_eta_of_the_response() -> None:
    # A footprint far wider than a cell lays a nearly uniform dose whose coverage is known in closed form.
    maps = replace(random_maps(11, shape=(60, 60)), wind_speed=np.zeros((2, 60, 60), np.float32))
    sigma = 150.0
    peak_share = 1.0 / (2.0 * np.pi * (sigma**2 / 900.0 + 1.0 / 12.0))
    payload = 2.7 * (30.0 / 0.3048) ** 2 / 100.0 / peak_share
    kind = aircraft(
        "R", Material.RETARDANT, 1, payload_gal=payload, sigma_parallel_m=sigma, sigma_perpendicular_m=sigma
    )
    schedule = Schedule.empty(maps.n_steps, 1)
    schedule.logits[0], schedule.poses[0, 0] = 3.0, (30.0, 30.0, 1.0)
    for eta in (0.5, 0.9):
        model = model_of(maps, Fleet((kind,))).with_effectiveness(Effectiveness(eta, 0.1))
        retardant = reference.simulate(model, schedule).retardant[1]
        assert float(retardant[30, 30]) == pytest.approx(1.0 - eta, rel=1e-3)


def test_material_that_lands_outside_the_raster_is_lost() -> None:
    maps = replace(
        random_maps(12), wind_speed=np.full((2, 14, 17), 80.0, np.float32), wind_dir=np.zeros((2, 14, 17), np.float32)
    )
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1),))
    schedule = Schedule.empty(maps.n_steps, 1)
    schedule.logits[0], schedule.poses[0, 0] = 3.0, (7.0, 16.0, np.pi / 2)
    retardant = reference.simulate(model_of(maps, fleet), schedule).retardant[1]
    assert float((1.0 - retardant).max()) < 0.01


def test_a_cancelled_rollout_stops_at_the_next_call_and_the_next_one_gives_its_own_bits() -> None:
    maps, fleet = random_maps(13), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(13, maps, fleet)
    check = StopAt(2)
    with pytest.raises(CancelledError):
        simulate(model, schedule, check=check)
    assert check.calls == 2
    empty = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    after, untouched = (simulate(one, empty, keep_days=True) for one in (model, model_of(maps, fleet)))
    assert after.metrics == untouched.metrics
    np.testing.assert_array_equal(after.p_fire_days, untouched.p_fire_days)


def test_the_check_is_called_at_least_once_a_stretch_of_days_and_changes_no_bit() -> None:
    maps, fleet = random_maps(17, days=4), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(17, maps, fleet)
    calls: list[int] = []
    assert simulate(model, schedule, check=lambda: calls.append(1)).metrics == simulate(model, schedule).metrics
    assert 2 <= len(calls) <= 4


def test_frames_hold_every_stride_and_the_last_state() -> None:
    maps, fleet = random_maps(14), small_fleet()
    result = simulate(model_of(maps, fleet), random_schedule(14, maps, fleet), frame_stride=7, keep_days=True)
    assert result.frames is not None and result.p_fire_days is not None
    assert len(result.frames.fire) == 4  # steps 0, 7, 14 and 20
    np.testing.assert_array_equal(
        result.frames.fire.picture(-1), np.rint(result.p_fire_days[-1] * 255).astype(np.uint8)
    )
    assert result.frames.fire.picture(0).max() == 255
    assert [result.frames.index_of_step(step) for step in (0, 6, 7, 14, 19, 20)] == [0, 0, 1, 2, 2, 3]


def test_an_unknown_backend_and_an_empty_region_are_refused() -> None:
    maps, fleet = random_maps(15), small_fleet()
    with pytest.raises(InputError, match="unknown"):
        model_of(maps, fleet, backend="abacus")
    with pytest.raises(InputError, match="covers no cell"):
        empty = np.zeros((1, *maps.shape), bool)
        prepare(maps, fleet, empty, [1.0], weights=WEIGHTS, effectiveness=Effectiveness(0.9, 0.9))


def test_regions_of_any_size_count_equally_and_weights_make_it_a_weighted_mean() -> None:
    maps, fleet = random_maps(16), small_fleet()
    model = model_of(maps, fleet)
    days = reference.simulate(model, Schedule.empty(maps.n_steps, fleet.n_aircraft))
    fire = 1.0 - torch.stack(days.unburned).double().numpy()
    first, second = fire[:, :4, :6].mean(), fire[:, -3:, -9:].mean()
    metrics = simulate(model, Schedule.empty(maps.n_steps, fleet.n_aircraft)).metrics
    assert metrics.loss_prot == pytest.approx((first * 1.0 + second * 2.0) / 3.0, rel=1e-6)
