"""Control of a run: stop, pause, resume. Thread-safe; a run checks it several times a second."""

from __future__ import annotations

import threading

from firegui.errors import CancelledError


class RunControl:
    """Control shared by the thread that works and the thread that steers."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._abandon = threading.Event()
        self._go = threading.Event()
        self._go.set()

    def without_closing_work(self) -> RunControl:
        """Return a control that is steered with this one and whose every stop leaves out the closing work."""
        inner = RunControl()
        inner._stop, inner._abandon, inner._go = self._stop, self._stop, self._go
        return inner

    def request_stop(self, *, now: bool = False) -> None:
        """Ask the run to stop and keep its best; also wakes a paused run.

        The kept plan is still scored once at the nominal effectiveness; ``now`` leaves that out too.
        """
        if now:
            self._abandon.set()
        self._stop.set()
        self._go.set()

    def request_pause(self) -> None:
        """Ask the run to pause before its next epoch."""
        if not self._stop.is_set():
            self._go.clear()

    def request_resume(self) -> None:
        """Let a paused run continue."""
        self._go.set()

    @property
    def stop_requested(self) -> bool:
        """Whether the run should stop."""
        return self._stop.is_set()

    @property
    def abandon_requested(self) -> bool:
        """Whether the run should stop without the final score."""
        return self._abandon.is_set()

    @property
    def pause_requested(self) -> bool:
        """Whether the run should pause."""
        return not self._go.is_set()

    def wait_while_paused(self) -> None:
        """Block while paused."""
        self._go.wait()

    def check(self) -> None:
        """Raise :class:`~firegui.errors.CancelledError` once a stop was requested; called from inner loops."""
        if self._stop.is_set():
            raise CancelledError("stopped")

    def check_abandoned(self) -> None:
        """Like :meth:`check`, for the closing work that an ordinary stop still waits for."""
        if self._abandon.is_set():
            raise CancelledError("stopped without the final score")
