"""A study from its first cell to its tables: kept as it goes, told of, stopped, gone on with. No cluster, no engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from pyarrow import parquet

from firegui.analyses.study.cell_worker import AT_WORK, cell_folder
from firegui.analyses.study.results import CELLS, FAILED, plan_file, read_header, read_study, row_file
from firegui.domain.project import Project
from firegui.domain.study import Case, StudySettings, Vary
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.runs import runner
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Message, RunEvent, StudyProgress, StudyReady
from firegui.runs.spec import StudySpec
from firegui.runs.stages import FinishReason, RunState
from tests.support import csv_rows, make_project
from tests.unit.analyses.study_stub import FAILING, execute, settings
from tests.unit.runs.fakes import PAUSED_ONCE, end, problems_of, states


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without figures, which take longer than all of the cells."""
    monkeypatch.setattr(Engine, "draw_study", lambda *_: [])


def spec_of(out: Path, project: Project, study: StudySettings, *, resume: bool = False) -> StudySpec:
    return StudySpec(project, out, "firegui study", study, resume=resume, backend="cpu")


Watch = Callable[[RunEvent, RunControl], object]


def carried(
    spec: StudySpec, watch: Watch = lambda event, control: None, run: Callable[..., object] = execute
) -> list[RunEvent]:
    events: list[RunEvent] = []
    control = RunControl()

    def emit(event: RunEvent) -> None:
        events.append(event)
        watch(event, control)

    run(spec, emit, control)
    return events


def test_every_cell_is_kept_and_the_tables_have_a_line_for_each(tmp_path: Path, project: Project) -> None:
    events = carried(spec_of(tmp_path / "s", project, settings(project)))
    assert end(events).reason is FinishReason.COMPLETED
    assert states(events) == [RunState.PREPARING, RunState.RUNNING, RunState.FINISHED]
    found = csv_rows(tmp_path / "s" / "table.csv")
    assert list(found[0]) == ["cell", "fleet.R.count", "seed", "objective", "drops_executed"]
    assert [line["cell"] for line in found] == [str(number) for number in range(12)]
    assert found[5] == {"cell": "5", "fleet.R.count": "1", "seed": "1", "objective": "5.01", "drops_executed": "1.0"}
    columns = parquet.read_table(tmp_path / "s" / "table.parquet").to_pydict()
    assert columns["objective"] == [float(line["objective"]) for line in found]
    assert columns["fleet.R.count"] == [0] * 4 + [1] * 4 + [2] * 4
    assert plan_file(tmp_path / "s", 11).read_bytes() == b"plan"
    tables = [event.table for event in events if isinstance(event, StudyReady)]
    assert len(tables[-1].rows) == 12 and tables[-1].complete
    told = [event for event in events if isinstance(event, StudyProgress)]
    assert (told[-1].done, told[-1].cells, told[-1].left) == (12, 12, 0.0)
    assert (tmp_path / "s" / "tornado.png").is_file() and (tmp_path / "s" / "pareto.svg").is_file()
    assert not (tmp_path / "s" / "run.toml").exists()


@pytest.mark.usefixtures("undrawn")
def test_a_cell_that_fails_is_told_with_its_error_and_stops_no_other(tmp_path: Path, project: Project) -> None:
    study = settings(project, seeds=FAILING + 1)
    events = carried(spec_of(tmp_path / "s", project, study))
    finished = end(events)
    assert finished.reason is FinishReason.FAILED and "thirteen brings bad luck" in finished.message
    warned = [event.text for event in events if isinstance(event, Message) and "bad luck" in event.text]
    assert len(warned) == 3 and warned[0].startswith("cell 13 (")
    header, table = read_study(tmp_path / "s")
    assert header.reason is FinishReason.FAILED
    assert sorted(table.failed) == [13, 27, 41]
    assert len(table.rows) == 3 * FAILING
    cells = {line["cell"]: line["state"] for line in csv_rows(tmp_path / "s" / "cells.csv")}
    assert cells["13"] == "failed" and cells["12"] == "done"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.slow
def test_a_stopped_study_goes_on_with_what_is_missing_and_ends_with_the_same_tables(
    tmp_path: Path, project: Project
) -> None:
    def stop_at_five(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, StudyProgress) and len(list((tmp_path / "s" / CELLS).glob("*.json"))) >= 5:
            control.request_stop()

    study = settings(project, name="slow")
    whole = carried(spec_of(tmp_path / "whole", project, study))
    assert end(whole).reason is FinishReason.COMPLETED
    stopped = end(carried(spec_of(tmp_path / "s", project, study), stop_at_five))
    assert stopped.reason is FinishReason.STOPPED
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "s" / CELLS).glob("*.json")}
    assert 5 <= len(before) < 12
    assert end(carried(spec_of(tmp_path / "s", project, study, resume=True))).reason is FinishReason.COMPLETED
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "s" / CELLS).glob("*.json")}
    assert {name: after[name] for name in before} == before
    for name in ("table.csv", "table.parquet"):
        assert (tmp_path / "s" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.usefixtures("undrawn")
def test_cells_that_failed_are_tried_again_when_a_study_goes_on(tmp_path: Path, project: Project) -> None:
    study = settings(project, seeds=FAILING + 1)
    carried(spec_of(tmp_path / "s", project, study))
    assert (tmp_path / "s" / FAILED).is_file()
    again = carried(spec_of(tmp_path / "s", project, study, resume=True))
    tried = {event.text.split()[1] for event in again if isinstance(event, Message) and "bad luck" in event.text}
    assert tried == {"13", "27", "41"}


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_paused_no_cell_is_given_out_until_it_goes_on(tmp_path: Path, project: Project) -> None:
    counts: list[int] = []

    def hold(event: RunEvent, control: RunControl) -> None:
        done = len(list((tmp_path / "s" / CELLS).glob("*.json")))
        if isinstance(event, StudyProgress) and done == 2 and not counts:
            control.request_pause()
            counts.append(done)
        elif isinstance(event, StudyProgress) and control.pause_requested:
            counts.append(done)
            if len(counts) > 4:
                control.request_resume()

    events = carried(spec_of(tmp_path / "s", project, settings(project, name="slow")), hold)
    assert states(events) == PAUSED_ONCE
    assert max(counts) <= 3
    assert end(events).reason is FinishReason.COMPLETED


@pytest.mark.usefixtures("undrawn")
def test_a_disk_that_is_full_for_a_moment_loses_no_cell(
    tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = atomic.write_text
    refused: list[Path] = []

    def full(path: Path, text: str) -> None:
        if path.name == "00003.json" and len(refused) < 3:
            refused.append(path)
            raise InputError([Problem(str(path), "no space left on device")])
        write(path, text)

    monkeypatch.setattr(atomic, "write_text", full)
    events = carried(spec_of(tmp_path / "s", project, settings(project)))
    assert end(events).reason is FinishReason.COMPLETED
    said = [event.text for event in events if isinstance(event, Message) and "could not be saved" in event.text]
    assert said and len(refused) == 3
    assert row_file(tmp_path / "s", 3).is_file()


@pytest.mark.usefixtures("undrawn")
def test_everything_wrong_is_said_at_once_and_nothing_is_written(tmp_path: Path, project: Project) -> None:
    study = StudySettings(
        planner="clairvoyant", allowance=0, vary=(Vary("fleet.NONE.count", (1,)), Vary("nominal", (1.5,))),
        cases=(Case("odd", {"days": 400}),),
    )  # fmt: skip
    said = problems_of(carried(spec_of(tmp_path / "s", project, study)))
    for words in ("clairvoyant", "Fire simulations", "fleet.NONE.count", "How well retardant works", "case odd"):
        assert words in said
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("change", ["vary", "allowance", "days"])
def test_another_study_does_not_go_on_in_its_folder(tmp_path: Path, project: Project, change: str) -> None:
    study = settings(project)
    carried(spec_of(tmp_path / "s", project, study))
    match change:
        case "vary":
            study = settings(project, seeds=5)
        case "allowance":
            study = replace(study, allowance=77)
        case _:
            project = replace(project, plan=replace(project.plan, days=1))
    assert "was begun" in problems_of(carried(spec_of(tmp_path / "s", project, study, resume=True)))


@pytest.mark.usefixtures("undrawn")
def test_what_is_measured_may_change_when_a_study_goes_on(tmp_path: Path, project: Project) -> None:
    study = settings(project)
    carried(spec_of(tmp_path / "s", project, study))
    more = replace(study, measure=("saved_ha", "final_extent_ha"))
    assert end(carried(spec_of(tmp_path / "s", project, more, resume=True))).reason is FinishReason.COMPLETED
    assert list(csv_rows(tmp_path / "s" / "table.csv")[0])[-2:] == ["saved_ha", "final_extent_ha"]


@pytest.mark.usefixtures("undrawn")
def test_a_damaged_row_is_refused_with_its_place(tmp_path: Path, project: Project) -> None:
    carried(spec_of(tmp_path / "s", project, settings(project)))
    row_file(tmp_path / "s", 4).write_text("{", encoding="utf-8")
    said = problems_of(carried(spec_of(tmp_path / "s", project, settings(project), resume=True)))
    assert "00004.json" in said and "delete it" in said
    assert read_header(tmp_path / "s").settings.name == "stub"


def test_a_study_that_was_made_before_plans_were_tested_is_opened_without_a_worst_case(
    tmp_path: Path, project: Project, undrawn: None
) -> None:
    carried(spec_of(tmp_path / "s", project, settings(project)))
    for path in (tmp_path / "s" / CELLS).glob("*.json"):
        plain = msgspec.json.decode(path.read_bytes())
        assert plain.pop("stress") is None
        path.write_bytes(msgspec.json.encode(plain))
    _, table = read_study(tmp_path / "s")
    assert len(table.rows) == 12 and table.scenarios == ()


@pytest.mark.usefixtures("undrawn")
def test_a_killed_study_goes_on_within_the_cell_that_was_at_work(tmp_path: Path) -> None:
    project = make_project(epochs=400)
    study = StudySettings(planner="gradient", allowance=900, vary=(Vary("seed", (0, 1)),), measure=("objective",))
    out, copy = tmp_path / "s", tmp_path / "killed"
    seen: list[int] = []

    def copy_at_work(event: RunEvent, _control: RunControl) -> None:
        if isinstance(event, StudyProgress):
            seen.extend(cell.spent for cell in event.running if cell.number == 1)
            if not copy.exists() and list(cell_folder(out, 1).rglob("*.safetensors")):
                shutil.copytree(out, copy)

    carried(replace(spec_of(out, project, study), checkpoint_seconds=0.0), copy_at_work, runner.execute)
    assert not (out / AT_WORK).exists() and copy.exists()
    seen.clear()
    assert (
        end(carried(spec_of(copy, project, study, resume=True), copy_at_work, runner.execute)).reason
        is FinishReason.COMPLETED
    )
    assert min(spent for spent in seen if spent) > 30
    assert (copy / "table.csv").read_bytes() == (out / "table.csv").read_bytes()
    assert plan_file(copy, 1).read_bytes() == plan_file(out, 1).read_bytes()
    assert not (copy / AT_WORK).exists()
