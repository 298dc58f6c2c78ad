"""Executor on the workers of a Dask cluster, and the code that runs on them.

Only this module imports Dask. It is imported by name, because Dask may not be installed; workers import it by name too.
The scheduler hands the tasks of a lost worker to others. A task that four workers die of is given up.

Only plain values and the bytes of files are sent: the plugin carries a
:class:`~firegui.analyses.execution.tasks.WorkerSetup` to every worker once, a task and its outcome are bytes.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import msgspec
from distributed import Client, Worker, WorkerPlugin, get_worker

from firegui.analyses.execution.executor import ExecutorHooks, TaskExecutor
from firegui.analyses.execution.process_worker import OrderKind
from firegui.analyses.execution.tasks import (
    TaskLink,
    TaskOutcome,
    TaskWorker,
    WorkerSetup,
    WorkReport,
    failed,
    open_worker,
    perform,
)
from firegui.errors import CancelledError, FireguiError, InputError, Problem
from firegui.io.safe_open.processes import READERS
from firegui.runs.control import RunControl
from firegui.runs.events import WorkerSeen
from firegui.runs.header import NOT_INSTALLED, installed_versions
from firegui.runs.messages import counted

COMPARED = ("firegui", "torch", "numpy", "numba")
"""Packages that have to be the same everywhere, or one table would be computed by different programs."""
_REPORT_SECONDS = 0.5


GPU = "GPU"
"""The resource of which a worker with one card has 1: a task on a GPU needs all of it."""
_LOOK_SECONDS, _POLL_SECONDS, _LEAVE_SECONDS, _CLOSE_SECONDS = 1.0, 0.05, 0.4, 10.0
_CONNECT_SECONDS = 10
Result = TypeVar("Result")


class AnalysisPlugin(WorkerPlugin):  # type: ignore[misc]
    """Dask plugin with the worker of one analysis, opened at the first task and released at the end.

    However many threads a Dask worker has, it carries out one task at a time: the engine's kernels are not shared.
    """

    def __init__(self, name: str, setup: WorkerSetup) -> None:
        self.name = name
        self._setup = setup

    def setup(self, worker: Worker) -> None:
        """Prepare the plugin. The event loop of the worker calls it, so it does nothing that takes time."""
        self._dask_worker = worker
        self._setup = replace(self._setup, name=str(worker.name))
        self._control, self._lock = RunControl(), threading.Lock()
        self._worker: TaskWorker | None = None

    def teardown(self, worker: Worker) -> None:
        """Stop the task at work, because the analysis is over or was begun again."""
        self.obey(OrderKind.STOP)

    def obey(self, order: OrderKind) -> None:
        """Stop, pause or resume the task at work."""
        match order:
            case OrderKind.PAUSE:
                self._control.request_pause()
            case OrderKind.RESUME:
                self._control.request_resume()
            case _:
                self._control.request_stop(now=True)

    def carry_out(self, number: int, task: bytes) -> TaskOutcome:
        """Carry out a task."""
        with self._lock:
            if self._worker is None:
                wrong = version_differences(self._setup.versions, installed_versions(COMPARED))
                if wrong:
                    return TaskOutcome(error=f"worker {self._setup.name}: {'; '.join(wrong)}")
                try:
                    self._worker = open_worker(self._setup, self._control)
                    READERS.rest()  # which have read the project
                except CancelledError:
                    return TaskOutcome(cancelled=True)
                except Exception as error:  # of a worker without room or rights; other workers may have them
                    outcome = failed(error, self._setup)
                    return replace(outcome, error=f"worker {self._setup.name}: {outcome.error}")
            link = TaskLink(self._control, _ReportSender(self._dask_worker, self.name, number).send)
            return perform(self._worker, self._setup, task, link)


class _ReportSender:
    """Sender of the reports of a task. Progress is sent at intervals, every warning at once."""

    def __init__(self, worker: Worker, topic: str, number: int) -> None:
        self._worker, self._topic, self._number = worker, topic, number
        self._sent_at = -_REPORT_SECONDS

    def send(self, report: WorkReport) -> None:
        """Send a report, if it is due."""
        moment = time.monotonic()
        if report.warning or moment - self._sent_at >= _REPORT_SECONDS:
            self._sent_at = moment
            message = [self._number, str(self._worker.name), msgspec.msgpack.encode(report), time.process_time()]
            self._worker.log_event(self._topic, message)


def carry_out(name: str, number: int, task: bytes) -> bytes:
    """Carry out a task with the plugin ``name`` of this worker. Return the encoded outcome."""
    plugin = get_worker().plugins.get(name)
    found = plugin.carry_out(number, task) if isinstance(plugin, AnalysisPlugin) else TaskOutcome(cancelled=True)
    return msgspec.msgpack.encode(found)


def obey(dask_worker: Worker, name: str, order: str) -> None:
    """Pass an order to the plugin of the analysis ``name`` on this worker."""
    plugin = dask_worker.plugins.get(name)
    if isinstance(plugin, AnalysisPlugin):
        plugin.obey(OrderKind(order))


def versions_here() -> dict[str, str]:
    """Return the versions of what is compared, of this worker."""
    return {name: version for name, version in installed_versions(COMPARED).items() if name in COMPARED}


def version_differences(theirs: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """Return the differences between the versions of an analysis and those of a worker, as text."""
    return [
        f"{name} is {here.get(name, NOT_INSTALLED)}, the run was begun with {version}"
        for name, version in theirs.items()
        if name in COMPARED and here.get(name, NOT_INSTALLED) != version
    ]


class ClusterExecutor(TaskExecutor):
    """Executor on the workers of the Dask scheduler at ``scheduler``.

    ``name`` is that of the run on the cluster, the same when it is resumed. Up to ``ahead`` tasks a worker are
    accepted.
    """

    def __init__(self, setup: WorkerSetup, name: str, scheduler: str, hooks: ExecutorHooks, *, ahead: int = 1) -> None:
        """Connect. A stop does not wait for the connection.

        Raises :class:`~firegui.errors.InputError` for a scheduler that does not answer and workers that cannot be
        used, and :class:`~firegui.errors.CancelledError` when stopped meanwhile.
        """
        super().__init__(hooks)
        self._setup, self._name, self._scheduler, self._ahead = setup, name, scheduler, ahead
        self._workers: dict[str, dict[str, Any]] = {}
        self._processor: dict[str, tuple[float, float]] = {}
        self._looked_at = -_LOOK_SECONDS
        self._look: Future[dict[str, Any]] | None = None
        self._said_waiting = self._stopped = False
        self._client: Client | None = None
        self._executor: Executor | None = None
        self._begin()

    @property
    def capacity(self) -> int:
        """Number of tasks that can be submitted now."""
        return 0 if self._stopped else len(self._workers) * self._ahead - len(self._futures)

    @property
    def processor(self) -> float:
        """Processor time in seconds of all workers since their first report."""
        return sum(last - first for first, last in self._processor.copy().values())

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """All workers of the scheduler."""
        at_work = {one.worker for one in self.running}
        return tuple(
            WorkerSeen(
                str(each["name"]), int(each["nthreads"]), self._done[str(each["name"])],
                str(each["name"]) in at_work or bool(each.get("metrics", {}).get("executing", 0)),
            )
            for each in self._workers.values()
        )  # fmt: skip

    def pause(self) -> None:
        """Pause the tasks at work."""
        self._order(OrderKind.PAUSE)

    def resume(self) -> None:
        """Let paused tasks go on."""
        self._order(OrderKind.RESUME)

    def stop(self) -> None:
        """Ask every task to save its state and end. The outcome of a stopped task is cancelled."""
        if not self._stopped:
            self._stopped = True
            self._order(OrderKind.STOP)

    def close(self) -> None:
        """Cancel what is left, remove the plugin from the workers, and disconnect."""
        self.stop()
        self._futures.clear()
        with suppress(Exception):  # a task that cannot be stopped has been told before, and its outcome is ignored
            self._soon(self._connected.unregister_worker_plugin(self._name)).result(_LEAVE_SECONDS)
        ending = threading.Thread(target=self._end, daemon=True)
        ending.start()
        ending.join(_LEAVE_SECONDS if self._hooks.control.stop_requested else _CLOSE_SECONDS)

    # -- connecting --------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        """Connect in a thread."""
        ready: Future[None] = Future()

        def begin() -> None:
            try:
                self._connect()
            except BaseException as error:  # raised again where it is waited for
                ready.set_exception(error)
                self._end()
            else:
                ready.set_result(None)

        threading.Thread(target=begin, daemon=True).start()
        try:
            self._poll(ready)
        except BaseException:
            ready.add_done_callback(lambda _: self._end())
            raise

    def _connect(self) -> None:
        self._client = client = self._reached()
        self._workers = dict(client.scheduler_info(n_workers=-1)["workers"])
        self._compare()
        client.register_plugin(AnalysisPlugin(self._name, self._setup), name=self._name)
        client.subscribe_topic(self._name, self._on_report)
        resources = {"resources": {GPU: 1}} if self._setup.backend == "cuda" else {}
        self._executor = client.get_executor(pure=False, retries=0, **resources)

    def _reached(self) -> Client:
        try:
            return Client(self._scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            remedy = "start one with `dask scheduler` and give the address that it prints"
            what = f"no scheduler answers at {self._scheduler} ({type(error).__name__})"
            raise self._refusal([Problem("scheduler", what, remedy)]) from error

    def _compare(self) -> None:
        """Refuse workers that would compute with something else."""
        try:
            found: Mapping[str, dict[str, str]] = self._connected.run(versions_here)
        except ImportError as error:
            problem = Problem("workers", f"cannot import firegui ({error})", "install the same version there")
            raise self._refusal([problem]) from error
        wrong = [
            Problem(f"worker {address}", "; ".join(differences), "install the same versions there")
            for address, theirs in found.items()
            if (differences := version_differences(self._setup.versions, theirs))
        ]
        if wrong:
            raise self._refusal(wrong)
        several = [address for address, each in self._workers.items() if int(each["nthreads"]) > 1]
        if several:
            what = counted(len(several), "worker has", "workers have")
            self._hooks.warn(f"{what} several threads, of which one is used: start them with one each (--nthreads 1)")

    def _refusal(self, problems: list[Problem]) -> InputError:
        return InputError(problems, f"{self._setup.analysis.capitalize()} cannot begin")

    # -- tasks -------------------------------------------------------------------------------------------------------
    def _submit(self, number: int, task: bytes) -> Future[TaskOutcome]:
        assert self._executor is not None
        future: Future[Any] = self._executor.submit(carry_out, self._name, number, task)
        return future

    def _advance(self, seconds: float) -> None:
        self._look_around()
        if self._futures:
            wait(self._futures.values(), seconds, FIRST_COMPLETED)
        else:
            time.sleep(seconds)

    def _outcome(self, future: Future[Any]) -> TaskOutcome:
        """Return the outcome of a future. Raises :class:`~firegui.errors.FireguiError` without a scheduler."""
        try:
            return msgspec.msgpack.decode(future.result(), type=TaskOutcome)
        except FutureCancelled as error:  # by the client, when it has lost the scheduler
            what = f"the scheduler {self._scheduler} is gone; what is done is kept: resume to go on"
            raise FireguiError(what) from error
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                return TaskOutcome(error="its worker died, and so did three others that it was given to")
            return TaskOutcome(error=f"{type(error).__name__}: {error}")

    def _on_report(self, event: tuple[float, Any]) -> None:
        """Take a report. Runs in the thread of the client."""
        number, worker, data, processor = event[1]
        first, _ = self._processor.get(worker, (processor, processor))
        self._processor[worker] = (first, processor)
        self._note(number, worker, msgspec.msgpack.decode(data, type=WorkReport))

    # -- workers -----------------------------------------------------------------------------------------------------
    def _order(self, order: OrderKind) -> None:
        with suppress(Exception):  # a scheduler that is gone shows in the tasks
            told = self._connected.run(obey, self._name, order.value, on_error="ignore", asynchronous=True)
            self._soon(told)

    def _look_around(self) -> None:
        """Update the list of workers at intervals, without waiting for the answer."""
        if self._look is not None and self._look.done():
            with suppress(Exception):  # a scheduler that is gone shows in the tasks
                self._update(self._look.result()["workers"])
            self._look = None
        if self._look is None and time.monotonic() - self._looked_at >= _LOOK_SECONDS:
            self._looked_at = time.monotonic()
            self._look = self._soon(_identity(self._connected))

    def _update(self, workers: Mapping[str, dict[str, Any]]) -> None:
        gone = [str(each["name"]) for address, each in self._workers.items() if address not in workers]
        for name in gone:
            self._hooks.warn(f"worker {name} was lost; its task is given to another")
            for number in [one.number for one in self.running if one.worker == name]:
                self._at_work.pop(number, None)
        self._workers = dict(workers)
        if not workers and not self._said_waiting:
            self._hooks.warn("no worker is there: the tasks wait for one")
        self._said_waiting = not workers

    # -- the client's own thread -------------------------------------------------------------------------------------
    @property
    def _connected(self) -> Client:
        assert self._client is not None
        return self._client

    def _soon(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._connected.loop.asyncio_loop)

    def _poll(self, pending: Future[Result]) -> Result:
        """Return the result. Raises :class:`~firegui.errors.CancelledError` once a stop was requested."""
        while True:
            self._hooks.control.check()
            try:
                return pending.result(_POLL_SECONDS)
            except NotYet:
                if pending.done():
                    raise

    def _end(self) -> None:
        with suppress(Exception):  # nothing is left to say of an end
            if self._executor is not None:
                self._executor.shutdown(wait=False)
        with suppress(Exception):
            if self._client is not None:
                self._client.close(timeout=2)


async def _identity(client: Client) -> dict[str, Any]:
    found: dict[str, Any] = await client.scheduler.identity(n_workers=-1)
    return found
