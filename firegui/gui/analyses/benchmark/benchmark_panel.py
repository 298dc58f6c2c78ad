"""Benchmark panel: planners under one objective, budget and allowance, as the paper compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QFormLayout, QGridLayout, QMenu, QTableView, QWidget

from firegui.analyses.requests import BenchmarkRequest
from firegui.domain.benchmark import (
    LEVELS,
    PLANNERS,
    BenchmarkSettings,
    DeploymentRow,
    PlannerName,
    PlannerTask,
)
from firegui.domain.settings import MORE
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problem
from firegui.gui.analyses.benchmark.benchmark_charts import ConvergenceView
from firegui.gui.analyses.benchmark.benchmark_controller import (
    BenchmarkController,
    SavedBenchmark,
    cost_text,
    missing_package,
    missing_requirements,
)
from firegui.gui.analyses.benchmark.benchmark_tables import (
    DEPLOYMENT_COLUMNS,
    TASK_COLUMNS,
    PlannersTable,
    TaskStatus,
    columns_in,
    deployment_rows,
    task_rows,
)
from firegui.gui.analyses.benchmark.benchmark_text import (
    DEPLOYMENT_NOTE,
    NOTHING,
    Tasks,
    conclusion_text,
    head_text,
    notes,
    task_name,
)
from firegui.gui.analyses.panel import AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import column, labelled, muted_label, plain_label, scroll_area, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.result_presenter import CompareMode, EvaluationRequest
from firegui.gui.widgets.fields import WholeField
from firegui.gui.widgets.settings_form import FoldedSection, SettingsForm
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import add_table_actions, show_table

_ORDER = (PlannerName.TWO_STAGE, *(name for name in PlannerName if name is not PlannerName.TWO_STAGE))
_MOST_PROCESSES = 256
_MATCHED_TIP = "also once, with the first seed, at what the two-stage plan cost"
_MATCHED_LINE = "Same cost: also once at what the two-stage plan cost, so that both had the same effort."
_PROCESSES_TIP = "number of tasks that run at the same time, each in a process of one thread; 0 is one per core"


_INTRODUCTION = (
    "Compares ways of planning under one goal, one budget of drops and one number of fire simulations. It needs a "
    "goal and a fleet, and no plan. It takes minutes to hours; the form says how many fire simulations the planners "
    "that are ticked may use."
)


class BenchmarkForm(QWidget):
    """Form of a benchmark; its settings are saved with the benchmark."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.planners = {name: QCheckBox() for name in _ORDER}
        self.matched = {name: QCheckBox() for name in _ORDER if name not in LEVELS}
        self.fields = SettingsForm(BenchmarkSettings(), skip=("planners", "matched"))
        self.cluster = SettingsForm(WorkerSettings(), only=("scheduler",))
        self.processes = WholeField(0, _MOST_PROCESSES)
        self.processes.setToolTip(tooltip(_PROCESSES_TIP))
        self.processes.setObjectName("processes")
        self._lay_out()
        self.set_settings(BenchmarkSettings())

    # -- for others --------------------------------------------------------------------------------------------------
    def settings(self) -> BenchmarkSettings:
        """Return the settings in the fields."""
        return replace(self.fields.value(), planners=_ticked(self.planners), matched=_ticked(self.matched))

    def request(self) -> BenchmarkRequest:
        """Return the request for the benchmark."""
        scheduler = self.cluster.value().scheduler
        return BenchmarkRequest(self.settings(), self.processes.value(), scheduler=scheduler)

    def set_settings(self, settings: BenchmarkSettings) -> None:
        """Show other settings; a planner that cannot run here stays unticked."""
        self.fields.set_value(settings)
        for boxes, names in ((self.planners, settings.planners), (self.matched, settings.matched)):
            for name, box in boxes.items():
                with QSignalBlocker(box):
                    box.setChecked(name in names and box.isEnabledTo(self))
        self._on_edited()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        vertical(self, self._numbers(), self._choices(), muted_label(_MATCHED_LINE), margins=0, spacing=8)

    def _numbers(self) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        self._from_plan = plain_label("0: the two-stage plan's drops")
        self._from_plan.setProperty("role", "muted")
        self.fields.add_rows(form, self.fields.names(group=""))
        form.addRow(self._from_plan)
        every_core = plain_label("0: one for every core")
        every_core.setProperty("role", "muted")
        more = QFormLayout()
        more.setVerticalSpacing(4)
        self.fields.add_rows(more, self.fields.names(group=MORE))
        more.addRow(labelled("Processes", self.processes), self.processes)
        more.addRow(every_core)
        self.cluster.add_rows(more)
        form.addRow(FoldedSection(MORE, more))
        self.processes.setAccessibleName("Processes")
        self.processes.valueChanged.connect(self._on_edited)
        for part in (self.fields, self.cluster):
            part.changed.connect(self._on_edited)
        return form

    def _choices(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        for place, (text, tip) in enumerate((("Planners", ""), ("same cost", _MATCHED_TIP))):
            head = plain_label(text)
            head.setProperty("role", "muted" if place else "heading")
            head.setToolTip(tooltip(tip))
            grid.addWidget(head, 0, place, Qt.AlignmentFlag.AlignBottom)
        for row, name in enumerate(_ORDER, start=1):
            self._dress(self.planners[name], name, PLANNERS[name].short, PLANNERS[name].title)
            grid.addWidget(self.planners[name], row, 0)
            if name in self.matched:
                self._dress(self.matched[name], name, "", f"{PLANNERS[name].title}: {_MATCHED_TIP}")
                grid.addWidget(self.matched[name], row, 1, Qt.AlignmentFlag.AlignHCenter)
        return grid

    def _dress(self, box: QCheckBox, name: PlannerName, text: str, tip: str) -> None:
        package = missing_package(name)
        box.setEnabled(not package)
        if package:
            text, tip = f"{text} · needs {package}" if text else "", f"{tip}\nneeds {package}: pip install {package}"
        box.setText(text)
        box.setToolTip(tooltip(tip))
        box.setAccessibleName(tip.replace("\n", ", "))
        box.toggled.connect(self._on_edited)

    def _on_edited(self, _value: object = None) -> None:
        self._from_plan.setVisible(self.fields.box("budget").value() == 0)
        self.processes.setEnabled(not self.cluster.value().scheduler)
        self.changed.emit()


def _ticked(boxes: dict[PlannerName, QCheckBox]) -> tuple[PlannerName, ...]:
    """Return the ticked planners in the order of their names, in which the rows of a table are computed."""
    ticked: Iterable[PlannerName] = (name for name, box in boxes.items() if box.isChecked())
    return tuple(sorted(ticked, key=list(PlannerName).index))


class BenchmarkPanel(AnalysisPanel[BenchmarkController, SavedBenchmark]):
    """Form of a benchmark, its tables and convergence chart, and its tasks while they run."""

    texts = AnalysisTexts(
        thing="benchmark",
        start="Compare planners",
        start_tip="Run the benchmark; the project is saved first",
        stop_tip="Stop; finished tasks are kept, and running ones continue from their last state",
        introduction=_INTRODUCTION,
        resume_tip="Finish the benchmark that is chosen, or add the planners and seeds that are ticked; nothing is "
        "computed twice. It keeps its own allowance, budget and first seed",
        progress="Share of the tasks that is done",
        saved_results="Earlier benchmarks",
        no_saved_results="No earlier benchmark",
    )

    def _make_form(self) -> BenchmarkForm:
        self.form = BenchmarkForm()
        return self.form

    def _build(self) -> None:
        self.table, self.curves = PlannersTable(), ConvergenceView()
        self.tasks = TableModel[TaskStatus](TASK_COLUMNS, self, key=lambda row: row.task, row_tip=TaskStatus.failure)
        self.deployment = TableModel[DeploymentRow](DEPLOYMENT_COLUMNS, self, key=lambda row: row)
        self.tasks_view, self.deployment_view = QTableView(), QTableView()
        self.work_page = self.tasks_view
        self.remarks = plain_label(wordWrap=True)
        self.menu: QMenu | None = None
        self._drawn: Path | None = None
        self._lay_out()
        self._controller.changed.connect(self._show_work)
        self.pages.currentChanged.connect(self._draw_visible_curves)
        self.table.opened.connect(self.play)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.table.chosen.connect(self._on_selected)
        self.curves.chosen.connect(self._on_chosen)

    # -- for others --------------------------------------------------------------------------------------------------
    def play(self, task: PlannerTask) -> None:
        """Compute the fire of a finished task for the map; refuse one that cannot be computed."""
        spec = self._controller.spec_of(task)
        if spec is not None:
            self._queue.show_member(task_name(task), spec)

    def compare(self, one: PlannerTask, other: PlannerTask) -> None:
        """Show two tasks on the map: what ``one`` leaves of the fire of ``other``."""
        spec = self._controller.comparison_of(one, other)
        if spec is not None:
            against = task_name(other)
            self._queue.show_evaluation(
                EvaluationRequest(task_name(one), spec, against=against, compare=CompareMode.DIFFERENCE)
            )

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.tasks_view, self.tasks, "Tasks of the benchmark", copy=self.copy)
        show_table(self.deployment_view, self.deployment, "Best planner for the time you have", copy=self.copy)
        add_shortcut(self.table, "Ctrl+C", self.copy)
        note = ElidedLabel(DEPLOYMENT_NOTE, role="muted")
        self._decisions = column(self.deployment_view, note, stretch=self.deployment_view)
        self.remarks.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.remarks.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remarks.setContentsMargins(4, 4, 4, 4)
        show = "Show the fire of the selected line on the map (double-click); of several seeds the best"
        both = "Show both selected lines on the map: No drops is the worse, Plan the better, Saved the difference"
        every = "Copy the CSV sheets, LaTeX tables and figures into a folder"
        lines = (self.table, self.curves)
        self._lay_out_pages(
            (
                ("Table", self.table), ("Convergence", self.curves), ("Best planner for your time", self._decisions),
                ("Tasks", self.tasks_view), ("Notes", scroll_area(self.remarks)),
            ),
            PanelButton("show", "Show", show, self._play_selected, lines),
            PanelButton("compare", "Compare", both, self._compare_selected, lines),
            self._copy_button(self.table, self._decisions, self.tasks_view),
            PanelButton("export", "Export…", every, self._export),
        )  # fmt: skip

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _settings(self) -> BenchmarkSettings:
        return self.form.settings()

    def _show_settings(self, saved: SavedBenchmark) -> None:
        self.form.set_settings(saved.header.settings)

    def _find_problems(self) -> Sequence[Problem]:
        return missing_requirements(self._session.project, self.form.settings())

    def _enabled(self) -> dict[str, bool]:
        shown, selected = self._controller.shown, len(self.table.best)
        some = shown is not None and shown.table is not None
        return {"show": selected == 1, "compare": selected == 2, "copy": some, "export": some}

    def _front(self) -> QAbstractItemView:
        page = self.pages.currentWidget()
        return next((view for view in (self.table, self.tasks_view) if view is page), self.deployment_view)

    # -- events ------------------------------------------------------------------------------------------------------
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
        """Select the line that was clicked in the chart in the table too."""
        self.table.choose(tasks)
        self.curves.choose(tasks)
        self._refresh()

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _show(self) -> None:
        shown = self._controller.shown
        table = None if shown is None else shown.table
        cell_ha = 1.0 if shown is None else shown.project.scenario.grid.cell_area_ha
        columns = columns_in(self._session.units, cell_ha)
        self.table.show_table(table, regions=shown is None or bool(shown.project.regions), columns=columns)
        self.deployment.set_rows(deployment_rows(table))
        self._show_work()
        self._draw_curves()
        if self.table.all_chosen:  # A seed that has just finished belongs to the line of its planner.
            self.curves.choose(self.table.all_chosen)
        if self._shown_folder != self._drawn:
            self._drawn = self._shown_folder
            self.curves.chart.fit()
        if shown is None or table is None:
            self.head.setText(NOTHING if shown is None else "Preparing…")
            self.remarks.setText("")
        else:
            self.head.setText(head_text(table, shown.project))
            self.remarks.setText("\n\n".join(notes(table, shown.header, shown.project)))

    def _show_work(self) -> None:
        """List the tasks, and draw the curves so far if they are visible."""
        controller = self._controller
        table = None if controller.shown is None else controller.shown.table
        running = controller.running if controller.shows_running else ()
        self.tasks.set_rows(() if table is None else task_rows(table, running, controller.failed))
        if controller.shows_running:
            self._draw_visible_curves()

    def _draw_visible_curves(self) -> None:
        if self.curves.isVisible():
            self._draw_curves()

    def _draw_curves(self) -> None:
        controller = self._controller
        table = None if controller.shown is None else controller.shown.table
        self.curves.show_table(table, controller.trails if controller.shows_running else {})

    def _conclusion(self) -> str:
        table = None if self._controller.shown is None else self._controller.shown.table
        return "" if table is None or not table.complete else conclusion_text(table)

    def _cost(self) -> str:
        return cost_text(self.form.settings(), self._controller.pace, self._simulation_seconds)
