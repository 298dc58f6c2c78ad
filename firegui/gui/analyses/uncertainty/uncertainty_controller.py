"""Draws the ensembles of the open project in a thread of its own, and opens those that were drawn before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from firegui.domain.ensemble import Ensemble
from firegui.domain.uncertainty import (
    PAPER_BEAR,
    ErrorModel,
    ErrorSource,
    Semivariogram,
    UncertaintyKind,
    UncertaintySettings,
)
from firegui.errors import InputError
from firegui.gui.analyses.uncertainty.saved_ensembles import (
    FOLDER,
    Residuals,
    SavedEnsemble,
    UncertaintyRequest,
    project_then,
    requested_spec,
    saved_ensembles,
    saved_variogram,
)
from firegui.gui.base.number_text import duration, number
from firegui.gui.jobs.background_job import BackgroundJob
from firegui.gui.jobs.long_work import Work
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import Execute, RunJob, wind_up_all
from firegui.gui.session.session import Session
from firegui.runs.events import (
    EnsembleReady,
    ErrorFitted,
    FieldDrawn,
    FinishReason,
    MembersDone,
    Message,
    Progress,
    RunFinished,
)
from firegui.runs.runner import execute as run_execute
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import ErrorFieldSpec, UncertaintySpec
from firegui.runs.uq_folder import EnsembleHeader, read_ensemble, read_header

_WHERE = "The ensemble"


@dataclass(frozen=True, slots=True, eq=False)
class ShownEnsemble:
    """An ensemble on screen, made with ``settings`` of ``project``; ``header`` is that of its ``folder``, once there.

    ``error`` is its error model, where it has one, ``variogram`` and ``residuals`` are what that was fitted to.
    """

    folder: Path
    ensemble: Ensemble | None
    settings: UncertaintySettings
    project: ProjectSnapshot
    header: EnsembleHeader | None = None
    error: ErrorModel | None = None
    variogram: Semivariogram | None = None
    residuals: Residuals = field(default_factory=Residuals)

    @property
    def regions(self) -> bool:
        """Whether there are protected regions."""
        return bool(self.project.regions)

    @property
    def is_fitted(self) -> bool:
        """Whether its error model was fitted to the project's own perimeters."""
        return self.settings.kind is UncertaintyKind.EPISTEMIC and self.settings.error is ErrorSource.FITTED

    def field_spec(self, member: int, day: int) -> ErrorFieldSpec | None:
        """The field of errors that a member meets at the end of ``day``, from 1 on; ``None`` without an error model."""
        if self.error is None:
            return None
        return ErrorFieldSpec(self.error, self.project.grid.shape, self.settings.seed, member, day - 1)


class UncertaintyController(QObject):
    """One ensemble at a time. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """Work began, went on or ended."""
    result_changed = Signal()
    """There is another ensemble, more of it, or none any more."""
    field_changed = Signal()
    """There is another field of errors, or none any more, or one is being drawn."""
    saved_changed = Signal()
    """There may be other ensembles in the project's folder."""

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
        self._told: MembersDone | None = None
        self._step = ""
        self._stopping = False
        self._shown: ShownEnsemble | None = None
        self.exports, self._fields = BackgroundJob(execute, self), BackgroundJob(execute, self)
        self._field: FieldDrawn | None = None
        self._fields.changed.connect(self.field_changed)
        self._fields.news.connect(self._on_field)
        self._fields.finished.connect(self._on_field_finished)
        session.project_opened.connect(self._on_project_opened)
        session.folder_changed.connect(self.saved_changed)

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def shown(self) -> ShownEnsemble | None:
        """What is on screen: the ensemble that is drawn, the latest, or one that was opened."""
        return self._shown

    @property
    def is_settled(self) -> bool:
        """Whether what is on screen lies in its folder and nobody adds to it."""
        return self._shown is not None and self._shown.header is not None and not self._draws(self._shown)

    @property
    def field(self) -> FieldDrawn | None:
        """The latest field of errors of the ensemble on screen."""
        return self._field

    @property
    def draws_field(self) -> bool:
        """Whether another one is being drawn."""
        return self._fields.is_busy

    @property
    def is_busy(self) -> bool:
        """Whether an ensemble is being drawn."""
        return self._job is not None

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._job is not None and self._stopping

    @property
    def activity(self) -> str:
        """What is being done and how long the rest takes, or empty."""
        if self._job is None:
            return ""
        if self._stopping:
            return "Stopping…"
        if self._told is None:
            return f"{self._step or 'Preparing'}…"
        told = self._told
        return f"Member {told.done:,} of {told.members:,} · {duration(told.left)} left"

    @property
    def running_means(self) -> str:
        """The means so far, while members are drawn; else empty."""
        told = self._told
        if self._job is None or told is None:
            return ""
        text = f"Final extent so far, cells: no drops {number(told.baseline)}"
        if told.plan is None or told.worse is None:
            return text
        return f"{text}, plan {number(told.plan)}; more burns with the plan in {told.worse:.1%}"

    @property
    def share(self) -> float:
        """How much of the ensemble is done, 0 … 1."""
        told = self._told
        return told.done / told.members if told is not None and told.members else 0.0

    def saved(self) -> tuple[SavedEnsemble, ...]:
        """The ensembles in the project's folder, the latest first."""
        return saved_ensembles(self._session.source)

    @property
    def today(self) -> date:
        """The date now."""
        return self._clock().date()

    def work(self) -> Work | None:
        """What would be lost if the project were left now."""
        return Work(_WHERE, "finished members", self.stop) if self._job is not None else None

    # -- what can be asked -------------------------------------------------------------------------------------------
    def start(self, request: UncertaintyRequest) -> None:
        """Draw an ensemble of the open project; nothing happens while one is drawn.

        Raises ``RuntimeError`` when the project was never saved. A schedule that does not fit is refused.
        """
        folder = self._session.folder
        if folder is None:
            raise RuntimeError("the project has no folder yet")
        if self._job is not None:
            return
        try:
            out = self._new_folder(folder, request.settings.kind)
            spec = requested_spec(request, self._session.project, folder, out, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        self._begin(spec)

    def resume(self, earlier: SavedEnsemble, members: int) -> None:
        """Draw more members of an ensemble, up to ``members``; those that are done are kept."""
        folder, header = self._session.folder, earlier.header
        if self._job is not None or folder is None or not earlier.can_resume(members):
            return
        file = Path(header.schedule_file) if header.schedule_file else None
        request = UncertaintyRequest(replace(header.settings, members=members), file)
        try:
            project = project_then(header, self._session.project)
            spec = requested_spec(request, project, folder, earlier.folder, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        self._begin(replace(spec, resume=True), earlier)

    def open(self, folder: Path) -> None:
        """Show the ensemble in ``folder``; one that cannot be read is refused."""
        try:
            header, ensemble = read_ensemble(folder)
        except InputError as error:
            self._session.refuse(error)
            return
        self._show(
            ShownEnsemble(
                folder, ensemble, header.settings, header.project, header, header.error, saved_variogram(folder),
                Residuals.in_folder(folder),
            )
        )  # fmt: skip

    def draw_field(self, member: int, day: int) -> None:
        """Draw the field of errors that a member of the ensemble on screen meets at the end of ``day``, from 1 on."""
        spec = None if self._shown is None else self._shown.field_spec(member, day)
        if spec is not None:
            self._fields.ask(spec)

    def stop(self) -> None:
        """Stop; members that are done are kept."""
        if self._job is not None:
            self._stopping = True
            self._job.control.request_stop()
            self.changed.emit()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        for side in (self.exports, self._fields):
            side.shutdown()
        wind_up_all([*self._leaving, *([] if self._job is None else [self._job])])

    # -- at work -----------------------------------------------------------------------------------------------------
    def _new_folder(self, project_folder: Path, kind: UncertaintyKind) -> Path:
        base = project_folder / FOLDER / f"{self._clock():%Y%m%d-%H%M%S}-{kind.value}"
        folder, count = base, 1
        while folder.exists():
            count += 1
            folder = base.with_name(f"{base.name}-{count}")
        return folder

    def _begin(self, spec: UncertaintySpec, earlier: SavedEnsemble | None = None) -> None:
        job = self._job = RunJob(spec, self._execute, self)
        self._told, self._step, self._stopping = None, "", False
        if earlier is None or self._shown is None or self._shown.folder != earlier.folder:
            self._show(
                ShownEnsemble(
                    spec.out, None, spec.settings, ProjectSnapshot.of(spec.project), None, _known_error(spec, earlier),
                    saved_variogram(spec.out), Residuals.in_folder(spec.out),
                )
            )  # fmt: skip
        # Methods, not lambdas: a ring of references may be collected in the job's thread, and Qt's objects with it.
        job.bridge.subscribe(Progress, self._on_progress)
        job.bridge.subscribe(Message, self._on_message)
        job.bridge.subscribe(ErrorFitted, self._on_news)
        job.bridge.subscribe(MembersDone, self._on_news)
        job.bridge.subscribe(EnsembleReady, self._on_news)
        job.bridge.subscribe(RunFinished, self._on_finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    def _show(self, shown: ShownEnsemble | None) -> None:
        before, self._shown = self._shown, shown
        if before is None or shown is None or (before.folder, before.error) != (shown.folder, shown.error):
            self._field = None
            self._fields.drop()
            self.field_changed.emit()
        self.result_changed.emit()

    def _draws(self, shown: ShownEnsemble) -> bool:
        """Whether members of this ensemble are being drawn."""
        return self._job is not None and getattr(self._job.spec, "out", None) == shown.folder

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _on_progress(self, event: Progress) -> None:
        self._step = event.text
        self.changed.emit()

    def _on_message(self, event: Message) -> None:
        if event.device is not None:
            self._session.note_device(event.device.backend, event.device.name)
        self._session.message.emit(event.text.splitlines()[0] if event.text else "")

    def _on_news(self, event: ErrorFitted | MembersDone | EnsembleReady) -> None:
        if isinstance(event, MembersDone):
            self._told = event
            self.changed.emit()
            return
        # Another ensemble may have been opened since; what is drawn lies in its folder all the same.
        if self._shown is None or not self._draws(self._shown):
            return
        if isinstance(event, EnsembleReady):
            self._shown = replace(self._shown, ensemble=event.ensemble)
            self._settle(self._shown)
        else:
            fit = event.fit
            residuals = Residuals(fit.days, fit)
            self._show(replace(self._shown, error=fit.error, variogram=fit.variogram, residuals=residuals))

    def _on_field(self, event: FieldDrawn) -> None:
        self._field = event
        self.field_changed.emit()

    def _on_field_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, "The error field", event)

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, _WHERE, event)
        else:
            self._session.message.emit(f"{_WHERE}: {event.message}")
        if self._shown is not None and event.folder == self._shown.folder:
            self._settle(self._shown)

    def _settle(self, shown: ShownEnsemble) -> None:
        """Show it, with what its folder says of itself by now."""
        with suppress(InputError):
            header = read_header(shown.folder)
            shown = replace(shown, header=header, error=header.error or shown.error)
        self._show(shown)

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._job, self._told = None, None
            if self._shown is not None and self._shown.ensemble is None:
                self._show(None)
        else:
            self._leaving.remove(job)
        job.deleteLater()
        self.changed.emit()
        self.saved_changed.emit()

    def _on_project_opened(self) -> None:
        if self._job is not None:
            self._job.detach()
            self._leaving.append(self._job)
            self._job, self._told = None, None
        self._show(None)
        self.changed.emit()
        self.saved_changed.emit()


def _known_error(spec: UncertaintySpec, earlier: SavedEnsemble | None) -> ErrorModel | None:
    """The error model that is known before anything is computed."""
    if earlier is not None:
        return earlier.header.error
    of_paper = spec.settings.kind is UncertaintyKind.EPISTEMIC and spec.settings.error is ErrorSource.PAPER
    return replace(PAPER_BEAR, mode=spec.settings.mode, threshold=spec.settings.threshold) if of_paper else None
