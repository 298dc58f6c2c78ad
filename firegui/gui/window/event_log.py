"""Event log of the window, and the panel that shows it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTableView,
    QToolButton,
    QWidget,
)  # fmt: skip
from shiboken6 import isValid

from firegui.errors import InputError
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.dialogs import show_message
from firegui.gui.base.layouts import horizontal, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import NoScrollComboBox
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, Index, TableModel
from firegui.gui.widgets.table_view import add_table_actions, selected_rows, show_table

MOST = 5_000
"""Older entries are removed from the log; the log file has them."""
_SLACK = MOST // 10
"""Number of entries removed at once: removing one per new entry would repaint the whole table."""


class LogLevel(StrEnum):
    """Severity of an entry."""

    EDIT = "edit"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """Event in the log."""

    when: datetime
    level: LogLevel
    text: str

    def __str__(self) -> str:
        return f"{self.when:%Y-%m-%d %H:%M:%S}  {self.level.value:<7}  {self.text}"


class EventLog(QObject):
    """The latest :data:`MOST` entries, the oldest first, from the session and the queue of runs."""

    added = Signal(object)
    """A :class:`LogEntry`."""

    def __init__(
        self, session: Session, queue: RunQueue, parent: QObject | None = None,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._clock = clock
        self._entries: deque[LogEntry] = deque(maxlen=MOST)
        self._session = session
        self._index = session.undo_stack.index()
        queue.logged.connect(self.add)
        session.message.connect(self._on_message)
        session.refused.connect(self._on_refused)
        session.undo_stack.indexChanged.connect(self._on_edit)

    @property
    def entries(self) -> tuple[LogEntry, ...]:
        """All entries, the oldest first."""
        return tuple(self._entries)

    def add(self, text: str, level: str = LogLevel.INFO) -> None:
        """Add an entry; an empty text is ignored."""
        if text.strip():
            entry = LogEntry(self._clock(), LogLevel(level), self._session.units.restate(text.strip()))
            self._entries.append(entry)
            self.added.emit(entry)

    def keep(self, text: str) -> None:
        """Add an entry unless the log has the text already."""
        if self._session.units.restate(text.strip()) not in {entry.text for entry in self._entries}:
            self.add(text)

    def _on_message(self, text: str) -> None:
        # The queue reports messages of runs in full, before their first line reaches the status bar.
        # A repeated edit is in the log as the edit.
        last = self._entries[-1].text if self._entries else ""
        if self._session.units.restate(text.strip()) not in (last, last.partition("\n")[0].strip(), f"Redone: {last}"):
            self.add(text)

    def _on_refused(self, error: InputError) -> None:
        self.add(str(error), LogLevel.WARNING)

    def _on_edit(self, index: int) -> None:
        stack, before = self._session.undo_stack, self._index
        self._index = index
        # A stack also emits this signal while it is being deleted.
        if not isValid(stack):
            return
        if index < before and index < stack.count():
            self.add(f"Undone: {stack.text(index)}", LogLevel.EDIT)
        elif index > before:
            self.add(stack.text(index - 1), LogLevel.EDIT)


def one_line(text: str) -> str:
    """Return a text in one line: of a refusal its title, its first problem and the number of others."""
    first, *others = [line.strip().removeprefix("• ") for line in text.splitlines() if line.strip()] or [""]
    if not others or not first.endswith(":"):
        return first
    more = len(others) - 1
    return f"{first} {others[0]}" + (f" (and {more} more)" if more else "")


_CHOICES: dict[str, frozenset[LogLevel]] = {
    "Everything": frozenset(LogLevel),
    "Without edits": frozenset(LogLevel) - {LogLevel.EDIT},
    "Warnings and errors": frozenset({LogLevel.WARNING, LogLevel.ERROR}),
    "Errors": frozenset({LogLevel.ERROR}),
}

_COLORS = {LogLevel.WARNING: "warning", LogLevel.ERROR: "error", LogLevel.EDIT: "muted"}
_COLUMNS = (
    Column("Time", lambda line: f"{line.when:%H:%M:%S}", tip="Time, by this computer's clock", is_text=True),
    Column("Level", lambda line: line.level.value, tip="An edit, a remark, a warning or an error", is_text=True),
    Column("What happened", lambda line: one_line(line.text), tip="Details shows the whole text of a line",
           is_text=True),
)  # fmt: skip


class LogFilter(QSortFilterProxyModel):
    """Filter of the log by level and by a text, ignoring its case."""

    def __init__(self, model: TableModel[LogEntry], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._levels = frozenset(LogLevel)
        self._words = ""
        self.setSourceModel(model)

    def set_levels(self, levels: frozenset[LogLevel]) -> None:
        """Show the lines of these levels only."""
        self.beginFilterChange()
        self._levels = levels
        self.endFilterChange()

    def set_words(self, words: str) -> None:
        """Show the lines that contain ``words``."""
        self.beginFilterChange()
        self._words = words.strip().lower()
        self.endFilterChange()

    def line(self, row: int) -> LogEntry:
        """Return the line in a shown row."""
        return self._model.row(self.mapToSource(self.index(row, 0)).row())

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Return whether a line is shown."""
        line = self._model.row(row)
        return line.level in self._levels and self._words in line.text.lower()


class LogPanel(QWidget):
    """Panel of the event log.

    The latest line is last and in view, unless the user has scrolled away from it.
    """

    def __init__(self, log: EventLog, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = TableModel[LogEntry](
            _COLUMNS, self, row_tip=lambda line: line.text, row_color=lambda line: _COLORS.get(line.level)
        )
        self._model.set_rows(log.entries)
        log.added.connect(self._add)
        self.shown = LogFilter(self._model, self)
        self.levels = NoScrollComboBox()
        self.levels.setAccessibleName("Lines to show")
        self.levels.setToolTip("Show all lines, or only those of a higher severity")
        for title in _CHOICES:
            self.levels.addItem(title)
        self.words = QLineEdit(clearButtonEnabled=True)
        self.words.setPlaceholderText("Find")
        self.words.setAccessibleName("Find in the log")
        self.words.setToolTip("Show the lines that contain this text")
        self.table = self._make_table()
        self._lay_out()
        self.levels.activated.connect(lambda _index: self._choose())
        self.words.textChanged.connect(self.shown.set_words)
        self.shown.rowsInserted.connect(lambda *_: self._follow())
        self._at_end = True
        self.table.verticalScrollBar().valueChanged.connect(self._on_scroll)

    def button(self, name: str) -> QToolButton:
        """Return one of the buttons over the lines.

        Raises ``KeyError`` for another name.
        """
        return self._buttons[name]

    @property
    def lines(self) -> tuple[str, ...]:
        """The shown lines, as they are copied."""
        return tuple(str(self.shown.line(row)) for row in range(self.shown.rowCount()))

    def copy(self) -> None:
        """Put the selected lines on the clipboard, or all shown lines if none is selected."""
        lines = [str(self.shown.line(row)) for row in selected_rows(self.table)] or self.lines
        QGuiApplication.clipboard().setText("\n".join(lines))

    def show_details(self) -> None:
        """Show the whole text of the current line, of the latest one if none is current."""
        row = self.table.currentIndex().row()
        if self.shown.rowCount():
            show_message(self, self.shown.line(row if row >= 0 else self.shown.rowCount() - 1).text)

    def select_all(self) -> None:
        """Select all shown lines."""
        self.table.selectAll()

    def to_end(self) -> None:
        """Scroll to the latest line and follow new ones."""
        self._at_end = True
        self.table.selectionModel().clear()
        self.table.scrollToBottom()

    def _add(self, line: LogEntry) -> None:
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
            table,
            self.shown,
            "Log",
            row_height=height,
            stretch=len(_COLUMNS) - 1,
            is_sortable=False,
            has_menu=False,
            copy=self.copy,
        )
        table.setToolTip(tooltip("Events since the window opened, the latest last; Ctrl+C copies the selected lines"))
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = table.horizontalHeader()
        for column, sample in enumerate(("00:00:00", "warning")):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            table.setColumnWidth(column, table.fontMetrics().horizontalAdvance(sample) + 18)
        table.doubleClicked.connect(lambda _index: self.show_details())
        add_shortcut(table, "Return", self.show_details)
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
            "details": row.add(
                "details", "Details", "Show the whole text of the line (double-click)", self.show_details
            ),
            "copy": row.add("copy", "Copy", "Copy the selected lines, or all that are shown (Ctrl+C)", self.copy),
            "end": row.add("last", "To the end", "Go to the latest line and follow new lines", self.to_end),
        }
        line = horizontal(None, self.levels, (self.words, 1), row, margins=0)
        vertical(self, line, (self.table, 1), margins=(6, 2, 6, 4), spacing=2)
