"""Who carries the cells of a study out: this process alone, or a cluster (:mod:`firegui.studies.cluster`)."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from firegui.domain.study import Cell
from firegui.runs.benchmark_process import ONE_THREAD
from firegui.runs.control import RunControl
from firegui.runs.events import CellProgress, WorkerSeen
from firegui.studies.cell_worker import Answer, CellProgressCallback, CellWorker, WorkerSetup

HERE = "here"


class Carries(Protocol):
    """A :class:`~firegui.studies.cell_worker.CellWorker`, or what stands in for one in tests."""

    def carry_out(self, cell: Cell, control: RunControl, told: CellProgressCallback) -> Answer:
        """Plan the cell; never raises."""


Opens = Callable[[WorkerSetup], Carries]
"""Makes a bench. On a cluster it must be a function of a module, which workers import by its name."""


class CellExecutor(Protocol):
    """Takes cells and answers them, in any order."""

    @property
    def room(self) -> int:
        """How many more cells can be given now."""

    @property
    def busy(self) -> bool:
        """Whether any that was given is not answered yet."""

    @property
    def running(self) -> tuple[CellProgress, ...]:
        """The cells at work."""

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """Everybody there is."""

    def give(self, cells: Sequence[Cell]) -> None:
        """Hand cells over."""

    def hear(self, seconds: float) -> list[Answer]:
        """What was answered within ``seconds``, or as soon as something was."""

    def stop(self) -> None:
        """Let go of every cell that is not answered."""

    def close(self) -> None:
        """Let go of everything."""


class Alone:
    """This process and its main thread: one cell after another, on one thread, in order."""

    def __init__(
        self, order: WorkerSetup, control: RunControl, hear: Callable[[], object], opens: Opens = CellWorker
    ) -> None:
        """``hear`` is called now and then while a cell is worked at. Raises :class:`~firegui.errors.InputError`."""
        # Read whenever a model is made, so it need not be there before the engine is loaded.
        self._before = {name: os.environ.get(name) for name in ONE_THREAD}
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        self._control, self._hear = control, hear
        self._waiting: deque[Cell] = deque()
        self._at_work: CellProgress | None = None
        self._done = 0
        self._bench = opens(order)

    @property
    def room(self) -> int:
        """One at a time."""
        return 0 if self._waiting else 1

    @property
    def busy(self) -> bool:
        """Whether there is a cell to carry out."""
        return bool(self._waiting)

    @property
    def running(self) -> tuple[CellProgress, ...]:
        """The cell at work."""
        return () if self._at_work is None else (self._at_work,)

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """This process."""
        return (WorkerSeen(HERE, 1, self._done, bool(self._waiting)),)

    def give(self, cells: Sequence[Cell]) -> None:
        """Take them for the next :meth:`hear`."""
        self._waiting.extend(cells)

    def hear(self, seconds: float) -> list[Answer]:
        """Carry the next cell out; with none, wait."""
        if not self._waiting:
            time.sleep(seconds)
            return []
        cell = self._waiting.popleft()
        self._at_work = CellProgress(cell.number, HERE, 0, 0, 0.0)
        answer = self._bench.carry_out(cell, self._control, self._on_told)
        self._at_work = None
        self._done += not (answer.error or answer.cancelled)
        return [answer]

    def stop(self) -> None:
        """Forget what waits; the cell at work has been asked through the control."""
        self._waiting.clear()

    def close(self) -> None:
        """Compute on as many threads as before."""
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _on_told(self, spent: int, allowance: int, seconds: float) -> None:
        assert self._at_work is not None
        self._at_work = CellProgress(self._at_work.number, HERE, spent, allowance, seconds)
        self._hear()
