"""Going on from a state gives the bits of the whole rollout, and only a schedule that fits it may go on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.rollout.day_state import DayState
from firegui.rollout.gates import apply_gates
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.model import Model
from firegui.rollout.outcome import RolloutOptions
from firegui.rollout.simulate import Rollout, resume, simulate, simulate_many
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import (
    Recorder,
    assert_same_outcome,
    bodies,
    busy_fleet,
    fitful_maps,
    many_drops,
    roll,
)

DAYS = 6


def case(seed: int, side: RetardantSide = RetardantSide.BOTH) -> tuple[Model, Schedule]:
    maps, fleet = fitful_maps(seed, days=DAYS), busy_fleet()
    return model_of(maps, fleet, side=side), many_drops(seed, maps, fleet)


def rolled(model: Model, schedule: Schedule) -> Rollout:
    return simulate(model, schedule, keep_states=True)


def without(model: Model, schedule: Schedule, from_step: int, share: float = 0.5) -> Schedule:
    """The schedule with some of its executed drops removed from a step on; nobody else flies in their place."""
    executed = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day).executed
    kept = executed & (np.random.default_rng(0).uniform(size=executed.shape) > share)
    kept[:from_step] = executed[:from_step]
    return Schedule(np.where(kept, 3.0, -3.0), schedule.poses)


@pytest.mark.parametrize("side", list(RetardantSide))
@pytest.mark.parametrize("seed", range(3))
def test_going_on_from_any_day_gives_the_bits_of_the_whole(seed: int, side: RetardantSide) -> None:
    model, schedule = case(seed, side)
    whole = roll(model, schedule, RolloutOptions(keep_states=True))[0]
    assert [state.day for state in whole.states] == list(range(DAYS))
    for state in whole.states:
        rest = roll(model, schedule, RolloutOptions(start=state, keep_states=True))[0]
        assert_same_outcome(rest, replace(whole, states=whole.states[state.day :]))


def test_every_step_after_a_state_is_that_of_the_whole() -> None:
    model, schedule = case(3)
    whole = Recorder(model)
    states = ActiveFront(1).simulate(model, schedule, whole, None, RolloutOptions(keep_states=True)).states
    rest = Recorder(model)
    ActiveFront(1).simulate(model, schedule, rest, None, RolloutOptions(start=states[2]))
    np.testing.assert_array_equal(np.stack(rest.seen), np.stack(whole.seen[2 * model.maps.steps_per_day :]))


@pytest.mark.parametrize("day", range(DAYS))
def test_after_a_state_other_drops_may_fall(day: int) -> None:
    model, schedule = case(4)
    state = rolled(model, without(model, schedule, DAYS * 20)).states[day]
    fewer = without(model, schedule, day * model.maps.steps_per_day)
    moved = Schedule(fewer.logits, fewer.poses.copy())
    moved.poses[day * model.maps.steps_per_day :, :, 0] += 1.5
    for other in (fewer, moved):
        fresh = case(4)[0]
        rest, whole = resume(model, state, other, keep_states=True), rolled(fresh, other)
        assert rest.metrics == whole.metrics
        np.testing.assert_array_equal(rest.executed, whole.executed)
        for one, two in zip(rest.states, whole.states[day:], strict=True):
            for name in ("touched", "treated", "burning", "retardant", "sums"):
                np.testing.assert_array_equal(getattr(one.body, name), getattr(two.body, name))


def test_a_state_serves_many_rollouts_and_is_not_changed_by_them() -> None:
    model, schedule = case(5)
    whole = roll(model, schedule, RolloutOptions(keep_states=True))[0]
    before = [body.burning.copy() for body in bodies(whole)]
    for _ in range(3):
        assert resume(model, whole.states[3], schedule).metrics == whole.metrics
    for body, kept in zip(bodies(whole), before, strict=True):
        np.testing.assert_array_equal(body.burning, kept)


def test_schedules_together_may_go_on_from_different_days() -> None:
    model, schedule = case(6)
    whole = rolled(model, schedule)
    starts = [None, *whole.states]
    together = simulate_many(model, [schedule] * len(starts), starts=starts, keep_states=True)
    assert [one.metrics for one in together] == [whole.metrics] * len(starts)
    assert [len(one.states) for one in together] == [DAYS, *range(DAYS, 0, -1)]


def test_a_state_goes_on_with_a_model_of_the_same_fire_and_scoring_that_starts_late() -> None:
    model, schedule = case(7)
    late = replace(model, first_scored_step=50)
    whole = rolled(late, schedule)
    for state in whole.states:
        assert resume(late, state, schedule).metrics == whole.metrics


def one_more_drop(model: Model, schedule: Schedule) -> Schedule:
    gates = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day)
    step, column = np.argwhere(gates.open & ~gates.executed)[0]
    logits = schedule.logits.copy()
    logits[step, column] = 3.0
    return Schedule(logits, schedule.poses)


def one_drop_less(model: Model, schedule: Schedule) -> Schedule:
    step, column = np.argwhere(schedule.proposed)[0]
    logits = schedule.logits.copy()
    logits[step, column] = -3.0
    return Schedule(logits, schedule.poses)


def one_drop_turned(model: Model, schedule: Schedule) -> Schedule:
    step, column = np.argwhere(apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day).executed)[0]
    poses = schedule.poses.copy()
    poses[step, column, 2] += 1e-9
    return Schedule(schedule.logits, poses)


@pytest.mark.parametrize("changed", [one_more_drop, one_drop_less, one_drop_turned])
def test_a_schedule_that_differs_before_the_state_may_not_go_on(changed) -> None:  # type: ignore[no-untyped-def]
    model, schedule = case(8)
    states = rolled(model, schedule).states
    other = changed(model, schedule)
    with pytest.raises(ValueError, match="other drops before day 1"):
        resume(model, states[1], other)
    with pytest.raises(ValueError, match="other drops before day 1"):
        simulate_many(model, [schedule, other], starts=[states[1], states[1]])
    assert resume(model, states[0], other).metrics == simulate(model, other).metrics


def test_what_is_not_executed_may_differ_before_the_state() -> None:
    model, schedule = case(9)
    state = rolled(model, schedule).states[2]
    executed = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day).executed
    poses = np.where(executed[:, :, None], schedule.poses, 0.0)
    assert resume(model, state, Schedule(schedule.logits, poses)).metrics == simulate(model, schedule).metrics


def test_a_state_of_another_backend_is_refused() -> None:
    maps, fleet = random_maps(10), small_fleet()
    schedule = random_schedule(10, maps, fleet)
    states = {name: rolled(model_of(maps, fleet, backend=name), schedule).states[1] for name in ("cpu", "reference")}
    for name, other in (("cpu", "reference"), ("reference", "cpu")):
        with pytest.raises(ValueError, match=f"of the backend {other}"):
            resume(model_of(maps, fleet, backend=name), states[other], schedule)


def test_a_body_of_another_engine_is_refused_by_the_engine_itself() -> None:
    model, schedule = case(11)
    steps = np.zeros((20, model.fleet.n_aircraft), bool)
    strange = DayState("cpu", 1, steps, np.zeros((*steps.shape, 3)), body="of another engine")
    with pytest.raises(ValueError, match="another engine"):
        roll(model, schedule, RolloutOptions(start=strange))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.2, 0.9])
def test_water_before_the_resumed_day_leaves_the_sums_as_the_whole_rollout_forms_them(seed: int, share: float) -> None:
    maps = random_maps(seed, days=3)
    model = model_of(maps, small_fleet())
    schedule = random_schedule(seed, maps, model.fleet, share=share)
    whole = simulate(model, schedule, keep_states=True)
    for state in whole.states:
        assert resume(model, state, schedule).metrics == whole.metrics


def test_a_single_early_drop_of_water_leaves_the_sums_alike() -> None:
    maps = random_maps(5)
    model = model_of(maps, small_fleet())
    poses = random_schedule(5, maps, model.fleet, share=0.9).poses
    logits = np.full(poses.shape[:2], -3.0)
    for pair in ((0, 0), (0, 2), (0, 4), (1, 3)):
        logits[pair] = 3.0
    schedule = Schedule(logits, poses)
    whole = simulate(model, schedule, keep_states=True)
    assert resume(model, whole.states[1], schedule).metrics == whole.metrics
