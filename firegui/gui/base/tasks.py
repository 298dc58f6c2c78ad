"""Background work: the window's only thread class, and its callers.

:class:`Task` runs one function in a thread. :func:`wait_for` blocks its caller and keeps the window painted.
:class:`LatestTask` runs the latest of many requests. :class:`IncrementalTask` needs no thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from PySide6.QtCore import QEventLoop, QObject, Qt, QThread, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QProgressDialog, QWidget

from firegui.errors import CancelledError, Check
from firegui.gui.base.plain_text import plain
from firegui.io.safe_open import interruptible

Result = TypeVar("Result")

_PATIENCE_MS = 500
_SETTLE_MS = 250


class Task(QThread, Generic[Result]):
    """Thread that runs one function.

    The function receives the task and calls its :meth:`check` regularly. The owner keeps the task until :attr:`ended`
    and calls :meth:`stop` before the program ends. A thread object that is collected, or alive at exit, aborts the
    process.
    """

    reported = Signal(object)
    """An intermediate result, emitted by the function.

    Connect a bound method of an object in the GUI thread.
    """
    ended = Signal(object)
    """The task itself, once, in the GUI thread. The thread has finished."""

    def __init__(self, function: Callable[[Task[Result]], Result], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._function: Callable[[Task[Result]], Result] | None = function
        self._cancelled = threading.Event()
        self._has_ended = False
        self._returned: list[Result] = []
        self.error: BaseException | None = None
        """The exception that the function raised."""
        self.finished.connect(self.join)

    @property
    def is_cancelled(self) -> bool:
        """Whether the result is no longer wanted."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Request that the function ends at its next :meth:`check`. Returns at once."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise :class:`CancelledError` if the task was cancelled. Called by the function."""
        if self._cancelled.is_set():
            raise CancelledError("the work was cancelled")

    def stop(self) -> None:
        """Cancel, and wait until the thread has finished."""
        self.cancel()
        self.join()

    @Slot()
    def join(self) -> None:
        """Wait until the thread has finished, and emit :attr:`ended` once."""
        self.wait()
        if not self._has_ended:
            self._has_ended = True
            self.ended.emit(self)

    def result(self) -> Result:
        """Return what the function returned, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return self._returned[0]

    def run(self) -> None:
        """Run the function. Called by Qt in the new thread."""
        # Dropped, because a function that refers to the task's owner would form a reference cycle. The garbage
        # collector may run in any thread, and Qt objects must not be deleted there.
        function, self._function = self._function, None
        assert function is not None
        try:
            with interruptible(self.check):
                self._returned.append(function(self))
        except BaseException as error:  # Raised again in the GUI thread by `result`.
            self.error = error


def run_events(milliseconds: int) -> None:
    """Run the event loop that long.

    Unlike ``processEvents`` in a loop, it leaves the processor to the threads.
    """
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_for(parent: QWidget | None, text: str, function: Callable[[], Result]) -> Result:
    """Run ``function`` in a thread, and return its result or raise its exception.

    The window is painted meanwhile but takes no input. After half a second a box shows ``text``. ``function`` must not
    use a widget or the session.
    """
    task: Task[Result] = Task(lambda _task: function())
    loop = QEventLoop()
    task.finished.connect(loop.quit)
    patience = QTimer()
    patience.setSingleShot(True)
    patience.timeout.connect(loop.quit)
    patience.start(_PATIENCE_MS)
    task.start()
    if not task.isFinished():
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    patience.stop()
    if not task.isFinished():
        _wait_visibly(parent, text, task)
    task.join()
    return task.result()


class _WaitingBox(QProgressDialog):
    """Box that stays until the work is done.

    If Esc closed it, input would reach the window behind it.
    """

    def reject(self) -> None:
        """Ignore Esc."""

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ignore the window system's close button."""
        event.ignore()


def _wait_visibly(parent: QWidget | None, text: str, task: Task[Result]) -> None:
    box = _WaitingBox(plain(text), "", 0, 0, parent)
    # None removes the button: the work cannot be cancelled half-way.
    box.setCancelButton(None)
    box.setWindowModality(Qt.WindowModality.ApplicationModal)
    box.setWindowTitle("Please wait")
    box.setWindowFlag(Qt.WindowType.WindowCloseButtonHint, False)
    box.setMinimumDuration(0)
    box.show()
    loop = QEventLoop()
    task.finished.connect(loop.quit)
    # The task may have ended between the question and the connection.
    if not task.isFinished():
        loop.exec()
    box.hide()
    box.deleteLater()


class LatestTask(QObject):
    """Thread for the latest request, one at a time. A newer request cancels an older one.

    A request starts once no other has come for ``settle_ms``. Its function receives a :data:`Check` to call regularly,
    and must not use a widget. It ends in :attr:`returned` or :attr:`raised` unless it was cancelled. :meth:`shutdown`
    must be called before the program ends.
    """

    returned = Signal(object)
    """What the function returned."""
    raised = Signal(object)
    """The exception that the function raised."""
    busy_changed = Signal(bool)
    """Whether a result is pending."""

    def __init__(self, parent: QObject | None = None, *, settle_ms: int = _SETTLE_MS) -> None:
        super().__init__(parent)
        self._requested: Callable[[Check], object] | None = None
        self._task: Task[object] | None = None
        self._timer = QTimer(self, singleShot=True, interval=settle_ms)
        self._timer.timeout.connect(self._begin)

    @property
    def is_busy(self) -> bool:
        """Whether a result is pending."""
        return self._requested is not None or (self._task is not None and not self._task.is_cancelled)

    def request(self, function: Callable[[Check], object]) -> None:
        """Run ``function`` soon, in place of any earlier request."""
        was_busy, self._requested = self.is_busy, function
        if self._task is not None:
            self._task.cancel()
        self._timer.start()
        if not was_busy:
            self.busy_changed.emit(True)

    def cancel(self) -> None:
        """Cancel every request. Returns at once."""
        was_busy, self._requested = self.is_busy, None
        self._timer.stop()
        if self._task is not None:
            self._task.cancel()
        if was_busy:
            self.busy_changed.emit(False)

    def shutdown(self) -> None:
        """Cancel every request, and wait until the thread has finished."""
        self.cancel()
        if self._task is not None:
            self._task.stop()

    @Slot()
    def _begin(self) -> None:
        # One at a time: two would compete for the processors, and the older one was cancelled.
        if self._requested is None or self._task is not None:
            return
        function, self._requested = self._requested, None
        self._task = Task(lambda task: function(task.check), self)
        self._task.ended.connect(self._on_ended)
        self._task.start()

    @Slot(object)
    def _on_ended(self, task: Task[object]) -> None:
        self._task = None
        task.deleteLater()
        if task.is_cancelled:
            # The start time of a newer request may have come meanwhile.
            if not self._timer.isActive():
                self._begin()
            return
        self.busy_changed.emit(False)
        if task.error is not None:
            self.raised.emit(task.error)
        else:
            self.returned.emit(task.result())


class IncrementalTask(QObject):
    """Work split into steps, one per turn of the event loop, so that the window stays responsive.

    An exception of a step propagates from the event loop.
    """

    done = Signal()

    def __init__(self, work: Iterator[object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._step)

    def begin(self, after_ms: int = 0) -> None:
        """Schedule the first step for when the event loop is idle, ``after_ms`` from now at the earliest."""
        self._timer.start(after_ms)

    def stop(self) -> None:
        """Do no further step."""
        self._timer.stop()
        self._work = iter(())

    def _step(self) -> None:
        try:
            next(self._work)
        except StopIteration:
            self.done.emit()
        else:
            self._timer.start(0)
