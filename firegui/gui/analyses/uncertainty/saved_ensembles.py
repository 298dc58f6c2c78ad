"""The ensembles in a project's folder: what is asked for, what lies there, and what one of them was made of."""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.domain.film import Film
from firegui.domain.fleet import Fleet
from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import KIND_TITLES, ErrorFit, Semivariogram, UncertaintySettings
from firegui.errors import InputError, Problem
from firegui.gui.jobs.saved_runs import fitting_schedule
from firegui.gui.session.session import ShownResult
from firegui.runs.command import with_command
from firegui.runs.header import event_hash, schedule_hash
from firegui.runs.lock import is_held
from firegui.runs.messages import counted
from firegui.runs.spec import EvaluateSpec, MemberOf, UncertaintySpec
from firegui.runs.uq import uq_problems
from firegui.runs.uq_folder import STATE, VARIOGRAM, EnsembleHeader, read_header, read_residual, residual_days

Floats32 = NDArray[np.float32]

FOLDER = "uncertainty"
"""The folder of a project that holds its ensembles."""
_NO_RETARDANT = Film((1, 1), ())
_COMMAND_LINE = " (--preset bear)"


@dataclass(frozen=True, slots=True)
class SavedEnsemble:
    """An ensemble that lies in the project's folder. ``held``: somebody works on it now."""

    folder: Path
    header: EnsembleHeader
    has_members: bool
    held: bool

    def can_resume(self, members: int) -> bool:
        """Whether it can be gone on with up to ``members``."""
        return not self.held and members > self.header.members_done

    def title(self, today: date) -> str:
        """Time, kind and size of an ensemble, for a list."""
        when, header = self.header.started.astimezone(), self.header
        clock = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
        done, asked = header.members_done, header.settings.members
        size = f"{done:,}" if done >= asked else f"{done:,} of {asked:,}"
        return f"{clock} · {KIND_TITLES[header.settings.kind]} · {size}"


def saved_ensembles(project_folder: Path | None) -> tuple[SavedEnsemble, ...]:
    """The ensembles in a project's folder, the latest first; what cannot be read is left out."""
    if project_folder is None or not (project_folder / FOLDER).is_dir():
        return ()
    found = []
    for folder in sorted((project_folder / FOLDER).iterdir()):
        with suppress(InputError):
            header = read_header(folder)
            has_members = header.members_done > 0 and (folder / STATE).is_file()
            found.append(SavedEnsemble(folder, header, has_members, is_held(folder)))
    return tuple(sorted(found, key=lambda each: each.header.started, reverse=True))


@dataclass(frozen=True, slots=True, eq=False)
class UncertaintyRequest:
    """An ensemble that is asked for: with the schedule in ``file``, or of fires without drops alone."""

    settings: UncertaintySettings
    file: Path | None = None


def requested_spec(
    request: UncertaintyRequest, project: Project, folder: Path, out: Path, backend: str
) -> UncertaintySpec:
    """What is carried out for ``request``. Raises :class:`InputError` for a schedule that does not fit the project."""
    schedule = None if request.file is None else fitting_schedule(request.file, project)
    spec = UncertaintySpec(
        project, out, "", request.settings, schedule, backend=backend, project_folder=folder,
        schedule_file=request.file,
    )  # fmt: skip
    return with_command(spec)


def lacks(project: Project, settings: UncertaintySettings) -> list[Problem]:
    """What keeps an ensemble of ``project`` from being made, whatever the schedule."""
    found = uq_problems(UncertaintySpec(project, Path(), "", settings))
    # There are no options in a window.
    return [replace(problem, remedy=problem.remedy.replace(_COMMAND_LINE, "")) for problem in found]


def project_then(header: EnsembleHeader, project: Project) -> Project:
    """The project as the ensemble had it, on the open project's event.

    Raises :class:`InputError` where the event or the fire model is another one by now.
    """
    if header.event_hash != event_hash(project):
        what = "was made on another event or fire model than the open project's"
        problem = Problem("the ensemble", what, "set the fire model back, or make it again")
        raise InputError([problem], "The ensemble does not fit the project")
    then = header.project
    return replace(
        project, fleet=Fleet(then.fleet), grounded=then.grounded, regions=then.regions, plan=then.plan,
        operations=then.operations,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """What an error model was fitted to, at the ends of these ``days``: at hand in a ``fit``, else in a ``folder``."""

    days: tuple[int, ...] = ()
    fit: ErrorFit | None = None
    folder: Path = Path()

    @staticmethod
    def in_folder(folder: Path) -> Residuals:
        """Those that an ensemble kept; none where there are none that can be read."""
        with suppress(InputError):
            return Residuals(residual_days(folder), folder=folder)
        return Residuals()

    def of(self, day: int) -> Floats32:
        """``Δ [2, H, W]`` in ILR coordinates, NaN outside of the mask. Raises :class:`InputError` like a file."""
        if self.fit is not None:
            found: Floats32 = self.fit.residuals[self.fit.days.index(day)]
            return found
        return read_residual(self.folder, day)


def means(header: EnsembleHeader, ensemble: Ensemble, project: Project) -> ShownResult:
    """The mean maps of an ensemble for the map of the open ``project``, one picture a day boundary.

    Raises :class:`InputError` where the event changed, or the plan has other days by now.
    """
    then = _on_same_days(header, project)
    per_day, cases = then.scenario.steps_per_day, range(len(ensemble.fire))
    frames = [Frames(per_day, _codes(ensemble.fire[case]), _codes(ensemble.burning[case]), _NO_RETARDANT)
              for case in cases]  # fmt: skip
    so_far = "" if ensemble.complete else f"{ensemble.members:,} of "
    title = f"Mean of {so_far}{counted(ensemble.asked, 'member')} ({KIND_TITLES[ensemble.kind].lower()})"
    plan = frames[PLAN] if ensemble.has_plan else None
    return ShownResult(title, frames[BASELINE], plan=plan, project=then, mean_of=ensemble.members)


def _codes(probability: Floats32) -> Film:
    return Film.of(np.asarray(255.0 * probability + 0.5, np.uint8))


def _on_same_days(header: EnsembleHeader, project: Project) -> Project:
    """:func:`project_then`, where the timeline has its days: on another its fires would be shown under wrong dates."""
    then = project_then(header, project)
    had, has = ((one.calendar.date_of_day(0), one.plan.days) for one in (then, project))
    if had != has:
        texts = [f"{counted(days, 'day')} from {first:%Y-%m-%d}" for first, days in (had, has)]
        what, remedy = f"is of {texts[0]}, the open plan of {texts[1]}", "set the plan's first day and its days back"
        raise InputError([Problem("the ensemble", what, remedy)], "It cannot be shown on the map")
    return then


def member_spec(header: EnsembleHeader, number: int, project: Project, backend: str) -> EvaluateSpec:
    """Both fires of a member for the map.

    Raises :class:`InputError` where the event or the plan's days changed, or the schedule is gone or another one.
    """
    project = _on_same_days(header, project)
    schedule = _schedule_then(header, project)
    # A smaller ensemble has the same members; one that was raised later has more than its settings may say.
    settings = replace(header.settings, members=max(header.settings.members, number + 1))
    return EvaluateSpec(project, schedule, backend=backend, member=MemberOf(number, settings, header.error))


def _schedule_then(header: EnsembleHeader, project: Project) -> Schedule | None:
    if not header.schedule:
        return None
    file = Path(header.schedule_file)
    schedule = fitting_schedule(file, project)
    if schedule_hash(schedule) != header.schedule:
        what = "is another schedule by now than the one the ensemble was made of"
        raise InputError([Problem(str(file), what, "put the schedule back")], "The member cannot be shown")
    return schedule


def saved_variogram(folder: Path) -> Semivariogram | None:
    """The points that an error model was fitted to; ``None`` where there are none that can be read."""
    try:
        with (folder / VARIOGRAM).open(encoding="utf-8", newline="") as lines:
            rows = [
                (float(row["distance_cells"]), float(row["value"]), int(float(row["pairs"])))
                for row in csv.DictReader(lines)
            ]
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, csv.Error):
        return None
    distance, value, pairs = zip(*rows, strict=True) if rows else ((), (), ())
    return Semivariogram(np.array(distance, float), np.array(value, float), np.array(pairs, np.int64))
