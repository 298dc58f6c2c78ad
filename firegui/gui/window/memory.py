"""Memory of closed projects and ended runs, returned to the system."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject

from firegui.gui.base.tasks import LatestTask
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session

_SETTLE_MS = 2000
"""Time after which what followed the opening of a project, or the end of a run, has ended too."""


def return_freed_memory() -> None:
    """Return freed memory to the system. Other systems than Linux do so by themselves.

    The C library of Linux keeps what was freed between blocks that are in use: a third of the memory of the program
    after a run on a large fire. It takes about ten milliseconds, without the interpreter's lock.
    """
    if sys.platform == "linux":
        # Not every C library has the function.
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


class MemoryTrimmer(QObject):
    """Returns freed memory some time after a project was opened, and after work has ended.

    :meth:`shutdown` must be called before the program ends.
    """

    def __init__(
        self,
        session: Session,
        queue: RunQueue,
        parent: QObject | None = None,
        *,
        trim: Callable[[], None] = return_freed_memory,
        settle_ms: int = _SETTLE_MS,
    ) -> None:
        super().__init__(parent)
        self._queue, self._trim, self._was_working = queue, trim, False
        self._task = LatestTask(self, settle_ms=settle_ms)
        session.project_opened.connect(self.trim_soon)
        queue.changed.connect(self._on_queue)

    def trim_soon(self) -> None:
        """Return freed memory soon, in a thread."""
        trim = self._trim
        self._task.request(lambda _check: trim())

    def _on_queue(self) -> None:
        is_working = self._queue.is_busy or bool(self._queue.activity)
        if self._was_working and not is_working:
            self.trim_soon()
        self._was_working = is_working

    def shutdown(self) -> None:
        """Wait until the thread has ended."""
        self._task.shutdown()
