"""The GPU engine on many schedules, from states, within bounds, and when its memory does not suffice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from firegui.domain.schedule import Schedule
from firegui.errors import CancelledError
from firegui.rollout.day_state import Bounds, DayState
from firegui.rollout.kernels.gpu import LESS_HISTORY, ON_THE_CPU, Gpu, MemoryFit, MemoryStrategy, run_first_that_fits
from firegui.rollout.kernels.gpu_rollout import Rollouts
from firegui.rollout.model import Model
from firegui.rollout.observe import FinalState
from firegui.rollout.outcome import WHOLE, Outcome, RolloutOptions
from tests.numerics.cases import random_schedule
from tests.numerics.gpu_cases import TILE, Standin, case, gpu, needs_triton, nobody, roll, short_maps
from tests.support import StopAt

pytestmark = needs_triton


def several(model: Model, seeds: range) -> list[Schedule]:
    return [random_schedule(seed, model.maps, model.fleet) for seed in seeds]


def fields_of(outcome: Outcome) -> list[torch.Tensor]:
    found = []
    for state in outcome.states:
        body = state.body
        found += [getattr(body, name) for name in ("tiles", "fields", "sums")]
    return found


def assert_same(actual: Outcome, expected: Outcome) -> None:
    assert actual.metrics == expected.metrics
    assert actual.exceeded == expected.exceeded
    np.testing.assert_array_equal(actual.executed, expected.executed)
    for one, other in zip(fields_of(actual), fields_of(expected), strict=True):
        assert torch.equal(one, other)


def test_a_batch_gives_each_schedule_the_bits_of_its_own_rollout(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = case(1, maps=short_maps(1, steps_per_day=2))
    schedules, wanted = several(model, range(2)), RolloutOptions(keep_states=True)
    with monkeypatch.context() as few:  # so that a program looks after several tiles of several schedules
        few.setattr("firegui.rollout.kernels.gpu_launch.PROGRAMS", 2)
        together = gpu().simulate_many(model, schedules, None, [wanted] * 2)
    for outcome, schedule in zip(together, schedules, strict=True):
        assert_same(outcome, roll(model, schedule, wanted))
    assert together[0].metrics != together[1].metrics


@pytest.mark.slow
def test_a_batch_gives_each_schedule_the_state_at_its_end() -> None:
    model, _ = case(1, maps=short_maps(1, steps_per_day=3))
    schedules, lasts = several(model, range(3)), [FinalState(model) for _ in range(3)]
    gpu().simulate_many(model, schedules, None, [RolloutOptions(last=last) for last in lasts])
    for last, schedule in zip(lasts, schedules, strict=True):
        alone = FinalState(model)
        gpu().simulate(model, schedule, alone, None, WHOLE)
        np.testing.assert_array_equal(last.unburned, alone.unburned)
        np.testing.assert_array_equal(last.burning, alone.burning)
    assert (lasts[0].unburned != lasts[1].unburned).any()


@pytest.mark.slow
def test_going_on_from_a_state_gives_the_bits_of_the_whole_and_other_drops_may_follow() -> None:
    model, schedule = case(2, maps=short_maps(2, days=3, steps_per_day=3))
    whole = roll(model, schedule, RolloutOptions(keep_states=True))
    assert [state.day for state in whole.states] == [0, 1, 2]
    rest = roll(model, schedule, RolloutOptions(start=whole.states[2]))
    assert rest.metrics == whole.metrics
    other = Schedule(np.where(np.arange(9)[:, None] >= 6, -3.0, schedule.logits), schedule.poses)
    assert other.proposed.sum() < schedule.proposed.sum()
    assert roll(model, other, RolloutOptions(start=whole.states[2])).metrics == roll(model, other).metrics


@pytest.mark.slow
def test_a_rollout_that_cannot_hold_its_bound_ends_at_a_days_start_and_its_neighbour_goes_on() -> None:
    model, schedule = case(4)
    whole = roll(model, schedule)
    tight = Bounds(burn=whole.metrics.loss_burn * 0.3)
    stopped, free = gpu().simulate_many(model, [schedule, schedule], None, [RolloutOptions(bounds=tight), WHOLE])
    assert stopped.exceeded is not None
    assert (stopped.exceeded.step, stopped.exceeded.term) == (4, "burn")
    assert tight.burn < stopped.exceeded.value <= whole.metrics.loss_burn
    assert stopped.metrics.occupancy_cell_days < whole.metrics.occupancy_cell_days
    assert free.metrics == whole.metrics
    assert free.exceeded is None


def test_a_bound_that_holds_changes_nothing() -> None:
    model, schedule = case(4, maps=short_maps(4, steps_per_day=2))
    whole = roll(model, schedule)
    limits = Bounds(whole.metrics.loss_burn, whole.metrics.loss_final, whole.metrics.loss_prot)
    bounded = roll(model, schedule, RolloutOptions(bounds=limits))
    assert bounded.exceeded is None
    assert bounded.metrics == whole.metrics


def test_a_rollout_is_cancelled_between_two_days() -> None:
    model, schedule = case(5)
    check = StopAt(2)
    with pytest.raises(CancelledError):
        gpu().simulate(model, schedule, nobody(model), check, WHOLE)
    assert check.calls == 2


def out_of_memory(*_: object, **__: object) -> Any:
    raise torch.cuda.OutOfMemoryError("no memory left")


@pytest.mark.slow
def test_a_batch_that_does_not_fit_is_halved_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = case(6, maps=short_maps(6, days=1, steps_per_day=3))
    schedules = several(model, range(3))
    said: list[str] = []
    run = Rollouts.run

    def small_only(self: Rollouts, *arguments: Any) -> list[Outcome]:
        return run(self, *arguments) if self.arena.runs < 3 else out_of_memory()

    monkeypatch.setattr(Rollouts, "run", small_only)
    monkeypatch.setattr("firegui.rollout.kernels.gpu.BATCH", 4)
    outcomes = gpu(notice=said.append).simulate_many(model, schedules, None, [WHOLE] * 3)
    assert len(said) == 1 and "2 at a time" in said[0]
    for outcome, schedule in zip(outcomes, schedules, strict=True):
        assert outcome.metrics == roll(model, schedule).metrics


def test_a_rollout_that_does_not_fit_is_computed_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    model, schedule = case(7)
    spare = Standin(roll(model, schedule, triton=False))
    said: list[str] = []
    monkeypatch.setattr(Rollouts, "run", out_of_memory)
    outcome = gpu(spare=spare, notice=said.append).simulate(model, schedule, nobody(model), None, WHOLE)
    assert outcome.metrics == spare.outcome.metrics
    assert (spare.asked, said) == (["simulate on cpu"], [ON_THE_CPU])


def test_a_gradient_falls_back_on_less_history_and_then_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    model, schedule = case(8)
    spare = Standin(roll(model, schedule, triton=False))
    said: list[str] = []
    monkeypatch.setattr(Rollouts, "run", out_of_memory)
    gpu(spare=spare, notice=said.append, span=2).gradient(model, schedule, nobody(model), None)
    assert (spare.asked, said) == (["gradient on cpu"], [LESS_HISTORY, ON_THE_CPU])
    gpu(spare=spare, notice=said.append, span=2).gradient(model, schedule, nobody(model), None)
    assert (spare.asked, said) == (["gradient on cpu"] * 2, [LESS_HISTORY, ON_THE_CPU])


def test_a_state_of_the_processor_is_gone_on_from_there() -> None:
    model, schedule = case(9)
    spare = Standin(roll(model, schedule, triton=False))
    steps = np.zeros((4, model.fleet.n_aircraft), bool)
    state = DayState("cuda", 1, steps, np.zeros((*steps.shape, 3)), body="of another engine")
    Gpu(spare, tile=TILE, triton=True).simulate(model, schedule, nobody(model), None, RolloutOptions(start=state))
    assert spare.asked == ["simulate on cpu"]


def test_the_last_way_to_compute_may_fail() -> None:
    said: list[str] = []
    with pytest.raises(torch.cuda.OutOfMemoryError):
        run_first_that_fits(
            [MemoryStrategy(out_of_memory, "first"), MemoryStrategy(out_of_memory, "never said")],
            said.append,
            MemoryFit(1),
            "work",
        )
    assert said == ["first"]


def test_only_a_lack_of_memory_is_fallen_back_from() -> None:
    def broken() -> None:
        raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        run_first_that_fits(
            [MemoryStrategy(broken, "said"), MemoryStrategy(lambda: None)], pytest.fail, MemoryFit(1), "work"
        )


def test_a_fit_is_computed_on_the_processor() -> None:
    model, schedule = case(9)
    spare = Standin(roll(model, schedule, triton=False))
    gpu(spare=spare).gain_slopes(model, lambda states: states, lambda day, slopes: None, None, through_days=True)
    assert spare.asked == ["gain slopes on cpu"]
