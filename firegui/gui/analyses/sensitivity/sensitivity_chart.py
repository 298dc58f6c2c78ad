"""Chart of a robustness table: one number over the variations, in the table's order."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from firegui.analyses.sensitivity.results import AnyTable
from firegui.domain.sensitivity import PoseRow, Row, SensitivityKind
from firegui.domain.units import Units, amount_text
from firegui.gui.analyses.sensitivity.sensitivity_table import row_name
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.charts.chart import Chart

_ONE_LINE, _TWO_LINES = 31, 44
_X_LABELS = {
    SensitivityKind.EFFECTIVENESS: "effectiveness scored at, retardant above water",
    SensitivityKind.OFF_TARGET: "landing points off by, standard deviation",
    SensitivityKind.POSE: "noise on the pose logits, standard deviation",
    SensitivityKind.DESIGN: "assumed effectiveness, retardant above water",
    SensitivityKind.RETARDANT_SIDE: "cell on which retardant acts",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """Number that can be drawn: of a row, and of the schedule as planned for if there is one.

    With ``has_spread`` rows of several draws show their lowest and their highest, too. One that ``is_area`` is in
    hectares.
    """

    title: str
    value: Callable[[Any], float]
    level: Callable[[AnyTable], float | None]
    has_spread: bool = False
    is_area: bool = False

    def in_units(self, units: Units) -> Measure:
        """Return the number in ``units``, with the unit of areas in its title."""
        if not self.is_area:
            return self

        def level(table: AnyTable) -> float | None:
            found = self.level(table)
            return None if found is None else units.area_value(found)

        title = f"{self.title}, {units.area_unit}"
        return replace(self, title=title, value=lambda row: units.area_value(self.value(row)), level=level)


def _level(name: str) -> Callable[[AnyTable], float | None]:
    return lambda table: None if table.scored is None else float(getattr(table.scored, name))


def _none(_table: AnyTable) -> None:
    return None


_FIRE = Measure("Objective", lambda row: row.reading.fire_objective, _level("fire_objective"))
_DROPS = Measure("Drops", lambda row: row.reading.drops, _none)
_SCORED = (
    Measure("Final size", lambda row: row.reading.final_extent_ha, _level("final_extent_ha"), is_area=True),
    Measure("Protected cells burned", lambda row: row.reading.protected_cells, _level("protected_cells")),
    _FIRE,
)
_DISPLACED = (
    Measure("Objective", lambda row: row.mean, _level("fire_objective"), has_spread=True),
    Measure("Final size", lambda row: row.mean_extent_ha, _level("final_extent_ha"), is_area=True),
)
MEASURES: dict[SensitivityKind, tuple[Measure, ...]] = {
    SensitivityKind.EFFECTIVENESS: _SCORED,
    SensitivityKind.RETARDANT_SIDE: _SCORED,
    SensitivityKind.OFF_TARGET: _DISPLACED,
    SensitivityKind.POSE: _DISPLACED,
    SensitivityKind.DESIGN: (
        _FIRE,
        _DROPS,
        Measure("Reduction of the final extent, %", lambda row: 100.0 * row.reduction, _none),
    ),
}


class SensitivityChart(Chart):
    """Chart of dots.

    Those of perturbed poses are joined by a line and have the lowest and the highest draw.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._dots = self.add_curve("accent", name="value", width=0.0, symbol=8.0)
        self._low = self.add_curve("muted", style=Qt.PenStyle.DashLine, symbol=4.0)
        self._high = self.add_curve("muted", style=Qt.PenStyle.DashLine, symbol=4.0)
        # Only a scale has something between two points; categories have nothing.
        self._line = self.add_curve("accent", name="line", width=1.5)
        self._names: tuple[str, ...] = ()
        # The panel has a combo box of what is drawn, so the chart needs no name.
        self.title.hide()
        self.hovered.connect(self._on_hovered)
        self._read_outs: tuple[str, ...] = ()
        self._legend: tuple[Piece, ...] = ()
        self._title = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Labels below the points."""
        return self._names

    def show_table(self, table: AnyTable | None, measure: Measure | None) -> None:
        """Draw ``measure`` of a table; ``None`` clears the chart."""
        rows = () if table is None else table.rows
        values = [] if measure is None else [measure.value(row) for row in rows]
        x = np.arange(len(values), dtype=float)
        self.set_curve(self._dots, x, values)
        is_scale = table is not None and table.kind in (SensitivityKind.OFF_TARGET, SensitivityKind.POSE)
        self.set_curve(self._line, *((x, values) if is_scale else ((), ())))
        low, high = _bounds(rows, measure)
        drawn = np.isfinite(low)
        self.set_curve(self._low, x[drawn], low[drawn])
        self.set_curve(self._high, x[drawn], high[drawn])
        self._names = tuple(row_name(row) for row in rows)
        self.item.getAxis("bottom").setTicks([[(k, name.replace("/", "\n")) for k, name in enumerate(self._names)]])
        self.item.getAxis("bottom").setHeight(_TWO_LINES if any("/" in name for name in self._names) else _ONE_LINE)
        level = None if table is None or measure is None else measure.level(table)
        self.set_level(level, "as planned for, expected effectiveness")
        self.set_x_label("" if table is None else _X_LABELS[table.kind])
        self.set_whole("left", measure is _DROPS)
        self._title = "" if measure is None else measure.title
        text = amount_text if measure is not None and measure.is_area else number
        self._read_outs = tuple(f"{name}: {text(value)}" for name, value in zip(self._names, values, strict=True))
        spread = bool(drawn.any())
        self._legend = (Piece("mean", "accent"), Piece("lowest and highest draw", "muted")) if spread else ()
        self.set_title(self._title, *self._legend)
        self.fit()

    def _on_hovered(self, x: float | None) -> None:
        if x is None or not self._read_outs:
            self.set_title(self._title, *self._legend)
            return
        nearest = min(max(round(x), 0), len(self._read_outs) - 1)
        self.set_title(self._title, Piece(self._read_outs[nearest], "accent"))


def _bounds(rows: tuple[Row, ...], measure: Measure | None) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the lowest and the highest draw by row; NaN if a row has no spread."""
    low, high = np.full(len(rows), math.nan), np.full(len(rows), math.nan)
    if measure is None or not measure.has_spread:
        return low, high
    for k, row in enumerate(rows):
        if isinstance(row, PoseRow):
            low[k], high[k] = row.lowest, row.highest
    return low, high
