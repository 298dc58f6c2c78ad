"""The log dock: what happened, by time, as much of it as one wants to read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_panel import dress_table
from firegui.gui.window.event_log import EventLog, Level
from firegui.gui.window.log_table import LEVEL, TEXT, TIME, LogFilter, LogModel

_CHOICES: dict[str, frozenset[Level]] = {
    "Everything": frozenset(Level),
    "Without edits": frozenset(Level) - {Level.EDIT},
    "Warnings and errors": frozenset({Level.WARNING, Level.ERROR}),
    "Errors": frozenset({Level.ERROR}),
}


class LogPanel(QWidget):
    """The latest line is last and in view, unless one has scrolled away from it."""

    def __init__(self, book: EventLog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = LogFilter(LogModel(book, self), self)
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
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        lines = [str(self.shown.line(row)) for row in rows] or self.lines
        QGuiApplication.clipboard().setText("\n".join(lines))

    def select_all(self) -> None:
        """Select every line that is shown."""
        self.table.selectAll()

    def to_end(self) -> None:
        """Go to the latest line and stay with it."""
        self._at_end = True
        self.table.selectionModel().clear()
        self.table.scrollToBottom()

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
        table.setModel(self.shown)
        dress_table(table, "Log", table.fontMetrics().height() + 6)
        table.setToolTip("What happened since the window opened, the latest last; Ctrl+C copies the selected lines")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        for column, sample in ((TIME, "00:00:00"), (LEVEL, "warning")):
            table.setColumnWidth(column, table.fontMetrics().horizontalAdvance(sample) + 18)
        copy = QShortcut(QKeySequence.StandardKey.Copy, table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(lambda point: self._menu().popup(table.viewport().mapToGlobal(point)))
        return table

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, do in (("Copy", self.copy), ("Select all", self.select_all), ("To the end", self.to_end)):
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
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.levels)
        line.addWidget(self.words, 1)
        line.addWidget(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 4)
        column.setSpacing(2)
        column.addLayout(line)
        column.addWidget(self.table, 1)
