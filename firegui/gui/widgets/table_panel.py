"""A dock that is a table with its buttons above and a line of text below."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QTableView, QVBoxLayout, QWidget

from firegui.gui.widgets.table_buttons import ButtonRow


class TableForm(QWidget):
    """Lays out what a panel hands to :meth:`put_together`, and holds the line below the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._footer = QLabel(wordWrap=True)
        self._footer.setProperty("role", "muted")

    @property
    def footer(self) -> str:
        """The line under the table."""
        return self._footer.text()

    def set_footer(self, text: str) -> None:
        """Say something else under the table."""
        self._footer.setText(text)

    def put_together(self, buttons: ButtonRow, view: QTableView) -> None:
        """Put ``buttons`` above ``view``. Called once."""
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(buttons)
        column.addWidget(view, 1)
        column.addWidget(self._footer)


def dress_table(view: QTableView, name: str, row_height: int) -> None:
    """What the tables of the docks have in common; ``name`` is what a screen reader says."""
    view.setAccessibleName(name)
    view.setToolTip(name)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.verticalHeader().setDefaultSectionSize(row_height)
    view.horizontalHeader().setHighlightSections(False)


def dress_small_table(view: QTableView, name: str, lines: int) -> None:
    """A table among other fields: ``lines`` rows high, whole rows selected, its first column taking the spare width."""
    dress_table(view, name, view.fontMetrics().height() + 8)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setWordWrap(False)
    view.verticalHeader().hide()
    header = view.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    view.setFixedHeight(header.sizeHint().height() + lines * view.verticalHeader().defaultSectionSize() + 4)


def select_row(view: QTableView, row: int, column: int = 0) -> None:
    """Select one row and nothing else; its cell in ``column`` becomes the current one.

    Whatever keys are held: Qt's own ``selectRow`` asks the keyboard, and with Ctrl down takes a selection back.
    """
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().setCurrentIndex(view.model().index(row, column), flags.ClearAndSelect | flags.Rows)
