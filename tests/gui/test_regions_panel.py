"""Story S2 in the regions dock: name, weight, delete, import, export, undo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.regions import Region
from firegui.domain.settings import ObjectiveWeights, Setting
from firegui.errors import InputError
from firegui.gui.base.layouts import vertical
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.scenario.regions_panel import AREA, CELLS, NAME, SHARE, WEIGHT, RegionsPanel
from firegui.gui.session.session import Session, Tool
from firegui.gui.widgets.fields import RefusingLine
from tests.gui.hands import (
    LEFT,
    cell_text,
    centre_of,
    double_click,
    show_widget,
    type_into_cell,
    type_refused_into_cell,
)


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> RegionsPanel:
    """Return the dock on R1 (rows 2–10, columns 5–25) and R2 (rows 20–30, columns 0–10)."""
    r2 = Region.rectangle("R2", (20, 30), (0, 10))
    session.set_regions("put", (*session.project.regions, r2))
    session.undo_stack.clear()
    shown = RegionsPanel(session)
    show_widget(qtbot, shown, 420, 400)
    return shown


def names(session: Session) -> list[str]:
    return [region.name for region in session.project.regions]


def answer_with(monkeypatch: pytest.MonkeyPatch, method: str, path: Path, chosen_filter: str = "") -> None:
    monkeypatch.setattr(QFileDialog, method, lambda *_args, **_kwargs: (str(path), chosen_filter))


def test_sizes_are_those_of_the_cells_inside(panel: RegionsPanel) -> None:
    assert [cell_text(panel.view, 0, column) for column in (NAME, CELLS, AREA, SHARE)] == [
        "R1",
        "160",
        "14.4 ha",
        "6.7",
    ]
    assert panel.footer.splitlines()[0] == "2 regions · 10.8 % of the domain protected"


def test_overlapping_regions_are_counted_once_in_the_share(session: Session, panel: RegionsPanel) -> None:
    session.set_regions("put", [Region.rectangle(name, (0, 20), (0, 60)) for name in ("A", "B")])
    assert panel.footer.splitlines()[0] == "2 regions · 50.0 % of the domain protected"


def test_below_the_table_it_says_where_regions_get_a_weight_as_long_as_they_have_none(
    session: Session, panel: RegionsPanel
) -> None:
    assert "do not protect them yet" in panel.footer and "Goal and search" in panel.footer
    plan = session.project.plan
    session.set_plan("choose B", replace(plan, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B)))
    assert panel.footer == "2 regions · 10.8 % of the domain protected"
    session.undo_stack.undo()
    assert "do not protect them yet" in panel.footer


def test_a_rename_in_the_table_is_one_undoable_step(qtbot: QtBot, session: Session, panel: RegionsPanel) -> None:
    type_into_cell(qtbot, panel.view, 0, NAME, "Village")
    assert names(session) == ["Village", "R2"]
    session.undo_stack.undo()
    assert names(session) == ["R1", "R2"]
    assert cell_text(panel.view, 0, NAME) == "R1"
    session.undo_stack.redo()
    assert names(session) == ["Village", "R2"]
    assert session.undo_stack.count() == 1


def test_a_renamed_region_stays_selected(qtbot: QtBot, session: Session, panel: RegionsPanel) -> None:
    session.select_region("R1")
    type_into_cell(qtbot, panel.view, 0, NAME, "Village")
    assert session.selected_region == "Village"


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        (NAME, "R2", "There is already a region R2"),
        (NAME, " ", "empty"),
        (WEIGHT, "-1", "Weight is -1; use 0 or more. Esc keeps 1."),
        (WEIGHT, "nan", "Weight is nan"),
        (WEIGHT, "heavy", "not a number"),
    ],
)
def test_an_impossible_value_is_refused_with_the_reason(
    qtbot: QtBot, session: Session, panel: RegionsPanel, refusals: list[InputError], column: int, text: str, said: str
) -> None:
    before = session.project
    assert said in type_refused_into_cell(qtbot, panel.view, 0, column, text)
    assert session.project is before
    assert session.undo_stack.count() == 0
    assert refusals == [], "no list of problems is opened"


def test_a_negative_weight_is_refused_for_that_alone_in_a_note_with_its_whole_text(
    qtbot: QtBot, qapp: QApplication, session: Session, panel: RegionsPanel
) -> None:
    apply_theme(qapp, Theme.DARK)
    assert [region.weight for region in session.project.regions] == [1.0, 1.0]
    double_click(qtbot, panel.view, 0, WEIGHT)
    editor = panel.view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "-5")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.view.note is not None)
    note = panel.view.note
    assert note is not None and note.text() == "Weight is -5; use 0 or more. Esc keeps 1."
    assert note.height() >= note.heightForWidth(note.width())


def test_the_first_note_of_several_lines_is_as_high_as_its_text(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, Theme.DARK)
    line = RefusingLine(lambda _text: "one reason with many words " * 8, lambda: "5")
    page = QWidget()
    vertical(page, 1, line)
    show_widget(qtbot, page, 320, 400)
    line.setFocus()
    QTest.keyClicks(line, "abc")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.note is not None and line.note.isVisible()
    qtbot.wait(1)
    assert line.note.height() >= line.note.heightForWidth(line.note.width())
    assert page.rect().contains(line.note.geometry())


def test_a_weight_can_be_changed_and_undone(qtbot: QtBot, session: Session, panel: RegionsPanel) -> None:
    type_into_cell(qtbot, panel.view, 1, WEIGHT, "2.5")
    assert session.project.regions[1].weight == 2.5
    session.undo_stack.undo()
    assert session.project.regions[1].weight == 1.0


def test_delete_takes_the_selected_row_and_undo_brings_it_back(
    qtbot: QtBot, session: Session, panel: RegionsPanel
) -> None:
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=centre_of(panel.view, 0, NAME))
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    assert names(session) == ["R2"]
    assert session.selected_region == ""
    session.undo_stack.undo()
    assert names(session) == ["R1", "R2"]


def test_selection_goes_both_ways(qtbot: QtBot, session: Session, panel: RegionsPanel) -> None:
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=centre_of(panel.view, 1, NAME))
    assert session.selected_region == "R2"
    session.select_region("R1")
    assert panel.view.currentIndex().row() == 0
    session.select_region("")
    assert not panel.view.selectionModel().hasSelection()


def test_the_drawing_buttons_choose_the_tool(qtbot: QtBot, session: Session, panel: RegionsPanel) -> None:
    for name, tool in (("rectangleButton", Tool.RECTANGLE), ("polygonButton", Tool.POLYGON)):
        button = panel.findChild(QToolButton, name)
        assert isinstance(button, QToolButton)
        QTest.mouseClick(button, LEFT)
        assert session.tool is tool


@pytest.mark.parametrize("suffix", [".toml", ".geojson"])
def test_exported_regions_come_back_by_import_under_free_names(
    session: Session, panel: RegionsPanel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"regions{suffix}"
    answer_with(monkeypatch, "getSaveFileName", path)
    panel.export_file()
    answer_with(monkeypatch, "getOpenFileName", path)
    panel.import_file()
    assert names(session) == ["R1", "R2", "R1 2", "R2 2"]
    assert cell_text(panel.view, 2, CELLS) == cell_text(panel.view, 0, CELLS)
    session.undo_stack.undo()
    assert names(session) == ["R1", "R2"]


def test_a_bad_region_file_changes_nothing_and_lists_every_problem(
    session: Session, panel: RegionsPanel, refusals: list[InputError], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(
        '[[region]]\nname = "far"\nrows = [900, 950]\ncolumns = [0, 5]\n'
        '[[region]]\nname = "flat"\nrows = [5, 5]\ncolumns = [0, 5]\n'
    )
    answer_with(monkeypatch, "getOpenFileName", path)
    before = session.project
    panel.import_file()
    assert session.project is before
    assert len(refusals) == 1
    assert len(refusals[0].problems) >= 2


def test_without_a_region_the_dock_says_what_to_do(session: Session, panel: RegionsPanel) -> None:
    session.set_regions("clear", ())
    assert "Draw one on the map" in panel.footer
