"""Small work beside the runs: one thing at a time, in a thread of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from firegui.gui.jobs.run_job import Execute, RunJob, wind_up_all
from firegui.runs.events import FieldDrawn, Progress, RunFinished
from firegui.runs.spec import RunSpec


class BackgroundJob(QObject):
    """What is asked for takes the place of what was asked before. :meth:`shutdown` must be called in the end."""

    changed = Signal()
    """Work began or ended."""
    news = Signal(object)
    """What an ensemble says: a field of errors."""
    progress = Signal(object)
    finished = Signal(object)
    """The ``RunFinished`` of the latest wish."""

    def __init__(self, execute: Execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._execute = execute
        self._job: RunJob | None = None
        self._leaving: list[RunJob] = []

    @property
    def is_busy(self) -> bool:
        """Whether there is work that somebody waits for."""
        return self._job is not None

    def ask(self, spec: RunSpec) -> None:
        """Carry this out, and nothing that was asked for before."""
        self.drop()
        job = self._job = RunJob(spec, self._execute, self)
        job.bridge.subscribe(FieldDrawn, self.news)
        job.bridge.subscribe(Progress, self.progress)
        job.bridge.subscribe(RunFinished, self.finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    def drop(self) -> None:
        """Forget what was asked for."""
        if self._job is None:
            return
        self._job.detach()
        self._leaving.append(self._job)
        self._job = None
        self.changed.emit()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        self.drop()
        wind_up_all(tuple(self._leaving))

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._job = None
            self.changed.emit()
        else:
            self._leaving.remove(job)
        job.deleteLater()
