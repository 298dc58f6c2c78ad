"""What can be done with a plan that does not hold: the buttons below its verdict, and the commands for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.runs.stages import Stage
from tests.gui.analyses.scene import stress_table
from tests.gui.fake_runs import FakeExecute, wait_idle
from tests.gui.hands import LEFT, to_front
from tests.gui.test_jobs_stages import keep_plan
from tests.gui.test_palette import choose


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute(epochs=3)


@pytest.fixture
def queue(session: Session, saved: Path, execute: FakeExecute) -> Iterator[RunQueue]:
    made = RunQueue(session, execute=execute)
    yield made
    made.shutdown()


@pytest.fixture
def entry(qtbot: QtBot, window: MainWindow, queue: RunQueue, project: Project) -> RunEntry:
    """Return a run on the map whose plan does not hold, in the workspace Runs."""
    to_front(qtbot, window)
    window.workbench.show_panel("Result")
    made = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    keep_plan(made, project)
    made.stress = stress_table()
    refresh(window)
    return made


def refresh(window: MainWindow) -> None:
    window.workbench.panel("Result", ResultPanel).refresh()


def steps(window: MainWindow) -> list[QPushButton]:
    view = window.workbench.panel("Result", ResultPanel).view
    return [view.continue_button, view.leaks_button]


def test_a_plan_that_does_not_hold_is_continued_by_a_key(
    qtbot: QtBot, window: MainWindow, entry: RunEntry, execute: FakeExecute, queue: RunQueue
) -> None:
    assert [button.isVisible() for button in steps(window)] == [True, True]
    button = steps(window)[0]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    wait_idle(qtbot, queue)
    assert execute.runs[-1].warm_start_file == entry.folder / "plan.safetensors"


def test_the_map_of_leaks_is_one_press_away_or_says_what_to_press(
    qtbot: QtBot, window: MainWindow, entry: RunEntry
) -> None:
    said: list[str] = []
    window.workbench.session.message.connect(said.append)
    QTest.mouseClick(steps(window)[1], LEFT)
    assert window.workbench.shell.workspace is WorkspaceName.ANALYSE
    assert said[-1] == f"Test {entry.title} first: press Test in the stress test. Its map shows where."


def test_a_plan_that_holds_has_no_such_buttons(window: MainWindow, entry: RunEntry) -> None:
    entry.stress = None
    refresh(window)
    assert not any(button.isVisible() for button in steps(window))


def test_the_command_finds_a_plan_to_continue(
    qtbot: QtBot, window: MainWindow, entry: RunEntry, execute: FakeExecute, queue: RunQueue
) -> None:
    choose(window, "continue")
    wait_idle(qtbot, queue)
    assert execute.runs[-1].warm_start_file == entry.folder / "plan.safetensors"
