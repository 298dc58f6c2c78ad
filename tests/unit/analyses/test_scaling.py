from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firegui.analyses.scaling.report import notes_of, searches_text, study_message
from firegui.analyses.scaling.results import (
    HEADER,
    LATEX,
    QUALITY,
    TABLE,
    TIMES,
    machine_problems,
    read_header,
    read_table,
    write_header,
)
from firegui.analyses.scaling.run import bare_table
from firegui.cli.progress import scalars
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.scaling import QualityTask, ScalingSettings, ScalingTable
from firegui.domain.settings import OptimizerSettings
from firegui.errors import InputError
from firegui.planning.scaling_figures import QUALITY as QUALITY_PICTURE
from firegui.planning.scaling_figures import RATIO as RATIO_PICTURE
from firegui.runs.control import RunControl
from firegui.runs.events import Progress, RunEvent, ScalingReady
from firegui.runs.lock import FolderLock
from firegui.runs.spec import ScalingSpec
from firegui.runs.stages import FinishReason, RunState
from tests.support import csv_rows, make_project
from tests.unit.analyses.fake_scaling import row_of
from tests.unit.runs.fakes import FakeEngine, carried_out, end, problems_of, raise_at, warnings

SETTINGS = ScalingSettings(repeats=3, seeds=2)
FIRST_SEARCH = "Searching: 1 aircraft, gradient, seed 0"


def spec_of(out: Path, **changes: Any) -> ScalingSpec:
    return replace(ScalingSpec(make_project(), out, "again", SETTINGS, save_seconds=0.0), **changes)


def tables(events: Sequence[RunEvent]) -> list[ScalingTable]:
    return [event.table for event in events if isinstance(event, ScalingReady)]


def stopped(spec: ScalingSpec, *, in_round: int = -1, in_search: int = -1) -> list[RunEvent]:
    control, searches = RunControl(), [0]

    def during_search(task: QualityTask) -> None:
        if searches[0] == in_search:
            control.request_stop()
        searches[0] += 1

    engine = FakeEngine(
        during_round=lambda number: control.request_stop() if number == in_round else None, during_search=during_search
    )
    return carried_out(spec, engine, control)


def test_a_study_is_saved_with_what_made_it(tmp_path: Path) -> None:
    events = carried_out(spec_of(tmp_path / "run"))

    assert (end(events).reason, end(events).folder) == (FinishReason.COMPLETED, tmp_path / "run"), end(events).message
    table = tables(events)[-1]
    assert table.complete and read_table(tmp_path / "run") == table
    assert (len(table.rows), len(table.quality)) == (11, 4 * 2 * 2)
    header = read_header(tmp_path / "run")
    assert (header.command, header.settings, header.state) == ("again", SETTINGS, RunState.FINISHED)
    assert header.machine["processor"] == "a fake" and header.versions["python"] and header.sessions == 1
    progress = [event.text for event in events if isinstance(event, Progress)]
    assert progress[:3] == ["Timing"] * 3 and progress[3] == FIRST_SEARCH
    assert len(progress) == 3 + 16


def test_the_sheets_have_a_line_a_row_and_a_search(tmp_path: Path) -> None:
    carried_out(spec_of(tmp_path / "run"))
    times = csv_rows(tmp_path / "run" / TIMES)
    assert len(times) == 11 and times[0]["setting"] == "fleet: 1 aircraft"
    assert [float(times[0][name]) for name in ("rollout_ms", "gradient_ms", "ratio", "flying_ratio")] == [
        11.0, 22.0, 2.0, 3.0,
    ]  # fmt: skip
    assert all(int(row["dimension"]) == 4 * int(row["steps"]) * int(row["aircraft"]) for row in times)
    searches = csv_rows(tmp_path / "run" / QUALITY)
    assert len(searches) == 16 and float(searches[0]["removed"]) == 0.8
    latex = (tmp_path / "run" / LATEX).read_text(encoding="utf-8")
    assert latex.count(r" \\") == 1 + 11 and r"2.00$\times$" in latex


def test_a_stop_keeps_whole_rounds_and_resuming_ends_with_the_same(tmp_path: Path) -> None:
    out = tmp_path / "run"
    events = stopped(spec_of(out), in_round=1)
    assert end(events).reason is FinishReason.STOPPED
    assert "after 1 of 3 repeats and 0 of 16 searches" in end(events).message
    assert {row.repeats for row in read_table(out).rows} == {1}

    again = carried_out(spec_of(out, resume=True))
    assert [event.text for event in again if isinstance(event, Progress)][:3] == ["Timing", "Timing", FIRST_SEARCH]
    carried_out(spec_of(tmp_path / "whole"))
    assert read_table(out) == read_table(tmp_path / "whole")
    assert read_header(out).sessions == 2


def test_searches_that_are_done_are_not_made_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert "5 of 16 searches" in end(stopped(spec_of(out), in_search=5)).message
    made: list[QualityTask] = []
    rounds: list[int] = []
    carried_out(spec_of(out, resume=True), FakeEngine(during_search=made.append, during_round=rounds.append))
    assert (len(made), rounds) == (11, [])
    assert read_table(out).complete


def test_more_may_be_asked_for_later(tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out, settings=replace(SETTINGS, quality=False)))
    assert not (out / QUALITY).exists() and read_table(out).complete
    events = carried_out(spec_of(out, settings=replace(SETTINGS, repeats=4, seeds=1), resume=True))
    assert end(events).reason is FinishReason.COMPLETED
    assert {row.repeats for row in read_table(out).rows} == {4} and len(read_table(out).quality) == 8


def test_a_study_of_something_else_is_not_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    project = make_project()
    slower = replace(project, plan=replace(project.plan, optimizer=OptimizerSettings(full_carry=False)))
    for changes, words in (
        ({"settings": replace(SETTINGS, evaluations=500)}, "Fire simulations = 600, now 500"),
        ({"project": slower}, "Full carry = True, now False"),
        ({"project": make_project(seed=1)}, "another event"),
    ):
        assert words in problems_of(carried_out(spec_of(out, resume=True, **changes)))


def test_timings_of_two_machines_are_not_mixed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    stopped(spec_of(out), in_round=1)
    header = read_header(out)
    write_header(out, replace(header, machine={**header.machine, "cores": 64}))
    finished = end(carried_out(spec_of(out, resume=True)))
    assert [problem.what for problem in finished.problems] == ["was timed with cores 64, now cores 2"]
    assert machine_problems(header, header, out) == []


def test_timings_of_two_versions_are_not_mixed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    stopped(spec_of(out), in_round=1)
    header = read_header(out)
    write_header(out, replace(header, versions={**header.versions, "torch": "1.0", "cma": "1.0"}))
    found = [problem.what for problem in end(carried_out(spec_of(out, resume=True))).problems]
    assert len(found) == 2 and "cma 1.0, now" in found[0] and "torch 1.0, now" in found[1]


def test_pictures_of_less_than_is_asked_for_now_do_not_stay(tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    pictures = [out / f"{name}.{kind}" for name in (RATIO_PICTURE, QUALITY_PICTURE) for kind in ("png", "svg")]
    for picture in pictures:
        picture.write_text("of three repeats")
    carried_out(spec_of(out, resume=True))
    assert all(picture.exists() for picture in pictures), "nothing was added"
    stopped(spec_of(out, settings=replace(SETTINGS, repeats=5), resume=True), in_round=4)
    assert not any(picture.exists() for picture in pictures)


def test_as_many_seeds_are_named_as_there_are(tmp_path: Path) -> None:
    out = tmp_path / "run"
    stopped(spec_of(out), in_search=6)  # at the first fleet size 4 are done, at the second 2
    table = read_table(out)
    assert ", 1 to 2 seeds each" in searches_text(table)
    fewer = replace(table, quality=table.quality[:4], settings=replace(table.settings, seeds=1))
    assert ", 2 seeds each" in searches_text(fewer), "what is done stays"


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_that_cannot_be_used_is_refused_and_left_as_it_is(tmp_path: Path, resume: bool) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert "holds no scaling study" in problems_of(carried_out(spec_of(tmp_path, resume=resume)))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_finished_study_is_not_overwritten_and_one_at_work_not_joined(tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    assert "--resume" in str(end(carried_out(spec_of(out))).problems[0])
    lock = FolderLock(out)
    assert "another run" in str(end(carried_out(spec_of(out, resume=True))).problems[0])
    lock.release()


def test_all_that_is_wrong_is_named_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    project: Project = make_project()
    broken = replace(project, plan=replace(project.plan, days=99))
    finished = end(carried_out(spec_of(tmp_path / "run", project=broken, settings=ScalingSettings(repeats=0, seeds=0))))
    assert len(finished.problems) >= 3 and not (tmp_path / "run").exists()


def test_a_failure_is_noted_and_what_was_saved_stays(tmp_path: Path) -> None:
    finished = end(carried_out(spec_of(tmp_path / "run"), FakeEngine(during_round=raise_at(2, MemoryError))))
    header = read_header(tmp_path / "run")
    assert finished.reason is header.reason is FinishReason.FAILED and "memory" in header.message
    assert {row.repeats for row in read_table(tmp_path / "run").rows} == {2}


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_text('{"event": 3}')
    with pytest.raises(InputError, match=TABLE):
        read_table(tmp_path)
    with pytest.raises(InputError):
        read_table(tmp_path / "none")


def test_a_study_killed_before_its_first_round_can_begin_anew(tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    for path in out.iterdir():
        if path.name not in (HEADER, ".lock"):
            path.unlink()
    assert end(carried_out(spec_of(out))).reason is FinishReason.COMPLETED


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    capped = replace(make_project(), operations=Operations(hard_cap=3))
    events = carried_out(spec_of(tmp_path / "run", project=capped))
    said = warnings(events)
    assert said == list(read_table(tmp_path / "run").notes) and "left out" in said[0]
    assert "--cut-carry" in notes_of(make_project(), "cuda")[0] and notes_of(make_project(), "cpu") == ()


def test_the_log_says_what_there_is(tmp_path: Path) -> None:
    table = bare_table(spec_of(tmp_path), "cpu")
    assert scalars(ScalingReady(table)) == {"event": "scaling", "rows": 0, "searches": 0, "complete": False}
    assert "before every setting was timed once" in study_message(table, FinishReason.STOPPED)
    timed = replace(table, rows=tuple(row_of(case, 3) for case in table.cases))
    assert "a gradient step costs 2.00 ± 0.00 rollouts (2.00 to 2.00)" in study_message(timed, FinishReason.COMPLETED)
