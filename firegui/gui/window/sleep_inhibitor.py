"""Keeps the machine from falling asleep while it computes, by whatever the system offers for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from firegui.gui.window.activity_monitor import ActivityMonitor

WHY = "A plan is being computed"
Answer = Callable[[str], object]
"""Is told why something cannot be done; empty: it is done."""


class Means(Protocol):
    """One way to keep a machine awake."""

    name: str

    def begin(self, why: str, answer: Answer) -> None:
        """Keep it awake and ``answer`` whether that is so, now or later; never raises and never waits."""

    def end(self) -> None:
        """Let it sleep. Also called where :meth:`begin` failed."""


class SleepInhibitor(QObject):
    """Takes the first of ``means`` that works, while there is work."""

    said = Signal(str, str)
    """A line for the log and its level."""

    def __init__(self, work: ActivityMonitor, means: Sequence[Means], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._means = tuple(means)
        self._wanted = 0
        """Counts the times that it was asked for; 0 while it is not."""
        self._asked = 0
        self._used: Means | None = None
        self._complained = False
        work.changed.connect(self._on_work)

    @property
    def used(self) -> str:
        """What keeps the machine awake at the moment; empty for nothing."""
        return "" if self._used is None else self._used.name

    def shutdown(self) -> None:
        """Let it sleep."""
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
                self.said.emit("The computer may fall asleep again.", "info")

    def _try(self, number: int, time: int, failures: list[str]) -> None:
        if number == len(self._means):
            self._complain(failures)
            return
        means = self._means[number]

        def answer(trouble: str) -> None:
            if trouble:
                means.end()
                if self._used is means:
                    self._used = None
                if time == self._wanted:
                    self._try(number + 1, time, [*failures, f"{means.name}: {trouble}"])
            elif time != self._wanted:
                # The work ended before the system answered.
                means.end()
            else:
                self._used = means
                self.said.emit(f"The computer is kept awake while it computes ({means.name}).", "info")

        means.begin(WHY, answer)

    def _complain(self, failures: list[str]) -> None:
        # Once a session: nothing about it will have changed by the next run.
        if not self._complained:
            self._complained = True
            reasons = "; ".join(failures) or "this system offers no way"
            self.said.emit(
                f"The computer cannot be kept awake ({reasons}). If it falls asleep, the run goes on when it wakes.",
                "warning",
            )
