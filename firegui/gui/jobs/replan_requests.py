"""A run that replans what is left of a plan: what it is asked, and how it is taken up again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import InputError, Problem, Problems
from firegui.io.observation_file import read_observation
from firegui.io.schedule_file import read_schedule
from firegui.runs.command import with_command
from firegui.runs.folder import RunRecord
from firegui.runs.replan_base import TITLE, replan_problems
from firegui.runs.spec import ReplanSpec

REPLAN = "replan"
"""How the name of a replanned run's folder ends."""
CHECKPOINT_SECONDS = 5.0
"""A run of the window that is killed loses no more than this, and the piece of work in hand."""
PROJECTS_OWN = "the project"
"""What a run folder says of a perimeter that was the project's own."""


def new_replan_folder(runs: Path, project: Project, now: datetime, taken: Iterable[Path] = ()) -> Path:
    """``YYYYMMDD-HHMMSS-A-replan`` in ``runs``; a number stands behind it where that exists or is taken."""
    base = runs / f"{now:%Y%m%d-%H%M%S}-{project.plan.setting.value}-{REPLAN}"
    used, folder, number = set(taken), base, 1
    while folder.exists() or folder in used:
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def with_search(project: Project, optimizer: OptimizerSettings) -> Project:
    """The project with another search."""
    return replace(project, plan=replace(project.plan, optimizer=optimizer))


def replan_spec(
    project: Project,
    project_folder: Path,
    out: Path,
    schedule_file: Path,
    day: int,
    *,
    observed_file: Path | None = None,
    closed_loop: bool = False,
    backend: str = "auto",
) -> ReplanSpec:
    """Plan what is left of the schedule in ``schedule_file`` from ``day`` on, counted from 0.

    Raises :class:`InputError` with everything that is wrong with what was given.
    """
    problems, days = Problems(), project.plan.days
    schedule, observed = None, None
    try:
        schedule = _schedule(schedule_file, project)
    except InputError as error:
        problems.extend(error.problems)
    if not closed_loop and 1 <= day < days:
        try:
            observed = read_observation(observed_file, project, day)
        except InputError as error:
            problems.extend(_in_the_window(problem) for problem in error.problems)
    unread = bool(problems)
    if schedule is None:
        problems.raise_if_any(TITLE)
    assert schedule is not None
    spec = ReplanSpec(
        project, out, "", schedule, day, observed, closed_loop, backend=backend,
        checkpoint_seconds=CHECKPOINT_SECONDS, project_folder=project_folder, schedule_file=schedule_file,
    )  # fmt: skip
    problems.extend(item for item in replan_problems(spec) if not (unread and item.where == "observed"))
    problems.raise_if_any(TITLE)
    return with_command(spec, observed_file)


def replan_resume_spec(record: RunRecord, project: Project, project_folder: Path, backend: str = "auto") -> ReplanSpec:
    """Go on with the stopped run of ``record``. Raises :class:`InputError` where what it was made from is gone."""
    note, file = record.header.replan, record.warm_start_file
    if note is None or file is None:
        problem = Problem(str(record.folder), "does not say what it was replanned from", "start it again")
        raise InputError([problem], TITLE)
    if note.closed_loop:
        # Every setting decides the next drawn day, the search's limits too.
        project = replace(project, plan=record.settings)
    observed = None if note.closed_loop or note.observed in ("", PROJECTS_OWN) else Path(note.observed)
    spec = replan_spec(
        project, project_folder, record.folder, file, note.day, observed_file=observed, closed_loop=note.closed_loop,
        backend=backend,
    )  # fmt: skip
    return replace(spec, resume=True)


def _schedule(file: Path, project: Project) -> Schedule:
    return read_schedule(file, project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape)


def _in_the_window(problem: Problem) -> Problem:
    """There are no options in a window."""
    return replace(problem, remedy=problem.remedy.replace("give one with --observed", "choose a file with it"))
