"""The whole life of a plan in one sitting: from the opened event to the export, and opened again.

Every step is a mouse or key event. Run it in a real window with ``-m slow`` under Xvfb. ``FIREGUI_PICTURES`` names a
folder for a picture of the window after every step.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.stress.stress_controller import StressController
from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.base.dialogs import TextDialog
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.run_comparison import ComparisonPanel
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.scenario.calendar_panel import CalendarPanel
from firegui.gui.scenario.fleet_panel import FIELDS, FleetPanel
from firegui.gui.scenario.objective_panel import ObjectivePanel
from firegui.gui.scenario.regions_panel import RegionsPanel
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import WholeField
from firegui.gui.window.main_window import MainWindow
from firegui.runs.run_folder import read_run
from firegui.runs.stages import FinishReason
from tests.gui.hands import LEFT, centre_of, type_into_cell, type_into_field
from tests.gui.map_scene import NONE, regions_of
from tests.gui.stories.conftest import Pick
from tests.gui.stories.person import CONTROL, SHIFT, Person
from tests.gui.stories.test_s06 import a_drop, drop_of

ENDLESS = 1_000_000
PICTURES = os.environ.get("FIREGUI_PICTURES", "")


class Album:
    """Keeps a picture of the window after each step, where a folder is named."""

    def __init__(self, person: Person, name: str) -> None:
        self._person, self._name, self._count = person, name, 0

    def keep(self, step: str) -> None:
        """Write the window, with the dialog in front of it, as a picture."""
        QApplication.processEvents()
        if PICTURES:
            self._count += 1
            self._person.window.grab().save(str(Path(PICTURES) / f"{self._name}-{self._count:02d}-{step}.png"))


@pytest.fixture(autouse=True)
def look(qapp: QApplication, theme: Theme) -> None:
    """Apply the theme before the window is made."""
    apply_theme(qapp, theme)


@pytest.mark.slow
@pytest.mark.parametrize("theme", [Theme.DARK, Theme.LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)], ids=["1280x720", "1440x900"])
def test_a_plan_lives_from_the_opened_event_to_the_export_and_is_opened_again(
    qtbot: QtBot, bare: Person, folder: Path, pick: Pick, tmp_path: Path,
    preferences_store: QSettings, size: tuple[int, int], theme: Theme,
) -> None:  # fmt: skip
    person, window = bare, bare.window
    window.resize(*size)
    album = Album(person, f"{size[0]}x{size[1]}-{theme.value}")

    # Open.
    pick("ask_project", folder)
    person.key(Qt.Key.Key_O, CONTROL)
    person.rests()
    assert window.windowTitle().startswith("Test Ridge")
    album.keep("opened")

    # Region, fleet, grounded day.
    regions = person.front("Regions", RegionsPanel)
    person.press(person.button(regions, "rectangle"))
    person.hand.drag((20.4, 30.6), (25.5, 38.2))
    naming = QApplication.activeModalWidget()
    assert isinstance(naming, TextDialog)
    QTest.keyClicks(naming.field, "Camp")
    QTest.keyClick(naming, Qt.Key.Key_Return)
    assert "Camp" in regions_of(person.session)
    fleet = person.front("Fleet", FleetPanel)
    type_into_cell(qtbot, fleet.view, 0, FIELDS.index("count"), "3")
    assert person.session.project.fleet.types[0].count == 3
    calendar = person.front("Calendar", CalendarPanel)
    person.see(calendar.view)
    QTest.mouseClick(calendar.view.viewport(), LEFT, pos=centre_of(calendar.view, 1, 2))
    assert person.session.project.planned_fleet.types[1].grounded_days == (2,)
    album.keep("edited")

    # Start, watch, stop, resume.
    by_rule = person.quick_plan()
    objective = person.front("Objective", ObjectivePanel)
    for name in ("optimizer_epochs", "optimizer_patience"):
        field = objective.findChild(WholeField, name)
        assert isinstance(field, WholeField)
        person.see(field)
        type_into_field(qtbot, field, str(ENDLESS))
    person.key(Qt.Key.Key_F5)
    searched = person.queue.active
    assert searched is not None
    person.front("Progress", ProgressPanel)
    # The first search steps have no drop that is certain enough to fly.
    person.until(lambda: searched.epoch >= 5 and searched.drops)
    album.keep("watched")
    person.press(person.tool(window.workbench.actions["stop"]))
    person.rests()
    assert searched.reason is FinishReason.STOPPED
    done = searched.epoch
    person.press(person.tool(window.workbench.actions["resume"]))
    person.until(lambda: searched.epoch > done)
    person.key(Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier | SHIFT)
    person.rests()
    assert read_run(searched.folder).header.epochs_done == searched.epoch > done

    # Result and comparison.
    result = person.front("Result", ResultPanel)
    person.until(lambda: "Final size" in result.view.text)
    album.keep("result")
    table = person.front("Runs", RunsPanel).table
    for entry, modifier in ((by_rule, NONE), (searched, CONTROL)):
        QTest.mouseClick(table.viewport(), LEFT, modifier, person.line_of(entry))
    compare = person.runs.button("compare")
    person.press(compare)
    person.rests()
    person.until(lambda: person.session.side_by_side)
    (page,) = window.findChildren(ComparisonPanel)
    assert page.isVisible() and any(line.what == "Drops" for line in page.lines)
    album.keep("compared")
    person.double_click(table, person.line_of(searched))
    person.until(lambda: person.queue.shown is searched and not person.session.side_by_side)
    person.rests()

    # Drag a drop, and take it back.
    drop = a_drop(person)
    person.press(person.tool(window.workbench.actions["tool:drop"]))
    here = drop.landing_y + 0.5, drop.landing_x + 0.5
    rows, columns = person.session.project.scenario.grid.shape
    down, right = (2.0 if here[0] < rows / 2 else -2.0), (3.0 if here[1] < columns / 2 else -3.0)
    person.hand.drag(here, (here[0] + down, here[1] + right))
    person.until(lambda: person.session.plan_editor.plan is not None)
    assert drop_of(person, drop).landing_y == pytest.approx(drop.landing_y + down, abs=0.3)
    person.rests()
    album.keep("dragged")
    person.undo()
    assert drop_of(person, drop).landing_y == pytest.approx(drop.landing_y, abs=1e-3)
    person.rests()

    # Stress test.
    stress = person.front("Stress", StressPanel)
    person.press(stress.button("start"))
    controller = window.workbench.controller(StressController)
    person.until(lambda: not controller.is_busy)
    assert controller.shown is not None
    album.keep("stressed")

    # Hand over.
    hand_over = person.front("Export", HandOverPanel)
    person.until(lambda: hand_over.dialog is not None and not hand_over.dialog.is_busy)
    # The panel prepares the export anew for what changed just before.
    qtbot.wait(500)
    person.until(lambda: hand_over.dialog is not None and not hand_over.dialog.is_busy)
    export = hand_over.dialog
    assert export is not None
    place = tmp_path / "handed over"
    export.folder.line.setFocus()
    export.folder.line.selectAll()
    QTest.keyClicks(export.folder.line, str(place))
    for name, box in export.formats.boxes.items():
        if box.isChecked() != (name in ("csv", "report")):
            person.press(box)
    album.keep("export")
    person.press(export.save_button)
    person.until(lambda: not export.is_busy and len(export.written) == 2)
    assert sorted(path.suffix for path in place.iterdir()) == [".csv", ".html"]

    # Saved, closed, and opened again in another window.
    person.key(Qt.Key.Key_S, CONTROL)
    person.until(lambda: not window.isWindowModified())
    window.close()
    person.until(lambda: not window.isVisible())
    again_session = Session()
    again = MainWindow(again_session, RunQueue(again_session), Preferences(preferences_store, tmp_path / "recent"))
    qtbot.addWidget(again)
    again.resize(*size)
    again.show()
    second = Person(qtbot, again)
    assert again.workbench.documents.open(folder)
    second.rests()
    assert "Camp" in regions_of(again_session)
    assert {entry.folder for entry in second.queue.entries} >= {by_rule.folder, searched.folder}
    Album(second, f"{size[0]}x{size[1]}-{theme.value}-again").keep("reopened")
    again_session.undo_stack.setClean()
    again.stop_work()
    again.close()
