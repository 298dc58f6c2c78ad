"""What is asked of a run: its folder, the command that repeats it, and whether its inputs are still those shown."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Setting
from firegui.errors import InputError
from firegui.gui.jobs.replan_requests import CHECKPOINT_SECONDS, REPLAN, replan_resume_spec
from firegui.runs.command import with_command
from firegui.runs.folder import read_run
from firegui.runs.spec import PlanSpec, ReplanSpec, Stage

RUNS = "runs"
"""The folder of a project that holds its runs."""

BOTH = (Stage.OPTIMIZE, Stage.PRUNE)
_BOTH_STAGES = "plan"
_KINDS = {
    Stage.PRUNE.value: " · pruning", Stage.TACTICAL.value: " · tactical", Stage.KEEP.value: " · by hand",
    REPLAN: " · replanned",
}  # fmt: skip

FolderSpec = PlanSpec | ReplanSpec
"""What the queue carries out."""


@dataclass(frozen=True, slots=True, eq=False)
class WarmStart:
    """A schedule that a run begins with, and the file it was read from."""

    schedule: Schedule
    file: Path


def new_run_folder(
    project_folder: Path,
    setting: Setting,
    now: datetime,
    taken: Iterable[Path] = (),
    stages: tuple[Stage, ...] = BOTH,
) -> Path:
    """``runs/YYYYMMDD-HHMMSS-A-plan`` in the project, or ``…-optimize`` and the like for one stage alone.

    A number stands behind it where that exists or is taken.
    """
    kind = stages[0].value if len(stages) == 1 else _BOTH_STAGES
    base = project_folder / RUNS / f"{now:%Y%m%d-%H%M%S}-{setting.value}-{kind}"
    used = set(taken)
    folder, number = base, 1
    while folder.exists() or folder in used:
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def plan_spec(
    project: Project,
    project_folder: Path,
    now: datetime,
    *,
    stages: tuple[Stage, ...] = BOTH,
    start: WarmStart | None = None,
    backend: str = "auto",
    taken: Iterable[Path] = (),
) -> PlanSpec:
    """A new run of ``project``, which must be saved in ``project_folder``, through ``stages``."""
    out = new_run_folder(project_folder, project.plan.setting, now, taken, stages)
    file = None if start is None else start.file
    spec = PlanSpec(
        project,
        out,
        "",
        stages=stages,
        warm_start=None if start is None else start.schedule,
        backend=backend,
        checkpoint_seconds=CHECKPOINT_SECONDS,
        project_folder=project_folder,
        warm_start_file=file,
    )
    return with_command(spec)


def resume_spec(project: Project, project_folder: Path, out: Path, backend: str = "auto") -> FolderSpec:
    """Go on with the stopped run in ``out``, in whichever stage it was.

    Its command still names the schedule that it started from. Raises :class:`InputError` for a replanned run whose
    schedule or perimeter is gone.
    """
    source: Path | None = None
    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,)
    budget: int | None = None
    # A record that cannot be read is the run's own to refuse.
    record = None
    with suppress(InputError):
        record = read_run(out)
    if record is not None:
        source, stages, budget = record.warm_start_file, record.stages, record.header.budget
        if record.header.replan is not None:
            return replan_resume_spec(record, project, project_folder, backend)
    spec = PlanSpec(
        project, out, "", stages=stages, resume=True, backend=backend, project_folder=project_folder,
        checkpoint_seconds=CHECKPOINT_SECONDS, warm_start_file=source, budget=budget,
    )  # fmt: skip
    return with_command(spec)


def raised_limits(ran: Project, now: Project) -> Project:
    """The project of a run with the open project's epochs and patience where those are higher.

    They only say when to stop, so a run may go on with more of them; every other setting stays the run's.
    """
    then, wanted = ran.plan.optimizer, now.plan.optimizer
    raised = replace(then, epochs=max(then.epochs, wanted.epochs), patience=max(then.patience, wanted.patience))
    return replace(ran, plan=replace(ran.plan, optimizer=raised))


def run_title(folder: Path, today: date) -> str:
    """What people read for a run folder: ``A · 14:24:05`` when it was made ``today``, else ``A · 19 Aug 14:24``.

    One that only prunes, replans or is the tactical heuristic says so. A folder whose name has another form is called
    by its name.
    """
    parts = folder.name.split("-")
    try:
        when = datetime.strptime("-".join(parts[:2]), "%Y%m%d-%H%M%S")
    except ValueError:
        return folder.name
    setting = parts[2] if len(parts) > 2 else ""
    kind = _KINDS.get(parts[3] if len(parts) > 3 else "", "")
    number = f" ({parts[4]})" if len(parts) > 4 else ""
    time = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
    return f"{setting} · {time}{kind}{number}"


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
    """Whether a plan of either means the same for the other: the same fire, fleet, rules and objective.

    The optimizer's settings say how a plan was searched for, not what it does, so they do not count.
    """
    return (
        same_fire(one, other)
        and one.planned_fleet == other.planned_fleet
        and one.operations == other.operations
        and (one.plan.nominal, one.plan.design) == (other.plan.nominal, other.plan.design)
        and one.plan.retardant_acts_on == other.plan.retardant_acts_on
    )
