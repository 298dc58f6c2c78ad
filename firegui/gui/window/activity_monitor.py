"""Which long work is under way, whoever does it, and how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, SignalInstance

from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.jobs.run_queue import RunQueue
from firegui.runs.events import RunState


@dataclass(frozen=True, slots=True)
class Ended:
    """Work that is over: what it was, how long it took (s) and what is to be said of it."""

    title: str
    seconds: float
    text: str


@dataclass(slots=True)
class _Going:
    title: str
    since: float
    run: RunEntry | None = None


class ActivityMonitor(QObject):
    """Looks at the queue, and at every desk that it was told to :meth:`watch`."""

    changed = Signal(bool)
    """Whether the machine computes for somebody; a run that is paused does not."""
    ended = Signal(object)
    """An :class:`Ended`."""

    def __init__(
        self, queue: RunQueue, parent: QObject | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._queue, self._clock = queue, clock
        self._desks: list[Callable[[], UnfinishedWork | None]] = []
        self._going: dict[object, _Going] = {}
        self._busy = False
        queue.changed.connect(self._look)

    @property
    def is_busy(self) -> bool:
        """Whether the machine computes for somebody."""
        return self._busy

    def watch(self, changed: SignalInstance, work: Callable[[], UnfinishedWork | None]) -> None:
        """Also look at what ``work`` says is under way, whenever it ``changed``."""
        self._desks.append(work)
        changed.connect(self._look)

    def _look(self) -> None:
        now, found = self._clock(), dict[object, _Going]()
        active = self._queue.active
        if active is not None:
            found[active] = _Going(active.title, now, active)
        for number, desk in enumerate(self._desks):
            work = desk()
            if work is not None:
                found[number] = _Going(work.title, now)
        before = self._going
        self._going = {key: before.get(key, each) for key, each in found.items()}
        for key, each in before.items():
            if key not in found:
                self.ended.emit(Ended(each.title, now - each.since, _how(each)))
        paused = active is not None and active.state is RunState.PAUSED
        busy = len(found) > (1 if paused else 0)
        if busy != self._busy:
            self._busy = busy
            self.changed.emit(busy)


def _how(going: _Going) -> str:
    if going.run is None:
        return f"{going.title} has ended."
    return f"{going.run.status}: {going.run.message}" if going.run.message else going.run.status
