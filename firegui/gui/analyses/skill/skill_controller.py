"""Scores the forecast of the open project in a thread of its own, and keeps what came out."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from firegui.domain.project import Project
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import Execute, RunJob, wind_up_all
from firegui.gui.session.session import Session
from firegui.runs.events import FinishReason, Message, Progress, RunFinished, SkillReady
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import SkillSpec

_WHERE = "The forecast"


class SkillController(QObject):
    """One scoring at a time. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """Work began, went on or ended, or the project was edited since."""
    result_changed = Signal()
    """There are other scores, or none any more."""

    def __init__(self, session: Session, *, execute: Execute = run_execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._execute = session, execute
        self._job: RunJob | None = None
        self._leaving: list[RunJob] = []
        self._progress: Progress | None = None
        self._stopping = False
        self._asked: Project | None = None
        self._result: tuple[SkillReady, Project] | None = None
        session.project_opened.connect(self._on_project_opened)
        session.project_edited.connect(self.changed)

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def result(self) -> SkillReady | None:
        """The latest scores, of the project as it was then."""
        return None if self._result is None else self._result[0]

    @property
    def scored(self) -> Project | None:
        """The project that :attr:`result` is of."""
        return None if self._result is None else self._result[1]

    @property
    def is_stale(self) -> bool:
        """Whether the event or its fire model is another since the scores were made."""
        return self.scored is not None and self._session.has_project and not _same(self.scored, self._session.project)

    @property
    def is_busy(self) -> bool:
        """Whether a forecast is being scored."""
        return self._job is not None

    @property
    def activity(self) -> str:
        """What is being done, or empty."""
        if self._job is None:
            return ""
        if self._stopping:
            return "Stopping…"
        step = self._progress
        return "Preparing…" if step is None else f"{step.text}… ({step.done + 1} of {step.total})"

    # -- what can be asked -------------------------------------------------------------------------------------------
    def score(self, days: int, fit_days: int) -> None:
        """Roll the open project's fire model out for ``days`` days and score it; nothing happens while one is."""
        if self._job is not None:
            return
        self._asked = self._session.project
        spec = SkillSpec(self._asked, days, fit_days, self._session.backend)
        job = self._job = RunJob(spec, self._execute, self)
        self._progress, self._stopping = None, False
        job.bridge.subscribe(Progress, self._on_progress)
        job.bridge.subscribe(Message, self._on_message)
        # A method, not a lambda: a ring of references may be collected in the job's thread, and Qt's objects with it.
        job.bridge.subscribe(SkillReady, self._keep)
        job.bridge.subscribe(RunFinished, self._on_finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    def stop(self) -> None:
        """Give the scoring up; the scores that were there before stay."""
        if self._job is not None:
            self._stopping = True
            self._job.control.request_stop()
            self.changed.emit()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        wind_up_all([*self._leaving, *([] if self._job is None else [self._job])])

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _on_progress(self, event: Progress) -> None:
        self._progress = event
        self.changed.emit()

    def _on_message(self, event: Message) -> None:
        self._session.message.emit(event.text.splitlines()[0] if event.text else "")

    def _keep(self, event: SkillReady) -> None:
        if self._asked is not None:
            self._result = event, self._asked
            self.result_changed.emit()

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, _WHERE, event)
        else:
            self._session.message.emit(f"{_WHERE}: {event.message}")

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._job, self._progress = None, None
        else:
            self._leaving.remove(job)
        job.deleteLater()
        self.changed.emit()

    def _on_project_opened(self) -> None:
        if self._job is not None:
            self._job.detach()
            self._leaving.append(self._job)
            self._job, self._progress = None, None
        self._result = None
        self.result_changed.emit()
        self.changed.emit()


def _same(one: Project, other: Project) -> bool:
    return (
        one.scenario is other.scenario
        and one.fire_model == other.fire_model
        and one.maps is other.maps
        and one.weights is other.weights
    )
