"""Progress panel: charts of each stage of the shown run, removal curve, result, and fire area."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QLabel,
    QLayout,
    QMenu,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QWidget,
)  # fmt: skip

from firegui.domain.project import same_inputs
from firegui.gui.base.controls import tool_button
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.flow_layout import FlowLayout
from firegui.gui.base.layouts import horizontal, muted_label, vertical
from firegui.gui.base.tasks import IncrementalTask
from firegui.gui.charts.chart import REPAINT_MS, Chart
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.empty_charts import why_no_first_stage, why_no_second_stage
from firegui.gui.planning.removal_plan import show_point, use_point
from firegui.gui.planning.removal_view import RemovalView
from firegui.gui.planning.result_view import ResultView, no_run_text
from firegui.gui.planning.run_charts import (
    AreaChart,
    ChartOptions,
    ColumnChart,
    DropsChart,
    DropsLeftChart,
    EliminationChart,
    EpochChart,
    LoopChart,
    ObjectiveChart,
    RemovedChart,
    RunChart,
    SlackChart,
    TermsChart,
)
from firegui.gui.session.session import Session
from firegui.runs.stages import FinishReason

FIRST, SECOND, CURVE, RESULT = range(4)
"""Indices of the pages."""
_NOTE_PAGE = 4
"""Index of the page with a note, which is shown in place of a page without data and gives the reason."""

_PAGES = (
    ("Place drops", "How the search for a plan converges"),
    ("Remove drops", "How the drops that the plan does not need are removed"),
    ("Removal curve", "Hectares against drops while drops are removed; any point can become the plan"),
    ("Result", "The plan in numbers, before and after drops are removed"),
)


class ProgressPanel(QWidget):
    """Charts of the run that the queue shows, repainted at most five times a second."""

    def __init__(self, session: Session, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        self._options = ChartOptions()
        self._hovered_row: int | None = None
        self._stage_page = _page_of(queue.shown)
        self._throttle = QTimer(self)
        self._throttle.setSingleShot(True)
        self._throttle.setInterval(REPAINT_MS)
        self._throttle.timeout.connect(self._start_drawing)
        self._drawing_task: IncrementalTask | None = None
        self._hidden: set[QWidget] = set()
        self.objective = ObjectiveChart()
        self.terms = TermsChart()
        self.drops = DropsChart()
        self.gradient = ColumnChart("Gradient", "grad_norm", "water")
        self.elapsed = ColumnChart("Elapsed, s", "seconds", "warning")
        self.left, self.slack, self.removed = DropsLeftChart(), SlackChart(), RemovedChart()
        self.result, self.loop = ResultView(), LoopChart()
        self.removal, self.note = RemovalView(), _note()
        self.area = AreaChart(session)
        self._page, self._pages = FIRST, QStackedWidget()
        self._page_buttons = QButtonGroup(self)
        self._lay_out()
        self._connect()
        self.refresh()

    @property
    def epoch_charts(self) -> tuple[EpochChart, ...]:
        """The charts over epochs."""
        return self.objective, self.terms, self.drops, self.gradient, self.elapsed

    @property
    def elimination_charts(self) -> tuple[EliminationChart, ...]:
        """The charts over the rollouts of the second stage."""
        return self.left, self.slack, self.removed

    @property
    def _run_charts(self) -> tuple[RunChart, ...]:
        return *self.epoch_charts, *self.elimination_charts

    @property
    def page(self) -> int:
        """The chosen page: ``FIRST``, ``SECOND``, ``CURVE`` or ``RESULT``."""
        return self._page

    @property
    def options(self) -> ChartOptions:
        """The options of the curves."""
        return self._options

    # -- drawing -----------------------------------------------------------------------------------------------------
    def refresh(self) -> None:
        """Draw the current state of all charts."""
        self._stop_drawing()
        for _part in self._draw_parts(self._parts):
            pass

    def _start_drawing(self) -> None:
        """Draw one chart per turn of the event loop, because all charts at once would block the window.

        Hidden charts are drawn when they are shown.
        """
        self._hidden = {part for part in self._parts if not part.isVisible()}
        if not self.isVisible():
            return
        if self._drawing_task is not None:
            # A restart before the end would never draw the last charts.
            self._throttle.start()
            return
        seen = tuple(part for part in self._parts if part not in self._hidden)
        self._drawing_task = IncrementalTask(self._draw_parts(seen), self)
        self._drawing_task.done.connect(self._stop_drawing)
        self._drawing_task.begin()

    def _stop_drawing(self) -> None:
        if self._drawing_task is not None:
            self._drawing_task.stop()
            self._drawing_task.deleteLater()
            self._drawing_task = None

    def _draw_parts(self, parts: Sequence[QWidget]) -> Iterator[None]:
        """Draw the parts one after the other, with a yield after each part."""
        for part in parts:
            self._draw(part, self._queue.shown)
            self._hidden.discard(part)
            yield
        self._show_page()
        self._write_titles()

    @property
    def _parts(self) -> tuple[QWidget, ...]:
        return *self._run_charts, self.removal, self.result, self.loop, self.area

    def _draw(self, part: QWidget, entry: RunEntry | None) -> None:
        if isinstance(part, RunChart):
            if part is self.objective:
                self.objective.set_tactical(self._tactical_of(entry))
            part.show_run(entry, self._options)
            part.update_axes()
        elif part is self.removal:
            if entry is not None:
                entry.complete_curve()
            self.removal.show_run(entry, self._session.units)
        elif part is self.result:
            self.result.show_run(entry, self._session.units, no_run_text(self._session.result))
        elif part is self.loop:
            self.loop.show_run(entry, self._session.units)
        else:
            self.area.refresh()

    def _draw_shown(self) -> None:
        """Draw the charts that were hidden at the last drawing and are visible now."""
        shown = [part for part in self._parts if part in self._hidden and part.isVisible()]
        if shown:
            for _part in self._draw_parts(shown):
                pass

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the charts that were not drawn while the panel was hidden."""
        super().showEvent(event)
        if self._hidden:
            self._start_drawing()

    def show_page(self, page: int) -> None:
        """Show another page."""
        self._hovered_row, self._page = None, page
        self._page_buttons.buttons()[page].setChecked(True)
        self._show_page()
        self._draw_shown()
        self._write_titles()
        self._show_fit()

    def set_options(self, options: ChartOptions) -> None:
        """Set the options of the curves."""
        self._options = options
        for chart in self.epoch_charts:
            chart.set_log(options.log)
            chart.set_x_label(options.x_label)
            chart.set_whole("bottom", options.x_column != "seconds")
            chart.fit()
        self._actions["rollouts"].setChecked(options.rollouts)
        self._actions["time"].setChecked(options.time and not options.rollouts)
        self._actions["log"].setChecked(options.log)
        self._actions["weighted"].setChecked(options.weighted)
        self.refresh()
        self._show_fit()

    def fit(self) -> None:
        """Fit every chart to its data."""
        for chart in self._charts:
            chart.fit()
        self._show_fit()

    def _tactical_of(self, entry: RunEntry | None) -> float | None:
        """Return the objective of the latest completed tactical run with the inputs of ``entry``."""
        if entry is None or entry.project is None:
            return None
        for other in reversed(self._queue.entries):
            ended = other.tactical and other.reason is FinishReason.COMPLETED
            if ended and other.project is not None and same_inputs(other.project, entry.project):
                return other.best
        return None

    def _show_page(self) -> None:
        entry = self._queue.shown
        why = {FIRST: why_no_first_stage, SECOND: why_no_second_stage}.get(self._page)
        if entry is not None:
            note = "" if why is None else why(entry)
        else:
            # The page of the result shows this note itself.
            note = "" if self._page == RESULT else no_run_text(self._session.result)
        self.note.setText(note)
        page = _NOTE_PAGE if note else self._page
        self._pages.setCurrentIndex(page)
        for button in self._actions.values():
            button.setVisible(page == FIRST)

    def _write_titles(self) -> None:
        entry = self._queue.shown
        self._caption.set_text("" if entry is None else " · ".join((entry.title, entry.status, *entry.changes)))
        rows = 0 if entry is None else len(entry.removals if self.page == SECOND else entry.history)
        row = self._hovered_row if self._hovered_row is not None and self._hovered_row < rows else None
        for page, charts in ((FIRST, self.epoch_charts), (SECOND, self.elimination_charts)):
            for chart in charts:
                chart.show_row(entry, self._options, row if page == self.page else None)

    # -- events ------------------------------------------------------------------------------------------------------
    def _connect(self) -> None:
        self._queue.epochs_added.connect(self._on_epochs)
        self._queue.changed.connect(self._schedule)
        self._queue.shown_changed.connect(self._on_shown)
        self._session.result_changed.connect(self._schedule)
        self._session.units_changed.connect(self._schedule)
        for chart in self._run_charts:
            chart.hovered.connect(self._on_hovered)
        for each in self._charts:
            each.zoomed.connect(self._show_fit)
        self._page_buttons.idClicked.connect(self.show_page)
        self.removal.show_requested.connect(lambda entry, index: show_point(self._session, self._queue, entry, index))
        self.removal.use_requested.connect(lambda entry, index: use_point(self._session, self._queue, entry, index))

    def _schedule(self) -> None:
        if not self._throttle.isActive() and not self.freeze_button.isChecked():
            self._throttle.start()

    def _on_frozen(self, frozen: bool) -> None:
        if frozen:
            self._throttle.stop()
        # Finish the current drawing, also of hidden charts, so that all show one epoch.
        self.refresh()

    def _on_epochs(self, entry: RunEntry) -> None:
        if entry is not self._queue.shown:
            return
        if _page_of(entry) != self._stage_page:
            # Show the page of the next stage, unless the user looks at the removal curve or the result.
            self._stage_page = _page_of(entry)
            self.show_page(self.page if self.page in (CURVE, RESULT) else self._stage_page)
        self._schedule()

    def _on_shown(self) -> None:
        self._stop_drawing()
        for chart in self._run_charts:
            # Charts are drawn one after the other, and not at all while they are held. Until then they must not show
            # the curves of another run.
            chart.show_run(None, self._options)
        self._stage_page = _page_of(self._queue.shown)
        self.show_page(self._stage_page)
        self.fit()
        if self.freeze_button.isChecked():
            self.refresh()
        self._schedule()

    def _on_hovered(self, x: float | None) -> None:
        chart = self.elimination_charts[0] if self.page == SECOND else self.epoch_charts[0]
        self._hovered_row = chart.row_at(self._queue.shown, self._options, x)
        self._write_titles()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self._charts: tuple[Chart, ...] = (*self.epoch_charts, *self.elimination_charts, self.area)
        # Pages get their parent before their charts, so that Qt applies the style sheet only once.
        body, first, second, result = (_splitter() for _ in range(4))
        vertical(self, self._header(), (body, 1), margins=(6, 2, 6, 4), spacing=2)
        _fill(body, (self._pages, self.area), (16, 5))
        for page in (first, second, self.removal, result, self.note):
            self._pages.addWidget(page)
        _fill(first, self.epoch_charts, (5, 5, 3, 3, 3))
        _fill(second, self.elimination_charts, (6, 5, 5))
        _fill(result, (self.result, self.loop), (3, 2))
        self.show_page(self._stage_page)

    def _header(self) -> QLayout:
        self._caption = ElidedLabel(role="muted")
        pages, settings = QWidget(), QWidget()
        page_row, row = FlowLayout(pages), FlowLayout(settings)
        for number, (text, tip) in enumerate(_PAGES):
            button = tool_button(text, tip, checkable=True)
            self._page_buttons.addButton(button, number)
            page_row.addWidget(button)
        self._actions: dict[str, QToolButton] = {}
        for name, text, tip in (
            (
                "rollouts",
                "Fire simulations",
                "Count fire simulations instead of search steps; a step counts as three",
            ),
            ("time", "Time", "Count seconds of work instead of search steps"),
            ("log", "Log scale", "Logarithmic vertical axes"),
            ("weighted", "Weighted", "Loss terms times their weights λ, as they count in the objective; else raw"),
        ):
            self._actions[name] = self._toggle(name, text, tip)
            row.addWidget(self._actions[name])
        self.freeze_button = tool_button("Hold charts", "Hold the charts while the run continues", checkable=True)
        self.freeze_button.toggled.connect(self._on_frozen)
        row.addWidget(self.freeze_button)
        self.fit_button = tool_button("Follow", "Show all the data and follow it again (double-click a chart)")
        self.fit_button.clicked.connect(lambda _checked=False: self.fit())
        self.fit_button.setEnabled(False)
        row.addWidget(self.fit_button)
        row.addWidget(self._charts_button())
        return horizontal(None, pages, (self._caption, 1), settings, spacing=8)

    def _toggle(self, name: str, text: str, tip: str) -> QToolButton:
        button = tool_button(text, tip, checkable=True)
        button.setChecked(bool(getattr(self._options, name)))
        button.clicked.connect(lambda _checked=False: self._take_options())
        return button

    def _take_options(self) -> None:
        # Only one of rollouts and seconds can replace epochs: the button that was pressed last.
        before = self._options
        if self._actions["time"].isChecked() and not before.time:
            self._actions["rollouts"].setChecked(False)
        elif self._actions["rollouts"].isChecked() and not before.rollouts:
            self._actions["time"].setChecked(False)
        self.set_options(ChartOptions(**{name: button.isChecked() for name, button in self._actions.items()}))

    def _charts_button(self) -> QToolButton:
        menu = QMenu(self)
        names = (
            "Objective", "Loss terms", "Drops", "Gradient norm", "Elapsed", "Drops left", "Loss ÷ its limit",
            "Removed this round", "Fire area",
        )  # fmt: skip
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


def _note() -> QLabel:
    """Return the label that says why charts are empty."""
    label = muted_label()
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setMargin(24)
    return label


def _page_of(entry: RunEntry | None) -> int:
    """Return the page of the current stage of a run, or the result of a run without stages."""
    if entry is not None and (entry.tactical or (entry.is_over and entry.flew_loop)):
        return RESULT
    return SECOND if entry is not None and entry.prunes else FIRST


def _splitter() -> QSplitter:
    splitter = QSplitter(Qt.Orientation.Horizontal)
    splitter.setHandleWidth(6)
    return splitter


def _fill(splitter: QSplitter, widgets: Sequence[QWidget], shares: Sequence[int]) -> None:
    """Add ``widgets`` to ``splitter`` side by side. ``shares`` are proportional to their widths."""
    for widget, share in zip(widgets, shares, strict=True):
        splitter.addWidget(widget)
        splitter.setStretchFactor(splitter.count() - 1, share)
    splitter.setSizes([100 * share for share in shares])
