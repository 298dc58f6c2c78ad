"""One of every dialog of the window, for tests that look at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtWidgets import QWidget

from firegui.domain.drops import Drop
from firegui.domain.regions import Region
from firegui.errors import InputError, Problem
from firegui.gui.base.dialogs import ProblemsDialog, TextDialog
from firegui.gui.exporting.animation_dialog import AnimationDialog
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.importing.event_dialogs import ImportEventDialog, ImportEventsDialog
from firegui.gui.importing.landscape.wizard import LandscapeWizard
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.map.drop_menu import DropDialog
from firegui.gui.map.layer_properties import LayerPropertiesDialog
from firegui.gui.map.map_places import GoToDialog
from firegui.gui.map.shape_menu import RegionDialog
from firegui.gui.planning.duplicate_run_dialog import DuplicateRunDialog
from firegui.gui.planning.replan_dialog import ReplanDialog, ReplanSource
from firegui.gui.scenario.airspace_form import AirspaceDialog
from firegui.gui.scenario.constraint_tables import PinDropsDialog
from firegui.gui.scenario.crew_notes_form import FrequencyDialog, HazardDialog
from firegui.gui.scenario.fire_model_dialog import FireModelDialog
from firegui.gui.scenario.scenario_panel import CoverageDialog
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.recovery import RecoverDialog
from firegui.runs.autosave import OpenNote, RecoverableProject
from tests.gui.shell_scene import ridge


def dialogs(window: MainWindow) -> Iterator[QWidget]:
    """Yield the dialogs of a window with an open project, not shown."""
    session = window.workbench.session
    project, place = session.project, Path("ridge.firegui")
    yield ProblemsDialog(InputError([Problem("here", "is wrong", "mend it")] * 20, "Refused"), window)
    yield ImportEventDialog(window)
    yield ImportEventsDialog(lambda _source: ridge(), window)
    yield CoverageDialog(project, window)
    yield FireModelDialog(project, window)
    yield PinDropsDialog(session, [], project, window)
    drop, hand = Drop(1, 0, 5.0, 6.0, 0.5), session.plan_editor.drops
    yield DropDialog(session, "Drop", drop, lambda to: DropChange(hand, hand.plus(to), to, "Add a drop"), window)
    yield AirspaceDialog(session, window)
    yield FrequencyDialog(session, window)
    yield HazardDialog(session, window)
    yield RegionDialog(session, Region.rectangle("R", (1, 4), (2, 5)), window)
    yield RegionDialog(session, Region("P", ((((1.0, 1.0), (1.0, 5.0), (4.0, 2.0)),),)), window)
    yield GoToDialog(project.scenario.grid, lambda *_: None, window)
    yield TextDialog("New region", "36 cells\n&Name of the new region:", lambda _: "", window, text="R2")
    yield LayerPropertiesDialog(window.workbench.map.layers, window)
    plan = ReplanSource("one", place / "plan.csv", 60.0)
    yield ReplanDialog(project, place, place / "runs" / "one", plan, "auto", window)
    yield DuplicateRunDialog(RunEntry("one", place / "runs" / "one", project=project), project, window)
    yield ExportDialog(session, window)
    yield AnimationDialog(session, window.workbench.maps, window)
    note = OpenNote(name="Ridge", edited=datetime(2020, 8, 19, tzinfo=UTC))
    yield RecoverDialog([RecoverableProject(place / str(number), note) for number in range(5)], window)
    yield LandscapeWizard(lambda *_: project, lambda *_: True, window)
