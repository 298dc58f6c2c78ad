"""Protected regions: outlines, names, and the handles of the one being edited."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform

from firegui.domain.regions import Region
from firegui.gui.map.items import ScreenItem, draw_text, map_font, text_width
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, Sample
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import Shown
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


class RegionsLayer(Layer):
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

    def draw(self, shown: Shown | None) -> None:
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
