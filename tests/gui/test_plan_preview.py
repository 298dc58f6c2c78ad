"""Edited drops: the latest request wins, no edit is lost, and a saved plan is an ordinary run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.drops import Drop, DropList
from firegui.errors import Check, InputError, Problem
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.drop_edits import make, moved
from firegui.gui.planning.edited_plan_saver import BY_HAND, UNSAVED
from firegui.gui.planning.plan_preview import PlanPreview
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session, ShownResult
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.plan_preview import PreviewRequest, PreviewResult
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import Stage
from tests.gui.fake_runs import FakeExecute
from tests.gui.plan_editor_scene import DROPS, FakePreviewer, preview_of, settled, show_plan, shows_preview_of

LONG_MS = 60_000

FIRST = DROPS.drops[0]


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute()


@pytest.fixture
def queue(session: Session, execute: FakeExecute) -> Iterator[RunQueue]:
    made = RunQueue(session, execute=execute, clock=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def plan_preview(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[PlanPreview]:
    with preview_of(session, queue, FakePreviewer()) as made:
        qtbot.waitUntil(lambda: not queue.activity, timeout=LONG_MS)
        show_plan(session)
        yield made


def nudge(session: Session, x: float) -> None:
    """Move the first drop to column ``x``."""
    drop = session.plan_editor.drops.at(FIRST.key)
    assert drop is not None and make(session, moved(session, drop, replace(drop, x=x)))


def kept_files(folder: Path) -> list[Path]:
    return sorted((folder / BY_HAND).glob("*.safetensors"))


# -- keeping ---------------------------------------------------------------------------------------------------------
def test_saving_the_project_keeps_the_edited_drops_as_a_run(
    qtbot: QtBot, session: Session, plan_preview: PlanPreview, execute: FakeExecute, tmp_path: Path
) -> None:
    nudge(session, 31.5)
    session.mark_saved(tmp_path)
    (file,) = kept_files(tmp_path)
    project = session.project
    schedule = read_schedule(file, project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape)
    expected = DROPS.exchanged(FIRST, replace(FIRST, x=31.5)).schedule(*schedule.logits.shape)
    assert np.array_equal(schedule.poses[schedule.proposed], expected.poses[expected.proposed])
    qtbot.waitUntil(lambda: bool(execute.runs), timeout=LONG_MS)
    (spec,) = execute.runs
    assert spec.stages == (Stage.KEEP,) and spec.warm_start_file == file
    assert spec.command.startswith("firegui keep ") and str(file) in spec.command
    assert not plan_preview.saver.has_unsaved


def test_kept_drops_are_not_kept_again(session: Session, plan_preview: PlanPreview, tmp_path: Path) -> None:
    nudge(session, 31.5)
    session.mark_saved(tmp_path)
    nudge(session, 33.0)
    session.undo_stack.undo()
    assert not session.is_dirty and len(kept_files(tmp_path)) == 1
    session.undo_stack.undo()
    assert not plan_preview.saver.has_unsaved
    session.undo_stack.redo()
    session.mark_saved(tmp_path)
    assert len(kept_files(tmp_path)) == 1


def test_an_edited_plan_is_kept_when_another_is_shown(
    session: Session, plan_preview: PlanPreview, tmp_path: Path
) -> None:
    session.mark_saved(tmp_path)
    nudge(session, 31.5)
    assert kept_files(tmp_path) == []
    session.show_result(ShownResult("other", plan=session.result.plan, project=session.project))
    assert len(kept_files(tmp_path)) == 1


def test_edited_drops_wait_for_the_first_save(session: Session, plan_preview: PlanPreview) -> None:
    nudge(session, 31.5)
    assert not plan_preview.saver.keep() and plan_preview.saver.has_unsaved and session.is_dirty


def test_a_failed_write_is_reported_and_the_drops_stay_unkept(
    session: Session, plan_preview: PlanPreview, refusals: list[InputError], tmp_path: Path
) -> None:
    (tmp_path / BY_HAND).write_text("in the way")
    nudge(session, 31.5)
    session.mark_saved(tmp_path)
    assert len(refusals) == 1 and plan_preview.saver.has_unsaved


def test_a_killed_program_leaves_the_drops_in_a_file_that_the_next_start_names(
    qtbot: QtBot, session: Session, plan_preview: PlanPreview, queue: RunQueue, tmp_path: Path, messages: list[str]
) -> None:
    session.mark_saved(tmp_path)
    nudge(session, 31.5)
    qtbot.waitUntil(lambda: (tmp_path / BY_HAND / UNSAVED).is_file())
    left = (tmp_path / BY_HAND / UNSAVED).read_bytes()
    session.undo_stack.undo()
    assert kept_files(tmp_path) == []
    # As a crash would have left it.
    (tmp_path / BY_HAND / UNSAVED).write_bytes(left)
    session.open_project(session.project, tmp_path)
    (file,) = kept_files(tmp_path)
    assert file.read_bytes() == left and file.name.startswith("recovered-") and str(file) in messages[-1]


# -- looking ---------------------------------------------------------------------------------------------------------
class Slow:
    """Engine that answers when released."""

    def __init__(self) -> None:
        self.let, self.at_work = threading.Event(), threading.Event()
        self.fake = FakePreviewer()

    def __call__(self, request: PreviewRequest, check: Check) -> PreviewResult:
        self.at_work.set()
        assert self.let.wait(10.0)
        return self.fake(request, check)


@pytest.fixture
def slow(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[Slow]:
    """Return the engine of the preview of a shown plan, once the window is idle."""
    qtbot.waitUntil(lambda: not queue.activity, timeout=LONG_MS)
    engine = Slow()
    with preview_of(session, queue, engine):
        show_plan(session)
        yield engine


def test_only_the_latest_wish_is_worked_out_after_the_one_at_work(qtbot: QtBot, session: Session, slow: Slow) -> None:
    assert slow.at_work.wait(10.0)
    for column in range(31, 41):
        session.plan_editor.request_preview(moved(session, FIRST, replace(FIRST, x=float(column))))
    slow.let.set()
    last = session.plan_editor.change
    assert last is not None
    qtbot.waitUntil(lambda: shows_preview_of(session, last))
    assert [request.after for request in slow.fake.requests] == [DROPS, last.after]


def test_an_edit_shows_its_effect_and_its_fire_however_long_the_engine_was_busy(
    qtbot: QtBot, session: Session, slow: Slow
) -> None:
    assert slow.at_work.wait(10.0)
    nudge(session, 31.0)
    change = session.plan_editor.change
    assert change is not None
    slow.let.set()
    settled(qtbot, session)
    qtbot.waitUntil(lambda: shows_preview_of(session, change))


def test_a_drop_that_is_picked_up_puts_the_fire_of_the_edit_before_off(
    qtbot: QtBot, session: Session, queue: RunQueue
) -> None:
    at_frames = threading.Event()
    fake = FakePreviewer()

    def look(request: PreviewRequest, check: Check) -> PreviewResult:
        if request.stride is not None and not at_frames.is_set():
            at_frames.set()
            while True:
                check()
        return fake(request, check)

    qtbot.waitUntil(lambda: not queue.activity, timeout=LONG_MS)
    with preview_of(session, queue, look):
        show_plan(session)
        nudge(session, 31.0)
        assert at_frames.wait(10.0)
        drop = session.plan_editor.drops.at(FIRST.key)
        assert drop is not None
        session.plan_editor.request_preview(moved(session, drop, drop))
        settled(qtbot, session)


def test_nothing_is_shown_of_what_nobody_wonders_about_any_more(session: Session, slow: Slow) -> None:
    session.plan_editor.request_preview(moved(session, FIRST, replace(FIRST, x=40.0)))
    session.plan_editor.request_preview(None)
    slow.let.set()
    QApplication.processEvents()
    assert session.plan_editor.preview is None


def test_what_goes_wrong_is_told_once_and_the_next_look_is_fine(
    qtbot: QtBot, session: Session, queue: RunQueue, refusals: list[InputError]
) -> None:
    fails = [True]

    def look(request: PreviewRequest, check: Check) -> PreviewResult:
        if fails.pop() if fails else False:
            raise InputError([Problem("memory", "does not suffice", "close something")])
        return FakePreviewer()(request, check)

    qtbot.waitUntil(lambda: not queue.activity, timeout=LONG_MS)
    with preview_of(session, queue, look):
        show_plan(session)
        qtbot.waitUntil(lambda: len(refusals) == 1)
        nudge(session, 31.5)
        settled(qtbot, session)
    assert session.result.plan_metrics is not None and len(refusals) == 1


def test_the_question_follows_the_shown_step(qtbot: QtBot, session: Session, plan_preview: PlanPreview) -> None:
    before = session.plan_editor.drops
    session.plan_editor.request_preview(DropChange(before, before.minus(FIRST), FIRST, "Without this drop"))
    session.set_step(103)
    qtbot.waitUntil(lambda: session.plan_editor.preview is not None and session.plan_editor.preview.request.step == 100)


def test_edits_one_after_another_end_with_the_fire_of_the_last(
    qtbot: QtBot, session: Session, plan_preview: PlanPreview
) -> None:
    for x in (31.0, 32.0, 33.0):
        nudge(session, x)
    settled(qtbot, session)
    last = DropList(tuple(sorted((*DROPS.drops[1:], replace(FIRST, x=33.0)))))
    assert session.plan_editor.drops == last and DropList.of(session.result.drops) == last
    assert session.result.plan_metrics is not None
    assert session.result.plan_metrics.objective == pytest.approx(1000.0 - sum(10.0 + d.x for d in last.drops))


def test_a_shown_run_at_work_is_left_alone(qtbot: QtBot, session: Session, queue: RunQueue, tmp_path: Path) -> None:
    queue._execute = FakeExecute(endless=True)
    with preview_of(session, queue, FakePreviewer()):
        session.mark_saved(tmp_path)
        queue.plan()
        qtbot.waitUntil(lambda: session.result.plan is not None)
        assert "still running" in session.plan_editor.obstacle
        assert not make(session, moved(session, FIRST, Drop(1, 0, 5.0, 5.0, 0.0)))
        queue.stop()
        qtbot.waitUntil(lambda: not queue.is_busy, timeout=LONG_MS)
        assert not session.plan_editor.obstacle


def test_it_waits_for_its_thread_at_the_end(session: Session, queue: RunQueue) -> None:
    slow = Slow()
    slow.let.set()
    with preview_of(session, queue, slow) as plan_preview:
        show_plan(session)
        assert slow.at_work.wait(10.0)
        assert plan_preview._task is not None
        plan_preview.shutdown()
        assert plan_preview._task is None


def test_the_spec_of_a_kept_plan_is_of_the_project_it_was_made_for(
    qtbot: QtBot, session: Session, plan_preview: PlanPreview, execute: FakeExecute, tmp_path: Path
) -> None:
    made_for = session.project
    nudge(session, 31.5)
    session.set_plan("days", replace(made_for.plan, days=2))
    session.mark_saved(tmp_path)
    qtbot.waitUntil(lambda: bool(execute.runs), timeout=LONG_MS)
    assert isinstance(execute.runs[0], PlanSpec) and execute.runs[0].project is made_for


def test_undo_and_redo_show_the_effect_of_the_edit_that_they_lead_to(
    qtbot: QtBot, session: Session, plan_preview: PlanPreview
) -> None:
    editor, changes = session.plan_editor, []
    for column in (31.0, 33.0):
        drop = editor.drops.at(FIRST.key)
        assert drop is not None
        changes.append(moved(session, drop, replace(drop, x=column)))
        editor.request_preview(changes[-1])
        qtbot.waitUntil(lambda: shows_preview_of(session, changes[-1]))
        assert make(session, changes[-1])
        settled(qtbot, session)
    # Other steps preview the same edit again; the effects of earlier ones are remembered.
    for number in range(20):
        before = editor.preview
        session.set_step(5 * number)
        qtbot.waitUntil(lambda before=before: editor.preview is not before)  # type: ignore[misc]
    session.undo_stack.undo()
    assert editor.change == changes[0] and shows_preview_of(session, changes[0])
    session.undo_stack.undo()
    assert editor.change is None and editor.preview is None
    session.undo_stack.redo()
    assert editor.change == changes[0] and shows_preview_of(session, changes[0])
    session.undo_stack.redo()
    assert editor.change == changes[1] and shows_preview_of(session, changes[1])
