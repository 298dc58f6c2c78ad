"""Executors of a study's cells: this process, or a cluster (:mod:`firegui.analyses.study.cluster`)."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from firegui.analyses.study.cell_worker import Answer, CellProgressCallback, CellWorker, WorkerSetup
from firegui.analyses.worker_process import ONE_THREAD
from firegui.domain.study import Cell
from firegui.runs.control import RunControl
from firegui.runs.events import CellProgress, WorkerSeen

HERE = "here"


class CellRunner(Protocol):
    """A :class:`~firegui.analyses.study.cell_worker.CellWorker`, or a fake one in tests."""

    def carry_out(self, cell: Cell, control: RunControl, told: CellProgressCallback) -> Answer:
        """Plan the cell. Never raises."""


OpenCellWorker = Callable[[WorkerSetup], CellRunner]
"""Makes a worker. On a cluster it must be a function of a module, which workers import by its name."""


class CellExecutor(Protocol):
    """Executor that accepts cells and returns their answers in any order."""

    @property
    def capacity(self) -> int:
        """Number of cells that can be submitted now."""

    @property
    def busy(self) -> bool:
        """Whether a submitted cell has no answer yet."""

    @property
    def running(self) -> tuple[CellProgress, ...]:
        """Progress of the running cells."""

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """All workers."""

    def submit(self, cells: Sequence[Cell]) -> None:
        """Submit cells."""

    def collect(self, seconds: float) -> list[Answer]:
        """Return answers that arrive within ``seconds``, as soon as there is one."""

    def stop(self) -> None:
        """Cancel every cell without an answer."""

    def close(self) -> None:
        """Release all workers."""


class LocalExecutor:
    """Executor in this thread: one cell after another, in order."""

    def __init__(
        self,
        setup: WorkerSetup,
        control: RunControl,
        on_progress: Callable[[], object],
        open_worker: OpenCellWorker = CellWorker,
    ) -> None:
        """``on_progress`` is called at intervals while a cell runs. Raises :class:`~firegui.errors.InputError`."""
        # Read whenever a model is made, so it need not be there before the engine is loaded.
        self._before = {name: os.environ.get(name) for name in ONE_THREAD}
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        self._control, self._on_tick = control, on_progress
        self._waiting: deque[Cell] = deque()
        self._at_work: CellProgress | None = None
        self._done = 0
        self._worker = open_worker(setup)

    @property
    def capacity(self) -> int:
        """One cell at a time."""
        return 0 if self._waiting else 1

    @property
    def busy(self) -> bool:
        """Whether a cell waits."""
        return bool(self._waiting)

    @property
    def running(self) -> tuple[CellProgress, ...]:
        """Progress of the running cell."""
        return () if self._at_work is None else (self._at_work,)

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """This process."""
        return (WorkerSeen(HERE, 1, self._done, bool(self._waiting)),)

    def submit(self, cells: Sequence[Cell]) -> None:
        """Queue the cells for :meth:`collect`."""
        self._waiting.extend(cells)

    def collect(self, seconds: float) -> list[Answer]:
        """Carry out the next cell, or wait if there is none."""
        if not self._waiting:
            time.sleep(seconds)
            return []
        cell = self._waiting.popleft()
        self._at_work = CellProgress(cell.number, HERE, 0, 0, 0.0)
        answer = self._worker.carry_out(cell, self._control, self._on_progress)
        self._at_work = None
        self._done += not (answer.error or answer.cancelled)
        return [answer]

    def stop(self) -> None:
        """Drop the waiting cells. The control stops the running one."""
        self._waiting.clear()

    def close(self) -> None:
        """Restore the number of threads."""
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _on_progress(self, spent: int, allowance: int, seconds: float) -> None:
        assert self._at_work is not None
        self._at_work = CellProgress(self._at_work.number, HERE, spent, allowance, seconds)
        self._on_tick()
