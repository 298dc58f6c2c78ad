"""Prevention of the machine's sleep during computation.

Every method ends by itself when firegui is killed. Linux: ``org.freedesktop.ScreenSaver`` on the session bus
(freedesktop.org, "Idle Inhibition Service Draft"), else ``systemd-inhibit`` (systemd 247 and later,
systemd-inhibit(1)); macOS: ``caffeinate`` (caffeinate(8)); Windows: ``SetThreadExecutionState`` (Win32, winbase.h).
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QProcess, Signal
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

from firegui.gui.window.notifications import ActivityMonitor

WHY = "A plan is being computed"
Answer = Callable[[str], object]
"""Function that receives the reason of a failure, or an empty text after success."""
_SERVICE, _INTERFACE = "org.freedesktop.ScreenSaver", "org.freedesktop.ScreenSaver"
_PATHS = ("/org/freedesktop/ScreenSaver", "/ScreenSaver")
_PATIENCE_MS = 500
_CONTINUOUS, _SYSTEM_REQUIRED = 0x80000000, 0x00000001


class InhibitorBackend(Protocol):
    """Base class of the methods that keep a machine awake."""

    name: str

    def begin(self, why: str, answer: Answer) -> None:
        """Keep the machine awake and call ``answer``, now or later; never raise and never block."""

    def end(self) -> None:
        """Let the machine sleep. Also called after :meth:`begin` failed."""


class SleepInhibitor(QObject):
    """Inhibitor of the machine's sleep during work, by the first of ``backends`` that succeeds."""

    reported = Signal(str, str)
    """A line for the log and its level."""

    def __init__(
        self, monitor: ActivityMonitor, backends: Sequence[InhibitorBackend], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._backends = tuple(backends)
        self._wanted = 0
        """Number of the current request; 0 if there is none."""
        self._asked = 0
        self._used: InhibitorBackend | None = None
        self._complained = False
        monitor.changed.connect(self._on_work)

    @property
    def used(self) -> str:
        """The method in use; empty for none."""
        return "" if self._used is None else self._used.name

    def shutdown(self) -> None:
        """Let the machine sleep."""
        self._on_work(False)

    def _on_work(self, busy: bool) -> None:
        if busy and not self._wanted:
            self._asked += 1
            self._wanted = self._asked
            self._try(0, self._wanted, [])
        elif not busy and self._wanted:
            self._wanted = 0
            if self._used is not None:
                self._used.end()
                self._used = None
                self.reported.emit("The computer may sleep again.", "info")

    def _try(self, number: int, time: int, failures: list[str]) -> None:
        if number == len(self._backends):
            self._report_failure(failures)
            return
        backend = self._backends[number]

        def answer(trouble: str) -> None:
            if trouble:
                backend.end()
                if self._used is backend:
                    self._used = None
                if time == self._wanted:
                    self._try(number + 1, time, [*failures, f"{backend.name}: {trouble}"])
            elif time != self._wanted:
                # The work ended before the system answered.
                backend.end()
            else:
                self._used = backend
                self.reported.emit(f"The computer is kept awake while it computes ({backend.name}).", "info")

        backend.begin(WHY, answer)

    def _report_failure(self, failures: list[str]) -> None:
        # Once per session: the next run would have the same result.
        if not self._complained:
            self._complained = True
            reasons = "; ".join(failures) or "this system offers no method"
            self.reported.emit(
                f"The computer cannot be kept awake ({reasons}). If it sleeps, the run continues when it wakes.",
                "warning",
            )


class ScreenSaverBackend(QObject):
    """Service of a Linux desktop, used over a separate connection to the session bus.

    The request ends with that connection, so that it never has to be withdrawn.
    """

    name = "the desktop"

    def __init__(self, parent: QObject | None = None, *, path: str = _PATHS[0]) -> None:
        super().__init__(parent)
        self._path = path
        self._answer: Answer | None = None

    def begin(self, why: str, answer: Answer) -> None:
        """Keep the machine awake and ``answer`` whether it worked."""
        if not has_session_bus():
            # Qt would try to start one, which takes time.
            answer("there is no session bus")
            return
        self._answer = answer
        bus = QDBusConnection.connectToBus(QDBusConnection.BusType.SessionBus, self._path)
        call = QDBusMessage.createMethodCall(_SERVICE, self._path, _INTERFACE, "Inhibit")
        call.setArguments(["firegui", why])
        watcher = QDBusPendingCallWatcher(bus.asyncCall(call), self)
        watcher.finished.connect(self._on_answer)

    def end(self) -> None:
        """Let the machine sleep."""
        if self._answer is not None:
            self._answer = None
            QDBusConnection.disconnectFromBus(self._path)

    def _on_answer(self, done: QDBusPendingCallWatcher) -> None:
        reply, answer = done.reply(), self._answer
        done.deleteLater()
        failed = reply.type() is QDBusMessage.MessageType.ErrorMessage
        if answer is not None:
            answer((reply.errorMessage() or reply.errorName() or "it did not answer") if failed else "")


class ProgramBackend(QObject):
    """Program that keeps the machine awake while it runs; it ends with firegui, even after a crash."""

    def __init__(self, name: str, command: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name, self._command = name, tuple(command)
        self._process: QProcess | None = None
        self._answer: Answer | None = None

    def begin(self, why: str, answer: Answer) -> None:
        """Keep the machine awake and ``answer`` whether it worked."""
        program = shutil.which(self._command[0])
        if program is None:
            answer("is not installed")
            return
        process = self._process = QProcess(self)
        self._answer = answer
        # Methods, not lambdas, which would form a reference cycle with the process.
        process.started.connect(self._on_started)
        process.errorOccurred.connect(self._on_end)
        process.finished.connect(self._on_end)
        process.start(program, [word.replace("{why}", why) for word in self._command[1:]])

    def end(self) -> None:
        """Let the machine sleep."""
        process, self._process, self._answer = self._process, None, None
        if process is not None:
            # The program waits for the end of its input.
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


class WindowsBackend(QObject):
    """Execution state of the thread on Windows: the system is required until it is reset."""

    name = "Windows"

    def begin(self, why: str, answer: Answer) -> None:
        """Keep the machine awake and ``answer`` whether it worked."""
        answer("" if self._set(_CONTINUOUS | _SYSTEM_REQUIRED) else "it refused")

    def end(self) -> None:
        """Let the machine sleep."""
        self._set(_CONTINUOUS)

    @staticmethod
    def _set(flags: int) -> bool:
        set_state: Callable[[int], int] = getattr(ctypes, "windll").kernel32.SetThreadExecutionState  # noqa: B009
        return bool(set_state(flags))


def has_session_bus() -> bool:
    """Return whether there is a session bus."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS")) or (bool(runtime) and (Path(runtime) / "bus").exists())


def system_backends(parent: QObject) -> tuple[InhibitorBackend, ...]:
    """Return the methods that this system offers, the best first."""
    if sys.platform == "win32":
        return (WindowsBackend(parent),)
    if sys.platform == "darwin":
        return (ProgramBackend("caffeinate", ("caffeinate", "-i", "-w", str(os.getpid())), parent),)
    words = ("systemd-inhibit", "--what=idle:sleep", "--who=firegui", "--why={why}", "--mode=block", "cat")
    return (
        *(ScreenSaverBackend(parent, path=path) for path in _PATHS),
        ProgramBackend("systemd-inhibit", words, parent),
    )
