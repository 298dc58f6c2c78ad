"""Inputs of runs: everything is read before the work begins, so that all problems are listed at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from operator import index
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args, runtime_checkable

from firegui.api.argument_checks import is_path
from firegui.api.gather import Gather
from firegui.domain.calendar import STEPS_PER_DAY
from firegui.domain.grid import Grid
from firegui.domain.options import SettingField, replaced_at, setting_fields
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.stress import StressSet
from firegui.errors import InputError, Problem, Problems
from firegui.io.project.schedule_file import read_project_schedule
from firegui.io.project.stress_toml import read_scenarios
from firegui.runs.header import event_hash
from firegui.runs.kept_fire import SavedFire, fire_problems, saved_fire
from firegui.runs.run_folder import PLAN, RUN, SCHEDULE, kept_plan

PAPER_CELL = Grid(1, 1, 30.0)
NO_NAMES: Mapping[str, str] = {}
Settings = TypeVar("Settings")
Change = Callable[[Settings, Problems], Settings]
"""Replaces given values of settings and adds those that cannot be used to the problems."""


@runtime_checkable
class HasSchedule(Protocol):
    """Result that has a schedule, and a folder where it is saved."""

    @property
    def schedule(self) -> Schedule:
        """Schedule of the result."""

    @property
    def folder(self) -> Path | None:
        """Folder of the result."""


ScheduleSource = Schedule | HasSchedule | str | Path
"""Schedule, result that has one, CSV, ``plan.safetensors`` of a run, or the run's folder."""


# -- settings ----------------------------------------------------------------------------------------------------------
def unchanged(settings: Settings, problems: Problems) -> Settings:
    """Return the settings as they are."""
    return settings


def with_given(
    settings: Settings, given: Mapping[str, Any], problems: Problems, called: Mapping[str, str] = NO_NAMES
) -> Settings:
    """Return ``settings`` with those that are ``given``; values of another type are added to ``problems``.

    ``called`` maps names of settings to the keywords that messages name in their place.
    """
    declared = {item.name: item for item in setting_fields(settings)}
    for name, value in given.items():
        if value is None:
            continue
        item = declared[name]
        try:
            settings = replaced_at(settings, item.path, _typed(item, value))
        except (TypeError, ValueError):
            remedy = f"give one of {', '.join(item.kind)}" if item.is_choice else f"give {_type_words(item)}"
            problems.add(called.get(name, name), f"{value!r} cannot be used", remedy)
    return settings


def _typed(item: SettingField, value: Any) -> Any:
    if item.is_list:
        return tuple(get_args(item.kind)[0](part) for part in value)
    if item.is_choice:
        return item.kind(value)
    if item.kind is str:
        return str(value)
    if item.kind is bool:
        if not isinstance(value, bool):
            raise TypeError(value)
        return value
    if isinstance(value, bool | str):
        raise TypeError(value)
    return index(value) if item.kind is int else float(value)


def _type_words(item: SettingField) -> str:
    return {int: "a whole number", float: "a number", bool: "True or False"}.get(item.kind, "a sequence of names")


# -- schedules ---------------------------------------------------------------------------------------------------------
def schedule_file(source: ScheduleSource | None) -> Path | None:
    """Return the file or folder that a schedule is read from; ``None`` for one that is in memory only."""
    if isinstance(source, HasSchedule):
        # The folder of a stress test does not hold the schedule that was tested.
        return None if source.folder is None or kept_plan(source.folder) is None else source.folder
    return None if source is None or isinstance(source, Schedule) else Path(source)


def kept_schedule_file(source: ScheduleSource | None) -> Path | None:
    """Return the file that a schedule is read from, ``None`` for one in memory only.

    Of a run's folder it is the file in it. Results name it: whatever shows one again reads a file.
    """
    path = schedule_file(source)
    return path if path is None or not path.is_dir() else kept_plan(path) or path


def schedule_of_run(path: Path, *names: str) -> Path:
    """Return ``path``, or the schedule in a run folder.

    That is the first file of ``names`` there; the plan, then the schedule, unless given.
    Raises :class:`~firegui.errors.InputError` for a folder that holds no schedule.
    """
    if not path.is_dir():
        return path
    found = next((path / name for name in names or (PLAN, SCHEDULE) if (path / name).is_file()), None)
    if found is None:
        remedy = f"give a CSV, {PLAN}, or the folder of a run that has a plan"
        raise InputError([Problem(str(path), "is a folder without a schedule", remedy)])
    return found


def project_schedule(path: Path, project: Project) -> Schedule:
    """Read a schedule, or that of a run folder, for the project's fleet, days and grid."""
    return read_project_schedule(schedule_of_run(path), project)


def gather_schedule(
    source: ScheduleSource | None, project: Project | None, gather: Gather, option: str = "--schedule"
) -> Schedule | None:
    """Return the schedule of ``source``; without a project only check that the file exists.

    ``option`` is the one that gave it, empty for none.
    """
    path = schedule_file(source)
    if path is not None:
        if not check_source(path, gather, option) or project is None:
            return None
        return gather.attempt(lambda: project_schedule(path, project))
    schedule = source.schedule if isinstance(source, HasSchedule) else source
    if not isinstance(schedule, Schedule):
        return None
    if project is not None:
        found = schedule.size_problems(project.calendar.n_steps, project.planned_fleet.n_aircraft)
        gather.extend(found)
        return None if found else schedule
    return schedule


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
        found.append(Problem(str(path), "its fire was drawn at another expected effectiveness", "leave --eta-… out"))
    return found


# -- files -------------------------------------------------------------------------------------------------------------
def gather_scenarios(
    source: StressSet | str | Path | None, project: Project | None, gather: Gather
) -> StressSet | None:
    """Return the scenarios of ``source``.

    Without a project those of a file are checked with the cells and steps of the paper.
    """
    if source is None or isinstance(source, StressSet):
        return source
    if not is_path(source, "--scenarios", gather):
        return None
    path = Path(source)
    if not check_source(path, gather, "--scenarios"):
        return None
    grid = PAPER_CELL if project is None else project.scenario.grid
    steps_per_day = STEPS_PER_DAY if project is None else project.scenario.steps_per_day
    return gather.attempt(lambda: read_scenarios(path, grid, steps_per_day))


def check_source(path: Path | None, problems: Problems, option: str) -> bool:
    """Return whether a file or folder may be there, if one is given, or add a problem.

    ``option`` is the one that gave it, empty for none.
    """
    try:
        if path is not None:
            path.stat()
    except FileNotFoundError:
        problems.add(f"{option} {path}".strip(), "the file does not exist", "check the path")
        return False
    except (OSError, ValueError):
        return True  # the reader says why it cannot be read
    return True


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
