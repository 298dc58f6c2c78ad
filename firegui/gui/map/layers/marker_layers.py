"""Named features of the event: villages, reservoirs, roads."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform

from firegui.gui.map.items import ScreenItem, draw_text, map_font
from firegui.gui.map.label_placement import LabelPlacement, spots_along, spots_around
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, Sample
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session

Marker = tuple[str, str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True, slots=True)
class _Style:
    color: QColor
    line: bool


class MarkersLayer(Layer):
    """Points as symbols, roads as lines, everything with three or more corners as an area; each with its name."""

    key = "markers"
    title = "Places"
    help = "Villages, reservoirs and roads of the event"

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)
        self._markers: tuple[Marker, ...] = ()

    @property
    def swatch(self) -> QColor:
        """The text colour."""
        return self.ink.text

    @property
    def legend(self) -> Legend:
        """The kinds that occur."""
        kinds = sorted({kind for kind, _, _ in self._markers})
        samples = {kind: Sample.LINE if self._style(kind).line else Sample.DOT for kind in kinds}
        return Legend(entries=tuple(LegendEntry(kind, self._style(kind).color, samples[kind]) for kind in kinds))

    def missing(self) -> str:
        """Says when there are none."""
        if not self.session.has_project or self.session.project.scenario.markers:
            return ""
        return "this event names no places"

    def draw(self, shown: Shown | None) -> None:
        """Take the event's markers over."""
        self._markers = () if shown is None else shown.scenario.markers
        if shown is not None:
            self._screen.set_grid(*shown.scenario.grid.shape)
        self._screen.update()

    def _style(self, kind: str) -> _Style:
        water = QColor("#6db3e8" if self.ink.dark else "#2a6fb0")
        road = QColor("#d9c9a3" if self.ink.dark else "#7a6a45")
        return {"reservoir": _Style(water, False), "road": _Style(road, True)}.get(kind, _Style(self.ink.text, False))

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        # Areas and lines first, so that no name is crossed out by the next marker.
        for kind, _, points in self._markers:
            self._paint_shape(painter, self._style(kind), self._pixels(points, transform))
        font = map_font(8.5, bold=True)
        for kind, name, at in self.labels(transform, visible):
            draw_text(painter, at, name, font, self._style(kind).color, self.ink.halo)

    def labels(self, transform: QTransform, visible: QRectF) -> list[tuple[str, str, QPointF]]:
        """Kind, name and base line of every name there is room for: points first, which have the fewest places."""
        metrics, spots = QFontMetricsF(map_font(8.5, bold=True)), LabelPlacement(visible)
        named = [(kind, name, self._pixels(points, transform)) for kind, name, points in self._markers if points]
        for kind, _, pixels in named:
            if not self._style(kind).line:
                spots.avoid(_symbol(pixels))
        found = []
        for kind, name, pixels in sorted(named, key=lambda item: self._style(item[0]).line):
            size = QSizeF(metrics.horizontalAdvance(name), metrics.height())
            tops = spots_along(pixels, size) if self._style(kind).line else spots_around(_symbol(pixels), size)
            box = spots.place(size, tops)
            if box is not None:
                found.append((kind, name, QPointF(box.left(), box.top() + metrics.ascent())))
        return found

    @staticmethod
    def _pixels(points: tuple[tuple[float, float], ...], transform: QTransform) -> list[QPointF]:
        return [transform.map(QPointF(x + 0.5, y + 0.5)) for y, x in points]

    def _paint_shape(self, painter: QPainter, style: _Style, pixels: list[QPointF]) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if style.line and len(pixels) > 1:
            for pen in (QPen(self.ink.halo, 4.0), QPen(style.color, 2.0)):
                painter.setPen(pen)
                painter.drawPolyline(QPolygonF(pixels))
        elif len(pixels) > 2:
            painter.setPen(QPen(style.color, 1.5))
            painter.setBrush(QBrush(faded(style.color, 0.35)))
            painter.drawPolygon(QPolygonF(pixels))
        else:
            painter.setPen(QPen(self.ink.halo, 2.0))
            painter.setBrush(QBrush(style.color))
            for pixel in pixels:
                painter.drawRect(QRectF(pixel.x() - 4.0, pixel.y() - 4.0, 8.0, 8.0))


def _symbol(pixels: list[QPointF]) -> QRectF:
    """What a point or an area takes on screen."""
    box = QPolygonF(pixels).boundingRect()
    return box.adjusted(-4.0, -4.0, 4.0, 4.0) if len(pixels) < 3 else box
