"""A plan by the tactical heuristic alone, as a run."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firegui.domain.operations import Operations, PinnedDrop
from firegui.errors import InputError
from firegui.runs.control import RunControl
from firegui.runs.events import PlanUpdated, Progress, StageBegan
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import HISTORY, PLAN, SCHEDULE, TacticalProgress, read_run
from firegui.runs.run_repair import check_out
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import EpochDone, FinishReason, Stage
from firegui.runs.tactical_stage import budget_problems
from tests.support import assert_same_files, make_project
from tests.unit.runs.fakes import FakeEngine, carried_out, end, problems_of, raise_at


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(make_project(), tmp_path / "run", "firegui tactical …", stages=(Stage.TACTICAL,))


def stopping(at: int, control: RunControl, *, now: bool = False) -> FakeEngine:
    return FakeEngine(during_pass=lambda number: control.request_stop(now=now) if number == at else None)


def test_it_makes_three_rounds_without_an_epoch_and_is_kept_like_any_run(spec: PlanSpec) -> None:
    engine = FakeEngine()
    events = carried_out(spec, engine)
    began = [event for event in events if isinstance(event, StageBegan)]
    assert [(event.stage, event.number, event.count) for event in began] == [(Stage.TACTICAL, 1, 1)]
    assert [(event.done, event.total) for event in events if isinstance(event, Progress)] == [(0, 3), (1, 3), (2, 3)]
    assert not any(isinstance(event, EpochDone) for event in events)
    record = read_run(spec.out)
    assert (record.stages, record.reason, record.history) == ((Stage.TACTICAL,), FinishReason.COMPLETED, ())
    assert record.scores.swept == TacticalProgress(3, 3, 3)
    assert record.scores.audit is not None
    assert {path.name for path in spec.out.iterdir()} >= {
        "run.toml", "schedule.csv", "plan.safetensors", "metrics.json", "history.csv", "occupancy.tif",
    }  # fmt: skip
    assert len((spec.out / HISTORY).read_text().splitlines()) == 1
    assert "plan" in end(events).message


def test_it_plans_at_design_effectiveness_and_is_scored_at_nominal(spec: PlanSpec) -> None:
    engine = FakeEngine()
    events = carried_out(spec, engine)
    plan, scores = spec.project.plan, read_run(spec.out).scores
    assert engine.built_with == [plan.design]
    assert scores.nominal is not None
    assert scores.design is not None
    assert scores.nominal.objective == 10.0 - 4.0 * plan.nominal.retardant
    assert scores.design.objective == 10.0 - 4.0 * plan.design.retardant
    assert "at cautious effectiveness" in end(events).message
    assert "At expected effectiveness" in end(events).message
    shown = [event for event in events if isinstance(event, PlanUpdated)]
    assert len(shown[-1].drops) == 3


def test_a_stop_keeps_the_best_round_and_going_on_ends_like_an_unbroken_run(spec: PlanSpec, tmp_path: Path) -> None:
    carried_out(replace(spec, out=tmp_path / "whole"))
    control = RunControl()
    finished = end(carried_out(spec, stopping(1, control), control))
    assert finished.reason is FinishReason.STOPPED
    assert "after 1 of 3 rounds" in finished.message
    assert finished.nominal is not None
    assert read_run(spec.out).can_resume
    again: list[int] = []
    carried_out(replace(spec, resume=True), FakeEngine(during_pass=again.append))
    assert again == [1, 2]
    assert_same_files(spec.out, tmp_path / "whole", PLAN, SCHEDULE)


def test_stopped_in_the_first_round_it_says_that_there_is_no_plan_yet(spec: PlanSpec) -> None:
    control = RunControl()
    finished = end(carried_out(spec, stopping(0, control), control))
    assert finished.reason is FinishReason.STOPPED
    assert "before the first round" in finished.message
    assert finished.nominal is None
    assert not read_run(spec.out).has_plan


def test_stopped_before_it_began_it_speaks_of_rounds_too(spec: PlanSpec) -> None:
    control = RunControl()
    control.request_stop()
    assert "before the first round" in end(carried_out(spec, FakeEngine(), control)).message


def test_a_process_killed_between_rounds_leaves_a_plan_and_goes_on(spec: PlanSpec) -> None:
    with pytest.raises(KeyboardInterrupt):
        carried_out(spec, FakeEngine(during_pass=raise_at(2, KeyboardInterrupt)))
    assert read_run(spec.out).has_plan
    again: list[int] = []
    events = carried_out(replace(spec, resume=True), FakeEngine(during_pass=again.append))
    assert again == [2]
    assert end(events).reason is FinishReason.COMPLETED


def test_the_budget_is_kept_in_the_folder_and_another_one_is_refused(spec: PlanSpec) -> None:
    control = RunControl()
    given = replace(spec, budget=1)
    carried_out(given, stopping(2, control), control)
    record = read_run(spec.out)
    assert record.header.budget == 1
    assert resume_problems(record, replace(given, resume=True)) == []
    found = [str(problem) for problem in resume_problems(record, replace(spec, resume=True))]
    assert len(found) == 1
    assert "a budget of 1 drop, now no budget" in found[0]


def test_a_finished_one_is_not_written_over(spec: PlanSpec) -> None:
    carried_out(spec)
    with pytest.raises(InputError, match="finished run"):
        check_out(spec.out, resume=False)


def test_it_goes_on_only_as_what_it_is(spec: PlanSpec) -> None:
    carried_out(spec)
    found = resume_problems(read_run(spec.out), replace(spec, stages=(Stage.OPTIMIZE,), resume=True))
    assert ["firegui tactical" in str(problem) for problem in found] == [True]


def test_a_budget_is_at_least_one_drop_and_has_room_for_the_pins() -> None:
    project = make_project()
    when = datetime(2020, 8, 19, 7, tzinfo=UTC)
    pins = tuple(PinnedDrop(when, name, 5.0, 5.0, 0.0) for name in ("R-1", "R-2"))
    pinned = replace(project, operations=Operations(pinned=pins))
    assert [str(problem.what) for problem in budget_problems(0, None)] == ["is 0"]
    assert [problem.what for problem in budget_problems(1, pinned)] == ["is 1 and 2 drops are pinned"]
    assert list(budget_problems(2, pinned)) == []
    assert list(budget_problems(None, pinned)) == []


def test_a_budget_that_cannot_be_is_refused_before_anything_is_written(spec: PlanSpec) -> None:
    assert "at least 1 drop" in problems_of(carried_out(replace(spec, budget=0)))
    assert not spec.out.exists()
