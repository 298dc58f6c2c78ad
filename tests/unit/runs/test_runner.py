from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.rollout.engine_message import MessageCallback
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BaselineReady,
    Message,
    PlanUpdated,
    RunEvent,
    RunFinished,
    StageBegan,
    StateChanged,
    StressReady,
    StressTestProgress,
)
from firegui.runs.run_folder import RunFolder, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import EvaluateSpec, PlanSpec
from firegui.runs.stages import EpochDone, FinishReason, RunState
from tests.support import make_project
from tests.unit.runs.fakes import BASELINE, PAUSED_ONCE, FakeEngine, carried_out, end, raise_at, states, warnings


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(make_project(epochs=6), tmp_path / "run", "firegui optimize …", snapshot_seconds=float("inf"))


def epochs(events: list[RunEvent]) -> list[EpochDone]:
    return [event for event in events if isinstance(event, EpochDone)]


def test_a_run_prepares_runs_and_finishes_in_that_order(spec: PlanSpec) -> None:
    events = carried_out(spec)
    assert states(events) == [RunState.PREPARING, RunState.RUNNING, RunState.FINISHED]
    kinds = [type(event) for event in events if not isinstance(event, (Message, StateChanged))]
    tests = [StressTestProgress] * len(spec.project.stress.unrepaired)
    assert kinds == [BaselineReady, StageBegan, *[EpochDone] * 6, PlanUpdated, *tests, StressReady, RunFinished]


def test_every_epoch_reports_its_cost_as_three_rollouts(spec: PlanSpec) -> None:
    rows = epochs(carried_out(spec))
    assert [(row.epoch, row.rollouts) for row in rows] == [(n, 3 * (n + 1)) for n in range(6)]
    assert [row.best for row in rows] == [9.0, 7.0, 7.0, 6.0, 5.0, 5.0]


def test_the_best_plan_is_scored_at_nominal_effectiveness(spec: PlanSpec) -> None:
    engine = FakeEngine()
    finished = end(carried_out(spec, engine))
    assert engine.built_with == [spec.project.plan.design]
    assert finished.nominal is not None
    assert finished.nominal.objective == BASELINE - 4.0 * spec.project.plan.nominal.retardant
    scores = read_run(spec.out).scores
    assert scores.nominal == finished.nominal
    assert scores.design is not None
    assert scores.design.objective == 5.0


def test_completing_all_epochs_says_how_to_go_on(spec: PlanSpec) -> None:
    finished = end(carried_out(spec))
    assert finished.reason is FinishReason.COMPLETED
    assert "did 6 search steps" in finished.message
    assert "from step 5" in finished.message
    assert "allow more search steps" in finished.message


def test_running_out_of_patience_says_what_to_change(spec: PlanSpec) -> None:
    settings = replace(spec.project.plan.optimizer, epochs=100, patience=3)
    spec = replace(spec, project=replace(spec.project, plan=replace(spec.project.plan, optimizer=settings)))
    finished = end(carried_out(spec))
    assert finished.reason is FinishReason.PATIENCE
    assert "stopped after 3 search steps without gain" in finished.message
    assert "allow more steps without gain, or larger steps" in finished.message


def test_a_stop_keeps_the_best_so_far_and_scores_it(spec: PlanSpec) -> None:
    control = RunControl()
    engine = FakeEngine(during_epoch=lambda epoch: control.request_stop() if epoch == 3 else None)
    events = carried_out(spec, engine, control)
    finished = end(events)
    assert states(events) == [RunState.PREPARING, RunState.RUNNING, RunState.STOPPING, RunState.FINISHED]
    assert finished.reason is FinishReason.STOPPED
    assert "after 3 search steps" in finished.message
    assert finished.nominal is not None
    record = read_run(spec.out)
    assert (record.header.epochs_done, record.header.best_epoch) == (3, 1)
    assert [row.epoch for row in record.history] == [0, 1, 2]
    assert record.state is RunState.FINISHED
    assert {path.name for path in spec.out.iterdir()} >= {
        "plan.safetensors",
        "schedule.csv",
        "metrics.json",
        "occupancy.tif",
    }


def test_an_urgent_stop_saves_the_plan_without_scoring_it(spec: PlanSpec) -> None:
    control = RunControl()
    engine = FakeEngine(during_epoch=lambda epoch: control.request_stop(now=True) if epoch == 3 else None)
    finished = end(carried_out(spec, engine, control))
    assert finished.reason is FinishReason.STOPPED
    assert finished.nominal is None
    assert (spec.out / "schedule.csv").is_file()
    assert read_run(spec.out).scores.nominal is None
    assert read_run(spec.out).scores.baseline is not None


def test_a_stop_before_the_first_epoch_leaves_a_run_without_a_plan(spec: PlanSpec) -> None:
    control = RunControl()
    control.request_stop()
    events = carried_out(spec, FakeEngine(), control)
    assert states(events) == [RunState.PREPARING, RunState.STOPPING, RunState.FINISHED]
    assert end(events).reason is FinishReason.STOPPED
    assert "no plan yet" in end(events).message
    assert not read_run(spec.out).has_plan


def test_a_paused_run_holds_until_it_is_resumed(spec: PlanSpec) -> None:
    control, held = RunControl(), threading.Event()
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, EpochDone) and event.epoch == 1:
            control.request_pause()
        if event == StateChanged(RunState.PAUSED):
            held.set()

    worker = threading.Thread(target=execute, args=(spec, emit, control), kwargs={"engine": FakeEngine()}, daemon=True)
    worker.start()
    assert held.wait(20)
    assert len(epochs(events)) == 2
    # The folder says so a moment after the event.
    patience = time.monotonic() + 20
    while read_run(spec.out).state is not RunState.PAUSED:
        assert time.monotonic() < patience
        time.sleep(0.01)
    control.request_resume()
    worker.join(20)
    assert not worker.is_alive()
    assert states(events) == PAUSED_ONCE
    assert len(epochs(events)) == 6


def test_a_stop_wakes_a_paused_run(spec: PlanSpec) -> None:
    control = RunControl()
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, EpochDone):
            control.request_pause()
        if event == StateChanged(RunState.PAUSED):
            threading.Timer(0.05, control.request_stop).start()

    execute(spec, emit, control, engine=FakeEngine())
    assert states(events)[-3:] == [RunState.PAUSED, RunState.STOPPING, RunState.FINISHED]
    assert end(events).nominal is not None


def test_bad_input_is_listed_completely_and_nothing_is_written(spec: PlanSpec) -> None:
    plan = replace(spec.project.plan, days=99, optimizer=replace(spec.project.plan.optimizer, epochs=0))
    spec.out.parent.joinpath("notes.txt").write_text("mine")
    finished = end(carried_out(replace(spec, project=replace(spec.project, plan=plan), out=spec.out.parent)))
    assert finished.reason is FinishReason.FAILED
    listed = " ".join(map(str, finished.problems))
    assert "99" in listed or "98" in listed
    assert "Search steps is 0" in listed
    assert "is not empty and is not a run" in listed
    assert [path.name for path in spec.out.parent.iterdir()] == ["notes.txt"]


def test_a_model_that_cannot_be_built_leaves_no_folder(spec: PlanSpec) -> None:
    def refuse(tell: MessageCallback) -> None:
        raise InputError([Problem("backend", "cuda is not there", "use cpu")])

    finished = end(carried_out(spec, FakeEngine(during_build=refuse)))
    assert finished.problems == (Problem("backend", "cuda is not there", "use cpu"),)
    assert not spec.out.exists()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("CUDA out of memory. Tried …"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory"),
    ],
)
def test_missing_memory_fails_with_a_remedy_and_keeps_the_checkpoint(spec: PlanSpec, error: Exception) -> None:
    finished = end(carried_out(spec, FakeEngine(during_epoch=raise_at(2, error))))
    assert finished.reason is FinishReason.FAILED
    assert "ran out of memory; plan fewer days" in finished.message
    record = read_run(spec.out)
    assert (record.state, record.reason) == (RunState.FINISHED, FinishReason.FAILED)
    assert record.can_resume
    assert not (spec.out / "error.log").exists()


def test_an_unforeseen_error_ends_in_a_message_and_a_log_not_a_traceback(spec: PlanSpec) -> None:
    finished = end(carried_out(spec, FakeEngine(during_epoch=raise_at(2, ZeroDivisionError("boom")))))
    assert finished.reason is FinishReason.FAILED
    assert "ZeroDivisionError: boom" in finished.message
    assert "Traceback" not in finished.message
    assert str(spec.out / "error.log") in finished.message
    assert "Traceback" in (spec.out / "error.log").read_text(encoding="utf-8")


def test_a_listener_that_fails_ends_the_run_with_a_log(spec: PlanSpec) -> None:
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, EpochDone):
            raise KeyError("listener")

    execute(spec, emit, RunControl(), engine=FakeEngine())
    assert end(events).reason is FinishReason.FAILED
    assert (spec.out / "error.log").is_file()


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(
    spec: PlanSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = RunFolder.write_history, iter([True, True])

    def failing(self: RunFolder, rows: list[EpochDone], name: str) -> None:
        if next(calls, False):
            raise InputError([Problem("history.csv", "cannot be written (No space left on device)")])
        real(self, rows, name)

    monkeypatch.setattr(RunFolder, "write_history", failing)
    events = carried_out(replace(spec, checkpoint_seconds=0.0))
    assert len(warnings(events)) == 2
    assert "No space left" in warnings(events)[0]
    assert end(events).reason is FinishReason.COMPLETED


def test_without_a_snapshot_interval_no_picture_is_made_before_the_end(spec: PlanSpec) -> None:
    pictures = [event for event in carried_out(spec) if isinstance(event, PlanUpdated)]
    assert [picture.epoch for picture in pictures] == [4]


def test_pictures_show_improvements_only(spec: PlanSpec) -> None:
    events = carried_out(replace(spec, snapshot_seconds=0.0))
    pictures = [event for event in events if isinstance(event, PlanUpdated)]
    assert [picture.epoch for picture in pictures] == [0, 1, 3, 4, 4]
    assert all(picture.drops for picture in pictures)


def test_pictures_keep_their_distance_and_catch_up(spec: PlanSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr("firegui.runs.plan_snapshots.time.monotonic", lambda: float(next(clock)))
    events = carried_out(replace(spec, snapshot_seconds=6.0, checkpoint_seconds=math.inf))
    # The clock ticks at every look: the best of epoch 1 is shown when a later epoch finds a picture due.
    shown = [event.epoch for event in events if isinstance(event, PlanUpdated)]
    assert shown[0] == 0
    assert shown[-1] == 4
    assert len(shown) < 5


def test_evaluating_shows_baseline_and_plan_and_writes_nothing(tmp_path: Path) -> None:
    project = make_project()
    schedule = Schedule.empty(project.calendar.n_steps, 4)
    schedule.logits[3, 1] = 3.0
    events = carried_out(EvaluateSpec(project, schedule))
    pictures = [event for event in events if isinstance(event, PlanUpdated)]
    assert [picture.epoch for picture in pictures] == [-1]
    assert [drop.step for drop in pictures[0].drops] == [3]
    finished = end(events)
    assert finished.reason is FinishReason.COMPLETED
    assert finished.nominal == pictures[0].metrics
    assert finished.baseline is not None
    assert finished.folder is None
    assert list(tmp_path.iterdir()) == []


def test_evaluating_without_a_schedule_is_the_baseline_alone() -> None:
    events = carried_out(EvaluateSpec(make_project()))
    assert not any(isinstance(event, PlanUpdated) for event in events)
    assert end(events).nominal is None
    assert end(events).baseline is not None


def test_evaluating_against_another_plan_has_its_fire_in_place_of_the_baseline() -> None:
    project = make_project()
    schedule = Schedule.empty(project.calendar.n_steps, 4)
    schedule.logits[3, 1] = 3.0
    plain = end(carried_out(EvaluateSpec(project, schedule)))
    none = Schedule.empty(project.calendar.n_steps, 4)
    events = carried_out(EvaluateSpec(project, none, against=schedule))
    (first,) = (event for event in events if isinstance(event, BaselineReady))
    assert first.metrics == plain.nominal != plain.baseline
    assert [(drop.step, drop.column) for drop in first.drops] == [(3, 1)]
    assert end(events).nominal is not None
    assert "for the other plan" in end(events).message


def test_a_plan_of_another_project_is_rolled_out_for_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    other = replace(project, grounded={})
    none = Schedule.empty(project.calendar.n_steps, 4)
    built: list[object] = []
    build = FakeEngine.build

    def recording(engine: FakeEngine, given: Project, *rest: Any, **named: Any) -> Any:
        built.append(given)
        return build(engine, given, *rest, **named)

    monkeypatch.setattr(FakeEngine, "build", recording)
    carried_out(EvaluateSpec(project, none, against=none, against_project=other))
    assert built == [project, other]


def test_stopping_an_evaluation_ends_it(tmp_path: Path) -> None:
    control = RunControl()
    engine = FakeEngine(during_rollout=lambda number: control.request_stop())
    events = carried_out(EvaluateSpec(make_project()), engine, control)
    assert end(events).reason is FinishReason.STOPPED
    assert states(events)[-1] is RunState.FINISHED
