"""Executors of an analysis's tasks. One interface serves this process, other processes and a cluster."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib.util import find_spec
from queue import SimpleQueue

from firegui.analyses.execution.process_entry import ONE_THREAD
from firegui.analyses.execution.tasks import TaskLink, TaskOutcome, WorkerSetup, WorkReport, open_worker, perform
from firegui.errors import CancelledError, FireguiError, InputError, Problem
from firegui.runs.control import RunControl
from firegui.runs.events import WorkerSeen

HERE = "here"
SAVING_SECONDS = 5.0
"""Seconds that stopping workers have to save their state."""
_WAIT_SECONDS = 0.1
_DASK = "distributed"


@dataclass(frozen=True, slots=True)
class ExecutorHooks:
    """Connections of an executor to its run.

    ``warn`` receives what happens to workers, ``warn_of`` a warning about the task of a number. ``on_progress`` is
    called at intervals while a task keeps the thread of the run busy.
    """

    control: RunControl
    warn: Callable[[str], object]
    warn_of: Callable[[int, str], object] = lambda number, text: None
    on_progress: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class RunningTask:
    """Task at work, its worker and the last report."""

    number: int
    worker: str
    report: WorkReport


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Outcome of the task of a number."""

    number: int
    outcome: TaskOutcome


class TaskExecutor(ABC):
    """Base class of executors. The thread of a run submits tasks and collects outcomes in any order.

    Subclasses complete the future of each task, and say who works at it with :meth:`_note`.
    """

    def __init__(self, hooks: ExecutorHooks) -> None:
        self._hooks = hooks
        self._futures: dict[int, Future[TaskOutcome]] = {}
        self._at_work: dict[int, RunningTask] = {}
        self._done: Counter[str] = Counter()
        self._warnings: SimpleQueue[tuple[int, str]] = SimpleQueue()

    @property
    def busy(self) -> bool:
        """Whether a submitted task has no outcome yet."""
        return bool(self._futures)

    @property
    def running(self) -> tuple[RunningTask, ...]:
        """Tasks at work, as far as is known."""
        return tuple(self._at_work[number] for number in sorted(self._at_work.copy()))

    @property
    def processor(self) -> float:
        """Processor time in seconds of all worker processes, ended ones too, as far as is known."""
        return 0.0

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Number of tasks that can be submitted now."""

    @property
    @abstractmethod
    def workers(self) -> tuple[WorkerSeen, ...]:
        """All workers."""

    def submit(self, number: int, task: bytes) -> Future[TaskOutcome]:
        """Submit a task."""
        self._futures[number] = future = self._submit(number, task)
        return future

    def collect(self, seconds: float) -> list[TaskResult]:
        """Return outcomes that arrive within ``seconds``, as soon as there is one.

        Raises :class:`~firegui.errors.FireguiError` once no worker can work any more.
        """
        self._advance(seconds)
        while not self._warnings.empty():
            self._hooks.warn_of(*self._warnings.get())
        results = []
        for number in [number for number, future in self._futures.items() if future.done()]:
            outcome = self._outcome(self._futures[number])
            del self._futures[number]
            running = self._at_work.pop(number, None)
            worker = outcome.worker or (running.worker if running else "")
            if not outcome.cancelled and not outcome.error:
                self._done[worker] += 1
            results.append(TaskResult(number, outcome))
        return results

    @abstractmethod
    def pause(self) -> None:
        """Pause the tasks at work."""

    @abstractmethod
    def resume(self) -> None:
        """Let paused tasks go on."""

    @abstractmethod
    def stop(self) -> None:
        """Ask every task to save its state and end. The outcome of a stopped task is cancelled."""

    @abstractmethod
    def close(self) -> None:
        """Stop, and release all workers."""

    # -- for subclasses ----------------------------------------------------------------------------------------------
    @abstractmethod
    def _submit(self, number: int, task: bytes) -> Future[TaskOutcome]:
        """Submit a task and return its future."""

    @abstractmethod
    def _advance(self, seconds: float) -> None:
        """Wait for at most ``seconds`` until the future of a task is done."""

    def _outcome(self, future: Future[TaskOutcome]) -> TaskOutcome:
        """Return the outcome of a future that is done."""
        return future.result()

    def _note(self, number: int, worker: str, report: WorkReport) -> None:
        """Note a report on a task at work. Callable in any thread."""
        if report.warning:
            self._warnings.put((number, report.warning))
        elif number in self._futures:
            self._at_work[number] = RunningTask(number, worker, report)


class InProcessExecutor(TaskExecutor):
    """Executor in the thread of the run: one task after another, in order, on one thread."""

    def __init__(self, setup: WorkerSetup, hooks: ExecutorHooks) -> None:
        """Open the worker. Raises whatever keeps the worker from being opened."""
        super().__init__(hooks)
        # Read whenever a model is made, so it need not be there before the engine is loaded.
        self._before = {name: os.environ.get(name) for name in ONE_THREAD}
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        self._setup = setup
        self._waiting: deque[tuple[int, bytes]] = deque()
        try:
            self._worker = open_worker(setup, hooks.control)
        except BaseException:  # an executor that was not made is never closed
            self.close()
            raise

    @property
    def capacity(self) -> int:
        """One task at a time."""
        return 0 if self._waiting else 1

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """This process."""
        return (WorkerSeen(HERE, 1, self._done[HERE], self.busy),)

    def pause(self) -> None:
        """Do nothing: the control of the run pauses the running task."""

    def resume(self) -> None:
        """Do nothing: the control of the run resumes the running task."""

    def stop(self) -> None:
        """Drop the waiting tasks. The control of the run stops the running one."""
        self._waiting.clear()
        self._futures.clear()

    def close(self) -> None:
        """Restore the number of threads."""
        self.stop()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _submit(self, number: int, task: bytes) -> Future[TaskOutcome]:
        self._waiting.append((number, task))
        return Future()

    def _advance(self, seconds: float) -> None:
        """Carry out the next task, or wait if there is none."""
        if not self._waiting:
            time.sleep(seconds)
            return
        number, task = self._waiting.popleft()
        self._note(number, HERE, WorkReport())

        def tell(report: WorkReport) -> None:
            self._note(number, HERE, report)
            self._hooks.on_progress()

        outcome = perform(self._worker, self._setup, task, TaskLink(self._hooks.control, tell))
        self._futures[number].set_result(outcome)


def cluster_problems(scheduler: str) -> list[Problem]:
    """Return what is missing to use the workers of ``scheduler``, the address of a Dask scheduler."""
    if not scheduler or find_spec(_DASK) is not None:
        return []
    remedy = "pip install firegui[study], or give no scheduler: then this machine computes"
    return [Problem("scheduler", f"needs the package {_DASK}, which is not installed", remedy)]


def results_in_order(
    executor: TaskExecutor, tasks: Sequence[bytes], control: RunControl,
    save: Callable[[int, bytes], object] = lambda number, result: None,
) -> Iterator[bytes]:  # fmt: skip
    """Carry out all ``tasks``, submitted as workers become free, and yield their results in order.

    ``save`` receives every result as soon as it arrives, and after a stop what stopped tasks still send. While the run
    is paused no task is submitted. Raises :class:`~firegui.errors.CancelledError` once a stop was requested, and the
    error of a task that failed.
    """
    waiting = deque(range(len(tasks)))
    results: dict[int, bytes] = {}
    following = 0
    try:
        while following < len(tasks):
            control.check()
            while waiting and executor.capacity > 0 and not control.pause_requested:
                number = waiting.popleft()
                executor.submit(number, tasks[number])
            for found in executor.collect(_WAIT_SECONDS):
                if found.outcome.cancelled:  # not by this program
                    waiting.appendleft(found.number)
                else:
                    results[found.number] = _result_of(found)
                    save(found.number, results[found.number])
            while following in results:
                yield results.pop(following)
                following += 1
    except CancelledError:
        executor.stop()
        until = time.monotonic() + SAVING_SECONDS
        while executor.busy and time.monotonic() < until and not control.abandon_requested:
            for found in executor.collect(_WAIT_SECONDS):
                if found.outcome.result:
                    save(found.number, found.outcome.result)
        raise


def _result_of(found: TaskResult) -> bytes:
    outcome = found.outcome
    if outcome.problems:
        raise InputError(outcome.problems)
    if outcome.error:
        raise FireguiError(outcome.error)
    return outcome.result
