"""Table view that refuses a wrong value in the open cell."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QHideEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QLineEdit, QStyledItemDelegate, QTableView, QWidget

from firegui.gui.base.theme import set_role
from firegui.gui.widgets.refusal_note import RefusalNote
from firegui.gui.widgets.table_model import Index, TableModel

_REVERT = QAbstractItemDelegate.EndEditHint.RevertModelCache


class EditableTable(QTableView):
    """Table view of a :class:`TableModel` in which a refused value stays in the open cell.

    A note at the cell gives the reason. Esc closes the cell and keeps the old value, and so does a click elsewhere.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note: RefusalNote | None = None
        """Why the value of a cell is refused, or was refused when the cell was left; ``None`` if it was not."""
        self._refused: QWidget | None = None
        self._refused_at: Index | None = None
        self._written: QWidget | None = None
        self._why, self._was_told = "", False
        self.setItemDelegate(_TextDelegate(self))

    def write(self, editor: QWidget, model: QAbstractItemModel, index: Index, value: Any) -> None:
        """Write the value of an open cell to the model, or tell why it is refused."""
        was_told = self._refused is editor
        self.end_refusal()
        self._written = editor
        error = model.enter(index, value) if isinstance(model, TableModel) else None
        self._written = None
        if error is None:
            return
        self._refused, self._refused_at = editor, index
        self._why, self._was_told = error.short_text, was_told
        set_role(editor, "refused")
        self.note = RefusalNote(editor)
        self.note.tell(f"{self._why}. Esc keeps {index.data() or 'it empty'}.", stays=True)
        if isinstance(editor, QLineEdit):
            editor.selectAll()

    def refuses_entry(self, editor: QWidget) -> bool:
        """Enter the value of an open cell, and return whether it was refused."""
        self.commitData(editor)
        return self._refused is editor

    def end_refusal(self) -> None:
        """Hide the note; the value of the open cell counts when it is entered again."""
        if self.note is not None:
            self.note.hide()
            self.note.deleteLater()
        if self._refused is not None:
            set_role(self._refused, "")
        self.note = self._refused = self._refused_at = None

    def forget_refused(self) -> None:
        """Hide the note of the open cell, whose editor has another value now."""
        if self._refused is not None:
            self.end_refusal()

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Close the open cell, unless its value was refused and is not given up."""
        if editor is not self._refused or hint is _REVERT:
            self.end_refusal()
            super().closeEditor(editor, hint)
        elif not editor.hasFocus():
            QTimer.singleShot(0, self, self._leave)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Give a refused value up, and do what was clicked."""
        self._give_up()
        super().mousePressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Let the open cell with the refused value have the keys."""
        super().focusInEvent(event)
        if self._refused is not None and event.reason() is not Qt.FocusReason.MouseFocusReason:
            self._refused.setFocus(Qt.FocusReason.TabFocusReason)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Show ``model``. The open cell is closed before its rows are replaced by others."""
        if (before := self.model()) is not None:
            before.modelAboutToBeReset.disconnect(self._close_cell)
        super().setModel(model)
        if model is not None:
            model.modelAboutToBeReset.connect(self._close_cell)

    def _close_cell(self) -> None:
        # Once its row is gone, Qt no longer finds the delegate of its column, which would still write its value.
        editor = self.indexWidget(self.currentIndex())
        if editor is not None and editor is not self._written:
            self.closeEditor(editor, _REVERT)

    def reset(self) -> None:
        """Close the open cell with its note when the rows are others."""
        self.end_refusal()
        super().reset()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the refused value up when the table is hidden."""
        if self._refused is not None:
            self.closeEditor(self._refused, _REVERT)
        self.end_refusal()
        super().hideEvent(event)

    def _leave(self) -> None:
        """Give the refused value up after the focus went elsewhere in the window."""
        if self._refused is not None and self.window().focusWidget() is not self._refused:
            self._give_up()

    def _give_up(self) -> None:
        """Close the cell with the refused value; tell why where that was not told before."""
        editor, index = self._refused, self._refused_at
        if editor is None or index is None:
            return
        why, was_told, part = self._why, self._was_told or editor.hasFocus(), self.visualRect(index)
        self.closeEditor(editor, _REVERT)
        if not was_told:
            self.note = RefusalNote(self.viewport())
            self.note.tell(f"{why}. It stays {index.data() or 'empty'}.", part=part)


class _TextDelegate(QStyledItemDelegate):
    """Delegate of the cells with a line of text."""

    def __init__(self, view: EditableTable) -> None:
        super().__init__(view)
        self._view = view

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the value of the cell in the editor."""
        self._view.forget_refused()
        super().setEditorData(editor, index)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(self._view.end_refusal, Qt.ConnectionType.UniqueConnection)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Write the text to the model, or tell why it is refused."""
        if isinstance(editor, QLineEdit):
            self._view.write(editor, model, index, editor.text())
        else:
            super().setModelData(editor, model, index)
