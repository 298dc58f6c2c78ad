"""Nothing moves under the pointer when texts of an analysis or an export come and go."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.session.session import ShownResult
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from tests.gui.fake_runs import drop, frames
from tests.gui.shell_scene import settle

VERDICT = "Does not hold: 12 % of the growth left."
MANY = "\n".join(f"⚠ Warning {number} says at some length what the plan lacks, and what to do." for number in range(8))


def top(widget: QWidget) -> int:
    return widget.mapTo(widget.window(), QPoint()).y()


@pytest.mark.parametrize("size", [QSize(1280, 720), QSize(1440, 900)], ids=lambda size: f"{size.width()}")
def test_tabs_and_headings_stay_while_a_stress_test_begins_and_ends(window: MainWindow, size: QSize) -> None:
    window.resize(size)
    workbench = window.workbench
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel = workbench.panel("Stress", StressPanel)
    column = workbench.shell.side.columns[workbench.shell.workspace]

    def places() -> tuple[int, list[int]]:
        settle()
        bar = column.verticalScrollBar()
        return top(panel.pages), [top(each.heading) + bar.value() for each in column.sections.values()]

    with pytest.MonkeyPatch.context() as patch:
        # The introduction goes with the first test.
        patch.setattr(type(panel), "_introduce", lambda self, _trouble: self.show_introduction(False))
        patch.setattr(type(panel), "_conclusion", lambda _self: "")
        panel._show_result()
        before = places()
        assert panel.notes.isVisible(), "no schedule is chosen"
        patch.setattr(type(panel._controller), "is_busy", property(lambda _self: True))
        panel._show_result()
        assert not panel.notes.isVisible() and places() == before
        patch.setattr(type(panel._controller), "is_busy", property(lambda _self: False))
        patch.setattr(type(panel), "_conclusion", lambda _self: VERDICT)
        panel._show_result()
        assert panel.conclusion.isVisible() and places() == before
        assert panel.conclusion.height() >= panel.conclusion.heightForWidth(panel.conclusion.width())


def show_findings(dialog: ExportDialog) -> None:
    dialog.verdict.setText(VERDICT)
    dialog.warnings.setText(MANY)
    for part in (dialog.verdict, dialog.warnings, dialog.findings):
        part.show()


def test_the_formats_stay_where_they_are_when_warnings_come(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 720)
    workbench = window.workbench
    qtbot.waitUntil(lambda: not workbench.queue.activity)
    session = workbench.session
    session.show_result(ShownResult("Plan", plan=frames(session.project), drops=(drop(3),)))
    dialog = ExportDialog(session, window)
    dialog.show()
    workbench.shell.show_workspace(WorkspaceName.HAND_OVER)
    panel = workbench.panel("Export", HandOverPanel)
    qtbot.waitUntil(lambda: panel.dialog is not None)
    shown = panel.dialog
    assert shown is not None
    qtbot.waitUntil(lambda: not dialog.is_busy and not shown.is_busy)
    for each in (dialog, shown):
        for part in (each.verdict, each.warnings, each.findings):
            part.hide()
        # The side panel settles its width some events later.
        qtbot.wait(300)
        parts = (*each.formats.boxes.values(), each.target, each.folder, each.save_button)
        qtbot.wait(300)
        before, height = [top(part) for part in parts], each.formats.window().height()
        show_findings(each)
        for box in each.formats.boxes.values():
            box.setChecked(True)
        each.why_not.setText("The preview is being drawn…")
        each.why_not.show()
        qtbot.wait(300)
        assert each.findings.isVisible() and each.findings.height() > 40
        assert each.will_write.height() > 1.5 * each.will_write.fontMetrics().lineSpacing()
        assert [top(part) for part in parts] == before and each.formats.window().height() == height
    dialog.done(0)
    dialog.deleteLater()
