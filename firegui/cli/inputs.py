"""Inputs of commands: everything is read before the work begins, so that all problems are listed at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from firegui.cli.gather import Gather
from firegui.cli.options import (
    backend_option,
    nominal_options,
    precision_option,
    project_argument,
    project_schedule,
    schedule_option,
    with_nominal,
)
from firegui.cli.setting_options import given_settings
from firegui.domain.grid import Grid
from firegui.domain.options import bounds_problems
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL
from firegui.domain.stress import StressSet
from firegui.errors import Problem, Problems
from firegui.io.project.store import load_project
from firegui.io.project.stress_toml import read_scenarios
from firegui.runs.engine import Engine
from firegui.runs.header import event_hash
from firegui.runs.kept_fire import SavedFire, fire_problems, saved_fire
from firegui.runs.run_folder import RUN

Command = Callable[..., None]
PAPER_CELL, PAPER_STEPS = Grid(1, 1, 30.0), 50


@dataclass(frozen=True, slots=True, eq=False)
class RolloutInput:
    """Input of one rollout. ``fire`` is that of the run whose folder was given as the schedule, if it was replanned."""

    project: Project
    schedule: Schedule | None
    fire: SavedFire | None


@dataclass(frozen=True, slots=True)
class RolloutRequest:
    """Request of one rollout; ``given`` holds the effectiveness that was given."""

    project_folder: Path
    schedule_file: Path | None
    backend: str
    precision: str
    given: Mapping[str, Any]

    def read(self, engine: Engine, out: Path | None, title: str) -> RolloutInput:
        """Return the project at the requested nominal effectiveness, the schedule and its fire; ``out`` comes later.

        Raises :class:`~firegui.errors.InputError` with everything that is wrong with any of it.
        """
        gather = Gather()
        project = gather.attempt(lambda: load_project(self.project_folder))
        if project is None:
            nominal = given_settings(NOMINAL, self.given, gather, prefix="eta")
            gather.extend(bounds_problems(nominal, "nominal effectiveness"))
        else:
            project = with_nominal(project, self.given, gather)
            gather.extend(project.problems())
        schedule = gather_schedule(self.schedule_file, project, gather)
        fire = gather_fire(self.schedule_file, project, gather)
        gather.attempt(lambda: engine.check_backend(self.backend))
        check_target(out, gather)
        gather.raise_if_any(title)
        assert project is not None
        return RolloutInput(project, schedule, fire)


def rollout_options(*, schedule_required: bool) -> Callable[[Command], Command]:
    """Add PROJECT and the options of one rollout, passed as one :class:`RolloutRequest`."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def packed(
            project_folder: Path,
            schedule_file: Path | None,
            backend: str,
            precision: str,
            **rest: Any,
        ) -> None:
            given = {key: rest.pop(key) for key in list(rest) if key.startswith("eta_")}
            command(RolloutRequest(project_folder, schedule_file, backend, precision, given), **rest)

        with_options = nominal_options(backend_option(precision_option(packed)))
        return project_argument(schedule_option(schedule_required)(with_options))

    return decorate


def gather_schedule(path: Path | None, project: Project | None, gather: Gather) -> Schedule | None:
    """Return the schedule in ``path``; without a project only check that the file exists."""
    if path is None:
        return None
    if project is not None:
        return gather.attempt(lambda: project_schedule(path, project))
    check_source(path, gather)
    return None


def gather_fire(path: Path | None, project: Project | None, gather: Gather) -> SavedFire | None:
    """Return the fire of the replanned run whose folder is ``path``, ``None`` for anything else."""
    if path is None or not (path / RUN).is_file():
        return None
    saved = gather.attempt(lambda: saved_fire(path))
    if saved is None or saved.header.replan is None:
        return None
    if project is not None and saved.kept is not None:
        gather.extend(_fire_problems(path, saved, project))
    return saved


def _fire_problems(path: Path, saved: SavedFire, project: Project) -> list[Problem]:
    """Return why the fire that a run kept cannot be that of ``project``."""
    then, kept, remedy = saved.header.project.plan, saved.kept, "give the project as it was, or a file of the run"
    assert kept is not None
    found = fire_problems(kept, project.scenario.grid.shape, project.calendar)
    if (then.start_day, then.days) != (project.plan.start_day, project.plan.days):
        found = [Problem(str(path), "was made for other days of the event than the project's", remedy)]
    elif not found and saved.header.event_hash != event_hash(project):
        found = [Problem(str(path), "was made on another event or fire model than the project's", remedy)]
    if kept.is_drawn and then.nominal != project.plan.nominal:
        found.append(Problem(str(path), "its fire was drawn at another nominal effectiveness", "leave --eta-… out"))
    return found


def gather_scenarios(path: Path | None, project: Project | None, gather: Gather) -> StressSet | None:
    """Return the scenarios in ``path``; without a project they are checked on cells and steps as the paper's."""
    if path is None:
        return None
    grid = PAPER_CELL if project is None else project.scenario.grid
    steps_per_day = PAPER_STEPS if project is None else project.scenario.steps_per_day
    return gather.attempt(lambda: read_scenarios(path, grid, steps_per_day))


def check_source(path: Path | None, problems: Problems) -> None:
    """Add a problem if a file that cannot be read yet does not exist."""
    if path is not None and not path.exists():
        problems.add(str(path), "the file does not exist", "check the path")


def check_target(path: Path | None, problems: Problems) -> None:
    """Add what keeps a file from being written, before the work begins."""
    if path is None:
        return
    folder = path.absolute().parent
    if path.is_dir():
        problems.add(str(path), "is a folder", "give the name of a file")
    elif not folder.is_dir():
        problems.add(str(path), "cannot be written: its folder does not exist", "make the folder, or give another")
    elif not os.access(folder, os.W_OK):
        problems.add(str(path), "cannot be written: its folder is protected", "give a folder you may write to")
