"""The required coverage of an open project, changed from the scenario dock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.coverage import RequiredCoverage
from firegui.domain.project import FireModel, Project
from firegui.gui.scenario.scenario_panel import CoverageDialog, ScenarioPanel
from firegui.gui.session.session import Session
from firegui.gui.widgets.coverage_form import LEVEL, CoverageChoice, choice_of, chosen_coverage
from firegui.io.project.scenario_toml import coverage_of, shipped_table
from tests.gui.conftest import COLUMNS, ROWS
from tests.gui.hands import LEFT, show_widget, type_into_cell
from tests.gui.readouts import fact_of
from tests.gui.test_dialogs import escape, press, when_open


@pytest.fixture
def fuelled(project: Project) -> Project:
    """Return a project of three quarters TU5, a quarter GS2, with the coverage that such fuel requires."""
    fuel = np.full((ROWS, COLUMNS), 165, np.float32)
    fuel[:, : COLUMNS // 4] = 122
    event = replace(project.scenario, layers={**project.scenario.layers, "fuel": fuel})
    return replace(project, scenario=event, coverage=coverage_of(event))


@pytest.fixture
def panel(qtbot: QtBot, session: Session, fuelled: Project) -> ScenarioPanel:
    session.open_project(fuelled, None)
    made = ScenarioPanel(session)
    show_widget(qtbot, made, 360, 700)
    return made


def test_the_dock_says_the_value_and_where_it_is_from(panel: ScenarioPanel) -> None:
    said = fact_of(panel, "Coverage")
    assert said.startswith("2.25 gal/100 ft² required\narea-weighted over 2,400 cells")


def test_a_level_is_edited_as_one_undoable_step(qtbot: QtBot, session: Session, panel: ScenarioPanel) -> None:
    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, CoverageDialog)
        type_into_cell(qtbot, dialog.form.view, 0, LEVEL, "4")
        press("OK")(dialog)

    before = session.project.coverage
    when_open(answer)
    QTest.mouseClick(panel.coverage_button, LEFT)
    assert session.project.coverage.c_req == pytest.approx(0.75 * 4 + 0.25 * 3)
    assert session.undo_stack.undoText() == "change required coverage"
    assert fact_of(panel, "Coverage").startswith("3.75 gal")
    session.undo_stack.undo()
    assert session.project.coverage == before


@pytest.mark.parametrize("leave", [escape, press("OK")])
def test_leaving_without_a_change_is_no_step(session: Session, panel: ScenarioPanel, leave: object) -> None:
    assert callable(leave)
    when_open(leave)
    QTest.mouseClick(panel.coverage_button, LEFT)
    assert not session.undo_stack.canUndo()


def test_one_value_can_be_chosen_where_there_is_no_fuel(qtbot: QtBot, project: Project) -> None:
    dialog = CoverageDialog(project)
    show_widget(qtbot, dialog, 480, 400)
    assert dialog.form.value.value() == 2.7 and dialog.coverage is None
    dialog.form.by_value.setFocus()
    QTest.keyClick(dialog.form.by_value, Qt.Key.Key_Space)
    dialog.form.value.setFocus()
    dialog.form.value.selectAll()
    QTest.keyClicks(dialog.form.value, "3.5")
    QTest.keyClick(dialog.form.value, Qt.Key.Key_Return)
    assert dialog.coverage == RequiredCoverage(3.5, "one value for all fuel, chosen by hand")


def test_imported_maps_bring_their_own(session: Session, panel: ScenarioPanel, fuelled: Project) -> None:
    assert panel.coverage_button.isEnabled()
    own = replace(fuelled, fire_model=FireModel("maps", "imported", {}), maps=None)
    session.open_project(own, None)
    assert panel.coverage_button.isEnabled(), "without maps there is nothing that goes before"


@pytest.mark.parametrize("choice", [CoverageChoice(), CoverageChoice(levels={165: 5.0}), CoverageChoice(value=3.0)])
def test_a_choice_is_told_from_the_coverage_it_made(choice: CoverageChoice) -> None:
    cells, table = {165: 30, 122: 10}, shipped_table()
    assert choice_of(chosen_coverage(choice, cells, table), cells, table) == choice
