"""The queue with the real engine, on a tiny fire."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness
from firegui.errors import InputError
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.io.project.schedule_file import read_project_schedule
from firegui.io.project.store import load_project, save_project
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent
from firegui.runs.lock import FolderLock
from firegui.runs.run_folder import kept_plan, read_run
from firegui.runs.run_requests import WarmStart, resume_spec
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec, RunSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage
from tests.gui.fake_runs import wait_idle as wait_idle_for
from tests.support import make_project, tiny_project

LONG_MS = 60_000
Reopen = Callable[[], RunQueue]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_project(tmp_path)


@pytest.fixture
def queue(session: Session, folder: Path) -> Iterator[RunQueue]:
    made = RunQueue(session)
    session.open_project(load_project(folder), folder)
    yield made
    made.shutdown()


@pytest.fixture
def kept_queue(session: Session, folder: Path) -> Iterator[RunQueue]:
    """Return a queue that keeps which run is shown."""
    made = RunQueue(session, preferences=Preferences())
    session.open_project(load_project(folder), folder)
    yield made
    made.shutdown()


def wait_idle(qtbot: QtBot, queue: RunQueue) -> None:
    wait_idle_for(qtbot, queue, LONG_MS)


def with_epochs(project: Project, epochs: int) -> Project:
    optimizer = replace(project.plan.optimizer, epochs=epochs, patience=epochs)
    return replace(project, plan=replace(project.plan, optimizer=optimizer))


@pytest.fixture
def planned(qtbot: QtBot, queue: RunQueue) -> RunEntry:
    """Return a finished run of both stages."""
    entry = queue.plan()
    wait_idle(qtbot, queue)
    return entry


def test_a_project_is_opened_planned_and_shown(qtbot: QtBot, session: Session, queue: RunQueue) -> None:
    wait_idle(qtbot, queue)
    assert session.result.baseline is not None
    entry = queue.plan()
    wait_idle(qtbot, queue)
    result = session.result
    assert entry.reason is FinishReason.COMPLETED
    assert entry.epoch == session.project.plan.optimizer.epochs
    assert result.plan is not None
    assert result.plan_metrics is not None
    assert sum(drop.executed for drop in result.drops) == result.plan_metrics.drops_executed == entry.drops
    assert len(read_run(entry.folder).history) == entry.epoch


@pytest.mark.parametrize(("kind", "count"), [(EpochDone, 4), (EliminationStep, 2)])
def test_a_run_stopped_in_either_stage_goes_on_to_the_plan_of_an_unbroken_one(
    qtbot: QtBot, session: Session, folder: Path, kind: type[RunEvent], count: int
) -> None:
    go = Event()

    def held(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        """Wait during a stage, because a run of so small a fire ends before it can be stopped."""
        steps = 0

        def emit_and_wait(event: RunEvent) -> None:
            nonlocal steps
            emit(event)
            steps += isinstance(event, kind)
            if steps == count:
                go.wait()

        execute(spec, emit_and_wait, control)

    queue = RunQueue(session, execute=held)
    session.open_project(with_epochs(make_project(), 60), folder)
    go.set()
    unbroken = queue.plan()
    wait_idle(qtbot, queue)
    go.clear()
    broken = queue.plan()
    done = broken.history if kind is EpochDone else broken.removals
    qtbot.waitUntil(lambda: len(done) == count, timeout=LONG_MS)
    queue.stop()
    go.set()
    wait_idle(qtbot, queue)
    stopped = broken.reason, broken.status, broken.is_resumable
    stopped_at = broken.epoch
    queue.resume_stopped(broken)
    wait_idle(qtbot, queue)
    queue.shutdown()
    assert stopped == (FinishReason.STOPPED, "stopped", True)
    assert kind is EliminationStep or stopped_at == 4
    assert broken.reason is FinishReason.COMPLETED
    for column in ("epoch", "objective", "drops"):
        assert broken.history.column(column).tolist() == unbroken.history.column(column).tolist()
    plans = [(entry.folder / "plan.safetensors").read_bytes() for entry in (broken, unbroken)]
    assert plans[0] == plans[1]


def test_runs_are_found_again_and_shown_as_they_were(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path
) -> None:
    drops, title = session.result.drops, planned.title
    session.open_project(load_project(folder), folder)
    wait_idle(qtbot, queue)
    (found,) = queue.entries
    assert session.result.drops == drops
    assert queue.shown is found
    assert (found.title, found.state, found.reason, found.stale) == (title, RunState.FINISHED, planned.reason, False)
    assert found.history.column("best").tolist() == planned.history.column("best").tolist()
    queue.show(found)
    wait_idle(qtbot, queue)
    assert session.result.drops == drops
    assert queue.shown is found


def test_a_run_made_with_other_settings_is_stale_and_still_shown_with_its_own(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path
) -> None:
    drops = session.result.drops
    project = load_project(folder)
    edited = replace(project, plan=replace(project.plan, nominal=Effectiveness(0.4, 0.4)))
    session.open_project(edited, folder)
    wait_idle(qtbot, queue)
    (found,) = queue.entries
    assert found.stale
    assert session.result.drops == ()
    queue.show(found)
    wait_idle(qtbot, queue)
    assert session.result.stale
    assert session.result.drops == drops
    assert session.result.project is not None
    assert session.result.project.plan.nominal == project.plan.nominal


def test_both_stages_are_run_listed_again_and_shown_as_they_were(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path
) -> None:
    assert planned.reason is FinishReason.COMPLETED
    assert planned.prunes
    left, before = planned.removals.last("drops"), planned.drops_before
    assert left is not None
    assert before is not None
    assert left <= before
    assert planned.drops == left == sum(drop.executed for drop in session.result.drops)
    # At design effectiveness, because the last picture was drawn at the nominal one.
    assert planned.plan == read_run(planned.folder).scores.design
    session.open_project(load_project(folder), folder)
    wait_idle(qtbot, queue)
    (found,) = queue.entries
    assert (found.stages, found.stage) == (planned.stages, Stage.PRUNE)
    for column in ("rollouts", "drops", "passes"):
        assert found.removals.last(column) == planned.removals.last(column)
    assert found.reference == planned.reference is not None


def test_a_reopened_project_shows_the_run_that_was_shown_last(
    qtbot: QtBot, session: Session, folder: Path, kept_queue: RunQueue
) -> None:
    queue = kept_queue
    planned = queue.plan()
    wait_idle(qtbot, queue)
    later = planned.folder.with_name("later")
    shutil.copytree(planned.folder, later)

    def reopen() -> Path | None:
        session.open_project(load_project(folder), folder)
        wait_idle(qtbot, queue)
        return queue.shown.folder if queue.shown is not None else None

    assert reopen() == planned.folder
    assert [entry.folder for entry in queue.entries] == [planned.folder, later]
    queue.show(queue.entries[1])
    wait_idle(qtbot, queue)
    queue.show(queue.entries[0])
    wait_idle(qtbot, queue)
    assert reopen() == planned.folder and session.result.folder == planned.folder and not session.result.stale
    # The plan of a project that was edited since is shown, and said to be of other inputs.
    project = load_project(folder)
    weights = replace(project.plan.weights, burn=project.plan.weights.burn + 1.0)
    save_project(replace(project, plan=replace(project.plan, weights=weights)), folder, replacing=True)
    assert reopen() == planned.folder and session.result.stale
    save_project(project, folder, replacing=True)
    shutil.rmtree(planned.folder)
    assert reopen() == later


def test_a_plan_is_pruned_later_in_a_run_of_its_own(
    qtbot: QtBot, session: Session, queue: RunQueue, folder: Path
) -> None:
    first = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    file = kept_plan(first.folder)
    assert file is not None
    second = queue.plan((Stage.PRUNE,), WarmStart(read_project_schedule(file, session.project), file))
    wait_idle(qtbot, queue)
    assert second.reason is FinishReason.COMPLETED
    assert second.folder.name.endswith("-prune")
    assert second.drops_before == read_run(first.folder).scores.design.drops_executed  # type: ignore[union-attr]


def test_a_damaged_run_is_named_in_the_log_and_the_others_are_listed(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path
) -> None:
    damaged = folder / "runs" / "damaged"
    damaged.mkdir()
    (damaged / "run.toml").write_text("not = [toml")
    lines: list[str] = []
    queue.logged.connect(lambda text, _level: lines.append(text))
    session.open_project(load_project(folder), folder)
    assert len(queue.entries) == 1
    assert any("damaged" in line for line in lines)
    wait_idle(qtbot, queue)


def cut_short(run: Path) -> None:
    """Make the record of a finished run look like one that was killed during its epochs."""
    header = run / "run.toml"
    # Without its checksum, as a person who edits a header has to leave it.
    lines = [line for line in header.read_text().splitlines() if not line.startswith(("reason", "#"))]
    header.write_text("\n".join('state = "running"' if line.startswith("state") else line for line in lines))


def test_a_run_without_a_plan_cannot_be_shown_and_says_so(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path, refusals: list[InputError]
) -> None:
    (planned.folder / "plan.safetensors").unlink()
    (planned.folder / "schedule.csv").unlink()
    queue.show(planned)
    assert "has no plan yet" in str(refusals[0])


def test_saving_elsewhere_lists_the_runs_of_that_folder_and_shows_the_fire_without_drops(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path
) -> None:
    copy = folder.with_name("copy.firegui")
    save_project(session.project, copy)
    session.mark_saved(copy)
    assert not queue.entries
    assert queue.shown is None
    wait_idle(qtbot, queue)
    assert session.result.drops == ()
    session.mark_saved(folder)
    assert [listed.folder for listed in queue.entries] == [planned.folder]
    wait_idle(qtbot, queue)


def test_other_regions_leave_the_fire_without_drops_on_the_map(qtbot: QtBot, session: Session, queue: RunQueue) -> None:
    wait_idle(qtbot, queue)
    before = session.result
    session.set_regions("draw", (Region.rectangle("R9", (1, 4), (1, 4)),))
    queue.show_baseline()
    wait_idle(qtbot, queue)
    after = session.result
    assert before.baseline is not None and before.baseline_metrics is not None and after.baseline_metrics is not None
    assert after.baseline is not None
    assert np.array_equal(after.baseline.fire.whole(), before.baseline.fire.whole())
    # The extent is all that the window shows of these numbers, and the regions do not change it.
    assert after.baseline_metrics.final_extent_ha == before.baseline_metrics.final_extent_ha
    assert after.baseline_metrics.protected_cells != before.baseline_metrics.protected_cells
    assert not after.stale


def test_a_run_that_another_process_is_writing_is_listed_so_and_can_be_neither_resumed_nor_discarded(
    qtbot: QtBot, session: Session, queue: RunQueue, planned: RunEntry, folder: Path, refusals: list[InputError]
) -> None:
    cut_short(planned.folder)
    held = FolderLock(planned.folder)
    session.open_project(load_project(folder), folder)
    (found,) = queue.entries
    assert found.status == "running elsewhere"
    assert not found.is_resumable
    queue.discard(found)
    assert "another run is writing this folder" in str(refusals[0])
    assert planned.folder.exists()
    held.release()
    session.open_project(load_project(folder), folder)
    assert queue.entries[0].status == "interrupted"
    assert queue.entries[0].is_resumable
    wait_idle(qtbot, queue)


def test_going_on_keeps_the_schedule_that_a_run_started_from(tmp_path: Path) -> None:
    source = tmp_path / "start.csv"
    project, out = make_project(), tmp_path / "run"
    spec = PlanSpec(
        project,
        out,
        "firegui optimize …",
        warm_start=Schedule.empty(project.calendar.n_steps, 4),
        warm_start_file=source,
    )
    execute(spec, lambda event: None, RunControl())
    again = resume_spec(project, tmp_path, out)
    assert f"--warm-start {source.resolve()}" in again.command
    fresh = resume_spec(project, tmp_path, tmp_path / "none")
    assert isinstance(fresh, PlanSpec)
    assert fresh.warm_start_file is None
