"""Context menu of a chart, and its export as a picture or table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, QPoint
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu

from firegui.errors import InputError, Problem
from firegui.gui.base.dialogs import show_problems
from firegui.gui.base.export_place import ask_export_file
from firegui.io.atomic import write_bytes, write_text
from firegui.io.tables import without_formula

if TYPE_CHECKING:
    from firegui.gui.charts.chart import Chart

ENDINGS = (".png", ".svg", ".csv")


class ChartMenu(QMenu):
    """Context menu of a chart."""

    def __init__(self, chart: Chart) -> None:
        super().__init__(chart)
        self._chart = chart
        self.addAction("Save chart…", self._save)
        self.addAction("Copy picture", lambda: QGuiApplication.clipboard().setPixmap(chart.grab()))
        self.addAction("Copy numbers", lambda: QGuiApplication.clipboard().setText(table_text(chart, "\t")))
        self.addSeparator()
        self.addAction("Auto: show all and follow", self._fit)

    def _fit(self) -> None:
        self._chart.fit()
        self._chart.zoomed.emit()

    def _save(self) -> None:
        kinds = "PNG picture (*.png);;SVG drawing (*.svg);;CSV numbers (*.csv)"
        chosen = ask_export_file(self._chart, "Save chart", f"{self._chart.title.text()}.png", kinds)
        if chosen is None:
            return
        try:
            save_chart(self._chart, chosen)
        except InputError as error:
            show_problems(self._chart, error)


def save_chart(chart: Chart, path: Path) -> None:
    """Write the chart as shown; the suffix of ``path`` selects the format, a CSV has the numbers in view.

    Raises :class:`~firegui.errors.InputError` for another suffix and if the file cannot be written.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        problem = Problem(str(path), "is of no known kind", f"end its name in {', '.join(ENDINGS)}")
        raise InputError([problem], "The chart was not saved")
    if ending == ".csv":
        write_text(path, table_text(chart))
        return
    drawn = QBuffer()
    drawn.open(QIODevice.OpenModeFlag.WriteOnly)
    if not (chart.grab().save(drawn, "PNG") if ending == ".png" else _draw_svg(chart, drawn)):
        raise InputError([Problem(str(path), "could not be drawn", "choose another place")])
    write_bytes(path, drawn.data().data())


def _draw_svg(chart: Chart, device: QIODevice) -> bool:
    drawing = QSvgGenerator()
    drawing.setOutputDevice(device)
    drawing.setSize(chart.size())
    drawing.setViewBox(chart.rect())
    drawing.setTitle(chart.title.text())
    painter = QPainter(drawing)
    chart.render(painter, QPoint())
    return painter.end()


def table_text(chart: Chart, between: str = ",") -> str:
    """Return the points in view as a table: a column for the abscissa and one per visible curve."""
    curves = chart.shown_curves()
    found = io.StringIO()
    writer = csv.writer(found, delimiter=between, lineterminator="\n")
    writer.writerow([without_formula(name) for name in (chart.x_label or "x", *(name for name, _, _ in curves))])
    every = np.unique(np.concatenate([x for _, x, _ in curves])) if curves else np.empty(0)
    columns = []
    for _, x, y in curves:
        column = np.full(len(every), np.nan)
        column[np.searchsorted(every, x)] = y
        columns.append(column)
    for row, value in enumerate(every):
        numbers = (column[row] for column in columns)
        writer.writerow([f"{value:.10g}", *("" if np.isnan(number) else repr(float(number)) for number in numbers)])
    return found.getvalue()
