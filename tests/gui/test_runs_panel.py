"""The list of runs, its buttons and its log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.models.runs import BEST, DROPS, ELAPSED, HEADERS, PROGRESS, STATE, TITLE
from firegui.gui.panels.runs import RunsPanel
from firegui.gui.session import Session
from firegui.runs.events import FinishReason, RunState
from firegui.runs.spec import Stage
from tests.gui.fake_runs import FakeExecute, run_spec


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute(epochs=4)


@pytest.fixture
def queue(session: Session, project: Project, tmp_path: Path, execute: FakeExecute) -> Iterator[RunQueue]:
    made = RunQueue(session, execute=execute)
    session.open_project(project, tmp_path / "p.firegui")
    yield made
    made.shutdown()


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue) -> RunsPanel:
    made = RunsPanel(session, queue)
    qtbot.addWidget(made)
    made.resize(700, 240)
    made.show()
    return made


def wait_idle(qtbot: QtBot, queue: RunQueue) -> None:
    qtbot.waitUntil(lambda: not queue.is_busy and not queue.activity)


def line(panel: RunsPanel, row: int = 0) -> dict[str, str]:
    return {name: str(panel.model.index(row, column).data()) for column, name in enumerate(HEADERS)}


def test_a_finished_run_has_its_numbers_in_its_line(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    assert line(panel) == {
        "Run": entry.title, "State": "completed", "Progress": "4/4", "Elapsed": "0:00", "ETA": "–", "Best": "5.00",
        "Drops": "3",
    }  # fmt: skip


def test_the_newest_run_is_on_top(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    first, second = queue.plan(), queue.plan()
    wait_idle(qtbot, queue)
    assert [panel.model.entry(row) for row in (0, 1)] == [second, first]


def test_an_edit_puts_a_badge_on_the_line(qtbot: QtBot, session: Session, queue: RunQueue, panel: RunsPanel) -> None:
    queue.plan()
    wait_idle(qtbot, queue)
    session.set_regions("Remove", ())
    assert line(panel)["State"] == "⚠ completed"
    assert "stale" in str(panel.model.index(0, STATE).data(Qt.ItemDataRole.ToolTipRole))


def test_the_log_keeps_what_runs_said_and_how_they_ended(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    entry = queue.plan()
    wait_idle(qtbot, queue)
    text = panel.log.toPlainText()
    assert "almost done" in text
    assert f"{entry.title} · completed: completed; raise the epochs to go on" in text


def test_markup_in_a_message_is_text(queue: RunQueue, panel: RunsPanel) -> None:
    queue.logged.emit("a <b>bold</b> claim\n  • with a list", "warning")
    assert "a <b>bold</b> claim" in panel.log.toPlainText()
    assert "• with a list" in panel.log.toPlainText()


def test_start_asks_the_window_which_may_have_to_save_first(qtbot: QtBot, panel: RunsPanel) -> None:
    with qtbot.waitSignal(panel.start_requested):
        panel.button("start").click()


def test_pause_resume_and_stop(qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute) -> None:
    execute.endless = True
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    assert panel.button("pause").isVisible()
    panel.button("pause").click()
    qtbot.waitUntil(lambda: entry.state is RunState.PAUSED)
    assert not panel.button("pause").isVisible()
    panel.button("resume").click()
    qtbot.waitUntil(lambda: entry.state is RunState.RUNNING)
    panel.button("stop").click()
    assert entry.status == "stopping"
    wait_idle(qtbot, queue)
    assert entry.reason is FinishReason.STOPPED


def test_a_stopped_run_is_resumed_from_its_line(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    panel.button("stop").click()
    wait_idle(qtbot, queue)
    execute.endless = False
    panel.select(entry)
    panel.button("resume").click()
    wait_idle(qtbot, queue)
    assert [spec.resume for spec in execute.runs] == [False, True]


def test_buttons_act_on_the_selected_line(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    first, second = queue.plan(), queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 0)
    panel.select(second)
    panel.button("stop").click()
    assert queue.entries == (first,)
    queue.stop()
    wait_idle(qtbot, queue)


@pytest.mark.parametrize(("answer", "remains"), [("Yes", False), ("No", True)])
def test_discarding_asks_first(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, monkeypatch: pytest.MonkeyPatch, answer: str, remains: bool
) -> None:
    entry = queue.plan()
    wait_idle(qtbot, queue)
    choice = QMessageBox.StandardButton[answer]
    monkeypatch.setattr(QMessageBox, "question", lambda *_args: choice)
    panel.select(entry)
    panel.button("delete").click()
    assert entry.folder.exists() is remains
    assert (entry in queue.entries) is remains


def test_the_line_of_the_run_on_screen_is_selected_and_bold(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    entry = queue.plan()
    wait_idle(qtbot, queue)
    assert panel.selected is entry
    assert panel.model.index(0, TITLE).data(Qt.ItemDataRole.FontRole).bold()


def test_enter_shows_the_selected_run(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    first, second = queue.plan(), queue.plan()
    wait_idle(qtbot, queue)
    assert queue.shown is second
    for entry in (first, second):
        (entry.folder / "schedule.csv").write_text("step,aircraft,y,x,theta\n3,S-2T-1,10,20,0.5\n")
    panel.select(first)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: queue.shown is first and not queue.activity)


def test_a_narrow_dock_moves_the_times_onto_the_bars(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    assert not panel.table.isColumnHidden(ELAPSED)
    panel.resize(380, 240)
    assert panel.table.isColumnHidden(ELAPSED)
    assert not any(panel.table.isColumnHidden(column) for column in (TITLE, STATE, PROGRESS, BEST, DROPS))
    panel.resize(700, 240)
    assert not panel.table.isColumnHidden(ELAPSED)


def test_a_run_outside_the_project_is_listed_but_its_folder_is_never_deleted(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = queue.start(run_spec(project, tmp_path / "elsewhere"))
    wait_idle(qtbot, queue)
    monkeypatch.setattr(QMessageBox, "question", lambda *_args: QMessageBox.StandardButton.Yes)
    panel.select(entry)
    panel.button("delete").click()
    assert entry.folder.exists()
    assert entry not in queue.entries
