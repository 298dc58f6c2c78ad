"""Exercises: what the planner may know, what it does about it, and that the true world goes its own way."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.observation import FireState
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights
from firegui.domain.stress import StressScenario, StressSet
from firegui.errors import CancelledError
from firegui.planning.exercise import Exercise, ExerciseState, FlownWorld
from firegui.planning.problem import build
from firegui.planning.repair import LEAST_LEVEL, Belief, PlanRepair
from firegui.planning.replan import executed
from firegui.planning.stress import executed_only, stress_world
from firegui.rollout.gates import FlightRules
from firegui.rollout.model import Model
from tests.numerics.cases import random_maps, random_schedule
from tests.support import make_project, stop

pytestmark = pytest.mark.usefixtures("short_repairs")

WEAK = StressScenario("weak", effectiveness=Effectiveness(0.5, 0.4))
FAILING = StressScenario("failing", failure_rate=0.3, pose_noise_m=30.0, draws=3)
LATE = StressScenario("late", delay_minutes=290.0, failure_rate=0.3)  # two steps of 144 minutes
SEED = (7, 1)


def fire_project() -> Project:
    fire = random_maps(3, days=3)
    made = make_project(maps=replace(fire, phi=np.float32(0.5) * np.asarray(fire.phi)))
    plan = replace(made.plan, weights=ObjectiveWeights(burn=50.0, final=50.0))
    return replace(made, plan=plan, stress=StressSet((WEAK, FAILING)))


PROJECT = fire_project()


@pytest.fixture(scope="module")
def model() -> Model:
    return build(PROJECT, PROJECT.plan.nominal, backend="cpu")


@pytest.fixture(scope="module")
def repair(model: Model) -> PlanRepair:
    return PlanRepair(PROJECT, model)


def plan_of(model: Model, share: float = 0.5) -> Schedule:
    return executed_only(model, random_schedule(4, model.maps, model.fleet, share=share))


def truth_of(model: Model, scenario: StressScenario = FAILING, draw: int = 0) -> FlownWorld:
    return FlownWorld.of_draw(stress_world(PROJECT, model, scenario), model, draw, SEED)


def flown_through(exercise: Exercise, state: ExerciseState) -> list[ExerciseState]:
    states = [state]
    while not exercise.finished(states[-1]):
        states.append(exercise.advance(states[-1]))
    return states


def same_states(one: ExerciseState, other: ExerciseState) -> None:
    assert one.step == other.step
    np.testing.assert_array_equal(one.fire.codes, other.fire.codes)
    np.testing.assert_array_equal(one.schedule.logits, other.schedule.logits)
    np.testing.assert_array_equal(one.schedule.poses, other.schedule.poses)
    np.testing.assert_array_equal(one.belief.level, other.belief.level)


# -- what the planner makes of perimeters ----------------------------------------------------------------------------
def test_what_is_new_burns_and_what_is_older_may_burn_on() -> None:
    first, then = np.zeros((2, 3, 5), bool)
    first[1, :2] = True
    then[1, :3] = True
    belief = Belief.start(FireState(first, np.zeros_like(first))).after(then, 0.1)
    assert belief.level[1].tolist() == pytest.approx([0.1, 0.1, 1.0, 0.0, 0.0])
    later = belief.after(then, 0.1)
    assert later.level[1].tolist() == pytest.approx([0.01, 0.01, 0.1, 0.0, 0.0])
    assert not later.after(then, LEAST_LEVEL / 2.0).level.any()
    smaller = later.after(first, 0.5)  # the later perimeter is the better one
    assert not smaller.seen[1, 2]
    assert smaller.level[1, 2] == 0.0


def test_a_cell_that_has_nothing_left_to_ignite_has_burned_out() -> None:
    seen = np.zeros((5, 6), bool)
    seen[:, :4] = True
    state = Belief(seen, seen.astype(np.float32)).state(np.ones((5, 6), bool))
    assert state.burning.sum(axis=0).tolist() == [0, 0, 0, 5, 0, 0]
    np.testing.assert_array_equal(state.fire, seen)
    rock = np.ones((5, 6), bool)
    rock[:, 4] = False
    assert not Belief(seen, seen.astype(np.float32)).state(rock).burning.any()


def test_the_planner_sees_perimeters_and_reports_alone(model: Model, repair: PlanRepair) -> None:
    """Neither the true effectiveness, nor where drops fell, nor what still burns inside changes what is ordered."""
    plan = plan_of(model, 0.1)
    truth = truth_of(model)
    state = Exercise(truth, repair, 5).advance(ExerciseState(0, plan, truth.start(), Belief.start(truth.start())))
    assert truth.errors.offsets is not None
    errors = replace(truth.errors, offsets=2.0 * truth.errors.offsets)
    other = FlownWorld(stress_world(PROJECT, model, WEAK), model, errors, truth.numbers)
    swapped = replace(state, fire=FireState(state.fire.burned, state.fire.burning))
    one = Exercise(truth, repair, 5).advance(state)
    two = Exercise(other, repair, 5).advance(replace(swapped, ground=None))
    np.testing.assert_array_equal(one.schedule.logits, two.schedule.logits)
    np.testing.assert_array_equal(one.schedule.poses, two.schedule.poses)
    assert (one.schedule.logits != state.schedule.logits).any()
    assert (one.fire.codes != two.fire.codes).any()


def test_crews_report_what_did_not_happen(model: Model) -> None:
    plan = plan_of(model)
    truth = truth_of(model)
    assert truth.errors.flown is not None
    ordered = executed(model, plan)
    found = truth.reported(plan, 15)
    np.testing.assert_array_equal(found[:15], (ordered & truth.errors.flown)[:15])
    assert not found[15:].any()
    late = truth_of(model, LATE)
    assert late.errors.delay == 2
    assert late.errors.flown is not None
    found = late.reported(plan, 15)
    happened = late.executed(plan)
    np.testing.assert_array_equal(found[:13], ordered[:13] & happened[2:15])
    np.testing.assert_array_equal(found[13:15], ordered[13:15])  # still on their way, as far as anybody knows
    assert found[:15].sum() < ordered[:15].sum()


# -- the true world --------------------------------------------------------------------------------------------------
def test_an_error_belongs_to_a_step_and_an_aircraft_whatever_is_planned_there(model: Model) -> None:
    truth = truth_of(model)
    fails = truth.errors.flown
    assert fails is not None
    for seed in (4, 5):
        plan = executed_only(model, random_schedule(seed, model.maps, model.fleet, share=0.9))
        flown = truth.flown(plan)
        np.testing.assert_array_equal(flown.proposed, plan.proposed & fails)
        assert truth.errors.offsets is not None
        free = plan.poses + truth.errors.offsets
        free[..., :2] = np.clip(free[..., :2], 0.0, np.array(model.shape) - 1)
        np.testing.assert_array_equal(flown.poses, free)


def test_equal_plans_meet_equal_fires_and_other_draws_others(model: Model) -> None:
    def fire(draw: int, plan: Schedule) -> NDArray[np.uint8]:
        truth = truth_of(model, draw=draw)
        return truth.advanced(plan, 0, 5, truth.start())[0].codes

    plan = plan_of(model)
    np.testing.assert_array_equal(fire(0, plan), fire(0, plan))
    assert (fire(0, plan) != fire(1, plan)).any()
    later = replace(plan, logits=plan.logits.copy())
    later.logits[5:] = -3.0
    np.testing.assert_array_equal(fire(0, plan), fire(0, later))


@pytest.mark.parametrize(
    "every", [pytest.param(3, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow), 10]
)
def test_an_exercise_goes_on_from_any_observation_with_the_same_bits(
    model: Model, repair: PlanRepair, every: int
) -> None:
    plan = plan_of(model)
    exercise = Exercise(truth_of(model, LATE), repair, every)
    states = flown_through(exercise, exercise.begin(plan))
    assert [state.step for state in states] == [*range(0, 30, every), 30]
    again = Exercise(truth_of(model, LATE), PlanRepair(PROJECT, model), every)
    for state, expected in pairwise(states):
        # The true ground is not kept with a state; it follows from what was flown.
        found = again.advance(replace(state, ground=None))
        assert found.step == expected.step
        np.testing.assert_array_equal(found.schedule.logits, expected.schedule.logits)
        np.testing.assert_array_equal(found.fire.codes, expected.fire.codes)
        same_states(again.advance(state), expected)
    for before, after in pairwise(states):
        np.testing.assert_array_equal(after.schedule.logits[: before.step], before.schedule.logits[: before.step])
    end = exercise.result(states[-1])
    assert end.cells == states[-1].fire.fire.sum()
    assert end.flown == truth_of(model, LATE).executed(states[-1].schedule).sum()


def test_a_fire_that_is_out_ends_the_flying(model: Model, repair: PlanRepair) -> None:
    plan, truth = plan_of(model, 0.9), truth_of(model)
    exercise = Exercise(truth, repair, 5)
    nothing = np.zeros(model.shape, bool)
    seen = truth.start().fire
    out = ExerciseState(10, plan, FireState(nothing, seen), Belief(seen, np.where(seen, 1e-3, 0.0).astype(np.float32)))
    end = exercise.advance(out)
    assert exercise.finished(end)
    flown = executed(model, end.schedule)
    assert not flown[10:].any()
    np.testing.assert_array_equal(flown[:10], executed(model, plan)[:10])
    # Embers that the planner no longer expects burn on, and nothing is ordered against them until they show.
    ember = seen & (np.arange(seen.size).reshape(seen.shape) % 3 == 0)
    on = exercise.advance(replace(out, fire=FireState(ember, seen & ~ember)))
    assert on.step == 15
    assert not executed(model, on.schedule)[10:15].any()
    assert executed(model, on.schedule)[15:].any()


# -- the repair ------------------------------------------------------------------------------------------------------
def test_pinned_drops_are_flown_to_the_end(model: Model) -> None:
    plan = plan_of(model)
    pinned = executed(model, plan) & (np.arange(30)[:, None] > 20)
    rules = FlightRules(pinned=pinned, pinned_poses=plan.poses)
    repair = PlanRepair(PROJECT, replace(model, rules=rules))
    left = repair.withdrawn(plan, 5, 30)
    np.testing.assert_array_equal(left.proposed[5:], pinned[5:])
    np.testing.assert_array_equal(left.logits[:5], plan.logits[:5])


def test_a_plan_without_drops_gets_some_and_the_fire_ends_smaller(model: Model, repair: PlanRepair) -> None:
    truth = truth_of(model, WEAK)
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    exercise = Exercise(truth, repair, 5)
    states = flown_through(exercise, exercise.begin(nothing))
    bare = exercise.fixed_fire(nothing)
    fire = truth.start()
    for first in range(0, 30, 5):
        fire, _ = truth.advanced(nothing, first, first + 5, fire)
    np.testing.assert_array_equal(bare.codes, fire.codes)
    result = exercise.result(states[-1], bare)
    assert result.fixed_share is not None
    assert result.share < result.fixed_share
    assert exercise.result(states[-1]).flown > 0
    assert not executed(model, states[-1].schedule)[:5].any()
    assert states[-1].fire.fire.sum() < bare.fire.sum()


def test_a_repair_ends_early_once_the_plan_holds(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    flown = {}
    for held in (0.0, 1e9):
        monkeypatch.setattr("firegui.planning.repair.LOOK_EVERY", 4)
        monkeypatch.setattr("firegui.planning.repair.EARLY_END", held)
        repair = PlanRepair(PROJECT, model)
        nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        belief = Belief.start(truth_of(model, WEAK).start())
        repair.repaired(nothing, 0, 5, belief, np.zeros((model.n_steps, model.fleet.n_aircraft), bool))
        flown[held] = repair.epochs
    assert flown == {0.0: 22, 1e9: 4}


def test_a_repair_has_the_bits_of_maps_laid_out_whole(
    model: Model, repair: PlanRepair, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise = Exercise(truth_of(model), repair, 5)
    states = flown_through(exercise, exercise.begin(plan_of(model)))
    asked = []

    def laid_out(whole: Model) -> Model:
        asked.append(whole)
        return whole

    monkeypatch.setattr("firegui.planning.repair._by_cell", laid_out)
    for one, other in zip(states, flown_through(exercise, states[0]), strict=True):
        same_states(one, other)
    assert asked


def test_a_repair_can_be_cancelled(model: Model, repair: PlanRepair) -> None:
    exercise = Exercise(truth_of(model), repair, 5)
    state = exercise.advance(exercise.begin(plan_of(model)))
    with pytest.raises(CancelledError):
        exercise.advance(state, stop)
