"""Specs that compute the fire of a saved run again for the map, and their checks.

Every function raises :class:`~firegui.errors.InputError` if the result does not fit the project any more.
"""

from __future__ import annotations

from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.header import SavedHeader, event_hash, schedule_hash
from firegui.runs.kept_fire import SavedFire, saved_fire
from firegui.runs.messages import counted
from firegui.runs.run_folder import kept_schedule
from firegui.runs.spec import EvaluateSpec


def project_then(header: SavedHeader, project: Project, thing: str, made: str, again: str) -> Project:
    """Return the project as the run of ``header`` had it, on the event of ``project``.

    ``thing`` is what was ``made``, for the error if the event or the fire model has changed; ``again`` remedies that.
    """
    if header.event_hash != event_hash(project):
        what = f"was {made} on another event or fire model than the open project's"
        problem = Problem(f"the {thing}", what, f"set the fire model back, or {again}")
        raise InputError([problem], f"The {thing} does not fit the project")
    return header.project.on(project)


def on_same_days(then: Project, project: Project, thing: str) -> Project:
    """Return ``then``, which has the days of ``project``: on others the dates on the map would be wrong."""
    had, has = ((one.calendar.date_of_day(0), one.plan.days) for one in (then, project))
    if had != has:
        texts = [f"{counted(days, 'day')} from {first:%Y-%m-%d}" for first, days in (had, has)]
        what, remedy = f"is of {texts[0]}, the open plan of {texts[1]}", "set the plan's first day and its days back"
        raise InputError([Problem(f"the {thing}", what, remedy)], "It cannot be shown on the map")
    return then


def same_schedule(file: str, known: str, project: Project, thing: str) -> Schedule:
    """Return the schedule in ``file``, whose hash is ``known``."""
    schedule = read_project_schedule(Path(file), project)
    if schedule_hash(schedule) != known:
        what = f"is another schedule by now than the one the {thing} was made of"
        raise InputError([Problem(file, what, "put the schedule back")], "It cannot be shown on the map")
    return schedule


def run_spec(folder: Path, project: Project, backend: str, *, replans: bool) -> tuple[EvaluateSpec, SavedFire | None]:
    """Return the spec of both fires of the run in ``folder``, and its note where it ``replans``."""
    schedule = kept_schedule(folder, project)
    saved = saved_fire(folder) if replans else None
    return EvaluateSpec(project, schedule, backend=backend, fire=None if saved is None else saved.kept), saved
