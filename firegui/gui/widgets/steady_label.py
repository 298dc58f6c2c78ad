"""Label of wrapped text that keeps its room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel


class SteadyLabel(QLabel):
    """Label whose room never shrinks while it has the same width, not even while it is hidden.

    What is below it stays where it is when its text comes and goes.
    """

    def __init__(self) -> None:
        super().__init__(wordWrap=True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._least = 0

    def keep_line(self) -> None:
        """Keep the room of a line free before the first text."""
        self._least = self.fontMetrics().height()
        self.setMinimumHeight(max(self.minimumHeight(), self._least))
        self._retain()

    def setText(self, text: str) -> None:
        """Show a text; more room is taken if it needs that."""
        super().setText(text)
        self._grow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the room that the text needs at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.setMinimumHeight(self._least)
            self._grow()

    def _grow(self) -> None:
        if self.text():
            self._retain()
            self.setMinimumHeight(max(self.minimumHeight(), self.heightForWidth(self.width())))

    def _retain(self) -> None:
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
