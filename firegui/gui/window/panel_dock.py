"""A dock that its panel scrolls in where there is no room for all of it."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QDockWidget, QFrame, QScrollArea, QWidget

_FRAME_BUTTONS = {
    "qt_dockwidget_floatbutton": "Make it a window of its own, or put it back (also a double click on its title)",
    "qt_dockwidget_closebutton": "Hide it; View ▸ Docks brings it back",
}


class PanelDock(QDockWidget):
    """Holds ``panel``, which :meth:`widget` returns. ``scrolls``: in a scroll area, unless the panel is one itself.

    A panel wider than its dock would otherwise make the window wider than the screen, or be drawn over its neighbours.
    """

    def __init__(self, title: str, panel: QWidget, parent: QWidget, *, scrolls: bool = True) -> None:
        super().__init__(title, parent)
        self._panel = panel
        self.setObjectName(f"{title.lower()}Dock")
        # A dock's own frame says nothing to a screen reader; its title does.
        self.setAccessibleName(title)
        self.setWidget(self._scrolling(panel) if scrolls and not isinstance(panel, QAbstractScrollArea) else panel)
        for name, tip in _FRAME_BUTTONS.items():
            button = self.findChild(QAbstractButton, name)
            if isinstance(button, QAbstractButton):
                button.setToolTip(tip)

    def widget(self) -> QWidget:
        """The panel."""
        return self._panel

    @staticmethod
    def _scrolling(panel: QWidget) -> QScrollArea:
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(panel)
        return area
