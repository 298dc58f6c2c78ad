"""Seconds of reading and writing, done beside the window: it stays painted, and says so when it takes a while.

:func:`wait_for` blocks the caller and keeps the window painted. :class:`BackgroundCall` serves previews:
a new request
supersedes the one before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QEventLoop, QObject, Qt, QThread, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QProgressDialog, QWidget

from firegui.errors import CancelledError

Result = TypeVar("Result")
Check = Callable[[], None]
"""Raises :class:`~firegui.errors.CancelledError` once nobody waits for the work any more."""

_PATIENCE_MS = 500
_SETTLE_MS = 250


class _Call(QThread, Generic[Result]):
    """Runs one function and keeps what it returned or raised."""

    def __init__(self, function: Callable[[], Result]) -> None:
        super().__init__()
        self._function = function
        self.returned: list[Result] = []
        self.raised: BaseException | None = None

    def run(self) -> None:
        try:
            self.returned.append(self._function())
        except BaseException as error:  # handed to the window's thread, which raises it again
            self.raised = error


def wait_for(parent: QWidget | None, text: str, function: Callable[[], Result]) -> Result:
    """Run ``function`` in a thread and return what it returns, or raise what it raises.

    Until then the window is painted but takes no input: silently for half a second, then behind a box that says
    ``text``. ``function`` must not touch a widget or the session.
    """
    call = _Call(function)
    loop = QEventLoop()
    call.finished.connect(loop.quit)
    patience = QTimer()
    patience.setSingleShot(True)
    patience.timeout.connect(loop.quit)
    patience.start(_PATIENCE_MS)
    call.start()
    if not call.isFinished():
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    patience.stop()
    if not call.isFinished():
        _wait_visibly(parent, text, call)
    call.wait()
    if call.raised is not None:
        raise call.raised
    return call.returned[0]


class _Moment(QProgressDialog):
    """Stays until the work is done: shut by Esc it would let input through to the window behind it."""

    def reject(self) -> None:
        """Esc changes nothing."""

    def closeEvent(self, event: QCloseEvent) -> None:
        """Nor does what a window system offers."""
        event.ignore()


def _wait_visibly(parent: QWidget | None, text: str, call: _Call[Result]) -> None:
    box = _Moment(text, "", 0, 0, parent)
    # None takes the button away: reading cannot be broken off half-way.
    box.setCancelButton(None)
    box.setWindowModality(Qt.WindowModality.ApplicationModal)
    box.setWindowTitle("One moment")
    box.setWindowFlag(Qt.WindowType.WindowCloseButtonHint, False)
    box.setMinimumDuration(0)
    box.show()
    loop = QEventLoop()
    call.finished.connect(loop.quit)
    # The call may have ended between the question and the connection.
    if not call.isFinished():
        loop.exec()
    box.hide()
    box.deleteLater()


class _Task(QThread):
    """Runs one function that can be told to stop, and keeps what it returned or raised."""

    def __init__(self, work: Callable[[Check], object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._unwanted = threading.Event()
        self.returned: list[object] = []
        self.raised: BaseException | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether anybody still waits for it."""
        return not self._unwanted.is_set()

    def give_up(self) -> None:
        """Let the work end at its next look."""
        self._unwanted.set()

    def run(self) -> None:
        try:
            self.returned.append(self._work(self._check))
        except BaseException as error:  # handed to the window's thread, which says it
            self.raised = error

    def _check(self) -> None:
        if self._unwanted.is_set():
            raise CancelledError("nobody waits for it any more")


class BackgroundCall(QObject):
    """Computes the latest wish in a thread of its own, one at a time; a newer wish takes the place of an older one.

    A wish begins once no other has come for ``settle_ms``. Its work gets a :data:`Check` to call now and then, must
    not touch a widget, and ends in one of the signals unless it was overtaken. :meth:`shutdown` must be called in the
    end: a thread object that goes while it works takes the program down.
    """

    returned = Signal(object)
    """What the work returned."""
    raised = Signal(object)
    """What it raised, other than that it was given up."""
    busy_changed = Signal(bool)
    """Whether somebody waits for work."""

    def __init__(self, parent: QObject | None = None, *, settle_ms: int = _SETTLE_MS) -> None:
        super().__init__(parent)
        self._wish: Callable[[Check], object] | None = None
        self._task: _Task | None = None
        self._timer = QTimer(self, singleShot=True, interval=settle_ms)
        self._timer.timeout.connect(self._begin)

    @property
    def is_busy(self) -> bool:
        """Whether there is work that somebody waits for."""
        return self._wish is not None or (self._task is not None and self._task.is_wanted)

    def ask(self, work: Callable[[Check], object]) -> None:
        """Do this soon, and nothing that was asked for before."""
        was_busy, self._wish = self.is_busy, work
        if self._task is not None:
            self._task.give_up()
        self._timer.start()
        if not was_busy:
            self.busy_changed.emit(True)

    def drop(self) -> None:
        """Forget what was asked for."""
        was_busy, self._wish = self.is_busy, None
        self._timer.stop()
        if self._task is not None:
            self._task.give_up()
        if was_busy:
            self.busy_changed.emit(False)

    def shutdown(self) -> None:
        """Forget everything, and wait until the thread has ended."""
        self.drop()
        if self._task is not None:
            self._task.wait()
            self._task = None

    @Slot()
    def _begin(self) -> None:
        # One at a time: two would fight over the processors, and the older has been told to end.
        if self._wish is None or self._task is not None:
            return
        self._task, self._wish = _Task(self._wish, self), None
        self._task.finished.connect(self._on_end)
        self._task.start()

    @Slot()
    def _on_end(self) -> None:
        task, self._task = self._task, None
        if task is None:
            return
        task.wait()
        task.deleteLater()
        if not task.is_wanted:
            # The wish that overtook it may have come to its turn meanwhile.
            if not self._timer.isActive():
                self._begin()
            return
        self.busy_changed.emit(False)
        if task.raised is not None:
            self.raised.emit(task.raised)
        else:
            self.returned.emit(task.returned[0])
