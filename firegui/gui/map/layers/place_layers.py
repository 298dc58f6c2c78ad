"""Named places and the graticule, with labels that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QTransform

from firegui.domain.project import Project
from firegui.gui.map.items import draw_tag, draw_text, map_font, text_width
from firegui.gui.map.layers.layer import (
    Content,
    Legend,
    LegendEntry,
    PaintedLayer,
    Sample,
)
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.session.session import Session

_GAP = 3.0


class LabelPlacement:
    """Occupied boxes in pixels. More important labels are placed first; labels without room are left out."""

    def __init__(self, visible: QRectF) -> None:
        self._visible = visible
        self._taken: list[QRectF] = []
        self._avoided: list[QRectF] = []

    def avoid(self, box: QRectF) -> None:
        """Mark a symbol, which is covered only if there is no other room."""
        self._avoided.append(box)

    def place(self, size: QSizeF, tops: Iterable[QPointF]) -> QRectF | None:
        """Return the first free box with one of these top left corners; ``None`` if all are taken.

        Boxes that cover no symbol and are wholly on screen come before the others.
        """
        found = None
        for top in tops:
            box = QRectF(top, size)
            if not box.intersects(self._visible) or self._hits(box, self._taken):
                continue
            is_best = self._visible.contains(box) and not self._hits(box, self._avoided)
            found = box if is_best or found is None else found
            if is_best:
                break
        if found is not None:
            self._taken.append(found.adjusted(-_GAP, -_GAP, _GAP, _GAP))
        return found

    @staticmethod
    def _hits(box: QRectF, others: Sequence[QRectF]) -> bool:
        return any(box.intersects(other) for other in others)


def spots_around(box: QRectF, size: QSizeF) -> list[QPointF]:
    """Return top left corners of a label around a symbol: right, left, above, below, and the four corners."""
    right, left = box.right() + 5.0, box.left() - 5.0 - size.width()
    above, below = box.top() - 2.0 - size.height(), box.bottom() + 2.0
    middle_x, middle_y = box.center().x() - size.width() / 2, box.center().y() - size.height() / 2
    places = (
        (right, middle_y), (left, middle_y), (middle_x, above), (middle_x, below),
        (right, above), (right, below), (left, above), (left, below),
    )  # fmt: skip
    return [QPointF(x, y) for x, y in places]


def spots_along(points: Sequence[QPointF], size: QSizeF) -> Iterator[QPointF]:
    """Yield top left corners of a label next to a line, from its centre outwards."""
    middle = len(points) // 2
    order = sorted(range(len(points)), key=lambda index: abs(index - middle))
    dot = 3.0
    boxes = [QRectF(points[k].x() - dot, points[k].y() - dot, 2 * dot, 2 * dot) for k in order]
    # Right on the line, the line would cross the name.
    for box in boxes:
        yield from spots_around(box, size)[2:4]
    for box in boxes:
        yield from spots_around(box, size)


Marker = tuple[str, str, tuple[tuple[float, float], ...]]


@dataclass(frozen=True, slots=True)
class _MarkerStyle:
    color: QColor
    line: bool


class MarkersLayer(PaintedLayer):
    """Points as symbols, roads as lines, shapes with three or more corners as areas; each with its name."""

    key = "markers"
    title = "Places"
    help = "Villages, reservoirs and roads of the event"
    swatch_ink = "text"
    swatch_sample = Sample.DOT
    no_data = "this event names no places"

    @property
    def _markers(self) -> tuple[Marker, ...]:
        return self.session.project.scenario.markers if self.session.has_project else ()

    def _has_data(self, project: Project) -> bool:
        return bool(project.scenario.markers)

    def content(self, shown: MapState) -> Content:
        """Return the markers of the event."""
        return (shown.scenario.markers,)

    @property
    def legend(self) -> Legend:
        """Return the kinds that occur."""
        kinds = sorted({kind for kind, _, _ in self._markers})
        samples = {kind: Sample.LINE if self._style(kind).line else Sample.DOT for kind in kinds}
        return Legend(entries=tuple(LegendEntry(kind, self._style(kind).color, samples[kind]) for kind in kinds))

    def _style(self, kind: str) -> _MarkerStyle:
        water = QColor("#6db3e8" if self.ink.dark else "#2a6fb0")
        road = QColor("#d9c9a3" if self.ink.dark else "#7a6a45")
        return {"reservoir": _MarkerStyle(water, False), "road": _MarkerStyle(road, True)}.get(
            kind, _MarkerStyle(self.ink.text, False)
        )

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        # Areas and lines first, so that no name is crossed by the next marker.
        for kind, _, points in self._markers:
            self._paint_shape(painter, self._style(kind), self._pixels(points, transform))
        font = map_font(8.5, bold=True)
        for kind, name, at in self.labels(transform, visible):
            draw_text(painter, at, name, font, self._style(kind).color, self.ink.halo)

    def labels(self, transform: QTransform, visible: QRectF) -> list[tuple[str, str, QPointF]]:
        """Return kind, name and baseline of every name with room.

        Points come first, because they have the fewest possible positions.
        """
        metrics, spots = QFontMetricsF(map_font(8.5, bold=True)), LabelPlacement(visible)
        named = [(kind, name, self._pixels(points, transform)) for kind, name, points in self._markers if points]
        for kind, _, pixels in named:
            if not self._style(kind).line:
                spots.avoid(_symbol(pixels))
        found = []
        tops: Iterable[QPointF]
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

    def _paint_shape(self, painter: QPainter, style: _MarkerStyle, pixels: list[QPointF]) -> None:
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
    """Return the box of a point or an area on screen."""
    box = QPolygonF(pixels).boundingRect()
    return box.adjusted(-4.0, -4.0, 4.0, 4.0) if len(pixels) < 3 else box


_MINUTES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0)
_SPACING_PX = 150.0
_SAMPLES = 9
_CORNER = QSizeF(225.0, 76.0)
"""Labels stay clear of the map's corners, where title, scale bar and legend are."""


@dataclass(frozen=True, slots=True, eq=False)
class _GridFrame:
    """Frame in pixels: the whole grid, the part of it on screen, and the screen."""

    grid: QRectF
    seen: QRectF
    visible: QRectF


class GraticuleLayer(PaintedLayer):
    """Thin lines of equal longitude and latitude (WGS 84)."""

    key = "graticule"
    title = "Lat/long grid"
    help = "Longitude and latitude, WGS 84, degrees and minutes"
    note = "degrees and minutes, WGS 84"
    no_data = "the grid has no coordinate system"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._shape = (1, 1)
        self._place = CellLocation(None)
        self._spots = LabelPlacement(QRectF())

    def _has_data(self, project: Project) -> bool:
        return project.scenario.grid.is_georeferenced

    def content(self, shown: MapState) -> Content:
        """Return the grid."""
        return (shown.scenario.grid,)

    def draw(self, shown: MapState | None) -> None:
        """Store the grid; the lines are positioned while painting."""
        grid = None if shown is None else shown.scenario.grid
        if grid is not None and self._place.grid is not grid:
            self._place, self._shape = CellLocation(grid), grid.shape
        super().draw(shown)

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
        frame, self._spots = _GridFrame(grid, seen, visible), LabelPlacement(visible)
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

    def _label_meridian(self, painter: QPainter, line: list[QPointF], text: str, frame: _GridFrame) -> None:
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

    def _label_above_corner(self, painter: QPainter, line: list[QPointF], text: str, frame: _GridFrame) -> None:
        """Draw the label on its line, just above the scale bar or the legend."""
        font = map_font(8.0)
        y = min(frame.visible.bottom() - _CORNER.height(), frame.seen.bottom()) - 6.0
        x = _crossing([(p.y(), p.x()) for p in line], y)
        if x is not None and y > frame.seen.top():
            at = QPointF(x - text_width(text, font) / 2, y)
            self._put(painter, at, text, tag=True)

    def _put(self, painter: QPainter, at: QPointF, text: str, *, tag: bool) -> None:
        """Draw a label, unless its position is taken."""
        font = map_font(8.0)
        size = QSizeF(text_width(text, font) + 10.0, 16.0)
        if self._spots.place(size, [QPointF(at.x() - 5.0, at.y() - 12.0)]) is None:
            return
        if tag:
            draw_tag(painter, at, text, font, self.ink.text, self.ink.card)
        else:
            draw_text(painter, at, text, font, self.ink.muted, self.ink.halo)

    def _label_parallel(self, painter: QPainter, line: list[QPointF], text: str, frame: _GridFrame) -> None:
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
    """Return the second coordinate where the first one of the line equals ``at``."""
    for (a, u), (b, v) in pairwise(line):
        if min(a, b) <= at <= max(a, b) and a != b:
            return u + (at - a) / (b - a) * (v - u)
    return None


def _degrees(value: float, step: float, positive: str, negative: str) -> str:
    minutes = round(abs(value) * 60.0, 1)
    decimals = 1 if step * 60.0 < 0.99 else 0
    whole, rest = divmod(minutes, 60.0)
    return f"{whole:.0f}° {rest:0{3 + decimals if decimals else 2}.{decimals}f}′ {positive if value >= 0 else negative}"
