"""A box to choose from that a turning wheel passes by."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class NoScrollComboBox(QComboBox):
    """In a form that scrolls the wheel is for the form, unless the box has the focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only a box that has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
