"""A small table of the session's values: a row an item, columns that say what they show and how they are edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from firegui.errors import InputError
from firegui.gui.session.session import Session

Index = QModelIndex | QPersistentModelIndex
Item = TypeVar("Item")
ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Column(Generic[Item]):
    """What a column shows of an item.

    ``edit(row, item, value)`` takes in what was typed or chosen and may raise
    :class:`~firegui.errors.InputError`; ``start`` is what its editor begins with, the shown text unless given.
    """

    title: str
    help: str
    text: Callable[[Item], str]
    number: bool = False
    edit: Callable[[int, Item, Any], bool] | None = None
    start: Callable[[Item], Any] | None = None


class RowsModel(QAbstractTableModel, Generic[Item]):
    """Shows the items of :meth:`show`; an edit that is refused leaves everything as it was and says why."""

    def __init__(self, session: Session, columns: Sequence[Column[Item]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._columns = tuple(columns)
        self._items: tuple[Item, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """The rows."""
        return self._items

    def show(self, items: Sequence[Item]) -> None:
        """Show these; as many rows as before keep the selection."""
        items = tuple(items)
        if len(items) == len(self._items):
            self._items = items
            if items:
                self.dataChanged.emit(self.index(0, 0), self.index(len(items) - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self._items = items
        self.endResetModel()

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """One row an item; a cell has none below it."""
        return 0 if parent.isValid() else len(self._items)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self._columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return column.help
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(column.number)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What a person may do with a cell."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags if self._columns[index.column()].edit is None else flags | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        item, column = self._items[index.row()], self._columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(item)
            case Qt.ItemDataRole.EditRole:
                return column.text(item) if column.start is None else column.start(item)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(column.number)
            case Qt.ItemDataRole.ToolTipRole:
                return column.help
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take in what was given; ``False`` where it was refused or changes nothing."""
        edit = self._columns[index.column()].edit if index.isValid() else None
        if role != Qt.ItemDataRole.EditRole or edit is None:
            return False
        try:
            return edit(index.row(), self._items[index.row()], value)
        except InputError as error:
            self.session.refuse(error)
            return False


def _side(number: bool) -> Qt.AlignmentFlag:
    return (Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
