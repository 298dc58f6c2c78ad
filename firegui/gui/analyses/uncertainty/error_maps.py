"""Maps of an error model: its residuals by day, next to fields drawn from the model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QTransform,
)
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from firegui.domain.grid import Box, bounding_box
from firegui.domain.uncertainty import ErrorModel
from firegui.errors import InputError
from firegui.gui.analyses.uncertainty.uncertainty_controller import EnsembleResult, UncertaintyController
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import fill_column, horizontal, plain_label, row
from firegui.gui.base.number_text import number
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors
from firegui.gui.map.map_colors import ColorScale, Packed, codes, signed_scale
from firegui.gui.widgets.fields import NoScrollComboBox
from firegui.gui.widgets.table_buttons import ButtonRow

Floats = NDArray[np.float32]

NAMES = ("z₁", "z₂")
_HELP = (
    "(ln U − ln B)/√2: unburned against burning. Positive: less fire than forecast",
    "(ln U + ln B − 2 ln R)/√6: unburned and burning against burned out. Positive: less burned out than forecast",
)
_SPREAD = 2.5
"""Range of the colours in standard deviations from the mean; values beyond have the end colour."""
_MARGIN = 0.08
_WIDE = 1.9
"""Residuals and field are placed side by side if the width exceeds the height by this factor."""
_BAR_PX, _BAR_ROOM = 10, 78
_RESIDUALS = "Residuals"
_OF_PAPER = "The paper gives its numbers alone: there are no residuals of this fire behind them."
_GONE = "The residuals are not in the ensemble's folder any more."


def limit_of(error: ErrorModel) -> float:
    """Return the limit of the colour scale of an error model's maps, on either side of 0."""
    spread = (abs(mean) + _SPREAD * math.sqrt(error.covariance[k][k]) for k, mean in enumerate(error.mean))
    return float(max(math.ceil(max(spread)), 1))


def box_around(values: Floats) -> Box:
    """Return a box with all cells of ``[2, H, W]`` that have a number, and a margin; all if none has."""
    known = np.isfinite(values[0])
    box = bounding_box(known) or (slice(0, known.shape[0]), slice(0, known.shape[1]))
    rooms = (math.ceil(_MARGIN * (side.stop - side.start)) for side in box)
    rows, columns = (
        slice(max(side.start - room, 0), min(side.stop + room, size))
        for side, room, size in zip(box, rooms, known.shape, strict=True)
    )
    return rows, columns


class FieldMap(QWidget):
    """Map of one coordinate, north up; cells without a number are left out."""

    hovered = Signal(object)
    """The cell ``(row, column)`` of the whole raster under the mouse, or ``None``."""

    def __init__(self, coordinate: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = NAMES[coordinate]
        self._pixels: Packed | None = None
        self._box: Box = (slice(0, 1), slice(0, 1))
        self.setToolTip(tooltip(f"{self._name} = {_HELP[coordinate]}"))
        self.setAccessibleName(self._name)
        self.setMouseTracking(True)
        self.setMinimumSize(50, 40)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def pixels(self) -> Packed | None:
        """The drawn pixels, premultiplied ``0xAARRGGBB``."""
        return self._pixels

    def show_values(self, values: Floats | None, scale: Packed, limit: float, box: Box) -> None:
        """Draw the ``box`` of ``values [H, W]``; ``None`` clears the map."""
        self._box, self._pixels = box, None
        if values is not None:
            part = values[box]
            pixels = np.where(np.isfinite(part), scale[codes(part, -limit, limit)], np.uint32(0))
            self._pixels = np.ascontiguousarray(pixels, np.uint32)
        self.update()

    def place_of(self, row: int, column: int) -> QPointF:
        """Return the position of the centre of a cell."""
        top, left = self._box[0].start, self._box[1].start
        return self._to_pixels().map(QPointF(column + 0.5 - left, row + 0.5 - top))

    def sizeHint(self) -> QSize:
        """Return a small size."""
        return QSize(140, 110)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the raster as large as possible, its frame and its name."""
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
        """Report the cell under the mouse."""
        back, fine = self._to_pixels().inverted()
        cell = back.map(event.position())
        row, column = math.floor(cell.y()) + self._box[0].start, math.floor(cell.x()) + self._box[1].start
        rows, columns = self._box
        inside = rows.start <= row < rows.stop and columns.start <= column < columns.stop
        self.hovered.emit((row, column) if fine and inside and self._pixels is not None else None)

    def leaveEvent(self, event: QEvent) -> None:
        """Report that no cell is under the mouse."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def _to_pixels(self) -> QTransform:
        rows, columns = (max(side.stop - side.start, 1) for side in self._box)
        scale = min((self.width() - 1) / columns, (self.height() - 1) / rows)
        left, top = (self.width() - 1 - scale * columns) / 2, (self.height() - 1 - scale * rows) / 2
        return QTransform(scale, 0, 0, scale, left, top)


class FieldPair(QWidget):
    """Maps of both coordinates of one field.

    A line above has its name and the value of the cell under the mouse.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._values: Floats | None = None
        self.head = ElidedLabel()
        self.maps = (FieldMap(0), FieldMap(1))
        self.nothing = plain_label(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.nothing.setProperty("role", "muted")
        self.nothing.hide()
        for each in self.maps:
            each.setAccessibleName(f"{name}, {each.accessibleName()}")
            each.hovered.connect(self._read_out)
        self._drawn = row(*self.maps, stretch=self.maps, spacing=4)
        fill_column(self, self.head, self._drawn, self.nothing, stretch=(self._drawn, self.nothing), spacing=1)

    def show_field(self, text: str, values: Floats | None, scale: Packed, limit: float, box: Box) -> None:
        """Draw ``values [2, H, W]``; ``None`` leaves the maps empty."""
        self._show(text, values, "")
        for k, each in enumerate(self.maps):
            each.show_values(None if values is None else values[k], scale, limit, box)

    def show_nothing(self, text: str, why: str) -> None:
        """Show the reason why there are no maps."""
        self._show(text, None, why)

    def _show(self, text: str, values: Floats | None, why: str) -> None:
        self._text, self._values = text, values
        self.head.set_text(text)
        self.nothing.setText(why)
        self.nothing.setVisible(bool(why))
        self._drawn.setVisible(not why)

    def _read_out(self, cell: tuple[int, int] | None) -> None:
        text = self._text
        if cell is not None and self._values is not None:
            pair = [f"{name} {number(float(self._values[k][cell]))}" for k, name in enumerate(NAMES)]
            text = " · ".join([f"row {cell[0]} col {cell[1]}", *pair])
        self.head.set_text(text)


class SignedBar(QWidget):
    """Vertical colour scale with its ends and its middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: ColorScale | None = None
        self.setFixedWidth(_BAR_ROOM)

    def show_scale(self, scale: ColorScale) -> None:
        """Show another scale."""
        self._scale = scale
        self.setAccessibleName(f"Colour scale of {scale.title}, {scale.low} to {scale.high}")
        self.setToolTip(
            tooltip(f"{scale.title}: blue above 0, ochre below. What is farther off has the colour of the end.")
        )
        self.update()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, from the top."""
        scale = self._scale
        return () if scale is None else (f"{scale.high}\nless fire", scale.middle, f"more fire\n{scale.low}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar and the numbers beside it."""
        if self._scale is None:
            return
        painter, colors = QPainter(self), current_colors()
        line = painter.fontMetrics().height()
        bar = QRectF(0.5, line / 2, _BAR_PX, self.height() - line - 1)
        downwards = self._scale.packed[::-1].copy()  # The image does not copy the array.
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
    """Residuals of one day and a drawn field, on one scale and for the same cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.residuals, self.field, self.bar = FieldPair("Residuals"), FieldPair("Drawn field"), SignedBar()
        self._scale, self._limit = signed_scale("", 1.0).packed, 1.0
        self._box: Box | None = None
        self._pairs = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._pairs.setSpacing(10)
        for pair in (self.residuals, self.field):
            self._pairs.addWidget(pair, 1)
        horizontal(self, (self._pairs, 1), self.bar, margins=(0, 2, 0, 0), spacing=8)

    def set_error(self, error: ErrorModel) -> None:
        """Use the scale of this error model; show the whole raster until there are residuals."""
        self._limit, self._box = limit_of(error), None
        scale = signed_scale("ILR coordinate", self._limit)
        self._scale = scale.packed
        self.bar.show_scale(scale)

    def show_residuals(self, text: str, values: Floats) -> None:
        """Draw ``Δ [2, H, W]``; both pairs show the cells that have residuals, and a margin."""
        self._box = box_around(values)
        self._pairs.setStretch(0, 1)
        self.residuals.show_field(text, values, self._scale, self._limit, self._box)

    def show_no_residuals(self, text: str, why: str) -> None:
        """Show why there are no residuals; the drawn field takes the room."""
        self._pairs.setStretch(0, 0)
        self.residuals.show_nothing(text, why)

    def show_field(self, text: str, values: Floats | None) -> None:
        """Draw ``η [2, H, W]``; ``None`` while there is none."""
        whole = (slice(0, 1), slice(0, 1)) if values is None else tuple(slice(0, size) for size in values.shape[1:])
        box = self._box or (whole[0], whole[1])
        self.field.show_field(text, values, self._scale, self._limit, box)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the pairs side by side in a low place, one above the other in a tall one."""
        super().resizeEvent(event)
        wide = self.width() > _WIDE * self.height()
        direction = QBoxLayout.Direction
        self._pairs.setDirection(direction.LeftToRight if wide else direction.TopToBottom)


class ErrorFields(QWidget):
    """Maps of the shown error model; ``controls`` select the day and draw another field.

    A field is the error of one ensemble member at the end of the selected day. The controller draws it in a thread, and
    only once the maps are visible.
    """

    def __init__(self, controller: UncertaintyController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._shown: EnsembleResult | None = None
        self._member = 0
        self.maps, self.day = ErrorMaps(), NoScrollComboBox()
        self.day.setAccessibleName("Day of the residuals and of the drawn field")
        self.day.setToolTip("The day whose residuals and whose drawn field are shown")
        buttons = ButtonRow()
        help = "Show the field of another fire: every fire of the ensemble meets one like it at the end of a day"
        self.again = buttons.add("again", "Another draw", help, self.draw_another, show_text=True)
        self.controls = row(self.day, buttons, stretch=buttons)
        fill_column(self, self.maps, stretch=self.maps)
        self.day.currentIndexChanged.connect(self._on_day)
        controller.result_changed.connect(self._on_result)
        controller.field_changed.connect(self._show_field)
        self._on_result()

    @property
    def has_error(self) -> bool:
        """Whether there is an error model to show."""
        return self._shown is not None and self._shown.error is not None

    def draw_another(self) -> None:
        """Draw the field of the next member on the selected day."""
        self._member += 1
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the first field once the maps are visible."""
        super().showEvent(event)
        self._draw_first()

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_result(self) -> None:
        before, self._shown = self._shown, self._controller.shown
        shown = self._shown
        if shown is None or shown.error is None:
            return
        known = before is not None and before.folder == shown.folder and before.error == shown.error
        if known and before is not None and before.residuals.days == shown.residuals.days:
            return
        self._member = 0
        days = shown.residuals.days or range(1, shown.project.plan.days + 1)
        with QSignalBlocker(self.day):
            self.day.clear()
            for day in days:
                self.day.addItem(f"End of day {day}", day)
        self.maps.set_error(shown.error)
        self._show_residuals()
        self._show_field()
        self._draw_first()

    def _on_day(self, _index: int) -> None:
        self._show_residuals()
        self._draw()

    def _draw_first(self) -> None:
        if self.isVisible() and self._controller.field is None and not self._controller.draws_field:
            self._draw()

    def _draw(self) -> None:
        if self.has_error and self.isVisible():
            self._controller.draw_field(self._member, self._chosen_day)

    @property
    def _chosen_day(self) -> int:
        return int(self.day.currentData() or 1)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _show_residuals(self) -> None:
        shown, day = self._shown, self._chosen_day
        if shown is None or shown.error is None:
            return
        if day not in shown.residuals.days:
            self.maps.show_no_residuals(_RESIDUALS, _GONE if shown.is_fitted else _OF_PAPER)
            return
        try:
            values = shown.residuals.of(day)
        except InputError as error:
            self.maps.show_no_residuals(_RESIDUALS, str(error.problems[0]))
            return
        self.maps.show_residuals(f"{_RESIDUALS}, end of day {day}", values)

    def _show_field(self) -> None:
        found, busy = self._controller.field, self._controller.draws_field
        if not self.has_error:
            return
        if found is None:
            self.maps.show_field("Drawing a field…" if busy else "", None)
            return
        spec = found.spec
        text = f"Draw: seed {spec.seed}, fire {spec.member}, end of day {spec.day + 1}"
        self.maps.show_field("Drawing another…" if busy else text, found.field)
