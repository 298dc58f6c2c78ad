"""Barriers on the map, with the usual symbols of fire lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from firegui.domain.barriers import KIND_TITLES, Barrier, BarrierKind, Line
from firegui.domain.project import Project
from firegui.domain.region_geometry import clipped, corner_handles
from firegui.domain.regions import Vertex
from firegui.gui.map.items import map_font
from firegui.gui.map.labels import Label, Rank, spots_around
from firegui.gui.map.layers.layer import Content, Legend, LegendEntry, Sample
from firegui.gui.map.layers.shape_layers import ShapesLayer, paint_handles, region_path
from firegui.gui.map.map_colors import faded, water_color
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import ShapeKind, Tool

_LINE_PX, _CROSS_PX, _APART_PX = 2.0, 3.5, 16.0
_MOST_CROSSES = 4000
_DASHES: Mapping[BarrierKind, tuple[float, ...]] = {
    BarrierKind.HAND: (4.0, 2.5), BarrierKind.FUEL_BREAK: (8.0, 2.0, 2.0, 2.0), BarrierKind.BURNED_OUT: (2.0, 2.0),
}  # fmt: skip
"""Dashes of lines in widths of the pen; others are solid."""
_SAMPLES: Mapping[BarrierKind, Sample] = {
    BarrierKind.HAND: Sample.DASH, BarrierKind.FUEL_BREAK: Sample.DASH, BarrierKind.BURNED_OUT: Sample.HATCH,
}  # fmt: skip
_FAINT = 0.45
"""Opacity of a barrier that does not exist yet at the shown time."""


class BarriersLayer(ShapesLayer[Barrier]):
    """Lines and areas that stop spread; those that do not exist yet at the shown step are faint.

    Only their parts on the grid are drawn, because they stop nothing beside it. Dozer line is black with crosses, hand
    line dashed, water blue, a road a double line.
    """

    key = "barriers"
    kind = ShapeKind.BARRIER
    title = "Barriers"
    help = "Roads, rivers, fire lines and burned-out areas that stop spread; set in the panel Barriers and line"
    follows = frozenset({"barriers", "step", "selection", "tool"})
    swatch_ink = "text"
    swatch_sample = Sample.LINE
    no_data = "there are no barriers: see the panel Barriers and line"
    has_labels = True

    def _has_data(self, project: Project) -> bool:
        return bool(project.barriers)

    def content(self, shown: MapState) -> Content:
        """Return the barriers, which of them exist at the shown step, and which one is selected and edited."""
        return (
            shown.project.barriers, tuple(self._exists(barrier) for barrier in shown.project.barriers), *self.selection
        )  # fmt: skip

    @property
    def legend(self) -> Legend:
        """Return an entry for each kind that there is."""
        kinds = {barrier.kind: barrier.is_area for barrier in self._barriers}
        return Legend(
            entries=tuple(
                LegendEntry(
                    KIND_TITLES[kind].lower(), self._color(kind),
                    Sample.HATCH if kinds[kind] else _SAMPLES.get(kind, Sample.LINE),
                )
                for kind in BarrierKind if kind in kinds
            )
        )  # fmt: skip

    @property
    def _barriers(self) -> tuple[Barrier, ...]:
        found = self.session.project.barriers if self.session.has_project else ()
        return tuple(barrier for barrier in self.previewed(found) if not barrier.problems())

    def _exists(self, barrier: Barrier) -> bool:
        when = barrier.exists_from
        if when is None or when.tzinfo is None:
            return True
        return when <= self.session.project.calendar.time_of_step(self.session.step)

    def _color(self, kind: BarrierKind) -> QColor:
        is_dark = self.ink.dark
        match kind:
            case BarrierKind.RIVER:
                return water_color(is_dark=is_dark)
            case BarrierKind.BURNED_OUT:
                return QColor("#c9a184" if is_dark else "#7a4b2a")
            case BarrierKind.FUEL_BREAK:
                return QColor("#b9c96a" if is_dark else "#5c6b12")
            case BarrierKind.ROAD:
                return QColor("#d8b25a" if is_dark else "#8a5a00")
        return QColor(self.ink.text)

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        scale = math.hypot(transform.m11(), transform.m12())
        cell = self.session.project.scenario.grid.cell_size_m if self.session.has_project else 1.0
        on_grid = transform.mapRect(self._screen.grid)
        painter.save()
        painter.setClipRect(on_grid, Qt.ClipOperation.IntersectClip)
        for barrier in self._barriers:
            painter.setOpacity(1.0 if self._exists(barrier) else _FAINT)
            if barrier.is_area:
                self._paint_area(painter, transform, barrier)
            for line in barrier.lines:
                wide = barrier.width_m / cell * scale
                self._paint_line(painter, transform, visible & on_grid, barrier, line, wide)
        painter.restore()
        self._paint_handles(painter, transform)

    def _paint_handles(self, painter: QPainter, transform: QTransform) -> None:
        """Paint the corners of the selected barrier, where the tool for edits can drag them."""
        for barrier in self._barriers if self.session.tool is Tool.EDIT else ():
            if self.is_selected(barrier):
                corners = corner_handles(barrier.outlines)
                on_grid = [each for each in corners if self._screen.grid.contains(each.column, each.row)]
                paint_handles(painter, transform, on_grid, self._color(barrier.kind), self.ink)

    def _halo(self, barrier: Barrier, width: float) -> QPen:
        """Return the pen below a line, which shows the selected barrier."""
        return _pen(self.ink.accent, width + 3.0) if self.is_selected(barrier) else _pen(self.ink.halo, width)

    def _paint_area(self, painter: QPainter, transform: QTransform, barrier: Barrier) -> None:
        color, path = self._color(barrier.kind), transform.map(region_path(barrier.region))
        painter.fillPath(path, QBrush(faded(color, 0.8), Qt.BrushStyle.FDiagPattern))
        painter.strokePath(path, self._halo(barrier, 3.5))
        painter.strokePath(path, QPen(color, 1.6))

    def _paint_line(
        self, painter: QPainter, transform: QTransform, visible: QRectF, barrier: Barrier, line: Line, wide: float
    ) -> None:
        corners = QPolygonF([transform.map(QPointF(column, row)) for row, column in line])
        color, width = self._color(barrier.kind), max(_LINE_PX, wide)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._halo(barrier, width + 2.5))
        painter.drawPolyline(corners)
        if barrier.kind is BarrierKind.ROAD and width < 6.0:
            # Two edges with a light middle, as roads are drawn on maps.
            painter.setPen(_pen(color, 4.0))
            painter.drawPolyline(corners)
            painter.setPen(_pen(self.ink.halo, 1.4))
            painter.drawPolyline(corners)
            return
        pen = _pen(faded(color, 0.55) if wide > 2.0 * _LINE_PX else color, width)
        if (dashes := _DASHES.get(barrier.kind)) and wide <= 2.0 * _LINE_PX:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern(dashes)
        painter.setPen(pen)
        painter.drawPolyline(corners)
        if barrier.kind is BarrierKind.DOZER:
            self._paint_crosses(painter, corners, visible, color)

    def _paint_crosses(self, painter: QPainter, corners: QPolygonF, visible: QRectF, color: QColor) -> None:
        """Draw a cross every few pixels on a line."""
        path = QPainterPath()
        for at in _along([corners.at(k) for k in range(corners.size())], visible):
            for rise in (_CROSS_PX, -_CROSS_PX):
                path.moveTo(at.x() - _CROSS_PX, at.y() - rise)
                path.lineTo(at.x() + _CROSS_PX, at.y() + rise)
        painter.strokePath(path, _pen(self.ink.halo, 3.4))
        painter.strokePath(path, _pen(color, 1.6))

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield the names of the barriers on screen, at the middle of each."""
        font, grid = map_font(8.5, bold=True), self._screen.grid
        for barrier in self._barriers:
            corners = barrier.lines[0] if barrier.lines else barrier.areas[0][0]
            middle = _middle(corners, (round(grid.height()), round(grid.width())))
            if middle is None:
                continue
            at = transform.map(QPointF(middle[1], middle[0]))
            if visible.contains(at):
                box = QRectF(at.x() - 5.0, at.y() - 5.0, 10.0, 10.0)
                spots: Callable[[QSizeF], Iterable[QPointF]] = partial(spots_around, box)
                is_selected = self.is_selected(barrier)
                rank = Rank.SELECTION if is_selected else Rank.PLACE
                color = self._color(barrier.kind)
                yield Label(barrier.name, font, color, rank, spots, must_show=is_selected)


def _pen(color: QColor, width: float) -> QPen:
    return QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _middle(corners: Line, shape: tuple[int, int]) -> Vertex | None:
    """Return the middle of what of a line lies on the grid, along the line; ``None`` for a line beside it."""
    pieces = [piece for pair in pairwise(corners) if (piece := clipped(*pair, shape)) is not None]
    left = sum(math.dist(*piece) for piece in pieces) / 2.0
    for start, end in pieces:
        length = math.dist(start, end)
        if length >= left:
            share = left / length if length else 0.0
            return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
        left -= length
    # Rounding can leave a last bit of the way.
    return pieces[-1][1] if pieces else None


def _along(corners: list[QPointF], visible: QRectF) -> Iterator[QPointF]:
    """Yield points on a line at equal distances, those on screen."""
    left, count = _APART_PX / 2.0, 0
    for start, end in pairwise(corners):
        step = end - start
        length = math.hypot(step.x(), step.y())
        if not visible.intersects(QRectF(start, end).normalized().adjusted(-1.0, -1.0, 1.0, 1.0)):
            left = _APART_PX / 2.0
            continue
        while left < length:
            at = start + step * (left / length)
            if visible.contains(at):
                yield at
                count += 1
                if count >= _MOST_CROSSES:
                    return
            left += _APART_PX
        left -= length
