"""Docks: their panels, default arrangement and sizes, and windows outside of all screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QDockWidget,
    QMainWindow,
    QWidget,
)

from firegui.gui.base.layouts import scroll_area

_Area = Qt.DockWidgetArea
LEFT = ("Scenario", "Layers", "Help")
RIGHT = ("Regions", "Fleet", "Calendar", "Objective", "Constraints")
BELOW = ("Timeline", "Progress", "Runs", "Log")
"""The docks of the analyses are tabs above the progress dock."""
HIDDEN_AT_FIRST = ("Help",)
_AREAS = {_Area.LeftDockWidgetArea: LEFT, _Area.RightDockWidgetArea: RIGHT, _Area.BottomDockWidgetArea: BELOW}
_FRAME_BUTTONS = {
    "qt_dockwidget_floatbutton": "Float the dock as a window, or dock it again (also a double click on its title)",
    "qt_dockwidget_closebutton": "Hide it; View ▸ Docks brings it back",
}

FIRST_SIZE = QSize(1440, 900)
SMALLEST = QSize(1024, 680)
_SHARE_OF_SCREEN = 0.8
_RUNS = 424
"""Least width at which the list of runs has all the columns of a narrow dock."""
_GRIP = QSize(160, 24)
"""Smallest part of a window's title bar that must be on a screen."""


class PanelDock(QDockWidget):
    """Dock with ``panel``, in a scroll area if ``scrolls`` and the panel is none itself.

    A panel wider than its dock would otherwise widen the window beyond the screen, or be drawn over its neighbours.
    """

    def __init__(self, title: str, panel: QWidget, parent: QWidget, *, scrolls: bool = True) -> None:
        super().__init__(title, parent)
        self._panel = panel
        self.setObjectName(f"{title.lower()}Dock")
        # A screen reader reads the title, not the frame of a dock.
        self.setAccessibleName(title)
        if scrolls and not isinstance(panel, QAbstractScrollArea):
            self.setWidget(scroll_area(panel))
        else:
            self.setWidget(panel)
        for name, tip in _FRAME_BUTTONS.items():
            button = self.findChild(QAbstractButton, name)
            if isinstance(button, QAbstractButton):
                button.setToolTip(tip)

    def widget(self) -> QWidget:
        """Return the panel."""
        return self._panel


def default_area(title: str) -> Qt.DockWidgetArea:
    """Return the default area of a dock. The docks of the analyses are below the map."""
    return next((area for area, titles in _AREAS.items() if title in titles), _Area.BottomDockWidgetArea)


def default_size(screen: QSize) -> QSize:
    """Return the size of a new window: most of a large screen, all of a small one."""
    return FIRST_SIZE.expandedTo(screen * _SHARE_OF_SCREEN).boundedTo(screen)


def arrange(window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
    """Arrange all docks as by default, with one in front of each stack."""
    plots = ["Progress", *(title for title in docks if title not in (*LEFT, *RIGHT, *BELOW))]
    # Qt leaves a tab bar on screen for every intermediate stack of visible docks.
    for dock in docks.values():
        dock.setFloating(False)
        dock.hide()
    for title in (*LEFT, *RIGHT, "Timeline", *plots, "Runs", "Log"):
        window.addDockWidget(default_area(title), docks[title])
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    window.splitDockWidget(docks["Scenario"], docks["Layers"], down)
    # Not over the panels that the help describes, so that both are visible.
    window.tabifyDockWidget(docks["Layers"], docks["Help"])
    for title in RIGHT[1:]:
        window.tabifyDockWidget(docks[RIGHT[0]], docks[title])
    window.splitDockWidget(docks["Timeline"], docks["Progress"], down)
    window.splitDockWidget(docks["Progress"], docks["Runs"], across)
    for title in plots[1:]:
        window.tabifyDockWidget(docks["Progress"], docks[title])
    window.tabifyDockWidget(docks["Runs"], docks["Log"])
    for title, dock in docks.items():
        dock.setVisible(title not in HIDDEN_AT_FIRST)
    layout = window.layout()
    assert layout is not None
    # A dock can be raised once its stack has its tabs.
    layout.activate()
    docks["Fleet"].raise_()
    docks["Progress"].raise_()
    docks["Runs"].raise_()
    set_default_sizes(window, docks)


def set_default_sizes(window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
    """Set the default widths and heights of the docks in a window of this size; the map has the rest."""
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    left, right, lower = default_sizes(window.size())
    window.resizeDocks([docks["Scenario"], docks["Fleet"]], [left, right], across)
    window.resizeDocks([docks["Timeline"], docks["Progress"]], [64, lower], down)
    below = window.width() - left
    runs = max(below // 3, min(round(0.41 * below), _RUNS))
    window.resizeDocks([docks["Progress"], docks["Runs"]], [below - runs, runs], across)
    window.resizeDocks([docks["Scenario"], docks["Layers"]], [1, 1], down)


def default_sizes(size: QSize) -> tuple[int, int, int]:
    """Return the widths of the left and right docks and the height of the lower ones in a window."""
    left = min(max(round(0.185 * size.width()), 256), 340)
    right = min(max(round(0.31 * size.width()), 300), 560)
    return left, right, min(max(round(0.29 * size.height()), 232), 380)


def visible_geometry(frame: QRect, screens: Sequence[QRect]) -> QRect:
    """Return ``frame``, moved to the first of ``screens`` if its title bar cannot be reached.

    A window may have been left on a screen that was unplugged since, or be larger than the remaining one.
    """
    grip = QRect(frame.left(), frame.top(), frame.width(), _GRIP.height())
    for screen in screens:
        seen = grip.intersected(screen)
        if seen.width() >= min(_GRIP.width(), frame.width()) and seen.height() >= _GRIP.height():
            return frame
    home = screens[0]
    size = frame.size().boundedTo(home.size())
    left = min(max(frame.left(), home.left()), home.right() + 1 - size.width())
    top = min(max(frame.top(), home.top()), home.bottom() + 1 - size.height())
    return QRect(left, top, size.width(), size.height())


def move_onto_screen(window: QWidget) -> None:
    """Move ``window`` to a screen, unless it is visible."""
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    place = visible_geometry(window.geometry(), screens)
    if screens and place != window.geometry():
        window.setGeometry(place)
