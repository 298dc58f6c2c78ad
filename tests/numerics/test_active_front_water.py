"""What water asks of cells that have burned to nothing, and what a rollout must not remember of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights
from firegui.rollout import closed_form
from firegui.rollout.gains import MOST_RECENT
from firegui.rollout.model import protection_density
from firegui.rollout.observe import Observer
from firegui.rollout.simulate import resume, simulate
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import differentiate, lit

SHAPE = (24, 64)


def even_fire(potential: float, days: int, steps_per_day: int, *boxes: tuple[slice, slice]) -> FireMaps:
    """A fire of the same potential everywhere, in calm air."""
    maps = random_maps(1, shape=SHAPE, days=days, steps_per_day=steps_per_day)
    calm, ones = np.zeros_like(maps.wind_speed), np.ones_like(maps.gamma)
    phi = np.full_like(maps.phi, potential)
    maps = replace(maps, phi=phi, gamma=ones, burnable=np.ones(SHAPE, bool), wind_speed=calm, t_burn=10.0)
    return lit(maps, *boxes)


@pytest.mark.parametrize("potential", [1.2, 2.0])
def test_water_is_told_what_burns_again_where_almost_nothing_was_left(potential: float) -> None:
    # U decays below the smallest normal number here: nothing is logged though the exposure is high.
    maps = even_fire(potential, 3, 40, (slice(8, 12), slice(16, 24)))
    fleet, rng = Fleet((aircraft("W", Material.WATER, 4, turnaround_h=0.0),)), np.random.default_rng(0)
    schedule = Schedule.empty(maps.n_steps, 4)
    schedule.logits[:] = -1.0
    schedule.poses[:, :, :2] = rng.uniform(size=(maps.n_steps, 4, 2)) * [SHAPE[0] - 1, SHAPE[1] - 1]
    exact = model_of(maps, fleet, precision="float64")
    truth = closed_form.gradient(exact, schedule, Observer(exact, None, keep_days=False), None)[1]
    found = differentiate(model_of(maps, fleet), schedule)[1]
    assert np.abs(truth).max() > 0.0
    assert np.abs(found - truth).max() < 1e-4 * np.abs(truth).max()


def test_a_gradient_does_not_remember_rows_beside_an_earlier_fire() -> None:
    maps = even_fire(3.0, 2, 20, (slice(8, 12), slice(16, 32)), (slice(0, 1), slice(60, 61)))
    np.asarray(maps.phi)[:, :, :4, 48:] = 0.0
    heavy = aircraft("R", Material.RETARDANT, 8, payload_gal=5e8, turnaround_h=0.0,
                     sigma_perpendicular_m=60.0, sigma_parallel_m=200.0)  # fmt: skip
    fleet = Fleet((heavy, aircraft("W", Material.WATER, 2, turnaround_h=0.0)))
    walled, free = (watered(maps, fleet, wall) for wall in (True, False))
    used = model_of(maps, fleet)
    differentiate(used, walled)
    after, fresh = differentiate(used, free), differentiate(model_of(maps, fleet), free)
    np.testing.assert_array_equal(after[1], fresh[1])
    np.testing.assert_array_equal(after[2], fresh[2])


def watered(maps: FireMaps, fleet: Fleet, wall: bool) -> Schedule:
    """Water over the border of two tiles, which a wall of retardant may keep one of them from burning."""
    schedule = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    schedule.logits[:] = -1.0
    schedule.poses[:] = (10.0, 31.0, 0.0)
    schedule.poses[:, 9] = (10.0, 33.0, 0.0)
    schedule.logits[3, 8] = 3.0
    if wall:
        for column in range(8):
            schedule.logits[0, column] = 3.0
            schedule.poses[0, column] = (8.0 + column % 4, 33.0, 1.57)
    return schedule


def test_other_regions_on_the_same_fire_are_not_taken_for_the_first() -> None:
    maps, fleet = random_maps(0), small_fleet()
    first, schedule = model_of(maps, fleet), random_schedule(0, maps, fleet)
    simulate(first, schedule)
    mask = np.zeros((1, *maps.shape), bool)
    mask[0, 6:9, 6:9] = True
    density = torch.from_numpy(protection_density(mask, [1.0], maps.shape))
    other = replace(first, protection=density, protected=torch.from_numpy(mask[0]))
    found = simulate(other, schedule).metrics
    truth = simulate(replace(other, backend="reference"), schedule).metrics
    assert found.loss_prot == pytest.approx(truth.loss_prot, rel=1e-5)
    assert found.protected_cells == pytest.approx(truth.protected_cells, rel=1e-5)


def test_only_the_last_objectives_are_kept() -> None:
    model, schedule = model_of(random_maps(2), small_fleet()), Schedule.empty(20, 5)
    answers = []
    for weight in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0):
        weighed = replace(model, weights=ObjectiveWeights(burn=weight, final=0.0, prot=0.0, budget=0.0))
        answers.append(simulate(weighed, schedule).metrics.objective)
    assert len(model.gains._recent) == MOST_RECENT
    assert answers[-1] == answers[0] and answers[5] == pytest.approx(6.0 * answers[0])


def test_poses_that_cannot_be_written_and_lie_otherwise_give_the_same_bits() -> None:
    maps, fleet = random_maps(3), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(3, maps, fleet)
    poses = np.asfortranarray(schedule.poses)
    poses.flags.writeable = False
    plain, other = differentiate(model, schedule), differentiate(model, Schedule(schedule.logits, poses))
    np.testing.assert_array_equal(plain[1], other[1])
    np.testing.assert_array_equal(plain[2], other[2])


def test_a_state_of_double_precision_is_refused_by_the_kernels() -> None:
    maps, fleet = random_maps(4), small_fleet()
    schedule = random_schedule(4, maps, fleet)
    exact = simulate(model_of(maps, fleet, precision="float64"), schedule, keep_states=True)
    with pytest.raises(ValueError, match="another engine"):
        resume(model_of(maps, fleet), exact.states[1], schedule)
