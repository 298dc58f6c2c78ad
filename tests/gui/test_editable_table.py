"""The open cell of a table when its rows are replaced, and when Enter is pressed in another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from firegui.errors import InputError, Problem
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import show_table
from tests.gui.hands import double_click, show_widget, type_into_cell


@contextmanager
def said_by_qt() -> Iterator[list[str]]:
    """Yield what Qt warns of meanwhile."""
    said: list[str] = []
    before = qInstallMessageHandler(lambda _kind, _place, text: said.append(text or ""))
    try:
        yield said
    finally:
        qInstallMessageHandler(before)


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

    with said_by_qt() as said:
        model.set_rows(["three"])
        qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)

    assert said == []
    assert entered == []
    type_into_cell(qtbot, view, 0, 0, "four")
    assert entered == ["four"]


def test_enter_opens_no_second_editor_beside_one_whose_value_was_refused(qtbot: QtBot) -> None:
    def refuse(position: int, row: str, value: object) -> bool:
        raise InputError([Problem("name", "is refused", "use another")])

    view = EditableTable()
    model = TableModel[str]((Column("Name", lambda row: row, is_text=True, edit=refuse),), view)
    show_table(view, model, "Names", has_menu=False)
    model.set_rows(["one", "two"])
    show_widget(qtbot, view, 200, 120)
    double_click(qtbot, view, 0, 0)
    editor = view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.setText("other")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    view.setFocus(Qt.FocusReason.MouseFocusReason)
    with said_by_qt() as said:
        view.setCurrentIndex(model.index(1, 0))
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert said == []
