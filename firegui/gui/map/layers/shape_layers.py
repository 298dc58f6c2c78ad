"""Layers of protected regions, no-drop zones and pinned drops."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from firegui.domain.operations import PinnedDrop
from firegui.domain.regions import Region
from firegui.gui.map.items import ScreenItem, draw_text, map_font, text_width
from firegui.gui.map.layers.layer import Legend, LegendEntry, MapLayer, Sample
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import MapState
from firegui.gui.map.tools.shape_geometry import handles_of
from firegui.gui.session.session import Session, Tool

HANDLE_PX = 8.0


def region_path(region: Region) -> QPainterPath:
    """A region in map coordinates, holes left out by the odd-even rule."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.OddEvenFill)
    for part in region.parts:
        for ring in part:
            path.addPolygon(QPolygonF([QPointF(column, row) for row, column in ring]))
            path.closeSubpath()
    return path


class RegionsLayer(MapLayer):
    """Every region of the project; a tool may show one as it would become (:meth:`preview`)."""

    key = "regions"
    title = "Protected regions"
    help = "What the plan must keep the fire out of, with names and weights"
    follows = frozenset({"regions"})

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)
        self._regions: tuple[Region, ...] = ()
        self._preview: tuple[str, Region] | None = None

    @property
    def swatch(self) -> QColor:
        """The outlines' colour."""
        return self.ink.region

    @property
    def legend(self) -> Legend:
        """Plain and selected."""
        samples = (("protected", Sample.DASH), ("selected", Sample.LINE))
        return Legend(entries=tuple(LegendEntry(name, self.ink.region, sample) for name, sample in samples))

    def missing(self) -> str:
        """Says when none is drawn."""
        drawn = not self.session.has_project or bool(self.session.project.regions)
        return "" if drawn else "none drawn yet: use the region tools"

    def preview(self, name: str, region: Region | None) -> None:
        """Show region ``name`` as ``region`` until told otherwise."""
        self._preview = None if region is None else (name, region)
        self._screen.update()

    def draw(self, shown: MapState | None) -> None:
        """Take the project's regions over."""
        self._regions = () if shown is None else shown.project.regions
        if shown is not None:
            self._screen.set_grid(*shown.scenario.grid.shape)
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for region in self._regions:
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
            # The corner of a polygon's box may lie far from it; its middle usually does not.
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


class ZonesLayer(MapLayer):
    """Every no-drop zone, hatched."""

    key = "zones"
    title = "No-drop zones"
    help = "Where no drop may come down; set in the Constraints dock"
    follows = frozenset({"operations"})

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)
        self._zones: tuple[Region, ...] = ()

    @property
    def swatch(self) -> QColor:
        """The outlines' colour."""
        return self.ink.zone

    @property
    def legend(self) -> Legend:
        """One hatched entry."""
        return Legend(entries=(LegendEntry("no drop comes down here", self.ink.zone, Sample.HATCH),))

    def missing(self) -> str:
        """Says when none is drawn."""
        drawn = not self.session.has_project or bool(self.session.project.operations.no_drop_zones)
        return "" if drawn else "none drawn: see the Constraints dock"

    def draw(self, shown: MapState | None) -> None:
        """Take the project's zones over."""
        self._zones = () if shown is None else shown.project.operations.no_drop_zones
        if shown is not None:
            self._screen.set_grid(*shown.scenario.grid.shape)
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        color = self.ink.zone
        for zone in self._zones:
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


class PinsLayer(MapLayer):
    """A diamond at every pinned drop's release point, with a stroke along its long axis."""

    key = "pins"
    title = "Pinned drops"
    help = "Drops that every plan keeps, at their release points; set in the Constraints dock"
    follows = frozenset({"operations"})

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)
        self._pins: tuple[PinnedDrop, ...] = ()

    @property
    def swatch(self) -> QColor:
        """The diamonds' colour."""
        return self.ink.accent

    @property
    def legend(self) -> Legend:
        """One entry."""
        return Legend(entries=(LegendEntry("release point of a pinned drop", self.ink.accent, Sample.DOT),))

    def missing(self) -> str:
        """Says when none is pinned."""
        there = not self.session.has_project or bool(self.session.project.operations.pinned)
        return "" if there else "none pinned: see the Constraints dock"

    def draw(self, shown: MapState | None) -> None:
        """Take the project's pins over."""
        self._pins = () if shown is None else shown.project.operations.pinned
        if shown is not None:
            self._screen.set_grid(*shown.scenario.grid.shape)
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for pin in self._pins:
            if not all(math.isfinite(value) for value in (pin.y, pin.x, pin.theta)):
                continue
            # A pose counts cell centres at integers, the map counts corners: half a cell further.
            at = transform.map(QPointF(pin.x + 0.5, pin.y + 0.5))
            along = QPointF(math.cos(pin.theta), -math.sin(pin.theta)) * _HEADING_PX
            corners = [QPointF(0, -_PIN_PX), QPointF(_PIN_PX, 0), QPointF(0, _PIN_PX), QPointF(-_PIN_PX, 0)]
            for pen in (QPen(self.ink.halo, 4.0), QPen(self.ink.accent, 1.8)):
                painter.setPen(pen)
                painter.drawLine(at - along, at + along)
            painter.setPen(QPen(self.ink.halo, 1.5))
            painter.setBrush(self.ink.accent)
            painter.drawPolygon([at + corner for corner in corners])
