"""An ensemble as tables: the paper's summary (section ``uq``), and its members; every column sorts by its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt

from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.gui.base.number_text import number
from firegui.gui.widgets.columns_model import Column, ColumnsModel, Index
from firegui.runs.uq_summary import Summary, SummaryRow

NAMES = {
    "final_extent": "Final extent, cells",
    "final_area": "Final extent, ha",
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


class SummaryModel(ColumnsModel):
    """The paper's table: a line a quantity."""

    def show(self, summary: Summary | None) -> None:
        """Show another summary, or none."""
        if summary is None:
            self.set_rows((), ())
            return
        plans = any(row.plan is not None for row in summary.rows)
        self.set_rows(summary.rows, (*_ALONE, *_PAIRED) if plans else _ALONE)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows; the name of a quantity is explained by its own tip."""
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return _TIPS.get(self._rows[index.row()].quantity, "")
        return super().data(index, role)


class MembersModel(ColumnsModel):
    """A line a member, numbered from 0 as in the files."""

    def show(self, ensemble: Ensemble | None, *, regions: bool) -> None:
        """Show the members of another ensemble, or none."""
        if ensemble is None:
            self.set_rows((), ())
        else:
            self.set_rows(range(ensemble.members), _member_columns(ensemble, regions))

    def member(self, row: int) -> int:
        """The member in a row."""
        return int(self._rows[row])


def _member_columns(ensemble: Ensemble, regions: bool) -> tuple[Column, ...]:
    columns = [Column("Member", "numbered from 0, as in ensemble.csv", str, float)]
    for protected in (False, True) if regions else (False,):
        what = "Protected\n" if protected else "Extent\n"
        tip = "final extent" + (" inside the protected regions" if protected else "") + ", cells"
        if ensemble.has_plan:
            gain = ensemble.benefit(protected=protected)
            columns.append(_of(f"{what}saved", f"{tip}, without drops less that with the plan", gain))
        columns.append(_of(f"{what}no drops", tip, ensemble.final(BASELINE, protected=protected)))
        if ensemble.has_plan:
            columns.append(_of(f"{what}plan", f"{tip}, with the plan", ensemble.final(PLAN, protected=protected)))
    if ensemble.weather:
        winds = ensemble.weather
        columns += [
            _of("Wind\nspeed ×", "factor on the wind speed", [wind.speed_factor for wind in winds]),
            _of("Wind\nturned, °", "counter-clockwise", [math.degrees(wind.direction) for wind in winds]),
            _of("Wind\nlater, h", "how much later the weather comes", [wind.delay_h for wind in winds]),
        ]
    return tuple(columns)


def _of(title: str, tip: str, values: Sequence[Any] | Any) -> Column:
    return Column(title, tip, lambda member: number(float(values[member])), lambda member: float(values[member]))


def _share(value: float | None, error: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1%}" + ("" if error is None or math.isnan(error) else f" ± {error:.1%}")


def _reduction(row: SummaryRow) -> str:
    return "–" if row.benefit is None else _share(row.benefit.reduction, row.benefit.reduction_error)


def _number_of(value: float | None) -> float:
    return math.nan if value is None else value


_ALONE = (
    Column("Quantity", "", lambda row: NAMES[row.quantity], lambda row: list(NAMES).index(row.quantity)),
    Column("No drops\nmean", "over the members", lambda row: number(row.baseline.mean), lambda row: row.baseline.mean),
    Column("No drops\nsd", "over the members", lambda row: number(row.baseline.sd), lambda row: row.baseline.sd),
)  # fmt: skip
_PAIRED = (
    Column("Plan\nmean", "over the members", lambda row: number(row.plan.mean), lambda row: row.plan.mean),
    Column("Plan\nsd", "over the members", lambda row: number(row.plan.sd), lambda row: row.plan.sd),
    Column("Reduction", "of the mean, with its standard error", _reduction,
           lambda row: _number_of(row.benefit.reduction)),
    Column("Plan worse", "share of the members in which more burns with the plan, with its standard error",
           lambda row: _share(row.benefit.worse, row.benefit.worse_error), lambda row: row.benefit.worse),
)  # fmt: skip
