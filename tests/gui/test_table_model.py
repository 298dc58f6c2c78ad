"""The table model that all tables share: text, sorting, editing, copying and CSV export."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QHeaderView, QMenu, QStyledItemDelegate, QTableView, QTreeView
from pytestqt.qtbot import QtBot

from firegui.errors import InputError, Problem
from firegui.gui.base.dialogs import ProblemsDialog
from firegui.gui.base.theme import current_colors
from firegui.gui.charts.chart import Chart
from firegui.gui.charts.chart_export import ChartMenu
from firegui.gui.widgets.table_model import EXPORT_ROLE, MISSING, SORT_ROLE, Column, TableModel
from firegui.gui.widgets.table_view import (
    add_table_actions,
    ask_csv,
    copy_table,
    select_row,
    selected_rows,
    show_table,
    table_lines,
)
from firegui.gui.widgets.wrapped_header import WrappedHeader
from firegui.gui.window.main_window import MainWindow
from tests.gui.layout_shares import cut_titles
from tests.gui.shell_scene import settle

ROLE = Qt.ItemDataRole
DESCENDING = Qt.SortOrder.DescendingOrder


@dataclass(frozen=True)
class Tree:
    """Row of the tests."""

    name: str
    height: float | None
    kind: str = "pine"


TREES = (Tree("b", 12.345), Tree("a", 3.0), Tree("d", None), Tree("c", math.nan), Tree("e", 20.0, "oak"))
COLUMNS = (
    Column("Name", lambda tree: tree.name, tip="its label", is_text=True),
    Column("Height", lambda tree: tree.height, lambda height: f"{height:.1f}", unit="m", cell_tip=lambda t: t.kind),
    Column("Kind", lambda tree: tree.kind, is_text=True, sort_key=("pine", "oak").index,
           color=lambda tree: "error" if tree.kind == "oak" else None),
)  # fmt: skip


@pytest.fixture
def model(qtbot: QtBot) -> TableModel[Tree]:
    shown = TableModel[Tree](COLUMNS)
    shown.set_rows(TREES)
    return shown


@pytest.fixture
def view(qtbot: QtBot, model: TableModel[Tree]) -> QTableView:
    shown = QTableView()
    qtbot.addWidget(shown)
    show_table(shown, model, "Some trees")
    return shown


def column(model: TableModel[Any], number: int, role: int = ROLE.DisplayRole) -> list[Any]:
    return [model.index(row, number).data(role) for row in range(model.rowCount())]


def test_cells_have_text_alignment_tips_and_colors(model: TableModel[Tree]) -> None:
    assert column(model, 1) == ["12.3", "3.0", "–", "–", "20.0"]
    assert model.index(0, 1).data(ROLE.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert model.index(0, 0).data(ROLE.TextAlignmentRole) & Qt.AlignmentFlag.AlignLeft
    assert (model.index(0, 0).data(ROLE.ToolTipRole), model.index(4, 1).data(ROLE.ToolTipRole)) == ("its label", "oak")
    assert model.index(0, 2).data(ROLE.ForegroundRole) is None
    assert model.index(4, 2).data(ROLE.ForegroundRole).name() == current_colors().error
    assert model.data(QModelIndex()) is None


def test_headings_show_the_unit_below_the_title(model: TableModel[Tree]) -> None:
    across = Qt.Orientation.Horizontal
    assert model.headerData(1, across) == "Height\nm"
    assert model.headerData(0, across, ROLE.ToolTipRole) == "its label"
    assert model.headerData(0, Qt.Orientation.Vertical) is None
    assert model.headerData(7, across) is None
    assert model.titles == ("Name", "Height m", "Kind")


def test_rows_sort_by_value_and_missing_values_come_last(model: TableModel[Tree]) -> None:
    model.sort(1)
    assert column(model, 0) == ["a", "b", "e", "d", "c"]
    model.sort(1, DESCENDING)
    assert column(model, 0) == ["e", "b", "a", "d", "c"]
    model.sort(2, DESCENDING)
    assert column(model, 0)[0] == "e"
    model.sort(-1)
    assert column(model, 0) == ["b", "a", "d", "c", "e"]
    assert column(model, 1, SORT_ROLE) == [12.345, 3.0, math.inf, math.inf, 20.0]


def test_sorting_keeps_selection_and_maps_places_to_positions(view: QTableView, model: TableModel[Tree]) -> None:
    select_row(view, 0)
    model.sort(0)
    assert [model.row(row).name for row in selected_rows(view)] == ["b"]
    assert (model.position(1), model.place(0), model.row(0)) == (0, 1, TREES[1])


def test_other_rows_without_a_key_are_sorted_again() -> None:
    made: TableModel[int] = TableModel((Column("Number", lambda row: row),))
    made.set_rows([3, 1, 2])
    made.sort(0)
    made.set_rows([7, 9, 8])
    assert [made.row(place) for place in range(3)] == [7, 8, 9]


def test_new_values_of_the_same_rows_keep_selection_and_are_sorted(view: QTableView, model: TableModel[Tree]) -> None:
    model.sort(1)
    select_row(view, 1)
    model.set_rows([replace(tree, height=100.0) if tree.name == "a" else tree for tree in TREES])
    assert [model.row(row).name for row in selected_rows(view)] == ["b"]
    assert column(model, 0)[2] == "a" and column(model, 1)[2] == "100.0"


def test_other_rows_reset_the_table_in_the_chosen_order(qtbot: QtBot, view: QTableView) -> None:
    model = TableModel[Tree](COLUMNS, key=lambda tree: tree.name)
    model.set_rows(TREES)
    model.sort(0)
    with qtbot.assertNotEmitted(model.modelReset):
        model.set_rows(tuple(replace(tree, height=1.0) for tree in TREES))
    with qtbot.waitSignal(model.modelReset):
        model.set_rows([replace(tree, name=tree.name.upper()) for tree in TREES])
    assert column(model, 0) == list("ABCDE")
    with qtbot.waitSignal(model.modelReset):
        model.set_rows(model.rows, COLUMNS[:1])
    assert model.columnCount() == 1


def test_only_the_given_rows_are_repainted(qtbot: QtBot, model: TableModel[Tree]) -> None:
    model.sort(0)
    with qtbot.waitSignal(model.dataChanged) as signal:
        model.update_rows([0, 3])
    assert [index.row() for index in signal.args[:2]] == [1, 2]
    with qtbot.assertNotEmitted(model.dataChanged):
        model.update_rows([])


def test_row_tips_and_colors_come_before_those_of_columns(qtbot: QtBot) -> None:
    model = TableModel[Tree](
        COLUMNS, row_tip=lambda tree: "tall" if tree.name == "e" else None,
        row_color=lambda tree: "muted" if tree.height is None else None, row_background=lambda tree: "raised",
    )  # fmt: skip
    model.set_rows(TREES)
    assert model.index(4, 1).data(ROLE.ToolTipRole) == "tall"
    assert model.index(0, 1).data(ROLE.ToolTipRole) == "pine"
    assert model.index(2, 0).data(ROLE.ForegroundRole).name() == current_colors().muted
    assert model.index(4, 2).data(ROLE.ForegroundRole).name() == current_colors().error
    assert model.index(0, 0).data(ROLE.BackgroundRole).name() == current_colors().raised


# -- editing ----------------------------------------------------------------------------------------------------------
def test_an_edit_gets_the_position_of_its_row_and_a_refusal_is_reported(qtbot: QtBot) -> None:
    edits: list[tuple[int, str, str]] = []

    def rename(position: int, tree: Tree, value: str) -> bool:
        if not value:
            raise InputError([Problem("tree", "has no name")])
        edits.append((position, tree.name, value))
        return value != tree.name

    name = replace(
        COLUMNS[0], edit=rename, initial=lambda tree: tree.name.upper(), is_editable=lambda tree: tree.kind == "pine",
        delegate=QStyledItemDelegate,
    )  # fmt: skip
    model, view = TableModel[Tree]((name, *COLUMNS[1:])), QTableView()
    qtbot.addWidget(view)
    model.set_rows(TREES)
    show_table(view, model, "Trees")
    assert isinstance(view.itemDelegateForColumn(0), QStyledItemDelegate)
    model.sort(0)
    first, oak = model.index(0, 0), model.index(4, 0)
    assert first.flags() & Qt.ItemFlag.ItemIsEditable
    assert not oak.flags() & Qt.ItemFlag.ItemIsEditable
    assert first.data(ROLE.EditRole) == "A"
    assert model.setData(first, "x")
    assert edits == [(1, "a", "x")]
    assert not model.setData(first, "a")
    assert not model.setData(oak, "x")
    assert not model.setData(model.index(0, 1), "x")
    assert not model.setData(first, "x", ROLE.DisplayRole)
    with qtbot.waitSignal(model.refused) as signal:
        assert not model.setData(first, "")
    assert isinstance(signal.args[0], InputError)


# -- copying and export -----------------------------------------------------------------------------------------------
def test_ctrl_c_copies_the_whole_table_as_it_is_shown(view: QTableView) -> None:
    view.show()
    view.activateWindow()
    assert QTest.qWaitForWindowActive(view)
    view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    view.hideColumn(2)
    view.setFocus()
    select_row(view, 1)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines == ["Name\tHeight m", "a\t3.0", "b\t12.3", "c\t–", "d\t–", "e\t20.0"]


def test_selected_rows_are_copied_where_several_can_be_selected(view: QTableView) -> None:
    view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
    copy_table(view)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 6
    select_row(view, 1)
    copy_table(view)
    assert QGuiApplication.clipboard().text() == "Name\tHeight m\tKind\na\t3.0\tpine\n"


def test_csv_has_numbers_with_every_digit(view: QTableView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(_parent: object, _title: str, suggested: str, *_rest: object) -> tuple[str, str]:
        asked.append(suggested)
        return str(tmp_path / "trees"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    ask_csv(view)
    assert asked == ["some-trees.csv"]
    text = (tmp_path / "trees.csv").read_text(encoding="utf-8")
    assert text.splitlines() == [
        "Name,Height m,Kind",
        "b,12.345,pine",
        "a,3.0,pine",
        "d,,pine",
        "c,,pine",
        "e,20.0,oak",
    ]


def test_tables_and_charts_are_saved_where_plans_are_exported(
    saved: Path, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place, asked = window.workbench.export_folder, list[Path]()

    def ask(_parent: object, _title: str, suggested: str, *_rest: object) -> tuple[str, str]:
        asked.append(Path(suggested))
        assert asked[-1].parent.is_dir(), "a dialog starts elsewhere if the folder does not exist"
        return answer, ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    for name in ("Fleet", "Progress"):
        window.workbench.show_panel(name)
    (table, *_), (chart, *_) = window.findChildren(QTableView), window.findChildren(Chart)
    answer = ""
    questions: tuple[Callable[[], None], ...] = (partial(ask_csv, table), ChartMenu(chart)._save)
    for question in questions:
        question()
        assert asked[-1].parent == place.folder == saved.parent / place.folder.name
        assert not place.folder.exists(), "a cancelled question leaves no folder"
    answer = str(tmp_path / "mine" / "t.csv")
    ask_csv(table)
    assert Path(answer).exists() and place.folder == tmp_path / "mine"
    ChartMenu(chart)._save()
    assert asked[-1].parent == tmp_path / "mine"


def test_a_csv_that_cannot_be_written_is_reported(
    qtbot: QtBot, view: QTableView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "t.csv"), ""))
    ask_csv(view)
    dialog = view.findChild(ProblemsDialog)
    assert isinstance(dialog, ProblemsDialog)
    dialog.close()


def test_the_context_menu_copies_and_exports(qtbot: QtBot, view: QTableView) -> None:
    menu = QMenu(view)
    add_table_actions(menu, view)
    assert [action.text() for action in menu.actions()] == ["Copy", "Save as CSV…"]
    menu.actions()[0].trigger()
    assert QGuiApplication.clipboard().text().startswith("Name\t")


def test_a_tree_gives_the_rows_that_are_expanded(qtbot: QtBot) -> None:
    model, tree = QStandardItemModel(0, 1), QTreeView()
    model.setHorizontalHeaderLabels(["Name"])
    top, other = QStandardItem("top"), QStandardItem("other")
    top.appendRow(QStandardItem("below"))
    model.appendRow(top)
    model.appendRow(other)
    tree.setModel(model)
    qtbot.addWidget(tree)
    assert list(table_lines(tree)) == [["Name"], ["top"], ["other"]]
    tree.expandAll()
    assert list(table_lines(tree, EXPORT_ROLE)) == [["Name"], ["top"], ["below"], ["other"]]


def test_a_number_is_shown_and_exported_in_the_unit_of_its_column() -> None:
    length = Column("Length", lambda feet: feet, "{:.2f}".format, unit="m", factor=0.3048)
    model: TableModel[float | None] = TableModel((length,))
    model.set_rows((100.0, None))

    assert [model.index(row, 0).data() for row in range(2)] == ["30.48", MISSING]
    assert [model.index(row, 0).data(EXPORT_ROLE) for row in range(2)] == [pytest.approx(30.48), ""]


def test_a_change_of_a_long_table_measures_the_rows_on_screen_and_not_all(qtbot: QtBot) -> None:
    read = set[str]()

    def name_of(tree: Tree) -> str:
        read.add(tree.name)
        return tree.name

    name = Column("Name", name_of, is_text=True)
    model = TableModel[Tree]((name,))
    view = QTableView()
    qtbot.addWidget(view)
    show_table(view, model, "Trees")
    view.resize(300, 200)
    view.show()
    model.set_rows([Tree(f"{number}", 1.0) for number in range(400)])
    qtbot.wait(50)
    assert "0" in read and len(read) <= 100


def test_a_long_title_breaks_into_lines_and_the_arrow_of_the_sorted_column_has_room_beside_it(qtbot: QtBot) -> None:
    table = QTableView()
    qtbot.addWidget(table)
    columns = (Column("Name", str, is_text=True), Column("Growth of the fire", len, unit="worst"), Column("Drops", len))
    model: TableModel[str] = TableModel(columns, table)
    model.set_rows(["one", "three"])
    show_table(table, model, "Fires")
    table.show()
    header = table.horizontalHeader()
    assert isinstance(header, WrappedHeader)
    assert header.title(1) == "Growth of\nthe fire\nworst"
    assert header.sectionSize(1) < header.fontMetrics().horizontalAdvance("Growth of the fire")
    for column, ending in ((1, "worst\u00a0▼"), (2, "Drops\u00a0▼")):
        table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
        settle()
        assert header.title(column).endswith(ending)
        assert list(cut_titles(table)) == []
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
    table.setColumnWidth(1, 30)
    assert len(list(cut_titles(table))) == 1


@pytest.mark.parametrize("change", ["font", "style"])
def test_titles_are_measured_anew_in_another_font_or_style(qtbot: QtBot, change: str) -> None:
    table = QTableView()
    qtbot.addWidget(table)
    header = WrappedHeader(table)
    table.setHorizontalHeader(header)
    model = QStandardItemModel(1, 1, table)
    model.setHorizontalHeaderLabels(["Growth of the fire"])
    table.setModel(model)
    table.show()
    before = header.sectionSizeFromContents(0)
    if change == "font":
        font = header.font()
        font.setPointSize(2 * font.pointSize())
        header.setFont(font)
    else:
        table.setStyleSheet("QHeaderView::section { padding: 20px }")
    settle()
    after = header.sectionSizeFromContents(0)
    assert after.width() > before.width() and after.height() > before.height()
