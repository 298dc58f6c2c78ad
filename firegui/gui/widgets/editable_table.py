"""Table view that refuses a wrong text in the open cell."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QApplication, QLineEdit, QStyledItemDelegate, QTableView, QWidget

from firegui.gui.widgets.refusal_note import RefusalNote
from firegui.gui.widgets.table_model import Index, TableModel

_REVERT = QAbstractItemDelegate.EndEditHint.RevertModelCache


class EditableTable(QTableView):
    """Table view of a :class:`TableModel` in which a refused text stays in the open cell.

    A note at the cell gives the reason. Esc closes the cell and keeps the old value.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note: RefusalNote | None = None
        """Why the text of the open cell is refused; ``None`` if it is not."""
        self._refused: QLineEdit | None = None
        self._refused_at: Index | None = None
        self.setItemDelegate(_TextDelegate(self))

    def refuse(self, editor: QLineEdit, index: Index, why: str) -> None:
        """Show why the text of a cell is refused."""
        self.end_refusal()
        self._refused, self._refused_at = editor, index
        self.note = RefusalNote(editor)
        self.note.tell(why, stays=True)
        editor.selectAll()

    def end_refusal(self) -> None:
        """Hide the note; the text of the open cell counts when it is entered again."""
        if self.note is not None:
            self.note.hide()
            self.note.deleteLater()
        self.note = self._refused = self._refused_at = None

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Close the open cell, unless its text was refused and is not given up."""
        if editor is not self._refused or hint is _REVERT:
            self.end_refusal()
            super().closeEditor(editor, hint)
        elif QApplication.focusWidget() is self:
            # A click on another cell of the table: this one comes first.
            QTimer.singleShot(0, self, self._return_to_refused)

    def _return_to_refused(self) -> None:
        if self._refused is not None and self._refused_at is not None:
            self.setCurrentIndex(self._refused_at)
            self._refused.setFocus()

    def reset(self) -> None:
        """Close the open cell with its note when the rows are others."""
        self.end_refusal()
        super().reset()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the refused text up when the table is hidden."""
        if self._refused is not None:
            self.closeEditor(self._refused, _REVERT)
        super().hideEvent(event)


class _TextDelegate(QStyledItemDelegate):
    """Delegate of the cells with a line of text."""

    def __init__(self, view: EditableTable) -> None:
        super().__init__(view)
        self._view = view

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Show the value of the cell in the editor."""
        self._view.end_refusal()
        super().setEditorData(editor, index)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(self._view.end_refusal, Qt.ConnectionType.UniqueConnection)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Write the text to the model, or tell why it is refused."""
        if not isinstance(editor, QLineEdit) or not isinstance(model, TableModel):
            super().setModelData(editor, model, index)
            return
        self._view.end_refusal()
        error = model.enter(index, editor.text())
        if error is not None:
            self._view.refuse(editor, index, f"{error.short_text}. Esc keeps {index.data() or 'it empty'}.")
