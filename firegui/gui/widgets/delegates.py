"""Delegates with a combo box or a time field as editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractItemModel, QDate, QDateTime, QModelIndex, QObject, QPersistentModelIndex, Qt, QTime
from PySide6.QtWidgets import QComboBox, QDateTimeEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.fields import NoScrollComboBox, NoScrollDateTimeEdit

Index = QModelIndex | QPersistentModelIndex
CLOCK_FORMAT = "d MMM yyyy HH:mm"


class ChoiceDelegate(QStyledItemDelegate):
    """Delegate with a combo box of ``choices()``, pairs of a value and its text."""

    def __init__(self, choices: Callable[[], Sequence[tuple[str, str]]], parent: QWidget) -> None:
        super().__init__(parent)
        self._choices = choices

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return the editor of a cell."""
        box = NoScrollComboBox(parent)
        for value, text in self._choices():
            box.addItem(text, value)
        box.activated.connect(lambda _row: self.commitData.emit(box))
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the value of the cell in the editor."""
        assert isinstance(editor, QComboBox)
        editor.setCurrentIndex(editor.findData(index.data(Qt.ItemDataRole.EditRole)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Write the selected value to the model."""
        assert isinstance(editor, QComboBox)
        if editor.currentData() is not None:
            _write(self.parent(), editor, model, index, editor.currentData())


class ClockDelegate(QStyledItemDelegate):
    """Delegate for a date and a time of day in the model's time zone."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return the editor of a cell."""
        editor = NoScrollDateTimeEdit(parent)
        editor.setDisplayFormat(CLOCK_FORMAT)
        editor.setCalendarPopup(True)
        view = self.parent()
        if isinstance(view, EditableTable):
            editor.dateTimeChanged.connect(view.forget_refused)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the value of the cell in the editor."""
        assert isinstance(editor, QDateTimeEdit)
        when = index.data(Qt.ItemDataRole.EditRole)
        if isinstance(when, datetime):
            date, time = QDate(when.year, when.month, when.day), QTime(when.hour, when.minute)
            editor.setDateTime(QDateTime(date, time))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Write the chosen time to the model."""
        assert isinstance(editor, QDateTimeEdit)
        editor.interpretText()
        date, time = editor.date(), editor.time()
        when = datetime(date.year(), date.month(), date.day(), time.hour(), time.minute())
        _write(self.parent(), editor, model, index, when.isoformat())


def _write(view: QObject | None, editor: QWidget, model: QAbstractItemModel, index: Index, value: str) -> None:
    """Write a value to the model; a table that can tells at the cell why it is refused."""
    if isinstance(view, EditableTable):
        view.write(editor, model, index, value)
    else:
        model.setData(index, value)
