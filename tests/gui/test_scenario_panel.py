"""Story S1: the loaded event, and its missing data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.units import Units
from firegui.fire.project_notes import Remedy
from firegui.gui.scenario.scenario_panel import ScenarioPanel
from firegui.gui.session.session import Session
from firegui.gui.widgets.settings_form import FoldedSection
from tests.gui.hands import LEFT, show_widget
from tests.gui.readouts import fact_of
from tests.unit.domain.samples import weights


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> ScenarioPanel:
    shown = ScenarioPanel(session)
    qtbot.addWidget(shown)
    return shown


def test_a_start_is_said_once_where_local_time_is_utc(session: Session, panel: ScenarioPanel) -> None:
    event = replace(session.project.scenario, utc_offset_h=0.0)
    session.edit("move", replace(session.project, scenario=event))
    assert fact_of(panel, "Start") == "2020-08-19 07:00 UTC"


def test_the_facts_of_the_event_are_there(panel: ScenarioPanel) -> None:
    assert fact_of(panel, "Name") == "Test Ridge"
    assert fact_of(panel, "Grid") == "60 × 40 cells (width × height)\n1.80 km × 1.20 km, cells of 30 m"
    assert fact_of(panel, "CRS") == "EPSG:32610"
    assert fact_of(panel, "Start") == "2020-08-19 07:00 UTC\n2020-08-19 00:00 local (UTC-7)"
    assert fact_of(panel, "Plan") == "4 of 6 days, 200 steps of 28.8 min"
    assert fact_of(panel, "Fire model") == "Scalar test model"
    assert fact_of(panel, "Fleet") == "3 aircraft of 2 types"
    assert fact_of(panel, "Observed") == "2 perimeters, 19 Aug – 21 Aug 2020"


def test_the_size_of_a_cell_is_in_the_chosen_units(panel: ScenarioPanel, session: Session) -> None:
    session.set_units(Units.US)
    assert fact_of(panel, "Grid").endswith("1.12 mi × 0.746 mi, cells of 98 ft")
    assert panel._values["Grid"].toolTip() == "cells of 30 m"


def test_the_folder_can_be_read_copied_and_opened(
    qtbot: QtBot, session: Session, panel: ScenarioPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    show_widget(qtbot, panel, 320, 600)
    assert panel.folder.text() == "not saved yet" and not panel.folder_button.isEnabled()
    folder = tmp_path / "a-folder-with-a-long-name-that-has-no-room" / "ridge.firegui"
    session.open_project(session.project, folder)
    panel.model_button.setFocus()
    shown = panel.folder.text()
    assert "…" in shown[1:-1] and panel.folder.toolTip() == str(folder)
    QTest.mouseClick(panel.folder, LEFT)
    qtbot.waitUntil(lambda: panel.folder.selectedText() == str(folder))
    QTest.mouseClick(panel.folder_button, LEFT)
    assert opened == [str(folder)]


def test_missing_layers_are_named(panel: ScenarioPanel) -> None:
    missing = fact_of(panel, "Layers")
    assert "fuel model" in missing
    assert "elevation" not in missing


def test_the_notes_say_what_the_fire_model_does_without(panel: ScenarioPanel) -> None:
    notes = panel.notes
    assert "Wind is the same everywhere." in notes
    assert "leaves the slope term out" in notes


def test_the_notes_say_what_a_network_was_not_taught(session: Session, panel: ScenarioPanel, project: Project) -> None:
    session.open_project(project.with_network(weights()), None)

    assert fact_of(panel, "Fire model") == "test network\nDoes not use elevation."
    assert "Wind effect from published values (Alexandridis et al. 2008)" in panel.notes
    assert "does not read elevation" in panel.notes
    assert "uses the same fuel factor everywhere" not in panel.notes


def test_a_warning_is_settled_by_its_button_and_notes_are_folded(session: Session, panel: ScenarioPanel) -> None:
    button = panel.findChild(QPushButton, Remedy.DAYLIGHT.value)
    assert button is not None
    button.click()
    assert session.project.operations.daylight is not None
    assert "No daylight rule" not in panel.notes
    fold = panel.findChildren(FoldedSection)[0]
    assert (
        any("Wind is the same everywhere." in label.text() for label in fold.findChildren(QLabel))
        and fold.body.isHidden()
    )


def test_a_synthetic_fire_is_marked_as_such(session: Session, panel: ScenarioPanel, project: Project) -> None:
    assert panel._banner.isHidden()
    session.open_project(replace(project, scenario=replace(project.scenario, synthetic=True)), None)
    assert not panel._banner.isHidden()


def test_a_grid_without_a_place_is_said_to_have_none(session: Session, panel: ScenarioPanel, project: Project) -> None:
    grid = replace(project.scenario.grid, transform=None, crs=None)
    session.open_project(replace(project, scenario=replace(project.scenario, grid=grid)), None)
    assert fact_of(panel, "CRS").startswith("none")


def test_a_long_crs_is_shown_by_a_short_name_with_the_whole_in_its_tooltip(
    session: Session, panel: ScenarioPanel, project: Project
) -> None:
    own = "+proj=aea +lat_0=36.1 +lon_0=-118.7 +lat_1=36.0 +lat_2=36.2 +x_0=0 +y_0=0 +datum=NAD83 +units=m +no_defs"
    grid = replace(project.scenario.grid, crs=own)
    session.open_project(replace(project, scenario=replace(project.scenario, grid=grid)), None)

    assert fact_of(panel, "CRS") == "Albers Equal Area, North American Datum 1983"
    assert " ".join(panel._values["CRS"].toolTip().split()) == own


def test_the_facts_follow_an_edit(session: Session, panel: ScenarioPanel) -> None:
    session.set_plan("shorten", replace(session.project.plan, days=2))
    assert fact_of(panel, "Plan").startswith("2 of 6 days")


def test_weights_are_asked_for_beside_the_fire_model(qtbot: QtBot, panel: ScenarioPanel) -> None:
    with qtbot.waitSignal(panel.weights_wanted):
        panel.load_button.click()


def test_notes_are_graded_and_an_unknown_date_is_not_shown_as_one(session: Session, panel: ScenarioPanel) -> None:
    project = session.project
    session.edit("forget the date", replace(project, scenario=replace(project.scenario, start=UNKNOWN_START)))
    assert fact_of(panel, "Start") == "date unknown"
    lines = panel.notes.splitlines()
    assert lines[0].startswith("Warning: The date of the fire is not known")
    grades = [line.partition(":")[0] for line in lines]
    assert grades == sorted(grades, key=["Error", "Warning", "Note"].index) and "Note" in grades
