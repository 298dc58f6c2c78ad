"""Contract of every analysis: start, progress, stop, close, resume, open, export and errors.

An analysis that is added to the registry is covered by one entry of ``CASES``.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.analyses.registry import ANALYSES, Analysis, Controller, SaveFirst
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.session.session import Session
from firegui.gui.window.action_registry import ACTIONS
from firegui.gui.window.documents import RunningAnswer
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import save_project
from firegui.runs.lock import FolderLock
from firegui.runs.stages import RunState
from tests.gui.analyses.scene import (
    CASES,
    DEVICE,
    Case,
    FakeRun,
    every,
    every_export,
    every_saving,
    every_store,
    other_event,
)

NOW = datetime(2026, 3, 4, 5, 6, 7)
SECOND = 1000
PATIENCE = 20_000
Make = Callable[..., tuple[Controller, FakeRun]]


@pytest.fixture
def case(analysis: Analysis) -> Case:
    return CASES[analysis.name]


@pytest.fixture
def make(session: Session, analysis: Analysis, case: Case) -> Iterator[Make]:
    """Return a function that makes controllers with a fake run; wait for their threads after the test."""
    made: list[Controller] = []

    def controller(**options: Any) -> tuple[Controller, FakeRun]:
        run = FakeRun(case.events, **options)
        made.append(analysis.controller(session, execute=run, clock=lambda: NOW))
        return made[-1], run

    yield controller
    for each in made:
        each.shutdown()
        each.deleteLater()


def begin(qtbot: QtBot, controller: Controller, run: FakeRun, case: Case) -> None:
    """Start an endless run and wait until its events have arrived."""
    controller.start(case.request)
    qtbot.waitUntil(run.working.is_set, timeout=PATIENCE)
    qtbot.waitUntil(lambda: controller.shown is not None and controller.shown.table is not None, timeout=PATIENCE)


def ended(qtbot: QtBot, controller: Controller) -> None:
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE)


def damage(folder: Path, controller: Controller) -> None:
    assert controller.saved_results is not None
    (folder / controller.saved_results.store.header).write_text("damaged")


# -- start and progress -----------------------------------------------------------------------------------------------
def test_every_analysis_has_a_case() -> None:
    assert set(CASES) == {analysis.name for analysis in ANALYSES}


@every
def test_a_run_shows_its_result_and_reports_its_end(
    qtbot: QtBot, folder: Path, make: Make, case: Case, messages: list[str], refusals: list[InputError]
) -> None:
    controller, run = make()
    assert (controller.is_busy, controller.activity, controller.shown, controller.work()) == (False, "", None, None)
    with qtbot.waitSignals([controller.changed, controller.result_changed], timeout=PATIENCE):
        controller.start(case.request)
        assert controller.is_busy and not controller.is_stopping
    ended(qtbot, controller)
    assert controller.shown is not None and controller.shown.table is not None
    assert f"{controller.title}: all of it" in messages
    assert (controller.activity, refusals, len(run.specs)) == ("", [], 1)


@every
def test_a_run_at_work_tells_its_progress_and_a_second_start_is_ignored(
    qtbot: QtBot, folder: Path, make: Make, case: Case
) -> None:
    controller, run = make(endless=True)
    begin(qtbot, controller, run, case)
    assert controller.activity and controller.activity != "Stopping…"
    assert 0.0 <= controller.share < 1.0
    controller.start(case.request)
    assert len(run.specs) == 1


@every
def test_a_run_uses_the_backend_of_the_session_and_tells_it_the_device(
    qtbot: QtBot, session: Session, folder: Path, make: Make, case: Case, messages: list[str]
) -> None:
    controller, run = make()
    with qtbot.waitSignal(session.device_changed, timeout=PATIENCE):
        controller.start(case.request)
    ended(qtbot, controller)
    assert session.device == DEVICE.name
    assert "Computing on the CPU of the contract" not in messages, "the device has a place of its own"
    session.set_backend("torch")
    controller.start(case.request)
    ended(qtbot, controller)
    assert getattr(run.specs[1], "backend", "torch") == "torch"


@every
def test_an_analysis_that_keeps_results_needs_the_projects_folder(
    qtbot: QtBot, session: Session, make: Make, case: Case, analysis: Analysis
) -> None:
    controller, run = make()
    assert session.folder is None
    if analysis.save_first is SaveFirst.NOTHING:
        controller.start(case.request)
        ended(qtbot, controller)
        assert controller.shown is not None
        return
    with pytest.raises(RuntimeError, match="no folder"):
        controller.start(case.request)
    assert not controller.is_busy and run.specs == []


@every_saving
def test_results_are_kept_in_the_projects_folder(qtbot: QtBot, folder: Path, make: Make, case: Case) -> None:
    controller, run = make()
    for _time in range(2):
        controller.start(case.request)
        ended(qtbot, controller)
        run.specs[-1].out.parent.mkdir(exist_ok=True)
        run.specs[-1].out.touch()
    one, other = (spec.out for spec in run.specs)
    assert one.parent.parent == folder and one.name.startswith("20260304-050607")
    assert other.parent == one.parent and other != one
    assert all(str(spec.out) in spec.command or spec.out.name in spec.command for spec in run.specs)


# -- stop and close ---------------------------------------------------------------------------------------------------
@every
def test_a_stopped_run_ends_within_a_second_and_keeps_its_result(
    qtbot: QtBot, folder: Path, make: Make, case: Case
) -> None:
    controller, run = make(endless=True)
    begin(qtbot, controller, run, case)
    controller.stop()
    assert controller.is_stopping and controller.activity == "Stopping…"
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=SECOND)
    assert run.alive == 0 and not controller.is_stopping
    assert controller.shown is not None and controller.shown.table is not None
    controller.stop()  # No run is in progress: ignored.
    assert not controller.is_stopping


@every
def test_the_window_asks_before_a_long_run_is_lost(qtbot: QtBot, folder: Path, make: Make, case: Case) -> None:
    controller, run = make(endless=True)
    begin(qtbot, controller, run, case)
    work = controller.work()
    if not controller.kept:
        assert work is None
        return
    assert work is not None and work.title == controller.title and controller.kept in work.outcome
    assert (work.discard is not None) == bool(work.lost)
    (work.discard or work.stop)()
    ended(qtbot, controller)
    assert controller.work() is None


@every
def test_closing_waits_for_the_thread_of_a_run(qtbot: QtBot, folder: Path, make: Make, case: Case) -> None:
    controller, run = make(endless=True)
    controller.start(case.request)
    qtbot.waitUntil(run.working.is_set, timeout=PATIENCE)
    controller.shutdown()
    assert run.alive == 0 and not controller.is_busy


@every
def test_a_run_of_a_project_that_was_closed_is_stopped_and_reports_nothing(
    qtbot: QtBot, session: Session, folder: Path, make: Make, case: Case, messages: list[str], project: Project
) -> None:
    controller, run = make(endless=True)
    begin(qtbot, controller, run, case)
    session.open_project(other_event(project), None)
    assert not controller.is_busy and controller.shown is None
    assert controller.activity == "" and controller.share == 0.0
    del messages[:]
    with qtbot.waitSignal(controller.saved_changed, timeout=PATIENCE):
        pass
    assert run.alive == 0 and messages == [] and controller.shown is None


# -- faults -----------------------------------------------------------------------------------------------------------
ERRORS = (
    (InputError([Problem("here", "is wrong", "mend it")], "No good"), "here: is wrong"),
    (FireguiError("the engine gave up"), "the engine gave up"),
    (ValueError("no such case"), "An unexpected ValueError: no such case"),
    (ValueError(), "An unexpected ValueError. Please"),
)


@every
@pytest.mark.parametrize(("error", "text"), ERRORS, ids=("input", "firegui", "unexpected", "without words"))
def test_an_error_in_the_worker_is_refused_under_the_analysis_title(
    qtbot: QtBot, folder: Path, make: Make, case: Case, refusals: list[InputError], error: Exception, text: str
) -> None:
    controller, run = make(error=error)
    controller.start(case.request)
    ended(qtbot, controller)
    assert [refusal.title for refusal in refusals] == [f"{controller.title} failed"]
    assert text in str(refusals[0])
    run.error = None
    controller.start(case.request)
    ended(qtbot, controller)
    assert len(refusals) == 1 and controller.shown is not None


# -- saved results ----------------------------------------------------------------------------------------------------
@every_saving
def test_an_unfinished_result_is_resumed_in_its_own_folder(
    qtbot: QtBot, folder: Path, make: Make, case: Case, project: Project
) -> None:
    assert case.save is not None
    controller, run = make()
    place = case.save(controller, project, folder)
    controller.resume(case.saved(controller, place))
    assert controller.is_busy
    ended(qtbot, controller)
    (spec,) = run.specs
    assert spec.resume and spec.out == place


@every_saving
def test_resuming_a_result_that_was_deleted_since_leaves_nothing_at_work(
    qtbot: QtBot, folder: Path, make: Make, case: Case, project: Project
) -> None:
    assert case.save is not None
    controller, _run = make()
    place = case.save(controller, project, folder)
    saved = case.saved(controller, place)
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    controller.resume(saved)
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE)


@every_saving
def test_a_result_is_not_resumed_while_a_run_is_at_work_or_where_nothing_can_be_written(
    qtbot: QtBot, session: Session, folder: Path, make: Make, case: Case, project: Project
) -> None:
    assert case.save is not None
    controller, run = make(endless=True)
    place = case.save(controller, project, folder)
    saved = case.saved(controller, place)
    session.open_project(project, None, folder)
    controller.resume(saved)
    assert session.is_read_only and run.specs == []
    assert controller.saved() == ((saved,) if controller.saved_results is not None else ())
    session.open_project(project, folder)
    begin(qtbot, controller, run, case)
    controller.resume(saved)
    assert len(run.specs) == 1


@every_store
def test_a_saved_result_is_listed_and_opened(folder: Path, make: Make, case: Case, project: Project) -> None:
    assert case.save is not None
    controller, _run = make()
    assert controller.saved() == ()
    place = case.save(controller, project, folder)
    (saved,) = controller.saved()
    assert saved.folder == place and saved.can_resume() and not saved.is_complete
    assert saved.title(controller.today).startswith(("1 Jan ", "31 Dec "))
    controller.open(place)
    assert controller.shown is not None and controller.shown.folder == place
    assert controller.shown.table is not None and controller.shown.project.scenario is project.scenario


@every_store
def test_a_result_that_another_process_writes_cannot_be_resumed(
    folder: Path, make: Make, case: Case, project: Project
) -> None:
    assert case.save is not None
    controller, run = make()
    place = case.save(controller, project, folder)
    lock = FolderLock(place)
    assert controller.saved_results is not None
    kept = controller.saved_results.store
    kept.write(place, replace(kept.read(place), state=RunState.RUNNING))
    (saved,) = controller.saved()
    assert saved.is_held and not saved.can_resume()
    controller.resume(saved)
    lock.release()
    assert run.specs == [] and not controller.is_busy


@every_store
def test_results_of_another_project_are_neither_shown_nor_listed(
    session: Session, folder: Path, make: Make, case: Case, project: Project, tmp_path: Path
) -> None:
    assert case.save is not None
    controller, _run = make()
    controller.open(case.save(controller, project, folder))
    elsewhere = tmp_path / "q.firegui"
    save_project(other_event(project), elsewhere)
    session.open_project(other_event(project), elsewhere)
    assert controller.shown is None and controller.saved() == ()


@every_store
def test_a_result_of_another_event_is_resumed_by_the_run_alone_or_refused(
    qtbot: QtBot, session: Session, folder: Path, make: Make, case: Case, project: Project, refusals: list[InputError]
) -> None:
    """The run also compares the inputs; none is resumed as though it belonged to the open event."""
    assert case.save is not None
    controller, run = make()
    place = case.save(controller, project, folder)
    session.open_project(other_event(project), folder)
    controller.resume(controller.saved()[0])
    ended(qtbot, controller)
    resumed = [(spec.resume, spec.out, spec.project.scenario.name) for spec in run.specs]
    assert resumed == ([] if refusals else [(True, place, "Other Ridge")])


@every_store
def test_a_deleted_folder_is_refused_and_not_listed(
    folder: Path, make: Make, case: Case, project: Project, refusals: list[InputError]
) -> None:
    assert case.save is not None
    controller, _run = make()
    place = case.save(controller, project, folder)
    shutil.rmtree(place)
    controller.open(place)
    assert controller.shown is None and controller.saved() == ()
    assert str(place) in str(refusals[0])


@every_store
def test_a_damaged_result_is_refused_and_left_out_of_the_list(
    folder: Path, make: Make, case: Case, project: Project, refusals: list[InputError]
) -> None:
    assert case.save is not None
    controller, _run = make()
    place = case.save(controller, project, folder)
    damage(place, controller)
    assert controller.saved() == ()
    controller.open(place)
    assert controller.shown is None and len(refusals) == 1


# -- export -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def shown(folder: Path, make: Make, case: Case, project: Project) -> Controller:
    """Return a controller with a saved result and one table on screen."""
    assert case.save is not None
    controller, _run = make()
    place = case.save(controller, project, folder)
    (place / "table.csv").write_text("a,b\n")
    (place / ".hidden.csv").write_text("no result")
    controller.open(place)
    return controller


@every_export
def test_an_export_copies_the_tables_and_the_header_and_names_them(
    shown: Controller, tmp_path: Path, messages: list[str]
) -> None:
    assert shown.saved_results is not None and shown.shown is not None
    shown_files = [path.name for path in shown.shown.folder.iterdir() if not path.name.startswith(".")]
    tables = sorted(name for name in shown_files if name.endswith(shown.export_suffixes))
    names = (*tables, shown.saved_results.store.header)
    assert "table.csv" in names
    assert shown.exported_names(tmp_path) == names
    shown.export(tmp_path)
    assert all((tmp_path / name).read_bytes() == (shown.shown.folder / name).read_bytes() for name in names)
    assert not (tmp_path / ".hidden.csv").exists()
    assert messages[-1].startswith(f"Wrote {', '.join(names)} to {tmp_path}")


@every_export
def test_an_export_into_the_results_own_folder_is_refused(shown: Controller, refusals: list[InputError]) -> None:
    assert shown.shown is not None
    assert shown.exported_names(shown.shown.folder) == ()
    shown.export(shown.shown.folder)
    assert "own folder" in str(refusals[0])


@every_export
@pytest.mark.parametrize("what", ["folder", "file"])
def test_an_export_of_what_was_deleted_names_it_and_writes_nothing(
    shown: Controller, tmp_path: Path, refusals: list[InputError], what: str
) -> None:
    assert shown.shown is not None and shown.saved_results is not None
    lost, out = shown.shown.folder, tmp_path / "out"
    out.mkdir()
    if what == "folder":
        shutil.rmtree(lost)
        assert shown.exported_names(out) == ()
    else:
        lost = lost / shown.saved_results.store.header
        lost.unlink()
    shown.export(out)
    (problem,) = refusals[0].problems
    assert problem.where == str(lost) and problem.what.startswith("cannot be read any more")
    assert f"open another {shown.saved_results.store.thing}" in problem.remedy
    assert list(out.iterdir()) == []


@every_export
def test_an_export_that_cannot_be_written_is_refused(
    shown: Controller, tmp_path: Path, refusals: list[InputError]
) -> None:
    out = tmp_path / "missing"
    shown.export(out)
    assert len(refusals) == 1 and str(out) in str(refusals[0]) and not out.exists()


@every_export
def test_an_export_that_fails_late_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, shown: Controller, tmp_path: Path, refusals: list[InputError]
) -> None:
    out, write_bytes = tmp_path / "out", Path.write_bytes
    out.mkdir()

    def fail_late(path: Path, content: bytes) -> int:
        if path.name == "table.csv":
            return write_bytes(path, content)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail_late)
    shown.export(out)
    said = str(refusals[-1])
    assert str(out) in said and "cannot be written: the disk is full" in said and ".export-" not in said
    assert list(out.iterdir()) == []


# -- in the window ----------------------------------------------------------------------------------------------------
@every
def test_the_panel_is_shown_by_its_action_and_its_result_in_the_centre(
    qtbot: QtBot, window: MainWindow, analysis: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench = window.workbench
    # The key of the forecast also scores it.
    monkeypatch.setattr(workbench.controllers[analysis.name], "_execute", FakeRun(lambda _spec: ()))
    specs = [spec for spec in ACTIONS.values() if spec.topic == analysis.topic and spec.keys]
    assert specs
    QTest.keySequence(window, QKeySequence(specs[0].keys[0]))
    panel = workbench.panel(analysis.name, AnalysisPanel)
    qtbot.waitUntil(lambda: not panel.settings.visibleRegion().isEmpty(), timeout=PATIENCE)
    for mode, shows_map, shows_result in (("chart", False, True), ("both", True, True), ("map", True, False)):
        workbench.actions[f"centre:{mode}"].trigger()
        assert (workbench.map.isVisible(), panel.result.isVisible()) == (shows_map, shows_result)


@every
def test_what_an_analysis_needs_is_saved_before_it_starts(
    window: MainWindow, session: Session, analysis: Analysis, project: Project, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    panel, done = window.workbench.panel(analysis.name, AnalysisPanel), list[str]()

    def save() -> bool:
        done.append("saved")
        return False

    monkeypatch.setattr(panel, "start", lambda: done.append("started"))
    monkeypatch.setattr(window.workbench.documents, "save", save)
    panel.start_requested.emit()  # The project has no folder.
    save_project(project, tmp_path / "p.firegui")
    session.mark_saved(tmp_path / "p.firegui")
    panel.start_requested.emit()
    session.set_regions("edit", ())
    panel.start_requested.emit()
    expected = {
        SaveFirst.NOTHING: ["started", "started", "started"],
        SaveFirst.FOLDER: ["saved", "started", "started"],
        SaveFirst.PROJECT: ["saved", "started", "saved"],
    }
    assert done == expected[analysis.save_first]


@every
def test_closing_the_window_asks_about_a_long_run(
    qtbot: QtBot, window: MainWindow, session: Session, analysis: Analysis, case: Case, project: Project,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    answers = iter((RunningAnswer.KEEP, RunningAnswer.STOP_AND_SAVE))
    asked: list[str] = []

    def ask(_parent: object, work: UnfinishedWork, _purpose: str) -> RunningAnswer:
        asked.append(work.title)
        return next(answers)

    monkeypatch.setattr("firegui.gui.window.documents.ask_running", ask)
    save_project(project, tmp_path / "p.firegui")
    session.mark_saved(tmp_path / "p.firegui")
    controller = window.workbench.controllers[analysis.name]
    run = FakeRun(case.events, endless=True, first_only=True)
    monkeypatch.setattr(controller, "_execute", run)
    controller.start(case.request)
    qtbot.waitUntil(run.working.is_set, timeout=PATIENCE)
    if controller.kept:
        assert not window.workbench.confirm_close()
        assert controller.is_busy and not controller.is_stopping
    assert window.workbench.confirm_close()
    assert asked == ([controller.title] * 2 if controller.kept else [])
    window.stop_work()
    assert run.alive == 0
