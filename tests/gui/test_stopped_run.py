"""The notice over the map that says where the shown run stopped, and resumes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from firegui.domain.schedule import Schedule
from firegui.gui.jobs.run_entry import EpochHistory, RunEntry
from firegui.gui.planning.run_notices import RunEndNotice
from firegui.gui.planning.start_panel import StartPanel
from firegui.gui.session.session import Tool
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.stages import FinishReason, RunState, Stage
from tests.gui.conftest import Execute
from tests.gui.fake_runs import FakeExecute, epoch_done, removal, wait_idle
from tests.gui.hands import LEFT
from tests.gui.layout_shares import lengthen
from tests.gui.shell_scene import settle

pytestmark = pytest.mark.usefixtures("saved")


@pytest.fixture
def execute() -> Execute:
    return FakeExecute(endless=True)


@pytest.fixture
def stopped(qtbot: QtBot, window: MainWindow) -> Iterator[RunEntry]:
    """Return a run that was stopped in its first stage and is shown."""
    queue = window.workbench.queue
    window.workbench.session.set_stages((Stage.OPTIMIZE,))
    window.workbench.plan.start()
    qtbot.waitUntil(lambda: queue.entries[0].epoch > 2)
    assert not window.workbench.shell.centre.bar.stopped.isVisible()
    queue.stop()
    wait_idle(qtbot, queue)
    # The result of the run comes first, for some seconds or until it is closed.
    window.findChildren(RunEndNotice)[0].dismiss()
    yield queue.entries[0]
    queue.stop()
    wait_idle(qtbot, queue)


def test_the_map_does_not_move_for_the_line_of_a_stopped_run(
    qtbot: QtBot, window: MainWindow, stopped: RunEntry
) -> None:
    shell = window.workbench.shell
    maps, line, at = window.workbench.maps, shell.centre.bar.stopped, shell.stage.mapTo(shell.centre, QPoint())
    assert line.isVisible() and shell.stage.rect().contains(line.geometry().translated(-at))
    shown = maps.mapToGlobal(QPoint(0, 0)), maps.size()
    window.workbench.queue.show_baseline()
    qtbot.waitUntil(lambda: not line.isVisible())
    qtbot.wait(50)
    assert (maps.mapToGlobal(QPoint(0, 0)), maps.size()) == shown


def test_a_stopped_run_says_where_it_stopped_and_is_resumed_from_there(
    qtbot: QtBot, window: MainWindow, stopped: RunEntry
) -> None:
    bar, queue = window.workbench.shell.centre.bar, window.workbench.queue
    # No tool, no message and no other part of the window takes its place.
    window.workbench.session.set_tool(Tool.MEASURE)
    window.workbench.session.message.emit("Copied")
    window.workbench.show_panel("Fleet")
    assert bar.stopped.isVisible()
    assert bar.stopped.label.text() == f"Stopped at placing drops, step {stopped.epoch} of {stopped.epochs}"
    assert not bar.keep_stopped.isVisible(), "the run has left no plan"
    QTest.mouseClick(bar.stopped.button, LEFT)
    qtbot.waitUntil(lambda: queue.active is stopped)
    assert not bar.stopped.isVisible() and not bar.stopped.button.isVisible()


def test_the_plan_of_a_stopped_run_can_be_kept_before_it_is_resumed(
    qtbot: QtBot, window: MainWindow, stopped: RunEntry, execute: FakeExecute
) -> None:
    queue, bar = window.workbench.queue, window.workbench.shell.centre.bar
    assert stopped.project is not None
    size = stopped.project.calendar.n_steps, stopped.project.planned_fleet.n_aircraft
    schedule = Schedule.empty(*size)
    schedule.logits[3, 1] = 1.0
    write_plan_safetensors(stopped.folder / "plan.safetensors", schedule)
    queue.changed.emit()
    assert bar.stopped.label.text().endswith("Resume replaces this plan by a later one.")
    execute.endless = False
    QTest.mouseClick(bar.keep_stopped, LEFT)
    wait_idle(qtbot, queue)
    copy = next(entry for entry in queue.entries if entry is not stopped)
    kept, resumed = execute.runs[-2:]
    assert (kept.stages, kept.out, resumed.out) == ((Stage.KEEP,), copy.folder, stopped.folder) and resumed.resume
    assert kept.warm_start is not None and np.array_equal(kept.warm_start.proposed, schedule.proposed)
    assert "kept plan" in copy.title.lower()


def test_the_line_of_a_stopped_run_goes_when_another_result_is_shown(
    qtbot: QtBot, window: MainWindow, stopped: RunEntry
) -> None:
    bar, queue = window.workbench.shell.centre.bar, window.workbench.queue
    queue.show_baseline()
    qtbot.waitUntil(lambda: queue.shown is None)
    assert not bar.stopped.isVisible()


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (RunEntry("A", Path("a"), epochs=40, stage=Stage.OPTIMIZE, history=EpochHistory([epoch_done(11)])),
         "Stopped at placing drops, step 12 of 40"),
        (RunEntry("A", Path("a"), stages=(Stage.TACTICAL,), stage=Stage.TACTICAL, swept=(1, 3)),
         "Stopped at placing drops, round 2"),
    ],
)  # fmt: skip
def test_each_stage_says_in_its_own_terms_where_it_stopped(entry: RunEntry, text: str) -> None:
    entry.state, entry.reason = RunState.FINISHED, FinishReason.STOPPED
    assert entry.stop_text == text
    entry.stage = Stage.PRUNE
    entry.removals.extend([removal(5, passes=2)])
    assert entry.stop_text.startswith("Stopped at removing drops, round 2, ")
    entry.interrupted = True
    assert entry.stop_text.startswith("Interrupted at ")


def test_where_a_run_stopped_is_said_without_whether_its_plan_holds(
    stopped: RunEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stopped.stop_text
    monkeypatch.setattr(RunEntry, "missed", property(lambda _entry: "60 % of the growth left"))
    assert stopped.status == "stopped, does not hold"
    assert stopped.stop_text == before


def test_while_a_run_is_active_the_button_queues_the_next_plan_and_is_not_coloured(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.workbench.show_panel("Start")
    start, queue = window.findChild(QToolButton, "startTool"), window.workbench.queue
    panel = window.workbench.panels["Start"]
    assert start is not None and isinstance(panel, StartPanel)
    buttons = (start, panel.start_button)

    def state() -> set[tuple[str, str]]:
        return {(button.text(), button.property("role")) for button in buttons}

    assert state() == {("Start plan", "primary")}
    width = start.width()
    window.workbench.plan.start()
    qtbot.waitUntil(lambda: queue.active is not None and queue.active.epoch > 0)
    assert state() == {("Plan next", "")}
    assert start.sizeHint().width() <= width == start.width(), "the tool bar would lose its last buttons"
    queue.stop()
    wait_idle(qtbot, queue)
    assert state() == {("Start plan", "primary")}


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (1920, 1080)])
@pytest.mark.parametrize("longer", [False, True], ids=["", "longer"])
def test_the_tools_of_an_active_run_are_on_the_tool_bar(
    qtbot: QtBot, window: MainWindow, size: tuple[int, int], *, longer: bool
) -> None:
    queue, bar = window.workbench.queue, window.workbench.actions.bar
    if longer:
        lengthen(window)
    window.resize(*size)
    settle()
    window.workbench.plan.start()
    qtbot.waitUntil(lambda: queue.active is not None and queue.active.epoch > 0)
    settle()
    assert "· step " in window.workbench.status.work.text() and window.rect().contains(window.statusBar().geometry())
    for name in ("start", "pause", "resume", "stop"):
        button = bar.widgetForAction(window.workbench.actions[name])
        assert button.isVisible() and button.visibleRegion().boundingRect() == button.rect(), name
        assert window.rect().contains(button.mapTo(window, button.rect().bottomRight())), name
    queue.stop()
    wait_idle(qtbot, queue)


def test_the_line_of_a_stopped_run_goes_with_its_project(qtbot: QtBot, window: MainWindow, stopped: RunEntry) -> None:
    line, session = window.workbench.shell.centre.bar.stopped, window.workbench.session
    assert line.isVisible()
    session.open_project(session.project, None)
    assert not line.isVisible()
