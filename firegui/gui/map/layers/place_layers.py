"""Named places and the graticule, with labels that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF, QTransform

from firegui.domain.project import Project
from firegui.gui.map.items import map_font, text_width
from firegui.gui.map.labels import Label, Rank, spots_along, spots_around
from firegui.gui.map.layers.layer import (
    Content,
    Legend,
    LegendEntry,
    PaintedLayer,
    Sample,
)
from firegui.gui.map.map_colors import faded, water_color
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.session.session import Session

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
    has_labels = True

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
        water = water_color(is_dark=self.ink.dark)
        road = QColor("#d9c9a3" if self.ink.dark else "#7a6a45")
        return {"reservoir": _MarkerStyle(water, False), "road": _MarkerStyle(road, True)}.get(
            kind, _MarkerStyle(self.ink.text, False)
        )

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for kind, _, points in self._markers:
            self._paint_shape(painter, self._style(kind), self._pixels(points, transform))

    def symbols(self, transform: QTransform) -> Iterator[QRectF]:
        """Yield the boxes of points and areas."""
        for kind, _, points in self._markers:
            if points and not self._style(kind).line:
                yield _symbol(self._pixels(points, transform))

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield the names; points are placed before lines, because they have the fewest possible positions."""
        font = map_font(8.5, bold=True)
        for kind, name, points in self._markers:
            if not points:
                continue
            style, pixels = self._style(kind), self._pixels(points, transform)
            if not style.line and not _symbol(pixels).intersects(visible):
                # Moved to the edge of the screen, the name would seem to belong to something there.
                continue
            spots: Callable[[QSizeF], Iterable[QPointF]]
            spots = partial(spots_along, pixels) if style.line else partial(spots_around, _symbol(pixels))
            yield Label(
                name, font, style.color if style.line else self.ink.text, Rank.LINE if style.line else Rank.PLACE, spots
            )

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
_CORNER = QSizeF(225.0, 62.0)
"""Labels stay clear of the map's corners, where title, scale bar and legend are."""


@dataclass(frozen=True, slots=True, eq=False)
class _GridFrame:
    """Frame in pixels: the whole grid, the part of it on screen, and the screen."""

    grid: QRectF
    seen: QRectF
    visible: QRectF


_Line = tuple[list[QPointF], str]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Lines with their texts, in pixels, as they are on the view of the map that ``key`` describes."""

    key: tuple[object, ...]
    frame: _GridFrame
    meridians: tuple[_Line, ...] = ()
    parallels: tuple[_Line, ...] = ()


class GraticuleLayer(PaintedLayer):
    """Thin lines of equal longitude and latitude (WGS 84)."""

    key = "graticule"
    title = "Lat/long grid"
    help = "Longitude and latitude, WGS 84, degrees and minutes"
    no_data = "the grid has no coordinate system"
    has_labels = True

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._shape = (1, 1)
        self._place = CellLocation(None)
        self._drawn: _Drawn | None = None

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
        drawn = self._lines_on(transform, visible)
        painter.save()
        painter.setClipRect(drawn.frame.seen)
        painter.setPen(QPen(faded(self.ink.text, 0.16), 1.0))
        for line, _ in (*drawn.meridians, *drawn.parallels):
            painter.drawPolyline(QPolygonF(line))
        painter.restore()

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield longitudes and latitudes."""
        drawn = self._lines_on(transform, visible)
        found = [self._meridian_label(line, text, drawn.frame) for line, text in drawn.meridians]
        found += [self._parallel_label(line, text, drawn.frame) for line, text in drawn.parallels]
        yield from (label for label in found if label is not None)

    def _lines_on(self, transform: QTransform, visible: QRectF) -> _Drawn:
        """Return the lines and their texts, which are computed once for a view of the map."""
        key = (QTransform(transform), QRectF(visible), self._place)
        if self._drawn is None or self._drawn.key != key:
            self._drawn = self._computed(key, transform, visible)
        return self._drawn

    def _computed(self, key: tuple[object, ...], transform: QTransform, visible: QRectF) -> _Drawn:
        grid = transform.mapRect(QRectF(0, 0, self._shape[1], self._shape[0]))
        frame = _GridFrame(grid, grid.intersected(visible), visible)
        back, possible = transform.inverted()
        if frame.seen.isEmpty() or not possible or not self._place.known:
            return _Drawn(key, frame)
        cells = back.mapRect(frame.seen)
        points = (cells.topLeft(), cells.topRight(), cells.bottomLeft(), cells.bottomRight())
        corners = [self._place.lonlat(point.y(), point.x()) for point in points]
        known = [corner for corner in corners if corner is not None]
        if len(known) < len(corners):
            return _Drawn(key, frame)
        west, east = min(lon for lon, _ in known), max(lon for lon, _ in known)
        south, north = min(lat for _, lat in known), max(lat for _, lat in known)
        step = self._interval(max(east - west, north - south), max(frame.seen.width(), frame.seen.height()))
        meridians = [(self._line([(value, lat) for lat in _between(south, north)], transform),
                      _degrees(value, step, "E", "W")) for value in _multiples(west, east, step)]  # fmt: skip
        parallels = [(self._line([(lon, value) for lon in _between(west, east)], transform),
                      _degrees(value, step, "N", "S")) for value in _multiples(south, north, step)]  # fmt: skip
        return _Drawn(key, frame, tuple(meridians), tuple(parallels))

    @staticmethod
    def _interval(degrees: float, pixels: float) -> float:
        wanted = degrees * 60.0 * _SPACING_PX / max(pixels, 1.0)
        return next((m for m in _MINUTES if m >= wanted), _MINUTES[-1]) / 60.0

    def _line(self, points: list[tuple[float, float]], transform: QTransform) -> list[QPointF]:
        cells = (self._place.cell(lon, lat) for lon, lat in points)
        return [transform.map(QPointF(cell[1], cell[0])) for cell in cells if cell is not None]

    def _meridian_label(self, line: list[QPointF], text: str, frame: _GridFrame) -> Label | None:
        x = _crossing([(p.y(), p.x()) for p in line], frame.seen.bottom())
        if x is None or not frame.seen.left() <= x <= frame.seen.right():
            return None
        at = QPointF(x - text_width(text, map_font(8.0)) / 2, frame.grid.bottom() + 14.0)
        low = at.y() > frame.visible.bottom() - _CORNER.height()
        if low and not frame.visible.left() + _CORNER.width() < x < frame.visible.right() - _CORNER.width():
            return self._label_above_corner(line, text, frame)
        if at.y() <= frame.visible.bottom() - 5.0:
            return self._label(at, text, tag=False, other=QPointF(at.x(), frame.grid.top() - 6.0))
        at.setY(frame.visible.bottom() - 8.0)
        return self._label(at, text, tag=True)

    def _label_above_corner(self, line: list[QPointF], text: str, frame: _GridFrame) -> Label | None:
        """Return the label on its line, just above the scale bar or the legend."""
        y = min(frame.visible.bottom() - _CORNER.height(), frame.seen.bottom()) - 6.0
        x = _crossing([(p.y(), p.x()) for p in line], y)
        if x is None or y <= frame.seen.top():
            return None
        return self._label(QPointF(x - text_width(text, map_font(8.0)) / 2, y), text, tag=True)

    def _parallel_label(self, line: list[QPointF], text: str, frame: _GridFrame) -> Label | None:
        y = _crossing([(p.x(), p.y()) for p in line], frame.seen.left())
        if y is None or not frame.seen.top() <= y <= frame.seen.bottom():
            return None
        wide = text_width(text, map_font(8.0))
        at = QPointF(frame.grid.left() - wide - 6.0, y + 4.0)
        if at.x() >= frame.visible.left() + 5.0:
            return self._label(at, text, tag=False, other=QPointF(frame.grid.right() + 6.0, at.y()))
        if frame.visible.top() + _CORNER.height() < y < frame.visible.bottom() - _CORNER.height():
            at.setX(frame.visible.left() + 8.0)
            return self._label(at, text, tag=True, other=QPointF(frame.visible.right() - wide - 8.0, at.y()))
        return None

    def _label(self, at: QPointF, text: str, *, tag: bool, other: QPointF | None = None) -> Label:
        """Return a label whose text begins at ``at``, or at ``other`` where a card hides that, or nowhere."""
        font, color = map_font(8.0), self.ink.text if tag else self.ink.muted
        label = Label(text, font, color, Rank.GRID, lambda _size: tops, on_card=tag)
        tops = [label.at_baseline(each) for each in (at, other) if each is not None]
        return label


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
