"""Workspace Hand over: the export of the plan on the map, without a dialog."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QWidget, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers

from firegui.errors import Check
from firegui.gui.exporting.export_dialog import COMPUTING, ExportDialog
from firegui.gui.exporting.export_options import FormatList
from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import ShownResult
from firegui.gui.widgets.path_line import elided_path
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.exporters import FORMATS
from firegui.runs.stages import RunState
from tests.gui.analyses.scene import stress_table
from tests.gui.fake_runs import drop, frames
from tests.gui.hands import LEFT
from tests.gui.layout_shares import lengthen
from tests.gui.shell_scene import settle

pytestmark = pytest.mark.usefixtures("blank_preview")


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


def test_it_opens_while_a_search_reports_all_the_time(qtbot: QtBot, window: MainWindow) -> None:
    queue = window.workbench.queue
    qtbot.waitUntil(lambda: not queue.activity)
    reports = QTimer(queue, interval=20)
    reports.timeout.connect(queue.changed)
    reports.start()
    window.workbench.shell.show_workspace(WorkspaceName.HAND_OVER)
    found = window.workbench.panel("Export", HandOverPanel)
    qtbot.waitUntil(lambda: found.dialog is not None and found.dialog.formats.isVisible())
    reports.stop()


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


def test_a_later_stress_test_of_the_same_plan_renews_its_verdict(
    window: MainWindow, panel: HandOverPanel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    session, entry = window.workbench.session, RunEntry("Evening plan", tmp_path, state=RunState.FINISHED)
    monkeypatch.setattr(RunQueue, "shown", entry)
    session.show_result(ShownResult("Evening plan", plan=frames(session.project), drops=(drop(3),), folder=tmp_path))
    panel.refresh()
    before = panel.dialog
    panel.refresh()
    assert panel.dialog is before and before is not None
    entry.stress = stress_table()
    panel.refresh()
    assert panel.dialog is not before


def test_leaving_and_coming_back_keeps_what_was_chosen(qtbot: QtBot, window: MainWindow, panel: HandOverPanel) -> None:
    before = panel.dialog
    window.workbench.shell.show_workspace(WorkspaceName.PLAN)
    window.workbench.shell.show_workspace(WorkspaceName.HAND_OVER)
    panel.refresh()
    assert panel.dialog is before
    QTest.mouseClick(window.workbench.shell.side.sections["Export"].heading, LEFT)
    assert before is not None and not before.formats.isVisible()


def test_no_item_of_a_layout_is_kept_in_python_for_a_part_that_the_panel_takes(
    window: MainWindow, panel: HandOverPanel
) -> None:
    # Shiboken makes such items for a layout that is added to another one. They outlive the part's place in the dialog,
    # and the process aborts when a thread that ended was at the address of such an item.
    before = [each for each in getAllValidWrappers() if isinstance(each, QWidgetItem)]
    dialog = ExportDialog(window.workbench.session, window)
    known = {id(each) for each in before}
    made = [each for each in getAllValidWrappers() if isinstance(each, QWidgetItem) and id(each) not in known]
    parts = {dialog.head, dialog.options, dialog.findings, dialog.target, dialog.preview, dialog.brief}
    parts |= {dialog.save_button, dialog.why_not, dialog.open_button}
    assert [each for each in made if each.widget() in parts] == []
    dialog.done(0)
    dialog.deleteLater()


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


@pytest.fixture
def export(qtbot: QtBot, window: MainWindow, panel: HandOverPanel, tmp_path: Path) -> ExportDialog:
    """Return the export of a plan with drops that are not flown, to a new folder."""
    show_plan(qtbot, window, panel, "First run")
    assert panel.dialog is not None
    panel.dialog.folder.line.setText(str(tmp_path / "out"))
    return panel.dialog


def show_plan(qtbot: QtBot, window: MainWindow, panel: HandOverPanel, title: str) -> None:
    """Show another plan, and wait until the panel has its page."""
    before, session = panel.dialog, window.workbench.session
    drops = (drop(3), drop(60, "water"), drop(61, executed=False))
    session.show_result(ShownResult(title, plan=frames(session.project), drops=drops))
    qtbot.waitUntil(lambda: panel.dialog is not None and panel.dialog is not before and not panel.dialog.is_busy)


@pytest.mark.parametrize("longer", [False, True], ids=["texts", "texts 30 % longer"])
def test_it_wraps_at_every_width_of_the_panel_and_its_button_stays_in_sight(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, export: ExportDialog, longer: bool
) -> None:
    side, column = window.workbench.shell.side, window.workbench.shell.side.columns[WorkspaceName.HAND_OVER]
    if longer:
        lengthen(window)
    for size in ((1440, 900), (1280, 720)):
        window.resize(*size)
        for width in (side.minimumWidth(), 320, side.maximumWidth()):
            window.workbench.shell._set_side_width(width)
            settle()
            # A page that is drawn anew meanwhile asks for another layout.
            with contextlib.suppress(qtbot.TimeoutError):
                qtbot.waitUntil(partial(_fits, window, column, export, width), timeout=2_000)
            assert _misfits(window, column, export, width) == [], f"at {size}, {width}"


def _fits(window: MainWindow, column: QScrollArea, export: ExportDialog, width: int) -> bool:
    return not _misfits(window, column, export, width)


def _misfits(window: MainWindow, column: QScrollArea, export: ExportDialog, width: int) -> list[str]:
    """Return what does not fit in the panel, whose width should be the one given."""
    content, line = export.options, export.folder.line
    fits = {"the panel": window.workbench.shell.side.width() == width}
    for area in (column, *column.findChildren(QScrollArea)):
        fits[area.accessibleName() or type(area).__name__] = area.horizontalScrollBar().maximum() == 0
    seen = content.visibleRegion().boundingRect().width()
    fits["the options"] = content.minimumSizeHint().width() <= content.width() <= seen
    fits["the folder"] = line.width() >= line.minimumWidth() > 80
    fits["the target"] = export.target.minimumSizeHint().width() <= export.target.width()
    for part in (export.folder, export.sheet.author, export.save_button):
        fits[f"{part.accessibleName()}, out of sight"] = _is_in_sight(part, window)
    return [name for name, does in fits.items() if not does]


def _is_in_sight(part: QWidget, window: MainWindow) -> bool:
    """Return whether the whole of a part is seen."""
    seen = part.visibleRegion().boundingRect()
    place = QRect(part.mapTo(window, part.rect().topLeft()), part.size())
    return part.isVisible() and seen == part.rect() and window.rect().contains(place)


def test_ticks_and_author_are_remembered_for_the_next_plan(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, export: ExportDialog
) -> None:
    QTest.keyClick(export.formats.boxes["kml"], Qt.Key.Key_Space)
    QTest.keyClick(export.formats.boxes["gpkg"], Qt.Key.Key_Space)
    QTest.keyClicks(export.sheet.author, "A. Analyst")
    export.sheet.paper.setCurrentIndex(2)
    sheet = export.sheet.sheet
    show_plan(qtbot, window, panel, "Second run")
    assert panel.dialog is not None and panel.dialog is not export
    assert panel.dialog.formats.ticked == ("csv", "gpkg", "pdf")
    assert panel.dialog.sheet.sheet == sheet and sheet.author == "A. Analyst"


def test_the_number_of_the_incident_is_that_of_the_project(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, export: ExportDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = window.workbench.session
    QTest.keyClicks(export.sheet.number, "CA-PNF-001308")
    show_plan(qtbot, window, panel, "Second run")
    assert panel.dialog is not None
    kept = panel.dialog.sheet.sheet.incident_number
    assert kept == ("CA-PNF-001308" if session.folder is not None else "")


def test_the_formats_scroll_with_the_side_panel_and_folder_and_button_stay_below(
    window: MainWindow, panel: HandOverPanel, export: ExportDialog
) -> None:
    side = window.workbench.shell.side
    window.resize(1280, 720)
    window.workbench.shell.set_side_visible(True)
    settle()
    assert not panel.settings.findChildren(QScrollArea)
    for part in (export.folder, export.sheet.author, export.save_button):
        assert not side.columns[WorkspaceName.HAND_OVER].isAncestorOf(part)
    assert list(export.formats.boxes)[:3] == ["pdf", "pdf-days", "ics220"] and set(export.formats.boxes) == set(FORMATS)
    assert _is_in_sight(export.formats.boxes["ics220"], window)


def test_a_long_folder_is_shown_without_its_middle_until_it_is_edited(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, export: ExportDialog
) -> None:
    line, path = (
        export.folder.line,
        str(Path("/home") / "analyst" / "a folder with a very long name" / "exports" / "plan"),
    )
    line.setText(path)
    window.workbench.shell.side.setFocus()
    settle()
    assert "…" in line.shown_text and line.shown_text.endswith(str(Path("exports") / "plan"))
    assert line.toolTip() == path
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.mouseClick(line, LEFT)
    assert line.hasFocus() and line.shown_text == path
    for width in (400, 200, 120):
        assert line.fontMetrics().horizontalAdvance(elided_path(path, line.fontMetrics(), width)) <= width


def test_every_file_to_be_written_has_its_line(qtbot: QtBot, panel: HandOverPanel, export: ExportDialog) -> None:
    line = export.names.fontMetrics().lineSpacing()
    qtbot.waitUntil(lambda: export.names.height() >= 3 * line)
    lines = export.names.height()
    assert [name.rpartition(".")[2] for name in export.names.names] == ["csv", "kml", "pdf"]
    assert export.names.toolTip().splitlines() == list(export.names.names)
    QTest.keyClick(export.formats.boxes["kmz"], Qt.Key.Key_Space)
    assert len(export.names.names) == 4
    qtbot.waitUntil(lambda: export.names.height() == lines + line)


def test_the_names_of_all_files_begin_alike_and_are_said_beside_the_button(
    window: MainWindow, panel: HandOverPanel, export: ExportDialog
) -> None:
    stem = export.stem.text()
    assert stem and all(name.startswith(stem) for name in export.names.names)
    assert export.will_write.text() == f"Will write 3 files: {stem} + .csv, .kml, -map.pdf"
    assert panel.foot.isAncestorOf(export.will_write) and _is_in_sight(export.will_write, window)
    export.standard.setChecked(True)
    assert export.will_write.text().startswith("Will write 3 files with agency names, such as ")


def test_the_line_of_the_files_is_whole_in_the_foot_of_the_panel(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, export: ExportDialog
) -> None:
    window.resize(1280, 720)
    window.workbench.shell.set_side_visible(True)
    settle()
    label = export.will_write

    def is_whole() -> bool:
        top, below = (part.mapTo(window, QPoint()).y() for part in (label, export.save_button))
        foot = panel.foot.parentWidget()
        assert foot is not None
        in_foot = foot.rect().contains(QRect(label.mapTo(foot, QPoint()), label.size()))
        high = label.heightForWidth(label.width())
        return label.height() >= high and top + high <= below and in_foot

    # One file more each time: the text goes on to more lines.
    for name in ("kmz", "geojson", "gpkg", "gpx", "geotiff"):
        if not export.formats.boxes[name].isChecked():
            QTest.keyClick(export.formats.boxes[name], Qt.Key.Key_Space)
        qtbot.waitUntil(is_whole)
    export.standard.setChecked(True)
    qtbot.waitUntil(is_whole)
    export.standard.setChecked(False)
    # Warnings, and later what was written, take room of the foot, too.
    export.warnings.setText("\n".join(["The fire is less certain: wind beyond what the fire model learned from."] * 5))
    export.warnings.setVisible(True)
    export.findings.setVisible(True)
    settle()
    qtbot.waitUntil(is_whole)
    for name, box in export.formats.boxes.items():
        box.setChecked(name in ("csv", "kml", "geojson"))
    QTest.mouseClick(export.save_button, LEFT)
    qtbot.waitUntil(lambda: bool(export.written))
    settle()
    qtbot.waitUntil(is_whole)
    # A window of the screen's height has room for less.
    window.resize(1280, 640)
    settle()
    qtbot.waitUntil(is_whole)


def test_after_an_export_the_panel_tells_count_folder_and_files_which_can_be_opened(
    qtbot: QtBot, window: MainWindow, panel: HandOverPanel, export: ExportDialog, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    assert not export.open_button.isVisible() and not export.brief.isVisible()
    for name in ("kml", "pdf"):
        QTest.keyClick(export.formats.boxes[name], Qt.Key.Key_Space)
    QTest.mouseClick(export.save_button, LEFT)
    qtbot.waitUntil(lambda: bool(export.written))
    settle()
    assert export.brief.text() == f"Wrote 1 file to the folder out:\n{export.stem.text()}.csv"
    assert export.written[0].name in export.brief.toolTip()
    for part in (export.brief, export.open_button):
        assert panel.foot.isAncestorOf(part) and _is_in_sight(part, window)
    QTest.mouseClick(export.open_button, LEFT)
    assert opened == [QUrl.fromLocalFile(str(tmp_path / "out"))]
