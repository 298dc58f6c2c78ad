"""The benchmark dock: planners under one objective, one budget and one allowance, as the paper compares them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QMenu,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.benchmark import DeploymentRow, Task
from firegui.errors import Problem
from firegui.gui.analyses.benchmark.benchmark_charts import ConvergenceView
from firegui.gui.analyses.benchmark.benchmark_controller import BenchmarkController, SavedBenchmark, cost_text, lacks
from firegui.gui.analyses.benchmark.benchmark_form import BenchmarkForm
from firegui.gui.analyses.benchmark.benchmark_lines import Tasks
from firegui.gui.analyses.benchmark.benchmark_tables import (
    DEPLOYMENT_COLUMNS,
    TASK_COLUMNS,
    PlannersTable,
    TaskStatus,
    deployment_rows,
    task_rows,
)
from firegui.gui.analyses.benchmark.benchmark_text import DEPLOYMENT_NOTE, NOTHING, head_text, notes, task_name
from firegui.gui.analyses.table_analysis_panel import Kept, TableAnalysisPanel, Words
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.jobs.result_presenter import CompareMode
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import add_copy_shortcut, add_table_actions, show_table

_WORDS = Words(
    thing="benchmark",
    start="Run",
    start_tip="Run the benchmark; the project is saved first",
    stop_tip="Stop; tasks that are done are kept, those at work go on where they are",
    resume_tip="Finish the benchmark that is chosen, or add the planners and seeds that are ticked; nothing is "
    "computed twice. It keeps its own allowance, budget and first seed",
    progress="Share of the tasks that is done",
    earlier="Earlier benchmarks",
    none_earlier="No earlier benchmark",
)


class BenchmarkPanel(TableAnalysisPanel):
    """See the module."""

    def __init__(
        self, session: Session, queue: RunQueue, desk: BenchmarkController, parent: QWidget | None = None
    ) -> None:
        self.form = BenchmarkForm()
        super().__init__(session, desk, self.form, _WORDS, parent)
        self._queue, self._desk = queue, desk
        self.table = PlannersTable()
        self.tasks = TableModel[TaskStatus](TASK_COLUMNS, self, key=lambda row: row.task, row_tip=TaskStatus.failure)
        self.tasks_view = QTableView()
        self.deployment = TableModel[DeploymentRow](DEPLOYMENT_COLUMNS, self, key=lambda row: row)
        self.deployment_view = QTableView()
        self.curves = ConvergenceView()
        self.remarks = QLabel(wordWrap=True)
        self.menu: QMenu | None = None
        self._drawn: Path | None = None
        self._problems: tuple[Problem, ...] = ()
        self._put_together(self._pages(), self._result_buttons())
        self._connect()
        self._on_settings()
        self._offer_earlier()
        self._show()

    # -- for others --------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Run the benchmark that the form asks for; the project must be kept somewhere."""
        if self._session.folder is not None and not self._desk.is_busy:
            self._desk.start(self.form.request())
            self.pages.setCurrentWidget(self.tasks_view)

    def play(self, task: Task) -> None:
        """Work out the fire of a finished task for the map; one that cannot be is refused."""
        spec = self._desk.spec_of(task)
        if spec is not None:
            self._queue.show_member(task_name(task), spec)

    def compare(self, one: Task, other: Task) -> None:
        """Show two tasks on the map, what ``one`` leaves of the fire of ``other``."""
        spec = self._desk.comparison_of(one, other)
        if spec is not None:
            self._queue.show_member(task_name(one), spec, task_name(other), CompareMode.DIFFERENCE)

    # -- putting together --------------------------------------------------------------------------------------------
    def _pages(self) -> tuple[tuple[str, QWidget], ...]:
        self._decisions, notes_page = self._deployment_page(), self._notes_page()
        show_table(self.tasks_view, self.tasks, "Tasks of the benchmark", copy=self.copy)
        return (
            ("Table", self.table), ("Convergence", self.curves), ("Which planner", self._decisions),
            ("Tasks", self.tasks_view), ("Notes", notes_page),
        )  # fmt: skip

    def _result_buttons(self) -> ButtonRow:
        row = ButtonRow()
        show = "Show the fire of the selected line on the map (double-click); of several seeds the best"
        both = "Show both selected lines on the map: Baseline is the worse, Plan the better, Difference what it saves"
        every = "Copy the CSV sheets, LaTeX tables and figures into a folder"
        self._buttons |= {
            "show": row.add("show", "Show", show, self._play_selected),
            "compare": row.add("compare", "Compare", both, self._compare_selected),
            "copy": row.add("copy", "Copy", "Copy the table for a spreadsheet (Ctrl+C in it)", self.copy),
            "export": row.add("export", "Export…", every, self._ask_folder),
        }
        return row

    def _deployment_page(self) -> QWidget:
        note = ElidedLabel(DEPLOYMENT_NOTE, role="muted")
        show_table(self.deployment_view, self.deployment, "Which planner for the time available", copy=self.copy)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.deployment_view, 1)
        column.addWidget(note)
        return page

    def _notes_page(self) -> QWidget:
        self.remarks.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.remarks.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remarks.setContentsMargins(4, 4, 4, 4)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(self.remarks)
        return area

    def _connect(self) -> None:
        session, desk = self._session, self._desk
        for signal in (session.project_opened, session.project_edited, self.form.changed):
            signal.connect(self._on_settings)
        desk.result_changed.connect(self._show)
        desk.changed.connect(self._on_work)
        self.pages.currentChanged.connect(self._on_page)
        self.table.opened.connect(self.play)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.table.chosen.connect(self._on_selected)
        add_copy_shortcut(self.table, self.copy)
        self.curves.chosen.connect(self._on_chosen)

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_settings(self) -> None:
        there = self._session.has_project
        self._problems = tuple(lacks(self._session.project, self.form.settings())) if there else ()
        self._refresh()

    def _on_page(self) -> None:
        if self.curves.isVisible():
            self._draw_curves()
        self._refresh()

    def _kept_results(self) -> Sequence[Kept]:
        return self._desk.saved()

    @property
    def _chosen(self) -> SavedBenchmark | None:
        kept = None if self._chosen_index is None else self._kept[self._chosen_index]
        return kept if isinstance(kept, SavedBenchmark) else None

    def _open(self, index: int) -> None:
        each = self._kept[index]
        if isinstance(each, SavedBenchmark):
            if not self._desk.is_busy:
                self.form.set_settings(each.header.settings)
            self._desk.open(each.folder)
            if self.pages.currentIndex() == 0:
                self.pages.setCurrentWidget(self.table)

    def _go_on(self) -> None:
        if self._chosen is not None:
            self._desk.resume(self._chosen, self.form.request())
            self.pages.setCurrentWidget(self.tasks_view)

    def _play_selected(self) -> None:
        if len(self.table.best) == 1:
            self.play(self.table.best[0])

    def _compare_selected(self) -> None:
        if len(self.table.best) == 2:
            worse, better = self.table.best
            self.compare(better, worse)

    def _open_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        for name in ("show", "compare") if self.table.best else ():
            action = menu.addAction(self._buttons[name].text(), self._buttons[name].click)
            action.setEnabled(self._buttons[name].isEnabled())
        add_table_actions(menu, self.table, self.copy)
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        menu.popup(self.table.viewport().mapToGlobal(at))

    def _on_selected(self) -> None:
        self.curves.choose(self.table.all_chosen)
        self._refresh()

    def _on_chosen(self, tasks: Tasks) -> None:
        """A line of the chart was pointed at: choose it in the table too."""
        self.table.choose(tasks)
        self.curves.choose(tasks)
        self._refresh()

    def _front(self) -> QAbstractItemView:
        page = self.pages.currentWidget()
        return next((view for view in (self.table, self.tasks_view) if view is page), self.deployment_view)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        shown = self._desk.shown
        table = None if shown is None else shown.table
        self.table.show_table(table, regions=shown is None or bool(shown.project.regions))
        self.deployment.set_rows(deployment_rows(table))
        folder = None if shown is None else shown.folder
        self._list_tasks()
        self._draw_curves()
        if self.table.all_chosen:  # a seed that has just ended belongs to the line of its planner
            self.curves.choose(self.table.all_chosen)
        if folder != self._drawn:
            self._drawn = folder
            self.curves.chart.fit()
        if shown is None or table is None:
            self.head.set_text(NOTHING if shown is None else "Preparing…")
            self.remarks.setText("")
        else:
            self.head.set_text(head_text(table, shown.project))
            self.remarks.setText("\n\n".join(notes(table, shown.header, shown.project)))
        self._choose_shown()
        self._refresh()

    def _on_work(self) -> None:
        self._list_tasks()
        if self._desk.shows_running and self.curves.isVisible():
            self._draw_curves()

    def _draw_curves(self) -> None:
        desk = self._desk
        table = None if desk.shown is None else desk.shown.table
        self.curves.show_table(table, desk.trails if desk.shows_running else {})

    def _list_tasks(self) -> None:
        desk = self._desk
        table = None if desk.shown is None else desk.shown.table
        running = desk.running if desk.shows_running else ()
        self.tasks.set_rows(() if table is None else task_rows(table, running, desk.failed))

    def _refresh(self) -> None:
        desk, there, page = self._desk, self._session.has_project, self.pages.currentWidget()
        settings, chosen, selected = self.form.settings(), self._chosen, self.table.best
        some = desk.shown is not None and desk.shown.table is not None
        more = chosen is not None and chosen.can_resume(settings)
        usable = {
            "start": there and not desk.is_busy and not self._problems, "stop": desk.is_busy and not desk.is_stopping,
            "resume": more and not desk.is_busy and not self._session.is_read_only,
            "show": len(selected) == 1, "compare": len(selected) == 2, "copy": some, "export": some,
        }  # fmt: skip
        for name, enabled in usable.items():
            self._buttons[name].setEnabled(enabled)
        for name in ("show", "compare"):
            self._buttons[name].setVisible(page in (self.table, self.curves))
        self._buttons["copy"].setVisible(page in (self.table, self._decisions, self.tasks_view))
        self.about.setText(cost_text(settings, desk.pace))
        self._show_work(desk.activity, desk.share, self._problems)
