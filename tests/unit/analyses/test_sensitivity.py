from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firegui.analyses.sensitivity.results import HEADER, SHEET, TABLE, read_header, read_table, table_csv, write_table
from firegui.cli.progress import scalars
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import DesignRow, Row, SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.domain.settings import DESIGN, NOMINAL, Effectiveness, Margin
from firegui.domain.uncertainty import PAPER_BEAR, ErrorFit, ErrorSource
from firegui.errors import InputError, Problem
from firegui.runs.control import RunControl
from firegui.runs.events import Progress, RunEvent, SensitivityReady, StateChanged
from firegui.runs.lock import FolderLock
from firegui.runs.run_folder import RUN, read_run
from firegui.runs.spec import SensitivitySpec
from firegui.runs.stages import EpochDone, FinishReason, RunState
from tests.support import assert_same_files, make_project
from tests.unit.domain.tables import sensitivity_tables
from tests.unit.runs.fakes import PAUSED_ONCE, FakeEngine, carried_out, end, raise_at, states, two_drops

PAIRS = (Effectiveness(0.9, 0.9), Effectiveness(0.4, 0.5))
SWEEP = SensitivitySettings(designs=(NOMINAL, DESIGN), seed=11)
EPOCHS = 4


def scored_spec(out: Path, **changes: Any) -> SensitivitySpec:
    project = make_project()
    spec = SensitivitySpec(
        project, out, "again", SensitivityKind.EFFECTIVENESS, SensitivitySettings(pairs=PAIRS), two_drops(project)
    )
    return replace(spec, **changes)


def sweep_spec(out: Path, **changes: Any) -> SensitivitySpec:
    spec = SensitivitySpec(make_project(epochs=EPOCHS), out, "again", SensitivityKind.DESIGN, SWEEP)
    return replace(spec, **changes)


def tables(events: Sequence[RunEvent]) -> list[SensitivityTable[Row]]:
    return [event.table for event in events if isinstance(event, SensitivityReady)]


def epochs_of(events: Sequence[RunEvent]) -> list[int]:
    return [event.epoch for event in events if isinstance(event, EpochDone)]


def designs(table: SensitivityTable[Row]) -> list[Effectiveness]:
    return [row.design for row in table.rows if isinstance(row, DesignRow)]


def stopped_in(epoch_number: int, out: Path, **changes: Any) -> list[RunEvent]:
    """A sweep that is stopped before its ``epoch_number``-th epoch, counted from 0 over all plans."""
    control, done = RunControl(), [0]

    def during_epoch(_: int) -> None:
        if done[0] == epoch_number:
            control.request_stop()
        done[0] += 1

    return carried_out(sweep_spec(out, **changes), FakeEngine(during_epoch=during_epoch), control)


@pytest.mark.parametrize("table", sensitivity_tables(), ids=lambda table: table.kind.value)
def test_a_table_reads_back_equal(table: SensitivityTable[Row], tmp_path: Path) -> None:
    write_table(tmp_path, table)
    assert read_table(tmp_path) == table
    assert len((tmp_path / SHEET).read_text().splitlines()) == 1 + len(table.rows)


def test_the_sheet_of_a_sweep_leaves_empty_what_was_not_sampled() -> None:
    first, second = (line.split(",") for line in table_csv(sensitivity_tables()[3]).splitlines()[1:])
    assert "0.85" in first[8:9] and second[8] == ""


def test_a_log_hears_which_table_is_ready_and_how_long_it_is() -> None:
    record = scalars(SensitivityReady(sensitivity_tables()[3]))
    assert record == {"event": "sensitivity", "kind": "design", "rows": 2, "complete": True}


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_text('{"kind": "pose", "rows": 3}')
    with pytest.raises(InputError, match=TABLE):
        read_table(tmp_path)
    with pytest.raises(InputError):
        read_table(tmp_path / "none")


def test_a_scored_table_comes_with_its_baseline_and_is_saved_with_what_made_it(tmp_path: Path) -> None:
    events = carried_out(scored_spec(tmp_path / "run"))

    (table,) = tables(events)
    assert (end(events).reason, end(events).folder) == (FinishReason.COMPLETED, tmp_path / "run")
    assert table.complete and table.schedule == "2 drops"
    assert table.baseline.drops == 0 and table.scored is not None and table.scored.drops == 2
    assert read_table(tmp_path / "run") == table
    header = read_header(tmp_path / "run")
    assert (header.command, header.kind, header.state) == ("again", SensitivityKind.EFFECTIVENESS, RunState.FINISHED)
    assert header.settings.pairs == PAIRS and header.schedule and header.project_hash and header.versions["python"]
    assert [event.done for event in events if isinstance(event, Progress)] == [0, 1]


def test_a_stop_writes_nothing_of_a_scored_table(tmp_path: Path) -> None:
    control = RunControl()
    engine = FakeEngine(during_rollout=lambda number: control.request_stop() if number == 3 else None)
    finished = end(carried_out(scored_spec(tmp_path / "run"), engine, control))

    assert (finished.reason, finished.folder) == (FinishReason.STOPPED, None)
    assert not (tmp_path / "run").exists()


def test_a_sweep_plans_at_every_design_and_scores_at_nominal(tmp_path: Path) -> None:
    engine = FakeEngine()
    events = carried_out(sweep_spec(tmp_path / "run"), engine)

    assert end(events).reason is FinishReason.COMPLETED, end(events).message
    table = tables(events)[-1]
    assert designs(table) == [NOMINAL, DESIGN]
    assert [len(one.rows) for one in tables(events)] == [1, 2] and [one.complete for one in tables(events)] == [
        False,
        True,
    ]
    assert engine.built_with == [NOMINAL, NOMINAL, DESIGN]
    assert epochs_of(events) == [*range(EPOCHS), *range(EPOCHS)]
    for row in table.rows:
        assert isinstance(row, DesignRow)
        record = read_run(tmp_path / "run" / row.folder)
        assert record.settings.design == row.design and record.settings.optimizer.seed == SWEEP.seed
        assert record.metrics is not None and record.metrics.final_extent_cells == row.reading.final_extent_cells
        assert row.epochs == EPOCHS
        assert row.state_sampling.reduction is None and row.state_sampling.reason
        assert row.model_error.reduction is None and row.model_error.reason


def test_a_sweep_makes_the_papers_plans_whatever_the_margin_of_the_project_is(tmp_path: Path) -> None:
    project = make_project(epochs=EPOCHS).with_margin(Margin.STRESS)
    for name, spec in (
        ("none", sweep_spec(tmp_path / "none")),
        ("stress", sweep_spec(tmp_path / "stress", project=project)),
    ):
        assert end(carried_out(spec)).reason is FinishReason.COMPLETED, name
        assert read_run(spec.out / "design-0.9-0.9").settings.margin.kind is Margin.NONE
    plan = Path("design-0.9-0.9") / "plan.safetensors"
    assert_same_files(tmp_path / "none", tmp_path / "stress", str(plan))


def test_the_monte_carlo_columns_compare_sampled_fires_with_and_without_drops(tmp_path: Path) -> None:
    spec = sweep_spec(tmp_path / "run", settings=replace(SWEEP, members=3))
    engine = FakeEngine()
    events = carried_out(spec, engine)

    rows = [row for row in tables(events)[-1].rows if isinstance(row, DesignRow)]
    for columns in ([row.state_sampling for row in rows], [row.model_error for row in rows]):
        assert [(column.reduction, column.members) for column in columns] == [(0.5, 3), (0.5, 3)]
        assert columns[0].error == pytest.approx(0.0)
    assert engine.error_fits == 1, "the plans of a sweep meet the same model error"
    assert [error is None for error in engine.drawn_with] == [True, False, True, False]
    texts = [event.text for event in events if isinstance(event, Progress)]
    assert texts[1] == "Sampling 3 fires" and len(texts) == 4


def test_the_papers_model_error_is_taken_where_it_was_asked_for(tmp_path: Path) -> None:
    engine = FakeEngine()
    settings = replace(SWEEP, members=2, designs=(NOMINAL,), error=ErrorSource.PAPER)
    carried_out(sweep_spec(tmp_path / "run", settings=settings), engine)
    assert engine.error_fits == 0 and engine.drawn_with == [None, PAPER_BEAR]


def test_a_model_error_that_cannot_be_fitted_leaves_its_column_empty_and_says_why(tmp_path: Path) -> None:
    class Unobserved(FakeEngine):
        def fit_error(self, *given: Any, **named: Any) -> ErrorFit:
            raise InputError([Problem("perimeters", "the event has none")])

    events = carried_out(sweep_spec(tmp_path / "run", settings=replace(SWEEP, members=3)), Unobserved())
    rows = [row for row in tables(events)[-1].rows if isinstance(row, DesignRow)]
    assert [row.model_error.reason for row in rows] == ["perimeters: the event has none"] * 2
    assert rows[0].state_sampling.reduction == 0.5


def test_a_stopped_sweep_keeps_what_is_done_and_resumes_to_the_same_table(tmp_path: Path) -> None:
    whole = tables(carried_out(sweep_spec(tmp_path / "whole")))[-1]
    events = stopped_in(EPOCHS + 2, tmp_path / "run")

    assert end(events).reason is FinishReason.STOPPED and "1 of 2 plans" in end(events).message
    part = read_table(tmp_path / "run")
    assert designs(part) == [NOMINAL] and not part.complete
    again = carried_out(sweep_spec(tmp_path / "run", resume=True))
    assert end(again).reason is FinishReason.COMPLETED
    assert epochs_of(again) == [2, 3], "the finished plan is kept and the other goes on"
    table = read_table(tmp_path / "run")
    assert _timeless(table) == _timeless(whole)
    assert epochs_of(carried_out(sweep_spec(tmp_path / "run", resume=True))) == []


def test_a_sweep_stopped_before_its_first_plan_resumes(tmp_path: Path) -> None:
    events = stopped_in(0, tmp_path / "run")
    assert end(events).reason is FinishReason.STOPPED
    assert read_table(tmp_path / "run").rows == ()
    assert len(tables(carried_out(sweep_spec(tmp_path / "run", resume=True)))[-1].rows) == 2


def test_a_failing_plan_ends_the_sweep_and_leaves_it_to_be_resumed(tmp_path: Path) -> None:
    finished = end(carried_out(sweep_spec(tmp_path / "run"), FakeEngine(during_epoch=raise_at(2, MemoryError))))
    assert finished.reason is FinishReason.FAILED and "memory" in finished.message
    assert read_header(tmp_path / "run").reason is FinishReason.FAILED
    assert read_run(tmp_path / "run" / "design-0.9-0.9").reason is FinishReason.FAILED
    assert end(carried_out(sweep_spec(tmp_path / "run", resume=True))).reason is FinishReason.COMPLETED


def test_a_sweep_holds_while_it_is_paused(tmp_path: Path) -> None:
    control, epochs = RunControl(), iter(range(100))

    def pause_in_the_second(_epoch: int) -> None:
        if next(epochs) == 1:
            control.request_pause()

    def resume(event: RunEvent) -> None:
        if event == StateChanged(RunState.PAUSED):
            control.request_resume()

    engine = FakeEngine(during_epoch=pause_in_the_second)
    assert states(carried_out(sweep_spec(tmp_path / "run"), engine, control, resume)) == PAUSED_ONCE


def test_everything_wrong_is_listed_and_nothing_written(tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    bad = SensitivitySettings(pairs=(Effectiveness(2.0, 0.5),), draws=0)
    other = Schedule.empty(3, 1)
    texts = [str(problem) for problem in end(carried_out(scored_spec(out, settings=bad, schedule=other))).problems]

    assert len(texts) == 4
    for part, text in zip(
        ("Draws is 0", "How well retardant works is 2.0", "3 steps and 1 aircraft", "not empty"), texts, strict=True
    ):
        assert part in text
    assert [path.name for path in out.iterdir()] == ["mine.txt"]
    missing = end(carried_out(scored_spec(tmp_path / "new", schedule=None)))
    assert "--schedule" in str(missing.problems[0]) and not (tmp_path / "new").exists()


def test_a_table_is_not_overwritten_but_for_a_resume_with_the_same_settings(tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = tables(carried_out(scored_spec(out)))[-1]

    def problems(**changes: Any) -> str:
        return "\n".join(map(str, end(carried_out(scored_spec(out, **changes))).problems))

    assert "holds a table" in problems()
    assert "Effectiveness = 0.9/0.9, 0.4/0.5, now 0.9/0.9" in problems(
        resume=True, settings=SensitivitySettings(pairs=PAIRS[:1])
    )
    project = make_project()
    plan = replace(project.plan, nominal=Effectiveness(0.8, 0.8))
    assert "How well retardant works = 0.9, now 0.8" in problems(resume=True, project=replace(project, plan=plan))
    assert "another event" in problems(resume=True, project=make_project(seed=5))
    heavier = replace(project.regions[0], weight=2.0)
    assert "other regions" in problems(resume=True, project=replace(project, regions=(heavier,)))
    assert "another schedule" in problems(resume=True, schedule=Schedule.empty(20, 4))
    assert "effectiveness, not pose" in problems(resume=True, kind=SensitivityKind.POSE)
    nothing = end(carried_out(scored_spec(tmp_path / "new", resume=True)))
    assert "no table to resume" in str(nothing.problems[0])
    assert tables(carried_out(scored_spec(out, resume=True))) == [first]


def test_a_folder_that_another_run_is_writing_is_refused(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "run")
    finished = end(carried_out(sweep_spec(tmp_path / "run")))
    lock.release()
    assert "another run" in str(finished.problems[0])
    assert not (tmp_path / "run" / HEADER).exists()


def test_a_folder_with_the_plan_of_another_project_is_not_taken_for_the_sweeps(tmp_path: Path) -> None:
    carried_out(sweep_spec(tmp_path / "other", project=make_project(seed=7, epochs=EPOCHS)))
    stopped_in(0, tmp_path / "run")
    place = tmp_path / "run" / "design-0.9-0.9"
    for path in list(place.iterdir()):
        path.unlink()
    for path in (tmp_path / "other" / "design-0.9-0.9").iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    before = (place / RUN).read_bytes()

    finished = end(carried_out(sweep_spec(tmp_path / "run", resume=True)))
    assert "another event" in str(finished.problems[0])
    assert (place / RUN).read_bytes() == before


def _timeless(table: SensitivityTable[Row]) -> list[Row]:
    return [replace(row, seconds=0.0) if isinstance(row, DesignRow) else row for row in table.rows]
