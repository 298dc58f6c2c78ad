"""A printed page as a picture that fits where it is shown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_EDGE = 6.0


class PagePreview(QWidget):
    """Shows a page as large as there is room; until there is one, or while a newer one is drawn, it says ``text``."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 280)
        self.setAccessibleName("Preview of the map page")
        self._image: QImage | None = None
        self._text = ""

    @property
    def image(self) -> QImage | None:
        """The page, ``None`` while there is none."""
        return self._image

    @property
    def text(self) -> str:
        """What is said over or in place of the page."""
        return self._text

    def sizeHint(self) -> QSize:
        """Enough to tell whether it is the right map."""
        return QSize(560, 460)

    def show_page(self, pixels: NDArray[np.uint8] | None) -> None:
        """Show ``pixels [H, W, 4]`` (red, green, blue, alpha), or nothing."""
        self._image = None
        if pixels is not None:
            height, width = pixels.shape[:2]
            kept = np.ascontiguousarray(pixels)
            # A copy: the image outlives the array whose memory it would look at.
            self._image = QImage(kept.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
        self.update()

    def say(self, text: str) -> None:
        """Say ``text`` until something else is said."""
        self._text = text
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the page in the middle, and the text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        if self._image is not None:
            size = self._image.size().scaled(area.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            place = QRectF(0.0, 0.0, size.width(), size.height())
            place.moveCenter(area.center())
            # Smooth at a third of its size only when Qt shrinks it itself, in whole pixels.
            ratio = self.devicePixelRatioF()
            shrunk = self._image.scaled(size * ratio, Qt.AspectRatioMode.KeepAspectRatio,
                                        Qt.TransformationMode.SmoothTransformation)  # fmt: skip
            painter.drawImage(place, shrunk)
            painter.setPen(QColor(128, 128, 128))
            painter.drawRect(place)
        if self._text:
            box = QRectF(area.left(), area.center().y() - 14.0, area.width(), 28.0)
            if self._image is not None:
                painter.fillRect(box, QColor(255, 255, 255, 215))
                painter.setPen(QColor(30, 30, 30))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._text)
