"""Runs whose project was left while they worked: they still write to their folders until their threads have ended."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import RunJob
from firegui.gui.jobs.saved_runs import same_folder
from firegui.runs.events import RunState


class StoppingJobs:
    """Nobody hears from these runs any more. Their folders are free for nobody before :meth:`pop`."""

    def __init__(self) -> None:
        self._entries: dict[RunJob, RunEntry] = {}

    @property
    def jobs(self) -> tuple[RunJob, ...]:
        """The threads that still work."""
        return tuple(self._entries)

    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """Their runs, all of them stopping."""
        return tuple(self._entries.values())

    def add(self, job: RunJob, entry: RunEntry) -> None:
        """Silence ``job`` and ask it to stop and keep its best."""
        job.detach()
        entry.state, entry.pausing = RunState.STOPPING, False
        self._entries[job] = entry

    def pop(self, job: RunJob) -> RunEntry:
        """The run of ``job``, whose thread has ended."""
        return self._entries.pop(job)

    def among(self, folders: Iterable[Path]) -> tuple[RunEntry, ...]:
        """The runs that still write to one of ``folders``."""
        looked_for = tuple(folders)
        return tuple(entry for entry in self.entries if any(same_folder(entry.folder, one) for one in looked_for))

    def hurry(self, entry: RunEntry) -> bool:
        """Ask the run that writes to the folder of ``entry`` to end without its final score; ``False``: there is none.

        What is to become of ``entry`` becomes of that run.
        """
        found = False
        for job, leaving in self._entries.items():
            if same_folder(leaving.folder, entry.folder):
                leaving.discarding = leaving.discarding or entry.discarding
                job.control.request_stop(now=True)
                found = True
        return found
