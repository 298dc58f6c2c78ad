"""Scroll area that never scrolls sideways."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
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
