"""Layers of protected regions, no-drop zones and pinned drops."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from firegui.domain.barriers import Barrier
from firegui.domain.bases import Base
from firegui.domain.project import Project
from firegui.domain.region_geometry import Handle, handles_of
from firegui.domain.regions import Region
from firegui.gui.map.items import map_font
from firegui.gui.map.labels import Label, Rank, spots_in
from firegui.gui.map.layers.layer import (
    Content,
    PaintedLayer,
    Sample,
)
from firegui.gui.map.map_colors import Ink, faded
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import ShapeKind, Tool

HANDLE_PX = 8.0
Shape = TypeVar("Shape", Region, Barrier, Base)


class ShapesLayer(PaintedLayer, Generic[Shape]):
    """Base class of layers of shapes that are selected and edited on the map."""

    kind: ShapeKind
    _preview: tuple[str, Shape] | None = None

    def preview(self, name: str, shape: Shape | None) -> None:
        """Show the shape called ``name`` as ``shape``; ``None`` ends the preview."""
        self._preview = None if shape is None else (name, shape)
        self._screen.update()

    def previewed(self, shapes: Iterable[Shape]) -> Iterator[Shape]:
        """Yield shapes as they are shown, one perhaps as a preview."""
        for shape in shapes:
            yield self._preview[1] if self._preview is not None and self._preview[0] == shape.name else shape

    @property
    def selection(self) -> Content:
        """Which shape is selected and edited."""
        return self.session.selected_name(self.kind), self.session.tool is Tool.EDIT

    def is_selected(self, shape: Shape) -> bool:
        """Return whether a shape is selected."""
        return bool(shape.name) and shape.name == self.session.selected_name(self.kind)


def paint_handles(painter: QPainter, transform: QTransform, handles: Sequence[Handle], color: QColor, ink: Ink) -> None:
    """Paint a square at every handle."""
    painter.setPen(QPen(color, 1.5))
    painter.setBrush(QBrush(ink.card))
    for handle in handles:
        at = transform.map(QPointF(handle.column, handle.row))
        painter.drawRect(QRectF(at.x() - HANDLE_PX / 2, at.y() - HANDLE_PX / 2, HANDLE_PX, HANDLE_PX))


def region_path(region: Region) -> QPainterPath:
    """Return a region in map coordinates; the odd-even rule leaves out its holes."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.OddEvenFill)
    for part in region.parts:
        for ring in part:
            path.addPolygon(QPolygonF([QPointF(column, row) for row, column in ring]))
            path.closeSubpath()
    return path


def _area_label(
    area: Region, text: str, color: QColor, rank: Rank, transform: QTransform, visible: QRectF
) -> Iterator[Label]:
    """Yield the name of a region or zone, unless it is too small on screen."""
    path = transform.map(region_path(area))
    seen = path.boundingRect().intersected(visible)
    if seen.width() < 18.0 or seen.height() < 16.0:
        return

    def spots(size: QSizeF) -> list[QPointF]:
        found = spots_in(seen, size)
        if area.as_rectangle is None:
            # The corner of a polygon's box may be far from the polygon; its centre usually is not.
            middle = seen.center() if path.contains(seen.center()) else path.pointAtPercent(0.0)
            found.insert(0, middle - QPointF(size.width() / 2, size.height() / 2))
        return found

    yield Label(text, map_font(9.5, bold=True), color, rank, spots, must_show=rank is Rank.SELECTION)


class RegionsLayer(ShapesLayer[Region]):
    """All regions of the project."""

    key = "regions"
    kind = ShapeKind.REGION
    title = "Protected regions"
    help = "What the plan must keep the fire out of, with names and weights"
    follows = frozenset({"regions"})
    swatch_ink = "region"
    samples = (("", "region", Sample.DASH),)
    no_data = "none drawn yet: use the region tools"
    has_labels = True

    def _has_data(self, project: Project) -> bool:
        return bool(project.regions)

    def content(self, shown: MapState) -> Content:
        """Return the regions, and which one is selected and edited."""
        return shown.project.regions, *self.selection

    @property
    def _shown(self) -> Iterator[Region]:
        return self.previewed(self.session.project.regions if self.session.has_project else ())

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for region in self._shown:
            self._paint_region(painter, transform, region)

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield the names with their weights; the selected region is always named."""
        for region in self._shown:
            selected = self.is_selected(region)
            text = region.name if region.weight == 1.0 else f"{region.name}  ×{region.weight:g}"
            rank = Rank.SELECTION if selected else Rank.REGION
            yield from _area_label(region, text, self.ink.region, rank, transform, visible)

    def _paint_region(self, painter: QPainter, transform: QTransform, region: Region) -> None:
        color, selected = self.ink.region, self.is_selected(region)
        path = transform.map(region_path(region))
        painter.fillPath(path, QBrush(faded(color, 0.16 if selected else 0.07)))
        painter.strokePath(path, QPen(self.ink.halo, 4.0 if selected else 3.0))
        style = Qt.PenStyle.SolidLine if selected else Qt.PenStyle.DashLine
        painter.strokePath(path, QPen(color, 2.2 if selected else 1.4, style))
        if selected and self.session.tool is Tool.EDIT:
            paint_handles(painter, transform, handles_of(region), color, self.ink)


_PIN_PX, _HEADING_PX = 5.0, 15.0


class ZonesLayer(PaintedLayer):
    """All no-drop zones, hatched."""

    key = "zones"
    title = "No-drop zones"
    help = "Where no drop may come down; set in the panel Rules of the operation"
    follows = frozenset({"operations"})
    swatch_ink = "zone"
    samples = (("", "zone", Sample.HATCH),)
    no_data = "none drawn: see the panel Rules of the operation"
    has_labels = True

    def _has_data(self, project: Project) -> bool:
        return bool(project.operations.no_drop_zones)

    def content(self, shown: MapState) -> Content:
        """Return the zones."""
        return (shown.project.operations.no_drop_zones,)

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        color = self.ink.zone
        for zone in self.session.project.operations.no_drop_zones if self.session.has_project else ():
            path = transform.map(region_path(zone))
            painter.fillPath(path, QBrush(color, Qt.BrushStyle.BDiagPattern))
            painter.strokePath(path, QPen(self.ink.halo, 3.5))
            painter.strokePath(path, QPen(color, 1.6))

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield the names."""
        for zone in self.session.project.operations.no_drop_zones if self.session.has_project else ():
            yield from _area_label(zone, zone.name, self.ink.zone, Rank.REGION, transform, visible)


class PinsLayer(PaintedLayer):
    """Diamond at every pinned drop's release point, with a stroke along its long axis."""

    key = "pins"
    title = "Pinned drops"
    help = "Drops that every plan keeps, at their release points; set in the panel Rules of the operation"
    follows = frozenset({"operations"})
    swatch_ink = "text"
    samples = (("release point", "text", Sample.DIAMOND),)
    no_data = "none pinned: see the panel Rules of the operation"

    def _has_data(self, project: Project) -> bool:
        return bool(project.operations.pinned)

    def content(self, shown: MapState) -> Content:
        """Return the pinned drops."""
        return (shown.project.operations.pinned,)

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for pin in self.session.project.operations.pinned if self.session.has_project else ():
            if not all(math.isfinite(value) for value in (pin.y, pin.x, pin.theta)):
                continue
            # Poses have cell centres at integers, the map has cell corners: an offset of half a cell.
            at = transform.map(QPointF(pin.x + 0.5, pin.y + 0.5))
            along = QPointF(math.cos(pin.theta), -math.sin(pin.theta)) * _HEADING_PX
            corners = [QPointF(0, -_PIN_PX), QPointF(_PIN_PX, 0), QPointF(0, _PIN_PX), QPointF(-_PIN_PX, 0)]
            for pen in (QPen(self.ink.halo, 4.0), QPen(self.ink.text, 1.8)):
                painter.setPen(pen)
                painter.drawLine(at - along, at + along)
            painter.setPen(QPen(self.ink.halo, 1.5))
            painter.setBrush(self.ink.text)
            painter.drawPolygon([at + corner for corner in corners])
