"""Margin panel: the cost of plans with more margin, and what the worst case leaves of the fire."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QTableView

from firegui.analyses.margin.report import curve_notes
from firegui.analyses.margin.results import curve_csv
from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginPoint
from firegui.domain.units import percent_text
from firegui.errors import Problem
from firegui.gui.analyses.margin.margin_chart import MarginChart
from firegui.gui.analyses.margin.margin_columns import margin_columns
from firegui.gui.analyses.margin.margin_controller import MarginController, SavedCurve
from firegui.gui.analyses.margin.margin_form import MarginForm
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.base.layouts import column, muted_label, scroll_area
from firegui.gui.base.number_text import about_text
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table
from firegui.runs.messages import counted

_SHOW = "Show the plan of the chosen line as a run, on the map (double-click, or a click on its point)"
_ABOUT = (
    "Makes a plan without margin, with the cautious and with the stress margin, and tests each in every scenario; the "
    "last once more with replanning, which may take longest. Goal and search sets limit ({limit}) and seed "
    "({seed})."
)
_LOWEST_PX = 60
_INTRODUCTION = (
    "Shows how many more drops a safer plan needs, and how much of the fire is left in its worst scenario. It needs "
    "stress scenarios, and no plan. It makes three plans and tests each."
)


class MarginPanel(AnalysisPanel[MarginController, SavedCurve]):
    """Form of a margin curve, its chart, its table and its caveats."""

    texts = AnalysisTexts(
        thing="margin curve",
        start="Make curve",
        start_tip="Make a plan for each margin and test it; the project is saved first",
        stop_tip="Stop within a second; plans that are done are kept",
        introduction=_INTRODUCTION,
        resume_tip="Finish the margin curve that is chosen; plans that are done are kept",
        progress="Share of the margin curve that is done",
        saved_results="Earlier margin curves",
        no_saved_results="No earlier margin curve",
        nothing="No margin curve is shown: make one, or open an earlier one.",
    )

    def _make_form(self) -> MarginForm:
        self.form = MarginForm()
        return self.form

    def _build(self) -> None:
        self.model = TableModel[MarginPoint]((), self, key=lambda point: point.plan)
        self.table, self.chart, self.approximate = QTableView(), MarginChart(), muted_label()
        self._lay_out()
        self._session.project_edited.connect(self._on_project)
        self.chart.picked.connect(self.open_point)
        self.table.activated.connect(lambda _index: self.show_chosen())
        self.table.selectionModel().selectionChanged.connect(self._on_selected)

    # -- for others --------------------------------------------------------------------------------------------------
    def open_point(self, point: MarginPoint) -> None:
        """Show the plan of a point as a run, and select its line."""
        if point in self.model.rows:
            select_row(self.table, self.model.place(self.model.rows.index(point)))
        folder = self._controller.run_folder(point)
        if folder is not None:
            self._queue.show_folder(folder)

    def show_chosen(self) -> None:
        """Show the plan of the selected line as a run."""
        if (point := self._selected) is not None:
            self.open_point(point)

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.table, self.model, "Plans of the margin curve", copy=self.copy, is_sortable=False)
        self.table.setMinimumHeight(_LOWEST_PX)
        self.notes_page = scroll_area(column(self.approximate, margins=(2, 4, 4, 0)), horizontal=False)
        result = (self.chart, self.table, self.notes_page)
        self._lay_out_pages(
            (("Curve", self.chart), ("Table", self.table), ("What is approximate", self.notes_page)),
            PanelButton("show", "Show plan", _SHOW, self.show_chosen, (self.chart, self.table), show_text=True),
            self._copy_button(self.table),
            PanelButton("csv", "CSV…", "Write a row for each plan as CSV with every digit", self._ask_file,
                        (self.table,)),
            PanelButton("export", "Export…", "Write table and picture into a folder", self._export, result),
        )  # fmt: skip
        self.work_page = self.chart

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _show_settings(self, saved: SavedCurve) -> None:
        self.form.set_settings(saved.header.settings)

    def _on_project(self) -> None:
        if self._session.has_project:
            project = self._session.project
            self.form.show_project(project)
            self.about.setText(
                _ABOUT.format(limit=percent_text(project.plan.margin.limit), seed=project.plan.optimizer.seed)
            )

    def _conclusion(self) -> str:
        curve = self._controller.curve
        return "" if curve is None or not curve.complete else conclusion_text(curve)

    def _cost(self) -> str:
        took = None if self._planned is None else self._planned.seconds
        if not took:
            return "Three plans, and a stress test of each."
        return f"Three plans and a stress test of each: more than {about_text(3 * took).removeprefix('about ')}."

    def _find_problems(self) -> Sequence[Problem]:
        return self.form.problems()

    def _enabled(self) -> dict[str, bool]:
        some = self._curve is not None and bool(self._curve.points)
        settled = some and not self._controller.shows_running
        return {"show": self._selected is not None, "copy": some, "csv": some, "export": settled}

    def _front(self) -> QTableView:
        return self.table

    def _csv(self) -> str:
        return "" if self._curve is None else curve_csv(self._curve)

    def _ask_file(self) -> None:
        self._save_csv("margin.csv")

    # -- what is shown -----------------------------------------------------------------------------------------------
    @property
    def _curve(self) -> MarginCurve | None:
        return self._controller.curve

    @property
    def _selected(self) -> MarginPoint | None:
        rows = selected_rows(self.table)
        return self.model.row(rows[0]) if rows else None

    def _on_selected(self, *_: object) -> None:
        self.chart.choose(self._selected)
        self._refresh()

    def _show(self) -> None:
        curve, chosen = self._curve, self._selected
        if curve is None:
            self.model.set_rows((), ())
        else:
            self.model.set_rows(curve.points, margin_columns(curve.limit, curve.settings, self._session.units))
            plans = [point.plan for point in curve.points]
            if chosen is not None and chosen.plan in plans:
                select_row(self.table, self.model.place(plans.index(chosen.plan)))
        self.chart.show_curve(curve)
        self.chart.choose(self._selected)
        self.approximate.setText("" if curve is None else "\n".join(curve_notes(curve)))
        self._set_head("" if curve is None else head_text(curve))


def conclusion_text(curve: MarginCurve) -> str:
    """Return how many drops a plan needs that holds without replanning, and how many more that is."""
    fixed = [point for point in curve.points if point.plan is not CurvePlan.REPLANNED]
    if not fixed:
        return ""
    limit = percent_text(curve.limit)
    holding = [point for point in fixed if point.worst_share <= curve.limit]
    if not holding:
        best = min(fixed, key=lambda point: point.worst_share)
        left = f"{percent_text(best.worst_share)} of the growth is left in the worst scenario, more than {limit}"
        return f"{WARNING}No plan holds: even with {best.drops:,.0f} drops {left}."
    least = min(holding, key=lambda point: point.drops)
    text = f"A plan that holds in every scenario needs {least.drops:,.0f} drops"
    plain = next((point.drops for point in fixed if point.plan is CurvePlan.NONE), None)
    if plain is None or least.plan is CurvePlan.NONE:
        return f"{text}."
    more = least.drops - plain
    return f"{text}, {abs(more):,.0f} {'more' if more >= 0 else 'fewer'} than one without margin."


def head_text(curve: MarginCurve) -> str:
    """Return one line on what a margin curve was made of and how much of it is done."""
    done = len(curve.points) + len(curve.missing)
    parts = [] if curve.complete else [f"{done} of {counted(len(curve.settings.plans), 'plan')} so far"]
    above = sum(point.worst_share > curve.limit for point in curve.points)
    parts.append(f"{above} of {counted(len(curve.points), 'plan')} above the limit of {percent_text(curve.limit)}")
    if curve.points:
        draws = max(point.draws for point in curve.points)
        parts.append(f"worst of up to {counted(draws, 'draw')} a scenario, test seed {curve.settings.seed}")
    left_out = {name for point in curve.points for name, _ in point.left_out}
    parts += [f"{counted(len(left_out), 'scenario')} left out"] if left_out else []
    parts += [f"{counted(len(curve.missing), 'plan')} missing"] if curve.missing else []
    return " · ".join(parts)
