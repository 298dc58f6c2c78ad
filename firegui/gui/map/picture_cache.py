"""A picture of something that is drawn the same again and again, so that playback draws only what moves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRect, QSize
from PySide6.QtGui import QImage, QPainter, QTransform
from PySide6.QtWidgets import QWidget

Key = tuple[float, ...]
Draw = Callable[[QPainter, int], None]
"""Draws the parts of something from the ``n``-th on, counted from 0."""


class PictureCache:
    """What was drawn at one zoom, place and size; :meth:`forget` it when that changes.

    Something made of parts may get more of them at its end: those alone are drawn, onto the picture. The first time at
    a place is drawn straight, so that panning and zooming keep no pictures. What ``crosses`` itself has a picture even
    then under an opacity: its strokes fade as one.
    """

    def __init__(self, *, crosses: bool = True) -> None:
        self._crosses = crosses
        self._image = QImage()
        self._at = QPointF()
        self._parts = 0
        self._key: Key | None = None
        self._seen: Key | None = None

    def forget(self) -> None:
        """What is drawn has changed."""
        self._key = self._seen = None

    def paint(self, painter: QPainter, widget: QWidget | None, draw: Draw, parts: int = 1) -> None:
        """``draw`` all parts in the coordinates of ``painter``, or the picture of them."""
        if widget is None:
            draw(painter, 0)
            return
        transform = QTransform(painter.worldTransform())
        key = _key(transform, widget)
        if key == self._key:
            self._extend(transform, widget, draw, parts)
        elif key != self._seen and not (self._crosses and painter.opacity() < 1.0):
            self._seen = key
            draw(painter, 0)
            return
        else:
            self._begin(transform, widget, draw, parts)
            self._key = key
        if not self._image.isNull():
            painter.save()
            painter.resetTransform()
            painter.drawImage(self._at, self._image)
            painter.restore()

    def _begin(self, transform: QTransform, widget: QWidget, draw: Draw, parts: int) -> None:
        image = _empty(widget)
        _draw_on(image, transform, draw, 0)
        drawn, ratio = _drawn_part(image), image.devicePixelRatioF()
        self._image = image.copy(drawn) if not drawn.isEmpty() else QImage()
        self._image.setDevicePixelRatio(ratio)
        self._at, self._parts = QPointF(drawn.x() / ratio, drawn.y() / ratio), parts

    def _extend(self, transform: QTransform, widget: QWidget, draw: Draw, parts: int) -> None:
        """Draw what has come; fewer parts than before are drawn afresh."""
        if parts < self._parts:
            self._begin(transform, widget, draw, parts)
        elif parts > self._parts:
            if self._image.size() != _size(widget):
                whole = _empty(widget)
                painter = QPainter(whole)
                painter.drawImage(self._at, self._image)
                painter.end()
                self._image, self._at = whole, QPointF()
            _draw_on(self._image, transform, draw, self._parts)
            self._parts = parts


def _size(widget: QWidget) -> QSize:
    ratio = widget.devicePixelRatioF()
    return QSize(round(widget.width() * ratio), round(widget.height() * ratio))


def _empty(widget: QWidget) -> QImage:
    image = QImage(_size(widget), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(widget.devicePixelRatioF())
    image.fill(0)
    return image


def _draw_on(image: QImage, transform: QTransform, draw: Draw, first: int) -> None:
    painter = QPainter(image)
    painter.setWorldTransform(transform)
    draw(painter, first)
    painter.end()


def _key(transform: QTransform, widget: QWidget) -> Key:
    t = transform
    return (t.m11(), t.m12(), t.m21(), t.m22(), t.dx(), t.dy(), widget.width(), widget.height(),
            widget.devicePixelRatioF())  # fmt: skip


def _drawn_part(image: QImage) -> QRect:
    """The smallest rectangle around the pixels that are not transparent."""
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    rows, columns = np.flatnonzero(pixels.any(axis=1)), np.flatnonzero(pixels.any(axis=0))
    if not len(rows):
        return QRect()
    return QRect(int(columns[0]), int(rows[0]), int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1)
