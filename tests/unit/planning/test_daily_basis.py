"""The variables of the derivative-free planners against the paper's equations, and the vector that they start from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.planning.daily_basis import LIMIT, Basis, front_places, spread, start_vector
from firegui.planning.evaluations import Evaluations
from firegui.planning.planner_context import PlannerContext
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import watch
from tests.numerics.cases import model_of, random_maps, small_fleet

DAYS, PER_DAY = 3, 10


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(random_maps(0, shape=(20, 24), days=DAYS, steps_per_day=PER_DAY), small_fleet())


def contest_of(model: Model, budget: int = 20, seed: int = 5) -> PlannerContext:
    evaluations = Evaluations(model, SharedObjective(budget), 50)
    return PlannerContext(model, evaluations, OptimizerSettings(seed=seed))


def executed(model: Model, schedule: Schedule) -> int:
    return int(gates_of(schedule, model.fleet, model.maps, model.rules).executed.sum())


def test_the_papers_problem_has_its_numbers_of_variables() -> None:
    assert Basis(750, 21, 50, (400, 500)).dimension == 1_260
    assert Basis(750, 21, 1, (400, 500)).dimension == 63_000


def test_a_day_repeats_its_variables_through_the_sine_map(model: Model) -> None:
    basis = Basis.daily(model)
    vector = np.random.default_rng(1).uniform(-LIMIT, LIMIT, basis.dimension)

    schedule = basis.schedule(vector)

    n_y, n_x = model.shape
    for step in (0, PER_DAY - 1, PER_DAY, DAYS * PER_DAY - 1):
        for column in range(basis.n_aircraft):
            first = ((step // PER_DAY) * basis.n_aircraft + column) * 4
            logit, z_y, z_x, z_theta = vector[first : first + 4]
            assert schedule.logits[step, column] == logit
            expected = [(n_y - 1) * (np.sin(z_y) + 1) / 2, (n_x - 1) * (np.sin(z_x) + 1) / 2]
            assert schedule.poses[step, column] == pytest.approx([*expected, np.pi * (np.sin(z_theta) + 1) / 2])
            assert schedule.pose_logits is not None
            assert schedule.pose_logits[step, column].tolist() == [z_y, z_x, z_theta]


def test_the_native_space_has_variables_for_every_step(model: Model) -> None:
    basis = Basis.native(model)
    vector = np.random.default_rng(2).uniform(-LIMIT, LIMIT, basis.dimension)

    schedule = basis.schedule(vector)

    variables = vector.reshape(model.n_steps, basis.n_aircraft, 4)
    assert np.array_equal(schedule.logits, variables[:, :, 0])
    assert np.array_equal(schedule.pose_logits, variables[:, :, 1:])  # type: ignore[arg-type]


def test_a_last_day_that_is_cut_short_has_variables_of_its_own() -> None:
    basis = Basis(25, 2, 10, (8, 9))
    vector = np.arange(basis.dimension, dtype=np.float64) / basis.dimension

    schedule = basis.schedule(vector)

    assert (basis.n_blocks, schedule.n_steps) == (3, 25)
    assert np.array_equal(schedule.logits[20:], np.tile(vector.reshape(3, 2, 4)[2, :, 0], (5, 1)))


@pytest.mark.parametrize("make", [Basis.daily, Basis.native])
def test_poses_and_logits_come_back_from_their_vector(model: Model, make: object) -> None:
    basis = make(model)  # type: ignore[operator]
    rng = np.random.default_rng(3)
    size = (basis.n_blocks, basis.n_aircraft)
    logits = rng.uniform(-LIMIT, LIMIT, size)
    poses = rng.uniform(size=(*size, 3)) * [model.shape[0] - 1, model.shape[1] - 1, np.pi]
    poses[0, 0] = 0.0, model.shape[1] - 1, np.pi  # the raster's corners are within the bounds

    vector = basis.vector(logits, poses)

    schedule = basis.schedule(vector)
    assert np.abs(vector).max() <= LIMIT
    assert np.array_equal(schedule.logits[:: basis.span], logits)
    assert schedule.poses[:: basis.span] == pytest.approx(poses, abs=1e-6)


def test_places_are_the_centroids_of_the_days_of_the_fire_without_drops(model: Model) -> None:
    context = contest_of(model)
    days = np.zeros((DAYS, *model.shape))

    def see(step: int, burning: torch.Tensor) -> None:
        if step < model.n_steps:
            days[step // PER_DAY] += burning.double().cpu().numpy()

    watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), see)
    rows, columns = np.indices(model.shape)
    expected = [[(day * rows).sum() / day.sum(), (day * columns).sum() / day.sum()] for day in days]

    assert front_places(context) == pytest.approx(np.array(expected))
    assert context.evaluations.spent == 1


def test_a_day_without_fire_keeps_the_place_of_the_day_before() -> None:
    maps = random_maps(0, shape=(20, 24), days=DAYS, steps_per_day=PER_DAY)
    dead = replace(maps, phi=np.zeros_like(maps.phi), t_burn=0.5)

    places = front_places(contest_of(model_of(dead, small_fleet())))

    ignition = np.argwhere(maps.ignition).mean(axis=0)
    assert places == pytest.approx(np.tile(ignition, (DAYS, 1)), abs=0.5)


@pytest.mark.parametrize("make", [Basis.daily, Basis.native])
def test_the_start_stands_at_the_days_places_across_the_wind(model: Model, make: object) -> None:
    context, basis = contest_of(model), make(model)  # type: ignore[operator]
    places = front_places(context)

    schedule = basis.schedule(start_vector(context, basis, places))

    for step in range(model.n_steps):
        day = step // PER_DAY
        wind = model.maps.wind_dir[day, round(places[day, 0]), round(places[day, 1])]
        expected = [*places[day], np.mod(wind + np.pi / 2, np.pi)]
        assert schedule.poses[step] == pytest.approx(np.tile(expected, (basis.n_aircraft, 1)), abs=1e-5)


@pytest.mark.parametrize("budget", [1, 9, 20, 33])
def test_the_start_flies_the_budget_within_five_drops(model: Model, budget: int) -> None:
    for make in (Basis.daily, Basis.native):
        for seed in range(3):
            context, basis = contest_of(model, budget, seed), make(model)
            vector = start_vector(context, basis, front_places(context))

            assert abs(executed(model, basis.schedule(vector)) - budget) <= 5
            assert np.abs(vector).max() <= LIMIT


def test_a_budget_beyond_the_fleet_starts_with_everybody_active(model: Model) -> None:
    context, basis = contest_of(model, 10_000), Basis.daily(model)

    schedule = basis.schedule(start_vector(context, basis, front_places(context)))

    assert schedule.proposed.all()


def test_pinned_drops_count_towards_the_start(model: Model) -> None:
    pinned = np.zeros((model.n_steps, model.fleet.n_aircraft), bool)
    pinned[::8, 0] = True
    poses = np.full((*pinned.shape, 3), 2.0)
    constrained = replace(model, rules=FlightRules(pinned=pinned, pinned_poses=poses))
    context, basis = contest_of(constrained, int(pinned.sum())), Basis.native(constrained)

    schedule = basis.schedule(start_vector(context, basis, front_places(context)))

    assert not schedule.proposed[~pinned].any()


def test_another_seed_activates_others(model: Model) -> None:
    basis = Basis.daily(model)
    places = front_places(contest_of(model))
    one, same, other = (start_vector(contest_of(model, seed=seed), basis, places) for seed in (1, 1, 2))

    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_activations_are_spaced_evenly_by_priority_with_the_active_ones_above_zero() -> None:
    priorities = np.array([[0.9, 0.1, 0.5], [0.7, 0.3, 0.2]])
    active = np.array([[True, False, False], [False, False, True]])

    values = spread(priorities, active)

    assert np.array_equal(values > 0.0, active)
    assert np.diff(np.sort(values.ravel())) == pytest.approx(LIMIT / 4)
    assert values[0, 0] > values[1, 2]  # the higher priority of the active ones
    assert np.argsort(values[~active]).tolist() == np.argsort(priorities[~active]).tolist()
    assert np.abs(values).max() < LIMIT
