"""Executor on processes of this machine.

The standard ``ProcessPoolExecutor`` gives up all its tasks when one process dies, and can neither stop nor pause a
task. Here the other processes go on, and each listens while it computes.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections import Counter, deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing import connection
from pathlib import Path

import msgspec

from firegui.analyses.execution.executor import SAVING_SECONDS, ExecutorHooks, TaskExecutor
from firegui.analyses.execution.process_entry import start_work, without_interrupts
from firegui.analyses.execution.process_worker import OrderKind, WorkerMessage, WorkerOrder
from firegui.analyses.execution.tasks import TaskOutcome, WorkerSetup, WorkReport
from firegui.errors import FireguiError, InputError
from firegui.io.toml import plain_words
from firegui.runs.events import WorkerSeen
from firegui.runs.messages import counted

WORK = "firegui.analyses.execution.process_worker:work"
"""Function that a process carries out."""
ATTEMPTS = 4
"""Times that a task is begun whose workers die, where it is given to another: as many as on a cluster."""


class WorkerProcess:
    """One process. ``task`` is the number of the task at work; once ``is_ready`` it accepts tasks."""

    def __init__(self, name: str, setup_file: Path, environment: Mapping[str, str]) -> None:
        context = multiprocessing.get_context("spawn")
        self.name = name
        self.connection, theirs = context.Pipe()
        self._process = context.Process(
            target=start_work, args=(WORK, theirs, str(setup_file), name, dict(environment)), daemon=True
        )
        try:
            with without_interrupts():
                self._process.start()
        finally:
            theirs.close()
        self.is_ready = False
        self.processor = 0.0
        self.task: int | None = None

    def send(self, order: WorkerOrder) -> None:
        """Send an order. A process that has ended shows in :meth:`receive`."""
        with suppress(OSError):
            self.connection.send_bytes(msgspec.msgpack.encode(order))

    def receive(self) -> WorkerMessage | None:
        """Return the next message, ``None`` when the process has ended."""
        try:
            message = msgspec.msgpack.decode(self.connection.recv_bytes(), type=WorkerMessage)
        except (EOFError, OSError):
            return None
        self.processor = message.processor
        self.is_ready = message.is_ready
        return message

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


class ProcessExecutor(TaskExecutor):
    """Executor on up to ``count`` processes, each started once there is a task for it.

    A task whose process dies is begun ``attempts`` times in all. Up to ``ahead`` tasks a process are accepted. With
    ``card_each`` every process sees one graphics card.
    """

    def __init__(
        self, setup: WorkerSetup, count: int, hooks: ExecutorHooks, *, attempts: int = ATTEMPTS, ahead: int = 1,
        card_each: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(hooks)
        self._setup, self._count, self._attempts, self._ahead = setup, count, attempts, ahead
        self._card_each = card_each
        self._begun: Counter[int] = Counter()
        self._waiting: deque[int] = deque()
        self._tasks: dict[int, bytes] = {}
        self._processes: list[WorkerProcess] = []
        self._started: list[WorkerProcess] = []
        self._stopped = False
        self._folder = tempfile.TemporaryDirectory(prefix="firegui-workers-")
        self._setup_file = Path(self._folder.name) / "setup"
        self._setup_file.write_bytes(msgspec.msgpack.encode(setup))

    @property
    def capacity(self) -> int:
        """Number of tasks that can be submitted now."""
        return 0 if self._stopped else self._count * self._ahead - len(self._futures)

    @property
    def processor(self) -> float:
        """Processor time in seconds that all workers, ended ones too, have reported."""
        return sum(worker.processor for worker in self._started)

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """All processes."""
        return tuple(
            WorkerSeen(worker.name, 1, self._done[worker.name], worker.task is not None) for worker in self._processes
        )

    def pause(self) -> None:
        """Pause the tasks at work."""
        self._send(OrderKind.PAUSE)

    def resume(self) -> None:
        """Let paused tasks go on."""
        self._send(OrderKind.RESUME)

    def stop(self) -> None:
        """Ask all workers to save and end. Workers without a task are ended at once."""
        self._stopped = True
        self._send(OrderKind.STOP)
        for number in self._waiting:
            self._futures[number].set_result(TaskOutcome(cancelled=True))
        self._waiting.clear()
        for worker in [worker for worker in self._processes if worker.task is None]:
            self._end(worker)

    def close(self) -> None:
        """End every process. Workers with a task get :data:`SAVING_SECONDS` to save."""
        self.stop()
        until = time.monotonic() + SAVING_SECONDS
        while any(worker.task is not None for worker in self._processes) and time.monotonic() < until:
            self._advance(until - time.monotonic())
        for worker in list(self._processes):
            self._end(worker)
        self._futures.clear()
        with suppress(OSError):
            self._folder.cleanup()

    # -- tasks -------------------------------------------------------------------------------------------------------
    def _submit(self, number: int, task: bytes) -> Future[TaskOutcome]:
        self._tasks[number] = task
        self._waiting.append(number)
        self._futures[number] = Future()
        self._dispatch()
        return self._futures[number]

    def _dispatch(self) -> None:
        """Give tasks to idle workers, and start as many processes as there are tasks for."""
        if self._stopped:
            return
        for worker in [worker for worker in self._processes if worker.is_ready and worker.task is None]:
            if self._waiting:
                self._assign(worker, self._waiting.popleft())
        starting = sum(not worker.is_ready for worker in self._processes)
        while len(self._processes) < self._count and starting < len(self._waiting):
            try:
                self._start_worker()
            except OSError as error:
                self._go_on_with_fewer(f"the system refuses it ({plain_words(error)})")
            starting += 1

    def _assign(self, worker: WorkerProcess, number: int) -> None:
        worker.task = number
        self._begun[number] += 1
        self._note(number, worker.name, WorkReport())
        worker.send(WorkerOrder(OrderKind.TASK, self._tasks[number]))

    # -- workers -----------------------------------------------------------------------------------------------------
    def _start_worker(self) -> None:
        """Start another process. Raises :class:`OSError` where the system refuses."""
        taken = {worker.name for worker in self._processes}
        name = next(str(place) for place in range(self._count) if str(place) not in taken)
        environment = {"CUDA_VISIBLE_DEVICES": name} if self._card_each else {}
        worker = WorkerProcess(name, self._setup_file, environment)
        self._started.append(worker)
        self._processes.append(worker)

    def _send(self, kind: OrderKind) -> None:
        for worker in self._processes:
            worker.send(WorkerOrder(kind))

    def _end(self, worker: WorkerProcess) -> None:
        self._processes.remove(worker)
        worker.end()

    def _advance(self, seconds: float) -> None:
        """Take the messages that arrive within ``seconds``. Workers whose process has ended are removed."""
        by_connection = {worker.connection: worker for worker in self._processes}
        if not by_connection:
            time.sleep(seconds)
        for ready in connection.wait(list(by_connection), seconds) if by_connection else ():
            worker = by_connection[ready]  # type: ignore[index]
            message = worker.receive()
            if message is None:
                self._lose(worker)
            else:
                self._take(worker, message)
        self._dispatch()

    def _take(self, worker: WorkerProcess, message: WorkerMessage) -> None:
        if message.outcome is not None and not message.is_ready:
            self._end(worker)
            if message.outcome.problems:
                raise InputError(message.outcome.problems, f"{self._setup.analysis.capitalize()} cannot be carried out")
            self._go_on_with_fewer(message.outcome.error)
        elif message.outcome is not None and worker.task is not None:
            self._complete(worker.task, message.outcome)
            worker.task = None
        elif message.report is not None and worker.task is not None:
            self._note(worker.task, worker.name, message.report)

    def _lose(self, worker: WorkerProcess) -> None:
        """Remove a worker whose process has ended. Its task is begun again, or fails."""
        reason, number = worker.exit_reason(), worker.task
        self._end(worker)
        if number is not None and self._stopped:
            self._complete(number, TaskOutcome(cancelled=True))
        elif number is not None and self._begun[number] >= self._attempts:
            self._complete(number, TaskOutcome(error=reason))
        elif number is not None:
            self._hooks.warn(f"worker {worker.name} was lost ({reason}); its task is given to another")
            self._at_work.pop(number, None)
            self._waiting.appendleft(number)
        elif not worker.is_ready and not self._stopped:
            self._go_on_with_fewer(reason)

    def _complete(self, number: int, outcome: TaskOutcome) -> None:
        del self._tasks[number]
        self._futures[number].set_result(outcome)

    def _go_on_with_fewer(self, reason: str) -> None:
        """Do without a process that could not begin; there may be no memory for so many."""
        self._count = len(self._processes)
        if not self._count:
            raise FireguiError(f"no task could be begun: {reason}; resume to try again")
        others = counted(self._count, "process", "processes")
        self._hooks.warn(f"a process could not be begun: {reason}; {self._setup.analysis} goes on with {others}")
