"""How a cell burns over the steps of the plan, with it and without it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from firegui.domain.results import Frames
from firegui.gui.map.items import map_font, text_width
from firegui.gui.map.map_colors import Ink, faded
from firegui.gui.map.map_content import Shown

_SIZE = QSize(236, 112)
_LEFT, _RIGHT, _TOP, _BOTTOM = 26.0, 8.0, 18.0, 16.0
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """P(burning) of one fire, called ``name``: ``values [F]`` at ``steps [F]``."""

    name: str
    steps: Floats
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The lines of a cell, those of the first fire first; ``step`` is shown of ``n_steps``."""

    lines: tuple[Line, ...]
    step: int
    n_steps: int
    steps_per_day: int
    mean: bool = False

    @property
    def text(self) -> str:
        """In words, for those who cannot see it."""
        return "; ".join(f"P(burning), {line.name}: {_words(line, self.steps_per_day)}" for line in self.lines)


def series_of(shown: Shown, cell: tuple[int, int]) -> Series | None:
    """The series of a cell of what is shown; ``None`` without any fire."""
    result, calendar = shown.result, shown.project.calendar
    pairs = zip(result.names, (result.baseline, result.plan), strict=True)
    lines = tuple(
        Line(name, *_values(frames, cell, calendar.n_steps))
        for name, frames in pairs
        if frames is not None and len(frames.burning) and frames.burning.shape == shown.scenario.grid.shape
    )
    if not lines:
        return None
    return Series(lines, shown.step, calendar.n_steps, calendar.steps_per_day, bool(result.mean_of))


def _values(frames: Frames, cell: tuple[int, int], n_steps: int) -> tuple[Floats, Floats]:
    steps = np.minimum(np.arange(len(frames.burning), dtype=np.float64) * frames.stride, n_steps)
    return steps, frames.burning.at(*cell) / 255.0


def _words(line: Line, steps_per_day: int) -> str:
    if not line.values.any():
        return "never burns"
    peak = int(line.values.argmax())
    return f"at most {line.values[peak]:.2f}, on day {int(line.steps[peak] // steps_per_day) + 1}"


class SeriesChart(QWidget):
    """A small chart, 0 to 1 over the days of the plan, with a mark at the shown step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.series: Series | None = None
        self._ink = Ink.of(QPalette())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Burning probability of the pinned cell over the plan")
        self.hide()

    def sizeHint(self) -> QSize:
        """Small enough to stand on the map."""
        return _SIZE

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        self._ink = ink
        self.update()

    def show_series(self, series: Series | None) -> None:
        """Show another series, or none."""
        self.series = series
        self.setVisible(series is not None)
        self.setAccessibleDescription("" if series is None else series.text)
        self.setToolTip("" if series is None else series.text.replace("; ", "\n"))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, the days, the lines and the mark."""
        if self.series is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BOTTOM)
        self._paint_frame(painter, area, self.series)
        for number, line in enumerate(self.series.lines):
            points = QPolygonF(
                [self._point(area, self.series, *pair) for pair in zip(line.steps, line.values, strict=True)]
            )
            style = Qt.PenStyle.SolidLine if number else Qt.PenStyle.DashLine
            painter.setPen(QPen(self._color(number), 1.8, style))
            painter.drawPolyline(points)
        painter.end()

    def _paint_frame(self, painter: QPainter, area: QRectF, series: Series) -> None:
        ink, font = self._ink, map_font(7.5)
        painter.setFont(font)
        days = series.n_steps // series.steps_per_day
        for day in range(days + 1):
            x = area.left() + area.width() * day / max(days, 1)
            painter.setPen(QPen(faded(ink.text, 0.14), 1.0))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setPen(ink.muted)
        for value in (0.0, 0.5, 1.0):
            y = area.bottom() - value * area.height()
            text = f"{value:g}"
            painter.drawText(QPointF(area.left() - 5.0 - text_width(text, font), y + 3.5), text)
        for day in {1, days}:
            text = f"day {day}"
            x = area.left() + area.width() * (day - 0.5) / max(days, 1) - text_width(text, font) / 2
            x = min(max(x, area.left()), area.right() - text_width(text, font))
            painter.drawText(QPointF(x, area.bottom() + 12.0), text)
        x = self._point(area, series, series.step, 0.0).x()
        painter.setPen(QPen(ink.accent, 1.4))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        self._paint_names(painter, area, series)

    def _paint_names(self, painter: QPainter, area: QRectF, series: Series) -> None:
        font, x = map_font(7.5), area.left() - 18.0
        painter.setFont(font)
        head = "mean P(burning):" if series.mean else "P(burning):"
        texts = [(head, self._ink.muted)]
        texts += [(line.name[:22], self._color(number)) for number, line in enumerate(series.lines)]
        for text, color in texts:
            painter.setPen(color)
            painter.drawText(QPointF(x, area.top() - 6.0), text)
            x += text_width(text, font) + 7.0

    def _color(self, number: int) -> QColor:
        return self._ink.accent if number else self._ink.observed

    @staticmethod
    def _point(area: QRectF, series: Series, step: float, value: float) -> QPointF:
        return QPointF(
            area.left() + area.width() * step / max(series.n_steps, 1), area.bottom() - area.height() * value
        )  # fmt: skip
