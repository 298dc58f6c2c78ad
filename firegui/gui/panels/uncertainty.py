"""The uncertainty dock: how sure a plan is, from fires without and with it under the same random numbers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, QSignalBlocker, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QScrollArea,
    QSplitter,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.domain.uncertainty import KIND_TITLES
from firegui.errors import InputError, Problem
from firegui.gui.forms.buttons import ButtonRow
from firegui.gui.forms.plan_choices import narrow_combo
from firegui.gui.forms.tables import dress_table
from firegui.gui.forms.uncertainty import UncertaintyForm
from firegui.gui.jobs.ensembles import Earlier, lacks, member_spec
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.jobs.uncertainty import UncertaintyDesk
from firegui.gui.models.sensitivity import table_text
from firegui.gui.models.uncertainty import SORT_ROLE, ColumnsModel, MembersModel, SummaryModel
from firegui.gui.plots.elided import ElidedLabel
from firegui.gui.plots.uncertainty import BenefitChart, ConvergenceChart, FanChart, VariogramChart
from firegui.gui.plots.uncertainty_text import NOTHING, error_words, head_text
from firegui.gui.reporting import refusing
from firegui.gui.session import Session
from firegui.io.atomic import write_text
from firegui.runs.uq_summary import ensemble_csv, summarised, summary_csv

_CONTROLS = 290
_ERROR_PAGE = 5


class UncertaintyPanel(QWidget):
    """See the module."""

    start_requested = Signal()
    """A person wants an ensemble; the project must be saved first."""
    enlarge_requested = Signal()
    """A person wants more room for it."""

    def __init__(self, session: Session, queue: RunQueue, desk: UncertaintyDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue, self._desk = session, queue, desk
        self._earlier: tuple[Earlier, ...] = ()
        self._problems: tuple[Problem, ...] = ()
        self.form = UncertaintyForm(queue)
        self.summary, self.members = SummaryModel(self), MembersModel(self)
        self.summary_view, self.members_view = QTableView(), QTableView()
        self.sorted_members = QSortFilterProxyModel(self)
        self.fan, self.benefit = FanChart(), BenefitChart()
        self.convergence, self.variogram = ConvergenceChart(), VariogramChart()
        self.quantity, self.unit = QComboBox(), QComboBox()
        self.threads, self.quantiles = QCheckBox("Members"), QCheckBox("5–95 %")
        self.earlier = narrow_combo("Earlier ensembles", "earlier")
        self.bar, self.notes, self.error_text = QProgressBar(), QLabel(wordWrap=True), QLabel(wordWrap=True)
        self.means, self.head = QLabel(wordWrap=True), ElidedLabel(role="muted")
        self._activity = ElidedLabel(role="muted")
        self._buttons: dict[str, QToolButton] = {}
        self._sorted_with: tuple[str, ...] = ()
        self._lay_out()
        self._connect()
        self._on_settings()
        self._offer_earlier()
        self._show()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """``start``, ``stop``, ``resume``, ``fit``, ``show``, ``copy`` or ``export``; else ``KeyError``."""
        return self._buttons[name]

    def start(self) -> None:
        """Draw the ensemble that the form asks for; the project must be kept somewhere."""
        if self._session.folder is not None and not self._desk.is_busy:
            self._desk.start(self.form.wish())

    def play(self, member: int) -> None:
        """Work out both fires of a member for the map; one that cannot be is refused."""
        shown = self._desk.shown
        if shown is None or shown.header is None:
            return
        try:
            spec = member_spec(shown.header, member, self._session.project, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        kind = KIND_TITLES[shown.header.settings.kind].lower()
        self._queue.show_member(f"Member {member} ({kind})", spec)

    def copy(self) -> None:
        """Put the table in front, of members or the summary, on the clipboard, tabs between its columns."""
        view, model = self._front()
        shown = view.model()
        count = range(shown.columnCount())
        rows = [[str(shown.index(row, column).data()) for column in count] for row in range(shown.rowCount())]
        QGuiApplication.clipboard().setText(table_text(model.titles, rows))
        self._session.message.emit("The table is on the clipboard.")

    def save(self, path: Path) -> None:
        """Write the table in front to ``path`` as CSV, with every digit."""
        shown = self._desk.shown
        if shown is None or shown.ensemble is None:
            return
        path = path if path.suffix else path.with_suffix(".csv")
        if self._front()[1] is self.members:
            text = ensemble_csv(shown.ensemble, regions=shown.regions)
        else:
            text = summary_csv(summarised(shown.ensemble, regions=shown.regions))
        with refusing(self._session, str(path)):
            write_text(path, text)
            self._session.message.emit(f"Wrote {path}")

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.pages = QTabWidget(documentMode=True)
        pages = (
            ("Fan", self.fan), ("Benefit", self.benefit), ("Table", self._summary_page()),
            ("Members", self._members_page()), ("Convergence", self.convergence), ("Model error", self._error_page()),
        )  # fmt: skip
        for title, page in pages:
            self.pages.addTab(page, title)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for part in (self._choices(), self.pages, self.head):
            column.addWidget(part, 1 if part is self.pages else 0)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self._controls())
        parts.addWidget(right)
        parts.setStretchFactor(1, 1)
        parts.setSizes([_CONTROLS, 2 * _CONTROLS])
        parts.setCollapsible(1, False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(6, 2, 6, 4)
        whole.addWidget(parts)

    def _controls(self) -> QWidget:
        row, large = ButtonRow(), "Show this dock in a window of its own, or put it back"
        resume = "Draw the rest of the ensemble that is chosen, or more members of it; those that are done are kept"
        self._buttons |= {
            "start": row.add("start", "Draw", "Draw the ensemble; the project is saved first",
                             self.start_requested.emit, show_text=True),
            "stop": row.add("stop", "Stop", "Stop; members that are done are kept", self._desk.stop),
            "resume": row.add("resume", "Go on", resume, self._go_on),
            "fit": row.add("fit", "Enlarge", large, self.enlarge_requested.emit),
        }  # fmt: skip
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName("Share of the members that are done")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        for part in (row, self._activity, self.bar, self.means, self.notes, self.form):
            column.addWidget(part)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        area.setMinimumWidth(_CONTROLS)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _choices(self) -> QWidget:
        """What the pages show, and of which ensemble."""
        self.quantity.addItems(["Final extent", "Protected regions"])
        self.unit.addItems(["ha", "cells"])
        for box, tip in ((self.quantity, "What is shown of the fire"), (self.unit, "Unit of the pictures")):
            box.setToolTip(tip)
            box.setAccessibleName(tip)
        self.threads.setToolTip("Draw every member as a thin line")
        self.quantiles.setToolTip("Draw the 5 and the 95 % quantile, dashed")
        self.threads.setChecked(True)
        self.quantiles.setChecked(True)
        self.earlier.setToolTip("Ensembles of this project that were drawn before")
        row = ButtonRow()
        self._buttons |= {
            "show": row.add("show", "Play", "Play the chosen member on the map (double-click)", self._play_chosen),
            "copy": row.add("copy", "Copy", "Copy the table for a spreadsheet (Ctrl+C in it)", self.copy),
            "export": row.add("export", "CSV…", "Write the table as CSV with every digit", self._ask_file),
        }  # fmt: skip
        whole = QWidget()
        line = QHBoxLayout(whole)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.earlier, 1)
        shown: tuple[QWidget, ...] = (self.quantity, self.unit, self.threads, self.quantiles, row)
        for part in shown:
            line.addWidget(part)
        return whole

    def _summary_page(self) -> QWidget:
        self.summary_view.setModel(self.summary)
        self._dress(self.summary_view, "Summary of the ensemble")
        return self.summary_view

    def _members_page(self) -> QWidget:
        self.sorted_members.setSourceModel(self.members)
        self.sorted_members.setSortRole(SORT_ROLE)
        self.members_view.setModel(self.sorted_members)
        self._dress(self.members_view, "Members of the ensemble")
        self.members_view.setSortingEnabled(True)
        self.members_view.activated.connect(self._on_activated)
        return self.members_view

    def _dress(self, view: QTableView, name: str) -> None:
        dress_table(view, name, view.fontMetrics().height() + 8)
        view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        view.verticalHeader().hide()
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy)

    def _error_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.error_text)
        column.addWidget(self.variogram, 1)
        return page

    def _connect(self) -> None:
        session, desk = self._session, self._desk
        session.project_opened.connect(self._on_settings)
        session.project_opened.connect(self._offer_earlier)
        session.project_edited.connect(self._on_settings)
        desk.changed.connect(self._refresh)
        desk.result_changed.connect(self._show)
        desk.earlier_changed.connect(self._offer_earlier)
        self.form.changed.connect(self._on_settings)
        for box in (self.quantity, self.unit):
            box.currentIndexChanged.connect(self._draw)
        for check in (self.threads, self.quantiles):
            check.toggled.connect(self._draw)
        self.pages.currentChanged.connect(self._refresh)
        self.earlier.activated.connect(self._open_earlier)
        selection = self.members_view.selectionModel()
        selection.selectionChanged.connect(lambda _now, _before: self._refresh())

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_settings(self) -> None:
        there = self._session.has_project
        self._problems = tuple(lacks(self._session.project, self.form.settings())) if there else ()
        self._refresh()

    def _offer_earlier(self) -> None:
        self._earlier = self._desk.earlier
        with QSignalBlocker(self.earlier):
            self.earlier.clear()
            self.earlier.addItem("Earlier ensembles…" if self._earlier else "No earlier ensemble")
            for each in self._earlier:
                self.earlier.addItem(each.title(self._desk.today))
            self.earlier.setCurrentIndex(self._shown_row())
        self.earlier.setEnabled(bool(self._earlier))
        self._refresh()

    def _shown_row(self) -> int:
        """The entry of the ensemble that is shown, 0 for none."""
        folders, shown = [each.folder for each in self._earlier], self._desk.shown
        return folders.index(shown.folder) + 1 if shown is not None and shown.folder in folders else 0

    def _open_earlier(self, index: int) -> None:
        if not 0 < index <= len(self._earlier):
            return
        each = self._earlier[index - 1]
        if not self._desk.is_busy:
            self.form.set_settings(each.header.settings)
        if each.has_members:
            self._desk.open(each.folder)
        self._refresh()

    def _chosen(self) -> Earlier | None:
        index = self.earlier.currentIndex()
        return self._earlier[index - 1] if 0 < index <= len(self._earlier) else None

    def _go_on(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._desk.go_on(chosen, self.form.members.value())

    def _on_activated(self, index: QModelIndex) -> None:
        self.play(self.members.member(self.sorted_members.mapToSource(index).row()))

    def _play_chosen(self) -> None:
        rows = self.members_view.selectionModel().selectedRows()
        if rows:
            self._on_activated(rows[0])

    def _ask_file(self) -> None:
        name = "ensemble.csv" if self._front()[1] is self.members else "summary.csv"
        start = (self._session.folder.parent if self._session.folder is not None else Path.home()) / name
        chosen, _filter = QFileDialog.getSaveFileName(self.window(), "Export the table", str(start), "Table (*.csv)")
        if chosen:
            self.save(Path(chosen))

    def _front(self) -> tuple[QTableView, ColumnsModel]:
        """The table that is copied and exported: the members where they are in front, else the summary."""
        if self.pages.currentWidget() is self.members_view:
            return self.members_view, self.members
        return self.summary_view, self.summary

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        shown = self._desk.shown
        ensemble = None if shown is None else shown.ensemble
        regions = shown is not None and shown.regions
        self.summary.show(None if ensemble is None or not ensemble.members else summarised(ensemble, regions=regions))
        chosen = self._chosen_member()
        self.members.show(ensemble, regions=regions)
        self._sort_members(chosen)
        error = None if shown is None else shown.error
        self.pages.setTabVisible(_ERROR_PAGE, error is not None)
        self.variogram.show_error(error, None if shown is None else shown.variogram)
        self.error_text.setText(error_words(shown))
        self.quantity.setEnabled(regions)
        if not regions:
            with QSignalBlocker(self.quantity):
                self.quantity.setCurrentIndex(0)
        self.head.set_text(NOTHING if shown is None else head_text(shown))
        with QSignalBlocker(self.earlier):
            self.earlier.setCurrentIndex(self._shown_row())
        self._draw()
        self._refresh()

    def _chosen_member(self) -> int | None:
        rows = self.members_view.selectionModel().selectedRows()
        return self.members.member(self.sorted_members.mapToSource(rows[0]).row()) if rows else None

    def _sort_members(self, chosen: int | None) -> None:
        """Where the plan does least first, until a person sorts otherwise; the chosen member stays chosen."""
        titles = self.members.titles
        if titles and titles != self._sorted_with:
            self._sorted_with = titles
            saved = "saved" in titles[1]
            order = Qt.SortOrder.AscendingOrder if saved else Qt.SortOrder.DescendingOrder
            self.members_view.sortByColumn(1, order)
        if chosen is not None and chosen < self.members.rowCount():
            self.members_view.selectRow(self.sorted_members.mapFromSource(self.members.index(chosen, 0)).row())

    def _draw(self) -> None:
        ensemble = None if self._desk.shown is None else self._desk.shown.ensemble
        protected, hectares = self.quantity.currentIndex() == 1, self.unit.currentText() == "ha"
        self.fan.show_ensemble(
            ensemble, protected=protected, hectares=hectares, members=self.threads.isChecked(),
            quantiles=self.quantiles.isChecked(),
        )  # fmt: skip
        self.benefit.show_ensemble(ensemble, protected=protected, hectares=hectares)
        self.convergence.show_ensemble(ensemble, protected=protected, hectares=hectares)

    def _refresh(self) -> None:
        desk, there, page = self._desk, self._session.has_project, self.pages.currentWidget()
        shown, chosen = desk.shown, self._chosen()
        some = shown is not None and shown.ensemble is not None
        can_play = shown is not None and shown.header is not None
        can_go_on = chosen is not None and chosen.can_go_on(self.form.members.value())
        usable = {
            "start": there and not desk.is_busy and not self._problems,
            "stop": desk.is_busy and not desk.is_stopping,
            "resume": can_go_on and not desk.is_busy, "copy": some, "export": some,
            "show": can_play and self.members_view.selectionModel().hasSelection(),
        }  # fmt: skip
        for name, enabled in usable.items():
            self._buttons[name].setEnabled(enabled)
        self._buttons["show"].setVisible(page is self.members_view)
        for name in ("copy", "export"):
            self._buttons[name].setVisible(page in (self.members_view, self.summary_view))
        for check in (self.threads, self.quantiles):
            check.setVisible(page is self.fan)
        for combo in (self.quantity, self.unit):
            combo.setVisible(page in (self.fan, self.benefit, self.convergence))
        self.form.setEnabled(there and not desk.is_busy)
        self._activity.set_text(desk.activity)
        self.means.setText(desk.running_means)
        self.means.setVisible(bool(desk.running_means))
        self.bar.setValue(round(100 * desk.share))
        for part in (self._activity, self.bar):
            part.setVisible(desk.is_busy)
        self.notes.setText("\n".join(f"⚠ {problem}" for problem in self._problems))
        self.notes.setProperty("role", "warning")
        self.notes.setVisible(bool(self._problems) and not desk.is_busy)
