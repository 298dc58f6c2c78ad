"""Size and position of windows on the screens of the computer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMargins, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

FIRST_SIZE = QSize(1440, 900)
SMALLEST = QSize(800, 440)
"""Fits a screen of 1920×1080 at 200 %, with its task bar and the frame of the window."""
SMALL_SCREEN = QSize(1500, 950)
"""On a screen that is narrower or lower the window opens maximised."""
_SHARE_OF_SCREEN = 0.8
_FRAME = QMargins(2, 40, 2, 2)
"""Room for a window's frame, whose size is known only once the window is shown."""
_GRIP = QSize(160, 24)
"""Smallest part of a window's title bar that must be on a screen."""


def is_small(screen: QSize) -> bool:
    """Return whether the window should open maximised on a screen."""
    return screen.width() < SMALL_SCREEN.width() or screen.height() < SMALL_SCREEN.height()


def default_size(screen: QSize) -> QSize:
    """Return the size of a new window: most of a large screen, all of a small one less the frame."""
    room = screen.shrunkBy(_FRAME)
    return FIRST_SIZE.expandedTo(screen * _SHARE_OF_SCREEN).boundedTo(room)


def resize_on_screen(window: QWidget, size: QSize) -> None:
    """Resize a window to ``size``, or to what its screen and its frame leave of that."""
    window.resize(size.boundedTo(window.screen().availableSize().shrunkBy(_FRAME)))


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
