"""Requests for studies: their check, their files, templates, and the spec of the run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from firegui.analyses.requests import Paths
from firegui.domain.project import Project
from firegui.domain.study import SCHEDULE, Case, StudySettings, Vary
from firegui.domain.study_factors import study_problems
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problem, Problems
from firegui.io.paths import real_path
from firegui.io.project.schedule_file import read_project_schedule
from firegui.io.project.study_file import StudyFile, measure_problems, read_study
from firegui.runs.command import with_command
from firegui.runs.spec import StudySpec

_NAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """Request for a ``study`` that ``workers`` compute."""

    study: StudyFile
    workers: WorkerSettings = field(default_factory=WorkerSettings)

    def spec(self, project: Project, paths: Paths, backend: str) -> StudySpec:
        """Return the spec, whose study is to be saved in :func:`text_file`. Raises :class:`InputError`."""
        study, file = self.study, text_file(paths.out)
        schedule_file = paths.project / study.schedule if study.schedule else None
        schedule = None if schedule_file is None else read_project_schedule(schedule_file, project)
        spec = StudySpec(
            project, paths.out, "", study.settings, schedule, backend=backend, workers=self.workers,
            project_folder=paths.project, schedule_file=schedule_file, study_file=file,
        )  # fmt: skip
        return with_command(spec)


def opened_study(path: Path) -> tuple[StudyFile, Path]:
    """Return the study in a file and the folder of the project that the file names.

    The study is one of the open project. Raises :class:`~firegui.errors.InputError` listing everything that cannot be
    read.
    """
    study = read_study(path)
    schedule = study.schedule_file(path)
    return replace(study, project=".", schedule="" if schedule is None else str(schedule)), study.project_folder(path)


def study_file_problems(study: StudyFile, project: Project) -> list[Problem]:
    """Return everything that is wrong with a study of ``project``."""
    problems = Problems()
    measure_problems(study.settings, problems)
    problems.extend(study_problems(study.settings, project))
    settings = study.settings
    planners = [settings.planner, settings.set.get("planner"), *(case.set.get("planner") for case in settings.cases)]
    planners += [value for each in settings.vary if each.name == "planner" for value in each.values]
    if SCHEDULE in planners and not study.schedule:
        problems.add("schedule", "the planner flies a schedule, but there is none", "choose its file")
    return list(problems)


def text_file(out: Path) -> Path:
    """Return the file of the text of the study in ``out``: beside it, for a study's folder begins empty."""
    return out.with_name(f"{out.name}.toml")


def absolute_text(study: StudyFile, folder: Path) -> str:
    """Return a study's text with absolute paths, so that its file may be anywhere."""
    schedule = str(folder / study.schedule) if study.schedule else ""
    return replace(study, project=str(real_path(folder)), schedule=schedule).text()


def folder_ending(settings: StudySettings) -> str:
    """Return the end of the name of a study's folder: its name in letters that every system allows."""
    return _NAME.sub("-", settings.name).strip("-").lower()[:40] or "study"


# -- templates --------------------------------------------------------------------------------------------------------
def fleet_value(project: Project) -> StudyFile:
    """Return a study of the worth of each aircraft type and of each grounded day: one case each."""
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
    """Return a study of the effectiveness and the first day: a grid that a person can change into another."""
    latest = max(project.scenario.days - project.plan.days, 0)
    starts = tuple(day for day in range(latest + 1) if project.scenario.fire_on(day) is not None)[:6]
    vary = (Vary("nominal", (), 0.6, 0.95, 4), Vary("start_day", starts or (project.plan.start_day,)))
    measure = ("objective", "final_extent_ha", "drops_executed", "saved_ha")
    return StudyFile(".", StudySettings(name="Effectiveness", planner="tactical", vary=vary, measure=measure))


STUDY_TEMPLATES = {"Fleet value": fleet_value, "Effectiveness and start": two_factors}
"""What a new study can begin with, by name."""
