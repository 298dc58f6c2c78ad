"""The studies in a project's folder: what is asked for, what lies there, and the plans that their cells kept."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.study import CASE, SCHEDULE, Case, Cell, StudySettings, Vary
from firegui.domain.study_factors import prepared, study_problems
from firegui.domain.study_table import StudyTable
from firegui.errors import InputError, Problem
from firegui.gui.base.number_text import duration
from firegui.io.schedule_file import read_schedule
from firegui.io.study_file import StudyFile, parse_study
from firegui.runs.command import with_command
from firegui.runs.events import RunState
from firegui.runs.header import event_hash
from firegui.runs.lock import is_held
from firegui.runs.messages import counted
from firegui.runs.spec import EvaluateSpec, StudySpec
from firegui.studies.folder import StudyHeader, done_in, plan_file, read_header

FOLDER = "studies"
"""The folder of a project that holds its studies."""
_NAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class SavedStudy:
    """A study that lies in the project's folder. ``held``: somebody works on it now."""

    folder: Path
    header: StudyHeader
    done: int
    held: bool

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return self.header.settings.count

    @property
    def can_resume(self) -> bool:
        """Whether something is left to do of it."""
        return not self.held and self.done < self.cells

    def title(self, today: date) -> str:
        """Time, name and size of a study, for a list."""
        when = self.header.started.astimezone()
        clock = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
        size = f"{self.cells:,} cells" if self.done >= self.cells else f"{self.done:,} of {self.cells:,} cells"
        return f"{clock} · {self.header.settings.name} · {'at work' if self.held else size}"


def saved_studies(project_folder: Path | None) -> tuple[SavedStudy, ...]:
    """The studies in a project's folder, the latest first; what cannot be read is left out."""
    if project_folder is None or not (project_folder / FOLDER).is_dir():
        return ()
    found = []
    for folder in sorted(entry for entry in (project_folder / FOLDER).iterdir() if entry.is_dir()):
        with suppress(InputError):
            header = read_header(folder)
            over = header.state is RunState.FINISHED
            found.append(SavedStudy(folder, header, done_in(folder), not over and is_held(folder)))
    return tuple(sorted(found, key=lambda each: each.header.started, reverse=True))


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """A study that is asked for, as its ``text`` says; ``workers`` is ``None`` for one a core."""

    text: str
    workers: int | None = None
    scheduler: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a study's text comes to: what it says, as far as it could be read, and everything that is wrong."""

    study: StudyFile | None
    problems: tuple[Problem, ...]


def look_at(text: str, project: Project, folder: Path | None) -> Looked:
    """Read a study's text for the open ``project``, which is kept in ``folder``."""
    try:
        study = parse_study(text)
    except InputError as error:
        return Looked(None, error.problems)
    problems = study_problems(study.settings, project)
    if folder is not None and study.project and (folder / study.project).resolve() != folder.resolve():
        what = f"is of {Path(study.project).name}, but {folder.name} is open"
        problems.insert(0, Problem("project", what, 'open that project, or write project = "."'))
    return Looked(study, tuple(problems))


def requested_spec(request: StudyRequest, project: Project, folder: Path, out: Path, backend: str) -> StudySpec:
    """What is carried out for ``request``, whose text is kept beside ``out``. Raises :class:`InputError`."""
    study = parse_study(request.text)
    file = kept_text(out)
    schedule, schedule_file = None, None
    if study.schedule:
        schedule_file = folder / study.schedule
        fleet, steps = project.planned_fleet, project.calendar.n_steps
        schedule = read_schedule(schedule_file, fleet, steps, project.scenario.grid.shape)
    spec = StudySpec(
        project, out, "", study.settings, schedule, backend=backend, workers=request.workers,
        scheduler=request.scheduler, project_folder=folder, schedule_file=schedule_file, study_file=file,
    )  # fmt: skip
    return with_command(spec)


def kept_text(out: Path) -> Path:
    """Where the text of the study in ``out`` is kept: beside it, for a study's folder begins empty."""
    return out.with_name(f"{out.name}.toml")


def text_to_keep(text: str, folder: Path) -> str:
    """A study's text for a file that lies anywhere: with the whole way to its project and its schedule."""
    study = parse_study(text)
    schedule = str(folder / study.schedule) if study.schedule else ""
    return replace(study, project=str(folder.resolve()), schedule=schedule).text()


def ending_of(settings: StudySettings) -> str:
    """What the folder of a study ends with: its name in letters that every system allows."""
    return _NAME.sub("-", settings.name).strip("-").lower()[:40] or "study"


def cost_text(settings: StudySettings, pace: float | None, workers: int) -> str:
    """What a study takes, in words; ``pace`` is what a cell of the one shown took, in seconds of a worker."""
    planned = "flies the schedule" if settings.planner == SCHEDULE else f"planner {settings.planner}"
    text = f"{counted(settings.count, 'cell')}, {planned}, allowance {settings.allowance:,}"
    if pace is None or workers < 1:
        return f"{text}. How long it takes shows after the first cells."
    return f"{text}. At the pace of the one shown about {duration(settings.count * pace / workers)}."


# -- beginnings -------------------------------------------------------------------------------------------------------
def fleet_value(project: Project) -> StudyFile:
    """What each aircraft type, and each day on which somebody is on the ground, is worth: one case each."""
    cases = [Case("as it is")]
    for kind in project.planned_fleet.types:
        if kind.count > 0:
            cases.append(Case(f"one {kind.id} fewer", {f"fleet.{kind.id}.count": kind.count - 1}))
        cases.append(Case(f"one {kind.id} more", {f"fleet.{kind.id}.count": kind.count + 1}))
    days = sorted({day for kind in project.planned_fleet.types for day in kind.grounded_days})
    cases += [Case(f"all fly on day {day + 1}", {"lifted.all": (day,)}) for day in days]
    settings = StudySettings(
        name="Fleet value", planner="gradient", allowance=300, cases=tuple(cases), vary=(Vary("seed", (0, 1, 2)),),
        measure=("objective", "saved_ha", "drops_executed"),
    )  # fmt: skip
    return StudyFile(".", settings)


def two_factors(project: Project) -> StudyFile:
    """How the plan answers to the effectiveness and to the first day: a grid, to begin a study of one's own with."""
    latest = max(project.scenario.days - project.plan.days, 0)
    starts = tuple(day for day in range(latest + 1) if project.scenario.ignition_on(day) is not None)[:6]
    vary = (Vary("nominal", (), 0.6, 0.95, 4), Vary("start_day", starts or (project.plan.start_day,)))
    measure = ("objective", "final_extent_ha", "drops_executed", "saved_ha")
    return StudyFile(".", StudySettings(name="Effectiveness", planner="tactical", vary=vary, measure=measure))


BEGINNINGS = {"Fleet value": fleet_value, "Effectiveness and start": two_factors}
"""What a new study can begin as, by what a person reads."""


# -- on the map -------------------------------------------------------------------------------------------------------
def cell_spec(folder: Path, cell: Cell, header: StudyHeader, project: Project, backend: str) -> EvaluateSpec:
    """The fire without drops and the fire of a finished cell, for the map.

    Raises :class:`InputError` where the event is another by now, and for a cell that has no plan.
    """
    if header.event_hash != event_hash(project):
        what = "was carried out on another event or fire model than the open project's"
        problem = Problem("the study", what, "set the fire model back, or carry it out again")
        raise InputError([problem], "The study does not fit the project")
    terms = prepared(header.project.on(project), header.settings, cell)
    path = plan_file(folder, cell.number)
    if not path.is_file():
        raise InputError([Problem(str(path), "is not there", "resume the study")], "The plan cannot be shown")
    planned = terms.project
    schedule = read_schedule(
        path, planned.planned_fleet, planned.calendar.n_steps, planned.scenario.grid.shape
    )  # fmt: skip
    return EvaluateSpec(planned, schedule, backend=backend, wind=terms.wind)


def columns_in(table: StudyTable) -> tuple[str, ...]:
    """What the cells of a study differ in, for a choice of axes."""
    return tuple(name for name in table.settings.names if name != CASE or table.settings.cases)
