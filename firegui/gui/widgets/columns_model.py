"""Table model described by a list of columns; every column sorts by its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Column:
    """A column of rows of some kind: its heading, what explains it, its text and its number."""

    title: str
    tip: str
    text: Callable[[Any], str]
    value: Callable[[Any], float]


class ColumnsModel(QAbstractTableModel):
    """Rows of values under columns that know how to show them. A ``None`` number sorts last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Any] = ()
        self._columns: tuple[Column, ...] = ()

    def set_rows(self, rows: Sequence[Any], columns: tuple[Column, ...]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows, self._columns = rows, columns
        self.endResetModel()

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings, each on one line."""
        return tuple(column.title.replace("\n", " ") for column in self._columns)

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """The rows; a cell has none below it."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._columns[section].title
            case Qt.ItemDataRole.ToolTipRole:
                return self._columns[section].tip
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        row, column = self._rows[index.row()], self._columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return column.tip
            case role if role == SORT_ROLE:
                value = column.value(row)
                return math.inf if math.isnan(value) else value
        return None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        return (Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
