"""The runs that lie in a project's folder, and the plans they kept."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from firegui.domain.fleet import Fleet
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_history import History, Removals
from firegui.gui.jobs.run_requests import RUNS, FolderSpec, run_title, same_inputs
from firegui.io.schedule_file import read_schedule
from firegui.runs.events import FinishReason, RunState
from firegui.runs.folder import PLAN, SCHEDULE, RunFolder, RunRecord, read_run
from firegui.runs.header import event_hash
from firegui.runs.lock import FolderLock, held_problem, is_held
from firegui.runs.notes import read_notes
from firegui.runs.place import names_in
from firegui.runs.replan_base import read_scores
from firegui.runs.spec import PlanSpec, ReplanSpec, Stage


@dataclass(frozen=True, slots=True)
class Found:
    """Runs on disk, the oldest first, and what was wrong with every folder that could not be read."""

    entries: tuple[RunEntry, ...] = ()
    problems: tuple[InputError, ...] = ()


def found_runs(folders: Sequence[Path], project: Project, today: date) -> Found:
    """The runs in ``folders``, as lines of the list. Never raises for a damaged run.

    A folder in which nothing lies is none: its run was killed before it had anything to write.
    """
    records, problems = [], []
    for folder in folders:
        if folder.is_dir() and not names_in(folder):
            continue
        try:
            records.append(read_run(folder))
        except InputError as error:
            problems.append(error)
    # Hashing the event takes a moment on a large one, and a new project has no runs.
    event = event_hash(project) if records else ""
    records.sort(key=lambda record: record.header.started)
    return Found(tuple(entry_of(record, project, event, today) for record in records), tuple(problems))


def entry_for(spec: FolderSpec, today: date) -> RunEntry:
    """A line of the list for a run that is still to begin."""
    stages = spec.stages if isinstance(spec, PlanSpec) else spec.as_plan().stages
    title, epochs = run_title(spec.out, today), spec.project.plan.optimizer.epochs
    return RunEntry(title, spec.out, spec.project, stages=stages, epochs=epochs, replans=isinstance(spec, ReplanSpec))


def unfit(entry: RunEntry) -> InputError:
    """Why a run of another event cannot be used."""
    problem = Problem(entry.title, "was made on another event or fire model", "open the project it was made on")
    return InputError([problem], "The run does not fit the open project")


def entry_of(record: RunRecord, project: Project, event: str, today: date) -> RunEntry:
    """A line of the list for a run on disk; ``event`` is the open project's hash of event and fire model."""
    ran = project_of_run(record, project) if record.header.event_hash == event else None
    entry = RunEntry(run_title(record.folder, today), record.folder, ran, RunState.FINISHED, record.reason)
    if record.state is not RunState.FINISHED:
        entry.reason, entry.elsewhere = FinishReason.STOPPED, record.is_live
        entry.interrupted = not record.is_live
    entry.epochs = record.settings.optimizer.epochs
    entry.message = record.header.message
    entry.baseline, entry.nominal, entry.plan = record.baseline, record.scores.nominal, record.scores.design
    entry.stages, entry.reference = record.stages, record.scores.reference
    entry.history, entry.removals = History(record.history), Removals(record.elimination)
    entry.stage = Stage.PRUNE if len(entry.removals) else entry.stages[0]
    entry.replans = record.header.replan is not None
    entry.take_saved(record)
    _take_replan(entry)
    # What cannot be read is told where somebody wants to read it.
    with suppress(InputError):
        entry.notes = read_notes(record.folder)
    entry.stale = ran is None or not same_inputs(ran, project)
    return entry


def project_of_run(record: RunRecord, project: Project) -> Project:
    """The project as the run had it: its fleet, regions, rules and settings on the open project's event."""
    then = record.header.project
    return replace(
        project, fleet=Fleet(then.fleet), grounded=then.grounded, regions=then.regions, plan=then.plan,
        operations=then.operations,
    )  # fmt: skip


def same_folder(one: Path, other: Path) -> bool:
    """Whether both name one folder, there or not yet, however it was reached."""
    # Resolving asks the disk, and a list compares each of its folders with each.
    return one == other or (one.name == other.name and one.resolve() == other.resolve())


def delete_run(folder: Path) -> None:
    """Delete a run folder. Only what lies among a project's runs is ever deleted, whatever folder a run named.

    Raises :class:`InputError` where the system refuses; part of the folder may then be gone.
    """
    if folder.parent.name != RUNS or not folder.exists():
        return
    if is_held(folder):
        raise InputError([held_problem(folder)], "The run was not discarded")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        problem = Problem(
            str(folder), f"could not be deleted ({error})", "close what uses it and discard the run again"
        )
        raise InputError([problem], "The run was not discarded") from error


def kept_plan(folder: Path) -> Path | None:
    """The file with the plan that a run kept, the optimizer's own variables where they are there; ``None`` for none."""
    return next((path for path in (folder / PLAN, folder / SCHEDULE) if path.is_file()), None)


def kept_schedule(folder: Path, project: Project) -> Schedule:
    """The plan a run kept. Raises :class:`InputError`."""
    path = kept_plan(folder)
    if path is None:
        remedy = "let the run go on, or start it again"
        raise InputError([Problem(str(folder), "has no plan yet", remedy)], "The run cannot be shown")
    return fitting_schedule(path, project)


def fitting_schedule(path: Path, project: Project) -> Schedule:
    """The schedule in a file, if it fits the fleet and the days of ``project``. Raises :class:`InputError`."""
    return read_schedule(path, project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape)


def take_saved_scores(entry: RunEntry) -> None:
    """Give ``entry`` the scores that its run wrote at the end; the last picture was scored at another effectiveness."""
    # A run that failed early has none, and its own message says so.
    with suppress(InputError):
        record = read_run(entry.folder)
        entry.plan, entry.reference = record.scores.design or entry.plan, record.scores.reference
        entry.take_saved(record)
    _take_replan(entry)


def keep_scores(entry: RunEntry) -> bool:
    """Write the scores of a plan that was kept without them, now that ``entry`` has them; whether they were written.

    Only a run that ended by itself or was stopped gets them: of another the plan is still to change. A folder that
    somebody writes to, or that another window has, stays as it is.
    """
    if entry.read_only or entry.nominal is None or is_held(entry.folder):
        return False
    with suppress(InputError):
        lock = FolderLock(entry.folder)
        try:
            record = read_run(entry.folder)
            if record.state is RunState.FINISHED and record.scores.nominal is None:
                baseline = record.scores.baseline or entry.baseline
                scores = replace(record.scores, baseline=baseline, nominal=entry.nominal)
                RunFolder(entry.folder, record.header).write_scores(scores)
                return True
        finally:
            lock.release()
    return False


def _take_replan(entry: RunEntry) -> None:
    """The numbers of a replanned run; none where there are none that can be read."""
    if entry.replans:
        with suppress(InputError):
            entry.replan = read_scores(entry.folder)
