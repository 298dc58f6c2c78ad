"""The study dock: many plans that differ in chosen ways, as they are computed, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from firegui.domain.study import Cell
from firegui.errors import InputError, Problem
from firegui.gui.analyses.study.study_controller import SavedStudy, StudyController, cost_text
from firegui.gui.analyses.study.study_form import StudyForm
from firegui.gui.analyses.study.study_tables import WORKER_COLUMNS, CellsModel
from firegui.gui.analyses.study.study_views import ChosenView, HeatView, ParetoView, TornadoView
from firegui.gui.analyses.table_analysis_panel import Kept, TableAnalysisPanel, Words
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.io.atomic import write_problem
from firegui.io.study_file import StudyFile
from firegui.rollout.machine import cores
from firegui.runs.events import WorkerSeen
from firegui.studies.request import STUDY_TEMPLATES, StudyCheck, check_text

_WORDS = Words(
    thing="study",
    start="Run",
    start_tip="Carry the study out; the project is saved first",
    stop_tip="Stop within a second; cells that are done are kept, and the study can go on later",
    resume_tip="Finish the study that is chosen: only the cells that are missing are computed",
    progress="Share of the cells that is done",
    earlier="Earlier studies",
    none_earlier="No earlier study",
)
NOTHING = "No study is shown: run one, or open an earlier one."


class StudyPanel(TableAnalysisPanel):
    """See the module."""

    def __init__(self, session: Session, queue: RunQueue, desk: StudyController, parent: QWidget | None = None) -> None:
        self.form = StudyForm()
        super().__init__(session, desk, self.form, _WORDS, parent)
        self._queue, self._desk = queue, desk
        self.cells, self.cells_view = CellsModel(self), QTableView()
        self.workers = TableModel[WorkerSeen](WORKER_COLUMNS, self, key=lambda worker: worker.name)
        self.workers_view = QTableView()
        self.tornado, self.heat, self.pareto = TornadoView(), HeatView(), ParetoView()
        self._looked = StudyCheck(None, ())
        self._pace: float | None = None
        self._put_together(self._pages(), self._result_buttons())
        self._connect()
        self.form.set_host(self._start_folder, self._refuse_file)
        self._on_text()
        self._offer_earlier()
        self._show()

    # -- for others --------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Carry out what the form asks for; the project must be kept somewhere."""
        if self._session.folder is not None and not self._desk.is_busy:
            self._desk.start(self.form.request())
            if self._desk.is_busy:
                self.pages.setCurrentWidget(self.cells_view)

    def play(self, cell: Cell) -> None:
        """Work out the fire of a finished cell for the map; one that cannot be is refused."""
        spec = self._desk.spec_of(cell)
        if spec is not None:
            self._queue.show_member(f"Cell {cell.number}: {cell.case or cell.title}", spec)

    def begin(self, name: str) -> None:
        """Put the beginning called ``name`` of a study of the open project into the form."""
        if self._session.has_project:
            self.form.set_text(_explained(STUDY_TEMPLATES[name](self._session.project)))
            self.pages.setCurrentIndex(0)

    # -- putting together --------------------------------------------------------------------------------------------
    def _pages(self) -> tuple[tuple[str, QWidget], ...]:
        show_table(self.cells_view, self.cells, "Cells of the study", copy=self.copy)
        show_table(self.workers_view, self.workers, "Workers of the study", copy=self.copy)
        for view in (self.cells_view, self.workers_view):
            view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
            view.horizontalHeader().setResizeContentsPrecision(_LINES_MEASURED)
        return (
            ("Cells", self.cells_view), ("Tornado", self.tornado), ("Heat map", self.heat),
            ("Pareto front", self.pareto), ("Workers", self.workers_view),
        )  # fmt: skip

    def _result_buttons(self) -> ButtonRow:
        row = ButtonRow()
        show = "Show the plan of the selected cell on the map (double-click; likewise in the charts)"
        every = "Copy tables (CSV, Parquet) and figures into a folder"
        self._buttons |= {
            "show": row.add("show", "Show", show, self._play_selected),
            "copy": row.add("copy", "Copy", "Copy the table for a spreadsheet (Ctrl+C in it)", self.copy),
            "export": row.add("export", "Export…", every, self._ask_folder),
        }
        return row

    def _connect(self) -> None:
        session, desk = self._session, self._desk
        for signal in (session.project_opened, session.project_edited, session.folder_changed, self.form.changed):
            signal.connect(self._on_text)
        self.form.begun.connect(self.begin)
        desk.result_changed.connect(self._show)
        desk.changed.connect(self._on_work)
        self.pages.currentChanged.connect(self._on_page)
        self.cells_view.doubleClicked.connect(self._on_opened)
        self.cells_view.selectionModel().selectionChanged.connect(self._refresh)
        for view in self._charts:
            view.opened.connect(self.play)

    @property
    def _charts(self) -> tuple[ChosenView, ...]:
        return self.tornado, self.heat, self.pareto

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_text(self) -> None:
        session, text = self._session, self.form.text.toPlainText()
        there = session.has_project and bool(text.strip())
        self._looked = check_text(text, session.project, session.folder) if there else StudyCheck(None, ())
        self._refresh()

    def _on_page(self) -> None:
        self._draw()
        self._refresh()

    def _on_opened(self, index: QModelIndex) -> None:
        self._play_if_done(self.cells.row(index.row()))

    def _play_selected(self) -> None:
        for index in self.cells_view.selectionModel().selectedRows()[:1]:
            self._on_opened(index)

    def _play_if_done(self, cell: Cell) -> None:
        if self.cells.state(cell) == "done":
            self.play(cell)

    def _kept_results(self) -> Sequence[Kept]:
        return self._desk.saved()

    @property
    def _chosen(self) -> SavedStudy | None:
        kept = None if self._chosen_index is None else self._kept[self._chosen_index]
        return kept if isinstance(kept, SavedStudy) else None

    def _open(self, index: int) -> None:
        each = self._kept[index]
        if isinstance(each, SavedStudy):
            if not self._desk.is_busy:
                self.form.set_text(_explained(StudyFile(".", each.header.settings, each.header.schedule_file)))
            self._desk.open(each.folder)
            if self.pages.currentIndex() == 0:
                self.pages.setCurrentWidget(self.cells_view)

    def _go_on(self) -> None:
        if self._chosen is not None:
            self._desk.resume(self._chosen, self.form.request())
            self.pages.setCurrentWidget(self.cells_view)

    def _start_folder(self) -> Path:
        return self._session.folder.parent if self._session.folder is not None else Path.home()

    def _refuse_file(self, path: Path, error: OSError) -> None:
        self._session.refuse(InputError([write_problem(path, error)], "The study's file cannot be used"))

    def _front(self) -> QTableView:
        return self.workers_view if self.pages.currentWidget() is self.workers_view else self.cells_view

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        shown = self._desk.shown
        table = None if shown is None else shown.table
        fresh = self.cells.table is None or table is None or self.cells.table.settings != table.settings
        self.cells.show(table, self._desk.running if self._desk.shows_running else ())
        if fresh and table is not None:
            self.cells_view.resizeColumnsToContents()
        self._draw()
        self._pace = self._desk.pace
        if shown is None or table is None:
            self.head.set_text(NOTHING if shown is None else "Preparing…")
        else:
            failed = f" · {len(table.failed):,} failed" if table.failed else ""
            said = f"{len(table.rows):,} of {len(table.cells):,} cells{failed}"
            self.head.set_text(f"{table.settings.name} · {said} · planner {table.settings.planner} · simulated")
        self._choose_shown()
        self._refresh()

    def _draw(self) -> None:
        """Only the chart that is seen is drawn: a table of thousands of cells takes a moment."""
        page, table = self.pages.currentWidget(), self.cells.table
        for view in self._charts:
            if view is page and (view.table is not table):
                view.show_table(table)

    def _on_work(self) -> None:
        desk = self._desk
        self.workers.set_rows(desk.workers)
        if desk.shows_running and self.cells_view.isVisible():
            self.cells.show(self.cells.table, desk.running)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        desk, there, page = self._desk, self._session.has_project, self.pages.currentWidget()
        study, chosen = self._looked.study, self._chosen
        some = desk.shown is not None and desk.shown.table is not None
        ready = there and study is not None and not self._looked.problems
        more = chosen is not None and chosen.can_resume()
        selected = bool(self.cells_view.selectionModel().selectedRows())
        usable = {
            "start": ready and not desk.is_busy, "stop": desk.is_busy and not desk.is_stopping,
            "resume": more and not desk.is_busy and not self._session.is_read_only,
            "show": some and selected, "copy": some, "export": some,
        }  # fmt: skip
        for name, enabled in usable.items():
            self._buttons[name].setEnabled(enabled)
        self._buttons["show"].setVisible(page is self.cells_view)
        self._buttons["copy"].setVisible(page in (self.cells_view, self.workers_view))
        workers = self.form.workers.value() or cores()
        self.about.setText("" if study is None else cost_text(study.settings, self._pace, workers))
        self._show_work(desk.activity, desk.share, self._shown_problems)

    @property
    def _shown_problems(self) -> tuple[Problem, ...]:
        """As many as a person reads at once."""
        found = self._looked.problems
        if len(found) <= _MOST_PROBLEMS:
            return found
        return (*found[:_MOST_PROBLEMS], Problem("…", f"{len(found) - _MOST_PROBLEMS} more like these"))


_MOST_PROBLEMS = 6
_LINES_MEASURED = 60


def _explained(study: StudyFile) -> str:
    """A study's text, with a line on where its words are explained."""
    return f"# F1 explains every word of a study.\n{study.text()}"
