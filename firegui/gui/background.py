"""Seconds of reading and writing, done beside the window: it stays painted, and says so when it takes a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QEventLoop, Qt, QThread, QTimer
from PySide6.QtWidgets import QProgressDialog, QWidget

Result = TypeVar("Result")
_PATIENCE_MS = 500


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


def _wait_visibly(parent: QWidget | None, text: str, call: _Call[Result]) -> None:
    box = QProgressDialog(text, "", 0, 0, parent)
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
    box.close()
    box.deleteLater()
