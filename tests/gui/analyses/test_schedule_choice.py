"""The choice of a schedule follows the run on screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.jobs.run_queue import RunQueue
from firegui.runs.stages import Stage
from tests.gui.fake_runs import FakeExecute, wait_idle

PLAN = "plan.safetensors"


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute()


@pytest.fixture
def choice(qtbot: QtBot, queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> ScheduleChoice:
    """Return the choice of a queue whose runs all keep a plan."""
    monkeypatch.setattr("firegui.gui.analyses.schedule_choice.kept_plan", lambda folder: folder / PLAN)
    window = QWidget()
    qtbot.addWidget(window)
    return ScheduleChoice(queue, window, "A schedule")


def test_a_run_that_ends_on_screen_is_chosen(
    qtbot: QtBot, queue: RunQueue, execute: FakeExecute, choice: ScheduleChoice
) -> None:
    first = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    assert choice.file == first.folder / PLAN
    execute.endless = True
    second = queue.plan((Stage.OPTIMIZE,))
    qtbot.waitUntil(lambda: queue.shown is second and second.epoch > 1)
    assert choice.file == first.folder / PLAN, "it has no plan yet"
    queue.stop()
    wait_idle(qtbot, queue)
    assert choice.file == second.folder / PLAN


def test_what_the_user_chose_while_a_run_worked_stays(
    qtbot: QtBot, queue: RunQueue, execute: FakeExecute, choice: ScheduleChoice
) -> None:
    first = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    execute.endless = True
    second = queue.plan((Stage.OPTIMIZE,))
    qtbot.waitUntil(lambda: queue.shown is second and second.epoch > 1)
    choice.box.activated.emit(choice.box.currentIndex())
    queue.stop()
    wait_idle(qtbot, queue)
    assert choice.file == first.folder / PLAN
