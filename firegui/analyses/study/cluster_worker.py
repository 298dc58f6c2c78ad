"""Code of a study that runs on a worker of a Dask cluster. Workers import this module by name.

Only plain values and the bytes of files are sent: the plugin carries a
:class:`~firegui.analyses.study.cell_worker.WorkerSetup` to every worker once, a cell comes as JSON, its answer is a
dict.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from firegui.analyses.study.cell_executors import CellRunner, OpenCellWorker
from firegui.analyses.study.cell_worker import Answer, WorkerSetup, decoded_cell
from firegui.domain.study import Cell
from firegui.runs.control import RunControl
from firegui.runs.header import NOT_INSTALLED, installed_versions

COMPARED = ("firegui", "torch", "numpy", "numba")
"""Packages that have to be the same everywhere, or the cells of one table would be computed by different programs."""
_TOLD_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class CellRequest:
    """Setup of a study's workers, the function that makes one, and the versions that the study began with."""

    setup: WorkerSetup
    open_worker: OpenCellWorker
    versions: tuple[tuple[str, str], ...]


class StudyPlugin(WorkerPlugin):  # type: ignore[misc]
    """Dask plugin with one study's worker: set up at the first cell, released when the study ends.

    However many threads a worker has, it carries out one cell at a time: the engine's kernels are not shared.
    """

    def __init__(self, name: str, errand: CellRequest) -> None:
        self.name = name
        self._errand = errand

    def setup(self, worker: Worker) -> None:
        """On the worker, in its event loop: nothing that takes time."""
        self._worker = worker
        self._control, self._lock = RunControl(), threading.Lock()
        self._bench: CellRunner | None = None

    def teardown(self, worker: Worker) -> None:
        """The study is over, was stopped, or was begun again: the cell at work ends soon."""
        self._control.request_stop(now=True)

    def carry_out(self, data: bytes) -> Answer:
        """Carry out the cell in ``data``."""
        cell = decoded_cell(data)
        with self._lock:
            if self._bench is None:
                wrong = unlike(dict(self._errand.versions), installed_versions(COMPARED))
                if wrong:
                    return Answer(cell.number, error=f"worker {self._called}: {wrong}")
                try:
                    self._bench = self._errand.open_worker(replace(self._errand.setup, name=self._called))
                except Exception as error:  # of a worker without room or rights; other workers may have them
                    return Answer(cell.number, error=f"worker {self._called}: {type(error).__name__}: {error}")
            return self._bench.carry_out(cell, self._control, _CellProgress(self._worker, self.name, cell).tell)

    @property
    def _called(self) -> str:
        return str(self._worker.name)


class _CellProgress:
    """Throttled progress of a cell."""

    def __init__(self, worker: Worker, topic: str, cell: Cell) -> None:
        self._worker, self._topic, self._cell = worker, topic, cell
        self._told_at = -_TOLD_SECONDS

    def tell(self, spent: int, allowance: int, seconds: float) -> None:
        """Hear of it from the cell's planner."""
        moment = time.monotonic()
        if moment - self._told_at >= _TOLD_SECONDS:
            self._told_at = moment
            said = [self._cell.number, str(self._worker.name), spent, allowance, seconds]
            self._worker.log_event(self._topic, said)


def carry(name: str, data: bytes) -> dict[str, Any]:
    """The task that a cell is: the study ``name`` must have set its plugin up on this worker."""
    plugin = get_worker().plugins.get(name)
    cell = decoded_cell(data)
    if not isinstance(plugin, StudyPlugin):
        return Answer(cell.number, cancelled=True).plain()
    return plugin.carry_out(data).plain()


def versions_here() -> dict[str, str]:
    """The versions of what is compared, of this worker."""
    return {name: version for name, version in installed_versions(COMPARED).items() if name in COMPARED}


def unlike(theirs: dict[str, str], here: dict[str, str]) -> str:
    """What differs between the versions of a study and those of a worker, in words; empty where nothing does."""
    found = [
        f"{name} is {here.get(name, NOT_INSTALLED)}, the study was begun with {version}"
        for name, version in theirs.items()
        if name in COMPARED and here.get(name, NOT_INSTALLED) != version
    ]
    return "; ".join(found)
