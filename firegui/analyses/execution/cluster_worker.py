"""Code that runs on a worker of a Dask cluster. Workers import this module by name.

Only plain values and the bytes of files are sent: the plugin carries a
:class:`~firegui.analyses.execution.tasks.WorkerSetup` to every worker once, a task and its outcome are bytes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace

import msgspec
from distributed import Worker, WorkerPlugin, get_worker

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
from firegui.errors import CancelledError
from firegui.io.safe_open.processes import READERS
from firegui.runs.control import RunControl
from firegui.runs.header import NOT_INSTALLED, installed_versions

COMPARED = ("firegui", "torch", "numpy", "numba")
"""Packages that have to be the same everywhere, or one table would be computed by different programs."""
_REPORT_SECONDS = 0.5


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
