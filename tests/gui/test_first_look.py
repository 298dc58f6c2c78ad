"""An opened project is painted first. Only then is its fire computed, and the engine loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.jobs.result_presenter import ResultPresenter
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session, ShownResult
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, StateChanged
from firegui.runs.spec import EvaluateSpec, PlanSpec, RunSpec
from firegui.runs.stages import RunState
from tests.gui.fake_runs import FakeExecute, frames, wait_idle
from tests.gui.map_scene import open_map


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute()


class Painted(QObject):
    """Number of computations that had started at each painting of a widget."""

    def __init__(self, widget: QWidget, execute: FakeExecute) -> None:
        super().__init__(widget)
        self._execute = execute
        self.begun: list[int] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.begun.append(len(self._execute.specs))
        return False


def looked_at(execute: FakeExecute) -> list[Project]:
    """Return the projects whose fires were computed."""
    return [spec.project for spec in execute.specs if isinstance(spec, EvaluateSpec)]


def test_nothing_is_worked_out_before_the_map_was_painted(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute
) -> None:
    view = open_map(qtbot, session)
    qtbot.waitUntil(lambda: not queue.activity)
    execute.specs.clear()
    seen = Painted(view.camera.viewport, execute)
    session.open_project(replace(session.project, regions=()), None)
    assert queue.activity == "Computing the fire without drops…" and session.result.baseline is None
    qtbot.waitUntil(lambda: session.result.baseline is not None)
    assert seen.begun[0] == 0 and looked_at(execute) == [session.project]


def test_the_map_says_what_it_waits_for_until_the_fire_is_there(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute
) -> None:
    view = open_map(qtbot, session)
    qtbot.waitUntil(lambda: not queue.activity)
    session.open_project(replace(session.project, regions=()), None)
    view.flush()
    caption = view.decorations.caption
    assert caption.awaited.startswith("Computing the fire without drops…") and not caption.note
    waiting = view.snapshot()
    qtbot.waitUntil(lambda: session.result.baseline is not None and not queue.activity)
    view.flush()
    assert view.decorations.caption.awaited == "" and session.awaited == ""
    middle = view.camera.viewport.rect().center()
    assert view.snapshot().pixelColor(middle) != waiting.pixelColor(middle)


def test_the_map_says_what_is_computed_and_for_how_long_already(qtbot: QtBot, session: Session) -> None:
    now, goes_on = [100.0], threading.Event()

    def execute(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        emit(StateChanged(RunState.PREPARING))
        goes_on.wait(20)
        goes_on.clear()
        emit(StateChanged(RunState.RUNNING))
        goes_on.wait(20)
        FakeExecute()(spec, emit, control)

    presenter = ResultPresenter(session, execute, clock=lambda: now[0])
    presenter._tick.setInterval(1)
    presenter.show_baseline()
    assert session.awaited.splitlines()[1] == "Daily spread by the fire model, 0:00 so far"
    now[0] = 112.0
    qtbot.waitUntil(lambda: session.awaited.splitlines()[1] == "Daily spread by the fire model, 0:12 so far")
    goes_on.set()
    qtbot.waitUntil(lambda: session.awaited.splitlines()[1] == "Simulation of the fire, 0:12 so far")
    goes_on.set()
    qtbot.waitUntil(lambda: not presenter.activity)
    assert session.awaited == "" and not presenter._tick.isActive()
    presenter.shutdown()


def test_a_run_that_is_started_before_there_is_a_fire_is_waited_for_too(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute, tmp_path: Path
) -> None:
    session.open_project(session.project, tmp_path)
    said: list[str] = []
    session.awaited_changed.connect(said.append)
    queue.plan()
    assert session.awaited.splitlines()[0] == "Computing the fire without drops…"
    wait_idle(qtbot, queue)
    assert said[-1] == ""


def test_only_the_project_that_was_opened_last_is_worked_out(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute
) -> None:
    first, second = (replace(session.project, regions=()) for _ in range(2))
    session.open_project(first, None)
    QApplication.processEvents()
    session.open_project(second, None)
    qtbot.waitUntil(lambda: session.result.baseline is not None)
    qtbot.waitUntil(lambda: not queue.activity)
    assert [each is second for each in looked_at(execute)] == [True]


def test_a_run_that_is_started_at_once_takes_its_place(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute, tmp_path: Path
) -> None:
    session.open_project(session.project, tmp_path)
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.is_over and not queue.is_busy)
    qtbot.waitUntil(lambda: session.result.plan is not None)
    assert not queue.activity and queue.shown is entry
    assert [type(spec) for spec in execute.specs] == [PlanSpec]


def test_what_is_shown_meanwhile_stays(qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute) -> None:
    session.open_project(session.project, None)
    shown = ShownResult("other", plan=frames(session.project))
    session.show_result(shown)
    qtbot.waitUntil(lambda: not queue.activity)
    assert session.result is shown and execute.specs == []


def test_a_window_that_is_shut_at_once_begins_nothing(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute
) -> None:
    session.open_project(session.project, None)
    queue.shutdown()
    with qtbot.waitSignal(session.step_changed, timeout=600, raising=False):
        pass
    assert execute.specs == [] and not queue.activity


def test_a_project_that_cannot_be_worked_out_says_so_and_leaves_nothing_waiting(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute
) -> None:
    said: list[str] = []
    queue.logged.connect(lambda text, _level: said.append(text))
    session.open_project(replace(session.project, plan=replace(session.project.plan, days=40)), None)
    qtbot.waitUntil(lambda: bool(said))
    assert "cannot be computed yet" in said[0] and not queue.activity and not session.awaited
    assert execute.specs == []
