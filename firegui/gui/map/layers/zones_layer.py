"""Where no drop may come down, and the drops that planning keeps."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTransform

from firegui.domain.operations import PinnedDrop
from firegui.domain.regions import Region
from firegui.gui.map.items import ScreenItem, draw_text, map_font
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, Sample
from firegui.gui.map.layers.regions_layer import region_path
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session

_PIN_PX, _HEADING_PX = 5.0, 15.0


class ZonesLayer(Layer):
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

    def draw(self, shown: Shown | None) -> None:
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


class PinsLayer(Layer):
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

    def draw(self, shown: Shown | None) -> None:
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
