"""Convergence of planners (paper, Figures ``planner_convergence*``).

The best objective so far is drawn over the fire simulations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QCheckBox, QListWidget, QListWidgetItem, QWidget

from firegui.domain.benchmark import (
    CURVES_AT_DESIGN,
    LEVELS,
    PLANNERS,
    BenchmarkRow,
    BenchmarkTable,
    Group,
    LineStyle,
    PlannerName,
    PlannerTask,
    line_style,
)
from firegui.domain.spare_colors import ON_DARK, ON_LIGHT, spare_colors
from firegui.gui.analyses.benchmark.benchmark_text import Tasks, curves_note, group_name, task_name
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import column, fill_column, splitter
from firegui.gui.base.number_text import number
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import COLORS, Colors, Theme, current_colors
from firegui.gui.charts.chart import Chart

Floats = NDArray[np.float64]
Trails = Mapping[PlannerTask, Sequence[tuple[int, float]]]
_CHOSEN: Mapping[PlannerName, tuple[str, str]] = {
    PlannerName.NONE: ("#9aa3b0", "#5a6472"),
    PlannerName.UNIFORM: ("#c3c8d0", "#8a8a8a"),
    PlannerName.FOOTPRINT: ("#c9a66b", "#8f6414"),
    PlannerName.TACTICAL: ("#ff7d9c", "#b3224f"),
    PlannerName.GREEDY: ("#ffffff", "#000000"),
    PlannerName.CMA_ES: ("#ff8a4c", "#c45100"),
    PlannerName.CMA_ES_NATIVE: ("#c39be0", "#7b3f98"),
    PlannerName.DIFFERENTIAL_EVOLUTION: ("#f0b93a", "#a87400"),
    PlannerName.PARTICLE_SWARM: ("#f2a7d3", "#b0528c"),
    PlannerName.GRADIENT: ("#4aa3ff", "#0065a8"),
    PlannerName.GRADIENT_DESIGN: ("#8fd3ff", "#2f8fc4"),
    PlannerName.GRADIENT_TACTICAL: ("#3fd1a5", "#007a58"),
    PlannerName.TWO_STAGE: ("#7f9cff", "#0b3c5d"),
}
"""Okabe and Ito's colours for the searches, on a dark and a light background."""
_OTHERS = tuple(name for name in PlannerName if name not in _CHOSEN)
_SPARE = tuple(spare_colors(_OTHERS, ground) for ground in (ON_DARK, ON_LIGHT))
PLANNER_COLORS: Mapping[PlannerName, tuple[str, str]] = {
    **_CHOSEN, **{name: (_SPARE[0][name], _SPARE[1][name]) for name in _OTHERS},
}  # fmt: skip
"""Colour of every planner, on a dark and a light background."""
_PENS = {
    LineStyle.SOLID: Qt.PenStyle.SolidLine,
    LineStyle.DASHED: Qt.PenStyle.DashLine,
    LineStyle.DOTTED: Qt.PenStyle.DotLine,
}
_DIAMOND_PX = 10
_NEAR_PX = 14.0
_DIM_ALPHA = 70
_SWATCH = QSize(26, 12)
_LEADING = ((300.0, "123456789"), (70.0, "125"))
"""Least length of a decade in pixels at which numbers with these leading digits are shown."""
_TASKS_ROLE = Qt.ItemDataRole.UserRole
_HALF_DECADE, _PIXELS_A_TICK = 0.5, 45.0


@dataclass(frozen=True, slots=True, eq=False)
class ConvergenceLine:
    """Curve of one task, or level of one planner.

    ``y`` is the best objective at ``x`` rollout-equivalents. ``score`` is the nominal score of a finished task whose
    curve has another effectiveness.
    """

    name: str
    planner: PlannerName
    matched: bool
    tasks: Tasks
    x: Floats
    y: Floats
    score: float | None = None

    @property
    def is_level(self) -> bool:
        """Whether it is the level of a planner with a fixed cost, drawn across the whole chart."""
        return self.planner in LEVELS

    def at(self, x: float) -> float | None:
        """Return the best objective at ``x`` rollout-equivalents; ``None`` outside the range of the line."""
        if not self.x[0] <= x <= self.x[-1]:
            return None
        return float(self.y[np.searchsorted(self.x, x, side="right") - 1])


class _NumberAxis(pg.AxisItem):  # type: ignore[misc]
    """Logarithmic axis with plain numbers."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """Return the ticks of a decade; evenly spaced round numbers if less than half of one is in view."""
        if not 0.0 < maxVal - minVal < _HALF_DECADE:
            found: list[tuple[float, list[float]]] = super().tickValues(minVal, maxVal, size)
            return found
        low, high = 10.0**minVal, 10.0**maxVal
        least = (high - low) / max(size / _PIXELS_A_TICK, 1.0)
        power = 10.0 ** np.floor(np.log10(least))
        step = power * next(digit for digit in (1.0, 2.0, 5.0, 10.0) if digit * power >= least)
        numbers = np.arange(np.ceil(low / step), np.floor(high / step) + 1.0) * step
        return [(step, [float(value) for value in np.log10(numbers)])]

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return as many of ``1``, ``2``, ``5``, ``10`` … as a decade has room for."""
        low, high = self.range
        if high - low < _HALF_DECADE:
            return [f"{10.0 ** float(value):,.6g}" for value in values]
        length = self.height() if self.orientation in ("left", "right") else self.width()
        room = length / max(high - low, 1e-6)
        leading = next((digits for pixels, digits in _LEADING if room >= pixels), "1")
        numbers = (10.0 ** float(value) for value in values)
        return [f"{number_:,.6g}" if f"{number_:.0e}"[0] in leading else "" for number_ in numbers]


class ConvergenceChart(Chart):
    """Chart with a line per task or level.

    Selected lines are highlighted. The line under the mouse is read out.
    """

    pointed = Signal(object)
    """``frozenset[PlannerTask]`` of the line that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        axes = {side: _NumberAxis(side) for side in ("left", "bottom")}
        super().__init__("", "fire simulations", parent, axes=axes)
        self.set_y_label("objective")
        self.title.hide()
        self._lines: list[tuple[ConvergenceLine, Any]] = []
        self._diamonds = self.item.plot(pen=None, symbol="d", symbolSize=_DIAMOND_PX)
        self._diamonds.setZValue(20)
        self._chosen: Tasks = frozenset()
        self._under: ConvergenceLine | None = None
        self.set_log(True, x=True)
        self.plot.scene().sigMouseMoved.connect(self._look_up)
        self.plot.scene().sigMouseClicked.connect(self._point)
        self.hovered.connect(self._on_left)

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def lines(self) -> tuple[ConvergenceLine, ...]:
        """The drawn lines."""
        return tuple(line for line, _ in self._lines)

    @property
    def chosen(self) -> Tasks:
        """The tasks whose lines are selected."""
        return self._chosen

    @property
    def highlighted(self) -> tuple[str, ...]:
        """The names of the highlighted lines."""
        return tuple(line.name for line in self.lines if self._is_highlighted(line))

    def show_lines(self, lines: Sequence[ConvergenceLine]) -> None:
        """Draw other lines. The view stays if the user has changed it."""
        items = [item for _, item in self._lines]
        for item in items[len(lines) :]:
            self.item.removeItem(item)
        items += [self.item.plot(antialias=True) for _ in lines[len(items) :]]
        self._lines = list(zip(lines, items[: len(lines)], strict=True))
        self._under = None
        self.set_logarithmic(self._log)
        self.set_colors(current_colors())
        self._read_out()

    def set_logarithmic(self, on: bool) -> None:
        """Make both axes logarithmic, or both linear."""
        self.set_log(on, x=on)
        for line, item in self._lines:
            item.setLogMode(on, on)
            # A logarithmic axis cannot show an objective of 0.
            item.setData(line.x, np.where((line.y > 0) | (not on), line.y, np.nan), connect="finite")
        self._diamonds.setLogMode(on, on)
        self._paint_diamonds(current_colors())

    def choose(self, tasks: Tasks) -> None:
        """Highlight the lines of ``tasks``; all of them if it is empty."""
        self._chosen = tasks
        self.set_colors(current_colors())

    def set_colors(self, colors: Colors) -> None:
        """Use the colours of a theme."""
        super().set_colors(colors)
        some = any(self._is_highlighted(line) for line, _ in getattr(self, "_lines", []))
        for line, item in getattr(self, "_lines", []):
            out = self._is_highlighted(line)
            item.setPen(pen_of(line.planner, line.matched, colors, width=2.6 if out else 1.3, faint=some and not out))
            item.setZValue(10 if out else 0)
        if hasattr(self, "_diamonds"):
            self._paint_diamonds(colors)

    def _paint_diamonds(self, colors: Colors) -> None:
        """Draw the nominal score at the end of every curve that has another effectiveness."""
        some = bool(self.highlighted)
        scored = [
            (line, line.score) for line in self.lines if line.score is not None and (line.score > 0 or not self._log)
        ]
        inks = [color_of(line.planner, colors, faint=some and not self._is_highlighted(line)) for line, _ in scored]
        self._diamonds.setData(
            [float(line.x[-1]) for line, _ in scored], [score for _, score in scored],
            symbolBrush=[pg.mkBrush(ink) for ink in inks], symbolPen=[pg.mkPen(ink) for ink in inks],
        )  # fmt: skip

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def _is_highlighted(self, line: ConvergenceLine) -> bool:
        return line is self._under or bool(line.tasks & self._chosen)

    def _look_up(self, point: QPointF) -> None:
        under = self._line_at(point)
        if under is not self._under:
            self._under = under
            self.set_colors(current_colors())
        self._read_out(self._x_at(point))

    def _on_left(self, x: float | None) -> None:
        if x is None and self._under is not None:
            self._under = None
            self.set_colors(current_colors())
            self._read_out()

    def _line_at(self, point: QPointF) -> ConvergenceLine | None:
        x, box = self._x_at(point), self.item.vb
        if x is None:
            return None
        near = []
        for line, _ in self._lines:
            y = line.at(x)
            if y is not None and (y > 0 or not self._log):
                shown = float(np.log10(y)) if self._log else y
                near.append((abs(box.mapViewToScene(QPointF(0.0, shown)).y() - point.y()), line))
        nearest = min(near, key=itemgetter(0), default=None)
        return nearest[1] if nearest is not None and nearest[0] <= _NEAR_PX else None

    def _point(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not event.double():
            line = self._line_at(event.scenePos())
            self.pointed.emit(frozenset() if line is None else line.tasks)

    def _read_out(self, x: float | None = None) -> None:
        line = self._under
        if line is None or x is None:
            diamonds = any(line.score is not None for line in self.lines)
            self.set_title("", Piece(curves_note(diamonds=diamonds) if self._lines else ""))
            return
        best = line.at(x)
        where = "" if line.is_level else f" at {x:,.0f}"
        scored = "" if line.score is None else f", scored {number(line.score)} with expected effectiveness"
        end = f"ends at {number(float(line.y[-1]))}{scored}"
        self.set_title("", Piece(f"{line.name}: {number(best)}{where}"), Piece(end))


class ConvergenceView(QWidget):
    """Convergence chart next to the list of its lines, the best first; lines are selected in both."""

    chosen = Signal(object)
    """``frozenset[PlannerTask]`` of the lines selected in the chart or in the list; empty for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart, self.names, self.log = ConvergenceChart(), QListWidget(), QCheckBox("Log axes")
        self.log.setToolTip("Logarithmic axes, or plain ones")
        self.log.setChecked(True)
        self.names.setAccessibleName("Lines of the chart")
        self.names.setToolTip("Choose lines to emphasise them in the chart and in the table")
        self.names.setIconSize(_SWATCH)
        self.names.setMinimumWidth(90)
        self.names.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.names.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names = column(self.log, self.names, stretch=self.names)
        parts = splitter(self.chart, names, (400, 175), wide=0)
        fill_column(self, parts, stretch=parts)
        self.chart.pointed.connect(self.chosen)
        self.names.itemSelectionChanged.connect(self._on_names)
        self.log.toggled.connect(self._on_log)

    def show_table(self, table: BenchmarkTable | None, trails: Trails) -> None:
        """Draw another benchmark, or more of the same; ``None`` clears the chart."""
        lines = [] if table is None else list(lines_of(table, trails))
        first = not self.chart.lines
        self.chart.show_lines(lines)
        entries = [] if table is None else _entries(table.groups, lines)
        listed = [(item.text(), item.data(_TASKS_ROLE)) for item in self._items()]
        if listed != [(group_name(planner, matched), tasks) for planner, matched, tasks in entries]:
            self._fill(entries)
        if first:
            self.chart.fit()

    def choose(self, tasks: Tasks) -> None:
        """Highlight the lines of ``tasks``, and select their names."""
        with QSignalBlocker(self.names):
            for item in self._items():
                item.setSelected(bool(item.data(_TASKS_ROLE) & tasks))
        self.chart.choose(tasks)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "names"):
            for item in self._items():
                task = next(iter(item.data(_TASKS_ROLE)))
                item.setIcon(swatch(task.planner, task.matched))

    def _items(self) -> list[QListWidgetItem]:
        return [self.names.item(k) for k in range(self.names.count())]

    def _fill(self, entries: Sequence[tuple[PlannerName, bool, Tasks]]) -> None:
        with QSignalBlocker(self.names):
            self.names.clear()
            for planner, matched, tasks in entries:
                item = QListWidgetItem(swatch(planner, matched), group_name(planner, matched))
                item.setData(_TASKS_ROLE, tasks)
                item.setToolTip(tooltip(Group(planner, matched, ()).title))
                self.names.addItem(item)
                item.setSelected(bool(tasks & self.chart.chosen))

    def _on_log(self, on: bool) -> None:
        self.chart.set_logarithmic(on)
        self.chart.fit()

    def _on_names(self) -> None:
        self.chosen.emit(frozenset().union(*(item.data(_TASKS_ROLE) for item in self.names.selectedItems())))


def lines_of(table: BenchmarkTable, trails: Trails) -> Iterator[ConvergenceLine]:
    """Yield a curve per seed, a level per planner without a search, and the curves of running tasks."""
    ends = [row.evaluations for row in table.rows if row.task.planner not in LEVELS]
    last = float(max([*ends, table.settings.allowance]))
    for group in table.groups:
        if group.planner in LEVELS:
            tasks = frozenset(row.task for row in group.rows)
            x, y = np.array([1.0, last]), np.full(2, group.objective.mean)
            yield ConvergenceLine(PLANNERS[group.planner].short, group.planner, group.matched, tasks, x, y)
        else:
            searched = (row for row in group.rows if row.curve)
            yield from (_curve(row.task, row.curve, row.evaluations, _score(row)) for row in searched)
    for task, trail in trails.items():
        if trail and task.planner not in LEVELS:
            yield _curve(task, trail, trail[-1][0])


def _score(row: BenchmarkRow) -> float | None:
    return row.objective if row.task.planner in CURVES_AT_DESIGN else None


def _curve(
    task: PlannerTask, points: Sequence[tuple[int, float]], end: int, score: float | None = None
) -> ConvergenceLine:
    """Return a step line: the best so far stays until something better is found."""
    spent = np.array([*(spent for spent, _ in points), end], float)
    best = np.array([*(best for _, best in points), points[-1][1]], float)
    x, y = np.repeat(spent, 2)[1:], np.repeat(best, 2)[:-1]
    return ConvergenceLine(task_name(task), task.planner, task.matched, frozenset({task}), np.maximum(x, 1.0), y, score)


def _entries(groups: Sequence[Group], lines: Sequence[ConvergenceLine]) -> list[tuple[PlannerName, bool, Tasks]]:
    """Return the lines by planner and allowance in the order of the table, then those of running tasks."""
    found: dict[tuple[PlannerName, bool], set[PlannerTask]] = {
        (group.planner, group.matched): set() for group in groups
    }
    for line in lines:
        found.setdefault((line.planner, line.matched), set()).update(line.tasks)
    return [(planner, matched, frozenset(tasks)) for (planner, matched), tasks in found.items() if tasks]


def pen_of(
    planner: PlannerName, matched: bool, colors: Colors, *, width: float = 1.3, faint: bool = False
) -> QPen:  # fmt: skip
    """Return the pen of :func:`~firegui.domain.benchmark.line_style`, with its width in screen pixels."""
    pen = QPen(color_of(planner, colors, faint=faint), width, _PENS[line_style(planner, matched)])
    pen.setCosmetic(True)
    return pen


def color_of(planner: PlannerName, colors: Colors, *, faint: bool = False) -> QColor:
    """Return the colour of a planner on the background of a theme."""
    color = QColor(PLANNER_COLORS[planner][0 if colors is COLORS[Theme.DARK] else 1])
    color.setAlpha(_DIM_ALPHA if faint else 255)
    return color


def swatch(planner: PlannerName, matched: bool) -> QIcon:
    """Return a sample of a line, for the list of names."""
    pixmap = QPixmap(_SWATCH * 2)
    pixmap.setDevicePixelRatio(2.0)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setPen(pen_of(planner, matched, current_colors(), width=3.0))
    painter.drawLine(1, _SWATCH.height() // 2, _SWATCH.width() - 2, _SWATCH.height() // 2)
    painter.end()
    icon = QIcon(pixmap)
    # A colour means the same whether its line is selected or not.
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon
