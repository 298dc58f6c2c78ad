"""The sensitivity dock: how much a plan hangs on what it assumed, as the robustness tables of the paper."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
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

from firegui.domain.sensitivity import Row
from firegui.errors import InputError
from firegui.gui.analyses.sensitivity.sensitivity_chart import MEASURES, SensitivityChart
from firegui.gui.analyses.sensitivity.sensitivity_controller import SavedTable, SensitivityController
from firegui.gui.analyses.sensitivity.sensitivity_form import SensitivityForm
from firegui.gui.analyses.sensitivity.sensitivity_table import COLUMNS
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.number_text import number
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.plan_choices import narrow_combo
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import show_table, table_text
from firegui.io.atomic import write_text
from firegui.runs.sensitivity_folder import AnyTable, table_csv
from firegui.runs.sensitivity_text import pair_text

_CONTROLS = 290
_NOTHING = "No table is shown: make one, or open an earlier one."


class SensitivityPanel(QWidget):
    """See the module."""

    start_requested = Signal()
    """A person wants a table; the project must be saved first."""
    enlarge_requested = Signal()
    """A person wants more room for it."""

    def __init__(
        self, session: Session, queue: RunQueue, desk: SensitivityController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._desk = session, desk
        self._earlier: tuple[SavedTable, ...] = ()
        self.form = SensitivityForm(queue)
        self.model = TableModel[Row]((), self, key=lambda row: row)
        self.table, self.chart = QTableView(), SensitivityChart()
        self.measure, self.earlier = QComboBox(), narrow_combo("Earlier tables", "earlier")
        self.bar, self.notes, self.head = QProgressBar(), QLabel(wordWrap=True), ElidedLabel(role="muted")
        self._activity = ElidedLabel(role="muted")
        self._buttons: dict[str, QToolButton] = {}
        self._lay_out()
        self._connect()
        self._on_project()
        self._show_table()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """``start``, ``stop``, ``resume``, ``copy``, ``export`` or ``fit``; else ``KeyError``."""
        return self._buttons[name]

    def start(self) -> None:
        """Make the table that the form asks for; the project must be kept somewhere."""
        if self._session.folder is None or self._desk.is_busy:
            return
        try:
            self._desk.start(self.form.request())
        except InputError as error:
            self._session.refuse(error)

    def copy(self) -> None:
        """Put the table on the clipboard as it is shown, tabs between its columns."""
        QGuiApplication.clipboard().setText(table_text(self.table))
        self._session.message.emit("The table is on the clipboard.")

    def save(self, path: Path) -> None:
        """Write the table to ``path`` as CSV, with every digit."""
        if self._desk.table is None:
            return
        path = path if path.suffix else path.with_suffix(".csv")
        with refusing(self._session, str(path)):
            write_text(path, table_csv(self._desk.table))
            self._session.message.emit(f"Wrote {path}")

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.pages = QTabWidget(documentMode=True)
        self.pages.addTab(self._table_page(), "Table")
        self.pages.addTab(self._chart_page(), "Chart")
        self.pages.setCornerWidget(self._result_buttons())
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.pages, 1)
        column.addWidget(self.head)
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
        resume = "Finish the sweep that is chosen below; plans that are done are kept"
        self._buttons |= {
            "start": row.add("start", "Make table", "Make the table; the project is saved first",
                             self.start_requested.emit, show_text=True),
            "stop": row.add("stop", "Stop", "Stop; the rows of a sweep so far are kept", self._desk.stop),
            "resume": row.add("resume", "Go on", resume, self._go_on),
            "fit": row.add("fit", "Enlarge", large, self.enlarge_requested.emit),
        }  # fmt: skip
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName("Share of the table that is done")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        for part in (row, self._activity, self.bar, self.notes, self.form):
            column.addWidget(part)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        area.setMinimumWidth(_CONTROLS)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _table_page(self) -> QWidget:
        show_table(self.table, self.model, "Robustness table", copy=self.copy)
        return self.table

    def _result_buttons(self) -> QWidget:
        row = ButtonRow()
        self._buttons |= {
            "copy": row.add("copy", "Copy", "Copy the table for a spreadsheet (Ctrl+C in it)", self.copy),
            "export": row.add("export", "Export CSV…", "Write the table as CSV with every digit", self._ask_file),
        }
        self.earlier.setToolTip("Tables of this project that were made before")
        box = QWidget()
        line = QHBoxLayout(box)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.earlier)
        line.addWidget(row)
        return box

    def _chart_page(self) -> QWidget:
        self.measure.setAccessibleName("What is drawn")
        self.measure.setToolTip("What is drawn")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.measure, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.chart, 1)
        return page

    def _connect(self) -> None:
        session, desk = self._session, self._desk
        session.project_opened.connect(self._on_project)
        session.project_edited.connect(self._refresh)
        desk.changed.connect(self._refresh)
        desk.result_changed.connect(self._show_table)
        desk.saved_changed.connect(self._offer_earlier)
        self.form.changed.connect(self._refresh)
        self.measure.currentIndexChanged.connect(lambda _index: self._draw())
        self.earlier.activated.connect(self._open_earlier)

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_project(self) -> None:
        if self._session.has_project:
            optimizer = self._session.project.plan.optimizer
            with QSignalBlocker(self.form.epochs), QSignalBlocker(self.form.seed):
                self.form.epochs.setValue(optimizer.epochs)
                self.form.seed.setValue(optimizer.seed)
        self._offer_earlier()

    def _offer_earlier(self) -> None:
        self._earlier = self._desk.saved()
        with QSignalBlocker(self.earlier):
            self.earlier.clear()
            self.earlier.addItem("Earlier tables…" if self._earlier else "No earlier table")
            for each in self._earlier:
                self.earlier.addItem(each.title(self._desk.today))
            self.earlier.setCurrentIndex(self._shown_row())
        self.earlier.setEnabled(bool(self._earlier))
        self._refresh()

    def _shown_row(self) -> int:
        """The entry of the table that is shown, 0 for none."""
        folders = [each.folder for each in self._earlier]
        return folders.index(self._desk.folder) + 1 if self._desk.folder in folders else 0

    def _open_earlier(self, index: int) -> None:
        if not 0 < index <= len(self._earlier):
            return
        each = self._earlier[index - 1]
        self.form.set_kind(each.header.kind)
        self.form.set_settings(each.header.settings, each.header.project.plan.optimizer.epochs)
        if each.has_table:
            self._desk.open(each.folder)
        self._refresh()

    def _chosen(self) -> SavedTable | None:
        index = self.earlier.currentIndex()
        return self._earlier[index - 1] if 0 < index <= len(self._earlier) else None

    def _go_on(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._desk.resume(chosen)

    def _ask_file(self) -> None:
        start = (self._session.folder.parent if self._session.folder is not None else Path.home()) / "sensitivity.csv"
        name, _filter = QFileDialog.getSaveFileName(self.window(), "Export the table", str(start), "Table (*.csv)")
        if name:
            self.save(Path(name))

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show_table(self) -> None:
        table = self._desk.table
        if table is None:
            self.model.set_rows((), ())
        else:
            self.model.set_rows(table.rows, COLUMNS[table.kind])
        measures = () if table is None else MEASURES[table.kind]
        wanted = [measure.title for measure in measures]
        if wanted != [self.measure.itemText(k) for k in range(self.measure.count())]:
            with QSignalBlocker(self.measure):
                self.measure.clear()
                self.measure.addItems(wanted)
        self.measure.setVisible(bool(wanted))
        self.head.set_text(_NOTHING if table is None else head_text(table))
        with QSignalBlocker(self.earlier):
            self.earlier.setCurrentIndex(self._shown_row())
        self._draw()
        self._refresh()

    def _draw(self) -> None:
        table, index = self._desk.table, self.measure.currentIndex()
        self.chart.show_table(table, None if table is None or index < 0 else MEASURES[table.kind][index])

    def _refresh(self) -> None:
        desk, there = self._desk, self._session.has_project
        found = self.form.problems() if there else ()
        chosen, some = self._chosen(), desk.table is not None and bool(desk.table.rows)
        goes_on = chosen is not None and chosen.can_resume() and not self._session.is_read_only
        usable = {
            "start": there and not desk.is_busy and not found, "stop": desk.is_busy and not desk.is_stopping,
            "resume": goes_on and not desk.is_busy, "copy": some, "export": some,
        }  # fmt: skip
        for name, enabled in usable.items():
            self._buttons[name].setEnabled(enabled)
        self.form.setEnabled(there and not desk.is_busy)
        self._activity.set_text(desk.activity)
        self.bar.setValue(round(100 * desk.share))
        for part in (self._activity, self.bar):
            part.setVisible(desk.is_busy)
        self.notes.setText("\n".join(f"⚠ {problem}" for problem in found))
        self.notes.setProperty("role", "warning")
        self.notes.setVisible(bool(found) and not desk.is_busy)


def head_text(table: AnyTable) -> str:
    """What a table is of."""
    lines = [f"Of {table.schedule}"] if table.schedule else []
    if not table.complete:
        lines.append(f"{len(table.rows)} of {len(table.settings.designs)} plans so far")
    if table.scored is not None:
        lines.append(
            f"as planned for J_fire {number(table.scored.fire_objective)}, {number(table.scored.final_extent_ha)} ha"
        )
    lines.append(
        f"without drops J_fire {number(table.baseline.fire_objective)}, {number(table.baseline.final_extent_ha)} ha"
    )
    lines.append(f"setting {table.setting.value}, nominal η {pair_text(table.nominal)}")
    return " · ".join(lines)
