"""A project is reopened while its run is still ending.

No other run may use the folder before the run has released it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.io.project.store import load_project, save_project
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec, RunSpec
from firegui.runs.stages import FinishReason, RunState
from tests.support import make_project, tiny_project

LONG_MS = 60_000


class LateExecute:
    """The real engine, but an ended run keeps its thread until it is :attr:`released`."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.started: list[PlanSpec] = []

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        if isinstance(spec, PlanSpec):
            self.started.append(spec)
        execute(spec, emit, control)
        if isinstance(spec, PlanSpec):
            self.released.wait(60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = make_project()
    optimizer = replace(project.plan.optimizer, epochs=2000, patience=2000)
    return tiny_project(tmp_path, replace(project, plan=replace(project.plan, optimizer=optimizer)))


@pytest.fixture
def late() -> LateExecute:
    return LateExecute()


@pytest.fixture
def queue(session: Session, folder: Path, late: LateExecute) -> Iterator[RunQueue]:
    made = RunQueue(session, execute=late)
    session.open_project(load_project(folder), folder)
    yield made
    late.released.set()
    made.shutdown()


@pytest.fixture
def ending(qtbot: QtBot, session: Session, queue: RunQueue, folder: Path) -> RunEntry:
    """Return the entry of a run that works when its project is reopened."""
    started = queue.plan()
    qtbot.waitUntil(lambda: started.epoch >= 2, timeout=LONG_MS)
    session.open_project(load_project(folder), folder)
    (listed,) = queue.entries
    return listed


def test_a_run_that_is_still_ending_is_listed_as_stopping_and_no_line_lets_a_second_run_into_its_folder(
    queue: RunQueue, ending: RunEntry, late: LateExecute
) -> None:
    assert ending.status == "stopping"
    assert not ending.is_resumable
    queue.resume_stopped(ending)
    assert queue.active is None
    lines: list[str] = []
    queue.logged.connect(lambda text, _level: lines.append(text))
    queue.resume_stopped(RunEntry("A", ending.folder, ending.project, RunState.FINISHED, FinishReason.STOPPED))
    assert not queue.is_busy
    assert len(late.started) == 1
    assert "still stopping" in lines[0]


def test_a_run_that_has_ended_after_all_can_go_on(
    qtbot: QtBot, queue: RunQueue, ending: RunEntry, late: LateExecute
) -> None:
    late.released.set()
    qtbot.waitUntil(lambda: queue.entries != (ending,), timeout=LONG_MS)
    (listed,) = queue.entries
    assert (listed.folder, listed.status) == (ending.folder, "stopped")
    stopped_at = listed.epoch
    queue.resume_stopped(listed)
    assert queue.active is listed
    qtbot.waitUntil(lambda: listed.epoch > stopped_at, timeout=LONG_MS)
    assert queue.entries == (listed,)


def test_a_run_that_is_still_ending_is_known_by_any_path_to_its_folder(
    session: Session, queue: RunQueue, ending: RunEntry, folder: Path
) -> None:
    other = folder / ".." / folder.name
    session.open_project(load_project(other), other)
    assert [entry.status for entry in queue.entries] == ["stopping"]


def test_a_run_that_is_still_ending_is_deleted_only_once_it_has_ended(
    qtbot: QtBot, queue: RunQueue, ending: RunEntry, late: LateExecute
) -> None:
    queue.discard(ending)
    assert ending.folder.exists()
    assert ending.status == "deleting"
    late.released.set()
    qtbot.waitUntil(lambda: not ending.folder.exists(), timeout=LONG_MS)
    qtbot.waitUntil(lambda: queue.entries == (), timeout=LONG_MS)


def test_a_run_that_works_stays_one_line_when_the_project_is_saved_elsewhere_and_back(
    qtbot: QtBot, session: Session, queue: RunQueue, folder: Path
) -> None:
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch >= 1, timeout=LONG_MS)
    copy = folder.with_name("copy.firegui")
    save_project(session.project, copy)
    session.mark_saved(copy)
    session.mark_saved(folder)
    assert queue.entries == (entry,)
    assert queue.active is entry
