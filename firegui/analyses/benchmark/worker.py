"""Worker of a benchmark: it makes the model once, and carries out one task after another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from firegui.analyses.execution.archives import unpack_project
from firegui.analyses.execution.folders import work_in_folder
from firegui.analyses.execution.tasks import TaskLink, WorkerSetup
from firegui.analyses.planner_task import PreparedEngine, TaskContext, carry_out_task
from firegui.domain.benchmark import TaskTerms
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


@dataclass(frozen=True, slots=True)
class BenchmarkPlaces:
    """Folders of a benchmark as its workers need them, and the seconds between checkpoints.

    Workers on other machines cannot write to the folder of the benchmark: without ``out`` they send their files.
    ``project_folder`` is for the record.
    """

    out: str
    project_folder: str
    checkpoint_seconds: float


class BenchmarkWorker:
    """Runner of the tasks of one benchmark."""

    def __init__(self, setup: WorkerSetup, control: RunControl) -> None:
        """Read the project and make its model. Raises :class:`~firegui.errors.InputError`."""
        self._places = msgspec.json.decode(setup.data, type=BenchmarkPlaces)
        self._backend = setup.backend
        self._project, _ = unpack_project(setup.project)
        engine = Engine()
        self._model = engine.build(self._project, self._project.plan.nominal, setup.backend, check=control.check)
        _warm_up(engine, self._model, self._project.plan.optimizer, control.check)

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """Carry out the task with the terms in ``task``, in its folder. The data of the answer is the row."""
        return work_in_folder(task, self._places.out, lambda out, data: self._row(out, data, link))

    def _row(self, out: Path, data: bytes, link: TaskLink) -> bytes:
        terms = msgspec.json.decode(data, type=TaskTerms)
        return msgspec.json.encode(carry_out_task(self._context(out, link), terms))

    def _context(self, out: Path, link: TaskLink) -> TaskContext:
        engine, places = PreparedEngine(self._model), self._places
        return TaskContext(
            out, Path(places.project_folder), self._backend, self._project, engine, self._model, link,
            places.checkpoint_seconds,
        )  # fmt: skip


def _warm_up(engine: Engine, model: Model, settings: OptimizerSettings, check: Check) -> None:
    """Load and compile what the first epoch and the first rollout need, which belongs to no task's time."""
    size, (rows, columns) = (model.maps.n_steps, model.fleet.n_aircraft), model.shape
    poses = np.broadcast_to(np.array([rows / 2.0, columns / 2.0, 0.0]), (*size, 3))
    drops = Schedule(np.full(size, LISTED_LOGIT), poses)
    engine.planner(model, settings, drops).epoch(check)
    engine.simulate(model, drops, check=check)
