"""What is asked of a run: its folder, the command that repeats it, and whether its inputs are still those shown."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.settings import Setting
from firegui.errors import InputError
from firegui.runs.command import optimize_command
from firegui.runs.folder import read_run
from firegui.runs.spec import PlanSpec

RUNS = "runs"
"""The folder of a project that holds its runs."""


def new_run_folder(project_folder: Path, setting: Setting, now: datetime, taken: Iterable[Path] = ()) -> Path:
    """``runs/YYYYMMDD-HHMMSS-A-optimize`` in the project, with a number behind it where that exists or is taken."""
    base = project_folder / RUNS / f"{now:%Y%m%d-%H%M%S}-{setting.value}-optimize"
    used = set(taken)
    folder, number = base, 1
    while folder.exists() or folder in used:
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def optimize_spec(
    project: Project, project_folder: Path, now: datetime, *, backend: str = "auto", taken: Iterable[Path] = ()
) -> PlanSpec:
    """A new run of ``project``, which must be saved in ``project_folder``."""
    out = new_run_folder(project_folder, project.plan.setting, now, taken)
    return PlanSpec(
        project, out, _command(project, project_folder, out, backend), backend=backend, project_folder=project_folder
    )


def resume_spec(project: Project, project_folder: Path, out: Path, backend: str = "auto") -> PlanSpec:
    """Go on with the stopped run in ``out``; its command still names the schedule that it started from."""
    source = None
    # A record that cannot be read is the run's own to refuse.
    with suppress(InputError):
        source = read_run(out).warm_start_file
    command = _command(project, project_folder, out, backend, source)
    return PlanSpec(
        project, out, command, resume=True, backend=backend, project_folder=project_folder, warm_start_file=source
    )


def _command(project: Project, project_folder: Path, out: Path, backend: str, warm_start: Path | None = None) -> str:
    plan = project.plan
    return optimize_command(project_folder, out, plan.optimizer, plan.design, warm_start=warm_start, backend=backend)


def raised_limits(ran: Project, now: Project) -> Project:
    """The project of a run with the open project's epochs and patience where those are higher.

    They only say when to stop, so a run may go on with more of them; every other setting stays the run's.
    """
    then, wanted = ran.plan.optimizer, now.plan.optimizer
    raised = replace(then, epochs=max(then.epochs, wanted.epochs), patience=max(then.patience, wanted.patience))
    return replace(ran, plan=replace(ran.plan, optimizer=raised))


def run_title(folder: Path, today: date) -> str:
    """What people read for a run folder: ``A · 14:24:05`` when it was made ``today``, else ``A · 19 Aug 14:24``.

    A folder whose name has another form is called by its name.
    """
    parts = folder.name.split("-")
    try:
        when = datetime.strptime("-".join(parts[:2]), "%Y%m%d-%H%M%S")
    except ValueError:
        return folder.name
    setting = parts[2] if len(parts) > 2 else ""
    number = f" ({parts[4]})" if len(parts) > 4 else ""
    time = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
    return f"{setting} · {time}{number}"


def same_spread(one: Project, other: Project) -> bool:
    """Whether the fire without drops looks the same in both."""
    return (
        one.scenario is other.scenario
        and one.maps is other.maps
        and one.fire_model == other.fire_model
        and one.weights is other.weights
        and (one.plan.start_day, one.plan.days) == (other.plan.start_day, other.plan.days)
    )


def same_fire(one: Project, other: Project) -> bool:
    """Whether both have the same fire without drops, and the same numbers told of it."""
    same_told = one.regions == other.regions and one.plan.weights == other.plan.weights
    return same_told and same_spread(one, other)


def same_inputs(one: Project, other: Project) -> bool:
    """Whether a plan of either means the same for the other: the same fire, fleet, days on the ground and objective.

    The optimizer's settings say how a plan was searched for, not what it does, so they do not count.
    """
    return (
        same_fire(one, other)
        and one.planned_fleet == other.planned_fleet
        and (one.plan.nominal, one.plan.design) == (other.plan.nominal, other.plan.design)
        and one.plan.retardant_acts_on == other.plan.retardant_acts_on
    )
