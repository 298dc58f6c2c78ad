"""What charts and panels show, read from their items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel
from PySide6.QtGui import QPainter, QPicture
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QProgressBar,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.uncertainty.uncertainty_charts import FanChart
from firegui.gui.charts.chart import CURSOR, LEVEL, SECOND_LEVEL, Chart
from firegui.gui.planning.runs_table import RunsModel
from firegui.gui.scenario.scenario_panel import ScenarioPanel
from firegui.gui.window.main_window import MainWindow

Points = tuple[NDArray[Any], NDArray[Any]]


def cursor_of(chart: Chart) -> float | None:
    """Return the abscissa of the cursor; ``None`` while it is hidden."""
    line = chart._straight_lines.get(CURSOR)
    return chart._plain_x(float(line.value())) if line is not None and line.isVisible() else None


def level_text_of(chart: Chart) -> str:
    """Return the text at the level."""
    return str(chart._straight_line(LEVEL).label.format)


def second_level_of(chart: Chart) -> float | None:
    """Return the second level of a chart with a linear axis; ``None`` while it is hidden."""
    line = chart._straight_lines.get(SECOND_LEVEL)
    return float(line.value()) if line is not None and line.isVisible() else None


def mark_texts_of(chart: Chart) -> list[str]:
    """Return the visible texts of marks, from left to right."""
    return [str(line.label.format) for _x, line in sorted(chart._marks.items()) if line.label.isVisible()]


def ticks_of(chart: Chart) -> list[str]:
    """Return the texts that the horizontal axis draws."""
    canvas = QPicture()
    painter = QPainter(canvas)
    specs = chart.item.getAxis("bottom").generateDrawSpecs(painter)
    painter.end()
    return [] if specs is None else [text for _box, _flags, text in specs[2]]


def drawn_points_of(chart: Chart, curve: int) -> Points:
    """Return the points that the item of a curve draws."""
    x, y = chart._curves[curve].item.getOriginalDataset()
    return (np.empty(0), np.empty(0)) if x is None or y is None else (x, y)


def drawn_members_of(chart: FanChart, case: int) -> int:
    """Return the number of members of a case that are drawn."""
    _x, y = chart._members[case].getOriginalDataset()
    return 0 if y is None else int(np.isnan(y).sum())


def fact_of(panel: ScenarioPanel, title: str) -> str:
    """Return the text next to ``title``."""
    return panel._values[title].text()


def view_buttons_of(window: MainWindow) -> list[QAbstractButton]:
    """Return the buttons for no drops, plan, what it saves, and all three."""
    bar, actions = window.workbench.shell.centre.bar, window.workbench.actions
    names = ("view:baseline", "view:plan", "view:difference", "side_by_side")
    buttons = bar.findChildren(QToolButton)
    return [next(each for each in buttons if each.defaultAction() is actions[name]) for name in names]


def run_cells(model: RunsModel, row: int) -> dict[str, str]:
    """Return the texts of a run by column title."""
    return {column.title: str(model.index(row, place).data()) for place, column in enumerate(model.columns)}


def calls_of(owner: object, name: str) -> list[None]:
    """Return a list that gets an entry for every further call of a method."""
    calls: list[None] = []
    method = getattr(owner, name)

    def counted(*arguments: Any) -> Any:
        calls.append(None)
        return method(*arguments)

    setattr(owner, name, counted)
    return calls


def content_of(root: QWidget) -> list[str]:
    """Return what the visible parts of a panel show, sorted, one line each."""
    parts = [part for part in root.findChildren(QWidget) if part.isVisibleTo(root)]
    # Whether the tabs must be scrolled follows from the width.
    parts = [part for part in parts if not isinstance(part.parentWidget(), QTabBar)]
    return sorted(line for part in parts for line in _shown_by(part))


def _shown_by(part: QWidget) -> Iterator[str]:
    name = f"{type(part).__name__} {part.objectName() or part.accessibleName()}"
    if isinstance(part, QLabel):
        yield f"{name}: {part.text()}"
    elif isinstance(part, QAbstractButton):
        yield f"{name}: {part.text()}, checked {part.isChecked()}, enabled {part.isEnabled()}"
    elif isinstance(part, QComboBox):
        yield f"{name}: {part.currentText()} of {[part.itemText(k) for k in range(part.count())]}"
    elif isinstance(part, QAbstractSpinBox | QProgressBar):
        yield f"{name}: {part.text()}, enabled {part.isEnabled()}"
    elif isinstance(part, QAbstractItemView) and (model := part.model()) is not None:
        # A list model has no public number of columns.
        columns = range(1 if isinstance(model, QAbstractListModel) else model.columnCount())
        cells = [[str(model.index(row, k).data()) for k in columns] for row in range(model.rowCount())]
        yield f"{name}: {cells}, selected {sorted({index.row() for index in part.selectedIndexes()})}"
    elif isinstance(part, Chart):
        curves = [[points.tolist() for points in part.curve_points(k)] for k in range(part.curve_count)]
        yield f"{name}: {curves}, level {part.level}, marks {part.marks}"


def wait_for_same(qtbot: QtBot, one: QWidget, other: QWidget) -> None:
    """Wait until two panels show the same, and fail with what differs."""

    def compare() -> None:
        first, second = content_of(one), content_of(other)
        assert first == second, sorted(set(first) ^ set(second))

    qtbot.waitUntil(compare)
