"""Reports of planners' tasks, and the pipe on which a benchmark and its worker processes exchange them as JSON."""

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
"""Seconds that a worker whose benchmark has ended has to save its state."""


class MessageType(StrEnum):
    """Kind of an order or a report."""

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
    """Order to a worker: a ``TASK`` with its terms, ``PAUSE``, ``RESUME``, or ``STOP`` after saving."""

    word: MessageType
    terms: TaskTerms | None = None

    def encoded(self) -> bytes:
        """Return the JSON that is sent."""
        return msgspec.json.encode(self)


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Report of a worker: ``READY`` for tasks, ``PROGRESS``, a ``WARNING``, and how a task ended.

    ``best`` is ``None`` before the first; ``processor`` is the processor time of the process so far. ``FAILED``
    without a task means that the worker cannot work at all.
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
        """Return the JSON that is sent."""
        return msgspec.json.encode(self)

    @staticmethod
    def decoded(data: bytes) -> TaskReport:
        """Return the report that was :meth:`encoded`."""
        return msgspec.json.decode(data, type=TaskReport)


class TaskListener(Protocol):
    """Receiver of a task's reports, which can also stop the task."""

    @property
    def control(self) -> RunControl:
        """Control that the task checks for stop and pause."""

    def send(self, report: TaskReport) -> None:
        """Receive a report."""

    def send_progress(self, spent: int, best: float, seconds: float) -> None:
        """Receive the progress of the task."""


class WorkerChannel:
    """A worker's end of the pipe. A thread listens, so that a stop arrives while the worker computes.

    When the other end closes, the worker ends: at once without a task, else after saving.
    """

    def __init__(self, connection: Connection, leave: Callable[[int], object] = os._exit) -> None:
        """``leave`` ends the process, whatever its main thread does."""
        self._connection, self._leave = connection, leave
        self._orders: queue.SimpleQueue[TaskTerms | None] = queue.SimpleQueue()
        self._at_work = False
        self.control = RunControl()
        threading.Thread(target=self._listen, daemon=True).start()

    def tasks(self) -> Iterator[TaskTerms]:
        """Yield the tasks to carry out until the worker has to end."""
        for terms in iter(self._orders.get, None):
            self._at_work = True
            yield terms
            self._at_work = False

    def send(self, report: TaskReport) -> None:
        """Send a report. Stop the worker if the other end is closed."""
        try:
            self._connection.send_bytes(replace(report, processor=time.process_time()).encoded())
        except OSError:
            self.end()

    def send_progress(self, spent: int, best: float, seconds: float) -> None:
        """Send the progress of the task."""
        self.send(TaskReport(MessageType.PROGRESS, spent, best if math.isfinite(best) else None, seconds))

    def end(self) -> None:
        """Ask the worker to save its state and end."""
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
