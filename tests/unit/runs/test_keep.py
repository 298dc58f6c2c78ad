"""A schedule that was made by hand, kept as a run: nothing added, nothing removed, scored and audited."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.drops import Drop, DropList
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.control import RunControl
from firegui.runs.events import PlanUpdated, RunEvent, RunFinished
from firegui.runs.header import new_header
from firegui.runs.run_folder import read_drops, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason, Stage
from tests.support import make_project

PROJECT = make_project(seed=3)
DROPS = DropList((Drop(2, 0, 5.0, 6.0, 0.3), Drop(6, 3, 9.0, 12.0, 1.0), Drop(14, 0, 7.0, 9.0, 1.2)))


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    schedule = DROPS.schedule(PROJECT.calendar.n_steps, PROJECT.planned_fleet.n_aircraft)
    file = tmp_path / "by-hand.safetensors"
    return PlanSpec(
        PROJECT, tmp_path / "run", "firegui keep …", stages=(Stage.KEEP,), warm_start=schedule, warm_start_file=file
    )


def carry_out(spec: PlanSpec) -> list[RunEvent]:
    events: list[RunEvent] = []
    execute(spec, events.append, RunControl())
    return events


def test_the_run_holds_the_very_drops_with_scores_audit_and_pictures(spec: PlanSpec) -> None:
    events = carry_out(spec)
    end = events[-1]
    assert isinstance(end, RunFinished) and end.reason is FinishReason.COMPLETED
    assert "kept as it was given" in end.message
    record = read_run(spec.out)
    assert record.stages == (Stage.KEEP,) and record.warm_start_file == spec.warm_start_file
    assert record.scores.audit is not None and record.scores.audit.ok and record.scores.audit.executed == 3
    assert record.scores.nominal is not None and record.scores.design is not None
    assert DropList.of(read_drops(spec.out)) == DROPS
    plan = read_schedule(spec.out / "plan.safetensors", PROJECT.planned_fleet, 20, (16, 20))
    assert np.array_equal(plan.poses, spec.warm_start.poses)  # type: ignore[union-attr]
    assert any(isinstance(event, PlanUpdated) for event in events)


def test_the_run_whose_plan_was_edited_is_kept_by_its_place_beside(spec: PlanSpec) -> None:
    carry_out(replace(spec, edited_from=spec.out.with_name("before")))
    assert read_run(spec.out).edited_from == spec.out.with_name("before")
    moved = spec.out.parent / "elsewhere" / "run"
    moved.parent.mkdir()
    spec.out.rename(moved)
    record = read_run(moved)
    assert record.edited_from == moved.with_name("before")
    assert new_header(replace(spec, resume=True), "cpu", "cpu", record.header).edited_from == "before"


def test_the_schedule_that_it_started_from_is_found_where_its_project_is_now(spec: PlanSpec, tmp_path: Path) -> None:
    project, moved = tmp_path / "fire.firegui", tmp_path / "moved.firegui"
    out, file = project / "runs" / "later", project / "runs" / "first" / "plan.safetensors"
    carry_out(replace(spec, out=out, project_folder=project, warm_start_file=file))
    assert read_run(out).warm_start_file == file
    project.rename(moved)
    assert read_run(moved / "runs" / "later").warm_start_file == moved / "runs" / "first" / "plan.safetensors"
    shutil.copytree(moved / "runs" / "later", tmp_path / "later")
    assert read_run(tmp_path / "later").warm_start_file == file, "a run outside a project keeps the whole path"


def test_without_a_schedule_it_does_not_begin(spec: PlanSpec) -> None:
    end = carry_out(replace(spec, warm_start=None, warm_start_file=None))[-1]
    assert isinstance(end, RunFinished) and end.reason is FinishReason.FAILED
    assert "there is none to keep" in str(end.problems[0])
    assert not spec.out.exists()


def test_one_that_was_stopped_goes_on(spec: PlanSpec) -> None:
    control = RunControl()

    def stop_at_once(event: RunEvent) -> None:
        control.request_stop(now=True)

    execute(spec, stop_at_once, control)
    ends: list[RunEvent] = []
    execute(replace(spec, resume=(spec.out / "run.toml").exists()), ends.append, RunControl())
    assert isinstance(ends[-1], RunFinished) and ends[-1].reason is FinishReason.COMPLETED
    assert DropList.of(read_drops(spec.out)) == DROPS
