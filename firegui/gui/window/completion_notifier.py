"""Tells a person who looks elsewhere that long work has ended."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from firegui.gui.base.icons import icon
from firegui.gui.base.number_text import duration
from firegui.gui.session.session import Session
from firegui.gui.window.activity_monitor import ActivityMonitor, Ended

LONG_SECONDS = 60.0
"""Shorter work is waited for."""
_SHOWN_MS = 15_000

Tell = Callable[[str, str], bool]
"""Shows a title and a text outside the window; ``False`` where that cannot be."""


class Tray(QObject):
    """A message beside the clock, where the desktop has a place for it. The icon is there until the person is back."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._icon: QSystemTrayIcon | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusWindowChanged.connect(self._on_focus)

    def tell(self, title: str, text: str) -> bool:
        """Show it; ``False`` where there is no tray."""
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return False
        if self._icon is None:
            picture = self._window.windowIcon()
            self._icon = QSystemTrayIcon(icon("new") if picture.isNull() else picture, self)
            self._icon.messageClicked.connect(self._come_back)
            self._icon.activated.connect(lambda _reason: self._come_back())
        self._icon.setToolTip(title)
        self._icon.show()
        self._icon.showMessage(title, text, QSystemTrayIcon.MessageIcon.Information, _SHOWN_MS)
        return True

    def _come_back(self) -> None:
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def _on_focus(self, focused: object) -> None:
        if focused is not None and self._icon is not None:
            self._icon.hide()


class Notice(QObject):
    """A message of the tray, else a window that asks for attention; always a line in the status bar."""

    def __init__(self, work: ActivityMonitor, session: Session, window: QWidget, tell: Tell) -> None:
        super().__init__(window)
        self._session, self._window, self._tell = session, window, tell
        work.ended.connect(self._on_ended)

    def _on_ended(self, ended: Ended) -> None:
        if ended.seconds < LONG_SECONDS:
            return
        title = f"{ended.title} · {duration(ended.seconds)}"
        self._session.message.emit(f"{title} · {ended.text}")
        if not self._window.isActiveWindow() and not self._tell(title, ended.text):
            QApplication.alert(self._window)
