"""Frequencies and hazards in the panel Rules of the operation: typed, edited, refused, removed, undone and printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.gui.exporting.export_dialog import ExportSource
from firegui.gui.scenario.constraints_panel import ConstraintsPanel
from firegui.gui.scenario.crew_notes_form import CrewNotesForm, FrequencyDialog, HazardDialog
from firegui.gui.scenario.section_summaries import SECTION_SUMMARIES
from firegui.gui.session.session import Session, ShownResult
from firegui.io.project.scenario_toml import read_operations
from tests.gui.hands import cell_text, show_widget, type_into_cell, type_refused_into_cell
from tests.gui.map_scene import drop_at, undo_steps

CHANNEL = RadioFrequency("Air/Ground", "122.925", "168.275 T110.9")


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> ConstraintsPanel:
    shown = ConstraintsPanel(session)
    show_widget(qtbot, shown, 380, 1800)
    return shown


@pytest.fixture
def form(panel: ConstraintsPanel) -> CrewNotesForm:
    return panel.crew_notes


def notes(session: Session) -> tuple[tuple[RadioFrequency, ...], tuple[str, ...]]:
    operations = session.project.operations
    return operations.frequencies, operations.hazards


def pressed(form: CrewNotesForm, text: str) -> FrequencyDialog | HazardDialog:
    """Press the button with this text and return the dialog that it opens."""
    (button,) = [each for each in form.findChildren(QToolButton) if each.text() == text]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert isinstance(form.dialog, FrequencyDialog | HazardDialog)
    return form.dialog


def add_frequency(form: CrewNotesForm, use: str, am: str = "", fm: str = "") -> FrequencyDialog:
    dialog = pressed(form, "Add frequency…")
    assert isinstance(dialog, FrequencyDialog)
    dialog.use.setEditText(use)
    dialog.am.setText(am)
    dialog.fm.setText(fm)
    dialog.accept()
    return dialog


def add_hazard(form: CrewNotesForm, text: str) -> HazardDialog:
    dialog = pressed(form, "Add hazard…")
    assert isinstance(dialog, HazardDialog)
    dialog.hazard.setText(text)
    dialog.accept()
    return dialog


def test_notes_are_typed_and_taken_back_one_by_one(panel: ConstraintsPanel, session: Session) -> None:
    form = panel.crew_notes
    assert not panel.button("export").isEnabled()
    assert not add_frequency(form, " Air/Ground ", "122.925", "168.275 T110.9").isVisible()
    assert not add_hazard(form, " Power line along Road 7 ").isVisible()
    assert notes(session) == ((CHANNEL,), ("Power line along Road 7",))
    assert [cell_text(form.frequency_view, 0, column) for column in range(3)] == ["Air/Ground", CHANNEL.am, CHANNEL.fm]
    assert cell_text(form.hazard_view, 0, 0) == "Power line along Road 7"
    # They constrain nothing, and can be saved all the same.
    assert session.project.operations.off and "the paper's case" in panel.notes.text()
    assert panel.button("export").isEnabled() and not panel.button("reset").isEnabled()
    assert SECTION_SUMMARIES["Constraints"](session.project) == "1 frequency · 1 hazard"
    assert undo_steps(session) == 2
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert notes(session) == ((), ())


def test_the_uses_of_the_form_are_offered_until_they_are_taken(form: CrewNotesForm, session: Session) -> None:
    session.set_operations("x", replace(session.project.operations, frequencies=(replace(CHANNEL, use="COMMAND"),)))
    dialog = pressed(form, "Add frequency…")
    assert isinstance(dialog, FrequencyDialog)
    offered = [dialog.use.itemText(number) for number in range(dialog.use.count())]
    assert "Air/Ground" in offered and "Air Guard" in offered and "Command" not in offered
    dialog.reject()


def test_everything_wrong_with_an_entry_is_one_list_and_the_dialog_stays(form: CrewNotesForm, session: Session) -> None:
    dialog = add_frequency(form, " ", "soon", "1" * 41)
    assert dialog.problems is not None and dialog.isVisible()
    assert notes(session) == ((), ())
    text = dialog.problems.problems.toPlainText()
    for part in ("the use is empty", "AM 'soon' is not a frequency", "FM has 41 letters"):
        assert part in text
    dialog.problems.reject()
    dialog.reject()
    hazard = add_hazard(form, "")
    assert hazard.problems is not None and hazard.isVisible() and notes(session) == ((), ())
    hazard.problems.reject()
    hazard.reject()


def test_cells_are_edited_and_bad_ones_refused(qtbot: QtBot, form: CrewNotesForm, session: Session) -> None:
    other = RadioFrequency("Command", "", "169.2")
    operations = replace(session.project.operations, frequencies=(CHANNEL, other), hazards=("Wires",))
    session.set_operations("x", operations)
    type_into_cell(qtbot, form.frequency_view, 1, 1, "118.1")
    type_into_cell(qtbot, form.hazard_view, 0, 0, "Wires across the river")
    assert notes(session) == ((CHANNEL, replace(other, am="118.1")), ("Wires across the river",))
    assert "not a frequency" in type_refused_into_cell(qtbot, form.frequency_view, 1, 2, "later")
    assert "used 2 times" in type_refused_into_cell(qtbot, form.frequency_view, 1, 0, "Air/Ground")
    assert "300" in type_refused_into_cell(qtbot, form.hazard_view, 0, 0, "x" * 301)
    assert notes(session) == ((CHANNEL, replace(other, am="118.1")), ("Wires across the river",))


def test_the_selected_line_is_removed(form: CrewNotesForm, session: Session) -> None:
    other = RadioFrequency("Command", "", "169.2")
    operations = replace(session.project.operations, frequencies=(CHANNEL, other), hazards=("a", "b"))
    session.set_operations("x", operations)
    form.remove_frequency()
    form.remove_hazard()
    assert notes(session) == ((CHANNEL, other), ("a", "b"))
    removes = [each for each in form.findChildren(QToolButton) if each.text() == "Remove"]
    assert [each.isEnabled() for each in removes] == [False, False]
    form.frequency_view.selectRow(0)
    assert [each.isEnabled() for each in removes] == [True, False]
    form.frequency_view.setFocus()
    QTest.keyClick(form.frequency_view, Qt.Key.Key_Delete)
    form.hazard_view.selectRow(1)
    form.remove_hazard()
    assert notes(session) == ((other,), ("a",))


def test_a_saved_file_has_them_and_all_off_leaves_them(
    panel: ConstraintsPanel, session: Session, tmp_path: Path
) -> None:
    wanted = Operations(hard_cap=90, frequencies=(CHANNEL,), hazards=("Wires",))
    session.set_operations("x", wanted)
    panel.save(tmp_path / "operations")
    assert read_operations(tmp_path / "operations.toml") == wanted
    panel.button("reset").click()
    assert notes(session) == ((CHANNEL,), ("Wires",)) and session.project.operations.hard_cap is None


def test_an_export_of_an_older_plan_has_the_notes_of_now_and_is_not_outdated(
    session: Session, project: Project
) -> None:
    session.show_result(ShownResult("run", drops=(drop_at(20.0, 30.0, 0.0, step=20),), project=project))
    session.set_operations("x", replace(project.operations, frequencies=(CHANNEL,), hazards=("Wires",)))
    assert not session.result.stale
    source = ExportSource.of(session)
    assert (source.project.operations.frequencies, source.project.operations.hazards) == ((CHANNEL,), ("Wires",))
    assert source.changes == ()
