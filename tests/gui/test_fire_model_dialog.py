"""The fire model of an open project, chosen from the Scenario panel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.base.dialogs import ProblemsDialog
from firegui.gui.scenario.fire_model_dialog import FireModelDialog
from firegui.gui.scenario.scenario_panel import ScenarioPanel
from firegui.gui.session.session import Session
from tests.gui.conftest import COLUMNS, ROWS
from tests.gui.hands import LEFT, choose, show_widget, type_into_field
from tests.gui.readouts import fact_of
from tests.gui.test_dialogs import escape, press, when_open


def with_fuel(project: Project, code: float) -> Project:
    fuel = np.full((ROWS, COLUMNS), code, np.float32)
    return replace(project, scenario=replace(project.scenario, layers={**project.scenario.layers, "fuel": fuel}))


@pytest.fixture
def panel(qtbot: QtBot, session: Session, project: Project) -> ScenarioPanel:
    session.open_project(with_fuel(project, 122.0), None)
    made = ScenarioPanel(session)
    show_widget(qtbot, made, 360, 700)
    return made


def test_the_physical_model_is_chosen_with_a_moisture_as_one_undoable_step(
    qtbot: QtBot, session: Session, panel: ScenarioPanel
) -> None:
    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, FireModelDialog)
        assert not dialog.settings.isVisible()
        choose(dialog.kind, "physical")
        assert dialog.settings.isVisible() and not dialog.trouble.isVisible()
        type_into_field(qtbot, dialog.form.box("moisture_dead_1h"), "4")
        press("OK")(dialog)

    before = session.project
    when_open(answer)
    QTest.mouseClick(panel.model_button, LEFT)
    after = session.project
    assert PhysicalSettings.of(after.fire_model.parameters).moisture.dead_1h == 4.0
    assert after.scenario.steps_per_day > before.scenario.steps_per_day
    assert fact_of(panel, "Fire model") == "physical model (Rothermel 1972)"
    assert fact_of(panel, "Plan").startswith(f"4 of 6 days, {after.calendar.n_steps:,} steps of ")
    assert fact_of(panel, "Plan").endswith(" min")
    assert session.undo_stack.undoText() == "choose the fire model"
    session.undo_stack.undo()
    assert session.project is before


@pytest.mark.parametrize("leave", [escape, press("OK")])
def test_leaving_without_a_change_is_no_step(session: Session, panel: ScenarioPanel, leave: object) -> None:
    assert callable(leave)
    when_open(leave)
    QTest.mouseClick(panel.model_button, LEFT)
    assert not session.undo_stack.canUndo()


def test_an_event_without_fuel_is_told_what_is_missing(qtbot: QtBot, project: Project) -> None:
    dialog = FireModelDialog(project)
    show_widget(qtbot, dialog, 480, 480)
    choose(dialog.kind, "physical")
    assert "no fuel model layer" in dialog.trouble.text() and dialog.trouble.isVisible()
    assert not dialog.ok.isEnabled()
    choose(dialog.kind, "network")
    assert not dialog.trouble.isVisible() and dialog.ok.isEnabled()
    assert dialog.kind.findData("maps") < 0, "there are no imported maps"


OWN = "14 CH1 2.0 1.5 0 0 2.5 static 2000 1500 1600 3.0 20 8000 8000 Chaparral"


def test_custom_fuel_models_are_loaded_named_and_removed_as_undoable_steps(
    monkeypatch: pytest.MonkeyPatch, session: Session, panel: ScenarioPanel, project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "own.fmd"
    path.write_text(OWN, encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(path), ""))
    session.open_project(with_fuel(project, 14.0), None)

    def dismiss(dialog: QWidget) -> None:
        assert isinstance(dialog, ProblemsDialog)
        assert "14 is given twice" in dialog.problems.toPlainText()
        press("OK")(dialog)

    def load(dialog: QWidget) -> None:
        assert isinstance(dialog, FireModelDialog)
        choose(dialog.kind, "physical")
        assert "14 (" in dialog.trouble.text() and not dialog.ok.isEnabled() and not dialog.remove.isEnabled()
        press("Fuel models")(dialog)
        assert dialog.fuels.text() == "1 besides the standard ones: CH1 (custom 14)"
        assert not dialog.trouble.isVisible() and dialog.remove.isEnabled()
        path.write_text(f"{OWN}\n{OWN}", encoding="utf-8")
        when_open(dismiss)
        press("Fuel models")(dialog)
        assert dialog.fuels.text().startswith("1 besides"), "a bad file changes nothing"
        press("OK")(dialog)

    when_open(load)
    QTest.mouseClick(panel.model_button, LEFT)
    assert [fuel.name for fuel in session.project.fire_model.fuels] == ["CH1"]

    def remove(dialog: QWidget) -> None:
        assert isinstance(dialog, FireModelDialog)
        press("Remove")(dialog)
        assert dialog.fuels.text() == "The standard ones: 13 and 40"
        assert dialog.trouble.isVisible() and not dialog.ok.isEnabled()
        escape(dialog)

    changed = session.project
    when_open(remove)
    QTest.mouseClick(panel.model_button, LEFT)
    assert session.project is changed
    session.undo_stack.undo()
    assert not session.project.fire_model.fuels
    session.undo_stack.redo()
    assert session.project is changed


def test_a_fire_that_needs_too_many_steps_is_refused_and_nothing_changes(
    session: Session, panel: ScenarioPanel, project: Project
) -> None:
    stormy = with_fuel(project, 107.0)
    wind = np.full_like(stormy.scenario.wind_speed, 30.0)
    session.open_project(replace(stormy, scenario=replace(stormy.scenario, wind_speed=wind)), None)
    refused: list[InputError] = []
    session.refused.connect(refused.append)

    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, FireModelDialog)
        choose(dialog.kind, "physical")
        press("OK")(dialog)

    when_open(answer)
    QTest.mouseClick(panel.model_button, LEFT)
    assert "steps a day" in str(refused[0])
    assert not session.undo_stack.canUndo()


def test_crown_fire_and_what_it_lacks_are_said_in_the_dialog(qtbot: QtBot, session: Session, project: Project) -> None:
    dialog = FireModelDialog(with_fuel(project, 122.0))
    show_widget(qtbot, dialog, 480, 640)
    choose(dialog.kind, "physical")
    text = dialog.about.text()
    assert (
        "Spotting is not modelled" in text and "no canopy base height and canopy bulk density: no crowns burn" in text
    )
    dialog.form.box("crown_fire").click()
    type_into_field(qtbot, dialog.form.box("foliar_moisture"), "80")
    assert dialog.choice is not None and dialog.choice.physical is not None
    assert (dialog.choice.physical.crown_fire, dialog.choice.physical.foliar_moisture) == (True, 80.0)
    choose(dialog.kind, "network")
    assert "crown" not in dialog.about.text()
