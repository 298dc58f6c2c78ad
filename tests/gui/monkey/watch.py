"""Detection of what must not happen: an uncaught error, a warning of Qt, a leaked thread."""

from __future__ import annotations

import gc
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QThread, QtMsgType, qInstallMessageHandler
from shiboken6 import isValid

_COMPLAINTS = {QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg}
_KEPT = ("firegui kernel",)
"""Threads that a process keeps once it has them, one of each."""
_OF_THE_PLATFORM = ("This plugin does not support",)
"""Messages of Qt about drawing without a screen, independent of the program."""


class Watch:
    """Collects errors and warnings while it is :meth:`kept`."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Listen to every uncaught error and every message of Qt, and restore the former listeners afterwards."""
        hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = self._on_error
        threading.excepthook = lambda args: self._on_error(args.exc_type, args.exc_value, args.exc_traceback)
        sys.unraisablehook = lambda given: self._on_error(given.exc_type, given.exc_value, given.exc_traceback)
        before = qInstallMessageHandler(self._on_message)
        try:
            yield
        finally:
            qInstallMessageHandler(before)
            sys.excepthook, threading.excepthook, sys.unraisablehook = hooks

    def _on_error(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.heard.append("".join(traceback.format_exception(kind, error, trace)))

    def _on_message(self, kind: QtMsgType, _context: QMessageLogContext, text: str | None) -> None:
        if kind in _COMPLAINTS and not any(each in (text or "") for each in _OF_THE_PLATFORM):
            where = "".join(traceback.format_stack(limit=8)[:-1])
            self.heard.append(f"Qt says: {text}\n{where}")


def working_threads() -> list[str]:
    """Return every thread that still runs: Qt's known to Python, and Python's own except the main one."""
    # Python's record of a foreign thread outlives that thread.
    own = (each for each in threading.enumerate() if not isinstance(each, threading._DummyThread))
    found = [each.name for each in own if each is not threading.main_thread() and not each.name.startswith(_KEPT)]
    for each in gc.get_objects():
        # Its type only, because some objects act when they are inspected.
        if issubclass(type(each), QThread) and each is not QThread.currentThread():
            found += [type(each).__name__] if isValid(each) and each.isRunning() else []
    return found
