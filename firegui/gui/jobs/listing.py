"""The runs that lie in a project's folder, and the plans they kept."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from firegui.domain.fleet import Fleet
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.gui.jobs.entry import RunEntry
from firegui.gui.jobs.history import History
from firegui.gui.jobs.specs import RUNS, run_title, same_inputs
from firegui.io.schedule_file import read_schedule
from firegui.runs.events import FinishReason, RunState
from firegui.runs.folder import PLAN, SCHEDULE, RunRecord, read_run
from firegui.runs.header import event_hash
from firegui.runs.lock import held_problem, is_held


@dataclass(frozen=True, slots=True)
class Found:
    """Runs on disk, the oldest first, and what was wrong with every folder that could not be read."""

    entries: tuple[RunEntry, ...] = ()
    problems: tuple[InputError, ...] = ()


def found_runs(folders: Sequence[Path], project: Project, today: date) -> Found:
    """The runs in ``folders``, as lines of the list. Never raises for a damaged run."""
    records, problems = [], []
    for folder in folders:
        try:
            records.append(read_run(folder))
        except InputError as error:
            problems.append(error)
    # Hashing the event takes a moment on a large one, and a new project has no runs.
    event = event_hash(project) if records else ""
    records.sort(key=lambda record: record.header.started)
    return Found(tuple(entry_of(record, project, event, today) for record in records), tuple(problems))


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
    entry.history = History(record.history)
    entry.stale = ran is None or not same_inputs(ran, project)
    return entry


def project_of_run(record: RunRecord, project: Project) -> Project:
    """The project as the run had it: its fleet, regions and settings on the open project's event."""
    then = record.header.project
    return replace(project, fleet=Fleet(then.fleet), grounded=then.grounded, regions=then.regions, plan=then.plan)


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


def kept_schedule(folder: Path, project: Project) -> Schedule:
    """The plan a run kept, with the optimizer's own variables where they are there. Raises :class:`InputError`."""
    calendar = project.calendar
    for name in (PLAN, SCHEDULE):
        path = folder / name
        if path.is_file():
            return read_schedule(path, project.planned_fleet, calendar.n_steps, project.scenario.grid.shape)
    remedy = "let the run go on, or start it again"
    raise InputError([Problem(str(folder), "has no plan yet", remedy)], "The run cannot be shown")
