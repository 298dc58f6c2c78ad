"""How far the fire model was off, and what a drawn error looks like: small maps of both ILR coordinates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QTransform
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from firegui.domain.uncertainty import ErrorModel
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import current_colors
from firegui.gui.map.map_colors import ColorScale, Packed, codes, signed_scale

Floats = NDArray[np.float32]
Box = tuple[slice, slice]

NAMES = ("z₁", "z₂")
_HELP = (
    "(ln U − ln B)/√2: unburned against burning. Positive: less fire than forecast",
    "(ln U + ln B − 2 ln R)/√6: unburned and burning against burned out. Positive: less burned out than forecast",
)
_SPREAD = 2.5
"""The colours reach as many standard deviations beyond the mean; what is farther off has the colour of the end."""
_MARGIN = 0.08
_WIDE = 1.9
"""Residuals and field stand side by side where there is that much more width than height, else below each other."""
_BAR_PX, _BAR_ROOM = 10, 78


def limit_of(error: ErrorModel) -> float:
    """Where the colours of an error model's maps end, on either side of 0."""
    spread = (abs(mean) + _SPREAD * math.sqrt(error.covariance[k][k]) for k, mean in enumerate(error.mean))
    return float(max(math.ceil(max(spread)), 1))


def box_around(values: Floats) -> Box:
    """The cells of ``[2, H, W]`` that have a number, and some around them; all where none has."""
    known = np.isfinite(values[0])
    sides = []
    for axis in (1, 0):
        cells, size = np.flatnonzero(known.any(axis=axis)), known.shape[1 - axis]
        low, high = (int(cells[0]), int(cells[-1]) + 1) if len(cells) else (0, size)
        room = math.ceil(_MARGIN * (high - low))
        sides.append(slice(max(low - room, 0), min(high + room, size)))
    return sides[0], sides[1]


class FieldMap(QWidget):
    """One coordinate, north up; cells without a number are left out."""

    hovered = Signal(object)
    """The cell ``(row, column)`` of the whole raster under the mouse, or ``None``."""

    def __init__(self, coordinate: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = NAMES[coordinate]
        self._pixels: Packed | None = None
        self._box: Box = (slice(0, 1), slice(0, 1))
        self.setToolTip(f"{self._name} = {_HELP[coordinate]}")
        self.setAccessibleName(self._name)
        self.setMouseTracking(True)
        self.setMinimumSize(50, 40)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def pixels(self) -> Packed | None:
        """What is drawn, premultiplied ``0xAARRGGBB``."""
        return self._pixels

    def show_values(self, values: Floats | None, scale: Packed, limit: float, box: Box) -> None:
        """Draw the ``box`` of ``values [H, W]``; ``None`` draws nothing."""
        self._box, self._pixels = box, None
        if values is not None:
            part = values[box]
            pixels = np.where(np.isfinite(part), scale[codes(part, -limit, limit)], np.uint32(0))
            self._pixels = np.ascontiguousarray(pixels, np.uint32)
        self.update()

    def place_of(self, row: int, column: int) -> QPointF:
        """Where the middle of a cell is drawn."""
        top, left = self._box[0].start, self._box[1].start
        return self._to_pixels().map(QPointF(column + 0.5 - left, row + 0.5 - top))

    def sizeHint(self) -> QSize:
        """Small."""
        return QSize(140, 110)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The raster as large as there is room, its frame, its name."""
        painter, colors = QPainter(self), current_colors()
        if self._pixels is not None:
            rows, columns = self._pixels.shape
            image = QImage(self._pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
            area = self._to_pixels().mapRect(QRectF(0, 0, columns, rows))
            painter.fillRect(area, QColor(colors.base))
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, area.width() < columns)
            painter.drawImage(area, image)
            painter.setPen(QColor(colors.border))
            painter.drawRect(area)
        tag = QRectF(0, 0, painter.fontMetrics().horizontalAdvance(self._name) + 8, painter.fontMetrics().height())
        painter.fillRect(tag, QColor(colors.window))
        painter.setPen(QColor(colors.text))
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, self._name)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which cell is pointed at."""
        back, fine = self._to_pixels().inverted()
        cell = back.map(event.position())
        row, column = math.floor(cell.y()) + self._box[0].start, math.floor(cell.x()) + self._box[1].start
        rows, columns = self._box
        inside = rows.start <= row < rows.stop and columns.start <= column < columns.stop
        self.hovered.emit((row, column) if fine and inside and self._pixels is not None else None)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def _to_pixels(self) -> QTransform:
        rows, columns = (max(side.stop - side.start, 1) for side in self._box)
        scale = min((self.width() - 1) / columns, (self.height() - 1) / rows)
        left, top = (self.width() - 1 - scale * columns) / 2, (self.height() - 1 - scale * rows) / 2
        return QTransform(scale, 0, 0, scale, left, top)


class FieldPair(QWidget):
    """Both coordinates of one field under a line that says which; the line reads the cell under the mouse out."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._values: Floats | None = None
        self.head = ElidedLabel()
        self.maps = (FieldMap(0), FieldMap(1))
        self.nothing = QLabel(wordWrap=True)
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._shown = QWidget()
        row = QHBoxLayout(self._shown)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for each in self.maps:
            each.setAccessibleName(f"{name}, {each.accessibleName()}")
            each.hovered.connect(self._read_out)
            row.addWidget(each)
        self.nothing.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.head)
        column.addWidget(self._shown, 1)
        column.addWidget(self.nothing, 1)

    def show_field(self, text: str, values: Floats | None, scale: Packed, limit: float, box: Box) -> None:
        """Draw ``values [2, H, W]``; ``None`` leaves the maps empty."""
        self._text, self._values = text, values
        self._turn(maps=True)
        for k, each in enumerate(self.maps):
            each.show_values(None if values is None else values[k], scale, limit, box)
        self.head.set_text(text)

    def show_nothing(self, text: str, why: str) -> None:
        """Say why there are no maps."""
        self._text, self._values = text, None
        self._turn(maps=False)
        self.nothing.setText(why)
        self.head.set_text(text)

    def _turn(self, *, maps: bool) -> None:
        self._shown.setVisible(maps)
        self.nothing.setVisible(not maps)

    def _read_out(self, cell: tuple[int, int] | None) -> None:
        if cell is None or self._values is None:
            self.head.set_text(self._text)
            return
        pair = (float(self._values[k][cell]) for k in range(2))
        texts = [f"{name} {number(value)}" for name, value in zip(NAMES, pair, strict=True)]
        self.head.set_text(" · ".join([f"row {cell[0]} col {cell[1]}", *texts]))


class SignedBar(QWidget):
    """A colour scale upright, with its ends and its middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: ColorScale | None = None
        self.setFixedWidth(_BAR_ROOM)

    def show_scale(self, scale: ColorScale) -> None:
        """Show another scale."""
        self._scale = scale
        self.setAccessibleName(f"Colour scale of {scale.title}, {scale.low} to {scale.high}")
        self.setToolTip(f"{scale.title}: blue above 0, ochre below. What is farther off has the colour of the end.")
        self.update()

    @property
    def texts(self) -> tuple[str, ...]:
        """What is written, from the top."""
        scale = self._scale
        return () if scale is None else (f"{scale.high}\nless fire", scale.middle, f"more fire\n{scale.low}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar and the numbers beside it."""
        if self._scale is None:
            return
        painter, colors = QPainter(self), current_colors()
        line = painter.fontMetrics().height()
        bar = QRectF(0.5, line / 2, _BAR_PX, self.height() - line - 1)
        downwards = self._scale.packed[::-1].copy()  # whose memory the image borrows
        painter.drawImage(bar, QImage(downwards.data, 1, 256, 4, QImage.Format.Format_ARGB32_Premultiplied))
        painter.setPen(QColor(colors.border))
        painter.drawRect(bar)
        painter.setPen(QColor(colors.text))
        sides = (Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignBottom)
        room = QRectF(_BAR_PX + 4, 0, self.width() - _BAR_PX - 4, self.height())
        for side, text in zip(sides, self.texts, strict=True):
            painter.drawText(room, side, text)
        painter.end()


class ErrorMaps(QWidget):
    """Residuals of one day and a drawn field, on one scale and of the same cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.residuals, self.field = FieldPair("Residuals"), FieldPair("Drawn field")
        self.bar = SignedBar()
        self._scale, self._limit = signed_scale("", 1.0).packed, 1.0
        self._box: Box | None = None
        self._pairs = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._pairs.setSpacing(10)
        for pair in (self.residuals, self.field):
            self._pairs.addWidget(pair, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(8)
        row.addLayout(self._pairs, 1)
        row.addWidget(self.bar)

    def set_error(self, error: ErrorModel) -> None:
        """Draw on the scale of this error model from now on, of the whole raster until there are residuals."""
        self._limit, self._box = limit_of(error), None
        scale = signed_scale("ILR coordinate", self._limit)
        self._scale = scale.packed
        self.bar.show_scale(scale)

    def show_residuals(self, text: str, values: Floats) -> None:
        """Draw ``Δ [2, H, W]``; both pairs show the cells that have residuals and some around them."""
        self._box = box_around(values)
        self._pairs.setStretch(0, 1)
        self.residuals.show_field(text, values, self._scale, self._limit, self._box)

    def show_no_residuals(self, text: str, why: str) -> None:
        """Say why there are none; the drawn field takes the room."""
        self._pairs.setStretch(0, 0)
        self.residuals.show_nothing(text, why)

    def show_field(self, text: str, values: Floats | None) -> None:
        """Draw ``η [2, H, W]``; ``None`` while there is none."""
        whole = (slice(0, 1), slice(0, 1)) if values is None else tuple(slice(0, size) for size in values.shape[1:])
        box = self._box or (whole[0], whole[1])
        self.field.show_field(text, values, self._scale, self._limit, box)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side in a low dock, below each other in a tall one."""
        super().resizeEvent(event)
        wide = self.width() > _WIDE * self.height()
        direction = QBoxLayout.Direction
        self._pairs.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
