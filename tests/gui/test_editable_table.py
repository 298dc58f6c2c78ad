"""The open cell of a table when its rows are replaced."""

from __future__ import annotations

from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.table_model import Column, TableModel
from tests.gui.hands import double_click, type_into_cell


def test_the_open_cell_is_closed_without_a_word_before_its_row_is_gone(qtbot: QtBot) -> None:
    entered: list[str] = []

    def enter(position: int, row: str, value: object) -> bool:
        entered.append(str(value))
        return True

    window, view = QWidget(), EditableTable()
    layout = QVBoxLayout(window)
    layout.addWidget(view)
    layout.addWidget(QLineEdit())
    model = TableModel[str]((Column("Name", lambda row: row, is_text=True, edit=enter),), window)
    view.setModel(model)
    view.setItemDelegateForColumn(0, QStyledItemDelegate(view))
    model.set_rows(["one", "two"])
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    double_click(qtbot, view, 0, 0)
    editor = view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.setFocus()
    editor.setText("other")
    assert editor.hasFocus()

    said: list[str] = []
    before = qInstallMessageHandler(lambda _kind, _place, text: said.append(text or ""))
    try:
        model.set_rows(["three"])
        qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)
    finally:
        qInstallMessageHandler(before)

    assert said == []
    assert entered == []
    type_into_cell(qtbot, view, 0, 0, "four")
    assert entered == ["four"]
