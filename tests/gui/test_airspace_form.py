"""Airspace rules in the panel Rules of the operation: added, edited, refused, removed and undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from firegui.domain.airspace import AirspaceRule
from firegui.domain.operations import Operations
from firegui.gui.scenario.airspace_form import AirspaceDialog
from firegui.gui.scenario.constraints_panel import ConstraintsPanel
from firegui.gui.session.session import Session
from firegui.io.project.scenario_toml import read_operations
from tests.gui.hands import cell_text, show_widget, type_into_cell, type_refused_into_cell
from tests.gui.map_scene import undo_steps

SPOT = AirspaceRule(1, 60.0, 300.0)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> ConstraintsPanel:
    shown = ConstraintsPanel(session)
    show_widget(qtbot, shown, 380, 1800)
    return shown


def rules(session: Session) -> tuple[AirspaceRule, ...]:
    return session.project.operations.airspace


def add(panel: ConstraintsPanel, most: str, radius: str, minutes: str, types: str = "") -> AirspaceDialog:
    """Press the button and fill in the dialog that it opens."""
    (button,) = [each for each in panel.airspace.findChildren(QToolButton) if each.text() == "Add rule…"]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    dialog = panel.airspace.dialog
    assert isinstance(dialog, AirspaceDialog)
    for name, text in (("most", most), ("radius", radius), ("minutes", minutes), ("types", types)):
        getattr(dialog, name).setText(text)
    dialog.accept()
    return dialog


def shown(panel: ConstraintsPanel, row: int) -> list[str]:
    return [cell_text(panel.airspace.view, row, column) for column in range(4)]


def test_rules_are_added_edited_removed_and_undone(qtbot: QtBot, panel: ConstraintsPanel, session: Session) -> None:
    assert not add(panel, "1", "300", "60").isVisible()
    assert not add(panel, " 6 ", "", "60", "S-2T , CL-415").isVisible()
    assert rules(session) == (SPOT, AirspaceRule(6, 60.0, None, ("S-2T", "CL-415")))
    assert shown(panel, 0) == ["1", "300", "60", "all"]
    assert shown(panel, 1) == ["6", "anywhere", "60", "S-2T, CL-415"]
    assert not session.project.operations.off and panel.button("reset").isEnabled()
    for column, text in ((0, "2"), (1, "450.5"), (2, "45"), (3, "S-2T")):
        type_into_cell(qtbot, panel.airspace.view, 0, column, text)
    assert rules(session)[0] == AirspaceRule(2, 45.0, 450.5, ("S-2T",))
    type_into_cell(qtbot, panel.airspace.view, 0, 1, "")
    type_into_cell(qtbot, panel.airspace.view, 0, 3, "")
    assert rules(session)[0] == AirspaceRule(2, 45.0)
    panel.airspace.view.clearSelection()
    panel.airspace.remove()
    assert len(rules(session)) == 2, "nothing is selected"
    panel.airspace.view.selectRow(0)
    (button,) = [each for each in panel.airspace.findChildren(QToolButton) if each.text() == "Remove"]
    button.click()
    assert len(rules(session)) == 1 and not button.isEnabled()
    assert undo_steps(session) == 9
    for _ in range(9):
        session.undo_stack.undo()
    assert session.project.operations.off and not panel.airspace.model.rows


def test_everything_wrong_with_a_rule_is_one_list_and_the_dialog_stays(
    panel: ConstraintsPanel, session: Session
) -> None:
    dialog = add(panel, "some", "far", "0", "DC-10")
    assert dialog.problems is not None and dialog.isVisible() and rules(session) == ()
    text = dialog.problems.problems.toPlainText()
    for part in ("'some' is not a number", "'far' is not a number", "Minutes is 0.0", "DC-10 is not an aircraft type"):
        assert part in text, part
    dialog.problems.reject()
    dialog.reject()


def test_a_value_that_cannot_be_is_refused_in_its_cell(qtbot: QtBot, panel: ConstraintsPanel, session: Session) -> None:
    session.set_operations("x", Operations(airspace=(SPOT,)))
    for column, typed, said in (
        (0, "0", "Drops at most is 0"), (0, "1.5", "give a whole number"), (1, "-3", "Radius is -3.0"),
        (2, "soon", "give a number"), (3, "DC-10", "DC-10 is not an aircraft type"),
    ):  # fmt: skip
        assert said in type_refused_into_cell(qtbot, panel.airspace.view, 0, column, typed)
    assert rules(session) == (SPOT,)
    panel.airspace.view.selectRow(0)
    panel.airspace.view.setFocus()
    QTest.keyClick(panel.airspace.view, Qt.Key.Key_Delete)
    assert rules(session) == ()


def test_rules_are_saved_loaded_and_turned_off_with_the_others(
    panel: ConstraintsPanel, session: Session, tmp_path: Path
) -> None:
    wanted = Operations(airspace=(SPOT, replace(SPOT, types=("S-2T",))))
    session.set_operations("x", wanted)
    panel.save(tmp_path / "operations")
    assert read_operations(tmp_path / "operations.toml") == wanted
    panel.button("reset").click()
    assert rules(session) == ()
    panel.load(tmp_path / "operations.toml")
    assert session.project.operations == wanted
