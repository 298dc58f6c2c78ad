"""Runs of the active front do not see each other: not on one workspace, not in two threads, not after a cancel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import inf
from threading import Barrier

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.errors import CancelledError
from firegui.rollout.backend import kernel_threads
from firegui.rollout.day_state import Bounds
from firegui.rollout.kernels import cpu_run
from firegui.rollout.kernels.board import HelperThread
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.kernels.cpu_model import layout_of
from firegui.rollout.kernels.cpu_run import Run
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, RolloutOptions
from firegui.rollout.simulate import simulate, simulate_many
from tests.numerics.cases import model_of
from tests.numerics.front_cases import (
    Recorder,
    assert_near,
    assert_same_gradient,
    assert_same_outcome,
    busy_fleet,
    differentiate,
    fitful_maps,
    many_drops,
    nothing_flies,
    roll,
    wide_fire,
)

KEEP = RolloutOptions(keep_states=True)


def fresh(seed: int = 1, side: RetardantSide = RetardantSide.BOTH, payload_gal: float = 900.0) -> Model:
    """A model that nobody has computed on."""
    return model_of(fitful_maps(seed), busy_fleet(payload_gal), side=side)


def several(model: Model, count: int) -> list[Schedule]:
    return [many_drops(seed, model.maps, model.fleet, share=0.2 + 0.1 * (seed % 5)) for seed in range(count)]


def stop_at(call: int) -> Callable[[], None]:
    """A check that cancels when it is called for the ``call``-th time."""
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == call:
            raise CancelledError("stopped")

    return check


@pytest.mark.parametrize("side", list(RetardantSide))
def test_a_second_run_gives_the_same_bits(side: RetardantSide) -> None:
    model = fresh(side=side)
    schedule = many_drops(1, model.maps, model.fleet)
    assert_same_outcome(roll(model, schedule, KEEP)[0], roll(model, schedule, KEEP)[0])
    assert_same_gradient(differentiate(model, schedule), differentiate(model, schedule))
    assert_same_gradient(differentiate(model, schedule), differentiate(fresh(side=side), schedule))


def test_a_gradient_rolls_out_what_a_rollout_does() -> None:
    model = fresh()
    schedule = many_drops(2, model.maps, model.fleet)
    assert_same_outcome(differentiate(model, schedule)[0], roll(model, schedule)[0])


def test_schedules_together_give_the_bits_of_each_alone_on_one_thread_and_on_two() -> None:
    model = fresh()
    schedules = several(model, 9)
    alone = [roll(fresh(), schedule, KEEP)[0] for schedule in schedules]
    for threads in (1, 2):
        together = ActiveFront(threads).simulate_many(model, schedules, None, [KEEP] * 9)
        for one, other in zip(together, alone, strict=True):
            assert_same_outcome(one, other)
    assert len({one.metrics.objective for one in alone}) == 9


@pytest.mark.parametrize("side", list(RetardantSide))
def test_steps_in_two_halves_give_the_same_bits_on_one_thread_and_on_two(side: RetardantSide) -> None:
    maps, fleet = wide_fire(4), busy_fleet()
    schedule = many_drops(4, maps, fleet)
    model = model_of(maps, fleet, side=side)
    alone = differentiate(model, schedule)
    assert halved_steps(model, schedule) > maps.n_steps // 2
    for dense in (False, True):
        for _ in range(3):
            assert_same_gradient(differentiate(model, schedule, threads=2, dense=dense), alone)
    assert_same_gradient(differentiate(model, schedule, dense=True), alone)


def test_without_a_second_thread_to_be_had_the_gradient_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: HelperThread, work: object, *values: object) -> None:
        refused.append(work)
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    refused: list[object] = []
    model = fresh()
    schedule = many_drops(3, model.maps, model.fleet)
    alone = differentiate(fresh(), schedule)
    monkeypatch.setattr(HelperThread, "submit", refuse)

    assert_same_gradient(differentiate(model, schedule, threads=2), alone)
    assert refused


def halved_steps(model: Model, schedule: Schedule) -> int:
    """How many steps of a rollout are done in two halves."""
    layout, nobody = layout_of(model), Observer(model, None, keep_days=False)
    with layout.workspace() as space:
        run = Run(model, schedule, layout, space, WHOLE, keep=True, dense=False, threads=1)
        run.advance(nobody, None)
        count = int((run.log[:-1, 2] < run.log[:-1, 1]).sum())
        run.clean()
    return count


def test_the_number_of_threads_is_asked_for_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fresh()
    schedules, found = several(model, 3), []
    for threads in (1, 2):
        monkeypatch.setenv("FIREGUI_THREADS", str(threads))
        assert kernel_threads() == threads
        found.append([one.metrics for one in simulate_many(model, schedules)])
    assert found[0] == found[1] == [simulate(model, schedule).metrics for schedule in schedules]


def test_runs_in_two_threads_on_one_model_give_the_bits_of_each_alone() -> None:
    model, meet = fresh(), Barrier(2)
    first, second = several(model, 2)

    def repeatedly(schedule: Schedule) -> list[object]:
        meet.wait(30.0)
        return [part for _ in range(5) for part in (roll(model, schedule, KEEP)[0], differentiate(model, schedule))]

    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(repeatedly, schedule) for schedule in (first, second)]
        found = [job.result() for job in jobs]
    for schedule, parts in zip((first, second), found, strict=True):
        outcome, gradient = roll(fresh(), schedule, KEEP)[0], differentiate(fresh(), schedule)
        for one, other in zip(parts[::2], parts[1::2], strict=True):
            assert_same_outcome(one, outcome)  # type: ignore[arg-type]
            assert_same_gradient(other, gradient)  # type: ignore[arg-type]


def a_rollout(model: Model, schedule: Schedule) -> None:
    roll(model, schedule, KEEP)


def a_dense_rollout(model: Model, schedule: Schedule) -> None:
    roll(model, schedule, dense=True)


def a_gradient(model: Model, schedule: Schedule) -> None:
    differentiate(model, schedule)


def a_dense_gradient(model: Model, schedule: Schedule) -> None:
    differentiate(model, schedule, dense=True)


def a_resumed_rollout(model: Model, schedule: Schedule) -> None:
    states = roll(model, schedule, KEEP)[0].states
    roll(model, schedule, RolloutOptions(start=states[2], keep_states=True))


def a_rollout_given_up(model: Model, schedule: Schedule) -> None:
    outcome, _ = roll(model, schedule, RolloutOptions(bounds=Bounds(burn=1e-4)))
    assert outcome.exceeded is not None
    assert outcome.exceeded.step < model.n_steps


def a_cancelled_rollout(model: Model, schedule: Schedule) -> None:
    watched = Recorder(model)  # looks at every step, so that there is a call at each
    with pytest.raises(CancelledError):
        ActiveFront(1).simulate(model, schedule, watched, stop_at(31), WHOLE)
    assert len(watched.seen) == 31


def a_gradient_cancelled_on_its_way_back(model: Model, schedule: Schedule) -> None:
    watched = Recorder(model)

    def check() -> None:
        if len(watched.seen) == model.n_steps + 1:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        ActiveFront(1).gradient(model, schedule, watched, check)


def a_cancelled_batch(model: Model, schedule: Schedule) -> None:
    with pytest.raises(CancelledError):
        ActiveFront(2).simulate_many(model, [schedule] * 6, stop_at(5), [KEEP] * 6)


@pytest.mark.parametrize("payload_gal", [900.0, 5e6])
@pytest.mark.parametrize(
    "before",
    [
        a_rollout, a_dense_rollout, a_gradient, a_dense_gradient, a_resumed_rollout, a_rollout_given_up,
        a_cancelled_rollout, a_gradient_cancelled_on_its_way_back, a_cancelled_batch,
    ],
)  # fmt: skip
def test_what_ran_before_leaves_no_trace(before: Callable[[Model, Schedule], None], payload_gal: float) -> None:
    model = fresh(payload_gal=payload_gal)
    first, second = many_drops(4, model.maps, model.fleet), many_drops(5, model.maps, model.fleet, share=0.3)
    before(model, first)
    for schedule in (nothing_flies(model), second):
        untouched = fresh(payload_gal=payload_gal)
        assert_same_outcome(roll(model, schedule, KEEP)[0], roll(untouched, schedule, KEEP)[0])
        assert_same_gradient(differentiate(model, schedule), differentiate(untouched, schedule))


@pytest.mark.parametrize("seed", range(3))
def test_many_runs_of_every_kind_on_one_workspace_leave_no_trace(seed: int) -> None:
    model = fresh(seed)
    rng = np.random.default_rng(seed)
    kinds = (a_rollout, a_gradient, a_resumed_rollout, a_cancelled_rollout, a_dense_rollout, a_dense_gradient)
    for turn in range(12):
        kinds[rng.integers(len(kinds))](model, many_drops(100 * seed + turn, model.maps, model.fleet))
    schedule = many_drops(seed, model.maps, model.fleet)
    assert_same_outcome(roll(model, schedule, KEEP)[0], roll(fresh(seed), schedule, KEEP)[0])
    assert_same_gradient(differentiate(model, schedule), differentiate(fresh(seed), schedule))


@pytest.mark.parametrize("full_carry", [False, True])
@pytest.mark.parametrize(("seed", "neighbours"), [(1, 8), (2, 16)])
def test_a_log_with_no_more_room_begins_anew_and_is_computed_again(
    seed: int, neighbours: int, full_carry: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = fitful_maps(seed, days=6, neighbours=neighbours)
    model = replace(model_of(maps, busy_fleet(), side=list(RetardantSide)[seed]), full_carry=full_carry)
    schedule = many_drops(seed, maps, model.fleet)
    whole = differentiate(model, schedule)
    longest = len(layout_of(model).spaces._idle[0].log_places)
    monkeypatch.setattr(cpu_run, "MOST_LOGGED", 500)
    parts = differentiate(model, schedule)
    assert_same_outcome(parts[0], whole[0])
    for found, expected in zip(parts[1:], whole[1:], strict=True):
        # What is computed again has none of the rounding of steps that are undone.
        assert_near(found, expected, 1e-5)
    # Where the log begins anew does not depend on how long the days take.
    for seconds in (0.0, inf):
        monkeypatch.setattr(cpu_run, "LEAST_SECONDS", seconds)
        assert_same_gradient(differentiate(model, schedule, threads=2), parts)
    fresh_model = replace(model_of(maps, busy_fleet(), side=list(RetardantSide)[seed]), full_carry=full_carry)
    assert_same_gradient(differentiate(fresh_model, schedule), parts)
    assert len(layout_of(fresh_model).spaces._idle[0].log_places) <= longest
    # The workspace is left at rest.
    monkeypatch.undo()
    assert_same_gradient(differentiate(model, schedule), whole)
    assert_same_gradient(differentiate(fresh_model, schedule), whole)


def test_a_pass_is_cancelled_while_it_computes_a_part_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fresh()
    schedule = many_drops(1, model.maps, model.fleet)
    expected = differentiate(model, schedule)
    monkeypatch.setattr(cpu_run, "MOST_LOGGED", 10)
    calls: list[int] = []
    ActiveFront(1).gradient(model, schedule, Observer(model, None, keep_days=False), lambda: calls.append(1))
    assert len(calls) > 6
    for call in range(1, len(calls) + 1):
        with pytest.raises(CancelledError):
            ActiveFront(1).gradient(model, schedule, Observer(model, None, keep_days=False), stop_at(call))
    monkeypatch.undo()
    assert_same_gradient(differentiate(model, schedule), expected)
