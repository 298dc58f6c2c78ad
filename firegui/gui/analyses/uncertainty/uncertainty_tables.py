"""Tables of an ensemble: the paper's summary, and its members."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import QTableView, QWidget

from firegui.analyses.uncertainty.summary import Summary, SummaryRow, summarised
from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.gui.base.number_text import number
from firegui.gui.widgets.table_model import MISSING, Column, TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table

NAMES = {
    "final_extent": "Final size, cells",
    "final_area": "Final size, ha",
    "exposure": "Exposure, cell-days",
    "protected": "Protected, cells",
    "protected_exposure": "Protected, cell-days",
}
_TIPS = {
    "final_extent": "sum of the probabilities that cells have burned at the end of the plan",
    "final_area": "the same in hectares",
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

    def show(self, ensemble: Ensemble | None, *, regions: bool) -> None:
        """Show another ensemble, or none; the selected member stays selected."""
        selected = self.selected_member
        if ensemble is None or not ensemble.members:
            self.summary.set_rows((), ())
        else:
            summary = summarised(ensemble, regions=regions)
            self.summary.set_rows(summary.rows, _summary_columns(summary))
        if ensemble is None:
            self.members.set_rows((), ())
        else:
            self.members.set_rows(range(ensemble.members), _member_columns(ensemble, regions))
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


def _summary_columns(summary: Summary) -> tuple[Column, ...]:
    return (*_BASELINE, *_PLAN) if any(row.plan is not None for row in summary.rows) else _BASELINE


def _member_columns(ensemble: Ensemble, regions: bool) -> tuple[Column, ...]:
    columns = [Column("Fire", lambda member: member, tip="numbered from 0, as in ensemble.csv", is_text=True)]
    for protected in (False, True) if regions else (False,):
        title = "Cells in regions" if protected else "Cells"
        tip = "final extent" + (" inside the protected regions" if protected else "") + ", cells"
        if ensemble.has_plan:
            gain = ensemble.benefit(protected=protected)
            columns.append(_of(title, "saved", f"{tip}, without drops less that with the plan", gain))
        columns.append(_of(title, "no drops", tip, ensemble.final(BASELINE, protected=protected)))
        if ensemble.has_plan:
            columns.append(_of(title, "plan", f"{tip}, with the plan", ensemble.final(PLAN, protected=protected)))
    if ensemble.weather:
        winds = ensemble.weather
        columns += [
            _of("Wind", "speed ×", "factor on the wind speed", [wind.speed_factor for wind in winds]),
            _of("Wind", "turned, °", "counter-clockwise", [math.degrees(wind.direction) for wind in winds]),
            _of("Wind", "later, h", "how much later the weather comes", [wind.delay_h for wind in winds]),
        ]
    return tuple(columns)


def _of(title: str, unit: str, tip: str, values: Sequence[Any] | Any) -> Column:
    return Column(title, lambda member: float(values[member]), number, tip, unit)


def _share(value: float | None, error: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:.1%}" + ("" if error is None or math.isnan(error) else f" ± {error:.1%}")


_BASELINE = (
    Column("Quantity", lambda row: row.quantity, NAMES.__getitem__, is_text=True, sort_key=list(NAMES).index,
           cell_tip=lambda row: _TIPS[row.quantity]),
    Column("No drops", lambda row: row.baseline.mean, number, "over the fires", "mean"),
    Column("No drops", lambda row: row.baseline.sd, number, "over the fires", "sd"),
)  # fmt: skip
_PLAN = (
    Column("Plan", lambda row: row.plan.mean, number, "over the fires", "mean"),
    Column("Plan", lambda row: row.plan.sd, number, "over the fires", "sd"),
    Column("Reduction", lambda row: row.benefit, lambda benefit: _share(benefit.reduction, benefit.reduction_error),
           "of the mean, with its standard error", sort_key=lambda benefit: benefit.reduction),
    Column("Plan worse", lambda row: row.benefit, lambda benefit: _share(benefit.worse, benefit.worse_error),
           "share of the fires in which more burns with the plan, with its standard error",
           sort_key=lambda benefit: benefit.worse),
)  # fmt: skip
