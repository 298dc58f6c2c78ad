"""Table model described by a list of columns: text, sorting, editing and export of every cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QStyledItemDelegate, QWidget

from firegui.errors import InputError
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
ROOT = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole
"""Sort key of a cell; infinity if the cell has no value."""
EXPORT_ROLE = Qt.ItemDataRole.UserRole + 2
"""Cell for a CSV file: a number with every digit, else the text on screen."""
MISSING = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    ``value`` returns the value of a row's cell, and ``format`` its text. ``None`` and NaN are shown as ``missing`` and
    sort last. ``sort_key`` maps a value to a number or string; without it the value itself is compared.
    ``is_text`` aligns the column to the left and exports the text. ``tip`` explains the column, ``cell_tip`` a cell.
    ``color`` returns the name of a theme colour. A number times ``factor`` is in ``unit``, and is
    formatted and exported so.

    ``edit(position, row, value)`` applies an edit and returns whether anything changed; it may raise
    :class:`~firegui.errors.InputError`. ``initial`` is what the editor starts with, the shown text by default.
    ``is_editable`` restricts editing to some rows; ``delegate`` makes the editor.
    """

    title: str
    value: Callable[[Any], Any]
    format: Callable[[Any], str] = str
    tip: str = ""
    unit: str = ""
    factor: float = 1.0
    is_text: bool = False
    sort_key: Callable[[Any], Any] | None = None
    missing: str = MISSING
    cell_tip: Callable[[Any], str | None] | None = None
    color: Callable[[Any], str | None] | None = None
    edit: Callable[[int, Any, Any], bool] | None = None
    initial: Callable[[Any], Any] | None = None
    is_editable: Callable[[Any], bool] | None = None
    delegate: Callable[[QWidget], QStyledItemDelegate] | None = None

    @property
    def heading(self) -> str:
        """Title with the unit below it."""
        return f"{self.title}\n{self.unit}" if self.unit else self.title

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        """Left for texts, right for numbers."""
        side = Qt.AlignmentFlag.AlignLeft if self.is_text else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter

    def text(self, row: Any) -> str:
        """Return the text of a cell."""
        value = self.value(row)
        return self.missing if _is_missing(value) else self.format(self._in_unit(value))

    def exported(self, row: Any) -> float | str:
        """Return a cell for a CSV file."""
        value = self.value(row)
        if _is_missing(value):
            return ""
        value = self._in_unit(value)
        return value if isinstance(value, (int, float)) and not self.is_text else self.format(value)

    def _in_unit(self, value: Any) -> Any:
        return value if self.factor == 1.0 else value * self.factor

    def key(self, row: Any) -> float | str:
        """Return the sort key of a cell; infinity if it has no value."""
        value = self.value(row)
        if not _is_missing(value) and self.sort_key is not None:
            value = self.sort_key(value)
        if _is_missing(value):
            return math.inf
        return value if isinstance(value, (int, float)) else (value if isinstance(value, str) else self.format(value))

    def heading_data(self, role: int) -> Any:
        """Return the data of the column's header in ``role``."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.heading
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(self.tip) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment
        return None

    def cell_data(self, row: Any, role: int) -> Any:
        """Return the data of the cell of ``row`` in ``role``."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row)
            case Qt.ItemDataRole.EditRole:
                return self.text(row) if self.initial is None else self.initial(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip((self.cell_tip(row) if self.cell_tip is not None else "") or self.tip) or None
            case Qt.ItemDataRole.ForegroundRole if self.color is not None:
                return theme_color(self.color(row))
            case role if role == SORT_ROLE:
                return self.key(row)
            case role if role == EXPORT_ROLE:
                return self.exported(row)
        return None


def with_row(rows: Sequence[Row], position: int, row: Row) -> tuple[Row, ...]:
    """Return the rows with another one at a position."""
    return (*rows[:position], row, *rows[position + 1 :])


class TableModel(QAbstractTableModel, Generic[Row]):
    """Rows of one type under columns.

    The model sorts its rows itself. Positions (of :attr:`rows`, in ``edit``) count in the given order; places count
    rows as shown. ``key`` identifies a row, so that new values of the same rows keep selection and scroll position; by
    default a row is identified by its position. ``row_tip``, ``row_color`` and ``row_background`` take precedence over
    those of the columns.
    """

    refused = Signal(object)
    """:class:`~firegui.errors.InputError` of an edit that was refused, except with :meth:`enter`."""

    def __init__(
        self,
        columns: Sequence[Column] = (),
        parent: QObject | None = None,
        *,
        key: Callable[[Row], object] | None = None,
        row_tip: Callable[[Row], str | None] | None = None,
        row_color: Callable[[Row], str | None] | None = None,
        row_background: Callable[[Row], str | None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._rows: list[Row] = []
        self._order: list[int] = []
        self._places: list[int] = []
        self._sorting = -1, Qt.SortOrder.AscendingOrder
        self._key, self._row_tip, self._row_color, self._row_background = key, row_tip, row_color, row_background

    # -- rows --------------------------------------------------------------------------------------------------------
    @property
    def rows(self) -> Sequence[Row]:
        """Rows in the given order."""
        return self._rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return self._columns

    @property
    def titles(self) -> tuple[str, ...]:
        """Headings, each on one line."""
        return tuple(column.heading.replace("\n", " ") for column in self._columns)

    def set_rows(self, rows: Sequence[Row], columns: Sequence[Column] | None = None) -> None:
        """Show ``rows``, under other ``columns`` if given."""
        columns = self._columns if columns is None else tuple(columns)
        if columns == self._columns and self._keys(rows) == self._keys(self._rows):
            self._rows = list(rows)
            if self._key is None and self._sorting[0] >= 0:
                # Rows identified only by position may be others now: their old places mean nothing.
                self.sort(*self._sorting)
            self.update_rows(range(len(rows)))
            return
        self.beginResetModel()
        self._rows, self._columns = list(rows), columns
        self._put_in_order()
        self.endResetModel()

    def update_rows(self, positions: Iterable[int]) -> None:
        """Repaint the rows at ``positions`` after a change of values.

        They keep their places until the next sort.
        """
        places = [self._places[position] for position in positions]
        if places and self._columns:
            # One range for all changes, as cells out of view are not painted.
            self.dataChanged.emit(self.index(min(places), 0), self.index(max(places), len(self._columns) - 1))

    def append_row(self, row: Row) -> None:
        """Add a row below all others. Only for a table that is not sorted."""
        last = len(self._rows)
        self.beginInsertRows(ROOT, last, last)
        self._rows.append(row)
        self._order.append(last)
        self._places.append(last)
        self.endInsertRows()

    def remove_first_rows(self, count: int) -> None:
        """Remove the uppermost ``count`` rows. Only for a table that is not sorted."""
        self.beginRemoveRows(ROOT, 0, count - 1)
        del self._rows[:count]
        self._put_in_order()
        self.endRemoveRows()

    def row(self, place: int) -> Row:
        """Return the row at a place."""
        return self._rows[self._order[place]]

    def position(self, place: int) -> int:
        """Return the position of the row at a place."""
        return self._order[place]

    def place(self, position: int) -> int:
        """Return the place of the row at a position."""
        return self._places[position]

    def _keys(self, rows: Sequence[Row]) -> Sequence[object]:
        return range(len(rows)) if self._key is None else [self._key(row) for row in rows]

    # -- sorting -----------------------------------------------------------------------------------------------------
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; cells without a value come last. Column −1 restores the given order."""
        self._sorting = column, order
        self.layoutAboutToBeChanged.emit()
        persistent = self.persistentIndexList()
        positions = [self._order[index.row()] for index in persistent]
        self._put_in_order()
        moved = [
            self.index(self._places[position], index.column())
            for position, index in zip(positions, persistent, strict=True)
        ]
        self.changePersistentIndexList(persistent, moved)
        self.layoutChanged.emit()

    def _put_in_order(self) -> None:
        by, direction = self._sorting
        self._order = list(range(len(self._rows)))
        if 0 <= by < len(self._columns):
            keys = [self._columns[by].key(row) for row in self._rows]
            valued = [position for position in self._order if keys[position] != math.inf]
            valued.sort(key=keys.__getitem__, reverse=direction is Qt.SortOrder.DescendingOrder)
            self._order = valued + [position for position in self._order if keys[position] == math.inf]
        self._places = [0] * len(self._order)
        for place, position in enumerate(self._order):
            self._places[position] = place

    # -- Qt's model interface ----------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows; cells have no children."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Return the number of columns; cells have no children."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the heading of a column, its explanation or its alignment."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        return self._columns[section].heading_data(role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return whether a cell can be edited."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self._is_editable(index) else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell in ``role``."""
        if not index.isValid():
            return None
        row = self.row(index.row())
        match role:
            case Qt.ItemDataRole.ToolTipRole if self._row_tip is not None and (tip := self._row_tip(row)):
                return tooltip(tip)
            case Qt.ItemDataRole.ForegroundRole if self._row_color is not None and (color := self._row_color(row)):
                return theme_color(color)
            case Qt.ItemDataRole.BackgroundRole if self._row_background is not None:
                return theme_color(self._row_background(row))
        return self._columns[index.column()].cell_data(row, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Edit a cell; return ``False`` if the value was refused or changes nothing."""
        if role != Qt.ItemDataRole.EditRole:
            return False
        try:
            return self._write(index, value)
        except InputError as error:
            self.refused.emit(error)
            return False

    def enter(self, index: Index, value: Any) -> InputError | None:
        """Edit a cell for a caller that shows itself why a value is refused; return the reason, if it is."""
        try:
            self._write(index, value)
        except InputError as error:
            return error
        return None

    def _write(self, index: Index, value: Any) -> bool:
        if not self._is_editable(index):
            return False
        edit, place = self._columns[index.column()].edit, index.row()
        return edit is not None and edit(self.position(place), self.row(place), value)

    def _is_editable(self, index: Index) -> bool:
        if not index.isValid():
            return False
        column = self._columns[index.column()]
        return column.edit is not None and (column.is_editable is None or column.is_editable(self.row(index.row())))


def theme_color(name: str | None) -> QColor | None:
    """Return the colour called ``name`` in the current theme."""
    return None if name is None else QColor(getattr(current_colors(), name))


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
