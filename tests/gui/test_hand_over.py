"""Workspace Hand over: the export of the plan on the map, without a dialog."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.errors import Check
from firegui.gui.exporting.export_dialog import COMPUTING
from firegui.gui.exporting.export_options import FormatList
from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import ShownResult
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.runs.stages import RunState
from tests.gui.fake_runs import drop, frames
from tests.gui.hands import LEFT


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow) -> HandOverPanel:
    """Return the panel in its workspace, once the window's own computations have finished."""
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    window.workbench.session.show_result(ShownResult())
    window.workbench.shell.show_workspace(WorkspaceName.HAND_OVER)
    found = window.workbench.panels["Export"]
    assert isinstance(found, HandOverPanel)
    qtbot.waitUntil(lambda: found.dialog is not None)
    return found


def test_without_a_plan_it_says_so(panel: HandOverPanel) -> None:
    empty = panel.dialog
    assert empty is not None and not empty.save_button.isEnabled()
    assert "no plan" in empty.why_not.text().lower() and empty.summary.isVisible()


def test_while_a_run_has_no_plan_yet_it_says_that_the_plan_is_being_computed(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = panel.dialog
    monkeypatch.setattr(RunQueue, "is_busy", True)
    window.workbench.queue.changed.emit()
    qtbot.waitUntil(lambda: panel.dialog is not empty)
    assert panel.dialog is not None
    assert panel.dialog.summary.text() == panel.dialog.preview.text == COMPUTING
    assert "no plan" not in panel.dialog.why_not.text()
    monkeypatch.undo()
    panel.refresh()
    assert panel.dialog.summary.text().startswith("No drops are shown")
    # A saved plan whose fire is being computed for the map.
    monkeypatch.setattr(RunQueue, "activity", "Computing the plan…")
    window.workbench.session.show_result(ShownResult("Regions", folder=tmp_path))
    panel.refresh()
    assert panel.dialog.summary.text() == COMPUTING


def test_a_finished_plan_is_handed_over_while_another_run_is_at_work(
    window: MainWindow, panel: HandOverPanel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    session = window.workbench.session
    monkeypatch.setattr(RunQueue, "is_busy", True)
    first = ShownResult("Evening plan", plan=frames(session.project), drops=(drop(3),), folder=tmp_path)
    session.show_result(first)
    panel.refresh()
    assert panel.dialog is not None and panel.dialog.summary.text().startswith("Evening plan: 1 drop to fly")
    # Each plan of a run at work would draw the page anew.
    evening = panel.dialog
    monkeypatch.setattr(RunQueue, "shown", RunEntry("Evening plan", tmp_path, state=RunState.RUNNING))
    session.show_result(replace(first, drops=(drop(3), drop(9))))
    panel.refresh()
    assert panel.dialog is evening


def test_leaving_and_coming_back_keeps_what_was_chosen(qtbot: QtBot, window: MainWindow, panel: HandOverPanel) -> None:
    before = panel.dialog
    window.workbench.shell.show_workspace(WorkspaceName.PLAN)
    window.workbench.shell.show_workspace(WorkspaceName.HAND_OVER)
    panel.refresh()
    assert panel.dialog is before
    QTest.mouseClick(window.workbench.shell.side.sections["Export"].heading, LEFT)
    assert before is not None and not before.formats.isVisible()


def test_closing_the_window_waits_for_the_export_that_is_being_prepared(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel
) -> None:
    begun, ended = Event(), Event()

    def prepare(check: Check) -> None:
        begun.set()
        try:
            while True:
                check()
        finally:
            ended.set()

    assert panel.dialog is not None
    panel.dialog._prepare.request(prepare)
    qtbot.waitUntil(begun.is_set)
    window.stop_work()
    assert ended.is_set() and not panel.dialog.is_busy


def test_a_first_export_has_a_table_a_map_for_pilots_and_the_briefing(qtbot: QtBot) -> None:
    formats = FormatList()
    qtbot.addWidget(formats)
    assert {name for name, box in formats.boxes.items() if box.isChecked()} == {"csv", "kml", "pdf"}
