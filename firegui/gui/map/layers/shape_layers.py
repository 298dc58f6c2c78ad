"""Layers of protected regions, no-drop zones and pinned drops."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from firegui.domain.project import Project
from firegui.domain.region_geometry import handles_of
from firegui.domain.regions import Region
from firegui.gui.map.items import draw_text, map_font, text_width
from firegui.gui.map.layers.layer import (
    Content,
    PaintedLayer,
    Sample,
)
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import Tool

HANDLE_PX = 8.0


def region_path(region: Region) -> QPainterPath:
    """Return a region in map coordinates; the odd-even rule leaves out its holes."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.OddEvenFill)
    for part in region.parts:
        for ring in part:
            path.addPolygon(QPolygonF([QPointF(column, row) for row, column in ring]))
            path.closeSubpath()
    return path


class RegionsLayer(PaintedLayer):
    """All regions of the project; a tool may show a changed one (:meth:`preview`)."""

    key = "regions"
    title = "Protected regions"
    help = "What the plan must keep the fire out of, with names and weights"
    follows = frozenset({"regions"})
    swatch_ink = "region"
    samples = (("protected", "region", Sample.DASH), ("selected", "region", Sample.LINE))
    no_data = "none drawn yet: use the region tools"
    _preview: tuple[str, Region] | None = None

    def _has_data(self, project: Project) -> bool:
        return bool(project.regions)

    def content(self, shown: MapState) -> Content:
        """Return the regions, and which one is selected and edited."""
        return shown.project.regions, self.session.selected_region, self.session.tool is Tool.EDIT

    def preview(self, name: str, region: Region | None) -> None:
        """Show region ``name`` as ``region``; ``None`` ends the preview."""
        self._preview = None if region is None else (name, region)
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for region in self.session.project.regions if self.session.has_project else ():
            if self._preview is not None and self._preview[0] == region.name:
                region = self._preview[1]
            self._paint_region(painter, transform, visible, region)

    def _paint_region(self, painter: QPainter, transform: QTransform, visible: QRectF, region: Region) -> None:
        color, selected = self.ink.region, region.name == self.session.selected_region
        path = transform.map(region_path(region))
        painter.fillPath(path, QBrush(faded(color, 0.16 if selected else 0.07)))
        painter.strokePath(path, QPen(self.ink.halo, 4.0 if selected else 3.0))
        style = Qt.PenStyle.SolidLine if selected else Qt.PenStyle.DashLine
        painter.strokePath(path, QPen(color, 2.2 if selected else 1.4, style))
        self._paint_name(painter, path, visible, region)
        if selected and self.session.tool is Tool.EDIT:
            self._paint_handles(painter, transform, region)

    def _paint_name(self, painter: QPainter, path: QPainterPath, visible: QRectF, region: Region) -> None:
        font = map_font(9.5, bold=True)
        text = region.name if region.weight == 1.0 else f"{region.name}  ×{region.weight:g}"
        seen, width = path.boundingRect().intersected(visible), text_width(text, font)
        if seen.width() < 18.0 or seen.height() < 16.0:
            return
        at = seen.topLeft() + QPointF(7.0, 17.0)
        if region.as_rectangle is None:
            # The corner of a polygon's box may be far from the polygon; its centre usually is not.
            middle = seen.center() if path.contains(seen.center()) else path.pointAtPercent(0.0)
            at = middle + QPointF(-width / 2, 5.0)
        draw_text(painter, at, text, font, self.ink.region, self.ink.halo)

    def _paint_handles(self, painter: QPainter, transform: QTransform, region: Region) -> None:
        painter.setPen(QPen(self.ink.region, 1.5))
        painter.setBrush(QBrush(self.ink.card))
        for handle in handles_of(region):
            at = transform.map(QPointF(handle.column, handle.row))
            box = QRectF(at.x() - HANDLE_PX / 2, at.y() - HANDLE_PX / 2, HANDLE_PX, HANDLE_PX)
            painter.drawRect(box)


_PIN_PX, _HEADING_PX = 5.0, 15.0


class ZonesLayer(PaintedLayer):
    """All no-drop zones, hatched."""

    key = "zones"
    title = "No-drop zones"
    help = "Where no drop may come down; set in the panel Rules of the operation"
    follows = frozenset({"operations"})
    swatch_ink = "zone"
    samples = (("no drop comes down here", "zone", Sample.HATCH),)
    no_data = "none drawn: see the panel Rules of the operation"

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
            seen = path.boundingRect().intersected(visible)
            if seen.width() >= 18.0 and seen.height() >= 16.0:
                at = seen.topLeft() + QPointF(7.0, 17.0)
                if zone.as_rectangle is None and path.contains(seen.center()):
                    at = seen.center()
                draw_text(painter, at, zone.name, map_font(9.5, bold=True), color, self.ink.halo)


class PinsLayer(PaintedLayer):
    """Diamond at every pinned drop's release point, with a stroke along its long axis."""

    key = "pins"
    title = "Pinned drops"
    help = "Drops that every plan keeps, at their release points; set in the panel Rules of the operation"
    follows = frozenset({"operations"})
    swatch_ink = "text"
    samples = (("release point of a pinned drop", "text", Sample.DIAMOND),)
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
