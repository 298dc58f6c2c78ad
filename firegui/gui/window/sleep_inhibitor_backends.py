"""What each system offers to keep it awake. All of it ends by itself when firegui is killed.

Linux: ``org.freedesktop.ScreenSaver`` on the session bus (freedesktop.org, "Idle Inhibition Service Draft"), else
``systemd-inhibit`` (systemd 247 and later, systemd-inhibit(1)); macOS: ``caffeinate`` (caffeinate(8)); Windows:
``SetThreadExecutionState`` (Win32, winbase.h).
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

from firegui.gui.window.sleep_inhibitor import Answer, Means

_SERVICE, _INTERFACE = "org.freedesktop.ScreenSaver", "org.freedesktop.ScreenSaver"
_PATHS = ("/org/freedesktop/ScreenSaver", "/ScreenSaver")
_PATIENCE_MS = 500
_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001


class ScreenSaver(QObject):
    """The desktop's own service, asked over a connection of its own to the session bus.

    It holds for as long as that connection does, so that nothing is left to take back.
    """

    name = "the desktop"

    def __init__(self, parent: QObject | None = None, *, path: str = _PATHS[0]) -> None:
        super().__init__(parent)
        self._path = path
        self._answer: Answer | None = None

    def begin(self, why: str, answer: Answer) -> None:
        """See :class:`~firegui.gui.window.sleep_inhibitor.Means`."""
        if not has_session_bus():
            # Qt would try to start one, which takes its time.
            answer("there is no session bus")
            return
        self._answer = answer
        bus = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, self._path)
        call = QDBusMessage.createMethodCall(_SERVICE, self._path, _INTERFACE, "Inhibit")
        call.setArguments(["firegui", why])
        watcher = QDBusPendingCallWatcher(bus.asyncCall(call), self)
        watcher.finished.connect(self._on_answer)

    def end(self) -> None:
        """See :class:`~firegui.gui.window.sleep_inhibitor.Means`."""
        if self._answer is not None:
            self._answer = None
            QDBusConnection.disconnectFromBus(self._path)

    def _on_answer(self, done: QDBusPendingCallWatcher) -> None:
        reply, answer = done.reply(), self._answer
        done.deleteLater()
        failed = reply.type() is QDBusMessage.MessageType.ErrorMessage
        if answer is not None:
            answer((reply.errorMessage() or reply.errorName() or "it did not answer") if failed else "")


class Helper(QObject):
    """A program that keeps the machine awake for as long as it runs; it ends with firegui, however that ends."""

    def __init__(self, name: str, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name, self._command = name, tuple(command)
        self._process: QProcess | None = None
        self._answer: Answer | None = None

    def begin(self, why: str, answer: Answer) -> None:
        """See :class:`~firegui.gui.window.sleep_inhibitor.Means`."""
        program = shutil.which(self._command[0])
        if program is None:
            answer("is not installed")
            return
        process = self._process = QProcess(self)
        self._answer = answer
        # Methods, not lambdas: those would hold the process, and it them.
        process.started.connect(self._on_started)
        process.errorOccurred.connect(self._on_end)
        process.finished.connect(self._on_end)
        process.start(program, [word.replace("{why}", why) for word in self._command[1:]])

    def end(self) -> None:
        """See :class:`~firegui.gui.window.sleep_inhibitor.Means`."""
        process, self._process, self._answer = self._process, None, None
        if process is not None:
            # It waits for its input to end.
            process.closeWriteChannel()
            process.terminate()
            if not process.waitForFinished(_PATIENCE_MS):
                process.kill()
                process.waitForFinished(_PATIENCE_MS)
            process.deleteLater()

    def _on_started(self) -> None:
        if self._answer is not None:
            self._answer("")

    def _on_end(self) -> None:
        process, answer, self._answer = self._process, self._answer, None
        if process is not None and answer is not None:
            said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
            answer(said.splitlines()[-1] if said else process.errorString())


class ExecutionState(QObject):
    """Windows: the thread says that the system is needed, until it says otherwise."""

    name = "Windows"

    def begin(self, why: str, answer: Answer) -> None:
        """See :class:`~firegui.gui.window.sleep_inhibitor.Means`."""
        answer("" if self._set(_CONTINUOUS | _SYSTEM_REQUIRED) else "it refused")

    def end(self) -> None:
        """See :class:`~firegui.gui.window.sleep_inhibitor.Means`."""
        self._set(_CONTINUOUS)

    @staticmethod
    def _set(flags: int) -> bool:
        set_state: Callable[[int], int] = getattr(ctypes, "windll").kernel32.SetThreadExecutionState  # noqa: B009
        return bool(set_state(flags))


def has_session_bus() -> bool:
    """Whether a session bus is there to be asked."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS")) or (bool(runtime) and (Path(runtime) / "bus").exists())


def system_means(parent: QObject) -> tuple[Means, ...]:
    """What this system offers, the best first."""
    if sys.platform == "win32":
        return (ExecutionState(parent),)
    if sys.platform == "darwin":
        return (Helper("caffeinate", ("caffeinate", "-i", "-w", str(os.getpid())), parent),)
    words = ("systemd-inhibit", "--what=idle:sleep", "--who=firegui", "--why={why}", "--mode=block", "cat")
    return (*(ScreenSaver(parent, path=path) for path in _PATHS), Helper("systemd-inhibit", words, parent))
