"""What a benchmark and its worker processes say to each other: JSON both ways, over a pipe."""

from __future__ import annotations

import math
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Protocol

import msgspec

from firegui.domain.benchmark import BenchmarkRow, TaskTerms
from firegui.errors import Problem
from firegui.runs.control import RunControl

GRACE_SECONDS = 10.0
"""A worker whose benchmark is gone has so long to save what it has."""


class MessageType(StrEnum):
    """What an order or a report is about."""

    TASK = "task"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    READY = "ready"
    PROGRESS = "progress"
    WARNING = "warning"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """To a worker: a ``TASK`` with its terms, ``PAUSE``, ``RESUME``, or ``STOP`` once what it has is saved."""

    word: MessageType
    terms: TaskTerms | None = None

    def encoded(self) -> bytes:
        """As it is sent."""
        return msgspec.json.encode(self)


@dataclass(frozen=True, slots=True)
class TaskReport:
    """From a worker: ``READY`` for tasks, ``PROGRESS`` of one, a ``WARNING``, and how it ended.

    ``best`` is ``None`` before the first; ``processor`` is the processor time of the process so far. ``FAILED``
    without a task at work says that there is no working at all.
    """

    word: MessageType
    spent: int = 0
    best: float | None = None
    seconds: float = 0.0
    processor: float = 0.0
    row: BenchmarkRow | None = None
    message: str = ""
    problems: tuple[Problem, ...] = ()

    def encoded(self) -> bytes:
        """As it is sent."""
        return msgspec.json.encode(self)

    @staticmethod
    def decoded(data: bytes) -> TaskReport:
        """What was :meth:`encoded`."""
        return msgspec.json.decode(data, type=TaskReport)


class TaskListener(Protocol):
    """Whoever follows a task at work, and can stop it."""

    @property
    def control(self) -> RunControl:
        """What the task asks whether it may go on."""

    def say(self, report: TaskReport) -> None:
        """Hear a report."""

    def say_progress(self, spent: int, best: float, seconds: float) -> None:
        """Hear how far the task is."""


class WorkerChannel:
    """A worker's end of the pipe. A thread listens, so that a stop is heard while the worker computes.

    When the other end is gone the worker is ended: at once without a task, else once what it has is saved.
    """

    def __init__(self, connection: Connection, leave: Callable[[int], object] = os._exit) -> None:
        """``leave`` ends the process, whatever its main thread is at."""
        self._connection, self._leave = connection, leave
        self._orders: queue.SimpleQueue[TaskTerms | None] = queue.SimpleQueue()
        self._at_work = False
        self.control = RunControl()
        threading.Thread(target=self._listen, daemon=True).start()

    def tasks(self) -> Iterator[TaskTerms]:
        """The tasks to carry out, as they come; the end is the end of the work."""
        for terms in iter(self._orders.get, None):
            self._at_work = True
            yield terms
            self._at_work = False

    def say(self, report: TaskReport) -> None:
        """Send a report; if nobody is there to hear it, stop."""
        try:
            self._connection.send_bytes(replace(report, processor=time.process_time()).encoded())
        except OSError:
            self.end()

    def say_progress(self, spent: int, best: float, seconds: float) -> None:
        """Send how far the task at work is."""
        self.say(TaskReport(MessageType.PROGRESS, spent, best if math.isfinite(best) else None, seconds))

    def end(self) -> None:
        """Ask the worker to save what it has and to end."""
        self.control.request_stop(now=True)
        self._orders.put(None)

    def _listen(self) -> None:
        while True:
            try:
                order = msgspec.json.decode(self._connection.recv_bytes(), type=WorkerOrder)
            except (EOFError, OSError):
                self.end()
                if self._at_work:
                    threading.Event().wait(GRACE_SECONDS)
                self._leave(1)
                return
            match order.word:
                case MessageType.TASK:
                    self._orders.put(order.terms)
                case MessageType.PAUSE:
                    self.control.request_pause()
                case MessageType.RESUME:
                    self.control.request_resume()
                case _:
                    self.end()
