"""The runs of the open project, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_requests import RUNS, same_inputs
from firegui.gui.jobs.saved_runs import found_runs, same_folder
from firegui.gui.jobs.stopping_jobs import StoppingJobs
from firegui.gui.session.session import Session
from firegui.io.project_store import list_runs


class RunList:
    """Every run once, by its folder; the oldest first. A run in ``leaving`` is listed as one that is stopping."""

    def __init__(self, session: Session, clock: Callable[[], datetime], leaving: StoppingJobs) -> None:
        self._session, self._clock, self._leaving = session, clock, leaving
        self._entries: list[RunEntry] = []

    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """The runs."""
        return tuple(self._entries)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folder of every run, there or not yet."""
        return tuple(entry.folder for entry in self._entries)

    def in_folder(self, folder: Path) -> RunEntry | None:
        """The run in ``folder``, if it is listed."""
        return next((entry for entry in self._entries if same_folder(entry.folder, folder)), None)

    def add(self, entry: RunEntry) -> None:
        """Append a run."""
        self._entries.append(entry)

    def remove(self, entry: RunEntry) -> None:
        """Take a run off, if it is listed."""
        if entry in self._entries:
            self._entries.remove(entry)

    def drop_ended(self) -> None:
        """Take every run off that neither works nor waits."""
        self._entries = [entry for entry in self._entries if not entry.is_over]

    def clear(self) -> None:
        """Take every run off."""
        self._entries.clear()

    def read_project(self, live: Sequence[RunEntry]) -> tuple[InputError, ...]:
        """Like :meth:`read`, for all runs in the folder of the open project."""
        folder = self._session.source
        if folder is None:
            return ()
        # One that is still ending may not have made its folder yet.
        ending = [entry.folder for entry in self._leaving.entries if same_folder(entry.folder.parent, folder / RUNS)]
        return self.read([*list_runs(folder), *ending], live)

    def read(self, folders: Sequence[Path], live: Sequence[RunEntry]) -> tuple[InputError, ...]:
        """Take in the runs in ``folders`` as they are on disk, instead of what was listed of them.

        ``live`` runs, and those still ending, have not written all yet and stay as they are. Returns what was wrong.
        """
        ending = self._leaving.among(folders)
        free = [one for one in folders if not any(same_folder(entry.folder, one) for entry in (*live, *ending))]
        found = found_runs(free, self._session.project, self._clock().date())
        for entry in found.entries:
            entry.read_only = self._session.is_read_only
            self._put(entry)
        for entry in ending:
            self._put(entry)
        return found.problems

    def _put(self, entry: RunEntry) -> None:
        old = self.in_folder(entry.folder)
        if old is None:
            self._entries.append(entry)
        else:
            self._entries[self._entries.index(old)] = entry

    def mark_stale(self, project: Project) -> None:
        """Mark every run that ``project`` would not repeat."""
        for entry in self._entries:
            entry.stale = entry.project is None or not same_inputs(entry.project, project)
