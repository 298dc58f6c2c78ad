"""The stress test at the end of every plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin
from firegui.domain.stress import StressScenario, StressSet, growth_left_text
from firegui.planning.problem import build
from firegui.planning.stress import stress_table
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, StateChanged, StressReady, StressTestProgress
from firegui.runs.run_folder import kept_schedule, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from firegui.runs.summary import run_summary
from tests.support import make_project
from tests.unit.runs.fakes import PAUSED_ONCE, FakeEngine, carried_out, end, raise_at, states, two_drops, warnings

SET = StressSet((
    StressScenario("late", delay_minutes=30.0),
    StressScenario("failing", failure_rate=0.5, draws=2),
    StressScenario("repaired", failure_rate=0.5, repair_hours=24.0),
))  # fmt: skip
PROJECT = replace(make_project(epochs=4), stress=SET)


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(PROJECT, tmp_path / "run", "firegui plan …", snapshot_seconds=float("inf"))


@pytest.mark.parametrize("stages", [(Stage.OPTIMIZE, Stage.PRUNE), (Stage.TACTICAL,), (Stage.KEEP,), (Stage.PRUNE,)])
def test_a_plan_of_any_stages_keeps_the_table_of_the_projects_set(spec: PlanSpec, stages: tuple[Stage, ...]) -> None:
    assert PROJECT.plan.margin.kind is Margin.NONE
    start = two_drops(PROJECT) if stages in ((Stage.KEEP,), (Stage.PRUNE,)) else None
    events: list[RunEvent] = []
    execute(replace(spec, stages=stages, warm_start=start), events.append, RunControl())
    scores = read_run(spec.out).scores
    assert scores.stress is not None and scores.nominal is not None
    model = build(PROJECT, PROJECT.plan.nominal)
    assert scores.stress == stress_table(PROJECT, model, kept_schedule(spec.out, PROJECT), SET)
    assert [result.scenario.name for result in scores.stress.results] == ["late", "failing"]
    assert scores.stress.nominal.draws[0].cells == scores.nominal.final_extent_cells
    assert end(events).message.endswith(growth_left_text(scores.stress))
    assert [event.table for event in events if isinstance(event, StressReady)] == [scores.stress]
    told = [event for event in events if isinstance(event, StressTestProgress)]
    assert [(event.done, event.total) for event in told] == [(0, 3), (1, 3), (2, 3)]


def test_a_plan_without_drops_is_tested_and_does_not_hold(spec: PlanSpec) -> None:
    empty = Schedule.empty(PROJECT.calendar.n_steps, PROJECT.fleet.n_aircraft)
    carried_out(replace(spec, stages=(Stage.KEEP,), warm_start=empty), FakeEngine())
    record = read_run(spec.out)
    assert record.scores.nominal is not None and record.scores.nominal.drops_executed == 0
    summary = run_summary(record)
    assert summary is not None and summary.headline()[0][1].startswith("⚠ Does not hold: ")


def test_a_stop_during_the_stress_test_keeps_a_complete_plan_without_a_table(spec: PlanSpec) -> None:
    control = RunControl()
    finished = end(carried_out(spec, FakeEngine(during_scenario=lambda _number: control.request_stop()), control))
    record = read_run(spec.out)
    assert finished.reason is FinishReason.COMPLETED and finished.nominal is not None
    assert record.scores.nominal is not None and record.scores.stress is None
    assert "stress" not in finished.message


def test_a_stopped_plan_is_not_tested_until_it_is_resumed_to_its_end(spec: PlanSpec) -> None:
    control = RunControl()

    def stop(epoch: int) -> None:
        if epoch == 2:
            control.request_stop()

    carried_out(spec, FakeEngine(during_epoch=stop), control)
    assert read_run(spec.out).scores.stress is None
    carried_out(replace(spec, resume=True), FakeEngine())
    assert read_run(spec.out).scores.stress is not None


@pytest.mark.parametrize("error", [MemoryError(), ValueError("a shape"), OSError(28, "No space left on device")])
def test_a_stress_test_that_fails_does_not_lose_the_plan(spec: PlanSpec, error: Exception) -> None:
    events = carried_out(spec, FakeEngine(during_scenario=raise_at(1, error)))
    assert end(events).reason is FinishReason.COMPLETED
    record = read_run(spec.out)
    assert record.has_plan and record.scores.nominal is not None and record.scores.stress is None
    assert any("could not be stress-tested" in text for text in warnings(events))
    assert (spec.out / "error.log").is_file() == isinstance(error, ValueError)


def test_the_stress_test_can_be_paused(spec: PlanSpec) -> None:
    control = RunControl()

    def note(event: RunEvent) -> None:
        if isinstance(event, StressTestProgress) and event.done == 0:
            control.request_pause()
        if isinstance(event, StateChanged) and event.state is RunState.PAUSED:
            control.request_resume()

    events = carried_out(spec, control=control, hear=note)
    assert states(events) == PAUSED_ONCE
    assert read_run(spec.out).scores.stress is not None


def test_where_every_scenario_is_replanned_there_is_no_table(spec: PlanSpec) -> None:
    project = replace(PROJECT, stress=StressSet(SET.scenarios[2:]))
    events = carried_out(replace(spec, project=project))
    assert read_run(spec.out).scores.stress is None
    assert not any(isinstance(event, (StressReady, StressTestProgress)) for event in events)
