"""Small chart: curves, a dotted level, a cursor, and a title that shows the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QPainter
from PySide6.QtWidgets import QWidget

from firegui.gui.base.elided_label import ElidedLabel, Piece
from firegui.gui.base.layouts import vertical
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart_export import ChartMenu

Floats = NDArray[np.float64]

MOST_POINTS = 6000
"""More than twice the width of a chart in pixels, even on a large screen."""


def decimate(x: Floats, y: Floats, most: int = MOST_POINTS) -> tuple[Floats, Floats]:
    """Return at most ``most`` of the points ``(x, y) [N]``.

    The first, the last and all extremes are among them. The curve is cut into stretches of equal length. Each keeps
    its lowest and its highest point; a stretch without a number keeps its gap.
    """
    if len(x) <= most:
        return x, y
    stretches = (most - 2) // 2
    edges = np.linspace(0, len(x), stretches + 1).astype(np.intp)[:-1]
    number = np.repeat(np.arange(stretches), np.diff(np.append(edges, len(x))))
    kept = np.zeros(len(x), bool)
    kept[[0, -1]] = True
    for extreme, ufunc, nothing in ((np.minimum, np.less_equal, np.inf), (np.maximum, np.greater_equal, -np.inf)):
        filled = np.where(np.isnan(y), nothing, y)
        best = extreme.reduceat(filled, edges)
        at = np.flatnonzero(ufunc(filled, best[number]))
        # The first point of each stretch that has the extreme value.
        _, first = np.unique(number[at], return_index=True)
        kept[at[first]] = True
    return x[kept], y[kept]


def settled_top(y: Floats) -> float:
    """Return the highest value that an axis has to show of a curve that begins with a steep descent.

    That is the 90th percentile where the values above it take more than :data:`_STEEP` times its height over the
    lowest value, else the maximum. NaN for a curve without numbers.
    """
    known = y[np.isfinite(y)]
    if not len(known):
        return np.nan
    low, settled, high = (float(value) for value in np.percentile(known, [0.0, 90.0, 100.0]))
    return settled if high - low > _STEEP * (settled - low) else high


_STEEP = 4.0
_FONT_POINTS = 8
_MARK_GAP_PX, _NUMBER_GAP_PX = 4.0, 2.0
_X_AXIS_HEIGHT = 31
_REDRAW_MS = 50
REPAINT_MS = 200
"""Interval between repaints of a live chart. Axes are slow to paint and compete with the run's thread."""
_EMPTY = np.empty(0)
LEVEL, SECOND_LEVEL, CURSOR = "level", "second level", "cursor"
"""Names of the straight lines of a chart."""


@dataclass(slots=True, eq=False)
class _Curve:
    """Curve with all its points. The item draws only as many as can be distinguished."""

    item: Any
    role: str
    name: str
    width: float
    style: Qt.PenStyle
    symbol: float
    alpha: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]


class _CurveItem(pg.PlotDataItem):  # type: ignore[misc]
    """Curve whose steep start may lie above the view that follows it (:func:`settled_top`)."""

    is_cut = False

    def dataBounds(self, ax: int, frac: float = 1.0, orthoRange: Any = None) -> Any:
        """Return the lowest and the highest value on an axis that the view is to show."""
        low, high = super().dataBounds(ax, frac, orthoRange)
        if ax == 1 and high is not None and self.is_cut and not self.opts["logMode"][1]:
            high = float(np.fmin(high, settled_top(np.asarray(self.yData, float))))
        return low, high


class ChartAxis(pg.AxisItem):  # type: ignore[misc]
    """Axis of a chart; a horizontal one omits numbers which would overlap their left neighbour.

    One that ``is_whole`` counts things, and has no ticks between whole numbers.
    """

    is_whole = False

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:
        """Return distance and offset of the ticks, the largest distance first."""
        found: list[tuple[float, float]] = super().tickSpacing(minVal, maxVal, size)
        return [each for each in found if each[0] >= 1.0] or [(1.0, 0.0)] if self.is_whole else found

    def generateDrawSpecs(self, painter: QPainter) -> Any:
        """Return the axis line, its ticks and the texts that have room; ``None`` for none."""
        specs = super().generateDrawSpecs(painter)
        if specs is None or self.orientation != "bottom":
            return specs
        line, ticks, texts = specs
        shown, free = [], -np.inf
        for text in sorted(texts, key=lambda each: each[0].left()):
            if text[0].left() >= free:
                shown.append(text)
                free = text[0].right() + _NUMBER_GAP_PX
        return line, ticks, shown


class Chart(QWidget):
    """Chart of curves and levels. Colours are roles in :class:`~firegui.gui.base.theme.Colors`.

    The view follows the data until the user zooms or drags; :meth:`fit` makes it follow again. ``axes``, by their side,
    replace the default axes. A chart that ``follows_curves`` is scaled to the settled part of its curves: levels out of
    the view are a text at its upper edge.
    """

    hovered = Signal(object)
    """The abscissa under the mouse, or ``None`` when the mouse left."""
    clicked = Signal(float)
    """The abscissa of a left click."""
    zoomed = Signal()
    """The user changed the view."""

    def __init__(
        self, title: str, x_label: str, parent: QWidget | None = None, *, axes: Mapping[str, Any] | None = None,
        follows_curves: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._log = self._log_x = False
        self._curves: list[_Curve] = []
        self._areas: list[tuple[Any, str, int, bool]] = []
        self._level: float | None = None
        self._levels: dict[Any, tuple[float, str]] = {}
        self._straight_lines: dict[str, Any] = {}
        self._follows_curves = follows_curves
        self._marks: dict[float, Any] = {}
        self.title, self.legend = ElidedLabel(title), ElidedLabel()
        small = QFont(self.font())
        small.setPointSize(_FONT_POINTS)
        self.legend.setFont(small)
        self.plot = pg.PlotWidget(
            axisItems={**{side: ChartAxis(side) for side in ("left", "bottom")}, **(axes or {})}, enableMenu=False
        )
        self.item = self.plot.getPlotItem()
        # pyqtgraph always creates its own menu. It has no parent and would outlive the chart.
        self.plot.destroyed.connect(self.item.ctrlMenu.deleteLater)
        vertical(self, self.title, self.legend, (self.plot, 1), margins=0, spacing=1)
        self.setMinimumSize(84, 90)
        self._set_up_plot(x_label)
        self._edge = pg.TextItem(anchor=(1, 0)) if follows_curves else None
        if self._edge is not None:
            self._edge.setParentItem(self.item.vb)
            for changed in (self.item.vb.sigRangeChanged, self.item.vb.sigResized):
                changed.connect(self._show_levels_outside)
        self.set_colors(current_colors())

    def _set_up_plot(self, x_label: str) -> None:
        font = QFont(self.font())
        font.setPointSize(_FONT_POINTS)
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setTickFont(font)
            axis.setStyle(tickTextOffset=3, tickLength=-4)
        for side in ("left", "bottom", "right", "top"):
            # Hidden axes too: they format their labels at every change of the range.
            self.item.getAxis(side).enableAutoSIPrefix(False)
        self.item.getAxis("bottom").setHeight(_X_AXIS_HEIGHT)
        self.item.hideButtons()
        self.item.setClipToView(True)
        self.item.setDownsampling(auto=True, mode="peak")
        self.set_x_label(x_label)
        self.item.vb.sigRangeChangedManually.connect(self._on_zoomed)
        self._redraw_timer = QTimer(self, singleShot=True, interval=_REDRAW_MS)
        self._redraw_timer.timeout.connect(self._redraw)
        self.item.vb.sigXRangeChanged.connect(self._on_range)
        for changed in (self.item.vb.sigXRangeChanged, self.item.vb.sigResized):
            changed.connect(self._place_mark_texts)
        scene = self.plot.scene()
        scene.sigMouseMoved.connect(self._on_moved)
        scene.sigMouseClicked.connect(self._on_clicked)

    # -- what is drawn -----------------------------------------------------------------------------------------------
    def add_curve(
        self,
        role: str,
        *,
        name: str = "",
        width: float = 1.0,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
        symbol: float = 0.0,
        alpha: int = 255,
        in_view: bool = True,
    ) -> int:
        """Add a curve and return its number for :meth:`set_curve`. The view includes it if ``in_view``.

        ``symbol`` is the size of a dot at every point. ``name`` is its name in a table of the chart. A ``width`` of 0
        joins no points.
        """
        item = _CurveItem(antialias=True)
        item.is_cut = self._follows_curves
        self.item.addItem(item, ignoreBounds=not in_view)
        item.setLogMode(self._log_x, self._log)
        name = name or f"curve {len(self._curves) + 1}"
        self._curves.append(_Curve(item, role, name, width, style, symbol, alpha, _EMPTY, _EMPTY))
        self._color_curve(self._curves[-1], current_colors())
        return len(self._curves) - 1

    def add_area(
        self, item: Any, role: str, alpha: int, *, z: float = 0.0, in_view: bool = True, outlined: bool = False
    ) -> None:
        """Add a bar graph, band or region in the colour of ``role``.

        The view includes it if ``in_view``.
        """
        item.setZValue(z)
        self.item.addItem(item, ignoreBounds=not in_view)
        self._areas.append((item, role, alpha, outlined))
        self._color_area(item, role, alpha, outlined, current_colors())

    @property
    def curve_count(self) -> int:
        """Number of curves."""
        return len(self._curves)

    def set_curve(self, index: int, x: Sequence[float] | NDArray[Any], y: Sequence[float] | NDArray[Any]) -> None:
        """Set the points of a curve. Values that a log axis cannot show leave a gap."""
        curve = self._curves[index]
        if not len(x) and not len(curve.x):
            return  # Still empty: nothing to paint.
        values = np.array(y, float)
        if self._log:
            values[values <= 0] = np.nan
        curve.x, curve.y = np.array(x, float), values
        self._draw_curve(curve)

    def _draw_curve(self, curve: _Curve) -> None:
        """Draw the points in view, reduced to as many as can be distinguished."""
        x, y = curve.x, curve.y
        if len(x) > MOST_POINTS and not self.is_fitted and not self._log_x:
            (low, high), _ = self.item.vb.viewRange()
            first, last = np.searchsorted(x, low), np.searchsorted(x, high, side="right")
            # One point beyond either edge, so that the line crosses the edge at the right height.
            x, y = x[max(first - 1, 0) : last + 1], y[max(first - 1, 0) : last + 1]
        curve.item.setData(*decimate(x, y))

    def _redraw(self) -> None:
        for curve in self._curves:
            if len(curve.x) > MOST_POINTS:
                self._draw_curve(curve)

    def curve_points(self, index: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return all points of a curve, or empty arrays before there are any."""
        return self._curves[index].x, self._curves[index].y

    def numbers(self, index: int) -> dict[float, float]:
        """Return the points of a curve that have a number, sorted by abscissa."""
        x, y = self.curve_points(index)
        return {float(key): float(value) for key, value in zip(x, y, strict=True) if not np.isnan(value)}

    def shown_curves(self) -> list[tuple[str, NDArray[Any], NDArray[Any]]]:
        """Return name and points of every visible curve within the view on the abscissa."""
        (low, high), _ = self.item.vb.viewRange()
        low, high = (10.0**low, 10.0**high) if self._log_x else (low, high)
        found = []
        for curve in self._curves:
            if curve.item.isVisible() and len(curve.x):
                inside = (curve.x >= low) & (curve.x <= high)
                found.append((curve.name, curve.x[inside], curve.y[inside]))
        return found

    @property
    def x_label(self) -> str:
        """Label of the abscissa."""
        return str(self.item.getAxis("bottom").labelText)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu to save or copy the chart."""
        ChartMenu(self).popup(event.globalPos())

    def set_curve_visible(self, index: int, visible: bool) -> None:
        """Show or hide a curve."""
        self._curves[index].item.setVisible(visible)

    def set_level(self, value: float | None, text: str = "") -> None:
        """Set a dotted horizontal line, such as the fire without drops."""
        self._level = value
        self._set_line(LEVEL, value, text)

    def set_second_level(self, value: float | None, text: str = "") -> None:
        """Set a second line, such as the result of another planner."""
        self._set_line(SECOND_LEVEL, value, text)

    def _straight_line(self, name: str) -> Any:
        """Return the line called ``name``, which is made at its first use: most charts have none."""
        if name not in self._straight_lines:
            if name == CURSOR:
                line = pg.InfiniteLine(angle=90, movable=False)
            else:
                # A level is usually above the curves, so its text hangs below it.
                below = {"position": 0.98, "anchors": [(1, 0), (1, 0)]}
                line = pg.InfiniteLine(angle=0, movable=False, label="", labelOpts=below)
            self._straight_lines[name] = line
            line.setVisible(False)
            self._color_line(name, current_colors())
            self.item.addItem(line, ignoreBounds=self._follows_curves or name == CURSOR)
        return self._straight_lines[name]

    def _set_line(self, name: str, value: float | None, text: str) -> None:
        if value is None and name not in self._straight_lines:
            return
        line = self._straight_line(name)
        drawable = value is not None and (value > 0 or not self._log)
        if value is not None and drawable:
            line.setPos(float(np.log10(value)) if self._log else value)
            if line.label.format != text:
                line.label.setFormat(text)
            self._levels[line] = value, text
        line.setVisible(drawable)
        self._show_levels_outside()

    def _show_levels_outside(self, *_: object) -> None:
        """Name the levels above or below the view at its upper edge, with their numbers."""
        if self._edge is None:
            return
        _, (low, high) = self.item.vb.viewRange()
        texts = []
        for line, (value, text) in self._levels.items():
            at = float(line.value())
            if line.isVisible() and not low <= at <= high:
                texts.append(f"{'↑' if at > high else '↓'} {text} {number(value)}")
        self._edge.setText("\n".join(texts))
        self._edge.setPos(self.item.vb.rect().right(), 0.0)

    @property
    def outside_text(self) -> str:
        """The levels that are named at the upper edge because they are out of the view."""
        return "" if self._edge is None else str(self._edge.textItem.toPlainText())

    @property
    def level(self) -> float | None:
        """The level as drawn."""
        return self._level if LEVEL in self._straight_lines and self._straight_lines[LEVEL].isVisible() else None

    def set_cursor(self, x: float | None) -> None:
        """Set the vertical line."""
        drawable = x is not None and (x > 0 or not self._log_x)
        if x is None and CURSOR not in self._straight_lines:
            return
        cursor = self._straight_line(CURSOR)
        cursor.setVisible(drawable)
        if x is not None and drawable:
            cursor.setPos(float(np.log10(x)) if self._log_x else x)

    def set_marks(self, marks: Sequence[tuple[float, str]]) -> None:
        """Set dotted vertical lines, each with its text, if any, beside it where there is room."""
        wanted = dict(marks)
        for x in [x for x in self._marks if x not in wanted]:
            self.item.removeItem(self._marks.pop(x))
        for x, text in marks:
            if x not in self._marks:
                # The text stands right of its line at half height, clear of the text of the level.
                beside = {"position": 0.55, "anchors": [(0, 0.5), (0, 0.5)]}
                self._marks[x] = pg.InfiniteLine(x, angle=90, movable=False, label=text, labelOpts=beside)
                self.item.addItem(self._marks[x], ignoreBounds=True)
                self._color_mark(self._marks[x], current_colors())
            self._marks[x].label.setFormat(text)
        self._place_mark_texts()

    def _place_mark_texts(self, *_: object) -> None:
        """Show the texts from left to right, each next to its line, unless they overlap or leave the chart."""
        area, free = self.item.vb.sceneBoundingRect(), -np.inf
        for x, line in sorted(self._marks.items()):
            at = self.item.vb.mapViewToScene(QPointF(x, 0.0)).x()
            width = line.label.boundingRect().width()
            at_right = at + width <= area.right()
            left = at if at_right else at - width
            line.label.anchors = [(0, 0.5) if at_right else (1, 0.5)] * 2
            is_shown = bool(line.label.format) and left >= free
            line.label.setVisible(is_shown)
            if is_shown:
                free = left + width + _MARK_GAP_PX

    @property
    def marks(self) -> dict[float, str]:
        """Abscissa and text of the marks."""
        return {x: str(line.label.format) for x, line in self._marks.items()}

    @staticmethod
    def _color_area(item: Any, role: str, alpha: int, outlined: bool, colors: Colors) -> None:
        color = faded(getattr(colors, role), alpha)
        if isinstance(item, pg.BarGraphItem):
            item.setOpts(brush=color, pen=pg.mkPen(colors.base if outlined else None))
        else:
            item.setBrush(color)

    @staticmethod
    def _color_mark(line: Any, colors: Colors) -> None:
        line.setPen(pg.mkPen(colors.border, style=Qt.PenStyle.DotLine))
        line.label.setColor(colors.muted)
        # The background separates the text from a curve.
        line.label.fill = pg.mkBrush(faded(colors.base, 170))

    def set_title(self, name: str, *pieces: Piece) -> None:
        """Set the two lines above the chart: its name, and numbers in the colours of their curves."""
        self.title.set_text(name)
        self.legend.set_pieces(pieces)

    def set_x_label(self, text: str) -> None:
        """Set the label of the abscissa."""
        self._set_label("bottom", text)

    def set_y_label(self, text: str) -> None:
        """Set the label of the ordinate."""
        self._set_label("left", text)

    def set_whole(self, side: str, on: bool = True) -> None:
        """Set whether the axis ``left`` or ``bottom`` counts things: it has whole numbers only."""
        axis = self.item.getAxis(side)
        axis.is_whole, axis.picture = on, None

    def _set_label(self, side: str, text: str) -> None:
        # A new style replaces the previous one, including its colour.
        self.item.setLabel(side, text, **{"font-size": f"{_FONT_POINTS}pt", "color": current_colors().muted})

    # -- how it is drawn ---------------------------------------------------------------------------------------------
    def set_log(self, on: bool, *, x: bool = False) -> None:
        """Set whether ordinate and abscissa are logarithmic."""
        self._log, self._log_x = on, x
        self.item.setLogMode(x=x, y=on)

    def fit(self) -> None:
        """Show all the data and let the view follow it."""
        was_fitted = self.is_fitted
        self.item.enableAutoRange(x=True, y=True)
        if not was_fitted:
            self._redraw()

    def update_axes(self) -> None:
        """Fit view and axes to the data now; done while painting, they would be painted twice.

        Without data an axis has no numbers. Those of an empty view are meaningless and overlap in a small chart.
        """
        has_points = any(len(curve.x) for curve in self._curves)
        for side, is_numbered in (("bottom", has_points), ("left", has_points or self.level is not None)):
            axis = self.item.getAxis(side)
            if axis.style["showValues"] is not is_numbered:
                axis.setStyle(showValues=is_numbered)
        self.item.vb.prepareForPaint()

    @property
    def is_fitted(self) -> bool:
        """Whether the view follows the data."""
        return all(bool(axis) for axis in self.item.vb.autoRangeEnabled())

    def set_colors(self, colors: Colors) -> None:
        """Use the colours of a theme."""
        self.plot.setBackground(colors.base)
        for side in ("left", "bottom"):
            axis = self.item.getAxis(side)
            axis.setPen(colors.border)
            axis.setTextPen(colors.muted)
        self.item.showGrid(x=True, y=True, alpha=0.12)
        for curve in self._curves:
            self._color_curve(curve, colors)
        for area in self._areas:
            self._color_area(*area, colors)
        for name in self._straight_lines:
            self._color_line(name, colors)
        if self._edge is not None:
            self._edge.setColor(colors.muted)
        for mark in self._marks.values():
            self._color_mark(mark, colors)

    @staticmethod
    def _color_curve(curve: _Curve, colors: Colors) -> None:
        color = faded(getattr(colors, curve.role), curve.alpha)
        curve.item.setPen(pg.mkPen(color, width=curve.width, style=curve.style) if curve.width else None)
        if curve.symbol:
            # An isolated point between gaps would have no line.
            curve.item.setSymbol("o")
            curve.item.setSymbolSize(curve.symbol)
            curve.item.setSymbolPen(None)
            curve.item.setSymbolBrush(color)

    def _color_line(self, name: str, colors: Colors) -> None:
        line = self._straight_lines[name]
        if name == CURSOR:
            line.setPen(pg.mkPen(colors.text))
        else:
            line.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DotLine))
            line.label.setColor(colors.muted)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_edge"):
            self.set_colors(current_colors())

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def leaveEvent(self, event: QEvent) -> None:
        """Report that the mouse left the chart."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def _x_at(self, point: QPointF) -> float | None:
        if not self.item.vb.sceneBoundingRect().contains(point):
            return None
        return self._plain_x(float(self.item.vb.mapSceneToView(point).x()))

    def _plain_x(self, x: float) -> float:
        return 10.0**x if self._log_x else x

    def _on_moved(self, point: QPointF) -> None:
        self.hovered.emit(self._x_at(point))

    def _on_clicked(self, event: Any) -> None:
        x = self._x_at(event.scenePos())
        if x is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.fit()
            self.zoomed.emit()
        else:
            self.clicked.emit(x)

    def _on_range(self, *_: object) -> None:
        # Zooming reveals points between the drawn ones. While the view follows the data there are none.
        if not self.is_fitted and not self._redraw_timer.isActive():
            self._redraw_timer.start()

    def _on_zoomed(self, _axes: object) -> None:
        self.zoomed.emit()


def faded(color: str, alpha: int) -> QColor:
    """Return ``color`` with an alpha of 0 … 255."""
    made = QColor(color)
    made.setAlpha(alpha)
    return made
