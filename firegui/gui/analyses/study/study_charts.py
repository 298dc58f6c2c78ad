"""A study drawn: what each factor does (tornado), two factors at once (heat map), drops against fire (Pareto front)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from firegui.domain.study import CASE, Cell
from firegui.domain.study_table import (
    MEASURES,
    Bar,
    Heat,
    StudyTable,
    front_of,
    heat_of,
    points_of,
    tornado_of,
)
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart

_NEAR_PX, _MOST_BARS, _NAME_WIDTH = 12.0, 30, 190
_BETTER, _WORSE = "#0072b2", "#d55e00"
"""Okabe and Ito's, which the colour-blind can tell apart, on dark and on light ground."""
_MOST_NUMBERS = 240


class StudyChart(Chart):
    """What the charts of a study have in common: cells under the mouse are read out, a double click opens one."""

    opened = Signal(object)
    """The ``Cell`` to be shown on the map."""

    def __init__(self, x_label: str = "", parent: QWidget | None = None) -> None:
        super().__init__("", x_label, parent)
        self.title.hide()
        self.plot.scene().sigMouseMoved.connect(self._look_up)
        self.plot.scene().sigMouseClicked.connect(self._point)

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        """What is said of a place of the scene, and the cells that it stands for, the best first."""
        raise NotImplementedError

    def _rest(self) -> tuple[Piece, ...]:
        """What is said when nothing is pointed at."""
        return ()

    def _look_up(self, point: QPointF) -> None:
        said, _ = self._cells_at(point) if self.item.vb.sceneBoundingRect().contains(point) else ("", ())
        self.set_title("", *((Piece(said),) if said else self._rest()))

    def _point(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and event.double():
            _, cells = self._cells_at(event.scenePos())
            if cells:
                self.opened.emit(cells[0])

    def _view(self, point: QPointF) -> tuple[float, float]:
        place = self.item.vb.mapSceneToView(point)
        return float(place.x()), float(place.y())


class TornadoChart(StudyChart):
    """A bar a factor or a case, the longest on top, from the reference to either end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.bars: tuple[Bar, ...] = ()
        self._table: StudyTable | None = None
        self._measure = ""
        self._items: list[Any] = []
        self.item.vb.setMouseEnabled(x=False, y=False)
        self.item.getAxis("left").setWidth(_NAME_WIDTH)

    def show_table(self, table: StudyTable | None, measure: str) -> None:
        """Draw what ``measure`` does in a study, or nothing."""
        self._table, self._measure = table, measure
        self.bars = () if table is None else tornado_of(table, measure)[:_MOST_BARS]
        self._draw()

    def _draw(self) -> None:
        for item in self._items:
            self.item.removeItem(item)
        self._items = []
        for place, bar in enumerate(reversed(self.bars)):
            self._add_bar(place, bar)
        names = [(place, _short(bar)) for place, bar in enumerate(reversed(self.bars))]
        self.item.getAxis("left").setTicks([names])
        if self.bars:
            self.item.setYRange(-0.6, len(self.bars) - 0.4, padding=0)
            self.item.enableAutoRange(x=True)
            about = MEASURES[self._measure]
            better = {-1: ", less is better", 1: ", more is better"}.get(about.better, "")
            self.set_x_label(f"change of {about.label.lower()}{better}")
        self.set_title("", *self._rest())

    def _add_bar(self, place: int, bar: Bar) -> None:
        better, colors = MEASURES[self._measure].better, current_colors()
        for end in (bar.low - bar.reference, bar.high - bar.reference):
            good = colors.muted if better == 0 else _BETTER if end * better > 0 else _WORSE
            item = pg.BarGraphItem(x0=[min(end, 0.0)], x1=[max(end, 0.0)], y=[place], height=0.66, brush=good, pen=None)
            self.item.addItem(item)
            self._items.append(item)
        if not math.isnan(bar.spread):
            whisker = pg.ErrorBarItem(
                x=np.array([bar.change]), y=np.array([place]), left=np.array([bar.spread]),
                right=np.array([bar.spread]), beam=0.25, pen=pg.mkPen(colors.text),
            )  # fmt: skip
            self.item.addItem(whisker)
            self._items.append(whisker)

    def set_colors(self, colors: Colors) -> None:
        """Take on the colours of a theme."""
        super().set_colors(colors)
        if getattr(self, "bars", ()):
            self._draw()

    def _rest(self) -> tuple[Piece, ...]:
        if not self.bars or self._table is None:
            return ()
        cases = self._table.settings.cases
        from_ = f"from “{cases[0].name}”, cell by cell" if cases else "from the mean of all cells"
        spread = any(not math.isnan(bar.spread) for bar in self.bars)
        return (Piece(f"{from_}{' · whiskers: ± standard deviation over what else varies' if spread else ''}"),)

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        _, y = self._view(point)
        place = len(self.bars) - 1 - round(y)
        if not 0 <= place < len(self.bars) or self._table is None:
            return "", ()
        bar = self.bars[place]
        spread = "" if math.isnan(bar.spread) else f" ± {number(bar.spread)}"
        ends = f"{bar.low_text} {number(bar.low)} → {bar.high_text} {number(bar.high)}"
        return f"{bar.label}: {ends}, {bar.change:+.3g}{spread}", _best_first(self._table, bar.cells, self._measure)


class HeatChart(StudyChart):
    """The mean of a measure over two factors, a square for every combination."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.heat: Heat | None = None
        self._table: StudyTable | None = None
        self._measure = ""
        self._image = pg.ImageItem(axisOrder="row-major")
        self._image.setColorMap(pg.colormap.get("cividis"))
        self.item.addItem(self._image)
        self._numbers: list[Any] = []
        self.item.vb.setMouseEnabled(x=False, y=False)
        self.item.getAxis("left").setWidth(92)

    def show_table(self, table: StudyTable | None, across: str, down: str, measure: str) -> None:
        """Draw the means of ``measure`` by two factors, or nothing."""
        self._table, self._measure = table, measure
        self.heat = None if table is None or not across or not down else heat_of(table, across, down, measure)
        self._draw(across, down)

    def _draw(self, across: str, down: str) -> None:
        for item in self._numbers:
            self.item.removeItem(item)
        self._numbers = []
        heat = self.heat
        values = np.empty((0, 0)) if heat is None else np.array(heat.values, float)
        self._image.setVisible(bool(np.isfinite(values).any()))
        if heat is None or not self._image.isVisible():
            self.set_title("")
            return
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        self._image.setImage(values, levels=(low, high if high > low else low + 1.0))
        self._image.setRect(QRectF(-0.5, -0.5, values.shape[1], values.shape[0]))
        for side, levels, name in (("bottom", heat.across, across), ("left", heat.down, down)):
            self.item.getAxis(side).setTicks([[(place, level.text) for place, level in enumerate(levels)]])
            (self.set_x_label if side == "bottom" else self.set_y_label)("Case" if name == CASE else name)
        self.item.setXRange(-0.5, values.shape[1] - 0.5, padding=0)
        self.item.setYRange(-0.5, values.shape[0] - 0.5, padding=0)
        if values.size <= _MOST_NUMBERS:
            self._write_numbers(values, 0.5 * (low + high))
        self.set_title("", *self._rest())

    def _write_numbers(self, values: Any, middle: float) -> None:
        for (row, column), value in np.ndenumerate(values):
            if math.isfinite(value):
                text = pg.TextItem(number(value), color="#000000" if value > middle else "#ffffff", anchor=(0.5, 0.5))
                text.setPos(column, row)
                self.item.addItem(text)
                self._numbers.append(text)

    def _rest(self) -> tuple[Piece, ...]:
        if self.heat is None or self._table is None:
            return ()
        return (Piece(f"{MEASURES[self._measure].label}: mean over whatever else varies · dark is low"),)

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        heat, table = self.heat, self._table
        x, y = (round(value) for value in self._view(point))
        if heat is None or table is None or not (0 <= x < len(heat.across) and 0 <= y < len(heat.down)):
            return "", ()
        cells = _best_first(table, heat.cells[y][x], self._measure)
        value = number(heat.values[y][x])
        said = f"{heat.across[x].text} · {heat.down[y].text}: {value} ({len(cells)} of {len(heat.cells[y][x])} done)"
        return said, cells


class ParetoChart(StudyChart):
    """Every finished cell, one measure against another; joined are those that no other beats in both."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._all = self.add_curve("muted", name="cells", symbol=5.0)
        self._front = self.add_curve("accent", name="Pareto front", width=1.4, symbol=8.0)
        self._table: StudyTable | None = None
        self._x = self._y = ""
        self.front: tuple[Cell, ...] = ()
        self._points = np.empty((0, 2))
        self.set_colors(current_colors())

    def show_table(self, table: StudyTable | None, x: str, y: str) -> None:
        """Draw the cells of a study, or nothing."""
        self._table, self._x, self._y = table, x, y
        done = () if table is None else table.done
        values = np.array([[table.measured(cell, name) for name in (x, y)] for cell in done] if table else [], float)
        values = self._points = values.reshape(-1, 2)
        order = [] if table is None else list(front_of(points_of(table, x, y)))
        self.front = tuple(done[place] for place in order)
        self.set_curve(self._all, values[:, 0], values[:, 1])
        self.set_curve(self._front, values[order, 0], values[order, 1])
        if table is not None:
            self.set_x_label(MEASURES[x].label.lower())
            self.set_y_label(MEASURES[y].label.lower())
        self.set_title("", *self._rest())

    def set_colors(self, colors: Colors) -> None:
        """Take on the colours of a theme; the cells are dots that no line joins."""
        super().set_colors(colors)
        if getattr(self, "_all", None) is not None and self.curve_count:
            item = self._curves[self._all].item
            item.setPen(None)
            shade = QColor(colors.muted)
            shade.setAlpha(150)
            item.setSymbolBrush(shade)

    def _rest(self) -> tuple[Piece, ...]:
        table = self._table
        if table is None or not table.rows:
            return ()
        said = f"Pareto front: {len(self.front)} of {len(table.rows):,} cells that no other beats in both"
        return (Piece(said, "accent"),)

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        table = self._table
        if table is None or not len(self._points):
            return "", ()
        away = (self._points - np.array(self._view(point))) / np.array(self.item.vb.viewPixelSize())
        far = np.hypot(away[:, 0], away[:, 1])
        nearest = int(np.argmin(far))
        if far[nearest] > _NEAR_PX:
            return "", ()
        cell = table.done[nearest]
        numbers = f"{number(table.measured(cell, self._x))}, {number(table.measured(cell, self._y))}"
        return f"cell {cell.number} · {cell.title}: {numbers}", (cell,)


def _best_first(table: StudyTable, cells: Sequence[Cell], measure: str) -> tuple[Cell, ...]:
    done = [cell for cell in cells if cell.number in table.rows]
    turn = -1.0 if MEASURES[measure].better > 0 else 1.0
    return tuple(sorted(done, key=lambda cell: turn * table.measured(cell, measure)))


def _short(bar: Bar) -> str:
    return bar.label if bar.label == bar.high_text else f"{bar.label}: {bar.low_text} → {bar.high_text}"
