"""Margin panel: the cost of plans with more margin, and what the worst case leaves of the fire."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QTableView, QWidget

from firegui.analyses.margin.report import SHORT_TITLES, curve_notes, plan_title
from firegui.analyses.margin.results import curve_csv
from firegui.analyses.requests import MarginRequest
from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginCurveSettings, MarginPoint
from firegui.domain.project import Project
from firegui.domain.stress import left_in_text
from firegui.domain.units import Units, percent_text
from firegui.errors import Problem
from firegui.gui.analyses.margin.margin_controller import MarginController, SavedCurve
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import column, muted_label, scroll_area
from firegui.gui.base.number_text import about_text, duration, number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart, faded
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table
from firegui.runs.messages import counted

_NEAR_PX, _PADDING = 12.0, 0.1
_NAMES_Z, _POINTS_Z = 5, 10
"""The names lie above the line and below the points."""
_RIGHT = 0.7
"""The names of points in the last part of the chart are on their left."""
_SPACE = "\u2002"
"""Space between a point and its name."""
_Y = "worst share of the growth left, %"
_FIXED, _REPLANNED = "as planned", "replanned, mean of the drops flown"


ABOVE = "▲ "
"""Prefix of a share above the limit, which also has the colour of a warning."""
_GROWTH = "share of the fire's growth that is left: what burns beyond the start, over the same without drops"
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


class MarginChart(Chart):
    """Chart with a point per plan.

    A line joins the plans that no other beats in both drops and worst share. The point under the mouse is read out, and
    a click selects it.
    """

    picked = Signal(object)
    """The ``MarginPoint`` that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "drops", parent)
        self.set_whole("bottom")
        # Room for the names beside the points.
        self.item.vb.setDefaultPadding(_PADDING)
        self._front = self.add_curve("accent", name="front", width=1.4)
        self._fixed = self.add_curve("accent", name=_FIXED, width=0.0, symbol=9.0)
        self._replanned = self.add_curve("retardant", name=_REPLANNED, width=0.0, symbol=9.0)
        self._chosen = self.add_curve("text", name="chosen", width=0.0, symbol=15.0, alpha=70)
        for index in (self._fixed, self._replanned, self._chosen):
            self._curves[index].item.setZValue(_POINTS_Z)
        self._curve: MarginCurve | None = None
        self._places = np.empty((0, 2))
        self._labels: list[Any] = []
        self.title.hide()
        self.setToolTip("Click a point to show its plan on the map")
        self.plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.plot.scene().sigMouseClicked.connect(self._on_mouse_clicked)

    @property
    def labels(self) -> list[str]:
        """The names next to the points."""
        return [label.toPlainText().strip() for label in self._labels]

    def place_of(self, point: MarginPoint) -> QPointF:
        """Return the position of a point in scene coordinates."""
        return QPointF(self.item.vb.mapViewToScene(QPointF(point.drops, 100.0 * point.worst_share)))

    def show_curve(self, curve: MarginCurve | None) -> None:
        """Draw a curve; ``None`` clears the chart."""
        self._curve = curve
        points = () if curve is None else curve.points
        places = self._places = _places(points)
        replanned = np.array([point.plan is CurvePlan.REPLANNED for point in points], bool)
        for index, chosen in ((self._fixed, ~replanned), (self._replanned, replanned)):
            self.set_curve(index, places[chosen, 0], places[chosen, 1])
        front = _places(() if curve is None else curve.front)
        self.set_curve(self._front, front[:, 0], front[:, 1])
        self.set_level(None if curve is None else 100.0 * curve.limit)
        self._draw_labels()
        self._read_out(None)
        self.fit()

    def choose(self, point: MarginPoint | None) -> None:
        """Mark the point whose plan is selected, or none."""
        place = _places(() if point is None else (point,))
        self.set_curve(self._chosen, place[:, 0], place[:, 1])

    def set_colors(self, colors: Colors) -> None:
        """Use the colours of a theme."""
        super().set_colors(colors)
        if getattr(self, "_labels", None):
            self._draw_labels()

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def _point_at(self, place: QPointF) -> MarginPoint | None:
        if self._curve is None or not len(self._places) or not self.item.vb.sceneBoundingRect().contains(place):
            return None
        view = self.item.vb.mapSceneToView(place)
        away = (self._places - [view.x(), view.y()]) / np.array(self.item.vb.viewPixelSize())
        distances = np.hypot(away[:, 0], away[:, 1])
        nearest = int(np.argmin(distances))
        return self._curve.points[nearest] if distances[nearest] <= _NEAR_PX else None

    def _on_mouse_moved(self, place: QPointF) -> None:
        self._read_out(self._point_at(place))

    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (point := self._point_at(event.scenePos())) is not None:
            self.picked.emit(point)

    # -- drawing -----------------------------------------------------------------------------------------------------
    def _read_out(self, point: MarginPoint | None) -> None:
        if point is not None and self._curve is not None:
            title = plan_title(point.plan, self._curve.settings)
            left = left_in_text(point.worst_share, point.worst_scenario, self._curve.limit)
            self.set_title("", Piece(f"{title}: {number(point.drops)} drops, {left}", "accent"))
            return
        if self._curve is None or not self._curve.points:
            self.set_title("")
            return
        replanned = len(self.curve_points(self._replanned)[0]) > 0
        pieces = [Piece(_Y), Piece(_FIXED, "accent"), *([Piece(_REPLANNED, "retardant")] if replanned else [])]
        self.set_title("", *pieces, Piece(f"limit {percent_text(self._curve.limit)}", "muted"))

    def _draw_labels(self) -> None:
        for label in self._labels:
            self.item.removeItem(label)
        self._labels = []
        colors, across = current_colors(), self._places[:, 0]
        for point, (x, y) in zip(() if self._curve is None else self._curve.points, self._places, strict=True):
            name, at_right = SHORT_TITLES[point.plan], x > across.min() + _RIGHT * np.ptp(across)
            text, side = (f"{name}{_SPACE}", 1.0) if at_right else (f"{_SPACE}{name}", 0.0)
            # The background separates the text from the line.
            label = pg.TextItem(text, colors.text, anchor=(side, 0.5), fill=pg.mkBrush(faded(colors.base, 170)))
            label.setPos(x, y)
            label.setZValue(_NAMES_Z)
            self.item.addItem(label, ignoreBounds=True)
            self._labels.append(label)


def _places(points: Sequence[MarginPoint]) -> np.ndarray[Any, Any]:
    """Return abscissa and ordinate ``[N, 2]`` of points."""
    return np.array([[point.drops, 100.0 * point.worst_share] for point in points], float).reshape(-1, 2)


@lru_cache(maxsize=8)
def margin_columns(limit: float, settings: MarginCurveSettings, units: Units = Units.METRIC) -> tuple[Column, ...]:
    """Return the columns of a curve with these settings, with volumes in ``units``.

    Shares above ``limit`` are marked.
    """

    def worst_text(point: MarginPoint) -> str:
        left = left_in_text(point.worst_share, point.worst_scenario, limit)
        return f"{ABOVE if point.worst_share > limit else ''}{left}"

    return (
        Column("Margin", lambda point: SHORT_TITLES[point.plan], tip="the margin that the plan is made with",
               is_text=True, cell_tip=lambda point: plan_title(point.plan, settings)),
        Column("Drops", lambda point: point.drops, "{:,.0f}".format,
               "drops of the plan; with replanning, the mean number flown"),
        Column("Volume", lambda point: point.gallons, "{:,.0f}".format,
               "what the drops of the plan carry; not known with replanning", units.volume_unit,
               units.volume_value(1.0)),
        Column("Growth left", lambda point: point.nominal_share, percent_text, f"{_GROWTH}; in the model's own world",
               "model"),
        Column("Worst scenario", lambda point: point, worst_text,
               f"the scenario with the largest {_GROWTH}; largest over the draws. {ABOVE.strip()}: above the limit of "
               f"{percent_text(limit)}", is_text=True, sort_key=lambda point: point.worst_share,
               color=lambda point: "error" if point.worst_share > limit else None),
        Column("Time", lambda point: point.seconds, duration, "time to make the plan, without its tests"),
    )  # fmt: skip


class MarginForm(QWidget):
    """Form of a margin curve of the open project; its settings are saved with the curve."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = SettingsForm(MarginCurveSettings())
        self._project: Project | None = None
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        self.fields.add_rows(form, units=True)
        self.fields.changed.connect(self.changed)

    def show_project(self, project: Project) -> None:
        """Use ``project`` for the curves."""
        self._project = project

    def set_settings(self, settings: MarginCurveSettings) -> None:
        """Show other settings."""
        self.fields.set_value(settings)

    def request(self) -> MarginRequest:
        """Return the request for the curve."""
        return MarginRequest(self.fields.value())

    def problems(self) -> tuple[Problem, ...]:
        """Return why the curve of the project cannot be made."""
        project = self._project
        if project is None:
            return ()
        own = self.fields.value().problems(project.stress, project.scenario.steps_per_day)
        return (*project.problems(), *own)


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
