"""The uncertainty dock: how sure a plan is, from fires without and with it under the same random numbers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
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
from firegui.gui.analyses.uncertainty.error_model_charts import ErrorFields
from firegui.gui.analyses.uncertainty.export_ensemble_dialog import EnsembleExportDialog
from firegui.gui.analyses.uncertainty.mean_maps import MeanMaps
from firegui.gui.analyses.uncertainty.uncertainty_charts import BenefitChart, ConvergenceChart, FanChart, VariogramChart
from firegui.gui.analyses.uncertainty.uncertainty_controller import SavedEnsemble, UncertaintyController, lacks
from firegui.gui.analyses.uncertainty.uncertainty_form import UncertaintyForm
from firegui.gui.analyses.uncertainty.uncertainty_tables import EnsembleTables
from firegui.gui.analyses.uncertainty.uncertainty_text import NOTHING, caution_text, error_words, head_text
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.plan_choices import narrow_combo
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_view import table_text
from firegui.io.atomic import write_text
from firegui.runs.saved_fires import member_spec
from firegui.runs.uq_summary import ensemble_csv, summarised, summary_csv
from firegui.runs.uq_text import UNBURNED

_CONTROLS = 290
_MEANS = "Mean maps"
_MEANS_HELP = "Show the mean probability of fire over the members on the map, day by day: no drops, and the plan"
_BACK_HELP = "Show the run that was on the map before the mean maps, or else the fire without drops"


class UncertaintyPanel(QWidget):
    """See the module."""

    start_requested = Signal()
    """A person wants an ensemble; the project must be saved first."""
    enlarge_requested = Signal()
    """A person wants more room for it."""

    def __init__(
        self, session: Session, queue: RunQueue, desk: UncertaintyController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._queue, self._desk = session, queue, desk
        self._earlier: tuple[SavedEnsemble, ...] = ()
        self._problems: tuple[Problem, ...] = ()
        self.form, self.tables = UncertaintyForm(queue), EnsembleTables(self, self.copy)
        self.summary_view, self.members_view = self.tables.summary_view, self.tables.members_view
        self.mean_maps, self.errors = MeanMaps(session, queue, desk, self), ErrorFields(desk)
        self.fan, self.benefit = FanChart(), BenefitChart()
        self.convergence, self.variogram = ConvergenceChart(), VariogramChart()
        self.quantity, self.unit = QComboBox(), QComboBox()
        self.threads, self.quantiles = QCheckBox("Members"), QCheckBox("5–95 %")
        self.earlier = narrow_combo("Earlier ensembles", "earlier")
        self.bar, self.notes, self.error_text = QProgressBar(), QLabel(wordWrap=True), QLabel(wordWrap=True)
        self.means, self.head = QLabel(wordWrap=True), ElidedLabel(role="muted")
        self.caution = ElidedLabel(role="warning")
        self._activity = ElidedLabel(role="muted")
        self._buttons: dict[str, QToolButton] = {}
        self._lay_out()
        self._connect()
        self._on_settings()
        self._offer_earlier()
        self._show()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """``start``, ``stop``, ``resume``, ``fit``, ``show``, ``copy``, ``csv``, ``map``, ``export`` or ``folder``."""
        return self._buttons[name]

    def start(self) -> None:
        """Draw the ensemble that the form asks for; the project must be kept somewhere."""
        if self._session.folder is not None and not self._desk.is_busy:
            self._desk.start(self.form.request())

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
        QGuiApplication.clipboard().setText(table_text(self._front()))
        self._session.message.emit("The table is on the clipboard.")

    def save(self, path: Path) -> None:
        """Write the table in front to ``path`` as CSV, with every digit."""
        shown = self._desk.shown
        if shown is None or shown.ensemble is None:
            return
        path = path if path.suffix else path.with_suffix(".csv")
        if self._front() is self.members_view:
            text = ensemble_csv(shown.ensemble, regions=shown.regions)
        else:
            text = summary_csv(summarised(shown.ensemble, regions=shown.regions))
        with refusing(self._session, str(path)):
            write_text(path, text)
            self._session.message.emit(f"Wrote {path}")

    def export(self) -> None:
        """Ask what to write of the ensemble, and where to."""
        shown = self._desk.shown
        if shown is None or shown.header is None or not self._desk.is_settled:
            return
        dialog = EnsembleExportDialog(self._session, self._desk.exports, shown.folder, shown.header, self.window())
        dialog.exec()
        dialog.deleteLater()

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.pages, self.error_page = QTabWidget(documentMode=True), self._error_page()
        pages = (
            ("Fan", self.fan), ("Benefit", self.benefit), ("Table", self.summary_view), ("Members", self.members_view),
            ("Convergence", self.convergence), ("Error fit", self.error_page), ("Error maps", self.errors),
        )  # fmt: skip
        for title, page in pages:
            self.pages.addTab(page, title)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for part in (self._choices(), self.pages, self.caution, self._foot()):
            column.addWidget(part, 1 if part is self.pages else 0)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self._controls())
        parts.addWidget(right)
        parts.setStretchFactor(1, 1)
        parts.setSizes([_CONTROLS, 2 * _CONTROLS])
        parts.setCollapsible(1, False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(6, 2, 6, 4)
        # A narrow window would otherwise be made wider than it is, or the dock drawn over its neighbours.
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(parts)
        whole.addWidget(area)

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
            "csv": row.add("csv", "CSV…", "Write the table as CSV with every digit", self._ask_file),
        }  # fmt: skip
        whole = QWidget()
        line = QHBoxLayout(whole)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.earlier, 1)
        choices = (self.quantity, self.unit, self.threads, self.quantiles)
        shown: tuple[QWidget, ...] = (*choices, self.errors.controls, row)
        for part in shown:
            line.addWidget(part)
        return whole

    def _foot(self) -> QWidget:
        """What the ensemble is of, and what can be done with all of it."""
        row = ButtonRow()
        self._buttons |= {
            "map": row.add("map", _MEANS, _MEANS_HELP, self.mean_maps.toggle, show_text=True),
            "export": row.add("export", "Export…", "Write tables, maps and figures of the ensemble", self.export),
            "folder": row.add("folder", "Open folder", "Open the ensemble's folder", self._open_folder),
        }  # fmt: skip
        whole = QWidget()
        line = QHBoxLayout(whole)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.head, 1)
        line.addWidget(row)
        return whole

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
        session.result_changed.connect(self._refresh)
        desk.changed.connect(self._refresh)
        desk.result_changed.connect(self._show)
        desk.saved_changed.connect(self._offer_earlier)
        self.form.changed.connect(self._on_settings)
        for box in (self.quantity, self.unit):
            box.currentIndexChanged.connect(self._draw)
        for check in (self.threads, self.quantiles):
            check.toggled.connect(self._draw)
        self.pages.currentChanged.connect(self._refresh)
        self.earlier.activated.connect(self._open_earlier)
        self.tables.member_activated.connect(self.play)
        self.tables.selection_changed.connect(self._refresh)

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_settings(self) -> None:
        there = self._session.has_project
        self._problems = tuple(lacks(self._session.project, self.form.settings())) if there else ()
        self._refresh()

    def _offer_earlier(self) -> None:
        self._earlier = self._desk.saved()
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

    def _chosen(self) -> SavedEnsemble | None:
        index = self.earlier.currentIndex()
        return self._earlier[index - 1] if 0 < index <= len(self._earlier) else None

    def _go_on(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._desk.resume(chosen, self.form.request())

    def _play_chosen(self) -> None:
        if (member := self.tables.selected_member) is not None:
            self.play(member)

    def _open_folder(self) -> None:
        if self._desk.shown is not None and self._desk.shown.folder.exists():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._desk.shown.folder)))

    def _ask_file(self) -> None:
        name = "ensemble.csv" if self._front() is self.members_view else "summary.csv"
        start = (self._session.folder.parent if self._session.folder is not None else Path.home()) / name
        chosen, _filter = QFileDialog.getSaveFileName(self.window(), "Export the table", str(start), "Table (*.csv)")
        if chosen:
            self.save(Path(chosen))

    def _front(self) -> QTableView:
        """The table that is copied and written: the members where they are in front, else the summary."""
        return self.members_view if self.pages.currentWidget() is self.members_view else self.summary_view

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        shown = self._desk.shown
        ensemble = None if shown is None else shown.ensemble
        regions = shown is not None and shown.regions
        self.tables.show(ensemble, regions=regions)
        error = None if shown is None else shown.error
        for page in (self.error_page, self.errors):
            self.pages.setTabVisible(self.pages.indexOf(page), error is not None)
        self.variogram.show_error(error, None if shown is None else shown.variogram)
        self.error_text.setText(error_words(shown))
        self.error_text.setToolTip(UNBURNED)
        self.quantity.setEnabled(regions)
        if not regions:
            with QSignalBlocker(self.quantity):
                self.quantity.setCurrentIndex(0)
        self.head.set_text(NOTHING if shown is None else head_text(shown))
        self.caution.set_text(caution_text(shown))
        with QSignalBlocker(self.earlier):
            self.earlier.setCurrentIndex(self._shown_row())
        self._draw()
        self._refresh()

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
        more = chosen is not None and chosen.can_resume(self.form.settings())
        self.mean_maps.follow()
        usable = {
            "start": there and not desk.is_busy and not self._problems,
            "stop": desk.is_busy and not desk.is_stopping,
            "resume": more and not desk.is_busy and not self._session.is_read_only, "copy": some, "csv": some,
            "show": can_play and self.tables.selected_member is not None, "map": self.mean_maps.can_show,
            "export": some and desk.is_settled, "folder": can_play,
        }  # fmt: skip
        for name, enabled in usable.items():
            self._buttons[name].setEnabled(enabled)
        self._buttons["map"].setText("Back" if self.mean_maps.are_shown else _MEANS)
        self._buttons["map"].setToolTip(_BACK_HELP if self.mean_maps.are_shown else _MEANS_HELP)
        self._buttons["show"].setVisible(page is self.members_view)
        for name in ("copy", "csv"):
            self._buttons[name].setVisible(page in (self.members_view, self.summary_view))
        for check in (self.threads, self.quantiles):
            check.setVisible(page is self.fan)
        for combo in (self.quantity, self.unit):
            combo.setVisible(page in (self.fan, self.benefit, self.convergence))
        self.errors.controls.setVisible(page is self.errors)
        self.caution.setVisible(bool(self.caution.text()) and page not in (self.error_page, self.errors))
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
