"""Scroll areas that never scroll sideways."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from firegui.gui.base.layouts import fill_scroll_area


class VerticalScrollArea(QScrollArea):
    """Scroll area that scrolls vertically and is never narrower than its content.

    The size hints of a scroll area of Qt do not depend on its content, so that a narrow layout cuts the content off.
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fill_scroll_area(self, content)

    def minimumSizeHint(self) -> QSize:
        """Return the width that the content needs beside the scroll bar."""
        content, minimum = self.widget(), super().minimumSizeHint()
        if content is None:
            return minimum
        return QSize(content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width(), minimum.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the size hints when the content needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class FittedScrollArea(VerticalScrollArea):
    """Scroll area that is as high as its content if the layout has enough room."""

    def sizeHint(self) -> QSize:
        """Return the size of the content, with its height at the present width, and the border.

        Qt subtracts the border from both sides of the content, even if the style draws the border on one side only.
        """
        content, frame, margins = self.widget(), 2 * self.frameWidth(), self.contentsMargins()
        if content is None:
            return super().sizeHint()
        hint = content.sizeHint()
        if content.hasHeightForWidth():
            width = min(self.maximumViewportSize().width(), self.viewport().width())
            hint.setHeight(content.heightForWidth(width))
        border = QSize(margins.left() + margins.right(), margins.top() + margins.bottom())
        return hint + border.expandedTo(QSize(frame, frame))

    def minimumSizeHint(self) -> QSize:
        """Return the minimum size of a scroll area, but no more height than the content needs."""
        minimum = super().minimumSizeHint()
        return QSize(minimum.width(), min(minimum.height(), self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the size hints with the width, because the height of the content depends on the width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
