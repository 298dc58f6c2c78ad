"""The runs dock: every run of the project, what can be done with it, and what the runs said."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from html import escape

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QAction, QColor, QDesktopServices, QKeySequence, QPainter, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.gui.dialogs.export import ExportDialog
from firegui.gui.forms.buttons import ButtonRow
from firegui.gui.jobs.entry import RunEntry
from firegui.gui.jobs.listing import kept_plan
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.models.runs import BEST, DROPS, ELAPSED, ETA, PROGRESS, PROGRESS_ROLE, STATE, TITLE, RunsModel
from firegui.gui.plots.elided import ElidedLabel
from firegui.gui.session import Session
from firegui.gui.theme import current_colors
from firegui.runs.events import RunState

_LOG_LINES = 500
_WIDTHS = {PROGRESS: 86, ELAPSED: 56, ETA: 52}
_ROOM_FOR_TIMES = 470
_PROGRESS_WITH_TIME = 112
_STOP = "Stop and keep the best plan so far"
_STOP_NOW = "Do not wait for the final score of the kept plan"
_PRUNE = "Prune this plan: a new run of the second stage alone, which removes the drops it does not need"
_START_FROM = "Warm start from this run: a new run of the project as it is now that begins with this plan"
_LEVEL_COLORS = {"warning": "warning", "error": "error"}


class _Bar(QStyledItemDelegate):
    """Draws the progress column as a bar with its text on it; ``with_time`` adds the time taken or left."""

    with_time = False

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        value = index.data(PROGRESS_ROLE)
        if not isinstance(value, tuple):
            return
        share, text, color, time, left = value
        area = QRectF(option.rect).adjusted(4, 4, -4, -4)
        colors = current_colors()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.raised))
        painter.drawRoundedRect(area, 3, 3)
        fill = QColor(color)
        fill.setAlpha(150)
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(area.left(), area.top(), area.width() * share, area.height()), 3, 3)
        painter.setPen(QColor(colors.text))
        longer = [f"{text} · {time}{left}", f"{text} · {time}"] if self.with_time and time else []
        room = [each for each in longer if painter.fontMetrics().horizontalAdvance(each) <= area.width() - 4]
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, next(iter(room), text))
        painter.restore()

    def displayText(self, value: object, locale: object) -> str:
        return ""


class RunsPanel(QWidget):
    """Buttons act on the selected run; pausing and stopping on the one that works when none is selected."""

    start_requested = Signal()
    """A person wants a run of the open project, which may have to be saved first."""
    prune_requested = Signal(object)
    """A person wants the plan of this ``RunEntry`` pruned, in a run of its own."""
    start_from_requested = Signal(object)
    """A person wants a run of the open project that begins with the plan of this ``RunEntry``."""

    def __init__(self, session: Session, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        self.model = RunsModel(queue, self)
        self._bar = _Bar(self)
        self.table = self._make_table()
        self.log = QPlainTextEdit(readOnly=True, maximumBlockCount=_LOG_LINES)
        self.log.setAccessibleName("Log of the runs")
        self.log.setToolTip("What the runs said, the latest at the end")
        self._activity = ElidedLabel(role="muted")
        self._lines: deque[tuple[str, str]] = deque(maxlen=_LOG_LINES)
        self._lay_out()
        queue.logged.connect(self.add_line)
        queue.changed.connect(self._refresh)
        queue.shown_changed.connect(self._on_shown)
        session.result_changed.connect(self._refresh)
        self.model.modelReset.connect(self._keep_selection)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selected())
        self._chosen: RunEntry | None = None
        self._refresh()

    # -- selection ---------------------------------------------------------------------------------------------------
    @property
    def selected(self) -> RunEntry | None:
        """The selected run."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.entry(rows[0].row()) if rows else None

    def button(self, name: str) -> QToolButton:
        """One of the buttons over the list. Raises ``KeyError`` for another name."""
        return self._buttons[name]

    def select(self, entry: RunEntry) -> None:
        """Select a run."""
        row = self.model.row_of(entry)
        if row >= 0:
            self.table.selectRow(row)

    def _on_selected(self) -> None:
        self._chosen = self.selected
        self._refresh()

    def _on_shown(self) -> None:
        if self._queue.shown is not None:
            self.select(self._queue.shown)
        self._refresh()

    def _keep_selection(self) -> None:
        if self._chosen is not None:
            self.select(self._chosen)

    def _target(self) -> RunEntry | None:
        return self.selected or self._queue.active

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def pause_or_go_on(self) -> None:
        """Pause the run that works, resume a paused or a stopped one."""
        entry = self._target()
        if entry is None:
            return
        if entry is not self._queue.active:
            self._queue.go_on(entry)
        elif entry.state is RunState.PAUSED or entry.pausing:
            self._queue.resume()
        else:
            self._queue.pause()

    def stop(self) -> None:
        """Stop the run that works, or take a waiting one out of the queue; the best so far is kept."""
        self._queue.stop(self._target())

    def discard(self) -> None:
        """Stop the run and delete its folder, once the person said yes."""
        entry = self._target()
        if entry is None:
            return
        text = f"Discard {entry.title}?"
        if entry.folder.exists():
            text += f"\n\nIts folder and everything in it will be deleted:\n{entry.folder}"
        choice = QMessageBox.question(self.window(), "Discard a run", text)
        if choice == QMessageBox.StandardButton.Yes:
            self._queue.discard(entry)

    def prune(self) -> None:
        """Ask for a run that prunes the selected run's plan."""
        if (entry := self._target()) is not None:
            self.prune_requested.emit(entry)

    def start_from(self) -> None:
        """Ask for a run that begins with the selected run's plan."""
        if (entry := self._target()) is not None:
            self.start_from_requested.emit(entry)

    def show_selected(self) -> None:
        """Show the selected run's plan on the map, or the fire without drops when none is selected."""
        entry = self._target()
        if entry is not None:
            self._queue.show(entry)
        elif self._session.has_project:
            self._queue.show_baseline()

    def export(self) -> None:
        """Export what is shown."""
        ExportDialog(self._session, self.window()).exec()

    def open_folder(self) -> None:
        """Open the run's folder in the file manager."""
        entry = self._target()
        if entry is not None and entry.folder.exists():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(entry.folder)))

    def add_line(self, text: str, level: str) -> None:
        """Add to the log."""
        self._lines.append((f"{datetime.now():%H:%M:%S}  {text.rstrip()}", level))
        self._write(*self._lines[-1])

    def _write(self, text: str, level: str) -> None:
        color = getattr(current_colors(), _LEVEL_COLORS.get(level, "text"))
        self.log.appendHtml(f'<span style="color:{color}; white-space:pre-wrap">{escape(text)}</span>')

    def changeEvent(self, event: QEvent) -> None:
        """Write the log again in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_lines"):
            self.log.clear()
            for line in self._lines:
                self._write(*line)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _refresh(self) -> None:
        entry, active = self._target(), self._queue.active
        can_go_on = entry is not None and (entry is active or entry.can_go_on)
        holds = entry is not None and entry is active and entry.state is not RunState.PAUSED and not entry.pausing
        self._buttons["start"].setEnabled(self._session.has_project)
        self._buttons["pause"].setVisible(holds or not can_go_on)
        self._buttons["pause"].setEnabled(holds and entry is not None and entry.state is RunState.RUNNING)
        self._buttons["resume"].setVisible(can_go_on and not holds)
        kept = entry is not None and entry.is_over and not entry.elsewhere and kept_plan(entry.folder) is not None
        self._buttons["prune"].setEnabled(kept)
        self._buttons["branch"].setEnabled(kept)
        self._buttons["stop"].setEnabled(entry is not None and not entry.is_over)
        stopping = entry is not None and entry.state is RunState.STOPPING
        self._buttons["stop"].setToolTip(_STOP_NOW if stopping else _STOP)
        self._buttons["delete"].setEnabled(entry is not None and not entry.discarding)
        self._buttons["show"].setEnabled(entry is not None and entry is not self._queue.shown)
        self._buttons["folder"].setEnabled(entry is not None and entry.folder.exists())
        self._buttons["export"].setEnabled(bool(self._session.result.drops))
        self._activity.set_text(self._queue.activity)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow dock the times move from their columns onto the bars."""
        super().resizeEvent(event)
        self._bar.with_time = self.width() < _ROOM_FOR_TIMES
        for column in (ELAPSED, ETA):
            self.table.setColumnHidden(column, self._bar.with_time)
        self.table.setColumnWidth(PROGRESS, _PROGRESS_WITH_TIME if self._bar.with_time else _WIDTHS[PROGRESS])

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setItemDelegateForColumn(PROGRESS, self._bar)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 10)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        for column, width in _WIDTHS.items():
            table.setColumnWidth(column, width)
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column in (STATE, BEST, DROPS):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        table.setAccessibleName("Runs")
        table.doubleClicked.connect(lambda _index: self.show_selected())
        enter = QShortcut(QKeySequence(Qt.Key.Key_Return), table)
        enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(self.show_selected)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(lambda point: self._menu().exec(table.viewport().mapToGlobal(point)))
        return table

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for name in ("show", "pause", "resume", "stop", "prune", "branch", "export", "folder", "delete"):
            button = self._buttons[name]
            if not button.isHidden():
                action = QAction(button.icon(), button.accessibleName(), menu)
                action.setEnabled(button.isEnabled())
                action.triggered.connect(button.click)
                menu.addAction(action)
        return menu

    def _lay_out(self) -> None:
        row = ButtonRow()
        self._buttons: dict[str, QToolButton] = {
            "start": row.add(
                "start", "Plan", "Start a run of the project as it is now", self.start_requested.emit, show_text=True
            ),
            "pause": row.add("pause", "Pause", "Hold before the next epoch or test", self.pause_or_go_on),
            "resume": row.add("resume", "Resume", "Go on where it held or was stopped", self.pause_or_go_on),
            "stop": row.add("stop", "Stop, keep best", _STOP, self.stop),
            "show": row.add(
                "show", "Show", "Show this run's plan on the map (double-click, Enter)", self.show_selected
            ),
            "prune": row.add("prune", "Prune this plan", _PRUNE, self.prune),
            "branch": row.add("branch", "Warm start from this run", _START_FROM, self.start_from),
            "export": row.add("export", "Export…", "Export the drops that are shown", self.export),
            "folder": row.add("folder", "Open folder", "Open the run's folder", self.open_folder),
            "delete": row.add("delete", "Discard…", "Delete the run and its folder", self.discard),
        }
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(row)
        line.addWidget(self._activity, 1)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self.table)
        parts.addWidget(self.log)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 1)
        parts.setSizes([120, 50])
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 4)
        column.setSpacing(2)
        column.addLayout(line)
        column.addWidget(parts, 1)
