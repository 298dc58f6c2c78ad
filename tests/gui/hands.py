"""User actions on tables and fields."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QTableView, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.widgets.editable_table import EditableTable

LEFT = Qt.MouseButton.LeftButton


def centre_of(view: QTableView, row: int, column: int) -> QPoint:
    """Return the centre of a cell in the viewport, scrolled into view."""
    index = view.model().index(row, column)
    view.scrollTo(index)
    return view.visualRect(index).center()


def double_click(qtbot: QtBot, view: QTableView, row: int, column: int) -> None:
    """Send both clicks of a double click; Qt's own test helper sends only the second."""
    place = centre_of(view, row, column)
    QTest.mouseClick(view.viewport(), LEFT, pos=place)
    QTest.mouseDClick(view.viewport(), LEFT, pos=place)


def type_into_cell(qtbot: QtBot, view: QTableView, row: int, column: int, text: str) -> None:
    """Double-click a cell, replace its text by ``text``, and press Enter."""
    _enter_into_cell(qtbot, view, row, column, text)
    # The editor closes in the event loop; the next one must not be mistaken for it.
    qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)


def type_refused_into_cell(qtbot: QtBot, view: EditableTable, row: int, column: int, text: str) -> str:
    """Type a ``text`` that is refused into a cell; return the reason in the note, and give the text up with Esc."""
    editor = _enter_into_cell(qtbot, view, row, column, text)
    qtbot.waitUntil(lambda: view.note is not None)
    assert view.note is not None and view.note.isVisible()
    assert editor.isVisible() and editor.text() == text, "the cell stays open with what was typed"
    why = view.note.text()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.viewport().findChild(QLineEdit) is None)
    assert view.note is None
    return why


def _enter_into_cell(qtbot: QtBot, view: QTableView, row: int, column: int, text: str) -> QLineEdit:
    double_click(qtbot, view, row, column)
    editor = view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit), "the cell cannot be edited"
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    return editor


def type_into_field(qtbot: QtBot, box: QAbstractSpinBox, text: str) -> None:
    """Focus a field, replace its text by ``text``, and press Enter."""
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def choose(box: QComboBox, data: object) -> None:
    """Select the entry with ``data`` as a user would."""
    index = box.findData(data)
    assert index >= 0, f"{data} is not offered"
    box.setCurrentIndex(index)
    box.activated.emit(index)


def cell_text(view: QTableView, row: int, column: int) -> str:
    """Return the text of a cell."""
    return str(view.model().index(row, column).data())


def to_front(qtbot: QtBot, window: QWidget) -> None:
    """Activate a window, as a click on its title does."""
    with qtbot.waitActive(window):
        window.activateWindow()


def show_widget(qtbot: QtBot, widget: QWidget, width: int, height: int) -> None:
    """Show ``widget`` in this size and activate it; it is closed after the test."""
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitActive(widget):
        widget.show()
        widget.activateWindow()


def shown_tip(widget: QWidget) -> str:
    """Return the tooltip that the mouse shows over a widget."""
    at = widget.rect().center()
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, at, widget.mapToGlobal(at)))
    return QToolTip.text()
