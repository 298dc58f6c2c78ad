"""The GPU engine against the reference and float64 autograd; the kernels themselves, interpreted where no GPU is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.rollout import reference
from firegui.rollout.observe import Observer, StepObserver
from firegui.rollout.outcome import WHOLE
from tests.numerics.cases import aircraft, random_schedule
from tests.numerics.gpu_cases import (
    SMALL,
    assert_near,
    case,
    exact,
    gpu,
    gpu_model,
    needs_triton,
    nobody,
    roll,
    short_maps,
)

pytestmark = needs_triton


def test_a_rollout_agrees_with_the_reference() -> None:
    model, schedule = case(1)
    observer = Observer(model, None, keep_days=True)
    outcome = gpu(tile=SMALL).simulate(model, schedule, observer, None, WHOLE)
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    fire = 1.0 - torch.stack(truth.unburned)
    days = observer.days()
    assert days is not None
    np.testing.assert_allclose(days, fire[:: model.maps.steps_per_day], atol=2e-6)
    assert outcome.metrics.objective == pytest.approx(float(truth.objective), rel=1e-6)
    assert outcome.metrics.loss_prot == pytest.approx(float(truth.prot), rel=1e-6)
    assert outcome.metrics.protected_cells == pytest.approx(float(fire[-1][model.protected.cpu()].sum()), rel=1e-6)
    assert outcome.metrics.occupancy_cell_days == pytest.approx(
        float(fire.double().sum(dim=(1, 2)).mean()) * model.maps.days, rel=1e-6
    )


@pytest.mark.slow
def test_a_history_kept_whole_gives_the_bits_of_one_computed_twice_and_so_does_a_second_run() -> None:
    model, schedule = case(3, maps=short_maps(3, days=3, steps_per_day=2))
    first, *others = [gpu(span=span).gradient(model, schedule, nobody(model), None) for span in (1, 2, 1)]
    for other in others:
        assert other[0].metrics == first[0].metrics
        np.testing.assert_array_equal(other[1], first[1])
        np.testing.assert_array_equal(other[2], first[2])


def test_a_fire_that_burns_for_one_step_agrees_with_the_reference() -> None:
    model, schedule = case(5, maps=replace(short_maps(5), t_burn=1.0))
    observer = Observer(model, None, keep_days=True)
    gpu().simulate(model, schedule, observer, None, WHOLE)
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    days = observer.days()
    assert days is not None
    np.testing.assert_allclose(days, 1.0 - torch.stack(truth.unburned[::4]), atol=2e-6)


@pytest.mark.slow
def test_scoring_that_starts_late_agrees_with_autograd() -> None:
    model, schedule = case(6)
    late = replace(model, first_scored_step=5)
    outcome, logit, _ = gpu(span=2).gradient(late, schedule, nobody(late), None)
    truth = reference.simulate(replace(late, protection=late.protection.cpu()), schedule)
    assert outcome.metrics.loss_burn == pytest.approx(float(truth.burn), rel=1e-6)
    assert_near(logit, exact(late, schedule)[0], 1e-5)


@pytest.mark.slow
def test_a_capped_dose_has_no_gradient() -> None:
    maps = replace(short_maps(7), wind_speed=np.zeros((2, 14, 17), np.float32))
    heavy = aircraft("R", Material.RETARDANT, 2, payload_gal=5e6, turnaround_h=0.1)
    fleet = Fleet((heavy, aircraft("W", Material.WATER, 1, payload_gal=5e6)))
    model, schedule = gpu_model(maps, fleet), random_schedule(7, maps, fleet)
    _, logit, pose = gpu(span=2).gradient(model, schedule, nobody(model), None)
    for found, wanted in zip((logit, pose), exact(model, schedule), strict=True):
        assert_near(found, wanted, 1e-4)


@pytest.mark.slow
def test_looking_at_states_within_a_day_shows_them_before_their_drops_and_changes_no_bit() -> None:
    model, schedule = case(8)
    seen: list[np.ndarray] = []
    watcher = StepObserver(model, lambda _, burning: seen.append(burning.cpu().numpy().copy()))
    watched = gpu().simulate(model, schedule, watcher, None, WHOLE)
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    assert len(seen) == model.n_steps + 1
    np.testing.assert_allclose(np.stack(seen), torch.stack(truth.burning), atol=2e-6)
    assert watched.metrics == roll(model, schedule).metrics


def test_looking_at_states_within_a_day_changes_no_bit_of_the_gradient() -> None:
    # Water falls on a cell that burns alone, whose tile sleeps; it might have fallen a step earlier.
    maps = short_maps(10, shape=(5, 9), days=1, steps_per_day=3)
    ignition = np.zeros((5, 9), bool)
    ignition[2, 4] = True
    maps = replace(maps, phi=np.zeros_like(maps.phi), ignition=ignition, wind_speed=np.zeros_like(maps.wind_speed))
    model = gpu_model(maps, Fleet((aircraft("W", Material.WATER, 1, turnaround_h=0.1),)))
    schedule = Schedule.empty(3, 1)
    schedule.logits[2], schedule.poses[:] = 1.0, (2.0, 4.0, 0.4)
    plain = gpu().gradient(model, schedule, nobody(model), None)
    watched = gpu().gradient(model, schedule, Observer(model, 1, keep_days=False), None)
    for one, other in zip(plain[1:], watched[1:], strict=True):
        np.testing.assert_array_equal(one, other)
    assert_near(watched[1], exact(model, schedule)[0], 1e-5)


@pytest.mark.parametrize("exponent", [-26.0, -25.0, -24.0])
def test_an_exposure_counts_from_two_to_the_minus_25_on(exponent: float) -> None:
    # One burning cell, one neighbour, and a gain that is the exposure itself.
    maps = short_maps(9, shape=(5, 9), days=1, steps_per_day=1)
    ignition = np.zeros((5, 9), bool)
    ignition[2, 4] = True
    phi = np.full_like(maps.phi, 2.0**exponent)
    maps = replace(maps, phi=phi, gamma=np.ones_like(maps.gamma), burnable=np.ones((5, 9), bool), ignition=ignition)
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1),))
    model = gpu_model(maps, fleet)
    observer = Observer(model, None, keep_days=True)
    gpu().simulate(model, Schedule.empty(1, 1), observer, None, WHOLE)
    days = observer.days()
    assert days is not None
    assert float(days[-1][1, 3]) == (2.0**-24 if exponent > -25.0 else 0.0)
