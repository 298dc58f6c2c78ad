"""Outline that a tool draws, the pin of the probe, and the crosshair of the keyboard."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPalette, QPen, QPolygonF, QTransform

from firegui.domain.regions import Vertex
from firegui.gui.map.items import ScreenItem, draw_tag, map_font, text_width
from firegui.gui.map.map_colors import Ink, faded

_TITLE_PX, _LINE_PX = 76.0, 18.0
"""Height of the title and the hint at the top of the map, and of one line of text.

The text of a shape that reaches into this height is drawn below the shape, where the map has room for it.
"""

_SYMBOL_PX = 10.0
"""Half the size of the symbol at a single corner. The text of the outline keeps this distance from the corner."""
_EDGE_PX = 6.0
"""Least distance of the text of an outline from the left and right edge of the map."""
_GAP_PX, _ARM_PX = 4.0, 16.0
"""Distances from the centre of the crosshair at which its arms begin and end."""
_DIRECTIONS = (QPointF(1.0, 0.0), QPointF(0.0, 1.0), QPointF(-1.0, 0.0), QPointF(0.0, -1.0))


@dataclass(frozen=True, slots=True)
class Outline:
    """Outline or line with the text that is shown with it.

    ``corners`` are ``(row, column)`` in map coordinates, in the order in which they are connected. ``text`` is a size,
    a place, a name or a problem. ``closed`` connects the last corner to the first. An outline that is not ``allowed``
    has the colour of an error. ``dots`` marks every corner with a circle.
    """

    corners: tuple[Vertex, ...]
    text: str = ""
    closed: bool = True
    allowed: bool = True
    dots: bool = False


class Sketch:
    """Outline, pin, crosshair and the drop under the mouse, drawn above all layers."""

    def __init__(self) -> None:
        self.item = ScreenItem(self._paint)
        self.item.setZValue(1000.0)
        self.ink = Ink.of(QPalette())
        self.outline: Outline | None = None
        self.hovered: Outline | None = None
        self.pin: Vertex | None = None
        self.cursor: Vertex | None = None

    def show(self, outline: Outline | None) -> None:
        """Show an outline, or none."""
        self.outline = outline
        self.item.update()

    def show_hovered(self, outline: Outline | None) -> None:
        """Show the outline and the name of what is under the mouse, or none."""
        if outline != self.hovered:
            self.hovered = outline
            self.item.update()

    def show_pin(self, pin: Vertex | None) -> None:
        """Mark the cell with this north-west corner, or none."""
        self.pin = pin
        self.item.update()

    def show_cursor(self, place: Vertex | None) -> None:
        """Show the crosshair of the keyboard, or none."""
        self.cursor = place
        self.item.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        if self.pin is not None:
            self._paint_pin(painter, transform, self.pin)
        if self.hovered is not None:
            self._paint_outline(painter, transform, visible, self.hovered)
        if self.outline is not None and self.outline.corners:
            self._paint_outline(painter, transform, visible, self.outline)
        if self.cursor is not None:
            self._paint_cursor(painter, transform.map(QPointF(self.cursor[1], self.cursor[0])))

    def _paint_cursor(self, painter: QPainter, at: QPointF) -> None:
        arms = [QLineF(at + direction * _GAP_PX, at + direction * _ARM_PX) for direction in _DIRECTIONS]
        for pen in (QPen(self.ink.halo, 5.0), QPen(self.ink.accent, 2.0)):
            painter.setPen(pen)
            painter.drawLines(arms)

    def _paint_pin(self, painter: QPainter, transform: QTransform, pin: Vertex) -> None:
        cell = transform.mapRect(QRectF(pin[1], pin[0], 1.0, 1.0))
        side = max(cell.width(), 7.0)
        box = QRectF(cell.center().x() - side / 2, cell.center().y() - side / 2, side, side)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(self.ink.halo, 4.0), QPen(self.ink.accent, 2.0)):
            painter.setPen(pen)
            painter.drawRect(box)

    def _paint_outline(self, painter: QPainter, transform: QTransform, visible: QRectF, outline: Outline) -> None:
        color = self.ink.accent if outline.allowed else self.ink.observed
        pixels = QPolygonF([transform.map(QPointF(column, row)) for row, column in outline.corners])
        painter.setBrush(QBrush(faded(color, 0.18)) if outline.closed else Qt.BrushStyle.NoBrush)
        for pen in (QPen(self.ink.halo, 4.0), QPen(color, 2.0)):
            painter.setPen(pen)
            if outline.closed:
                painter.drawPolygon(pixels)
            else:
                painter.drawPolyline(pixels)
        if outline.dots:
            painter.setPen(QPen(color, 1.5))
            painter.setBrush(QBrush(self.ink.card))
            for k in range(pixels.size()):
                painter.drawEllipse(pixels.at(k), 3.5, 3.5)
        if outline.text:
            font = map_font(9.0, bold=True)
            box = pixels.boundingRect()
            if len(outline.corners) == 1:
                box.adjust(-_SYMBOL_PX, -_SYMBOL_PX, _SYMBOL_PX, _SYMBOL_PX)
            text_width_px = text_width(outline.text, font)
            at = QPointF(box.center().x() - text_width_px / 2, box.top() - 7.0)
            if at.y() < _TITLE_PX and box.bottom() + _LINE_PX < visible.bottom():
                at.setY(box.bottom() + _LINE_PX)
            at.setY(max(at.y(), 16.0))
            at.setX(max(min(at.x(), visible.right() - text_width_px - _EDGE_PX), visible.left() + _EDGE_PX))
            # The card hides names and drops of the layers below, so that the text is readable.
            draw_tag(painter, at, outline.text, font, self.ink.text, self.ink.card)
