"""Worker of a study. It reads the project once and keeps a model while cells share it.

The same code runs in the study's own process and on a worker of a cluster, so that both give the same bits.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from firegui.analyses.execution.archives import unpack_project
from firegui.analyses.execution.tasks import TaskLink, WorkerSetup
from firegui.analyses.planner_task import Cost, PreparedEngine, TaskContext, carry_out_task, scored
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
from firegui.errors import InputError, Problem
from firegui.io.project.schedule_file import fleet_ids, write_plan_safetensors
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.run_folder import PLAN

if TYPE_CHECKING:
    from firegui.rollout.model import Model


AT_WORK = "at-work"
"""Folder of a study with a folder for each cell at work, from which a cell that was broken off goes on."""


@dataclass(frozen=True, slots=True)
class CellSetup:
    """Data of a study that its workers need.

    ``settings`` are the study's, ``out`` is its folder, and a cell is saved every ``checkpoint_seconds``. Workers on
    other machines cannot write to the folder of the study: without ``out`` a cell keeps no checkpoint. JSON has no
    infinite number: ``None`` stands for one.
    """

    settings: StudySettings
    out: str = ""
    checkpoint_seconds: float | None = None


def cell_folder(out: Path, number: int) -> Path:
    """Return the folder of the files of a cell at work."""
    return out / AT_WORK / f"{number:05d}"


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """Result of a cell: its ``row`` as JSON and its ``plan`` as safetensors."""

    row: bytes
    plan: bytes = b""


class CellWorker:
    """Runner of the cells of one study, one at a time."""

    def __init__(self, setup: WorkerSetup, control: RunControl) -> None:
        """Read the project. Raises :class:`~firegui.errors.InputError`."""
        self._setup = msgspec.json.decode(setup.data, type=CellSetup)
        self.settings = self._setup.settings
        self._project, self._schedule = unpack_project(setup.project)
        self._backend, self._name = setup.backend, setup.name
        self._engine = Engine()
        self._maps: tuple[tuple[int, int, float | None, WeatherDraw | None], Project, FireMaps] | None = None

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """Plan the cell ``task``, score it and audit it. Raises whatever ends it."""
        began = time.monotonic()
        row, plan = self._planned(msgspec.json.decode(task, type=Cell), link)
        row = replace(row, seconds=time.monotonic() - began, worker=self._name)
        return msgspec.msgpack.encode(CellAnswer(msgspec.json.encode(row), plan))

    # -- one cell ----------------------------------------------------------------------------------------------------
    def _planned(self, cell: Cell, link: TaskLink) -> tuple[StudyRow, bytes]:
        control = link.control
        terms = prepared(self._project, self.settings, cell)
        problems = terms.project.problems()
        if problems:
            raise InputError(problems, "The cell cannot be planned")
        model, project = self._model(terms, control)
        control.check()
        nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
        baseline = self._engine.simulate(model, nothing, check=control.check).metrics
        every = self._setup.checkpoint_seconds
        with self._folder(cell) as folder:
            within = _CellLink(link, 0 if terms.planner == PlannerName.TWO_STAGE else terms.allowance)
            context = TaskContext(
                folder, folder, self._backend, project, PreparedEngine(model), model, within,
                math.inf if every is None else every,
            )  # fmt: skip
            task = self._task(terms, project)
            if terms.planner == SCHEDULE:
                place = folder / PLAN
                schedule = self._flown(project)
                row = scored(context, task, schedule, Cost(0, 1, 0.0, ()))
                write_plan_safetensors(place, schedule)
            else:
                row = carry_out_task(context, task)
                place = task_folder(folder, task.task) / PLAN
            plan = place.read_bytes()
        found = StudyRow(
            cell.number, baseline, row.metrics, row.objective, row.candidate, row.evaluations, row.violations,
            stress=row.stress,
        )  # fmt: skip
        return found, plan

    @contextmanager
    def _folder(self, cell: Cell) -> Iterator[Path]:
        """Give the cell a folder: the one that the study keeps until the cell is saved, or a temporary one."""
        if self._setup.out:
            folder = cell_folder(Path(self._setup.out), cell.number)
            folder.mkdir(parents=True, exist_ok=True)
            yield folder
        else:
            with tempfile.TemporaryDirectory(prefix="firegui-cell-") as temporary:
                yield Path(temporary)

    def _task(self, terms: PreparedCell, project: Project) -> TaskTerms:
        """Return the cell as a task of a benchmark. Without a budget, the fleet's capacity is the budget."""
        planner = PlannerName.NONE if terms.planner == SCHEDULE else PlannerName(terms.planner)
        budget = terms.budget or max(availability_cap(project.planned_fleet, project.calendar), 1)
        allowance = 0 if planner is PlannerName.TWO_STAGE else terms.allowance
        return TaskTerms(PlannerTask(planner, project.plan.optimizer.seed), allowance, budget, self.settings.excess)

    def _model(self, terms: PreparedCell, control: RunControl) -> tuple[Model, Project]:
        """Return the cell's model at nominal effectiveness. Maps of the cell before are reused where possible."""
        plan = terms.project.plan
        key = (plan.start_day, plan.days, plan.failing_flame_m, terms.wind)
        if self._maps is None or self._maps[0] != key:
            blown = terms.project if terms.wind is None else self._engine.with_wind(terms.project, terms.wind)
            self._maps = key, blown, self._engine.project_maps(blown, control.check)
        _, event, maps = self._maps
        project = replace(terms.project, scenario=event.scenario)
        if project.needs_centres:
            project = self._engine.with_burning_centres(project, self._backend, check=control.check, maps=maps)
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


class _CellLink(TaskLink):
    """Link of the task within a cell. It drops warnings about checkpoints, which a cell does not write."""

    def __init__(self, link: TaskLink, allowance: int) -> None:
        super().__init__(link.control, lambda report: None)
        self._outer, self._allowance = link, allowance

    def send_progress(self, spent: int, best: float, seconds: float, allowance: int = 0) -> None:
        """Pass the progress on, without ``best``, which is at another effectiveness than a study's."""
        self._outer.send_progress(spent, math.nan, seconds, self._allowance)
