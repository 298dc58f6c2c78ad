"""The runs of the open project, in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.jobs.entry import RunEntry
from firegui.gui.jobs.listing import found_runs
from firegui.gui.jobs.specs import same_inputs


class RunList:
    """Every run once, by its folder; the oldest first."""

    def __init__(self) -> None:
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
        return next((entry for entry in self._entries if entry.folder == folder), None)

    def add(self, entry: RunEntry) -> None:
        """Append a run."""
        self._entries.append(entry)

    def remove(self, entry: RunEntry) -> None:
        """Take a run off, if it is listed."""
        if entry in self._entries:
            self._entries.remove(entry)

    def clear(self) -> None:
        """Take every run off."""
        self._entries.clear()

    def read(self, folders: Sequence[Path], project: Project, today: date) -> tuple[InputError, ...]:
        """Take in the runs in ``folders``, instead of what was listed of them; returns what was wrong."""
        found = found_runs(folders, project, today)
        for entry in found.entries:
            old = self.in_folder(entry.folder)
            if old is not None:
                self._entries.remove(old)
            self._entries.append(entry)
        return found.problems

    def mark_stale(self, project: Project) -> None:
        """Mark every run that ``project`` would not repeat."""
        for entry in self._entries:
            entry.stale = entry.project is None or not same_inputs(entry.project, project)
