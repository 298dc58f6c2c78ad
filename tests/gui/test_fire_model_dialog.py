"""The fire model of an open project, chosen from the Scenario panel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.errors import InputError
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
