"""What is left of a plan that is being flown: its fire, its ground, its aircraft."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.observation import FireState
from firegui.domain.schedule import Schedule
from firegui.domain.settings import DESIGN, NOMINAL, ObjectiveWeights, RetardantSide
from firegui.planning.audit import audit
from firegui.planning.replan import (
    RemainingProblem,
    Replanner,
    carried,
    drawn_state,
    executed,
    ground_factor,
    remaining,
    rows,
)
from firegui.rollout.gates import FlightRules
from firegui.rollout.model import Model
from firegui.rollout.simulate import last_state, prepare, simulate
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, small_fleet
from tests.support import make_project
from tests.support import random_maps as project_maps

DAYS, PER_DAY = 3, 10


def waiting_maps(seed: int = 1) -> FireMaps:
    """A fire that neither spreads nor goes out on day 0: at its end every cell burns or has not burned, for certain."""
    maps = random_maps(seed, days=DAYS, steps_per_day=PER_DAY)
    phi = np.asarray(maps.phi) * np.float32(3.0)
    phi[0] = 0.0
    return replace(maps, phi=phi, t_burn=1e12)


def marching_maps(columns: int = 40) -> FireMaps:
    """A corridor along which the fire moves eastward for certain, a cell a step, and burns out a step later."""
    phi = np.zeros((DAYS, 8, 1, columns), np.float32)
    phi[:, 3] = 100.0  # from the west
    return FireMaps(
        phi=phi,
        gamma=np.full((DAYS, 1, columns), 100.0, np.float32),
        burnable=np.ones((1, columns), bool),
        wind_speed=np.zeros((DAYS, 1, columns), np.float32),
        wind_dir=np.zeros((DAYS, 1, columns), np.float32),
        ignition=np.arange(columns)[None] == 0,
        t_burn=1.0,
        steps_per_day=PER_DAY,
        cell_size_m=30.0,
        c_req=2.7,
    )


def state_of(unburned: NDArray[np.float32], burning: NDArray[np.float32]) -> FireState:
    assert set(np.unique(unburned)) | set(np.unique(burning)) <= {0.0, 1.0}
    return FireState(burning == 1.0, (unburned == 0.0) & (burning == 0.0))


@pytest.mark.parametrize("side", list(RetardantSide))
def test_retardant_that_lies_goes_on_holding(side: RetardantSide) -> None:
    maps, fleet = waiting_maps(), small_fleet()
    model = model_of(maps, fleet, side=side)
    schedule = random_schedule(3, maps, fleet)
    fire = FireState(maps.ignition, np.zeros_like(maps.ignition))
    water = [tail.index for tail in fleet.tails if tail.type.material is Material.WATER]
    schedule.logits[:PER_DAY, water] = -3.0  # so that the fire is untouched on day 1
    whole = simulate(model, schedule, keep_days=True)
    left = remaining(model, schedule, PER_DAY, fire)
    rest = simulate(left, rows(schedule, PER_DAY, maps.n_steps), keep_days=True)
    assert whole.p_fire_days is not None
    assert rest.p_fire_days is not None
    np.testing.assert_allclose(rest.p_fire_days, whole.p_fire_days[1:], atol=2e-6)
    untreated = remaining(model, Schedule.empty(maps.n_steps, fleet.n_aircraft), PER_DAY, fire)
    bare = simulate(untreated, rows(schedule, PER_DAY, maps.n_steps)).metrics
    assert bare.final_extent_cells > rest.metrics.final_extent_cells + 1.0


def test_a_fire_of_certain_states_goes_on_as_if_nothing_had_happened() -> None:
    maps = marching_maps()
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1, payload_gal=1e6, sigma_perpendicular_m=60.0),))
    model = _on(maps, fleet)
    schedule = Schedule.empty(maps.n_steps, 1)
    schedule.logits[8, 0], schedule.poses[8, 0] = 3.0, (0.0, 30.0, 0.0)  # a wall, laid on day 0, met on day 2
    whole = simulate(model, schedule, keep_days=True)
    state = state_of(*last_state(_on(maps.window(0, 1), fleet), rows(schedule, 0, PER_DAY)))
    assert (int(state.burning.sum()), int(state.burned.sum())) == (1, PER_DAY)
    left = RemainingProblem(model, DESIGN, schedule, 1, state)
    scored = left.score(left.rest, keep_days=True)
    assert whole.p_fire_days is not None
    assert scored.p_fire_days is not None
    np.testing.assert_array_equal(scored.p_fire_days, whole.p_fire_days[1:])
    assert scored.metrics.final_extent_cells == whole.metrics.final_extent_cells < 30.0
    assert left.score(left.rest, design=True).metrics.final_extent_cells < 30.0


def _on(maps: FireMaps, fleet: Fleet) -> Model:
    none = np.zeros((0, *maps.shape), bool)
    return prepare(maps, fleet, none, (), weights=ObjectiveWeights(), effectiveness=NOMINAL, backend="cpu")


def test_a_turnaround_reaches_into_the_day() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 3, turnaround_h=10.0),))  # 5 steps of 10 a day
    model = model_of(random_maps(1, days=DAYS, steps_per_day=PER_DAY), fleet)
    flown = np.zeros((PER_DAY, 3), bool)
    flown[PER_DAY - 1, 0] = flown[PER_DAY - 4, 1] = flown[PER_DAY - 6, 2] = True
    closed = carried(model, flown, PER_DAY)
    assert closed.sum(axis=0).tolist() == [5, 2, 0]
    assert closed[:5, 0].all()
    assert closed[:2, 1].all()


@pytest.mark.parametrize("day", [1, 2])
def test_the_rest_flies_what_the_whole_plan_flies(day: int) -> None:
    maps, fleet = random_maps(4, days=DAYS, steps_per_day=PER_DAY), small_fleet()
    sorties = np.full(fleet.n_aircraft, 2)
    model = replace(model_of(maps, fleet), rules=FlightRules(sorties=sorties, cap=20))
    schedule = random_schedule(5, maps, fleet, share=0.9)
    whole = executed(model, schedule)
    first = day * PER_DAY
    assert 0 < whole[:first].sum() < 20 == whole.sum()
    left = RemainingProblem(model, DESIGN, schedule, day, FireState(maps.ignition, np.zeros_like(maps.ignition)))
    np.testing.assert_array_equal(executed(left.design, left.rest), whole[first:])
    assert left.flown == whole[:first].sum()


def test_a_new_rest_keeps_the_flown_bits_and_passes_the_audit() -> None:
    maps, fleet = random_maps(4, days=DAYS, steps_per_day=PER_DAY), small_fleet()
    model = model_of(maps, fleet)
    old = random_schedule(5, maps, fleet, share=0.9)
    left = RemainingProblem(model, DESIGN, old, 1, FireState(maps.ignition, np.zeros_like(maps.ignition)))
    rest = rows(random_schedule(6, maps, fleet, share=0.9), PER_DAY, maps.n_steps)
    kept = executed(left.design, rest)
    joined = left.joined(replace(rest, logits=np.where(kept, rest.logits, -3.0)))
    np.testing.assert_array_equal(joined.logits[:PER_DAY], old.logits[:PER_DAY])
    np.testing.assert_array_equal(joined.poses[:PER_DAY], old.poses[:PER_DAY])
    flown = executed(model, joined)
    np.testing.assert_array_equal(flown[:PER_DAY], executed(model, old)[:PER_DAY])
    np.testing.assert_array_equal(flown[PER_DAY:], kept)  # no flown drop keeps one of the new from flying
    pairs = [(int(step), int(column)) for step, column in np.argwhere(flown)]
    assert audit(joined, fleet, PER_DAY, maps.shape, pairs).violations == ()


def test_the_optimizers_own_variables_stay_where_both_parts_have_them() -> None:
    maps, fleet = random_maps(4, days=DAYS, steps_per_day=PER_DAY), small_fleet()
    model, z = model_of(maps, fleet), np.random.default_rng(1).normal(size=(maps.n_steps, fleet.n_aircraft, 3))
    old = Schedule.from_pose_logits(np.ones(z.shape[:2]), z, maps.shape)
    left = RemainingProblem(model, DESIGN, old, 2, FireState(maps.ignition, np.zeros_like(maps.ignition)))
    whole = left.joined(left.rest)
    assert whole.pose_logits is not None
    np.testing.assert_array_equal(whole.pose_logits, z)
    np.testing.assert_array_equal(whole.poses, old.poses)


def test_retardant_multiplies_over_steps_and_water_leaves_the_ground_alone() -> None:
    maps, fleet = random_maps(4, days=DAYS, steps_per_day=PER_DAY), small_fleet()
    model = model_of(maps, fleet)
    schedule = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    schedule.poses[:] = (7.0, 8.0, 0.3)
    flown = np.zeros((PER_DAY, fleet.n_aircraft), bool)
    flown[2, 0] = True
    once = ground_factor(model, schedule, flown)
    flown[8, 0] = True
    np.testing.assert_allclose(ground_factor(model, schedule, flown), once**2, rtol=1e-5)
    assert once.min() < 0.9
    assert once.max() == 1.0
    flown[:] = False
    flown[2, -1] = True
    assert (ground_factor(model, schedule, flown) == 1.0).all()


def test_burned_out_cells_count_as_fire_in_every_number() -> None:
    maps, fleet = random_maps(4, days=DAYS, steps_per_day=PER_DAY), small_fleet()
    model = model_of(maps, fleet)
    burned = np.zeros(maps.shape, bool)
    burned[:3, :5] = True  # inside the first region
    nothing = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    left = RemainingProblem(model, DESIGN, nothing, 1, FireState(maps.ignition, burned))
    bare, scored = simulate(left.nominal(), left.rest).metrics, left.score(left.rest, keep_days=True)
    assert scored.metrics.final_extent_cells == bare.final_extent_cells + 15
    assert scored.metrics.occupancy_cell_days == bare.occupancy_cell_days + 15 * (DAYS - 1)
    assert scored.metrics.protected_cells == bare.protected_cells + 15
    assert scored.metrics.loss_prot == pytest.approx(bare.loss_prot + 15 / (24 * 3))  # its weight is 1 of 3
    assert scored.p_fire_days is not None
    assert (scored.p_fire_days[:, burned] == 1.0).all()
    assert scored.p_fire_days[-1].sum() == pytest.approx(scored.metrics.final_extent_cells, rel=1e-6)
    w = model.weights
    total = w.burn * scored.metrics.loss_burn + w.final * scored.metrics.loss_final + w.prot * scored.metrics.loss_prot
    assert scored.metrics.objective == pytest.approx(total)


def test_what_burned_before_yesterday_has_burned_out_and_what_is_new_burns() -> None:
    earlier, now = np.zeros((2, 3, 4), bool)
    earlier[1, :2] = True
    now[1, 1:] = True
    state = FireState.between(earlier, now)
    assert np.argwhere(state.burning).tolist() == [[1, 2], [1, 3]]
    assert np.argwhere(state.burned).tolist() == [[1, 1]]
    np.testing.assert_array_equal(state.fire, now)


def test_a_drawn_day_depends_on_the_seed_and_on_what_is_flown_that_day_alone() -> None:
    project = make_project(maps=project_maps(2, days=3))
    model = Replanner(project, backend="cpu").whole
    schedule = random_schedule(8, model.maps, model.fleet, share=0.9)
    fire = FireState(model.maps.ignition, np.zeros(model.shape, bool))
    per_day = model.maps.steps_per_day

    def drawn(flown: Schedule, seed: int) -> NDArray[np.bool_]:
        state = drawn_state(model, flown, 0, per_day, fire, np.random.default_rng(seed))
        assert not (state.burning & state.burned).any()
        return state.fire

    np.testing.assert_array_equal(drawn(schedule, 1), drawn(schedule, 1))
    assert (drawn(schedule, 1) != drawn(schedule, 2)).any()
    later = replace(schedule, logits=schedule.logits.copy())
    later.logits[per_day:] = -3.0
    np.testing.assert_array_equal(drawn(schedule, 1), drawn(later, 1))
    nothing = drawn(Schedule.empty(schedule.n_steps, schedule.n_aircraft), 1)
    assert drawn(schedule, 1).sum() < nothing.sum()
    torch.manual_seed(0)  # the global generator plays no part
    np.testing.assert_array_equal(drawn(schedule, 1), drawn(schedule, 1))


def part_days(model: Model, first: int, span: int, state: FireState, schedule: Schedule) -> Model:
    """What is left from ``first`` on, in days of ``span`` steps: the last ones are left out where need be."""
    steps = (model.n_steps - first) // PER_DAY * PER_DAY + span
    return remaining(model, schedule, first, state, min(steps, model.n_steps - first))


@pytest.mark.parametrize(("first", "span"), [(5, 5), (12, 2), (13, 1), (20, 10)])
def test_what_is_left_within_a_day_flies_and_burns_as_the_whole_plan(first: int, span: int) -> None:
    maps, fleet = waiting_maps(), small_fleet()
    maps = replace(maps, phi=maps.phi * np.array([0.0, 0.0, 1.0], np.float32)[:, None, None, None])
    model = model_of(maps, fleet)
    schedule = random_schedule(3, maps, fleet, share=0.9)
    water = [tail.index for tail in fleet.tails if tail.type.material is Material.WATER]
    schedule.logits[:first, water] = -3.0  # so that the fire is untouched when the rest begins
    fire = FireState(maps.ignition, np.zeros_like(maps.ignition))
    left = remaining(model, schedule, first, fire)
    assert (left.maps.steps_per_day, left.n_steps) == (span, maps.n_steps - first)
    rest = rows(schedule, first, maps.n_steps)
    np.testing.assert_array_equal(executed(left, rest), executed(model, schedule)[first:])
    whole, found = simulate(model, schedule), simulate(left, rest)
    assert found.metrics.final_extent_cells == pytest.approx(whole.metrics.final_extent_cells, rel=1e-6)
    assert whole.metrics.final_extent_cells > maps.ignition.sum() + 1.0
    np.testing.assert_allclose(last_state(left, rest), last_state(model, schedule), atol=5e-6)


@pytest.mark.parametrize("first", [1, 4, 5, 13, 17, 28])
@pytest.mark.parametrize("pinned", [False, True])
def test_sorties_and_the_cap_are_those_of_real_days(first: int, pinned: bool) -> None:
    maps, fleet = random_maps(4, days=DAYS, steps_per_day=PER_DAY), small_fleet()
    size = (maps.n_steps, fleet.n_aircraft)
    pins = np.random.default_rng(first).random(size) < 0.03 if pinned else np.zeros(size, bool)
    schedule = random_schedule(5, maps, fleet, share=0.9)
    schedule.logits[pins] = 3.0
    sorties = np.where(np.arange(fleet.n_aircraft) == 0, -1, 2)
    rules = FlightRules(
        sorties=sorties, cap=25, closed=np.repeat(np.arange(maps.n_steps)[:, None] % PER_DAY > 7, size[1], axis=1)
    )
    rules = replace(rules, pinned=pins, pinned_poses=schedule.poses) if pinned else rules
    model = replace(model_of(maps, fleet), rules=rules)
    left = remaining(model, schedule, first, FireState(maps.ignition, np.zeros_like(maps.ignition)))
    found = executed(left, rows(schedule, first, maps.n_steps))
    free = replace(model, rules=replace(rules, cap=None))
    if not pinned:
        np.testing.assert_array_equal(found, executed(model, schedule)[first:])
    uncapped = remaining(free, schedule, first, FireState(maps.ignition, np.zeros_like(maps.ignition)))
    free_found = executed(uncapped, rows(schedule, first, maps.n_steps))
    np.testing.assert_array_equal(free_found, executed(free, schedule)[first:])


def test_a_cell_that_may_burn_gives_that_share_of_its_exposure() -> None:
    maps = random_maps(2, days=DAYS, steps_per_day=PER_DAY)
    model = model_of(maps, small_fleet())
    nothing = Schedule.empty(maps.n_steps, model.fleet.n_aircraft)
    fire = FireState(maps.ignition, np.zeros_like(maps.ignition))

    def exposed(level: float | None) -> NDArray[np.float64]:
        cells = None if level is None else np.full(maps.shape, level, np.float32)
        step = remaining(model, nothing, 0, fire, 1, level=cells)
        unburned, _ = last_state(step, Schedule.empty(1, model.fleet.n_aircraft))
        return -np.log(np.maximum(unburned[~maps.ignition].astype(np.float64), 1e-30))

    np.testing.assert_array_equal(exposed(1.0), exposed(None))
    certain, maybe = exposed(None), exposed(0.25)
    fine = (certain > 1e-2) & (certain < 10.0)
    assert fine.sum() > 3
    np.testing.assert_allclose(maybe[fine], 0.25 * certain[fine], rtol=1e-3)


def test_a_front_in_motion_has_its_tail_anew_only_from_a_perimeter() -> None:
    maps = replace(random_maps(3, days=2, neighbours=16), moving_start=True)
    fleet = small_fleet()
    model, nothing = model_of(maps, fleet), Schedule.empty(maps.n_steps, fleet.n_aircraft)
    state = FireState(maps.ignition, np.zeros_like(maps.ignition))
    per_day = maps.steps_per_day
    assert remaining(model, nothing, 0, state).maps.moving_start, "the start of the plan"
    assert not remaining(model, nothing, per_day, state).maps.moving_start, "a fire that was drawn"
    assert remaining(model, nothing, per_day, state, is_observed=True).maps.moving_start
    left = RemainingProblem(model, DESIGN, nothing, 1, state, is_observed=True)
    assert left.design.maps.moving_start and left.nominal().maps.moving_start
