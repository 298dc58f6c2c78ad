"""What a person's hands do to tables and fields."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot

LEFT = Qt.MouseButton.LeftButton


def centre_of(view: QTableView, row: int, column: int) -> QPoint:
    """The middle of a cell in the viewport, scrolled into it."""
    index = view.model().index(row, column)
    view.scrollTo(index)
    return view.visualRect(index).center()


def double_click(qtbot: QtBot, view: QTableView, row: int, column: int) -> None:
    """Both clicks of a double click; Qt's own test helper sends the second alone."""
    place = centre_of(view, row, column)
    QTest.mouseClick(view.viewport(), LEFT, pos=place)
    QTest.mouseDClick(view.viewport(), LEFT, pos=place)


def type_into_cell(qtbot: QtBot, view: QTableView, row: int, column: int, text: str) -> None:
    """Double-click a cell, type ``text`` over what is there, press Enter."""
    double_click(qtbot, view, row, column)
    editor = view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit), "the cell cannot be edited"
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    # The editor goes away in the event loop; the next one must not be mistaken for it.
    qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)


def type_into_field(qtbot: QtBot, box: QAbstractSpinBox, text: str) -> None:
    """Go to a field, type ``text`` over what is there, press Enter."""
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def choose(box: QComboBox, data: object) -> None:
    """Pick the entry with ``data`` as a person would."""
    index = box.findData(data)
    assert index >= 0, f"{data} is not offered"
    box.setCurrentIndex(index)
    box.activated.emit(index)


def cell_text(view: QTableView, row: int, column: int) -> str:
    """What a cell shows."""
    return str(view.model().index(row, column).data())


def to_front(qtbot: QtBot, window: QWidget) -> None:
    """Give a window the keys, as a click on its title does."""
    with qtbot.waitActive(window):
        window.activateWindow()


def show_widget(qtbot: QtBot, widget: QWidget, width: int, height: int) -> None:
    """Show ``widget`` in this size and give it the keys; it is closed after the test."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitActive(widget):
        widget.show()
        widget.activateWindow()
