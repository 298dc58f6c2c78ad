"""Panel of two parts: settings for the side panel of the window, and a result for its centre."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from firegui.gui.base.layouts import fill_column, scroll_area, splitter

_WIDTHS = (320, 780)


class SplitPanel(QWidget):
    """Base of panels with settings and a result.

    Subclasses fill :attr:`settings` and :attr:`result`, then call :meth:`_join_parts`, which shows them side by side.
    The window takes both parts out with :meth:`take_parts` and keeps the panel hidden.
    """

    result_requested = Signal()
    """A run was started or a saved result was opened: the result should be visible."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings, self.result = QWidget(), QWidget()
        self._area = QScrollArea()

    def _join_parts(self) -> None:
        self._area = scroll_area(self.settings)
        parts = splitter(self._area, self.result, _WIDTHS, wide=1)
        parts.setCollapsible(1, False)
        fill_column(self, parts, stretch=parts)

    def take_parts(self) -> tuple[QWidget, QWidget]:
        """Return settings and result, taken out of the panel. The caller must give them a parent."""
        self._area.takeWidget()
        self.result.hide()
        self.result.setParent(None)
        return self.settings, self.result
