"""Scroll areas that never scroll sideways."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from firegui.gui.base.layouts import fill_scroll_area


class VerticalScrollArea(QScrollArea):
    """Scroll area that scrolls vertically and is never narrower than its content.

    A scroll area of Qt tells the layout around it nothing of its content, which is cut off in a narrow one.
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        fill_scroll_area(self, content)

    def minimumSizeHint(self) -> QSize:
        """Return the width that the content needs beside the scroll bar."""
        content, least = self.widget(), super().minimumSizeHint()
        if content is None:
            return least
        return QSize(content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width(), least.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow a content that needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class FittedScrollArea(VerticalScrollArea):
    """Scroll area that is as high as its content while the layout around it has the room."""

    def sizeHint(self) -> QSize:
        """Return the height of the content at the present width.

        Qt takes a border that a style draws on one side from both sides.
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
        """Return the height of some lines at most."""
        least = super().minimumSizeHint()
        return QSize(least.width(), min(least.height(), self.sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height of the content at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
