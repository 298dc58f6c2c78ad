"""The progress of a run as a bar in its line."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from firegui.gui.base.theme import current_colors
from firegui.gui.planning.runs_table import PROGRESS_ROLE


class RunProgressBar(QStyledItemDelegate):
    """Draws the progress column as a bar with its text on it; ``with_time`` adds the time taken or left."""

    with_time = False

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the bar."""
        super().paint(painter, option, index)
        value = index.data(PROGRESS_ROLE)
        if not isinstance(value, tuple):
            return
        share, text, color, time, left = value
        area = QRectF(option.rect).adjusted(4, 4, -4, -4)
        colors = current_colors()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.raised))
        painter.drawRoundedRect(area, 3, 3)
        fill = QColor(color)
        fill.setAlpha(150)
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(area.left(), area.top(), area.width() * share, area.height()), 3, 3)
        painter.setPen(QColor(colors.text))
        longer = [f"{text} · {time}{left}", f"{text} · {time}"] if self.with_time and time else []
        room = [each for each in longer if painter.fontMetrics().horizontalAdvance(each) <= area.width() - 4]
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, next(iter(room), text))
        painter.restore()

    def displayText(self, value: object, locale: object) -> str:
        """Nothing beside the bar."""
        return ""
