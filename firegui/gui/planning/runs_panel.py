"""Runs panel: the list of runs, their buttons, and the notes on one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, QTimer, QUrl, Signal, SignalInstance
from PySide6.QtGui import QAction, QDesktopServices, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QSplitter,
    QTableView,
    QToolButton,
    QWidget,
)  # fmt: skip

from firegui.errors import InputError
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.dialogs import confirm
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import horizontal, muted_label, plain_label, row, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import LatestTask
from firegui.gui.base.theme import set_role
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.result_view import can_continue
from firegui.gui.planning.run_cards import RunCards
from firegui.gui.planning.run_order import RunGrouping, RunOrder
from firegui.gui.planning.runs_table import (
    COST,
    ELAPSED,
    ETA,
    HOURS,
    NIGHT,
    PROGRESS,
    REGIONS,
    TITLE,
    VALUES,
    VOLUME,
    WORST,
    RunProgressBar,
    RunsModel,
)
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import choice_combo, text_line
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_view import add_table_actions, select_row, selected_rows, show_table
from firegui.runs.notes import NOTES, read_notes, takes_notes, write_notes
from firegui.runs.run_folder import kept_plan
from firegui.runs.stages import RunState

_WIDTHS = {PROGRESS: 112, ELAPSED: 56, ETA: 52, WORST: 86}
_ROOM_FOR_TIMES, _ROOM_FOR_ALL_BUTTONS, _ROOM_FOR_TABLE = 800, 470, 560
_STOP = "Stop and keep the best plan so far"
_STOP_NOW = "Do not wait for the final score of the kept plan"
_PRUNE = "Remove drops not needed: a new run that removes the drops that the limit does not need"
_RESUME = (
    "Continue the paused run, or resume a stopped one, which then replaces its plan. "
    "Keep plan, resume, over the map, keeps a copy"
)
_START_FROM = "Continue from this plan: a new run of the project as it is now that begins with this plan"
_COMPARE = "Two plans on maps that move together, and their numbers; three plans or more in a table"
_DUPLICATE = "A new run with this one's inputs, after the changes you make to them"
_EXPORT = "Export the plan of this run; of a run without a plan, the plan on the map"
_LEAST_WIDTH = 250
_COLLAPSIBLE = ("start", "prune", "branch", "export", "folder", "delete")
"""Buttons that move to a menu in a narrow panel."""
_IN_MENU_BAR = ("start", "branch", "export")
"""Those that the menu bar has too."""


_AFTER_MS = 700
_SHOW_AFTER_MS = 300
_BAR_MS = 100
"""Time from the selection of a run until it is shown: arrow keys pass over several."""
_NONE = "Select a run to write notes on it"
_READ_ONLY = "The project is open in another window: write your notes there"
_NOT_YET = "Notes can be written once the run has begun"


_LEAST_LINES, _MOST_ROWS = 4, 3
"""Least height of the list in lines, and number of cards that it shows at least if there are so many."""
_WORTH_SEARCHING = 6
"""Number of runs from which the field that finds one is shown."""


class RunsList(QTableView):
    """Table of runs that asks for its least height: few runs leave the room to the result of one."""

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(super().sizeHint().width(), self.minimumHeight())


class RunsPanel(QWidget):
    """List of runs with buttons for the selected run, or for the active one if none is selected.

    A run that the user selects alone is shown, so that the map, the result, exports and analyses have the plan of the
    selected run.
    """

    start_requested = Signal()
    """Start a run of the open project, which may have to be saved first."""
    prune_requested = Signal(object)
    """Prune the plan of this ``RunEntry`` in a new run."""
    start_from_requested = Signal(object)
    """Run the open project from the plan of this ``RunEntry``."""
    duplicate_requested = Signal(object)
    """Run this ``RunEntry`` again with changes."""
    compare_requested = Signal(tuple)
    """Compare two ``RunEntry`` or more, the earliest first."""
    export_requested = Signal()
    """Export the plan of the selected run, else the shown one."""

    def __init__(self, session: Session, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        self.model = RunsModel(session, queue, self)
        self._bar, self._cards = RunProgressBar(self), RunCards(self.model, self)
        self.search, self.order, self.grouping = self._make_search()
        self._fitted: tuple[tuple[RunEntry, ...], int] | None = None
        """Runs whose cards the list shows at least, and its width, when it was last fitted to them."""
        self.table = self._make_table()
        self._all_selected: tuple[RunEntry, ...] | None = None
        self.table.selectionModel().selectionChanged.connect(self._forget_selected)
        # A card under the pointer must stay there: the click would hit another run.
        self.table.viewport().installEventFilter(self)
        for moved in (
            self.model.modelReset, self.model.layoutChanged, self.model.dataChanged, self.model.rowsInserted,
        ):  # fmt: skip
            moved.connect(self._forget_selected)
        self.notes = RunNotes(session)
        self.notes.written.connect(lambda _entry: self.model.refresh())
        self._activity = ElidedLabel(role="muted")
        self.caution = plain_label(wordWrap=True)
        self._lay_out()
        queue.changed.connect(self._refresh)
        queue.shown_changed.connect(self._on_shown)
        session.result_changed.connect(self._refresh)
        self.model.modelReset.connect(self._keep_selection)
        for changed in (
            self.model.modelReset, self.model.layoutChanged, self.model.dataChanged, self.model.rowsInserted,
        ):  # fmt: skip
            changed.connect(self._fit_rows)
        # The table does not take heights of rows while it lays out its columns.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_rows)
        self.table.horizontalHeader().sectionResized.connect(lambda *_: self._fitting.start())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selected())
        self._showing = QTimer(self, singleShot=True, interval=_SHOW_AFTER_MS)
        self._showing.timeout.connect(self._show_chosen)
        # The run may be selected already, while the map has a comparison.
        self.table.clicked.connect(lambda _index: self._showing.start())
        self._chosen: RunEntry | None = None
        self._awaited: RunEntry | None = None
        """Run that was selected before there was anything to show of it."""
        queue.changed.connect(self._show_awaited)
        # The bar of a run that prepares moves, so that it does not look stuck.
        self._moving = QTimer(self, interval=_BAR_MS)
        self._moving.timeout.connect(self.table.viewport().update)
        self._refresh()

    # -- selection ---------------------------------------------------------------------------------------------------
    @property
    def selected(self) -> RunEntry | None:
        """The selected run; of several the one that was selected last."""
        chosen = self.all_selected
        current = self.model.entry(self.table.currentIndex().row())
        return current if current in chosen else next(iter(chosen), None)

    @property
    def all_selected(self) -> tuple[RunEntry, ...]:
        """The selected runs, the earliest first."""
        # Qt asks for the flags of every cell, and several commands ask for the selection at each report of a run.
        if self._all_selected is None:
            rows = sorted(map(self.model.position, selected_rows(self.table)), reverse=True)
            self._all_selected = tuple(self.model.rows[row] for row in rows)
        return self._all_selected

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the cards in their places while the pointer is over the list."""
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.model.hold(event.type() == QEvent.Type.Enter)
            self._refresh()
            self._fit_rows()
        return False

    def _forget_selected(self, *_: object) -> None:
        self._all_selected = None

    def button(self, name: str) -> QToolButton:
        """Return a button over the list. Raises ``KeyError`` for another name."""
        return self._buttons[name]

    def select(self, entry: RunEntry) -> None:
        """Select a run, which is not shown by that."""
        row, bar = self.model.place_of(entry), self.table.verticalScrollBar()
        if row >= 0:
            top = bar.value()
            select_row(self.table, row)
            if self.model.is_held:
                bar.setValue(top)
            self._showing.stop()

    def _on_selected(self) -> None:
        self._chosen = self.selected
        self._awaited = self._chosen if self._chosen is not None and not self._can_show(self._chosen) else None
        self._showing.start()
        self._refresh()

    @property
    def is_about_to_show(self) -> bool:
        """Whether the selected run is shown in a moment."""
        return self._showing.isActive()

    def _show_chosen(self) -> None:
        """Show the run that the user has selected, unless several are."""
        entry, queue = self.selected, self._queue
        if len(self.all_selected) != 1 or entry is None or entry is queue.shown:
            return
        if self._can_show(entry):
            queue.show(entry)

    def _can_show(self, entry: RunEntry) -> bool:
        """Return whether a run has something to show: it is at work, or has saved a plan."""
        is_saved = entry.is_over and entry.project is not None and kept_plan(entry.folder) is not None
        return entry is self._queue.active or is_saved

    def _show_awaited(self) -> None:
        """Show the selected run that waited once it begins."""
        if self._awaited is not None and self._awaited is self._queue.active and self._awaited is self.selected:
            self._awaited = None
            self._showing.start()

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
    def pause_or_resume(self) -> None:
        """Pause the active run, or resume a paused or stopped one."""
        entry = self._target()
        if entry is None:
            return
        if entry is not self._queue.active:
            self._queue.resume_stopped(entry)
        elif entry.state is RunState.PAUSED or entry.pausing:
            self._queue.resume()
        else:
            self._queue.pause()

    def stop(self) -> None:
        """Stop the active run and keep its best plan, or remove a waiting one from the queue."""
        self._queue.stop(self._target())

    def discard(self) -> None:
        """Stop the run and delete its folder, after a confirmation."""
        entry = self._target()
        if entry is None:
            return
        text = f"Delete {entry.title}?"
        if entry.folder.exists():
            text += f"\n\nIts folder and everything in it will be deleted:\n{entry.folder}"
        if confirm(self.window(), "Delete a run", text, "Delete"):
            self._queue.discard(entry)

    def _request(self, signal: SignalInstance) -> None:
        if (entry := self._target()) is not None:
            signal.emit(entry)

    def start_from(self) -> bool:
        """Request a run from the plan of the selected run, else of the shown one.

        Return whether there is one; if not, say what to select.
        """
        entry = self.selected or self._queue.shown
        if entry is None or not can_continue(entry):
            self._session.message.emit("Select a finished run with a plan to continue from.")
            return False
        self.start_from_requested.emit(entry)
        return True

    def duplicate(self) -> None:
        """Request a run like the selected one."""
        if (entry := self._target()) is not None:
            self.duplicate_requested.emit(entry)
        else:
            self._session.message.emit("Select the run to duplicate.")

    def compare(self) -> bool:
        """Request the comparison of the selected runs, or of the selected and the shown one.

        Return whether there are several; if not, say how they are selected.
        """
        entries = self._to_compare()
        if entries:
            self.compare_requested.emit(entries)
        else:
            self._session.message.emit(f"Runs are not compared: {self._why_not_compared(entries)}.")
        return bool(entries)

    def _why_not_compared(self, comparable: tuple[RunEntry, ...]) -> str:
        """Return what to select so that runs can be compared; empty if there are ``comparable`` ones."""
        chosen = self.all_selected
        if comparable:
            return ""
        if len(chosen) < 2:
            return "Ctrl+click a second run" if chosen else "Click a run, Ctrl+click a second one"
        return f"{next(entry.title for entry in chosen if kept_plan(entry.folder) is None)} has no plan yet"

    def _to_compare(self) -> tuple[RunEntry, ...]:
        """Return the runs that can be compared, the earliest first; empty if there are not at least two."""
        chosen, shown = self.all_selected, self._queue.shown
        if len(chosen) == 1 and shown is not None and shown not in chosen:
            chosen = tuple(sorted((*chosen, shown), key=self._queue.entries.index))
        if len(chosen) < 2 or any(kept_plan(entry.folder) is None for entry in chosen):
            return ()
        return chosen

    def show_selected(self) -> None:
        """Show the selected run's plan on the map, or the fire without drops if none is selected."""
        self._showing.stop()
        entry = self._target()
        if entry is not None:
            self._queue.show(entry)
        elif self._session.has_project:
            self._queue.show_baseline()

    def open_folder(self) -> None:
        """Open the run's folder in the file manager."""
        entry = self._target()
        if entry is not None and entry.folder.exists():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(entry.folder)))

    @property
    def menu_buttons(self) -> tuple[QToolButton, ...]:
        """Buttons for the selected run that a narrow panel has in its menu."""
        return tuple(self._buttons[name] for name in _COLLAPSIBLE if name not in _IN_MENU_BAR)

    @property
    def why_no_action(self) -> str:
        """Why the disabled ones of :attr:`menu_buttons` cannot be pressed."""
        entry = self._target()
        if entry is None:
            return "select a run first"
        return "the run has not ended" if not entry.is_over else "not for the selected run"

    def shutdown(self) -> None:
        """Save the notes that are being edited."""
        self.notes.shutdown()

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _refresh(self) -> None:
        entry, active, comparable = self._target(), self._queue.active, self._to_compare()
        self._moving.start() if active is not None and active.is_unmeasured else self._moving.stop()
        exists = entry is not None
        is_active = entry is not None and entry is active
        is_resumable = entry is not None and (is_active or entry.is_resumable)
        holds = entry is not None and is_active and entry.state is not RunState.PAUSED and not entry.pausing
        kept = entry is not None and can_continue(entry)
        enabled = {
            "start": self._session.has_project,
            "pause": holds and entry is not None and entry.state is RunState.RUNNING,
            "prune": kept,
            "branch": kept,
            "duplicate": exists,
            "compare": bool(comparable),
            "stop": entry is not None and not entry.is_over,
            "rename": entry is not None and not entry.read_only and takes_notes(entry.folder),
            "delete": entry is not None and not entry.discarding and not entry.read_only,
            "show": exists and entry is not self._queue.shown,
            "folder": entry is not None and entry.folder.exists(),
            "export": bool(self._session.result.drops) or (kept and len(self.all_selected) == 1),
        }
        self._buttons["start"].setText(self._queue.start_text)
        self._buttons["start"].setAccessibleName(self._queue.start_text)
        for name, is_enabled in enabled.items():
            self._buttons[name].setEnabled(is_enabled)
        self._buttons["pause"].setVisible(holds or not is_resumable)
        self._buttons["resume"].setVisible(is_resumable and not holds)
        stopping = entry is not None and entry.state is RunState.STOPPING
        self._buttons["stop"].setToolTip(tooltip(_STOP_NOW if stopping else _STOP))
        why_not = self._why_not_compared(comparable)
        self._buttons["compare"].setToolTip(tooltip(f"{_COMPARE}. {why_not}" if why_not else _COMPARE))
        self.compare_hint.setText(why_not or _selected_text(len(comparable)))
        if not self.model.is_held:
            self._comparing.setVisible(len(self._queue.entries) > 1)
        self._activity.set_text(self._queue.activity)
        self._show_columns()
        self.caution.setText(self.model.caution)
        is_invented = self._session.has_project and self._session.project.scenario.synthetic
        set_role(self.caution, "muted" if is_invented else "warning")
        self.caution.setVisible(bool(self.model.caution))
        # Of several selected runs none is the one on the map: the notes then are on the run whose result is shown.
        several = len(self.all_selected) > 1 and self._queue.shown is not None
        self.notes.show_run(self._queue.shown if several else entry)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt to the width of the panel.

        A narrow panel has a card for each run, and some buttons move to a menu. In a wide one the list is a table; if
        there is little room for it, the times move from their columns onto the bars.
        """
        super().resizeEvent(event)
        self._show_cards(self.width() < _ROOM_FOR_TABLE)
        self._bar.with_time, narrow = self.width() < _ROOM_FOR_TIMES, self.width() < _ROOM_FOR_ALL_BUTTONS
        self._show_columns()
        self._buttons["more"].setVisible(narrow)
        for name in _COLLAPSIBLE:
            self._buttons[name].setVisible(not narrow)

    def _show_columns(self) -> None:
        """Show the columns for which there is room; that of values at risk only where a run has any."""
        for column in range(TITLE + 1, self.model.columnCount()):
            is_time = column in (ELAPSED, ETA) and self._bar.with_time
            is_detail = column in (VOLUME, HOURS, COST, NIGHT, REGIONS, VALUES) and self._bar.with_time
            is_unused = column == VALUES and not self.model.has_values
            self.table.setColumnHidden(column, self.has_cards or is_time or is_detail or is_unused)

    @property
    def has_cards(self) -> bool:
        """Whether each run is a card; else the list is a table."""
        return self.table.itemDelegateForColumn(TITLE) is self._cards

    def _show_cards(self, on: bool) -> None:
        if on == self.has_cards:
            return
        self.table.setItemDelegateForColumn(TITLE, self._cards if on else self._plain)
        self.table.horizontalHeader().setVisible(not on)
        if on:
            # The order is chosen above the cards; a sorted column could not be seen.
            self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._fit_rows()

    def _fit_rows(self, *_: object) -> None:
        """Give each row the height of its card, or of a line."""
        rows = self.table.verticalHeader()
        for place in range(self.model.rowCount()):
            height = rows.defaultSectionSize()
            if self.has_cards:
                height = self._cards.height(place, self.table, self.table.columnWidth(TITLE))
            if self.table.rowHeight(place) != height:
                self.table.setRowHeight(place, height)
        cards = sum(map(self.table.rowHeight, range(min(self.model.rowCount(), _MOST_ROWS))))
        least = _LEAST_LINES * self.table.fontMetrics().height()
        needed = max(cards + 2 * self.table.frameWidth(), least) if self.has_cards else least
        # A card that gets shorter, such as after a stress test, must not move the result below the list.
        shown = tuple(map(self.model.row, range(min(self.model.rowCount(), _MOST_ROWS)))), self.table.width()
        if shown == self._fitted:
            needed = max(needed, self.table.minimumHeight())
        self._fitted = shown
        self.table.setMinimumHeight(needed)
        if self.model.is_held:
            # What appears above the list would move it.
            return
        several = len(self._queue.entries) >= _WORTH_SEARCHING or bool(self.search.text())
        for part in (self.search, self.order, self.grouping):
            part.setVisible(several)

    def _make_search(self) -> tuple[QLineEdit, QComboBox, QComboBox]:
        line = text_line("runSearch", "Find a run", "Show only the runs with these words in name, state or notes")
        line.setClearButtonEnabled(True)
        order, grouping = choice_combo("Order of the runs", "runOrder"), choice_combo("Groups of runs", "runGroups")
        for each in RunOrder:
            order.addItem(each.value, each.value)
        for group in RunGrouping:
            grouping.addItem(group.value, group.value)
        order.setToolTip("Order of the runs; those without the value come last")
        grouping.setToolTip("What the runs are grouped by")
        line.textChanged.connect(self._arrange)
        for box in (order, grouping):
            box.currentIndexChanged.connect(self._arrange)
        return line, order, grouping

    def _arrange(self, *_: object) -> None:
        self.model.arrange(
            self.search.text(), RunOrder(self.order.currentData()), RunGrouping(self.grouping.currentData())
        )

    def rename(self) -> None:
        """Edit the name of the selected run in its row."""
        entry = self._target()
        if entry is None:
            self._session.message.emit("Select the run to rename.")
        elif (row := self.model.place_of(entry)) >= 0:
            index = self.model.index(row, TITLE)
            self.table.setCurrentIndex(index)
            self.table.edit(index)

    def _make_table(self) -> QTableView:
        table = RunsList()
        self._plain = table.itemDelegate()
        table.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        show_table(
            table, self.model, "Runs", row_height=table.fontMetrics().height() + 10, stretch=TITLE, has_menu=False
        )
        table.setItemDelegateForColumn(PROGRESS, self._bar)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = table.horizontalHeader()
        header.setMinimumSectionSize(40)
        for column, width in _WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            table.setColumnWidth(column, width)
        table.doubleClicked.connect(lambda _index: self.show_selected())
        add_shortcut(table, "Return", self.show_selected)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(lambda point: self._menu().popup(table.viewport().mapToGlobal(point)))
        return table

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for name in ("show", "pause", "resume", "stop", "compare", "rename", "duplicate", *_COLLAPSIBLE):
            button = self._buttons[name]
            if name in _COLLAPSIBLE or not button.isHidden():
                action = QAction(button.icon(), button.accessibleName(), menu)
                action.setToolTip(tooltip(button.toolTip()))
                action.setEnabled(button.isEnabled())
                action.triggered.connect(button.click)
                menu.addAction(action)
        menu.addSeparator()
        add_table_actions(menu, self.table)
        return menu

    def _show_more(self) -> None:
        button = self._buttons["more"]
        self._menu().popup(button.mapToGlobal(QPoint(0, button.height())))

    def _lay_out(self) -> None:
        tools, show = ButtonRow(), "Show this run's plan on the map (select it, or press Enter)"
        buttons: tuple[tuple[str, str, str, Callable[[], object]], ...] = (
            ("start", "Start plan", "Plan the project as it is now (F5)", self.start_requested.emit),
            ("pause", "Pause", "Pause before the next step or test", self.pause_or_resume),
            ("resume", "Resume", _RESUME, self.pause_or_resume),
            ("stop", "Stop, keep best", _STOP, self.stop),
            ("show", "Show", show, self.show_selected),
            ("rename", "Rename", "Give the run another name (F2)", self.rename),
            ("duplicate", "Duplicate with changes…", _DUPLICATE, self.duplicate),
            ("prune", "Remove drops not needed", _PRUNE, partial(self._request, self.prune_requested)),
            ("branch", "Continue from this plan", _START_FROM, partial(self._request, self.start_from_requested)),
            ("export", "Export…", _EXPORT, self.export_requested.emit),
            ("folder", "Open folder", "Open the run's folder", self.open_folder),
            ("delete", "Delete…", "Delete the run and its folder", self.discard),
            ("more", "More", "More actions for the selected run", self._show_more),
        )
        self._buttons: dict[str, QToolButton] = {
            name: tools.add(name, text, tip, pressed, show_text=name == "start") for name, text, tip, pressed in buttons
        }
        line = horizontal(None, tools, (self._activity, 1), margins=0)
        second = ButtonRow()
        compare = second.add("compare", "Compare", _COMPARE, self.compare, show_text=True)
        compare.setAutoRaise(False)
        self._buttons["compare"], self.compare_hint = compare, muted_label()
        self._comparing = row(second, self.compare_hint, stretch=self.compare_hint)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self.table)
        parts.addWidget(self.notes)
        parts.setStretchFactor(0, 4)
        parts.setStretchFactor(1, 1)
        parts.setSizes([160, 44])
        choice = horizontal(None, (self.order, 1), (self.grouping, 1), margins=0, spacing=4)
        vertical(
            self, line, self._comparing, self.search, choice, self.caution, (parts, 1), margins=(6, 2, 6, 4), spacing=2
        )
        # In a narrow panel the buttons move to a menu; those of a wide one must not set its least width.
        self.setMinimumWidth(_LEAST_WIDTH)


class RunNotes(QWidget):
    """Field for the notes on one run, saved a moment after typing.

    :meth:`shutdown` must be called before the program ends.
    """

    written = Signal(object)
    """The ``RunEntry`` whose notes were changed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._entry: RunEntry | None = None
        self._unsaved = False
        self._writer = LatestTask(self, settle_ms=_AFTER_MS)
        self._writer.returned.connect(self._on_saved)
        self._writer.raised.connect(lambda error: session.refuse(as_input_error(error, NOTES)))
        self.title = ElidedLabel(role="muted")
        self.field = QPlainTextEdit()
        self.field.setAccessibleName("Notes on the selected run")
        self.field.setToolTip(tooltip(f"Your notes on the selected run, kept as {NOTES} in its folder"))
        self.field.setTabChangesFocus(True)
        # At least one line: the list of runs needs the room more.
        self.field.setMinimumHeight(self.field.fontMetrics().height() + 12)
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.field.textChanged.connect(self._on_typed)
        vertical(self, self.title, (self.field, 1), margins=0, spacing=1)
        self.show_run(None)

    @property
    def entry(self) -> RunEntry | None:
        """The run that the notes are about."""
        return self._entry

    def show_run(self, entry: RunEntry | None) -> None:
        """Show the notes on another run. Unsaved notes on the previous one are saved first."""
        takes = entry is not None and not entry.read_only and takes_notes(entry.folder)
        if entry is not self._entry:
            self.flush()
            self._entry = entry
            self._read()
        if takes and not self.field.isEnabled():
            self._read()
        self.field.setEnabled(takes)
        self.field.setPlaceholderText(_hint(entry, takes))
        self.title.set_text("Notes" if entry is None else f"Notes on {entry.title}")

    def flush(self) -> None:
        """Save the edited text at once."""
        if self._unsaved and self._entry is not None:
            self._writer.shutdown()
            try:
                _write(self._entry.folder, self._entry.notes)
            except InputError as error:
                self._session.refuse(error)
            self._unsaved = False

    def shutdown(self) -> None:
        """Save the edited text and wait until it is written."""
        self.flush()
        self._writer.shutdown()

    def _read(self) -> None:
        text = ""
        if self._entry is not None and takes_notes(self._entry.folder):
            try:
                text = self._entry.notes = read_notes(self._entry.folder)
            except InputError as error:
                self._session.refuse(error)
        with QSignalBlocker(self.field):
            self.field.setPlainText(text)

    def _on_typed(self) -> None:
        entry = self._entry
        if entry is not None and self.field.isEnabled():
            entry.notes, self._unsaved = self.field.toPlainText(), True
            self._writer.request(_writing(entry.folder, entry.notes))
            self.written.emit(entry)

    def _on_saved(self, _nothing: object) -> None:
        self._unsaved = self._writer.is_busy


def _selected_text(count: int) -> str:
    return "The two selected runs" if count == 2 else f"The {count} selected runs, in a table"


def _hint(entry: RunEntry | None, takes: bool) -> str:
    if entry is None:
        return _NONE
    if entry.read_only:
        return _READ_ONLY
    return "Write a note" if takes else _NOT_YET


def _writing(folder: Path, text: str) -> Callable[[Callable[[], None]], object]:
    return lambda _check: _write(folder, text)


def _write(folder: Path, text: str) -> None:
    # The run and its notes may have been deleted since.
    if takes_notes(folder):
        write_notes(folder, text)
