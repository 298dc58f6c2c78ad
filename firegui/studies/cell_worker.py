"""Where cells are carried out: a project that is read once, models that are made anew only where a cell needs another.

The same code works in the study's own process and on a worker of a cluster, so that both give the same bits.
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
from firegui.io.schedule_file import fleet_ids, write_plan_safetensors
from firegui.runs.benchmark_channel import TaskReport
from firegui.runs.benchmark_folder import task_folder
from firegui.runs.benchmark_task import Cost, TaskContext, carry_out_task, scored
from firegui.runs.benchmark_worker import PreparedEngine
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.failures import failure_message, is_foreseen
from firegui.runs.folder import PLAN
from firegui.studies.project_archive import unpack_project

if TYPE_CHECKING:
    from firegui.rollout.model import Model


CellProgressCallback = Callable[[int, int, float], object]
"""Hears how far a cell is: rollout-equivalents charged, the allowance, seconds."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a bench is set up from: plain values and a parcel of files, so that it can be sent anywhere.

    ``settings`` are a :class:`~firegui.domain.study.StudySettings` as JSON.
    """

    parcel: bytes
    settings: bytes
    backend: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a cell: its ``row`` as JSON and its ``plan`` as safetensors, or the ``error``.

    ``cancelled`` cells were stopped and say nothing.
    """

    cell: int
    row: bytes = b""
    plan: bytes = b""
    error: str = ""
    cancelled: bool = False

    def plain(self) -> dict[str, Any]:
        """As it is sent."""
        return {name: getattr(self, name) for name in ("cell", "row", "plan", "error", "cancelled")}

    @staticmethod
    def of(plain: Mapping[str, Any]) -> Answer:
        """What was :meth:`plain`. Raises :class:`ValueError` for anything else."""
        found = msgspec.convert(dict(plain), Answer)
        if not found.cancelled and not found.error:
            msgspec.json.decode(found.row, type=StudyRow)
        return found


class CellWorker:
    """Carries out the cells of one study, one at a time."""

    def __init__(self, order: WorkerSetup) -> None:
        """Read the project. Raises :class:`~firegui.errors.InputError`."""
        self.settings = msgspec.json.decode(order.settings, type=StudySettings)
        self._project, self._schedule = unpack_project(order.parcel)
        self._backend, self._name = order.backend, order.name
        self._engine = Engine()
        self._maps: tuple[tuple[int, int, WeatherDraw | None], Project, FireMaps] | None = None

    def carry_out(self, cell: Cell, control: RunControl, told: CellProgressCallback) -> Answer:
        """Plan ``cell``, score it and audit it. An error of any kind is its answer; it never raises."""
        began = time.monotonic()
        try:
            row, plan = self._planned(cell, control, told)
        except CancelledError:
            return Answer(cell.number, cancelled=True)
        except Exception as error:  # the boundary of a cell: the others go on whatever happens in it
            return Answer(cell.number, error=_words(error))
        row = replace(row, seconds=time.monotonic() - began, worker=self._name)
        return Answer(cell.number, msgspec.json.encode(row), plan)

    # -- one cell ----------------------------------------------------------------------------------------------------
    def _planned(self, cell: Cell, control: RunControl, told: CellProgressCallback) -> tuple[StudyRow, bytes]:
        terms = prepared(self._project, self.settings, cell)
        problems = terms.project.problems()
        if problems:
            raise InputError(problems, "The cell cannot be planned")
        model, project = self._model(terms, control)
        control.check()
        nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
        baseline = self._engine.simulate(model, nothing, check=control.check).metrics
        with tempfile.TemporaryDirectory(prefix="firegui-cell-") as folder:
            listener = _Listener(control, told, 0 if terms.planner == PlannerName.TWO_STAGE else terms.allowance)
            desk = TaskContext(
                Path(folder), Path(folder), self._backend, project, PreparedEngine(model), model, listener, float("inf")
            )  # fmt: skip
            task = self._task(terms, project)
            if terms.planner == SCHEDULE:
                place = Path(folder) / PLAN
                schedule = self._flown(project)
                row = scored(desk, task, schedule, Cost(0, 1, 0.0, ()))
                write_plan_safetensors(place, schedule)
            else:
                row = carry_out_task(desk, task)
                place = task_folder(Path(folder), task.task) / PLAN
            plan = place.read_bytes()
        found = StudyRow(
            cell.number, baseline, row.metrics, row.objective, row.candidate, row.evaluations, row.violations
        )  # fmt: skip
        return found, plan

    def _task(self, terms: PreparedCell, project: Project) -> TaskTerms:
        """The benchmark's task that this cell is; without a budget of its own, what the fleet can fly is its budget."""
        planner = PlannerName.NONE if terms.planner == SCHEDULE else PlannerName(terms.planner)
        budget = terms.budget or max(availability_cap(project.planned_fleet, project.calendar), 1)
        allowance = 0 if planner is PlannerName.TWO_STAGE else terms.allowance
        return TaskTerms(PlannerTask(planner, project.plan.optimizer.seed), allowance, budget, self.settings.excess)

    def _model(self, terms: PreparedCell, control: RunControl) -> tuple[Model, Project]:
        """The cell's model at nominal effectiveness; the fire's maps of the cell before are used again if they can."""
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
        """The study's schedule for the fleet of a cell: aircraft that are not there any more fly nothing."""
        if self._schedule is None:
            raise InputError([Problem("schedule", "none was given", "name one in the study: schedule = …")])
        steps = project.calendar.n_steps
        if self._schedule.logits.shape[0] != steps:
            what = f"is for {self._schedule.logits.shape[0]} steps, the cell has {steps}"
            raise InputError([Problem("schedule", what, "leave days as they are, or plan in every cell")])
        return matched(self._schedule, self._project.planned_fleet, project.planned_fleet)


def matched(schedule: Schedule, before: Fleet, after: Fleet) -> Schedule:
    """``schedule`` of the fleet ``before`` for the fleet ``after``, aircraft by aircraft by their names."""
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
    """Follows the benchmark's task that a cell is."""

    def __init__(self, control: RunControl, told: CellProgressCallback, allowance: int) -> None:
        self.control = control
        self._told, self._allowance = told, allowance

    def say(self, report: TaskReport) -> None:
        """Warnings of checkpoints; a cell makes none."""

    def say_progress(self, spent: int, best: float, seconds: float) -> None:
        """Pass it on; the best objective is of another effectiveness than a study's, and is left out."""
        self._told(spent, self._allowance, seconds)


def _words(error: Exception) -> str:
    """What went wrong, in one line."""
    if isinstance(error, InputError):
        return "; ".join(map(str, error.problems))
    if is_foreseen(error):
        return " ".join(failure_message(error).split())
    return f"an error in firegui ({type(error).__name__}: {error})"


def encoded_settings(settings: StudySettings) -> bytes:
    """As an :class:`WorkerSetup` has them."""
    return msgspec.json.encode(settings)


def encoded_cell(cell: Cell) -> bytes:
    """As it is sent to a worker."""
    return msgspec.json.encode(cell)


def decoded_cell(data: bytes) -> Cell:
    """What was :func:`encoded_cell`."""
    return msgspec.json.decode(data, type=Cell)
