"""The worker processes of a benchmark as the run sees them: begun, told, heard, ended."""

from __future__ import annotations

import math
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from pathlib import Path

from firegui.domain.benchmark import TaskTerms
from firegui.runs.benchmark_channel import MessageType, TaskReport, WorkerOrder
from firegui.runs.benchmark_process import main
from firegui.runs.events import TaskProgress

SAVING_SECONDS = 5.0
"""A worker that was asked to stop has so long to save what it has."""


class WorkerProcess:
    """One process; ``terms`` is what it works at, ``is_ready`` once it can be given something."""

    def __init__(self, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=main, args=(theirs, str(folder)), daemon=True)
        try:
            with without_interrupts():
                self._process.start()
        finally:
            theirs.close()
        self.is_ready = False
        self.processor = 0.0
        self.terms: TaskTerms | None = None
        self.progress: TaskProgress | None = None

    def give(self, terms: TaskTerms) -> None:
        """Hand a task over."""
        self.terms = terms
        self.progress = TaskProgress(terms.task, 0, terms.allowance, math.nan, 0.0)
        self.tell(WorkerOrder(MessageType.TASK, terms))

    def tell(self, order: WorkerOrder) -> None:
        """Send an order. That nobody hears it any more shows when the worker is heard."""
        with suppress(OSError):
            self.connection.send_bytes(order.encoded())

    def heard(self) -> TaskReport | None:
        """What it says, ``None`` when the process has ended."""
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

    def death(self) -> str:
        """How the process ended, for people; it has ended, or is about to."""
        self._process.join(SAVING_SECONDS)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"its process was killed (signal {-code}), perhaps for want of memory"
        return f"its process ended by itself (exit code {code})"

    def end(self) -> None:
        """Let go of the process, however far it is."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


@dataclass(frozen=True, slots=True, eq=False)
class WorkerReport:
    """What ``worker`` said while it was at ``terms``; ``report`` is ``None`` when its process has ended."""

    worker: WorkerProcess
    terms: TaskTerms | None
    report: TaskReport | None


class WorkerPool:
    """The workers of the benchmark in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.workers: list[WorkerProcess] = []
        self._hired: list[WorkerProcess] = []

    @property
    def processor(self) -> float:
        """Processor time of everybody who ever was of the crew, as far as they have said, in seconds."""
        return sum(worker.processor for worker in self._hired)

    @property
    def busy(self) -> list[WorkerProcess]:
        """Those that have a task."""
        return [worker for worker in self.workers if worker.terms is not None]

    @property
    def idle(self) -> list[WorkerProcess]:
        """Those that wait for one."""
        return [worker for worker in self.workers if worker.is_ready and worker.terms is None]

    @property
    def starting(self) -> int:
        """How many cannot be given anything yet."""
        return sum(not worker.is_ready for worker in self.workers)

    def hire(self) -> None:
        """Begin another process. Raises :class:`OSError` where the system refuses."""
        self._hired.append(WorkerProcess(self._folder))
        self.workers.append(self._hired[-1])

    def hear(self, seconds: float) -> Iterator[WorkerReport]:
        """What any of them says within ``seconds``. One whose process has ended is of the crew no more."""
        by_line = {worker.connection: worker for worker in self.workers}
        if not by_line:
            time.sleep(seconds)
            return
        for line in connection.wait(list(by_line), seconds):
            worker = by_line[line]  # type: ignore[index]
            terms, report = worker.terms, worker.heard()
            if report is None:
                self.workers.remove(worker)
            yield WorkerReport(worker, terms, report)

    def dismiss(self, worker: WorkerProcess) -> None:
        """End one that cannot work."""
        self.workers.remove(worker)
        worker.end()

    def tell(self, order: WorkerOrder) -> None:
        """Say something to all."""
        for worker in self.workers:
            worker.tell(order)

    def stop(self) -> None:
        """Ask everybody to save and to end; those without a task have nothing to save and are ended."""
        self.tell(WorkerOrder(MessageType.STOP))
        for worker in [worker for worker in self.workers if worker.terms is None]:
            self.dismiss(worker)

    def close(self) -> None:
        """End every process: those at work may save first, but not for long."""
        self.stop()
        until = time.monotonic() + SAVING_SECONDS
        while self.busy and time.monotonic() < until:
            for heard in self.hear(until - time.monotonic()):
                if heard.report is None:
                    heard.worker.end()
        for worker in self.workers:
            worker.end()
        self.workers.clear()


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Let no process that is begun here ever meet Ctrl-C, which a terminal sends to all of them."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # which would lift the block when it is first begun
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
