"""Sampled fires: cells are drawn from their probabilities once a day, and what burned out stays out."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.ensembles.aleatoric import drawn, sampled_fire, state_sampling
from firegui.rollout.model import Model
from firegui.rollout.simulate import last_state, prepare, simulate, simulate_many
from tests.numerics.cases import model_of as flown_model
from tests.numerics.cases import random_maps, random_schedule, small_fleet


def test_cells_are_drawn_with_their_probabilities() -> None:
    unburned = np.full((200, 200), 0.3, np.float32)
    burning = np.full((200, 200), 0.5, np.float32)
    hot, out = drawn(unburned, burning, np.random.default_rng(1))
    assert not (hot & out).any()
    deviation = 4.0 * np.sqrt(0.25 / hot.size)
    assert hot.mean() == pytest.approx(0.5, abs=deviation)
    assert out.mean() == pytest.approx(0.2, abs=deviation)


def test_what_is_certain_is_drawn_for_certain() -> None:
    unburned = np.array([[1.0, 0.0, 0.0]], np.float32)
    burning = np.array([[0.0, 1.0, 0.0]], np.float32)
    for seed in range(20):
        hot, out = drawn(unburned, burning, np.random.default_rng(seed))
        assert hot.tolist() == [[False, True, False]]
        assert out.tolist() == [[False, False, True]]


def test_a_fire_starts_from_the_ignition_and_never_shrinks() -> None:
    maps = random_maps(3, shape=(21, 30), days=4, steps_per_day=8)
    states = sampled_fire(maps, np.random.default_rng(5))
    assert states.shape == (5, 21, 30)
    np.testing.assert_array_equal(states[0], maps.ignition)
    for before, after in pairwise(states):
        assert not (before & ~after).any()
    assert states[-1].sum() > states[0].sum()


def test_the_seed_decides() -> None:
    maps = random_maps(4, shape=(21, 30), days=3, steps_per_day=8)
    first, again, other = (sampled_fire(maps, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_after_one_day_the_members_average_to_the_mean_field() -> None:
    maps = random_maps(6, shape=(15, 20), days=1, steps_per_day=8)
    members = 400
    share = np.mean([sampled_fire(maps, np.random.default_rng(seed))[1] for seed in range(members)], axis=0)
    unburned, _ = last_state(model_of(maps), Schedule.empty(maps.n_steps, 0))
    np.testing.assert_allclose(share, 1.0 - unburned, atol=4.5 * np.sqrt(0.25 / members))


def test_cells_that_burned_out_do_not_burn_again() -> None:
    # Nothing burns for longer than a step, so all that burned by the first evening is out, and the second day is quiet.
    maps = replace(random_maps(7, shape=(15, 20), days=2, steps_per_day=30), t_burn=1.0)
    quiet = replace(maps, phi=np.concatenate([maps.phi[:1], np.zeros_like(maps.phi[:1])]))
    states = sampled_fire(quiet, np.random.default_rng(0))
    np.testing.assert_array_equal(states[1], states[2])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_last_state_is_a_distribution(backend: str) -> None:
    maps = random_maps(8, shape=(15, 20), days=2, steps_per_day=10)
    unburned, burning = last_state(model_of(maps, backend), Schedule.empty(maps.n_steps, 0))
    assert unburned.shape == burning.shape == maps.shape
    assert (unburned >= 0.0).all()
    assert (burning >= 0.0).all()
    assert (unburned + burning <= 1.0 + 1e-6).all()
    whole = last_state(model_of(maps, "reference"), Schedule.empty(maps.n_steps, 0))
    np.testing.assert_allclose(unburned, whole[0], atol=1e-5)
    np.testing.assert_allclose(burning, whole[1], atol=1e-5)


def model_of(maps: FireMaps, backend: str = "cpu") -> Model:
    nothing = np.zeros((0, *maps.shape), bool)
    return prepare(maps, Fleet(()), nothing, (), weights=ObjectiveWeights(), effectiveness=NOMINAL, backend=backend)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_rollout_with_drawn_states_holds_certain_cells_at_every_days_end(backend: str) -> None:
    model, plan = _flown(backend)
    sampled = simulate(model, plan, keep_days=True, alter=state_sampling(model.shape, 3, 0))
    days = sampled.p_fire_days
    assert days is not None and set(np.unique(days)) == {0.0, 1.0}
    assert sampled.metrics.final_extent_cells == days[-1].sum()


def test_a_member_draws_the_same_numbers_on_every_engine_and_another_member_others() -> None:
    def final(backend: str, seed: int, member: int) -> float:
        model, plan = _flown(backend)
        found = simulate(model, plan, alter=state_sampling(model.shape, seed, member))
        return found.metrics.final_extent_cells

    assert final("cpu", 3, 1) == final("reference", 3, 1)
    assert len({final("cpu", 3, member) for member in range(6)} | {final("cpu", 4, 1)}) > 1


def test_members_of_one_day_average_to_its_mean_field() -> None:
    maps, fleet = random_maps(6, shape=(15, 20), days=1, steps_per_day=8), small_fleet()
    model, plan = flown_model(maps, fleet), random_schedule(2, maps, fleet)
    alters = [state_sampling(model.shape, 0, member) for member in range(400)]
    extents = [one.metrics.final_extent_cells for one in simulate_many(model, [plan] * 400, alters=alters)]
    expected = simulate(model, plan).metrics.final_extent_cells
    assert np.mean(extents) == pytest.approx(expected, abs=4.0 * float(np.std(extents)) / 20.0)


def _flown(backend: str) -> tuple[Model, Schedule]:
    maps, fleet = random_maps(4, shape=(21, 30), days=3, steps_per_day=8), small_fleet()
    return flown_model(maps, fleet, backend=backend), random_schedule(1, maps, fleet)
