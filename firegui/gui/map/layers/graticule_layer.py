"""Meridians and parallels with their degrees, as dense as the zoom allows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QTransform

from firegui.gui.map.cell_location import Place
from firegui.gui.map.items import ScreenItem, draw_tag, draw_text, map_font, text_width
from firegui.gui.map.label_placement import LabelPlacement
from firegui.gui.map.layers.layer import Layer, Legend
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session

_MINUTES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0)
_SPACING_PX = 150.0
_SAMPLES = 9
_CORNER = QSizeF(225.0, 76.0)
"""Labels over the map keep out of its corners, where title, scale bar and legend are."""


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """In pixels: the whole grid, the part of it on screen, and the screen."""

    grid: QRectF
    seen: QRectF
    visible: QRectF


class GraticuleLayer(Layer):
    """Thin lines of equal longitude and latitude (WGS 84)."""

    key = "graticule"
    title = "Graticule"
    help = "Longitude and latitude, WGS 84, degrees and minutes"

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)
        self._shape = (1, 1)
        self._place = Place(None)
        self._spots = LabelPlacement(QRectF())

    @property
    def swatch(self) -> QColor:
        """The lines' colour."""
        return self.ink.muted

    @property
    def legend(self) -> Legend:
        """What the numbers are."""
        return Legend(note="degrees and minutes, WGS 84")

    def missing(self) -> str:
        """Says when the grid has no place on the Earth."""
        known = not self.session.has_project or self.session.project.scenario.grid.is_georeferenced
        return "" if known else "the grid has no coordinate system"

    def draw(self, shown: Shown | None) -> None:
        """Take the grid over; the lines are placed while painting."""
        grid = None if shown is None else shown.scenario.grid
        if grid is not None and self._place.grid is not grid:
            self._place, self._shape = Place(grid), grid.shape
            self._screen.set_grid(*grid.shape)
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        grid = transform.mapRect(QRectF(0, 0, self._shape[1], self._shape[0]))
        seen = grid.intersected(visible)
        back, possible = transform.inverted()
        if seen.isEmpty() or not possible or not self._place.known:
            return
        cells = back.mapRect(seen)
        points = (cells.topLeft(), cells.topRight(), cells.bottomLeft(), cells.bottomRight())
        corners = [self._place.lonlat(point.y(), point.x()) for point in points]
        known = [corner for corner in corners if corner is not None]
        if len(known) < len(corners):
            return
        west, east = min(lon for lon, _ in known), max(lon for lon, _ in known)
        south, north = min(lat for _, lat in known), max(lat for _, lat in known)
        frame, self._spots = _Frame(grid, seen, visible), LabelPlacement(visible)
        step = self._interval(max(east - west, north - south), max(seen.width(), seen.height()))
        for value in _multiples(west, east, step):
            line = self._line([(value, lat) for lat in _between(south, north)], transform)
            self._paint_line(painter, line, seen)
            self._label_meridian(painter, line, _degrees(value, step, "E", "W"), frame)
        for value in _multiples(south, north, step):
            line = self._line([(lon, value) for lon in _between(west, east)], transform)
            self._paint_line(painter, line, seen)
            self._label_parallel(painter, line, _degrees(value, step, "N", "S"), frame)

    @staticmethod
    def _interval(degrees: float, pixels: float) -> float:
        wanted = degrees * 60.0 * _SPACING_PX / max(pixels, 1.0)
        return next((m for m in _MINUTES if m >= wanted), _MINUTES[-1]) / 60.0

    def _line(self, points: list[tuple[float, float]], transform: QTransform) -> list[QPointF]:
        cells = (self._place.cell(lon, lat) for lon, lat in points)
        return [transform.map(QPointF(cell[1], cell[0])) for cell in cells if cell is not None]

    def _paint_line(self, painter: QPainter, line: list[QPointF], seen: QRectF) -> None:
        painter.save()
        painter.setClipRect(seen)
        painter.setPen(QPen(faded(self.ink.text, 0.16), 1.0))
        painter.drawPolyline(QPolygonF(line))
        painter.restore()

    def _label_meridian(self, painter: QPainter, line: list[QPointF], text: str, frame: _Frame) -> None:
        font = map_font(8.0)
        x = _crossing([(p.y(), p.x()) for p in line], frame.seen.bottom())
        if x is None or not frame.seen.left() <= x <= frame.seen.right():
            return
        at = QPointF(x - text_width(text, font) / 2, frame.grid.bottom() + 14.0)
        low = at.y() > frame.visible.bottom() - _CORNER.height()
        if low and not frame.visible.left() + _CORNER.width() < x < frame.visible.right() - _CORNER.width():
            self._label_above_corner(painter, line, text, frame)
            return
        if at.y() <= frame.visible.bottom() - 5.0:
            self._put(painter, at, text, tag=False)
        else:
            at.setY(frame.visible.bottom() - 8.0)
            self._put(painter, at, text, tag=True)

    def _label_above_corner(self, painter: QPainter, line: list[QPointF], text: str, frame: _Frame) -> None:
        """On the line, just over the scale bar or the legend that stands where the label belongs."""
        font = map_font(8.0)
        y = min(frame.visible.bottom() - _CORNER.height(), frame.seen.bottom()) - 6.0
        x = _crossing([(p.y(), p.x()) for p in line], y)
        if x is not None and y > frame.seen.top():
            at = QPointF(x - text_width(text, font) / 2, y)
            self._put(painter, at, text, tag=True)

    def _put(self, painter: QPainter, at: QPointF, text: str, *, tag: bool) -> None:
        """Write a label, unless another one stands there already."""
        font = map_font(8.0)
        size = QSizeF(text_width(text, font) + 10.0, 16.0)
        if self._spots.place(size, [QPointF(at.x() - 5.0, at.y() - 12.0)]) is None:
            return
        if tag:
            draw_tag(painter, at, text, font, self.ink.text, self.ink.card)
        else:
            draw_text(painter, at, text, font, self.ink.muted, self.ink.halo)

    def _label_parallel(self, painter: QPainter, line: list[QPointF], text: str, frame: _Frame) -> None:
        font = map_font(8.0)
        y = _crossing([(p.x(), p.y()) for p in line], frame.seen.left())
        if y is None or not frame.seen.top() <= y <= frame.seen.bottom():
            return
        at = QPointF(frame.grid.left() - text_width(text, font) - 6.0, y + 4.0)
        if at.x() >= frame.visible.left() + 5.0:
            self._put(painter, at, text, tag=False)
        elif frame.visible.top() + _CORNER.height() < y < frame.visible.bottom() - _CORNER.height():
            at.setX(frame.visible.left() + 8.0)
            self._put(painter, at, text, tag=True)


def _multiples(low: float, high: float, step: float) -> list[float]:
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _between(low: float, high: float) -> Iterator[float]:
    # A little beyond both ends, because a parallel is not a row of the grid.
    margin = 0.1 * (high - low)
    return (low - margin + k / (_SAMPLES - 1) * (high - low + 2 * margin) for k in range(_SAMPLES))


def _crossing(line: list[tuple[float, float]], at: float) -> float | None:
    """The second coordinate where the line's first one passes ``at``."""
    for (a, u), (b, v) in pairwise(line):
        if min(a, b) <= at <= max(a, b) and a != b:
            return u + (at - a) / (b - a) * (v - u)
    return None


def _degrees(value: float, step: float, positive: str, negative: str) -> str:
    minutes = round(abs(value) * 60.0, 1)
    decimals = 1 if step * 60.0 < 0.99 else 0
    whole, rest = divmod(minutes, 60.0)
    return f"{whole:.0f}° {rest:0{3 + decimals if decimals else 2}.{decimals}f}′ {positive if value >= 0 else negative}"
