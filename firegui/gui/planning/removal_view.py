"""Removal curve of a run as charts and a table, and the choice of one of its points as the plan."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget, QTableView, QWidget

from firegui.domain.removal_curve import RemovalCurve, RemovalPoint
from firegui.domain.units import Units, amount_text
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import horizontal, muted_label, splitter, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.charts.chart import Chart
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.empty_charts import why_no_curve
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table

_NO_RUN = "No run is shown."
_HOW = "Click a point, or select a row, to see its numbers."
_SYMBOL = 6.0
_LEFT, _RIGHT = 440, 360
_LEAST_CELLS = 0.5
"""Protected cells below which nothing is shown of the regions."""
_LEAST_RANGE, _LEAST = 0.2, 0.1
"""Least height of a chart: a share of the largest value, and a value."""


class RemovalChart(Chart):
    """Chart of one number of the fire against drops.

    Points that exceed a limit of a margin have another colour.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "drops", parent)
        self.set_whole("bottom")
        self._name = name
        self._holds = self.add_curve("accent", name=name, width=2.0, symbol=_SYMBOL)
        self._exceeds = self.add_curve("warning", name=f"{name}, exceeds a limit", width=0.0, symbol=_SYMBOL)

    def draw_points(self, points: tuple[RemovalPoint, ...], values: tuple[float, ...]) -> None:
        """Draw the value of each point."""
        drops, heights = np.array([point.drops for point in points], float), np.array(values, float)
        bad = np.array([exceeds_limit(point) for point in points], bool)
        # Differences that mean nothing must not fill the chart.
        self.item.vb.setLimits(yMin=0.0, minYRange=max(_LEAST_RANGE * float(heights.max(initial=0.0)), _LEAST))
        self.set_curve(self._holds, drops[~bad][::-1], heights[~bad][::-1])
        self.set_curve(self._exceeds, drops[bad][::-1], heights[bad][::-1])

    def rename(self, name: str) -> None:
        """Give the chart another name."""
        self._name = name
        self.set_title(name)

    def show_value(self, point: RemovalPoint | None, value: float | None) -> None:
        """Show the selected point in the title and by the cursor."""
        self.set_cursor(None if point is None else float(point.drops))
        if point is None:
            self.set_title(self._name)
        else:
            role = "warning" if exceeds_limit(point) else "accent"
            self.set_title(self._name, Piece(f"{amount_text(value)} with {point.drops:,} drops", role))


@dataclass(frozen=True, slots=True)
class CurveRow:
    """Row of the table: a point, its hectares at the end, and its burned protected hectares and cells."""

    point: RemovalPoint
    extent_ha: float
    protected_ha: float
    protected_cells: float


def curve_columns(units: Units) -> tuple[Column, ...]:
    """Return the columns of the table, with areas in ``units``."""
    return (
        Column("Drops", lambda row: row.point.drops, lambda value: f"{value:,}", "planned drops"),
        Column("Fire at the end", lambda row: units.area_value(row.extent_ha), amount_text, unit=units.area_unit),
        Column("Protected", lambda row: units.area_value(row.protected_ha), amount_text, "protected area burned",
               units.area_unit,
               cell_tip=lambda row: f"protected area burned; in cells: {amount_text(row.protected_cells)}"),
        Column(
            "Worst scenario", lambda row: row.point.excess, lambda value: f"{value:.2f}",
            "share of the growth that is left in the worst scenario, divided by its limit; a plan holds up to 1",
            "÷ limit", missing="not tested", color=lambda row: "warning" if exceeds_limit(row.point) else None,
        ),
    )  # fmt: skip


class RemovalView(QWidget):
    """Charts and table of a removal curve, and what can be done with its selected point."""

    show_requested = Signal(object, int)
    """Show the point with this index of the curve of this ``RunEntry`` on the map."""
    use_requested = Signal(object, int)
    """Make the point with this index of the curve of this ``RunEntry`` a plan of its own."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry: RunEntry | None = None
        self._curve: RemovalCurve | None = None
        self._drops: int | None = None
        self._units = Units.METRIC
        self.extent, self.protected = RemovalChart("Fire at the end, ha"), RemovalChart("Protected area burned, ha")
        self.table, self.model = QTableView(), TableModel[CurveRow](curve_columns(Units.METRIC), self)
        self.text, self.note = muted_label(_HOW), muted_label()
        self.show_button, self.use_button = QPushButton("Show on map"), QPushButton("Use this plan")
        self._pages = QStackedWidget()
        self._lay_out()
        for chart in self.charts:
            chart.clicked.connect(self._on_clicked)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self.table.doubleClicked.connect(lambda _index: self._request(self.show_button))
        self.show_button.clicked.connect(lambda _checked=False: self._request(self.show_button))
        self.use_button.clicked.connect(lambda _checked=False: self._request(self.use_button))

    @property
    def charts(self) -> tuple[RemovalChart, ...]:
        """The charts."""
        return self.extent, self.protected

    @property
    def selected(self) -> int | None:
        """Index of the selected point on the curve, ``None`` where none is selected."""
        return None if self._curve is None or self._drops is None else self._curve.place_of(self._drops)

    def show_run(self, entry: RunEntry | None, units: Units = Units.METRIC) -> None:
        """Show the curve of a run in ``units``, or why there is none."""
        if units is not self._units:
            self._units, self._curve = units, None
            self.extent.rename(f"Fire at the end, {units.area_unit}")
            self.protected.rename(f"Protected area burned, {units.area_unit}")
            self.model.set_rows((), curve_columns(units))
        if entry is not self._entry:
            self._entry, self._drops = entry, None
            for chart in self.charts:
                chart.fit()
        curve = None if entry is None else entry.curve
        if curve is None or not len(curve):
            self._curve = None
            self.note.setText(_NO_RUN if entry is None else why_no_curve(entry))
            self._pages.setCurrentIndex(1)
            return
        self._pages.setCurrentIndex(0)
        if curve is not self._curve:
            self._curve = curve
            self._draw(curve)
        self._show_selected()

    def select(self, drops: int) -> None:
        """Select the point with so many drops."""
        if self._curve is not None and self._curve.place_of(drops) is not None:
            self._drops = drops
            self._show_selected()

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _draw(self, curve: RemovalCurve) -> None:
        self.extent.draw_points(curve.points, self._extents(curve))
        has_protected = burns_protected(curve) and not math.isnan(self._cell_ha)
        if has_protected:
            self.protected.draw_points(curve.points, self._protected(curve))
        self.protected.setVisible(has_protected)
        for chart in self.charts:
            chart.set_marks([(float(curve.taken), "this run's plan")] if curve.taken >= 0 else [])
            chart.update_axes()
        areas = [cells * self._cell_ha for cells in curve.protected()]
        values = zip(curve.points, curve.extents(), areas, curve.protected(), strict=True)
        self.model.set_rows(tuple(CurveRow(*row) for row in values))
        self.table.setColumnHidden(2, not has_protected)
        self.table.setColumnHidden(3, not curve.has_margin)

    def _show_selected(self) -> None:
        place, curve = self.selected, self._curve
        point = None if place is None or curve is None else curve.points[place]
        for chart, values in zip(self.charts, self._values(), strict=True):
            chart.show_value(point, None if place is None else values[place])
        self.text.setText(
            _HOW if point is None or curve is None else point_text(curve, point, self._cell_ha, self._units)
        )
        can_show = point is not None and self._entry is not None and self._entry.project is not None
        self.show_button.setEnabled(can_show)
        self.use_button.setEnabled(can_show and self._entry is not None and not self._entry.read_only)
        if place is None:
            self.table.clearSelection()
        elif selected_rows(self.table) != [place]:
            select_row(self.table, place)

    def _extents(self, curve: RemovalCurve) -> tuple[float, ...]:
        return tuple(self._units.area_value(extent) for extent in curve.extents())

    def _protected(self, curve: RemovalCurve) -> tuple[float, ...]:
        return tuple(self._units.area_value(cells * self._cell_ha) for cells in curve.protected())

    @property
    def _cell_ha(self) -> float:
        """Hectares of a cell of the run; not a number where its project is lost."""
        project = None if self._entry is None else self._entry.project
        return math.nan if project is None else project.scenario.grid.cell_area_ha

    def _values(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return ((), ()) if self._curve is None else (self._extents(self._curve), self._protected(self._curve))

    # -- events ------------------------------------------------------------------------------------------------------
    def _on_clicked(self, drops: float) -> None:
        if self._curve is not None:
            self.select(min((point.drops for point in self._curve.points), key=lambda count: abs(count - drops)))

    def _on_selected(self, *_: object) -> None:
        rows, curve = selected_rows(self.table), self._curve
        # While rows are replaced the table may still have those of another curve.
        if rows and curve is not None and rows[0] < len(curve) and rows[0] != self.selected:
            self.select(curve.points[rows[0]].drops)

    def _request(self, button: QPushButton) -> None:
        place = self.selected
        if place is not None and button.isEnabled():
            signal = self.use_requested if button is self.use_button else self.show_requested
            signal.emit(self._entry, place)

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.table, self.model, "Points of the removal curve", is_sortable=False)
        self.show_button.setToolTip(
            tooltip("Compute the fire with the plan of the selected point and show it on the map")
        )
        self.use_button.setToolTip(
            tooltip("Save the plan of the selected point as a run of its own, scored and audited")
        )
        for label, name in ((self.text, "Selected point"), (self.note, "Removal curve")):
            label.setAccessibleName(name)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note.setMargin(24)
        left, right, whole = QWidget(), QWidget(), QWidget()
        vertical(self, (self._pages, 1), margins=0)
        for page in (whole, self.note):
            self._pages.addWidget(page)
        vertical(whole, (splitter(left, right, (_LEFT, _RIGHT), wide=0), 1), margins=0)
        horizontal(left, (self.extent, 1), (self.protected, 1), margins=0)
        vertical(
            right, (self.table, 1), self.text, horizontal(None, self.show_button, self.use_button, 1, margins=0),
            margins=0, spacing=4,
        )  # fmt: skip


def burns_protected(curve: RemovalCurve) -> bool:
    """Return whether a plan of the curve lets a protected cell burn."""
    return max(curve.protected(), default=0.0) >= _LEAST_CELLS


def exceeds_limit(point: RemovalPoint) -> bool:
    """Return whether the plan of a point was tested and exceeds a limit of the margin."""
    return point.is_tested and point.excess > 1.0


def point_text(curve: RemovalCurve, point: RemovalPoint, cell_ha: float, units: Units = Units.METRIC) -> str:
    """Return the numbers of a point in words."""
    place = curve.place_of(point.drops)
    assert place is not None
    extent, protected = curve.extents()[place], curve.protected()[place]
    sentences = [f"{point.drops:,} drops: {units.area(extent)} burned at the end"]
    if burns_protected(curve) and not math.isnan(cell_ha):
        sentences[0] += f", {units.area(protected * cell_ha)} of it protected"
    sentences.append(f"At {'expected' if curve.is_scored else 'cautious'} effectiveness")
    if exceeds_limit(point):
        sentences.append(f"The worst scenario exceeds its limit at least {point.excess:.2f} times")
    elif point.is_tested:
        sentences.append("The plan holds in every scenario")
    elif curve.has_margin:
        sentences.append("The scenarios were not tested again with this plan")
    if point.drops == curve.taken:
        sentences.append("It is the plan of this run")
    return ". ".join(sentences) + "."
