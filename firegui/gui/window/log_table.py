"""The log as a table: when, how much it matters, what happened."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor

from firegui.gui.base.theme import current_colors
from firegui.gui.window.event_log import MOST, EventLog, Level, Line

Index = QModelIndex | QPersistentModelIndex

TIME, LEVEL, TEXT = range(3)
HEADERS = ("Time", "Level", "What happened")
_TIPS = (
    "When, by this computer's clock",
    "An edit, a remark, a warning or an error",
    "Several lines are in the tooltip",
)
_COLORS = {Level.WARNING: "warning", Level.ERROR: "error", Level.EDIT: "muted"}
_ROOT = QModelIndex()
_SLACK = MOST // 10


class LogModel(QAbstractTableModel):
    """One row a line, the latest last."""

    def __init__(self, book: EventLog, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines = list(book.lines)
        book.added.connect(self._add)

    def line(self, row: int) -> Line:
        """The line in a row."""
        return self._lines[row]

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One row a line."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """One column a heading."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        return _TIPS[section] if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a cell shows, in the given role."""
        line = self._lines[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (f"{line.when:%H:%M:%S}", line.level.value, line.text.partition("\n")[0])[index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                return line.text
            case Qt.ItemDataRole.ForegroundRole if line.level in _COLORS:
                return QColor(getattr(current_colors(), _COLORS[line.level]))
        return None

    def _add(self, line: Line) -> None:
        if len(self._lines) >= MOST + _SLACK:
            # Many at once: a table that loses a row with every new one is drawn anew with every new one.
            self.beginRemoveRows(QModelIndex(), 0, _SLACK - 1)
            del self._lines[:_SLACK]
            self.endRemoveRows()
        row = len(self._lines)
        self.beginInsertRows(QModelIndex(), row, row)
        self._lines.append(line)
        self.endInsertRows()


class LogFilter(QSortFilterProxyModel):
    """Shows the lines of some levels that hold a text, whatever its case."""

    def __init__(self, model: LogModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._levels = frozenset(Level)
        self._words = ""
        self.setSourceModel(model)

    def set_levels(self, levels: frozenset[Level]) -> None:
        """Show these alone."""
        self.beginFilterChange()
        self._levels = levels
        self.endFilterChange()

    def set_words(self, words: str) -> None:
        """Show the lines that hold these."""
        self.beginFilterChange()
        self._words = words.strip().lower()
        self.endFilterChange()

    def line(self, row: int) -> Line:
        """The line in a shown row."""
        return self._model.line(self.mapToSource(self.index(row, 0)).row())

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Whether a line is shown."""
        line = self._model.line(row)
        return line.level in self._levels and self._words in line.text.lower()
