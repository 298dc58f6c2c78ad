"""The plots under the map: how the shown run converges, and what its plan does to the fire."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QToolButton, QVBoxLayout, QWidget

from firegui.gui.jobs.entry import RunEntry
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.plots.area import AreaChart
from firegui.gui.plots.buttons import tool_button
from firegui.gui.plots.chart import Chart
from firegui.gui.plots.curves import ColumnChart, EpochChart, ObjectiveChart, Options, TermsChart
from firegui.gui.plots.elided import ElidedLabel
from firegui.gui.session import Session

REPAINT_MS = 50


class LivePlots(QWidget):
    """Follows the run that the queue shows. However fast epochs come, it repaints at most every 50 ms."""

    def __init__(self, session: Session, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        self._options = Options()
        self._row: int | None = None
        self.repaints = 0
        self._throttle = QTimer(self)
        self._throttle.setSingleShot(True)
        self._throttle.setInterval(REPAINT_MS)
        self._throttle.timeout.connect(self.refresh)
        self.objective = ObjectiveChart()
        self.terms = TermsChart()
        self.drops = ColumnChart("Executed drops", "drops", "retardant")
        self.gradient = ColumnChart("Gradient norm", "grad_norm", "water")
        self.area = AreaChart(session)
        self._lay_out()
        self._listen()
        self.refresh()

    @property
    def epoch_charts(self) -> tuple[EpochChart, ...]:
        """The charts over epochs."""
        return self.objective, self.terms, self.drops, self.gradient

    @property
    def options(self) -> Options:
        """How the curves are drawn."""
        return self._options

    # -- drawing -----------------------------------------------------------------------------------------------------
    def refresh(self) -> None:
        """Draw everything as it is now."""
        self.repaints += 1
        entry = self._queue.shown
        for chart in self.epoch_charts:
            if entry is None:
                chart.clear()
            else:
                chart.draw(entry, self._options)
        self.area.refresh()
        self._write_titles()

    def set_options(self, options: Options) -> None:
        """Draw the curves another way."""
        self._options = options
        for chart in self.epoch_charts:
            chart.set_log(options.log)
            chart.set_x_label("rollout equivalents" if options.rollouts else "epoch")
            chart.fit()
        self._actions["rollouts"].setChecked(options.rollouts)
        self._actions["log"].setChecked(options.log)
        self._actions["weighted"].setChecked(options.weighted)
        self.refresh()
        self._show_fit()

    def fit(self) -> None:
        """Let every chart follow its data again."""
        for chart in self._charts:
            chart.fit()
        self._show_fit()

    def _write_titles(self) -> None:
        entry = self._queue.shown
        self._caption.set_text(self._caption_text(entry))
        row = self._row if entry is not None and self._row is not None and self._row < len(entry.history) else None
        for chart in self.epoch_charts:
            if entry is not None:
                name, pieces = chart.read_out(entry, self._options, row)
                chart.set_title(name, *pieces)
            chart.set_cursor(None if entry is None or row is None else self._x_of(entry, row))

    def _caption_text(self, entry: RunEntry | None) -> str:
        if entry is None:
            return "No run is shown: start one, or double-click one in the list of runs"
        stale = " · inputs were edited since" if entry.stale else ""
        return f"{entry.title} · {entry.status}{stale}"

    def _x_of(self, entry: RunEntry, row: int) -> float:
        value = float(entry.history.column(self._options.x_column)[row])
        return value if self._options.rollouts else value + 1

    # -- events ------------------------------------------------------------------------------------------------------
    def _listen(self) -> None:
        self._queue.epochs_added.connect(self._on_epochs)
        self._queue.changed.connect(self._schedule)
        self._queue.shown_changed.connect(self._on_shown)
        self._session.result_changed.connect(self._schedule)
        for chart in self.epoch_charts:
            chart.hovered.connect(self._on_hovered)
        for each in self._charts:
            each.zoomed.connect(self._show_fit)

    def _schedule(self) -> None:
        if not self._throttle.isActive():
            self._throttle.start()

    def _on_epochs(self, entry: RunEntry) -> None:
        if entry is self._queue.shown:
            self._schedule()

    def _on_shown(self) -> None:
        self._row = None
        self.fit()
        self._schedule()

    def _on_hovered(self, x: float | None) -> None:
        entry = self._queue.shown
        self._row = None
        if x is not None and entry is not None and len(entry.history):
            column = entry.history.column(self._options.x_column)
            value = x if self._options.rollouts else x - 1
            self._row = int(np.argmin(np.abs(column - value)))
        self._write_titles()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self._charts: tuple[Chart, ...] = (*self.epoch_charts, self.area)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(6)
        shares = (5, 5, 3, 3, 5)
        for chart, share in zip(self._charts, shares, strict=True):
            self._splitter.addWidget(chart)
            self._splitter.setStretchFactor(self._splitter.count() - 1, share)
        self._splitter.setSizes([100 * share for share in shares])
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 4)
        column.setSpacing(2)
        column.addLayout(self._header())
        column.addWidget(self._splitter, 1)

    def _header(self) -> QHBoxLayout:
        self._caption = ElidedLabel(role="muted")
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self._caption, 1)
        self._actions: dict[str, QToolButton] = {}
        for name, text, tip in (
            (
                "rollouts",
                "Rollouts",
                "Count rollout equivalents instead of epochs; a gradient epoch is charged as three",
            ),
            ("log", "Log", "Logarithmic vertical axes"),
            ("weighted", "Weighted", "Loss terms times their weights, as they count in the objective; else raw"),
        ):
            self._actions[name] = self._toggle(name, text, tip)
            row.addWidget(self._actions[name])
        self.fit_button = tool_button("Fit", "Show all the data and follow it again (double-click a chart)")
        self.fit_button.clicked.connect(lambda _checked=False: self.fit())
        self.fit_button.setEnabled(False)
        row.addWidget(self.fit_button)
        row.addWidget(self._charts_button())
        return row

    def _toggle(self, name: str, text: str, tip: str) -> QToolButton:
        button = tool_button(text, tip, checkable=True)
        button.setChecked(bool(getattr(self._options, name)))
        button.clicked.connect(lambda _checked=False: self._take_options())
        return button

    def _take_options(self) -> None:
        self.set_options(Options(**{name: button.isChecked() for name, button in self._actions.items()}))

    def _charts_button(self) -> QToolButton:
        menu = QMenu(self)
        names = ("Objective", "Loss terms", "Executed drops", "Gradient norm", "Fire area")
        for name, chart in zip(names, self._charts, strict=True):
            action = QAction(name, menu, checkable=True, checked=True)
            action.toggled.connect(chart.setVisible)
            menu.addAction(action)
        button = tool_button("Charts", "Which charts are shown")
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _show_fit(self) -> None:
        self.fit_button.setEnabled(not all(chart.is_fitted for chart in self._charts))
