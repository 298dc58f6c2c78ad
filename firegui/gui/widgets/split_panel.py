"""Panel of two parts: settings for the side panel of the window, and a result for its centre."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from firegui.gui.base.layouts import fill_column, scroll_area, splitter

_WIDTHS = (320, 780)


class SplitPanel(QWidget):
    """Base of panels with settings and a result.

    Subclasses fill :attr:`settings` and :attr:`result`. The window takes both parts out with :meth:`take_parts` and
    keeps the panel hidden; a panel that is shown itself has them side by side.
    """

    result_requested = Signal()
    """A run was started or a saved result was opened: the result should be visible."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings, self.result = QWidget(self), QWidget(self)
        self._has_parts = True

    def take_parts(self) -> tuple[QWidget, QWidget]:
        """Return settings and result. The caller must give them another parent, and keeps this panel hidden."""
        self._has_parts = False
        return self.settings, self.result

    def showEvent(self, event: QShowEvent) -> None:
        """Put the parts side by side, unless they were taken out."""
        super().showEvent(event)
        if self._has_parts:
            self._has_parts = False
            parts = splitter(scroll_area(self.settings), self.result, _WIDTHS, wide=1)
            parts.setCollapsible(1, False)
            fill_column(self, parts, stretch=parts)
            parts.show()
