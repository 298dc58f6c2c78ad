"""Decorations over the map in screen pixels: scale bar, north arrow, captions, legend of the fire."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from firegui.domain.units import FOOT_M, MILE_M, Units
from firegui.gui.map.items import PictureCache, draw_text, map_font, text_width
from firegui.gui.map.map_colors import ColorScale, Ink

_EDGE = 14.0
_BAR_PX = 110.0
_LEGEND_PX = 170.0
_ARROW_PX = 52.0
_PILL_PX, _GAP_PX = 24.0, 8.0
_LIFTED_PX = 46.0


@dataclass(frozen=True, slots=True, eq=False)
class Caption:
    """Texts of the decorations.

    ``note`` is a warning next to the title, ``caution`` one that ``reasons`` explain. ``scale`` is the shown fire
    scale. ``awaited`` is shown in the centre of the map and says why there is no fire yet.
    """

    title: str = ""
    note: str = ""
    hint: str = ""
    scale: ColorScale | None = None
    cell_size_m: float = 1.0
    units: Units = Units.METRIC
    awaited: str = ""
    caution: str = ""
    reasons: tuple[str, ...] = ()


def round_length(longest_m: float) -> float:
    """Return the largest fitting length of 1, 2 or 5 · 10ⁿ."""
    power = 10.0 ** math.floor(math.log10(longest_m))
    return next(k * power for k in (5.0, 2.0, 1.0) if k * power <= longest_m * (1 + 1e-9))


def scale_bar(longest_m: float, units: Units) -> tuple[float, str]:
    """Return the length in metres and the text of a round scale bar of at most ``longest_m``."""
    if units is Units.METRIC:
        metres = round_length(longest_m)
        return metres, f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
    unit, size = ("mi", MILE_M) if longest_m >= MILE_M / 2.0 else ("ft", FOOT_M)
    length = round_length(longest_m / size)
    return length * size, f"{length:g} {unit}"


def flow(widths: Sequence[float], room: float) -> list[tuple[float, float]]:
    """Return ``(left, top)`` of boxes in rows that end before ``room``."""
    places: list[tuple[float, float]] = []
    left, top = _EDGE - 6.0, _EDGE - 6.0
    for width in widths:
        if places and left + width > room:
            left, top = _EDGE - 6.0, top + _PILL_PX + _GAP_PX
        places.append((left, top))
        left += width + _GAP_PX
    return places


def split_title(title: str, font: QFont, room: float) -> list[str]:
    """Return the title in as few lines as fit, split at its dots; side-by-side maps are narrow."""
    lines: list[str] = []
    for part in title.split(" · "):
        longer = f"{lines[-1]} · {part}" if lines else part
        if lines and text_width(longer, font) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


@dataclass(frozen=True, slots=True)
class DecorationParts:
    """Parts that a map shows. Maps side by side share time, notes and scale bar.

    With ``one_row`` the time is left out where it would need a second row.
    """

    time: bool = True
    one_row: bool = False
    scale_bar: bool = True
    legend: bool = True
    north: bool = True


class Decorations(QGraphicsItem):
    """Texts, scale bar, north arrow and legend over the map, fixed on screen."""

    def __init__(self) -> None:
        super().__init__()
        self.setZValue(10_000.0)
        self.ink = Ink.of(QPalette())
        self.caption = Caption()
        self.parts = DecorationParts()
        self.pixels_per_cell = 1.0
        self._size = QRectF()
        # During playback only the title changes. One picture of all the rest would be as large as the map.
        self._pictures = tuple(
            (PictureCache(), paint) for paint in (self._paint_north, self._paint_scale_bar, self._paint_legend)
        )
        self._kept: tuple[object, ...] = ()
        self._measured: tuple[tuple[object, ...], list[tuple[str, QFont, QColor]]] | None = None

    def show_caption(self, caption: Caption, pixels_per_cell: float, size: QRectF) -> None:
        """Show other texts on a viewport of another size or zoom."""
        self.prepareGeometryChange()
        self.caption, self.pixels_per_cell, self._size = caption, pixels_per_cell, QRectF(size)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the whole viewport."""
        return self._size

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw everything."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.caption.title:
            return
        self._paint_captions(painter)
        self._paint_awaited(painter)
        scale = self.caption.scale
        drawn = (
            scale and (scale.title, scale.low, scale.high),
            self.caption.cell_size_m,
            self.caption.units,
            self.pixels_per_cell,
            self._size.getRect(),
            self.ink,
        )
        if drawn != self._kept:
            self._kept = drawn
            for picture, _paint in self._pictures:
                picture.forget()
        for picture, paint in self._pictures:
            picture.paint(painter, widget, paint)

    def _pill(self, painter: QPainter, box: QRectF) -> None:
        path = QPainterPath()
        path.addRoundedRect(box, 5.0, 5.0)
        painter.fillPath(path, self.ink.card)

    def caption_texts(self) -> list[tuple[str, QFont, QColor]]:
        """Return caution, title, note and hint, in this order, as they are drawn: none wider than the map.

        They are measured once for what is shown: boxes and painting need them.
        """
        shown = self.caption, self.parts, self._caption_room, self.ink, QFont()
        if self._measured is None or self._measured[0] != shown:
            self._measured = shown, self._caption_texts()
        return self._measured[1]

    def _caption_texts(self) -> list[tuple[str, QFont, QColor]]:
        """Return :meth:`caption_texts`, measured.

        The caution is a sign alone where its text does not fit beside the title.
        """
        ink, plain, bold, room = self.ink, map_font(9.0), map_font(9.5, bold=True), self._caption_room
        title, note, caution = self.caption.title, self.caption.note, self.caption.caution
        if not self.parts.time:
            title, note, caution = title.split(" · ")[0], "", ""
        sign = caution.partition(" ")[0]
        beside = text_width(sign, plain) + 16.0 + _GAP_PX if sign else 0.0
        titles = split_title(title, bold, room - 24.0 - beside)
        if len(titles) > 2:
            # Name and day: the time is in the timeline too.
            titles = title.split(" · ")[:2]
        if self.parts.one_row and len(titles) > 1:
            cut = Qt.TextElideMode.ElideMiddle
            titles = [QFontMetricsF(bold).elidedText(title.split(" · ")[0], cut, room - 28.0 - beside)]
        free = room - _EDGE + 6.0 - sum(text_width(part, bold) + 16.0 + _GAP_PX for part in titles)
        if text_width(caution, plain) + 16.0 > free:
            caution = sign
        lines = (
            (caution, plain, ink.muted),
            *((part, bold, ink.text) for part in titles),
            *((part, plain, ink.muted) for part in split_title(note, plain, room - 24.0)),
            (self.caption.hint, plain, ink.text),
        )
        return [
            # Runs of one day have names of the same beginning and differ at the end.
            (QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, room - 28.0), font, color)
            for text, font, color in lines if text
        ]  # fmt: skip

    @property
    def _caption_room(self) -> float:
        """The right edge of the captions."""
        return self._size.right() - (_ARROW_PX if self.parts.north else _EDGE - 6.0)

    @property
    def caution_box(self) -> QRectF:
        """Where the caution is; empty without one."""
        is_shown = self.caption.caution and self.parts.time
        return self._caption_boxes(self.caption_texts())[0] if is_shown else QRectF()

    def _caption_boxes(self, texts: Sequence[tuple[str, QFont, QColor]]) -> list[QRectF]:
        """Return the boxes of texts in a row, or in a column next to the north arrow."""
        widths = [text_width(text, font) + 16.0 for text, font, _ in texts]
        places = flow(widths, self._caption_room)
        return [QRectF(*place, width, _PILL_PX) for place, width in zip(places, widths, strict=True)]

    @property
    def boxes(self) -> list[QRectF]:
        """Boxes of all parts, which hide what lies below.

        The captions, whose widths change with the time, are one over the whole width.
        """
        if not self.caption.title:
            return []
        captions = self._caption_boxes(self.caption_texts())
        boxes = [QRectF(self._size.topLeft(), QPointF(self._size.right(), captions[-1].bottom()))]
        if self.parts.north:
            boxes.append(QRectF(self._size.right() - _ARROW_PX, self._size.top(), _ARROW_PX, _ARROW_PX + 4.0))
        boxes += [self._scale_bar_box] if self.parts.scale_bar else []
        return [*boxes, self._legend_box] if self.parts.legend and self.caption.scale is not None else boxes

    def _paint_captions(self, painter: QPainter) -> None:
        texts = self.caption_texts()
        for (text, font, color), box in zip(texts, self._caption_boxes(texts), strict=True):
            self._pill(painter, box)
            painter.setPen(color)
            painter.setFont(font)
            painter.drawText(box.topLeft() + QPointF(8.0, 16.5), text)

    def _paint_awaited(self, painter: QPainter) -> None:
        """Paint the awaited text in the centre, where the fire will be."""
        if not self.caption.awaited:
            return
        font, middle = map_font(10.0), self._size.center()
        room = self._size.width() - 2.0 * _EDGE - 24.0
        shorten = QFontMetricsF(font).elidedText
        lines = [shorten(line, Qt.TextElideMode.ElideRight, room) for line in self.caption.awaited.splitlines()]
        widths = [text_width(line, font) for line in lines]
        box = QRectF(0.0, 0.0, max(widths) + 24.0, 20.0 * len(lines) + 12.0)
        box.moveCenter(middle)
        self._pill(painter, box)
        for number, (line, width) in enumerate(zip(lines, widths, strict=True)):
            self._text(painter, QPointF(middle.x() - width / 2.0, box.top() + 20.0 * number + 20.0), line, font)

    def _paint_north(self, painter: QPainter, _first: int) -> None:
        if not self.parts.north:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x, top = self._size.right() - _EDGE - 12.0, self._size.top() + _EDGE
        font = map_font(10.0, bold=True)
        draw_text(painter, QPointF(x - text_width("N", font) / 2, top + 10.0), "N", font, self.ink.text, self.ink.halo)
        needle = QPainterPath(QPointF(x, top + 15.0))
        for point in (QPointF(x + 7, top + 40), QPointF(x, top + 34), QPointF(x - 7, top + 40)):
            needle.lineTo(point)
        needle.closeSubpath()
        pen = QPen(self.ink.halo, 3.0)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(needle, pen)
        painter.fillPath(needle, self.ink.text)

    def _paint_scale_bar(self, painter: QPainter, _first: int) -> None:
        if not self.parts.scale_bar:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width, text = self._bar
        left, y = self._size.left() + _EDGE, self._size.bottom() - _EDGE
        self._pill(painter, self._scale_bar_box)
        painter.setPen(QPen(self.ink.text, 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        for x0, y0, x1, y1 in ((0, 0, width, 0), (0, 1, 0, -5), (width / 2, 1, width / 2, -3), (width, 1, width, -5)):
            painter.drawLine(QPointF(left + x0, y + y0), QPointF(left + x1, y + y1))
        font = map_font(8.5)
        self._text(painter, QPointF(left - 2, y - 10), "0", font)
        self._text(painter, QPointF(left + width - text_width(text, font) / 2, y - 10), text, font)

    @property
    def _bar(self) -> tuple[float, str]:
        """Length of the scale bar in pixels, and its text."""
        metres_per_pixel = self.caption.cell_size_m / self.pixels_per_cell
        metres, text = scale_bar(_BAR_PX * metres_per_pixel, self.caption.units)
        return metres / metres_per_pixel, text

    @property
    def _scale_bar_box(self) -> QRectF:
        left, y = self._size.left() + _EDGE, self._size.bottom() - _EDGE
        return QRectF(left - 8, y - 25, self._bar[0] + 16 + 20, 33)

    @property
    def _legend_box(self) -> QRectF:
        scale = self.caption.scale
        if scale is None:
            return QRectF()
        width = min(
            max(_LEGEND_PX, text_width(scale.title, map_font(8.5, bold=True)), _width_of_ends(scale)),
            self._size.width() - 2.0 * _EDGE,
        )
        left, top = self._size.right() - _EDGE - width, self._size.bottom() - _EDGE - 38.0
        if self.parts.scale_bar and left < self._size.left() + _BAR_PX + 4.0 * _EDGE:
            # There is no room next to the scale bar, so it is above it.
            top -= _LIFTED_PX
        return QRectF(left - 9, top - 7, width + 18, 52)

    def _text(self, painter: QPainter, at: QPointF, text: str, font: QFont) -> None:
        painter.setPen(self.ink.text)
        painter.setFont(font)
        painter.drawText(at, text)

    def _paint_legend(self, painter: QPainter, _first: int) -> None:
        scale = self.caption.scale
        if not self.parts.legend or scale is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font, bold = map_font(8.5), map_font(8.5, bold=True)
        box, ends = self._legend_box, _width_of_ends(scale)
        left, top, width = box.left() + 9, box.top() + 7, box.width() - 18
        self._pill(painter, box)
        title = QFontMetricsF(bold).elidedText(scale.title, Qt.TextElideMode.ElideRight, width)
        self._text(painter, QPointF(left, top + 8), title, bold)
        painter.drawImage(QRectF(left, top + 14, width, 10), scale_image(scale))
        painter.setPen(QPen(self.ink.frame, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left, top + 14, width, 10))
        middle, cut = scale.middle if ends <= width else "", Qt.TextElideMode.ElideRight
        most = (width - _EDGE) / 2.0 if ends > width else width
        low, high = (QFontMetricsF(font).elidedText(text, cut, most) for text in (scale.low, scale.high))
        self._text(painter, QPointF(left, top + 37), low, font)
        self._text(painter, QPointF(left + width - text_width(high, font), top + 37), high, font)
        self._text(painter, QPointF(left + (width - text_width(middle, font)) / 2, top + 37), middle, font)


def _width_of_ends(scale: ColorScale) -> float:
    """Return the width that the texts below a colour scale need beside each other."""
    return sum(text_width(text, map_font(8.5)) for text in (scale.low, scale.middle, scale.high)) + 2.0 * _EDGE


def scale_image(scale: ColorScale) -> QImage:
    """Return a colour scale as an image of 256 × 1 pixels."""
    row = scale.packed.reshape(1, 256).copy()
    # copy(): the image does not own the memory of the array.
    return QImage(row.data, 256, 1, 1024, QImage.Format.Format_ARGB32_Premultiplied).copy()


def scale_html(scale: ColorScale) -> str:
    """Return a colour scale from its low to its high end, as an image within a text."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(scale_image(scale).scaled(70, 10))
    return f'<img src="data:image/png;base64,{bytes(data.toBase64().data()).decode()}"/>'
