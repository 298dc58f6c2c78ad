"""Specs of new and resumed runs of a project: their folder, their inputs, the command."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings, Setting
from firegui.domain.stress import StressScenario
from firegui.errors import InputError, Problem, Problems
from firegui.io.project.observation_file import read_observation
from firegui.io.project.schedule_file import read_project_schedule
from firegui.io.project.store import RUNS, list_runs
from firegui.planning.flight_rules import no_drop_problems
from firegui.runs.command import with_command
from firegui.runs.replan_base import TITLE, replan_problems
from firegui.runs.result_store import unused
from firegui.runs.run_folder import REFERENCE, STORE, RunRecord, same_folder
from firegui.runs.run_repair import check_out
from firegui.runs.spec import PlanSpec, ReplanSpec
from firegui.runs.stages import Stage
from firegui.runs.titles import KEPT, REPLAN, run_label

BOTH = (Stage.OPTIMIZE, Stage.PRUNE)
STAGE_TITLES: dict[tuple[Stage, ...], tuple[str, str]] = {
    BOTH: (
        "Place drops, then remove unneeded ones",
        "search for a plan, then remove every drop that it does not need",
    ),
    (Stage.OPTIMIZE,): ("Place drops only", "search for a plan and keep all of its drops"),
}
"""Title and help of what a run can do."""
PROJECTS_OWN = "the project"
"""Source of a perimeter that was the project's own, in a run folder."""
_BOTH_STAGES = "plan"

FolderSpec = PlanSpec | ReplanSpec
"""A run that writes a folder among the project's runs."""


@dataclass(frozen=True, slots=True, eq=False)
class WarmStart:
    """A schedule that a run begins with, and the file it was read from.

    ``edited_from`` is the folder of the run whose plan was edited by hand to make it.
    """

    schedule: Schedule
    file: Path
    edited_from: Path | None = None


# -- folders -----------------------------------------------------------------------------------------------------------
def new_run_folder(
    project_folder: Path,
    setting: Setting,
    now: datetime,
    taken: Iterable[Path] = (),
    stages: tuple[Stage, ...] = BOTH,
    kind: str = "",
) -> Path:
    """Return ``runs/YYYYMMDD-HHMMSS-A-plan`` in the project, or ``…-optimize`` for one stage alone.

    ``kind`` stands in place of the stages. A number is appended where that exists or is ``taken``.
    """
    kind = kind or (stages[0].value if len(stages) == 1 else _BOTH_STAGES)
    return unused(project_folder / RUNS / f"{now:%Y%m%d-%H%M%S}-{setting.value}-{kind}", taken)


def new_replan_folder(project_folder: Path, setting: Setting, now: datetime, taken: Iterable[Path] = ()) -> Path:
    """Like :func:`new_run_folder`, for a replanned run."""
    return unused(project_folder / RUNS / f"{now:%Y%m%d-%H%M%S}-{setting.value}-{REPLAN}", taken)


def next_run_number(out: Path, project_folder: Path | None, listed: Iterable[int] = ()) -> int | None:
    """Return the number of a new run in ``out``: one more than the largest among the runs of the project.

    ``None`` for a run elsewhere. Runs that cannot be read do not count. ``listed`` are the numbers of runs that
    are known, of which some may have no folder yet.
    """
    if project_folder is None or not same_folder(out.parent, project_folder / RUNS):
        return None
    numbers = [0, *listed]
    for folder in list_runs(project_folder):
        with suppress(InputError):
            numbers.append(STORE.read(folder).number or 0)
    return max(numbers) + 1


# -- plans -------------------------------------------------------------------------------------------------------------
def stage_problems(project: Project, stages: Iterable[Stage], resumed: Path | None = None) -> list[Problem]:
    """Return why a run of ``project``, which has no problems, cannot go through ``stages``.

    A run that places drops must be able to place one. Drops that are given may be removed, kept or scored all the same,
    as may those that the run in the folder ``resumed`` has placed already.
    """
    has_placed = resumed is not None and (resumed / REFERENCE).is_file()
    return [] if has_placed or not {Stage.OPTIMIZE, Stage.TACTICAL} & set(stages) else no_drop_problems(project)


def plan_spec(
    project: Project,
    project_folder: Path,
    now: datetime,
    *,
    stages: tuple[Stage, ...] = BOTH,
    start: WarmStart | None = None,
    backend: str = "auto",
    taken: Iterable[Path] = (),
    before: Project | None = None,
    first: Project | None = None,
) -> PlanSpec:
    """Return a new run of ``project``, which must be saved in ``project_folder``, through ``stages``.

    ``before`` is the project of the latest run of the same goal, from which its title says what differs, and ``first``
    that of the first run, from which the title says whether the fleet does.
    """
    is_copy = Stage.KEEP in stages and start is not None and start.edited_from is None
    out = new_run_folder(project_folder, project.plan.setting, now, taken, stages, KEPT if is_copy else "")
    spec = PlanSpec(
        project, out, "", stages=stages, warm_start=None if start is None else start.schedule, backend=backend,
        project_folder=project_folder, warm_start_file=None if start is None else start.file,
        edited_from=None if start is None else start.edited_from,
        label=run_label(project, before, first, is_continued=start is not None and Stage.OPTIMIZE in stages),
    )  # fmt: skip
    return with_command(spec)


def resume_spec(project: Project, project_folder: Path, out: Path, backend: str = "auto") -> FolderSpec:
    """Resume the stopped run in ``out``, in whichever stage it was.

    Its command still names the schedule that it started from. Raises :class:`InputError` for a replanned run whose
    schedule or perimeter is gone.
    """
    source: Path | None = None
    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,)
    budget: int | None = None
    # A record that cannot be read is the run's own to refuse.
    record = None
    with suppress(InputError):
        record = check_out(out, resume=True)
    if record is not None:
        source, stages, budget = record.warm_start_file, record.stages, record.header.budget
        if record.header.replan is not None:
            return replan_resume_spec(record, project, project_folder, backend)
    spec = PlanSpec(
        project, out, "", stages=stages, resume=True, backend=backend, project_folder=project_folder,
        warm_start_file=source, budget=budget,
    )  # fmt: skip
    return with_command(spec)


def raised_limits(ran: Project, now: Project) -> Project:
    """Return the project of a run with the open project's epochs and patience where those are higher.

    These only decide when to stop, so a run may be resumed with more of them. Every other setting stays the run's.
    """
    then, wanted = ran.plan.optimizer, now.plan.optimizer
    raised = replace(then, epochs=max(then.epochs, wanted.epochs), patience=max(then.patience, wanted.patience))
    return with_optimizer(ran, raised)


def with_optimizer(project: Project, optimizer: OptimizerSettings) -> Project:
    """Return the project with other settings of the optimizer."""
    return replace(project, plan=replace(project.plan, optimizer=optimizer))


# -- replanning --------------------------------------------------------------------------------------------------------
def replan_spec(
    project: Project,
    project_folder: Path,
    out: Path,
    schedule_file: Path,
    day: int,
    *,
    observed_file: Path | None = None,
    closed_loop: bool = False,
    exercise: StressScenario | None = None,
    draw: int = 0,
    stop_at: float | None = None,
    after: Path | None = None,
    backend: str = "auto",
) -> ReplanSpec:
    """Replan what is left of the schedule in ``schedule_file`` from ``day`` on, counted from 0.

    Raises :class:`InputError` with everything that is wrong with the inputs.
    """
    problems, days = Problems(), project.plan.days
    schedule, observed = None, None
    try:
        schedule = read_project_schedule(schedule_file, project)
    except InputError as error:
        problems.extend(error.problems)
    if not closed_loop and 1 <= day < days:
        try:
            observed = read_observation(observed_file, project, day)
        except InputError as error:
            problems.extend(error.problems)
    unread = bool(problems)
    if schedule is None:
        problems.raise_if_any(TITLE)
    assert schedule is not None
    spec = ReplanSpec(
        project, out, "", schedule, day, observed, closed_loop, backend=backend, project_folder=project_folder,
        schedule_file=schedule_file, exercise=exercise, draw=draw, stop_at=stop_at, after=after,
    )  # fmt: skip
    problems.extend(item for item in replan_problems(spec) if not (unread and item.where == "observed"))
    problems.raise_if_any(TITLE)
    return with_command(spec, observed_file)


def replan_resume_spec(record: RunRecord, project: Project, project_folder: Path, backend: str = "auto") -> ReplanSpec:
    """Resume the stopped run of ``record``. Raises :class:`InputError` where one of its files is gone."""
    note, file = record.header.replan, record.warm_start_file
    if note is None or file is None:
        problem = Problem(str(record.folder), "does not say what it was replanned from", "start it again")
        raise InputError([problem], TITLE)
    if note.closed_loop:
        # Every setting decides the next drawn day, the limits of the search too.
        project = replace(project, plan=record.settings)
    observed = None if note.closed_loop or note.observed in ("", PROJECTS_OWN) else record.file_of(note.observed)
    spec = replan_spec(
        project, project_folder, record.folder, file, note.day, observed_file=observed, closed_loop=note.closed_loop,
        exercise=note.exercise, draw=note.draw, after=record.file_of(note.after), backend=backend,
    )  # fmt: skip
    return replace(spec, resume=True)
