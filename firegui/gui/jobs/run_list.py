"""The runs of the open project, in order: active and waiting runs, and those in its folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from firegui.domain.observation import DRAWN, OBSERVED
from firegui.domain.project import Project
from firegui.domain.settings import goal_short
from firegui.errors import InputError, Problem
from firegui.gui.jobs.run_entry import EliminationHistory, EpochHistory, RunEntry
from firegui.gui.jobs.run_job import RunJob
from firegui.gui.session.session import Session
from firegui.io.project.store import RUNS, list_runs
from firegui.runs.header import event_hash
from firegui.runs.lock import FolderLock, is_held
from firegui.runs.notes import read_name, read_notes
from firegui.runs.replan_base import note_of, read_scores
from firegui.runs.result_store import names_in
from firegui.runs.run_folder import RunFolder, RunRecord, read_run, same_folder
from firegui.runs.run_requests import FolderSpec
from firegui.runs.spec import PlanSpec, ReplanSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from firegui.runs.titles import run_title, schedule_title


class StoppingJobs:
    """Stopping runs that no longer report events. Their folders stay in use until :meth:`pop`."""

    def __init__(self) -> None:
        self._entries: dict[RunJob, RunEntry] = {}

    @property
    def jobs(self) -> tuple[RunJob, ...]:
        """The jobs whose threads are still running."""
        return tuple(self._entries)

    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """Their runs, all of which are stopping."""
        return tuple(self._entries.values())

    def add(self, job: RunJob, entry: RunEntry) -> None:
        """Request that ``job`` stops and keeps its best plan, and deliver no more of its events."""
        job.stop_silently()
        entry.state, entry.pausing = RunState.STOPPING, False
        self._entries[job] = entry

    def pop(self, job: RunJob) -> RunEntry:
        """Remove and return the run of ``job``, whose thread has ended."""
        return self._entries.pop(job)

    def among(self, folders: Iterable[Path]) -> tuple[RunEntry, ...]:
        """Return the runs that still write to one of ``folders``."""
        wanted = tuple(folders)
        return tuple(entry for entry in self.entries if any(same_folder(entry.folder, one) for one in wanted))

    def skip_final_score(self, entry: RunEntry) -> bool:
        """Skip the final score of the run that writes to the folder of ``entry``.

        Return ``False`` if none does. The run is discarded if ``entry`` is.
        """
        found = False
        for job, stopping in self._entries.items():
            if same_folder(stopping.folder, entry.folder):
                stopping.discarding = stopping.discarding or entry.discarding
                job.control.request_stop(now=True)
                found = True
        return found


class RunList:
    """Every run once, by its folder; the oldest first. It includes the runs in ``stopping``."""

    def __init__(self, session: Session, stopping: StoppingJobs) -> None:
        self._session, self._stopping = session, stopping
        self._entries: list[RunEntry] = []

    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """The runs."""
        return tuple(self._entries)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folder of every run, whether it exists yet or not."""
        return tuple(entry.folder for entry in self._entries)

    def latest_project_of(self, goal: str) -> Project | None:
        """Return the project of the latest run with a goal, in the words of :func:`goal_short`."""
        return next((project for project in reversed(self._projects) if goal_short(project.plan) == goal), None)

    @property
    def first_project(self) -> Project | None:
        """The project of the first run."""
        return next(iter(self._projects), None)

    @property
    def _projects(self) -> list[Project]:
        return [entry.project for entry in self._entries if entry.project is not None]

    def in_folder(self, folder: Path) -> RunEntry | None:
        """Return the run in ``folder``, if it is listed."""
        return next((entry for entry in self._entries if same_folder(entry.folder, folder)), None)

    def title_of(self, entry: RunEntry) -> str:
        """Return the title of a listed run without a name, with its time where its number is not its own.

        A run that was copied here may have the number of another.
        """
        is_shared = sum(other.run_number == entry.run_number for other in self._entries) > 1
        return first_title(entry, self.folders, is_numbered=not is_shared)

    def add(self, entry: RunEntry) -> None:
        """Append a run."""
        entry.compare_inputs(self._session.project, self._session.unreached_regions)
        self._put(entry)
        self._give_titles()

    def remove(self, entry: RunEntry) -> None:
        """Remove a run, if it is listed."""
        if entry in self._entries:
            self._entries.remove(entry)
            self._give_titles()

    def remove_ended(self) -> None:
        """Remove every run that is neither active nor waiting."""
        self._entries = [entry for entry in self._entries if not entry.is_over]

    def clear(self) -> None:
        """Remove every run."""
        self._entries.clear()

    def read_project(self, live: Sequence[RunEntry]) -> tuple[InputError, ...]:
        """Read all runs in the folder of the open project; see :meth:`read`."""
        folder = self._session.source
        if folder is None:
            return ()
        # A stopping run may not have made its folder yet.
        ending = [entry.folder for entry in self._stopping.entries if same_folder(entry.folder.parent, folder / RUNS)]
        return self.read([*list_runs(folder), *ending], live)

    def read_new(self, live: Sequence[RunEntry]) -> tuple[InputError, ...]:
        """Read the runs that were copied into the folder of the open project since it was read."""
        folder = self._session.source
        new = [] if folder is None else [each for each in list_runs(folder) if self.in_folder(each) is None]
        return self.read(new, live) if new else ()

    def read(self, folders: Sequence[Path], live: Sequence[RunEntry]) -> tuple[InputError, ...]:
        """Read the runs in ``folders`` again, and replace their entries.

        ``live`` runs, and those still stopping, have not written everything yet and stay as they are. Returns why
        folders could not be read.
        """
        ending = self._stopping.among(folders)
        free = [one for one in folders if not any(same_folder(entry.folder, one) for entry in (*live, *ending))]
        found, problems = saved_runs(free, self._session.project)
        for entry in found:
            entry.read_only = self._session.is_read_only
            entry.compare_inputs(self._session.project, self._session.unreached_regions)
        for entry in (*found, *ending):
            self._put(entry)
        self._give_titles()
        return problems

    def _put(self, entry: RunEntry) -> None:
        old = self.in_folder(entry.folder)
        if old is None:
            self._entries.append(entry)
        else:
            self._entries[self._entries.index(old)] = entry

    def _give_titles(self) -> None:
        """Give the runs without a name titles that tell those of the same minute apart."""
        for entry in self._entries:
            if not entry.is_named:
                entry.title = self.title_of(entry)
        self.name_parents()

    def name_parents(self) -> None:
        """Set the names of the runs whose plans were edited by hand to make others."""
        for entry in self._entries:
            if entry.edited_from is not None:
                parent = self.in_folder(entry.edited_from)
                entry.parent = schedule_title(entry.edited_from) if parent is None else parent.title

    def mark_stale(self) -> None:
        """Mark every run whose inputs differ from the open project."""
        for entry in self._entries:
            entry.compare_inputs(self._session.project, self._session.unreached_regions)


# -- runs on disk ------------------------------------------------------------------------------------------------------
def saved_runs(folders: Sequence[Path], project: Project) -> tuple[tuple[RunEntry, ...], tuple[InputError, ...]]:
    """Return the runs in ``folders``, the oldest first, and why others could not be read.

    An empty folder counts as no run: it was killed before it wrote anything.
    """
    records, problems = [], []
    for folder in folders:
        if folder.is_dir() and not names_in(folder):
            continue
        try:
            records.append(read_run(folder))
        except InputError as error:
            problems.append(error)
    # Hashing a large event takes a moment, and a new project has no runs.
    event = event_hash(project) if records else ""
    records.sort(key=lambda record: record.header.started)
    return tuple(_saved_entry(record, project, event) for record in records), tuple(problems)


def new_entry(spec: FolderSpec) -> RunEntry:
    """Return the entry of a run that has not started yet."""
    stages = spec.stages if isinstance(spec, PlanSpec) else spec.as_plan().stages
    entry = RunEntry("", spec.out, spec.project, stages=stages, epochs=spec.project.plan.optimizer.epochs)
    entry.run_number = spec.number
    entry.label = (spec if isinstance(spec, PlanSpec) else spec.as_plan()).label
    if isinstance(spec, PlanSpec):
        entry.edited_from = spec.edited_from
    if isinstance(spec, ReplanSpec):
        entry.replans, entry.fire = True, DRAWN if spec.closed_loop else OBSERVED
        entry.note, entry.source = note_of(spec), spec.schedule_file
    entry.title = first_title(entry)
    return entry


def first_title(entry: RunEntry, others: Iterable[Path] | None = None, *, is_numbered: bool = True) -> str:
    """Return the :func:`run_title` of a run, with its kind if it is an exercise or a closed loop."""
    kind, note = "", entry.note
    if note is not None and note.closed_loop:
        kind = "closed loop" if note.exercise is None else f"exercise {note.exercise.title}"
    return run_title(entry.folder, others, entry.label, entry.run_number if is_numbered else None, kind)


def other_event_error(entry: RunEntry) -> InputError:
    """Return the error for a run of another event."""
    problem = Problem(entry.title, "was made on another event or fire model", "open the project it was made on")
    return InputError([problem], "The run does not fit the open project")


def read_saved_scores(entry: RunEntry) -> None:
    """Read the scores that the run of ``entry`` wrote at its end.

    Its last picture has another effectiveness.
    """
    # A run that failed early has none, and its own message reports that.
    with suppress(InputError):
        record = read_run(entry.folder)
        entry.plan, entry.reference = record.scores.design or entry.plan, record.scores.reference
        entry.nominal = entry.nominal or record.scores.nominal
        entry.read_saved(record)
    _read_replan_scores(entry)


def save_scores(entry: RunEntry) -> bool:
    """Write the scores of ``entry`` to its folder if its plan was saved without them.

    Return whether they were written. Only a run that ended by itself or was stopped gets them: the plan of another can
    still change. A folder that is being written, or that another window has, stays as it is.
    """
    if entry.read_only or entry.nominal is None or is_held(entry.folder):
        return False
    with suppress(InputError):
        lock = FolderLock(entry.folder)
        try:
            record = read_run(entry.folder)
            if record.state is RunState.FINISHED and record.scores.nominal is None:
                found = read_scores(entry.folder) if entry.replans else record.scores
                scores = replace(found, baseline=found.baseline or entry.baseline, nominal=entry.nominal)
                RunFolder(entry.folder).add_scores(record, scores)
                return True
        finally:
            lock.release()
    return False


def _saved_entry(record: RunRecord, project: Project, event: str) -> RunEntry:
    header, scores = record.header, record.scores
    ran = header.project.on(project) if header.event_hash == event else None
    entry = RunEntry(
        "",
        record.folder,
        ran,
        RunState.FINISHED,
        record.reason,
        epochs=record.settings.optimizer.epochs,
        stages=record.stages,
        baseline=record.baseline,
        plan=scores.design,
        nominal=scores.nominal,
        reference=scores.reference,
        message=header.message,
        replans=header.replan is not None,
        note=header.replan,
        source=record.warm_start_file,
        edited_from=record.edited_from,
        run_number=header.number,
        label=header.label,
        history=EpochHistory(record.history),
        removals=EliminationHistory(record.elimination),
    )
    entry.compare_inputs(project)
    if record.state is not RunState.FINISHED:
        entry.reason, entry.elsewhere = FinishReason.STOPPED, record.is_live
        entry.interrupted = not record.is_live
    entry.stage = Stage.PRUNE if len(entry.removals) else entry.stages[0]
    entry.read_saved(record)
    _read_replan_scores(entry)
    # Unreadable notes are reported where they are shown.
    with suppress(InputError):
        entry.title = read_name(record.folder)
        entry.notes = read_notes(record.folder)
    entry.is_named, entry.title = bool(entry.title), entry.title or first_title(entry)
    return entry


def _read_replan_scores(entry: RunEntry) -> None:
    """Read the scores of a replanned run, if they exist and can be read."""
    if entry.replans:
        with suppress(InputError):
            entry.replan = read_scores(entry.folder)
            entry.loop = entry.replan.loop
