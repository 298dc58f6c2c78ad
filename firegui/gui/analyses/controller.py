"""What a desk is: one piece of long work on the open project at a time, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.long_work import Work
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import Execute, RunJob, wind_up_all
from firegui.gui.session.session import Session
from firegui.runs.events import FinishReason, Message, RunFinished
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import RunSpec


class AnalysisController(QObject):
    """A kind of desk says how it is called and what stopping keeps, and fills in :meth:`_listen` and what follows it.

    :meth:`shutdown` must be called before the program ends.
    """

    title = ""
    """``The benchmark``: what people are told about."""
    kept = ""
    """``finished tasks``: what stopping keeps."""

    changed = Signal()
    """Work began, went on or ended."""
    result_changed = Signal()
    """There is another result, more of it, or none any more."""
    saved_changed = Signal()
    """There may be other results in the project's folder."""

    def __init__(
        self,
        session: Session,
        *,
        execute: Execute = run_execute,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._execute, self._clock = session, execute, clock
        self._job: RunJob | None = None
        self._leaving: list[RunJob] = []
        self._stopping = False
        session.project_opened.connect(self._on_project_opened)
        session.folder_changed.connect(self.saved_changed)

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def is_busy(self) -> bool:
        """Whether it works."""
        return self._job is not None

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._job is not None and self._stopping

    @property
    def today(self) -> date:
        """The date now."""
        return self._clock().date()

    def work(self) -> Work | None:
        """What would be lost if the project were left now."""
        return Work(self.title, self.kept, self.stop) if self._job is not None else None

    # -- what can be asked -------------------------------------------------------------------------------------------
    def stop(self) -> None:
        """Stop, and keep what there is."""
        if self._job is not None:
            self._stopping = True
            self._job.control.request_stop()
            self.changed.emit()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        wind_up_all([*self._leaving, *([] if self._job is None else [self._job])])

    # -- what a kind of desk fills in --------------------------------------------------------------------------------
    def _listen(self, bridge: EventBridge) -> None:
        """Subscribe to the events of a run, with bound methods."""
        raise NotImplementedError

    def _forget(self) -> None:
        """The work is over or was left: what it said of itself counts for nothing any more."""
        raise NotImplementedError

    def _clear(self) -> None:
        """Another project was opened: what was shown is of none any more."""
        raise NotImplementedError

    # -- at work -----------------------------------------------------------------------------------------------------
    def _new_folder(self, parent: Path, ending: str) -> Path:
        """``YYYYMMDD-HHMMSS-ending`` in ``parent``, with a number behind it where that is there already."""
        base = parent / f"{self._clock():%Y%m%d-%H%M%S}-{ending}"
        folder, count = base, 1
        while folder.exists():
            count += 1
            folder = base.with_name(f"{base.name}-{count}")
        return folder

    def _begin(self, spec: RunSpec) -> None:
        job = self._job = RunJob(spec, self._execute, self)
        self._stopping = False
        self._forget()
        job.bridge.subscribe(Message, self._on_message)
        self._listen(job.bridge)
        job.bridge.subscribe(RunFinished, self._on_finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _on_message(self, event: Message) -> None:
        if event.device is not None:
            self._session.note_device(event.device.backend, event.device.name)
        self._session.message.emit(event.text.splitlines()[0] if event.text else "")

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, self.title, event)
        else:
            self._session.message.emit(f"{self.title}: {event.message}")

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._job = None
            self._forget()
        else:
            self._leaving.remove(job)
        job.deleteLater()
        self.changed.emit()
        self.saved_changed.emit()

    def _on_project_opened(self) -> None:
        if self._job is not None:
            self._job.detach()
            self._leaving.append(self._job)
            self._job = None
        self._forget()
        self._clear()
        self.changed.emit()
        self.saved_changed.emit()
