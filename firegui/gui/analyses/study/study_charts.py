"""Charts of a study: factors (tornado), pairs of factors (heat map), drops against fire (Pareto)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from firegui.domain.study import CASE, Cell
from firegui.domain.study_table import (
    MEASURES,
    Heat,
    StudyTable,
    TornadoBar,
    front_of,
    heat_of,
    levels_of,
    points_of,
    tornado_of,
)
from firegui.gui.analyses.study.study_tables import measure_text
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import fill_column, labelled, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart
from firegui.gui.widgets.fields import NoScrollComboBox

_NEAR_PX, _MOST_BARS, _NAME_WIDTH, _LEVEL_WIDTH = 12.0, 30, 190, 92
_BETTER, _WORSE = "#0072b2", "#d55e00"
"""Okabe and Ito's colours, distinguishable by the colour-blind, on a dark and a light background."""
_MOST_NUMBERS = 240
Entry = tuple[str, str]
"""Key and text of an entry of a combo box."""
_COUNTS = ("drops_executed", "drops_proposed", "evaluations", "violations")
"""Measures that are whole numbers."""


class StudyChart(Chart):
    """Base of the charts of a study. Cells under the mouse are read out; a double click opens one."""

    choices: ClassVar[tuple[Entry, ...]] = ()
    """Labels of the combo boxes, each with its tooltip."""
    opened = Signal(object)
    """The ``Cell`` to be shown on the map."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._table: StudyTable | None = None
        self.title.hide()
        self.plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.plot.scene().sigMouseClicked.connect(self._on_mouse_clicked)

    def entries(self, table: StudyTable | None) -> Sequence[tuple[Sequence[Entry], str]]:
        """Return the entries of each combo box of ``choices``, and the key that is selected at first."""
        raise NotImplementedError

    def show_table(self, table: StudyTable | None, *keys: str) -> None:
        """Draw a study with the selected keys; ``None`` clears the chart."""
        raise NotImplementedError

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        """Return a text on a position in the scene, and its cells, the best first."""
        raise NotImplementedError

    def _caption(self) -> str:
        """Return the text that is shown while the mouse is over no cell."""
        return ""

    def _show_caption(self, text: str = "") -> None:
        self.set_title("", Piece(text or self._caption()))

    def _on_mouse_moved(self, point: QPointF) -> None:
        self._show_caption(self._cells_at(point)[0] if self.item.vb.sceneBoundingRect().contains(point) else "")

    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and event.double():
            for cell in self._cells_at(event.scenePos())[1][:1]:
                self.opened.emit(cell)

    def _view(self, point: QPointF) -> tuple[float, float]:
        place = self.item.vb.mapSceneToView(point)
        return float(place.x()), float(place.y())

    def _replace_items(self, old: list[Any], new: Sequence[Any]) -> None:
        for item in old:
            self.item.removeItem(item)
        old[:] = new
        for item in new:
            self.item.addItem(item)


class TornadoChart(StudyChart):
    """Chart with a bar per factor or case, the longest on top, from the reference to either end."""

    choices = (("Measure", "what the bars are of"),)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars: tuple[TornadoBar, ...] = ()
        self._measure = ""
        self._items: list[Any] = []
        self.item.vb.setMouseEnabled(x=False, y=False)
        self.item.getAxis("left").setWidth(_NAME_WIDTH)

    def entries(self, table: StudyTable | None) -> Sequence[tuple[Sequence[Entry], str]]:
        """See :class:`StudyChart`."""
        return ((_measure_entries(table), ""),)

    def show_table(self, table: StudyTable | None, *keys: str) -> None:
        """Draw the effects on a measure in a study; ``None`` clears the chart."""
        self._table, (self._measure,) = table, keys
        self.bars = () if table is None else tornado_of(table, self._measure)[:_MOST_BARS]
        self._draw()

    def set_colors(self, colors: Colors) -> None:
        """Use the colours of a theme."""
        super().set_colors(colors)
        if getattr(self, "bars", ()):
            self._draw()

    def _draw(self) -> None:
        upwards = list(enumerate(reversed(self.bars)))
        self._replace_items(self._items, [item for place, bar in upwards for item in self._bar_items(place, bar)])
        self.item.getAxis("left").setTicks([[(place, _bar_name(bar)) for place, bar in upwards]])
        if self.bars:
            self.item.setYRange(-0.6, len(self.bars) - 0.4, padding=0)
            self.item.enableAutoRange(x=True)
            about = MEASURES[self._measure]
            better = {-1: ", less is better", 1: ", more is better"}.get(about.better, "")
            name = "" if self._table is None else self._table.label(self._measure).lower()
            self.set_x_label(f"change of {name}{better}")
        self._show_caption()

    def _bar_items(self, place: int, bar: TornadoBar) -> list[Any]:
        better, colors, items = MEASURES[self._measure].better, current_colors(), []
        for end in (bar.low - bar.reference, bar.high - bar.reference):
            brush = colors.muted if better == 0 else _BETTER if end * better > 0 else _WORSE
            ends = {"x0": [min(end, 0.0)], "x1": [max(end, 0.0)]}
            items.append(pg.BarGraphItem(**ends, y=[place], height=0.66, brush=brush, pen=None))
        if not math.isnan(bar.spread):
            spread = np.array([bar.spread])
            items.append(
                pg.ErrorBarItem(
                    x=np.array([bar.change]), y=np.array([place]), left=spread, right=spread, beam=0.25,
                    pen=pg.mkPen(colors.text),
                )
            )  # fmt: skip
        return items

    def _caption(self) -> str:
        if not self.bars or self._table is None:
            return ""
        cases = self._table.settings.cases
        reference = f"from “{cases[0].name}”, cell by cell" if cases else "from the mean of all cases"
        spread = any(not math.isnan(bar.spread) for bar in self.bars)
        return f"{reference}{' · whiskers: ± standard deviation over what else varies' if spread else ''}"

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        place = len(self.bars) - 1 - round(self._view(point)[1])
        if not 0 <= place < len(self.bars) or self._table is None:
            return "", ()
        bar, text = self.bars[place], measure_text(self._measure)
        spread = "" if math.isnan(bar.spread) else f" ± {text(bar.spread)}"
        ends = f"{bar.low_text} {text(bar.low)} → {bar.high_text} {text(bar.high)}"
        return f"{bar.label}: {ends}, {bar.change:+.3g}{spread}", _best_first(self._table, bar.cells, self._measure)


class HeatChart(StudyChart):
    """Chart of the mean of a measure over two factors, a square for every combination."""

    choices = (
        ("Across", "the factor along the map"), ("Up", "the factor up the map"), ("Measure", "what the colours are of"),
    )  # fmt: skip

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heat: Heat | None = None
        self._measure = ""
        self._image = pg.ImageItem(axisOrder="row-major")
        self._image.setColorMap(pg.colormap.get("cividis"))
        self.item.addItem(self._image)
        self._numbers: list[Any] = []
        self.item.vb.setMouseEnabled(x=False, y=False)
        self.item.getAxis("left").setWidth(_LEVEL_WIDTH)

    def entries(self, table: StudyTable | None) -> Sequence[tuple[Sequence[Entry], str]]:
        """See :class:`StudyChart`."""
        names = [] if table is None else [name for name in table.settings.names if len(levels_of(table, name)) > 1]
        factors = [(name, "Case" if name == CASE else name) for name in names]
        first, second, *_ = [*sorted(names, key=lambda name: name == CASE), "", ""]
        return ((factors, first), (factors, second), (_measure_entries(table), ""))

    def show_table(self, table: StudyTable | None, *keys: str) -> None:
        """Draw the means of a measure by two factors; ``None`` clears the chart."""
        across, up, self._measure = keys
        enough = table is not None and across and up and across != up
        self._table = table if enough else None
        self.heat = None if self._table is None else heat_of(self._table, across, up, self._measure)
        heat = self.heat
        values = np.empty((0, 0)) if heat is None else np.array(heat.values, float)
        self._image.setVisible(bool(np.isfinite(values).any()))
        if heat is None or not self._image.isVisible():
            self._replace_items(self._numbers, ())
            self.set_title("")
            return
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        self._image.setImage(values, levels=(low, high if high > low else low + 1.0))
        self._image.setRect(QRectF(-0.5, -0.5, values.shape[1], values.shape[0]))
        for side, levels in (("bottom", heat.across), ("left", heat.down)):
            self.item.getAxis(side).setTicks([[(place, level.text) for place, level in enumerate(levels)]])
        self.set_x_label("Case" if across == CASE else across)
        self.set_y_label("Case" if up == CASE else up)
        self.item.setXRange(-0.5, values.shape[1] - 0.5, padding=0)
        self.item.setYRange(-0.5, values.shape[0] - 0.5, padding=0)
        few = values.size <= _MOST_NUMBERS
        self._replace_items(
            self._numbers, _number_items(values, 0.5 * (low + high), measure_text(self._measure)) if few else ()
        )
        self._show_caption()

    def _caption(self) -> str:
        return (
            ""
            if self.heat is None or self._table is None
            else f"{self._table.label(self._measure)}: mean over whatever else varies · dark is low"
        )

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        heat, table = self.heat, self._table
        x, y = (round(value) for value in self._view(point))
        if heat is None or table is None or not (0 <= x < len(heat.across) and 0 <= y < len(heat.down)):
            return "", ()
        cells = _best_first(table, heat.cells[y][x], self._measure)
        done = f"{len(cells)} of {len(heat.cells[y][x])} done"
        value = measure_text(self._measure)(heat.values[y][x])
        return f"{heat.across[x].text} · {heat.down[y].text}: {value} ({done})", cells


class ParetoChart(StudyChart):
    """Chart of every finished cell, one measure against another.

    A line joins the cases that no other beats in both measures.
    """

    choices = (("Across", "the measure along"), ("Up", "the measure up"))

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._all = self.add_curve("muted", name="cells", width=0.0, symbol=5.0, alpha=150)
        self._front = self.add_curve("accent", name="Pareto front", width=1.4, symbol=8.0)
        self._x = self._y = ""
        self.front: tuple[Cell, ...] = ()
        self._shown: tuple[Cell, ...] = ()
        self._points = np.empty((0, 2))

    def entries(self, table: StudyTable | None) -> Sequence[tuple[Sequence[Entry], str]]:
        """See :class:`StudyChart`; drops against fire at first."""
        measures = _measure_entries(table)
        return ((measures, "drops_executed"), (measures, "final_extent_ha"))

    def show_table(self, table: StudyTable | None, *keys: str) -> None:
        """Draw the cells of a study; ``None`` clears the chart."""
        table = table if table is not None and table.rows else None
        self._table, (x, y) = table, keys
        self._x, self._y = x, y
        done = self._shown = _with_both(table, x, y)
        values = np.array([[table.measured(cell, name) for name in (x, y)] for cell in done] if table else [], float)
        values = self._points = values.reshape(-1, 2)
        order = [] if table is None else list(front_of(points_of(table, x, y, done)))
        self.front = tuple(done[place] for place in order)
        self.set_curve(self._all, values[:, 0], values[:, 1])
        self.set_curve(self._front, values[order, 0], values[order, 1])
        if table is not None:
            self.set_x_label(table.label(x).lower())
            self.set_y_label(table.label(y).lower())
            for side, measure in (("bottom", x), ("left", y)):
                self.set_whole(side, measure in _COUNTS)
        self._show_caption()

    def _show_caption(self, text: str = "") -> None:
        some = self._table is not None and bool(self._table.rows)
        self.set_title("", Piece(text) if text else Piece(self._caption(), "accent" if some else ""))

    def _caption(self) -> str:
        if self._table is None:
            return ""
        return f"Pareto front: {len(self.front)} of {len(self._shown):,} cases that no other beats in both"

    def _cells_at(self, point: QPointF) -> tuple[str, Sequence[Cell]]:
        table = self._table
        if table is None or not len(self._points):
            return "", ()
        away = (self._points - np.array(self._view(point))) / np.array(self.item.vb.viewPixelSize())
        distances = np.hypot(away[:, 0], away[:, 1])
        nearest = int(np.argmin(distances))
        if distances[nearest] > _NEAR_PX:
            return "", ()
        cell = self._shown[nearest]
        numbers = ", ".join(measure_text(name)(table.measured(cell, name)) for name in (self._x, self._y))
        return f"cell {cell.number} · {cell.title}: {numbers}", (cell,)


class StudyChartView(QWidget):
    """Chart of a study below the combo boxes that select its content."""

    opened = Signal(object)
    """The ``Cell`` to be shown on the map."""

    def __init__(self, chart: StudyChart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = chart
        self.table: StudyTable | None = None
        self.choices = {name: NoScrollComboBox() for name, _ in chart.choices}
        parts: list[QWidget] = []
        for name, tip in chart.choices:
            box, label = self.choices[name], labelled(name, self.choices[name])
            label.setProperty("role", "muted")
            box.setAccessibleName(name)
            box.setToolTip(tooltip(tip))
            box.currentIndexChanged.connect(self._draw)
            parts += [label, box]
        fill_column(self, row(*parts), chart, stretch=chart, margins=(0, 2, 0, 0))
        chart.opened.connect(self.opened)
        chart.setToolTip("Double-click a point to see its plan on the map")

    def show_table(self, table: StudyTable | None) -> None:
        """Show another study, or more of the same."""
        self.table = table
        for box, (entries, first) in zip(self.choices.values(), self.chart.entries(table), strict=True):
            _offer(box, entries, first)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Draw again for another theme: numbers on the heat map have colours of their own."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "choices"):
            self._draw()

    def _draw(self, *_: object) -> None:
        self.chart.show_table(self.table, *(str(box.currentData() or "") for box in self.choices.values()))


def _offer(box: QComboBox, entries: Sequence[Entry], first: str) -> None:
    """Replace the entries; the selection stays if it is among them, else ``first`` is selected."""
    if [(str(box.itemData(k)), box.itemText(k)) for k in range(box.count())] != list(entries):
        wanted = str(box.currentData() or "") or first
        with QSignalBlocker(box):
            box.clear()
            for key, text in entries:
                box.addItem(text, key)
            box.setCurrentIndex(max(box.findData(wanted), 0) if entries else -1)


def _measure_entries(table: StudyTable | None) -> list[Entry]:
    """Return what can be shown of a study: its own measures first, then all others, each title once."""
    if table is None:
        return []
    names: dict[str, str] = {}
    for name in (*table.settings.measure, *MEASURES):
        # Sizes in cells and in hectares are the same in the units of the window.
        names.setdefault(table.label(name), name)
    return [(name, label) for label, name in names.items()]


def _number_items(values: Any, middle: float, text: Callable[[float], str]) -> list[Any]:
    """Return the numbers of a heat map as text items, black above ``middle`` and white below it."""
    items = []
    for (up, across), value in np.ndenumerate(values):
        if math.isfinite(value):
            items.append(pg.TextItem(text(value), "#000000" if value > middle else "#ffffff", anchor=(0.5, 0.5)))
            items[-1].setPos(across, up)
    return items


def _with_both(table: StudyTable | None, *measures: str) -> tuple[Cell, ...]:
    """Return the finished cells of a study that have both measures."""
    if table is None:
        return ()
    return tuple(cell for cell in table.done if all(table.has(cell, name) for name in measures))


def _best_first(table: StudyTable, cells: Sequence[Cell], measure: str) -> tuple[Cell, ...]:
    done = [cell for cell in cells if table.has(cell, measure)]
    sign = -1.0 if MEASURES[measure].better > 0 else 1.0
    return tuple(sorted(done, key=lambda cell: sign * table.measured(cell, measure)))


def _bar_name(bar: TornadoBar) -> str:
    return bar.label if bar.label == bar.high_text else f"{bar.label}: {bar.low_text} → {bar.high_text}"
