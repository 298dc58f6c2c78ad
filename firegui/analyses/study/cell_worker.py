"""Worker that carries out the cells of a study. It reads the project once and keeps a model while cells share it.

The same code runs in the study's own process and on a worker of a cluster, so that both give the same bits.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from firegui.analyses.planner_task import Cost, PreparedEngine, TaskContext, carry_out_task, scored
from firegui.analyses.study.project_archive import unpack_project
from firegui.analyses.task_channel import TaskReport
from firegui.analyses.task_files import task_folder
from firegui.domain.benchmark import PlannerName, PlannerTask, TaskTerms
from firegui.domain.fleet import Fleet, availability_cap
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.schedule import UNLISTED_LOGIT, Schedule
from firegui.domain.study import SCHEDULE, Cell, StudySettings
from firegui.domain.study_factors import PreparedCell, prepared
from firegui.domain.study_table import StudyRow
from firegui.domain.uncertainty import WeatherDraw
from firegui.errors import CancelledError, InputError, Problem
from firegui.io.project.schedule_file import fleet_ids, write_plan_safetensors
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.failures import failure_message, is_foreseen
from firegui.runs.run_folder import PLAN

if TYPE_CHECKING:
    from firegui.rollout.model import Model


CellProgressCallback = Callable[[int, int, float], object]
"""Receives the progress of a cell: rollout-equivalents charged, the allowance, seconds."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """Data that a :class:`CellWorker` is made from: plain values and an archive of files, which can be sent anywhere.

    ``settings`` are a :class:`~firegui.domain.study.StudySettings` as JSON.
    """

    parcel: bytes
    settings: bytes
    backend: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a cell: its ``row`` as JSON and its ``plan`` as safetensors, or the ``error``.

    ``cancelled`` cells were stopped and have neither.
    """

    cell: int
    row: bytes = b""
    plan: bytes = b""
    error: str = ""
    cancelled: bool = False

    def plain(self) -> dict[str, Any]:
        """Return the values that are sent."""
        return {name: getattr(self, name) for name in ("cell", "row", "plan", "error", "cancelled")}

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Answer:
        """Return the answer whose :meth:`plain` was sent. Raises :class:`ValueError` for anything else."""
        found = msgspec.convert(dict(plain), Answer)
        if not found.cancelled and not found.error:
            msgspec.json.decode(found.row, type=StudyRow)
        return found


class CellWorker:
    """Runner of the cells of one study, one at a time."""

    def __init__(self, setup: WorkerSetup) -> None:
        """Read the project. Raises :class:`~firegui.errors.InputError`."""
        self.settings = msgspec.json.decode(setup.settings, type=StudySettings)
        self._project, self._schedule = unpack_project(setup.parcel)
        self._backend, self._name = setup.backend, setup.name
        self._engine = Engine()
        self._maps: tuple[tuple[int, int, WeatherDraw | None], Project, FireMaps] | None = None

    def carry_out(self, cell: Cell, control: RunControl, on_progress: CellProgressCallback) -> Answer:
        """Plan ``cell``, score it and audit it. Errors of any kind become the answer; nothing is raised."""
        began = time.monotonic()
        try:
            row, plan = self._planned(cell, control, on_progress)
        except CancelledError:
            return Answer(cell.number, cancelled=True)
        except Exception as error:  # the boundary of a cell: the others go on whatever happens in it
            return Answer(cell.number, error=_words(error))
        row = replace(row, seconds=time.monotonic() - began, worker=self._name)
        return Answer(cell.number, msgspec.json.encode(row), plan)

    # -- one cell ----------------------------------------------------------------------------------------------------
    def _planned(self, cell: Cell, control: RunControl, on_progress: CellProgressCallback) -> tuple[StudyRow, bytes]:
        terms = prepared(self._project, self.settings, cell)
        problems = terms.project.problems()
        if problems:
            raise InputError(problems, "The cell cannot be planned")
        model, project = self._model(terms, control)
        control.check()
        nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
        baseline = self._engine.simulate(model, nothing, check=control.check).metrics
        with tempfile.TemporaryDirectory(prefix="firegui-cell-") as folder:
            listener = _Listener(control, on_progress, 0 if terms.planner == PlannerName.TWO_STAGE else terms.allowance)
            context = TaskContext(
                Path(folder), Path(folder), self._backend, project, PreparedEngine(model), model, listener, float("inf")
            )  # fmt: skip
            task = self._task(terms, project)
            if terms.planner == SCHEDULE:
                place = Path(folder) / PLAN
                schedule = self._flown(project)
                row = scored(context, task, schedule, Cost(0, 1, 0.0, ()))
                write_plan_safetensors(place, schedule)
            else:
                row = carry_out_task(context, task)
                place = task_folder(Path(folder), task.task) / PLAN
            plan = place.read_bytes()
        found = StudyRow(
            cell.number, baseline, row.metrics, row.objective, row.candidate, row.evaluations, row.violations,
            stress=row.stress,
        )  # fmt: skip
        return found, plan

    def _task(self, terms: PreparedCell, project: Project) -> TaskTerms:
        """Return the cell as a task of a benchmark. Without a budget, the fleet's capacity is the budget."""
        planner = PlannerName.NONE if terms.planner == SCHEDULE else PlannerName(terms.planner)
        budget = terms.budget or max(availability_cap(project.planned_fleet, project.calendar), 1)
        allowance = 0 if planner is PlannerName.TWO_STAGE else terms.allowance
        return TaskTerms(PlannerTask(planner, project.plan.optimizer.seed), allowance, budget, self.settings.excess)

    def _model(self, terms: PreparedCell, control: RunControl) -> tuple[Model, Project]:
        """Return the cell's model at nominal effectiveness. Maps of the cell before are reused where possible."""
        plan = terms.project.plan
        key = (plan.start_day, plan.days, terms.wind)
        if self._maps is None or self._maps[0] != key:
            blown = terms.project if terms.wind is None else self._engine.with_wind(terms.project, terms.wind)
            self._maps = key, blown, self._engine.project_maps(blown, control.check)
        _, event, maps = self._maps
        project = replace(terms.project, scenario=event.scenario)
        model = self._engine.build(
            project, plan.nominal, self._backend, check=control.check, maps=maps
        )  # fmt: skip
        return model, project

    def _flown(self, project: Project) -> Schedule:
        """Return the study's schedule for the fleet of a cell, without removed aircraft."""
        if self._schedule is None:
            raise InputError([Problem("schedule", "none was given", "name one in the study: schedule = …")])
        steps = project.calendar.n_steps
        if self._schedule.logits.shape[0] != steps:
            what = f"is for {self._schedule.logits.shape[0]} steps, the cell has {steps}"
            raise InputError([Problem("schedule", what, "leave days as they are, or plan in every cell")])
        return matched(self._schedule, self._project.planned_fleet, project.planned_fleet)


def matched(schedule: Schedule, before: Fleet, after: Fleet) -> Schedule:
    """Return ``schedule`` of the fleet ``before`` for the fleet ``after``, matched by aircraft name."""
    ids, steps = fleet_ids(before), schedule.logits.shape[0]
    columns = [(column, ids[name]) for name, column in fleet_ids(after).items() if name in ids]
    logits = np.full((steps, after.n_aircraft), UNLISTED_LOGIT)
    poses = np.zeros((steps, after.n_aircraft, 3))
    for new, old in columns:
        logits[:, new], poses[:, new] = schedule.logits[:, old], schedule.poses[:, old]
    if schedule.pose_logits is None or len(columns) < after.n_aircraft:
        return Schedule(logits, poses)
    order = [old for _, old in sorted(columns)]
    return Schedule(logits, poses, schedule.pose_logits[:, order])


class _Listener:
    """Receiver of the reports of a cell's task."""

    def __init__(self, control: RunControl, on_progress: CellProgressCallback, allowance: int) -> None:
        self.control = control
        self._on_progress, self._allowance = on_progress, allowance

    def send(self, report: TaskReport) -> None:
        """Ignore reports: they are warnings about checkpoints, which a cell does not write."""

    def send_progress(self, spent: int, best: float, seconds: float) -> None:
        """Pass the progress on, without ``best``, which is at another effectiveness than a study's."""
        self._on_progress(spent, self._allowance, seconds)


def _words(error: Exception) -> str:
    """Return the error as one line."""
    if isinstance(error, InputError):
        return "; ".join(map(str, error.problems))
    if is_foreseen(error):
        return " ".join(failure_message(error).split())
    return f"an error in firegui ({type(error).__name__}: {error})"


def encoded_settings(settings: StudySettings) -> bytes:
    """Return the settings as JSON for :class:`WorkerSetup`."""
    return msgspec.json.encode(settings)


def encoded_cell(cell: Cell) -> bytes:
    """Return the JSON that is sent to a worker."""
    return msgspec.json.encode(cell)


def decoded_cell(data: bytes) -> Cell:
    """Return the cell that :func:`encoded_cell` encoded."""
    return msgspec.json.decode(data, type=Cell)
