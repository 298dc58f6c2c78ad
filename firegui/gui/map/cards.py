"""Cards that float over the map: values of the pinned cell, and the effect of a moved drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QWidget

from firegui.domain.results import Frames
from firegui.gui.base.layouts import horizontal, rich_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.items import map_font, text_width
from firegui.gui.map.map_colors import Ink, faded
from firegui.gui.map.map_content import MapState

_GAP = 14
_EDGE, _BELOW, _ABOVE = 8, 78, 66


class FloatingCard(QFrame):
    """Card over the map: a title, names and values below it, and a close button."""

    closed = Signal()

    def __init__(self, name: str, close: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("floatingCard")
        self.setAccessibleName(name)
        self._title, self._values = rich_label(), rich_label()
        self._values.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        cross = QToolButton()
        cross.setText("×")
        cross.setAutoRaise(True)
        cross.setAccessibleName(close)
        cross.setToolTip(tooltip(f"{close} (Esc)"))
        cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        cross.clicked.connect(self.closed)
        head = horizontal(None, (self._title, 1), cross)
        self.column = vertical(self, head, self._values, margins=(10, 4, 6, 8), spacing=2)
        self.hide()

    @property
    def text(self) -> str:
        """The values as plain text."""
        return self._values.accessibleDescription()

    @property
    def heading(self) -> str:
        """The title."""
        return self._title.accessibleDescription()

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        # Opaque: names on the map would shine through its text.
        self.setStyleSheet(
            f"#floatingCard {{ background: {ink.card.name()};"
            f" border: 1px solid {ink.frame.name()}; border-radius: 6px; }} QLabel {{ color: {ink.text.name()}; }}"
        )

    def fill(self, title: str, rows: Sequence[tuple[str, str]], width: int = 0) -> None:
        """Show a title and values; a row without a name takes the whole width.

        Lines longer than ``width`` pixels are broken, unless it is 0.
        """
        self._title.setText(f"<b>{escape(title)}</b>")
        self._title.setAccessibleDescription(title)
        lines = []
        for name, value in rows:
            head, cells = (f"<td>{escape(name)}&nbsp;&nbsp;</td>", 1) if name else ("", 2)
            lines.append(f"<tr>{head}<td colspan='{cells}'>{escape(value)}</td></tr>")
        if width:
            self._values.setWordWrap(True)
            self._values.setFixedWidth(width)
        self._values.setText(f"<table cellspacing='0' cellpadding='1'>{''.join(lines)}</table>")
        self._values.setAccessibleDescription("\n".join(f"{name} {value}".strip() for name, value in rows))
        # Styles and texts of a hidden card take effect when it is shown: a size taken before cuts the title.
        self.show()
        self.column.invalidate()
        self.column.activate()
        self.adjustSize()

    def move_beside(self, box: QRect, within: QRect, covered: Sequence[QRect] = ()) -> None:
        """Move next to ``box``, clear of it, of captions and of what is ``covered``, if there is room."""
        wide, high, room = self.width(), self.height(), within.adjusted(_EDGE, _BELOW, -_EDGE, -_ABOVE)
        # Of places that are as good, the first counts: to the right, else to the left, below or above.
        near = box.adjusted(-_GAP, -_GAP, _GAP, _GAP)
        parts = (near, *covered)
        xs = [*(x for part in parts for x in (part.right() + 1, part.left() - wide)), box.center().x() - wide // 2]
        ys = [box.center().y() - high // 2, *(y for part in parts for y in (part.bottom() + 1, part.top() - high))]
        xs = [max(min(x, room.right() - wide), room.left()) for x in (*xs, room.left(), room.right())]
        ys = [max(min(y, room.bottom() - high), room.top()) for y in (*ys, room.top(), room.bottom())]
        places = [QRect(x, y, wide, high) for x in dict.fromkeys(xs) for y in dict.fromkeys(ys)]

        def cost(place: QRect) -> tuple[int, ...]:
            hidden = sum(_overlap(place, each) for each in covered)
            right, down = place.left() - box.right(), place.top() - box.bottom()
            away = max(right, box.left() - place.right(), 0) + max(down, box.top() - place.bottom(), 0)
            return _overlap(place, box), hidden, _overlap(place, near), away

        self.move(min(places, key=cost).topLeft())


def _overlap(one: QRect, other: QRect) -> int:
    both = one & other
    return 0 if both.isEmpty() else both.width() * both.height()


_SIZE = QSize(236, 92)
_LEFT, _RIGHT, _TOP, _BOTTOM = 26.0, 8.0, 18.0, 16.0
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ProbeCurve:
    """P(burning) of one fire, called ``name``: ``values [F]`` at ``steps [F]``."""

    name: str
    steps: Floats
    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class ProbeSeries:
    """Curves of a cell, that of the first fire first; ``step`` of ``n_steps`` is shown."""

    lines: tuple[ProbeCurve, ...]
    step: int
    n_steps: int
    steps_per_day: int
    mean: bool = False

    @property
    def text(self) -> str:
        """Description of the curves for screen readers."""
        return "; ".join(f"P(burning), {line.name}: {_words(line, self.steps_per_day)}" for line in self.lines)


def series_of(shown: MapState, cell: tuple[int, int]) -> ProbeSeries | None:
    """Return the curves of a cell; ``None`` without any fire."""
    result, calendar = shown.result, shown.project.calendar
    pairs = zip(result.names, (result.baseline, result.plan), strict=True)
    lines = tuple(
        ProbeCurve(name, *_values(frames, cell, calendar.n_steps))
        for name, frames in pairs
        if frames is not None and len(frames.burning) and frames.burning.shape == shown.scenario.grid.shape
    )
    if not lines:
        return None
    return ProbeSeries(lines, shown.step, calendar.n_steps, calendar.steps_per_day, bool(result.mean_of))


def _values(frames: Frames, cell: tuple[int, int], n_steps: int) -> tuple[Floats, Floats]:
    steps = np.minimum(np.arange(len(frames.burning), dtype=np.float64) * frames.stride, n_steps)
    return steps, frames.burning.at(*cell) / 255.0


def _words(line: ProbeCurve, steps_per_day: int) -> str:
    if not line.values.any():
        return "never burns"
    peak = int(line.values.argmax())
    return f"at most {line.values[peak]:.2f}, on day {int(line.steps[peak] // steps_per_day) + 1}"


class ProbeChart(QWidget):
    """Small chart from 0 to 1 over the days of the plan, with a mark at the shown step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.series: ProbeSeries | None = None
        self._ink = Ink.of(QPalette())
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Chance burning now of the pinned cell over the plan")
        self.hide()

    def sizeHint(self) -> QSize:
        """Return a size small enough for the map."""
        return _SIZE

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        self._ink = ink
        self.update()

    def show_series(self, series: ProbeSeries | None) -> None:
        """Show another series, or none."""
        self.series = series
        self.setVisible(series is not None)
        self.setAccessibleDescription("" if series is None else series.text)
        self.setToolTip(tooltip("" if series is None else series.text.replace("; ", "\n")))
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

    def _paint_frame(self, painter: QPainter, area: QRectF, series: ProbeSeries) -> None:
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

    def _paint_names(self, painter: QPainter, area: QRectF, series: ProbeSeries) -> None:
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
    def _point(area: QRectF, series: ProbeSeries, step: float, value: float) -> QPointF:
        return QPointF(
            area.left() + area.width() * step / max(series.n_steps, 1), area.bottom() - area.height() * value
        )  # fmt: skip


class ProbeCard(FloatingCard):
    """Card next to the pinned cell with its values and its fire over the steps of the plan."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Values of the pinned cell", "Unpin the cell", parent)
        self.chart = ProbeChart()
        self.column.addWidget(self.chart)

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        super().set_ink(ink)
        self.chart.set_ink(ink)

    def show_values(
        self, cell: tuple[int, int], rows: Sequence[tuple[str, str]], series: ProbeSeries | None = None
    ) -> None:
        """Show a cell's values, and its series if there is a fire."""
        self.chart.show_series(series)
        self.fill(f"Row {cell[0]}, column {cell[1]}", rows)
