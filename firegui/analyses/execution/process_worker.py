"""Worker process of this machine, and the pipe on which it and the executor exchange messages.

:mod:`firegui.analyses.execution.process_entry` starts it. It computes on one thread.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

import msgspec

from firegui.analyses.execution.tasks import (
    TaskLink,
    TaskOutcome,
    WorkerSetup,
    WorkReport,
    failed,
    open_worker,
    perform,
)
from firegui.errors import CancelledError
from firegui.io.safe_open.processes import READERS
from firegui.runs.control import RunControl

GRACE_SECONDS = 10.0
"""Seconds that a worker whose executor has ended has to save its state."""


class OrderKind(StrEnum):
    """Kind of an order to a worker."""

    TASK = "task"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """Order to a worker: a ``task``, or to pause, to resume, or to stop after saving."""

    kind: OrderKind
    task: bytes = b""


@dataclass(frozen=True, slots=True)
class WorkerMessage:
    """Message of a worker: that it is ready, a ``report`` on the task at work, or its ``outcome``.

    A worker that is not ready and sends an outcome cannot work at all. ``processor`` is the processor time of the
    process so far, in seconds.
    """

    is_ready: bool = True
    report: WorkReport | None = None
    outcome: TaskOutcome | None = None
    processor: float = 0.0


class WorkerChannel:
    """A worker's end of the pipe. A thread listens, so that a stop arrives while the worker computes.

    When the other end closes, the worker ends: at once without a task, else after saving.
    """

    def __init__(self, connection: Connection, leave: Callable[[int], object] = os._exit) -> None:
        """``leave`` ends the process, whatever its main thread does."""
        self._connection, self._leave = connection, leave
        self._orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._at_work = False
        self.control = RunControl()
        threading.Thread(target=self._listen, daemon=True).start()

    def tasks(self) -> Iterator[bytes]:
        """Yield the tasks to carry out until the worker has to end."""
        for task in iter(self._orders.get, None):
            self._at_work = True
            yield task
            self._at_work = False

    def send(self, message: WorkerMessage) -> None:
        """Send a message. Stop the worker if the other end is closed."""
        try:
            self._connection.send_bytes(msgspec.msgpack.encode(replace(message, processor=time.process_time())))
        except OSError:
            self.end()

    def send_report(self, report: WorkReport) -> None:
        """Send a report on the task at work."""
        self.send(WorkerMessage(report=report))

    def end(self) -> None:
        """Ask the worker to save its state and end."""
        self.control.request_stop(now=True)
        self._orders.put(None)

    def _listen(self) -> None:
        while True:
            try:
                order = msgspec.msgpack.decode(self._connection.recv_bytes(), type=WorkerOrder)
            except (EOFError, OSError):
                self.end()
                if self._at_work:
                    threading.Event().wait(GRACE_SECONDS)
                self._leave(1)
                return
            match order.kind:
                case OrderKind.TASK:
                    self._orders.put(order.task)
                case OrderKind.PAUSE:
                    self.control.request_pause()
                case OrderKind.RESUME:
                    self.control.request_resume()
                case OrderKind.STOP:
                    self.end()


def work(connection: Connection, setup_file: str, name: str) -> None:
    """Carry out the tasks that ``connection`` hands over."""
    channel = WorkerChannel(connection)

    def stop(number: int, frame: FrameType | None) -> None:
        channel.end()

    signal.signal(signal.SIGTERM, stop)
    setup = replace(msgspec.msgpack.decode(Path(setup_file).read_bytes(), type=WorkerSetup), name=name)
    try:
        worker = open_worker(setup, channel.control)
    except CancelledError:
        return
    except Exception as error:
        channel.send(WorkerMessage(is_ready=False, outcome=failed(error, setup)))
        return
    READERS.rest()  # which have read the project
    channel.send(WorkerMessage())
    link = TaskLink(channel.control, channel.send_report)
    for task in channel.tasks():
        outcome = perform(worker, setup, task, link)
        channel.send(WorkerMessage(outcome=outcome))
        if outcome.cancelled:
            return
