"""Makes the robustness tables of the open project in a thread of its own, and opens those that were made before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings
from firegui.errors import InputError
from firegui.gui.jobs.long_work import Work
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import Execute, RunJob, wind_up_all
from firegui.gui.jobs.saved_runs import fitting_schedule
from firegui.gui.session.session import Session
from firegui.runs.command import with_command
from firegui.runs.events import (
    EliminationStep,
    EpochDone,
    FinishReason,
    Message,
    Progress,
    RunFinished,
    SensitivityReady,
    StageBegan,
)
from firegui.runs.lock import is_held
from firegui.runs.runner import execute as run_execute
from firegui.runs.sensitivity_folder import TABLE, AnyTable, SensitivityHeader, read_header, read_table
from firegui.runs.spec import SensitivitySpec

FOLDER = "sensitivity"
"""The folder of a project that holds its tables."""
KIND_TITLES = {
    SensitivityKind.EFFECTIVENESS: "Effectiveness scored at",
    SensitivityKind.POSE: "Perturbed poses",
    SensitivityKind.DESIGN: "Design effectiveness",
    SensitivityKind.RETARDANT_SIDE: "Where retardant acts",
}
_WHERE = "The robustness table"


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A table that lies in the project's folder. ``can_resume``: a sweep that was stopped before its last plan."""

    folder: Path
    header: SensitivityHeader
    has_table: bool
    can_resume: bool

    def title(self, today: date) -> str:
        """Kind and time of a table, for a list."""
        when = self.header.started.astimezone()
        clock = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
        return f"{clock} · {KIND_TITLES[self.header.kind]}{' · unfinished' if self.can_resume else ''}"


def saved_tables(project_folder: Path | None) -> tuple[SavedTable, ...]:
    """The tables in a project's folder, the latest first; what cannot be read is left out."""
    if project_folder is None or not (project_folder / FOLDER).is_dir():
        return ()
    found = []
    for folder in sorted((project_folder / FOLDER).iterdir()):
        with suppress(InputError):
            header = read_header(folder)
            ended = header.reason is FinishReason.COMPLETED
            can_resume = header.kind is SensitivityKind.DESIGN and not ended and not is_held(folder)
            found.append(SavedTable(folder, header, (folder / TABLE).is_file(), can_resume))
    found = [each for each in found if each.has_table or each.can_resume]
    return tuple(sorted(found, key=lambda each: each.header.started, reverse=True))


@dataclass(frozen=True, slots=True, eq=False)
class SensitivityRequest:
    """A table that is asked for: of the schedule in ``file`` (none for a sweep); ``epochs`` cap a sweep's plans."""

    kind: SensitivityKind
    settings: SensitivitySettings
    epochs: int
    file: Path | None = None


def requested_spec(
    request: SensitivityRequest, project: Project, folder: Path, out: Path, backend: str
) -> SensitivitySpec:
    """What is carried out for ``request``. Raises :class:`InputError` for a schedule that does not fit the project."""
    schedule: Schedule | None = None
    if request.file is not None:
        schedule = fitting_schedule(request.file, project)
    optimizer = replace(project.plan.optimizer, epochs=request.epochs)
    project = replace(project, plan=replace(project.plan, optimizer=optimizer))
    spec = SensitivitySpec(
        project, out, "", request.kind, request.settings, schedule, backend=backend, project_folder=folder,
        schedule_file=request.file,
    )  # fmt: skip
    return with_command(spec)


class SensitivityController(QObject):
    """One table at a time. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """Work began, went on or ended."""
    result_changed = Signal()
    """There is another table, or none any more."""
    saved_changed = Signal()
    """There may be other tables in the project's folder."""

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
        self._progress: Progress | None = None
        self._detail = ""
        self._stopping = False
        self._table: AnyTable | None = None
        self._folder: Path | None = None
        session.project_opened.connect(self._on_project_opened)
        session.folder_changed.connect(self.saved_changed)

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def table(self) -> AnyTable | None:
        """The table that is shown: the latest, one that was opened, or the rows of a sweep so far."""
        return self._table

    @property
    def folder(self) -> Path | None:
        """Where :attr:`table` lies."""
        return self._folder

    @property
    def is_busy(self) -> bool:
        """Whether a table is being made."""
        return self._job is not None

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop."""
        return self._job is not None and self._stopping

    @property
    def activity(self) -> str:
        """What is being done, or empty."""
        if self._job is None:
            return ""
        if self._stopping:
            return "Stopping…"
        step = self._progress
        if step is None:
            return "Preparing…"
        return f"{step.text}… ({min(step.done + 1, step.total)} of {step.total}){self._detail}"

    @property
    def share(self) -> float:
        """How much of the table is done, 0 … 1."""
        step = self._progress
        return step.done / step.total if step is not None and step.total else 0.0

    def saved(self) -> tuple[SavedTable, ...]:
        """The tables in the project's folder, the latest first."""
        return saved_tables(self._session.source)

    @property
    def today(self) -> date:
        """The date now."""
        return self._clock().date()

    def work(self) -> Work | None:
        """What would be lost if the project were left now."""
        if self._job is None:
            return None
        # Only the plans of a sweep are gone on with.
        sweeps = isinstance(self._job.spec, SensitivitySpec) and self._job.spec.kind is SensitivityKind.DESIGN
        return Work(_WHERE, "finished rows", self.stop, again=sweeps)

    # -- what can be asked -------------------------------------------------------------------------------------------
    def start(self, request: SensitivityRequest) -> None:
        """Make a table of the open project; nothing happens while one is made.

        Raises ``RuntimeError`` when the project was never saved. A schedule that does not fit is refused.
        """
        folder = self._session.folder
        if folder is None:
            raise RuntimeError("the project has no folder yet")
        if self._job is not None:
            return
        try:
            out = self._new_folder(folder, request.kind)
            spec = requested_spec(request, self._session.project, folder, out, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        self._begin(spec)

    def resume(self, earlier: SavedTable) -> None:
        """Finish a sweep that was stopped; plans that are done are kept."""
        folder, header = self._session.folder, earlier.header
        if self._job is not None or folder is None or not earlier.can_resume:
            return
        file = Path(header.schedule_file) if header.schedule_file else None
        request = SensitivityRequest(header.kind, header.settings, header.project.plan.optimizer.epochs, file)
        project = replace(
            self._session.project,
            plan=replace(self._session.project.plan, optimizer=header.project.plan.optimizer),
        )
        try:
            spec = requested_spec(request, project, folder, earlier.folder, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        self._begin(replace(spec, resume=True))

    def open(self, folder: Path) -> None:
        """Show the table in ``folder``; one that cannot be read is refused."""
        try:
            self._show(read_table(folder), folder)
        except InputError as error:
            self._session.refuse(error)

    def stop(self) -> None:
        """Stop; of a sweep the rows and plans so far are kept."""
        if self._job is not None:
            self._stopping = True
            self._job.control.request_stop()
            self.changed.emit()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        wind_up_all([*self._leaving, *([] if self._job is None else [self._job])])

    # -- at work -----------------------------------------------------------------------------------------------------
    def _new_folder(self, project_folder: Path, kind: SensitivityKind) -> Path:
        base = project_folder / FOLDER / f"{self._clock():%Y%m%d-%H%M%S}-{kind.value}"
        folder, number = base, 1
        while folder.exists():
            number += 1
            folder = base.with_name(f"{base.name}-{number}")
        return folder

    def _begin(self, spec: SensitivitySpec) -> None:
        job = self._job = RunJob(spec, self._execute, self)
        self._progress, self._detail, self._stopping = None, "", False
        # Methods, not lambdas: a ring of references may be collected in the job's thread, and Qt's objects with it.
        job.bridge.subscribe(Progress, self._on_progress)
        job.bridge.subscribe(StageBegan, self._on_stage)
        job.bridge.subscribe_batches(EpochDone, self._on_epochs)
        job.bridge.subscribe_batches(EliminationStep, self._on_removals)
        job.bridge.subscribe(Message, self._on_message)
        job.bridge.subscribe(SensitivityReady, self._on_table)
        job.bridge.subscribe(RunFinished, self._on_finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    def _show(self, table: AnyTable | None, folder: Path | None) -> None:
        self._table, self._folder = table, folder
        self.result_changed.emit()

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _on_progress(self, event: Progress) -> None:
        self._progress, self._detail = event, ""
        self.changed.emit()

    def _on_stage(self, event: StageBegan) -> None:
        self._detail = f" · stage {event.number} of {event.count}"
        self.changed.emit()

    def _on_epochs(self, epochs: list[EpochDone]) -> None:
        self._detail = f" · epoch {epochs[-1].epoch + 1:,} of {epochs[-1].epochs:,}"
        self.changed.emit()

    def _on_removals(self, steps: list[EliminationStep]) -> None:
        self._detail = f" · pruning, {steps[-1].drops:,} drops left"
        self.changed.emit()

    def _on_message(self, event: Message) -> None:
        if event.device is not None:
            self._session.note_device(event.device.backend, event.device.name)
        self._session.message.emit(event.text.splitlines()[0] if event.text else "")

    def _on_table(self, event: SensitivityReady) -> None:
        if self._job is not None and isinstance(self._job.spec, SensitivitySpec):
            self._show(event.table, self._job.spec.out)

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
        self.saved_changed.emit()

    def _on_project_opened(self) -> None:
        if self._job is not None:
            self._job.detach()
            self._leaving.append(self._job)
            self._job, self._progress = None, None
        self._show(None, None)
        self.changed.emit()
        self.saved_changed.emit()
