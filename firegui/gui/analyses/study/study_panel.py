"""Study panel: many plans that differ in chosen factors, their computation and their comparison."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHeaderView, QTableView

from firegui.analyses.study.settings import (
    STUDY_TEMPLATES,
    StudyRequest,
    absolute_text,
    opened_study,
    study_file_problems,
)
from firegui.domain.study import Cell
from firegui.domain.study_table import MEASURES, StudyTable, tornado_of
from firegui.domain.units import Units
from firegui.errors import Problem
from firegui.gui.analyses.panel import AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.study.study_charts import HeatChart, ParetoChart, StudyChartView, TornadoChart
from firegui.gui.analyses.study.study_controller import SavedStudy, StudyController, cost_text
from firegui.gui.analyses.study.study_form import StudyForm
from firegui.gui.analyses.study.study_tables import WORKER_COLUMNS, CellsModel, measure_text
from firegui.gui.session.reporting import refusing
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.io.atomic import write_text
from firegui.io.paths import real_path
from firegui.io.project.study_file import StudyFile
from firegui.runs.events import WorkerSeen

NOTHING = "No study is shown: run one, or open an earlier one."
_MOST_PROBLEMS = 6
"""Largest number of problems in the list."""
_INTRODUCTION = (
    "Makes a plan for every case of a study and compares them: another fleet, other days or settings. It needs a "
    "study: choose New for an example, or open one. It takes as long as so many plans, shared out over the workers."
)


class StudyPanel(AnalysisPanel[StudyController, SavedStudy]):
    """Panel with the form of a study, its cells, its workers and its charts."""

    texts = AnalysisTexts(
        thing="study",
        start="Run study",
        start_tip="Run the study; the project is saved first",
        stop_tip="Stop within a second; cases that are done are kept, and the study can go on later",
        introduction=_INTRODUCTION,
        resume_tip="Finish the study that is chosen: only the cases that are missing are computed",
        progress="Share of the cases that is done",
        saved_results="Earlier studies",
        no_saved_results="No earlier study",
    )

    def _make_form(self) -> StudyForm:
        self.form = StudyForm()
        return self.form

    def _build(self) -> None:
        self.cells, self.cells_view = CellsModel(self), QTableView()
        self.workers = TableModel[WorkerSeen](WORKER_COLUMNS, self, key=lambda worker: worker.name)
        self.workers_view = QTableView()
        self.tornado_chart, self.heat_chart, self.pareto_chart = TornadoChart(), HeatChart(), ParetoChart()
        self._charts = tuple(map(StudyChartView, (self.tornado_chart, self.heat_chart, self.pareto_chart)))
        self.tornado, self.heat, self.pareto = self._charts
        self.work_page = self.cells_view
        self._file_project = ""
        self._pace: float | None = None
        self._converted: tuple[StudyTable, Units, StudyTable] | None = None
        self._lay_out()
        self.form.set_host(self._start_folder)
        self.form.begun.connect(self.begin)
        self.form.open_requested.connect(self.open_file)
        self.form.save_requested.connect(self.save_file)
        self._controller.changed.connect(self._show_work)
        self.pages.currentChanged.connect(self._draw)
        self.cells_view.doubleClicked.connect(self._on_opened)
        self.cells_view.selectionModel().selectionChanged.connect(self._refresh)
        for view in self._charts:
            view.opened.connect(self.play)

    # -- public methods ----------------------------------------------------------------------------------------------
    def play(self, cell: Cell) -> None:
        """Show the fire of a finished cell on the map, or a message if the cell cannot be shown."""
        spec = self._controller.spec_of(cell)
        if spec is not None:
            self._queue.show_member(f"Cell {cell.number}: {cell.case or cell.title}", spec)

    def begin(self, name: str) -> None:
        """Fill the form with the template ``name`` of a study, made for the open project."""
        if self._session.has_project:
            self._file_project = ""
            self.form.set_study(STUDY_TEMPLATES[name](self._session.project))

    def open_file(self, path: Path) -> None:
        """Fill the form with the study of a file. With an unreadable file the form does not change."""
        with refusing(self._session, str(path)):
            study, folder = opened_study(path)
            own = self._session.folder
            is_own = own is not None and real_path(folder) == real_path(own)
            self._file_project = "" if is_own else folder.name
            self.form.set_study(study, path)

    def save_file(self, path: Path) -> None:
        """Save the study of the form to a file that names the open project."""
        path, folder = path if path.suffix else path.with_suffix(".toml"), self._session.folder
        with refusing(self._session, str(path)):
            study = self.form.study()
            write_text(path, study.text() if folder is None else absolute_text(study, folder))
            self.form.file = path
            self._session.message.emit(f"Wrote {path}")

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.cells_view, self.cells, "Cases of the study", copy=self.copy)
        show_table(self.workers_view, self.workers, "Workers of the study", copy=self.copy)
        # Qt would measure thousands of cells after every change. `_show` measures them for a new study only.
        self.cells_view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        show = "Show the plan of the selected case on the map (double-click; likewise in the charts)"
        every = "Copy tables (CSV, Parquet) and figures into a folder"
        self._lay_out_pages(
            (
                ("Cases", self.cells_view), ("What matters most", self.tornado), ("Heat map", self.heat),
                ("Pareto front", self.pareto), ("Workers", self.workers_view),
            ),
            PanelButton("show", "Show", show, self._play_selected, (self.cells_view,)),
            self._copy_button(self.cells_view, self.workers_view),
            PanelButton("export", "Export…", every, self._export),
        )  # fmt: skip

    # -- overrides of AnalysisPanel ----------------------------------------------------------------------------------
    def _show_settings(self, saved: SavedStudy) -> None:
        self._file_project = ""
        self.form.set_study(StudyFile(".", saved.header.settings, saved.header.schedule_file))

    def _resume_request(self) -> StudyRequest:
        """Return the request of the form, because its choice of workers also applies to a resumed study."""
        return self.form.request()

    def _find_problems(self) -> Sequence[Problem]:
        self.form.set_project(self._session.project)
        found = (*self.form.problems(), *self._study_problems())
        more = len(found) - _MOST_PROBLEMS
        return (*found[:_MOST_PROBLEMS], Problem("…", f"{more} more like these")) if more > 0 else found

    def _conclusion(self) -> str:
        shown = self._controller.shown
        return "" if shown is None or shown.table is None else conclusion_text(self._in_units(shown.table))

    def _study_problems(self) -> Sequence[Problem]:
        study = self.form.study()
        if not self.form.factors and not self.form.cases:
            # The form is empty and says how to begin.
            return ()
        return study_file_problems(study, self._session.project)

    def _remarks(self) -> Sequence[str]:
        if not self.form.factors and not self.form.cases:
            return ("Nothing varies yet: add a factor or a case, or choose a ready-made study with New.",)
        if self._file_project:
            return (f"The file was made for {self._file_project}. Its study is of the open project now.",)
        return ()

    def _enabled(self) -> dict[str, bool]:
        shown = self._controller.shown
        some = shown is not None and shown.table is not None
        selected = bool(self.cells_view.selectionModel().selectedRows())
        ready = self._can_start and bool(self.form.factors or self.form.cases)
        return {"start": ready, "show": some and selected, "copy": some, "export": some}

    def _front(self) -> QTableView:
        return self.workers_view if self.pages.currentWidget() is self.workers_view else self.cells_view

    # -- events ------------------------------------------------------------------------------------------------------
    def _on_opened(self, index: QModelIndex) -> None:
        cell = self.cells.row(index.row())
        if self.cells.state(cell) == "done":
            self.play(cell)

    def _play_selected(self) -> None:
        for index in self.cells_view.selectionModel().selectedRows()[:1]:
            self._on_opened(index)

    def _start_folder(self) -> Path:
        return self._beside_project

    # -- display -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        controller, shown = self._controller, self._controller.shown
        table = None if shown is None or shown.table is None else self._in_units(shown.table)
        fresh = self.cells.table is None or table is None or self.cells.table.settings != table.settings
        self.cells.show(table, controller.running if controller.shows_running else ())
        if fresh and table is not None:
            self.cells_view.resizeColumnsToContents()
        self._draw()
        self._pace = controller.pace
        if shown is None or table is None:
            self.head.setText(NOTHING if shown is None else "Preparing…")
        else:
            failed = f" · {len(table.failed):,} failed" if table.failed else ""
            done = f"{len(table.rows):,} of {len(table.cells):,} cases{failed}"
            self.head.setText(f"{table.settings.name} · {done} · planner {table.settings.planner} · simulated")

    def _in_units(self, table: StudyTable) -> StudyTable:
        session = self._session
        if not session.has_project:
            return table
        # An unchanged table must stay the same object, because every chart is drawn again for another object.
        if self._converted is None or self._converted[0] is not table or self._converted[1] is not session.units:
            cell_ha = session.project.scenario.grid.cell_area_ha
            self._converted = table, session.units, table.in_units(session.units, cell_ha)
        return self._converted[2]

    def _draw(self) -> None:
        """Draw the current chart only, because a chart of thousands of cells takes long."""
        page, table = self.pages.currentWidget(), self.cells.table
        for view in self._charts:
            if view is page and view.table is not table:
                view.show_table(table)

    def _show_work(self) -> None:
        controller = self._controller
        self.workers.set_rows(controller.workers)
        if controller.shows_running and self.cells_view.isVisible():
            self.cells.show(self.cells.table, controller.running)

    def _cost(self) -> str:
        study, workers = self.form.study(), self.form.workers.value()
        count = 0 if workers.scheduler else workers.workers or 1
        has_study = bool(self.form.factors or self.form.cases)
        return cost_text(study.settings, self._pace, count, self._simulation_seconds) if has_study else ""


def conclusion_text(table: StudyTable) -> str:
    """Return the conclusion of a study: the factor on which a measure depends most.

    The measure is the first size among the measures, or the first measure without a size. The sentence is empty before
    there are cases to compare.
    """
    measures = table.settings.measure
    measure = next((name for name in measures if MEASURES[name].is_size), measures[0])
    title, _, unit = table.label(measure).partition(", ")
    text = measure_text(measure)

    def amount(value: float) -> str:
        return f"{text(value)} {unit}".rstrip()

    so_far = "" if table.complete else "So far: "
    bars = tornado_of(table, measure)
    if bars and bars[0].length > 0.0:
        bar = bars[0]
        name = "the case" if bar.label == bar.high_text else bar.label
        ends = f"{amount(bar.low)} at {bar.low_text}, {amount(bar.high)} at {bar.high_text}"
        return f"{so_far}{title} depends most on {name}: {ends}."
    values = [table.measured(cell, measure) for cell in table.done if table.has(cell, measure)]
    if len(values) < 2:
        return ""
    return f"{so_far}{title} is {amount(min(values))} to {amount(max(values))} in {len(values):,} cases."
