"""Worker processes of a benchmark as the run controls them."""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path

from firegui.analyses.task_channel import MessageType, TaskReport, WorkerOrder
from firegui.analyses.worker_process import start_work, without_interrupts
from firegui.domain.benchmark import TaskTerms
from firegui.runs.events import TaskProgress

WORK = "firegui.analyses.benchmark.worker:work"
"""Function that a process carries out."""
SAVING_SECONDS = 5.0
"""Seconds that a stopping worker has to save its state."""


class WorkerProcess:
    """One process. ``terms`` is the task at work; ``is_ready`` becomes true once it accepts tasks."""

    def __init__(self, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=start_work, args=(WORK, theirs, str(folder)), daemon=True)
        try:
            with without_interrupts():
                self._process.start()
        finally:
            theirs.close()
        self.is_ready = False
        self.processor = 0.0
        self.terms: TaskTerms | None = None
        self.progress: TaskProgress | None = None

    def assign(self, terms: TaskTerms) -> None:
        """Send a task."""
        self.terms = terms
        self.progress = TaskProgress(terms.task, 0, terms.allowance, math.nan, 0.0)
        self.send(WorkerOrder(MessageType.TASK, terms))

    def send(self, order: WorkerOrder) -> None:
        """Send an order. A process that has ended shows in :meth:`receive`."""
        with suppress(OSError):
            self.connection.send_bytes(order.encoded())

    def receive(self) -> TaskReport | None:
        """Return the next report, ``None`` when the process has ended."""
        try:
            report = TaskReport.decoded(self.connection.recv_bytes())
        except (EOFError, OSError):
            return None
        self.processor = report.processor
        match report.word:
            case MessageType.READY:
                self.is_ready = True
            case MessageType.PROGRESS if self.terms is not None:
                best = math.nan if report.best is None else report.best
                self.progress = TaskProgress(
                    self.terms.task, report.spent, self.terms.allowance, best, report.seconds
                )  # fmt: skip
            case MessageType.DONE | MessageType.STOPPED | MessageType.FAILED:
                self.terms = self.progress = None
        return report

    def exit_reason(self) -> str:
        """Wait for the process to end and return the reason as text."""
        self._process.join(SAVING_SECONDS)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"its process was killed (signal {-code}), perhaps for want of memory"
        return f"its process ended by itself (exit code {code})"

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


@dataclass(frozen=True, slots=True, eq=False)
class WorkerReport:
    """Report of ``worker`` on the task ``terms``; ``report`` is ``None`` when its process has ended."""

    worker: WorkerProcess
    terms: TaskTerms | None
    report: TaskReport | None


class WorkerPool:
    """Worker processes of the benchmark in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.workers: list[WorkerProcess] = []
        self._started: list[WorkerProcess] = []

    @property
    def processor(self) -> float:
        """Processor time in seconds that all workers, ended ones too, have reported."""
        return sum(worker.processor for worker in self._started)

    @property
    def busy(self) -> list[WorkerProcess]:
        """Workers with a task."""
        return [worker for worker in self.workers if worker.terms is not None]

    @property
    def idle(self) -> list[WorkerProcess]:
        """Workers that wait for a task."""
        return [worker for worker in self.workers if worker.is_ready and worker.terms is None]

    @property
    def starting(self) -> int:
        """Number of workers that are still starting."""
        return sum(not worker.is_ready for worker in self.workers)

    def start_worker(self) -> None:
        """Start another process. Raises :class:`OSError` where the system refuses."""
        self._started.append(WorkerProcess(self._folder))
        self.workers.append(self._started[-1])

    def poll(self, seconds: float) -> Iterator[WorkerReport]:
        """Yield reports that arrive within ``seconds``. Workers whose process has ended are removed."""
        by_connection = {worker.connection: worker for worker in self.workers}
        if not by_connection:
            time.sleep(seconds)
            return
        for ready in connection.wait(list(by_connection), seconds):
            worker = by_connection[ready]  # type: ignore[index]
            terms, report = worker.terms, worker.receive()
            if report is None:
                self.workers.remove(worker)
            yield WorkerReport(worker, terms, report)

    def end_worker(self, worker: WorkerProcess) -> None:
        """End a worker that cannot work."""
        self.workers.remove(worker)
        worker.end()

    def send(self, order: WorkerOrder) -> None:
        """Send an order to all workers."""
        for worker in self.workers:
            worker.send(order)

    def stop(self) -> None:
        """Ask all workers to save and end. Workers without a task are ended at once."""
        self.send(WorkerOrder(MessageType.STOP))
        for worker in [worker for worker in self.workers if worker.terms is None]:
            self.end_worker(worker)

    def close(self) -> None:
        """End every process. Workers with a task get :data:`SAVING_SECONDS` to save."""
        self.stop()
        until = time.monotonic() + SAVING_SECONDS
        while self.busy and time.monotonic() < until:
            for received in self.poll(until - time.monotonic()):
                if received.report is None:
                    received.worker.end()
        for worker in self.workers:
            worker.end()
        self.workers.clear()
