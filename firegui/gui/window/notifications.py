"""Monitor of long work in the window, and the message when it has ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from firegui.gui.base.icons import icon
from firegui.gui.base.number_text import duration
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.runs.stages import RunState

LONG_SECONDS = 60.0
"""The user waits for shorter work, which needs no message."""
_SHOWN_MS = 15_000


@dataclass(frozen=True, slots=True)
class FinishedWork:
    """Finished work: its name, its duration in seconds and how it ended."""

    title: str
    seconds: float
    text: str


@dataclass(slots=True)
class _CurrentWork:
    title: str
    since: float
    run: RunEntry | None = None

    @property
    def outcome(self) -> str:
        if self.run is None:
            return f"{self.title} has ended."
        return f"{self.run.status}: {self.run.message}" if self.run.message else self.run.status


class ActivityMonitor(QObject):
    """Monitor of the queue of runs and of every controller given to :meth:`watch`."""

    changed = Signal(bool)
    """Whether the machine computes; a paused run does not."""
    ended = Signal(object)
    """A :class:`FinishedWork`."""

    def __init__(
        self, queue: RunQueue, parent: QObject | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._queue, self._clock = queue, clock
        self._watched: list[Callable[[], UnfinishedWork | None]] = []
        self._current: dict[object, _CurrentWork] = {}
        self._busy = False
        queue.changed.connect(self._update)

    @property
    def is_busy(self) -> bool:
        """Whether the machine computes."""
        return self._busy

    def watch(self, changed: SignalInstance, work: Callable[[], UnfinishedWork | None]) -> None:
        """Also monitor what ``work`` returns, whenever it ``changed``."""
        self._watched.append(work)
        changed.connect(self._update)

    def _update(self) -> None:
        now, found = self._clock(), dict[object, _CurrentWork]()
        active = self._queue.active
        if active is not None:
            found[active] = _CurrentWork(active.title, now, active)
        for number, watched in enumerate(self._watched):
            if (work := watched()) is not None:
                found[number] = _CurrentWork(work.title, now)
        before = self._current
        self._current = {key: before.get(key, new) for key, new in found.items()}
        for key, ended in before.items():
            if key not in found:
                # Of a run that was stopped and resumed all of its time counts, as everywhere else.
                whole = None if ended.run is None else ended.run.seconds
                self.ended.emit(FinishedWork(ended.title, whole or now - ended.since, ended.outcome))
        paused = active is not None and active.state is RunState.PAUSED
        busy = len(found) > (1 if paused else 0)
        if busy != self._busy:
            self._busy = busy
            self.changed.emit(busy)


class TrayMessage(QObject):
    """Message in the desktop's tray, if there is one.

    Its icon stays until the window has the focus again.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._icon: QSystemTrayIcon | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusWindowChanged.connect(self._on_focus)

    def show(self, title: str, text: str) -> bool:
        """Show a title and a text; return ``False`` if there is no tray."""
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return False
        if self._icon is None:
            picture = self._window.windowIcon()
            self._icon = QSystemTrayIcon(icon("new") if picture.isNull() else picture, self)
            self._icon.messageClicked.connect(self._activate_window)
            self._icon.activated.connect(lambda _reason: self._activate_window())
        self._icon.setToolTip(tooltip(title))
        self._icon.show()
        self._icon.showMessage(title, _without_markup(text), QSystemTrayIcon.MessageIcon.Information, _SHOWN_MS)
        return True

    def _activate_window(self) -> None:
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def _on_focus(self, focused: object) -> None:
        if focused is not None and self._icon is not None:
            self._icon.hide()


class CompletionNotifier(QObject):
    """Notifier of the end of long work: in the status bar and, without the window's focus, outside of it.

    ``show`` shows a title and a text outside the window. If it returns ``False``, the window requests attention.
    """

    def __init__(
        self, monitor: ActivityMonitor, session: Session, window: QWidget, show: Callable[[str, str], bool]
    ) -> None:
        super().__init__(window)
        self._session, self._window, self._show = session, window, show
        monitor.ended.connect(self._on_ended)

    def _on_ended(self, work: FinishedWork) -> None:
        if work.seconds < LONG_SECONDS:
            return
        title = f"{work.title} · {duration(work.seconds)}"
        self._session.message.emit(f"{title} · {work.text}")
        if not self._window.isActiveWindow() and not self._show(title, work.text):
            QApplication.alert(self._window)


def _without_markup(text: str) -> str:
    # Desktops differ in whether a message is HTML: some would show escaped signs, some would load pictures.
    return text.replace("<", "‹").replace(">", "›")
