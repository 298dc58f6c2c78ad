"""Graphics items of the map: raster, strokes, and symbols and labels of constant size on screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QTransform,
)
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from firegui.domain.grid import bounding_box
from firegui.io.rasters.masks import mask_rings

_PEN_PX = 4.0
_TEXT_HALO_PX = 1.4
Draw = Callable[[QPainter, int], None]
"""Function that draws parts from the ``n``-th on, counted from 0."""


class PictureCache:
    """Picture of something drawn at one zoom, position and size. Call :meth:`forget` when it changes.

    Parts appended at the end are drawn onto the picture. The first drawing at a position is direct, so that panning and
    zooming store no pictures; the same holds for content that changes at every drawing. Content that ``crosses`` itself
    has a picture even then under an opacity: its strokes fade as one.
    """

    def __init__(self, *, crosses: bool = True) -> None:
        self._crosses = crosses
        self._image = QImage()
        self._at = QPointF()
        self._part = QRect()
        self._parts = 0
        self._pictured: View | None = None
        self._seen: View | None = None
        self._reused = False

    def forget(self) -> None:
        """Discard the picture: the content has changed."""
        # Content that rested until now will rest again: drawing it directly first would draw it twice.
        self._seen = self._pictured if self._reused else None
        self._pictured, self._reused = None, False
        self._image, self._part = QImage(), QRect()

    def ahead(self, view: View, draw: Draw, parts: int, bounds: QRectF) -> PictureCache:
        """Return the picture of other content within ``bounds``.

        Drawn before it is painted, it costs no time in the turn of the event loop that paints the map.
        """
        other = PictureCache(crosses=self._crosses)
        other._begin(view, draw, parts, bounds)
        other._pictured = view
        return other

    def paint(
        self, painter: QPainter, widget: QWidget | None, draw: Draw, parts: int = 1, bounds: QRectF | None = None
    ) -> None:
        """Draw all parts in the coordinates of ``painter``, or the picture of them.

        ``bounds`` contains all parts, those that are appended later too; by default they may be anywhere.
        """
        if widget is None:
            draw(painter, 0)
            return
        view = View(QTransform(painter.worldTransform()), widget.size(), widget.devicePixelRatioF())
        if view == self._pictured:
            self._reused = True
            self._extend(view, draw, parts, bounds)
        elif view != self._seen and not (self._crosses and painter.opacity() < 1.0):
            self._seen = view
            draw(painter, 0)
            return
        else:
            self._begin(view, draw, parts, bounds)
            self._pictured = view
        if not self._part.isEmpty():
            painter.save()
            painter.resetTransform()
            painter.drawImage(self._at, self._image, QRectF(self._part))
            painter.restore()

    def _begin(self, view: View, draw: Draw, parts: int, bounds: QRectF | None) -> None:
        self._parts = parts
        if bounds is None:
            image = _empty(view.pixels, view.ratio)
            _draw_on(image, view.transform, draw, 0)
            at = _drawn_part(image)
            self._image = image.copy(at) if not at.isEmpty() else QImage()
            self._image.setDevicePixelRatio(view.ratio)
        else:
            at = view.part(bounds)
            self._image = _empty(at.size(), view.ratio)
            if not at.isEmpty():
                moved = QTransform.fromTranslate(-at.x() / view.ratio, -at.y() / view.ratio)
                _draw_on(self._image, view.transform * moved, draw, 0)
        self._place(view, at.topLeft(), self._image.rect())

    def _extend(self, view: View, draw: Draw, parts: int, bounds: QRectF | None) -> None:
        """Draw the new parts; if there are fewer parts than before, draw all again."""
        if parts < self._parts:
            self._begin(view, draw, parts, bounds)
        elif parts > self._parts:
            whole = self._image
            if whole.size() != view.pixels:
                whole = _empty(view.pixels, view.ratio)
                painter = QPainter(whole)
                painter.drawImage(self._at, self._image)
                painter.end()
            _draw_on(whole, view.transform, draw, self._parts)
            part = whole.rect() if bounds is None else view.part(bounds)
            self._image, self._parts = whole, parts
            self._place(view, part.topLeft(), part)

    def _place(self, view: View, at: QPoint, part: QRect) -> None:
        """Set the part of the picture that is painted, and its pixel ``at`` on the view."""
        self._at, self._part = QPointF(at.x() / view.ratio, at.y() / view.ratio), part


@dataclass(frozen=True, slots=True)
class View:
    """Map coordinates to pixels of a widget with its size, and physical pixels in each of them."""

    transform: QTransform
    size: QSize
    ratio: float

    @property
    def pixels(self) -> QSize:
        """The size in physical pixels."""
        return QSize(round(self.size.width() * self.ratio), round(self.size.height() * self.ratio))

    def part(self, area: QRectF) -> QRect:
        """Return the physical pixels of an area of strokes; a pen is not wider than the margin."""
        area = self.transform.mapRect(area).adjusted(-_PEN_PX, -_PEN_PX, _PEN_PX, _PEN_PX)
        pixels = QRectF(area.topLeft() * self.ratio, area.size() * self.ratio).toAlignedRect()
        return pixels & QRect(QPoint(), self.pixels)


def _empty(size: QSize, ratio: float) -> QImage:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    return image


def _draw_on(image: QImage, transform: QTransform, draw: Draw, first: int) -> None:
    painter = QPainter(image)
    painter.setWorldTransform(transform)
    draw(painter, first)
    painter.end()


def _drawn_part(image: QImage) -> QRect:
    """Return the smallest rectangle around the pixels that are not transparent."""
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    box = bounding_box(pixels > 0)
    if box is None:
        return QRect()
    rows, columns = box
    return QRect(columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start)


class RasterItem(QGraphicsItem):
    """Raster drawn with one cell per unit square, row 0 at the top."""

    def __init__(self) -> None:
        super().__init__()
        self._pixels: NDArray[np.uint32] | None = None
        self._image = QImage()
        self._picture = PictureCache(crosses=False)

    def set_pixels(self, pixels: NDArray[np.uint32] | None) -> None:
        """Show ``pixels [H, W]``, premultiplied ``0xAARRGGBB``; ``None`` shows nothing."""
        self.prepareGeometryChange()
        self._picture.forget()
        self._pixels = None if pixels is None else np.ascontiguousarray(pixels)
        if self._pixels is None:
            self._image = QImage()
        else:
            rows, columns = self._pixels.shape
            # The image does not own the memory, so the array must live as long as the image.
            form = QImage.Format.Format_ARGB32_Premultiplied
            self._image = QImage(self._pixels.data, columns, rows, 4 * columns, form)
        self.update()

    def set_codes(self, codes: NDArray[np.uint8], colors: NDArray[np.uint32]) -> None:
        """Show ``codes [H, W]`` in ``colors [256]``, premultiplied.

        The memory is reused if the size is the same.
        """
        if self._pixels is None or self._pixels.shape != codes.shape or not self._pixels.flags.writeable:
            self.set_pixels(colors[codes])
            return
        # Every code has a colour, so clipping only saves numpy a copy.
        np.take(colors, codes, out=self._pixels, mode="clip")
        self._picture.forget()
        self.update()

    @property
    def pixels(self) -> NDArray[np.uint32] | None:
        """A copy of the shown pixels, because their memory is reused."""
        return None if self._pixels is None else self._pixels.copy()

    def boundingRect(self) -> QRectF:
        """Return the raster's extent in cells."""
        return QRectF(0.0, 0.0, self._image.width(), self._image.height())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the raster: smoothed if several cells share a pixel, sharp if a cell is larger than one."""
        if not self._image.isNull():
            self._picture.paint(painter, widget, self._draw)

    def _draw(self, painter: QPainter, _first: int) -> None:
        shrunk = painter.worldTransform().m11() < 1.0
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, shrunk)
        painter.drawImage(self.boundingRect(), self._image)


@dataclass(frozen=True, slots=True, eq=False)
class Stroke:
    """Path with its pen and brush, in map coordinates.

    ``copies`` are displacements in pixels, at each of which the path is drawn. Copies with a pen of one pixel look like
    a wider pen and take a fifth of its time.
    """

    path: QPainterPath
    pen: QPen
    brush: QBrush = field(default_factory=QBrush)
    smooth: bool = True
    copies: tuple[tuple[float, float], ...] = ()


class StrokesItem(QGraphicsItem):
    """Strokes drawn in order, in map coordinates.

    The first ``still`` strokes and the next ``growing`` strokes are drawn from a picture until the map moves or they
    change. The growing strokes may be extended at their end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.strokes: tuple[Stroke, ...] = ()
        self._still = self._growing = 0
        self._bounds = QRectF()
        self._still_picture, self._growing_picture = PictureCache(), PictureCache()
        self._ahead: list[tuple[Sequence[Stroke], PictureCache]] = []

    def draw_ahead(self, strokes: Sequence[Stroke], still: int = 0, growing: int = 0) -> None:
        """Draw the pictures of strokes that :meth:`set_strokes` will show."""
        if not self.scene().views():
            return
        shown_in = self.scene().views()[0]
        transform, widget = self.deviceTransform(shown_in.viewportTransform()), shown_in.viewport()
        view = View(transform, widget.size(), widget.devicePixelRatioF())
        parts = strokes[:still], strokes[still : still + growing]
        pictures = self._still_picture, self._growing_picture
        bounds = _bounds(strokes)
        self._ahead = [
            (part, picture.ahead(view, partial(_draw_from, part), len(part), bounds))
            for part, shown, picture in zip(parts, self._parts(), pictures, strict=False)
            if part and not _same(part, shown)
        ]

    def set_strokes(self, strokes: Sequence[Stroke], still: int = 0, growing: int = 0) -> None:
        """Show other strokes; do nothing if they are equal."""
        before, after = self._parts(), (strokes[:still], strokes[still : still + growing], strokes[still + growing :])
        ahead, self._ahead = self._ahead, []
        if all(_same(old, new) for old, new in zip(before, after, strict=True)):
            return
        self.prepareGeometryChange()
        if not _same(before[0], after[0]):
            self._still_picture = _next_picture(self._still_picture, after[0], ahead)
        if not (before[1] and _same(before[1], after[1][: len(before[1])])):
            self._growing_picture = _next_picture(self._growing_picture, after[1], ahead)
        self.strokes, self._still, self._growing = tuple(strokes), still, growing
        self._bounds = _bounds(self.strokes)
        self.update()

    def _parts(self) -> tuple[Sequence[Stroke], Sequence[Stroke], Sequence[Stroke]]:
        end = self._still + self._growing
        return self.strokes[: self._still], self.strokes[self._still : end], self.strokes[end:]

    def boundingRect(self) -> QRectF:
        """Return the area of the strokes, in cells."""
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw every stroke."""
        still, growing, moving = self._parts()
        for part, picture in ((still, self._still_picture), (growing, self._growing_picture)):
            if part:
                picture.paint(painter, widget, partial(_draw_from, part), len(part), self._bounds)
        _draw(painter, moving)


def _bounds(strokes: Sequence[Stroke]) -> QRectF:
    area = QRectF()
    for stroke in strokes:
        area = area.united(stroke.path.controlPointRect())
    return area.adjusted(-2.0, -2.0, 2.0, 2.0)


def _next_picture(
    picture: PictureCache, strokes: Sequence[Stroke], ahead: Sequence[tuple[Sequence[Stroke], PictureCache]]
) -> PictureCache:
    """Return the picture of strokes that was drawn ahead, or ``picture``, which forgets its former ones."""
    for drawn, other in ahead:
        if _same(drawn, strokes):
            return other
    picture.forget()
    return picture


def _draw_from(strokes: Sequence[Stroke], painter: QPainter, first: int) -> None:
    _draw(painter, strokes[first:])


def _draw(painter: QPainter, strokes: Sequence[Stroke]) -> None:
    for stroke in strokes:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, stroke.smooth)
        painter.setPen(stroke.pen)
        painter.setBrush(stroke.brush)
        if not stroke.copies:
            painter.drawPath(stroke.path)
            continue
        transform = QTransform(painter.worldTransform())
        for dx, dy in stroke.copies:
            painter.setWorldTransform(transform * QTransform.fromTranslate(dx, dy))
            painter.drawPath(stroke.path)
        painter.setWorldTransform(transform)


def _same(strokes: Sequence[Stroke], others: Sequence[Stroke]) -> bool:
    """Return whether two lists of strokes look the same. Only identical path objects count as equal."""
    return len(strokes) == len(others) and all(
        a is b
        or (
            a.path is b.path and a.pen == b.pen and a.brush == b.brush and a.smooth == b.smooth and a.copies == b.copies
        )
        for a, b in zip(strokes, others, strict=True)
    )


Drawing = Callable[[QPainter, QTransform, QRectF], None]


class ScreenItem(QGraphicsItem):
    """Item placed on the map but drawn in pixels by ``draw(painter, map → pixels, visible pixels)``.

    It is drawn from a picture until :meth:`update` is called, or the map moves. A ``follower`` is drawn again whenever
    this item changes, is shown or hidden, or has another opacity.
    """

    def __init__(self, draw: Drawing) -> None:
        super().__init__()
        self.follower: ScreenItem | None = None
        self._draw = draw
        self._extent = QRectF()
        self.grid = QRectF()
        """The grid in map coordinates."""
        self._picture = PictureCache()

    def update(self) -> None:  # type: ignore[override]  # always redraws the whole item
        """Redraw: the content has changed."""
        self._picture.forget()
        super().update()
        self._tell()

    def setVisible(self, visible: bool) -> None:
        """Show or hide the item."""
        was_visible = self.isVisible()
        super().setVisible(visible)
        if visible != was_visible:
            self._tell()

    def setOpacity(self, opacity: float) -> None:
        """Set the opacity."""
        before = self.opacity()
        super().setOpacity(opacity)
        if self.opacity() != before:
            self._tell()

    def _tell(self) -> None:
        if self.follower is not None:
            self.follower.update()

    def set_grid(self, rows: int, columns: int) -> None:
        """Extend far enough around the grid for labels outside it."""
        extent = QRectF(-columns, -rows, 3.0 * columns, 3.0 * rows)
        self.grid = QRectF(0.0, 0.0, columns, rows)
        if extent != self._extent:
            self.prepareGeometryChange()
            self._extent = extent

    def boundingRect(self) -> QRectF:
        """Return the grid with a margin of its own size on every side."""
        return self._extent

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint in pixel coordinates."""
        if widget is None:
            return
        visible = QRectF(widget.rect())

        def draw(into: QPainter, _first: int) -> None:
            transform = QTransform(into.worldTransform())
            into.save()
            into.resetTransform()
            into.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw(into, transform, visible)
            into.restore()

        self._picture.paint(painter, widget, draw)


def cosmetic(color: QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen with a constant width in screen pixels."""
    pen = QPen(color, width, style)
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


def around(radius: float, number: int) -> tuple[tuple[float, float], ...]:
    """Return evenly spaced displacements ``(dx, dy)`` on a circle around 0, the first straight down."""
    angles = (2.0 * math.pi * k / number for k in range(number))
    return tuple((radius * math.sin(angle), radius * math.cos(angle)) for angle in angles)


def map_font(size: float = 9.0, bold: bool = False) -> QFont:
    """Return the application's font at the size for the map."""
    font = QFont()
    font.setPointSizeF(size)
    font.setBold(bold)
    return font


def draw_text(painter: QPainter, at: QPointF, text: str, font: QFont, color: QColor, halo: QColor) -> None:
    """Draw text with its baseline at ``at`` on a soft outline that separates it from the map."""
    # Displaced copies of cached glyphs take a fifteenth of the time of an outlined path.
    painter.setFont(font)
    painter.setPen(halo)
    for dx, dy in around(_TEXT_HALO_PX, 8):
        painter.drawText(QPointF(at.x() + dx, at.y() + dy), text)
    painter.setPen(color)
    painter.drawText(at, text)


def draw_tag(painter: QPainter, at: QPointF, text: str, font: QFont, color: QColor, card: QColor) -> None:
    """Draw text with its baseline at ``at`` on a small card."""
    metrics = QFontMetricsF(font)
    width, height = metrics.horizontalAdvance(text), metrics.height()
    box = QRectF(at.x() - 5.0, at.y() - metrics.ascent() - 1.0, width + 10.0, height + 2.0)
    path = QPainterPath()
    path.addRoundedRect(box, 4.0, 4.0)
    painter.fillPath(path, card)
    painter.setPen(color)
    painter.setFont(font)
    painter.drawText(at, text)


def text_width(text: str, font: QFont) -> float:
    """Return the width of a text in pixels."""
    return QFontMetricsF(font).horizontalAdvance(text)


def edge_path(mask: NDArray[np.bool_]) -> QPainterPath:
    """Return the edge of the true cells of ``mask [H, W]`` as separate lines, in map coordinates.

    Faster than :func:`mask_path`, whose rings can be filled.
    """
    box = bounding_box(mask)
    if box is None:
        return QPainterPath()
    rows, columns = box
    cells = np.pad(mask[rows, columns], 1)
    across, down = _runs(cells[1:] != cells[:-1]), _runs((cells[:, 1:] != cells[:, :-1]).T)
    ends = np.concatenate([across, down[:, ::-1]]) + np.array([columns.start, rows.start])
    path: QPainterPath = pg.arrayToQPath(ends[:, 0], ends[:, 1], connect="pairs", finiteCheck=False)
    return path


def _runs(edges: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return both ends ``(position, line)`` of every run of true values along the lines of ``edges``.

    ``edges`` is ``[lines, length]``. Positions do not count the margin of one cell.
    """
    steps = np.diff(np.pad(edges, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (line, first), (_line, end) = np.nonzero(steps == 1), np.nonzero(steps == -1)
    ends = np.stack([np.stack([first - 1, line], axis=1), np.stack([end - 1, line], axis=1)], axis=1)
    return np.asarray(ends.reshape(-1, 2), np.float64)


def mask_path(mask: NDArray[np.bool_]) -> QPainterPath:
    """Return the edge of the true cells of ``mask [H, W]`` in map coordinates."""
    path = QPainterPath()
    for ring in (ring for polygon in mask_rings(mask) for ring in polygon):
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in ring[:-1]]))
        path.closeSubpath()
    return path
