"""The log dock: what happened, by time, as much of it as one wants to read."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTableView,
    QToolButton,
    QWidget,
)  # fmt: skip

from firegui.gui.base.layouts import horizontal, vertical
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, Index, TableModel
from firegui.gui.widgets.table_view import add_table_actions, selected_rows, show_table
from firegui.gui.window.event_log import MOST, EventLog, Level, Line

_CHOICES: dict[str, frozenset[Level]] = {
    "Everything": frozenset(Level),
    "Without edits": frozenset(Level) - {Level.EDIT},
    "Warnings and errors": frozenset({Level.WARNING, Level.ERROR}),
    "Errors": frozenset({Level.ERROR}),
}

TIME, LEVEL, TEXT = range(3)
_SLACK = MOST // 10
"""Lines that are removed at once: a table that loses a row with every new one is painted anew with every new one."""
_COLORS = {Level.WARNING: "warning", Level.ERROR: "error", Level.EDIT: "muted"}
_COLUMNS = (
    Column("Time", lambda line: f"{line.when:%H:%M:%S}", tip="When, by this computer's clock", is_text=True),
    Column("Level", lambda line: line.level.value, tip="An edit, a remark, a warning or an error", is_text=True),
    Column("What happened", lambda line: line.text.partition("\n")[0], tip="Several lines are in the tooltip",
           is_text=True),
)  # fmt: skip


class LogFilter(QSortFilterProxyModel):
    """Filter of the log by level and by a text, whatever its case."""

    def __init__(self, model: TableModel[Line], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._levels = frozenset(Level)
        self._words = ""
        self.setSourceModel(model)

    def set_levels(self, levels: frozenset[Level]) -> None:
        """Show the lines of these levels only."""
        self.beginFilterChange()
        self._levels = levels
        self.endFilterChange()

    def set_words(self, words: str) -> None:
        """Show the lines that contain ``words``."""
        self.beginFilterChange()
        self._words = words.strip().lower()
        self.endFilterChange()

    def line(self, row: int) -> Line:
        """Return the line in a shown row."""
        return self._model.row(self.mapToSource(self.index(row, 0)).row())

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Return whether a line is shown."""
        line = self._model.row(row)
        return line.level in self._levels and self._words in line.text.lower()


class LogPanel(QWidget):
    """The latest line is last and in view, unless one has scrolled away from it."""

    def __init__(self, book: EventLog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = TableModel[Line](
            _COLUMNS, self, row_tip=lambda line: line.text, row_color=lambda line: _COLORS.get(line.level)
        )
        self._model.set_rows(book.lines)
        book.added.connect(self._add)
        self.shown = LogFilter(self._model, self)
        self.levels = QComboBox()
        self.levels.setAccessibleName("Which lines")
        self.levels.setToolTip("Show everything, or only what matters more")
        for title in _CHOICES:
            self.levels.addItem(title)
        self.words = QLineEdit(clearButtonEnabled=True)
        self.words.setPlaceholderText("Find")
        self.words.setAccessibleName("Find in the log")
        self.words.setToolTip("Show the lines that hold these letters")
        self.table = self._make_table()
        self._lay_out()
        self.levels.activated.connect(lambda _index: self._choose())
        self.words.textChanged.connect(self.shown.set_words)
        self.shown.rowsInserted.connect(lambda *_: self._follow())
        self._at_end = True
        self.table.verticalScrollBar().valueChanged.connect(self._on_scroll)

    def button(self, name: str) -> QToolButton:
        """One of the buttons over the lines. Raises ``KeyError`` for another name."""
        return self._buttons[name]

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that are shown, as they are copied."""
        return tuple(str(self.shown.line(row)) for row in range(self.shown.rowCount()))

    def copy(self) -> None:
        """Put the selected lines on the clipboard, or all that are shown where none is selected."""
        lines = [str(self.shown.line(row)) for row in selected_rows(self.table)] or self.lines
        QGuiApplication.clipboard().setText("\n".join(lines))

    def select_all(self) -> None:
        """Select every line that is shown."""
        self.table.selectAll()

    def to_end(self) -> None:
        """Go to the latest line and stay with it."""
        self._at_end = True
        self.table.selectionModel().clear()
        self.table.scrollToBottom()

    def _add(self, line: Line) -> None:
        if len(self._model.rows) >= MOST + _SLACK:
            self._model.remove_first_rows(_SLACK)
        self._model.append_row(line)

    # -- following ---------------------------------------------------------------------------------------------------
    def _choose(self) -> None:
        self.shown.set_levels(_CHOICES[self.levels.currentText()])
        self.to_end()

    def _on_scroll(self, value: int) -> None:
        self._at_end = value >= self.table.verticalScrollBar().maximum()

    def _follow(self) -> None:
        if self._at_end:
            self.table.scrollToBottom()
            self._at_end = True

    # -- putting together --------------------------------------------------------------------------------------------
    def _make_table(self) -> QTableView:
        table = QTableView()
        height = table.fontMetrics().height() + 6
        show_table(
            table, self.shown, "Log", row_height=height, stretch=TEXT, is_sortable=False, has_menu=False, copy=self.copy
        )
        table.setToolTip("What happened since the window opened, the latest last; Ctrl+C copies the selected lines")
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = table.horizontalHeader()
        for column, sample in ((TIME, "00:00:00"), (LEVEL, "warning")):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            table.setColumnWidth(column, table.fontMetrics().horizontalAdvance(sample) + 18)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(lambda point: self._menu().popup(table.viewport().mapToGlobal(point)))
        return table

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_table_actions(menu, self.table, self.copy)
        for text, do in (("Select all", self.select_all), ("To the end", self.to_end)):
            action = QAction(text, menu)
            action.triggered.connect(lambda _checked=False, do=do: do())
            menu.addAction(action)
        return menu

    def _lay_out(self) -> None:
        row = ButtonRow()
        self._buttons = {
            "copy": row.add("copy", "Copy", "Copy the selected lines, or all that are shown (Ctrl+C)", self.copy),
            "end": row.add("last", "To the end", "Go to the latest line and stay with it", self.to_end),
        }
        line = horizontal(None, self.levels, (self.words, 1), row, margins=0)
        vertical(self, line, (self.table, 1), margins=(6, 2, 6, 4), spacing=2)
