"""Result of the shown run, below the list of runs."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from firegui.gui.base.layouts import vertical
from firegui.gui.charts.chart import REPAINT_MS
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.result_view import ResultView, map_note, no_run_text
from firegui.gui.session.session import Session


class ResultPanel(QWidget):
    """Result of the run that the queue shows, written at most five times a second.

    While the map shows a fire of an analysis, it is that of the run before.
    """

    start_from_requested = Signal(object)
    """Run the open project from the plan of this ``RunEntry``."""
    leaks_requested = Signal()
    """Show where fire gets through the shown plan."""

    test_requested = Signal(object)
    """Test the plan of this ``RunEntry`` in the stress scenarios that it is not tested in."""

    def __init__(self, session: Session, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        # The column of the side panel scrolls; a second bar within it hides the result.
        self.view = ResultView(is_whole=True, has_steps=True)
        self.view.continue_button.clicked.connect(lambda _checked=False: self._start_from())
        self.view.leaks_button.clicked.connect(self.leaks_requested)
        self.view.test_button.clicked.connect(lambda _checked=False: self._test())
        vertical(self, self.view, margins=0)
        self._throttle = QTimer(self, singleShot=True, interval=REPAINT_MS)
        self._throttle.timeout.connect(self.refresh)
        queue.changed.connect(self._schedule)
        session.units_changed.connect(self.refresh)
        queue.shown_changed.connect(self._schedule)
        session.result_changed.connect(self._schedule)
        self.refresh()

    def refresh(self) -> None:
        """Show the result of the shown run, and whether the map has its drops."""
        entry, result = self._entry, self._session.result
        misfit = "" if entry is None or not entry.misfit else f"⚠ {entry.misfit}."
        note = "" if entry is None else " ".join(filter(None, (misfit, map_note(result))))
        self.view.show_run(entry, self._session.units, no_run_text(result), note=note)

    @property
    def _entry(self) -> RunEntry | None:
        return self._queue.shown if self._session.result.against else self._queue.shown_or_before

    def _start_from(self) -> None:
        if self._entry is not None:
            self.start_from_requested.emit(self._entry)

    def _test(self) -> None:
        if self._entry is not None:
            self.test_requested.emit(self._entry)

    def _schedule(self) -> None:
        if not self._throttle.isActive():
            self._throttle.start()
