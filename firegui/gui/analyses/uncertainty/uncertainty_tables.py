"""Tables of an ensemble: the paper's summary, and its members."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import QTableView, QWidget

from firegui.analyses.uncertainty.summary import Summary, SummaryRow, summarised
from firegui.domain.ensemble import BASELINE, PLAN, Ensemble, EnsembleSpread
from firegui.domain.units import Units, amount_text, sampled_percent_text
from firegui.gui.base.number_text import number
from firegui.gui.widgets.table_model import MISSING, Column, TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table

_NAMES = {
    "final_extent": "Final size, {area}",
    "exposure": "Exposure, {area_days}",
    "protected": "Protected, {area}",
    "protected_exposure": "Protected, {area_days}",
}
"""Quantities of the summary in their order; the areas of the file's ``final_area`` are those of ``final_extent``."""
_TIPS = {
    "final_extent": "sum of the probabilities that cells have burned at the end of the plan, as an area",
    "exposure": "sum of the same over the ends of days",
    "protected": "final extent inside the protected regions, each cell once",
    "protected_exposure": "sum over the ends of days inside the protected regions",
}


class EnsembleTables(QObject):
    """Summary and members of an ensemble in two views, which the panel lays out.

    Ctrl+C in them calls ``copy``.
    """

    member_activated = Signal(int)
    """A member was double-clicked, or entered."""
    selection_changed = Signal()
    """The selected member changed, or was deselected."""

    def __init__(self, parent: QWidget, copy: Callable[[], object]) -> None:
        super().__init__(parent)
        self.summary = TableModel[SummaryRow]((), self, key=lambda row: row)
        self.members = TableModel[int]((), self)
        self.summary_view, self.members_view = QTableView(parent), QTableView(parent)
        self._sorted_with: tuple[str, ...] = ()
        show_table(self.summary_view, self.summary, "Summary of the ensemble", copy=copy)
        show_table(self.members_view, self.members, "Fires of the ensemble", copy=copy)
        self.members_view.activated.connect(self._on_activated)
        self.members_view.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())

    def show(self, ensemble: Ensemble | None, *, regions: bool, units: Units = Units.METRIC) -> None:
        """Show another ensemble with areas in ``units``, or none; the selected member stays selected."""
        selected = self.selected_member
        if ensemble is None or not ensemble.members:
            self.summary.set_rows((), ())
        else:
            summary = summarised(ensemble, regions=regions)
            cell = units.area_value(ensemble.cell_area_ha)
            rows = [_scaled(row, cell) for row in summary.rows if row.quantity in _NAMES]
            self.summary.set_rows(rows, _summary_columns(summary, units, cell))
        if ensemble is None:
            self.members.set_rows((), ())
        else:
            self.members.set_rows(range(ensemble.members), _member_columns(ensemble, regions, units))
        self._sort_members()
        if selected is not None and selected < self.members.rowCount():
            select_row(self.members_view, self.members.place(selected))

    @property
    def selected_member(self) -> int | None:
        """Number of the selected member."""
        rows = selected_rows(self.members_view)
        return self.members.row(rows[0]) if rows else None

    def _sort_members(self) -> None:
        """Sort the members by the benefit of the plan, the least first, until the user sorts otherwise."""
        titles = self.members.titles
        if titles and titles != self._sorted_with:
            self._sorted_with = titles
            saved = "saved" in titles[1]
            order = Qt.SortOrder.AscendingOrder if saved else Qt.SortOrder.DescendingOrder
            self.members_view.sortByColumn(1, order)

    def _on_activated(self, index: QModelIndex) -> None:
        self.member_activated.emit(self.members.row(index.row()))


def _scaled(row: SummaryRow, cell: float) -> SummaryRow:
    """Return a row in cells with the area of a ``cell`` in place of a cell. Shares stay."""

    def area(spread: EnsembleSpread) -> EnsembleSpread:
        return replace(spread, mean=cell * spread.mean, sd=cell * spread.sd)

    return replace(row, baseline=area(row.baseline), plan=None if row.plan is None else area(row.plan))


def _summary_columns(summary: Summary, units: Units, cell: float) -> tuple[Column, ...]:
    def name(quantity: str) -> str:
        return _NAMES[quantity].format(area=units.area_unit, area_days=units.area_days_unit)

    def tip(row: SummaryRow) -> str:
        cells = f"{row.baseline.mean / cell:,.0f}" + ("" if row.plan is None else f"; {row.plan.mean / cell:,.0f}")
        return f"{_TIPS[row.quantity]}\nin cells: {cells}"

    quantity = Column("Quantity", lambda row: row.quantity, name, is_text=True, sort_key=list(_NAMES).index,
                      cell_tip=tip)  # fmt: skip
    has_plan = any(row.plan is not None for row in summary.rows)
    return (quantity, *_BASELINE, *(_PLAN if has_plan else ()))


def _member_columns(ensemble: Ensemble, regions: bool, units: Units) -> tuple[Column, ...]:
    cell = units.area_value(ensemble.cell_area_ha)
    of = partial(_of_area, cell=cell, area=units.area_unit)
    columns = [Column("Fire", lambda member: member, tip="numbered from 0, as in ensemble.csv", is_text=True)]
    for protected in (False, True) if regions else (False,):
        title = "In regions" if protected else "Final size"
        tip = "area that burns" + (" inside the protected regions" if protected else "") + " by the end"
        if ensemble.has_plan:
            gain = ensemble.benefit(protected=protected)
            columns.append(of(title, "saved", f"{tip}, without drops less that with the plan", gain))
        columns.append(of(title, "no drops", tip, ensemble.final(BASELINE, protected=protected)))
        if ensemble.has_plan:
            columns.append(of(title, "plan", f"{tip}, with the plan", ensemble.final(PLAN, protected=protected)))
    if ensemble.weather:
        winds = ensemble.weather
        columns += [
            _of("Wind", "speed ×", "factor on the wind speed", [wind.speed_factor for wind in winds]),
            _of("Wind", "turned, °", "counter-clockwise", [math.degrees(wind.direction) for wind in winds]),
            _of("Wind", "later, h", "how much later the weather comes", [wind.delay_h for wind in winds]),
        ]
    return tuple(columns)


def _of_area(title: str, case: str, tip: str, cells: Sequence[Any] | Any, *, cell: float, area: str) -> Column:
    return Column(
        title, lambda member: cell * float(cells[member]), amount_text, tip, f"{case}, {area}",
        cell_tip=lambda member: f"{float(cells[member]):,.0f} cells",
    )  # fmt: skip


def _of(title: str, unit: str, tip: str, values: Sequence[Any] | Any) -> Column:
    return Column(title, lambda member: float(values[member]), number, tip, unit)


def _share(value: float | None, error: float | None) -> str:
    if value is None:
        return MISSING
    return sampled_percent_text(value, None if error is None or math.isnan(error) else error)


_BASELINE = (
    Column("No drops", lambda row: row.baseline.mean, amount_text, "over the fires", "mean"),
    Column("No drops", lambda row: row.baseline.sd, amount_text, "over the fires", "sd"),
)  # fmt: skip
_PLAN = (
    Column("Plan", lambda row: row.plan.mean, amount_text, "over the fires", "mean"),
    Column("Plan", lambda row: row.plan.sd, amount_text, "over the fires", "sd"),
    Column("Reduction", lambda row: row.benefit, lambda benefit: _share(benefit.reduction, benefit.reduction_error),
           "of the mean, with its standard error", sort_key=lambda benefit: benefit.reduction),
    Column("Plan worse", lambda row: row.benefit, lambda benefit: _share(benefit.worse, benefit.worse_error),
           "share of the fires in which more burns with the plan, with its standard error",
           sort_key=lambda benefit: benefit.worse),
)  # fmt: skip
