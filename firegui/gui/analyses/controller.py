"""Base class of analysis controllers: one run at a time, the shown result and the saved ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from PySide6.QtCore import QObject, Signal

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.analyses.saved_results import SavedResults, copy_files, result_files
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import Execute, RunJob, UnfinishedWork, stop_and_join
from firegui.gui.session.session import Session
from firegui.io.paths import real_path
from firegui.runs.events import Message, Progress, RunFinished, StageBegan
from firegui.runs.header import SavedHeader
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import RunSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason
from firegui.runs.titles import schedule_title

Table = TypeVar("Table")
Header = TypeVar("Header")
Request = TypeVar("Request")
Saved = TypeVar("Saved")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, eq=False)
class AnalysisResult(Generic[Table, Header]):
    """Result of an analysis of ``project``: the ``table`` so far, and the saved ``header`` if any.

    A result without a folder of its own has an empty path as ``folder``.
    """

    folder: Path
    project: Project
    table: Table | None = None
    header: Header | None = None


Result = TypeVar("Result", bound=AnalysisResult[Any, Any])


class AnalysisController(QObject, Generic[Request, Result, Saved]):
    """Controller of one kind of analysis: runs it in a thread, and holds the shown result.

    Subclasses define the texts, :attr:`saved_results` and the methods under "for subclasses". :meth:`shutdown` must be
    called before the program ends.
    """

    title: ClassVar[str] = ""
    """For messages: ``The benchmark``."""
    kept: ClassVar[str] = ""
    """What stopping keeps, such as ``finished tasks``. Empty if the run is stopped without a question."""
    export_suffixes: ClassVar[tuple[str, ...]] = ()
    """Suffixes of the files that :meth:`export` copies."""

    saved_results: ClassVar[SavedResults[Any] | None] = None
    """Where results are saved; ``None`` if they are kept in memory or each in a single file."""
    result_type: ClassVar[type[AnalysisResult[Any, Any]]] = AnalysisResult
    """Class of the results."""

    changed = Signal()
    """A run started, made progress or ended."""
    result_changed = Signal()
    """The shown result was replaced, extended or cleared."""
    saved_changed = Signal()
    """The results in the project's folder may have changed."""
    ready = Signal(str)
    """A run is complete: a sentence that names it and says what it came to."""

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
        self._subject = ""
        self._stopping_jobs: list[RunJob] = []
        self._stopping = self._listed = self._is_shut_down = False
        self._shown: Result | None = None
        self._clear_progress()
        self.changed.connect(self._follow_pace)
        session.project_opened.connect(self._on_project_opened)
        session.folder_changed.connect(self.saved_changed)

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def is_busy(self) -> bool:
        """Whether a run is in progress."""
        return self._job is not None

    @property
    def is_stopping(self) -> bool:
        """Whether the run was requested to stop."""
        return self._job is not None and self._stopping

    @property
    def activity(self) -> str:
        """Text on what the run is doing and how long the rest takes; empty without a run."""
        if self._job is None:
            return ""
        return "Stopping…" if self._stopping else self._progress_text()

    @property
    def share(self) -> float:
        """Share of the run that is done, 0 … 1."""
        step = self._step
        if step is not None and step.share is not None:
            return step.share
        return step.done / step.total if step is not None and step.total else 0.0

    @property
    def name(self) -> str:
        """What runs, with the plan that it is about: ``Stress test of Whole fire, 24 Nov 11:56``."""
        kind = self.title.removeprefix("The ")
        subject = f" of {self._subject}" if self._job is not None and self._subject else ""
        return f"{kind[:1].upper()}{kind[1:]}{subject}"

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the end at the pace of the run so far; ``None`` before its pace is known."""
        (began, first), (at, share) = self._pace_from, self._pace_to
        if share <= first:
            return None
        pace = (at - began).total_seconds() / (share - first)
        return max(pace * (1.0 - share) - (self._clock() - at).total_seconds(), 0.0)

    @property
    def shown(self) -> Result | None:
        """The shown result: of the current run, of the latest one, or one that was opened."""
        return self._shown

    @property
    def shows_running(self) -> bool:
        """Whether the shown result is that of the current run."""
        return self._shown is not None and self._job is not None and self._shown.folder == self._out

    @property
    def today(self) -> date:
        """The current date."""
        return self._clock().date()

    def saved(self) -> tuple[Saved, ...]:
        """Return the results in the project's folder, the latest first."""
        return () if self.saved_results is None else self.saved_results.in_project(self._session.source)

    def work(self) -> UnfinishedWork | None:
        """Return the work that would be lost if the project were closed now."""
        return UnfinishedWork(self.title, self.kept, self.stop) if self._job is not None and self.kept else None

    # -- commands ----------------------------------------------------------------------------------------------------
    def start(self, request: Request, project: Project | None = None) -> None:
        """Start the analysis of ``project``, by default the open one; ignored during a run.

        Unsuitable inputs are refused. Raises ``RuntimeError`` if the analysis needs the project's folder and the
        project was never saved.
        """
        if self._job is None:
            self._launch(lambda: self._new_spec(request, project or self._session.project))

    def resume(self, saved: Saved, request: Request | None = None) -> None:
        """Continue a saved run from what is done. ``request`` may extend it."""
        if self._job is None and self._session.folder is not None:
            self._launch(lambda: self._resumed_spec(saved, request))

    def open(self, folder: Path) -> None:
        """Show the result in ``folder``; refuse one that cannot be read."""
        result = self._or_refused(lambda: self._read(folder))
        if result is not None:
            self._show(result)

    def stop(self) -> None:
        """Stop the run, and keep what is done."""
        if self._job is not None:
            self._stopping = True
            self._job.control.request_stop()
            self.changed.emit()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has finished. No run starts after it."""
        self._is_shut_down = True
        stop_and_join([*self._stopping_jobs, *([] if self._job is None else [self._job])])

    # -- export ------------------------------------------------------------------------------------------------------
    def exported_names(self, out: Path) -> tuple[str, ...]:
        """Return the names of the files that :meth:`export` would write to ``out``, none if it would refuse."""
        if self._shown is None or self.saved_results is None or real_path(out) == real_path(self._shown.folder):
            return ()
        with suppress(InputError):
            store = self.saved_results.store
            return tuple(path.name for path in result_files(self._shown.folder, self.export_suffixes, store))
        return ()

    def export(self, out: Path) -> None:
        """Copy the tables and figures of the shown result to ``out``, and report the written files."""
        if self._shown is None or self.saved_results is None:
            return
        folder, store = self._shown.folder, self.saved_results.store
        names = self._or_refused(
            lambda: copy_files(result_files(folder, self.export_suffixes, store), out, folder, store.thing)
        )
        if names is not None:
            self._session.message.emit(f"Wrote {', '.join(names)} to {out}{self._export_remark(names)}")

    # -- for subclasses ----------------------------------------------------------------------------------------------
    def _new_spec(self, request: Request, project: Project) -> RunSpec:
        """Return the spec of a new run of ``project``. Raises :class:`InputError` for unsuitable inputs."""
        raise NotImplementedError

    def _resumed_spec(self, saved: Saved, request: Request | None) -> RunSpec | None:
        """Return the spec that continues a saved run; ``None`` if nothing is left to do.

        Raises like :meth:`_new_spec`.
        """
        raise NotImplementedError

    def _first_result(self, spec: Any) -> Result | None:
        """Return what is shown until the run has a result; by default the result shown before.

        Raises :class:`InputError` if the folder of a resumed run cannot be read.
        """
        return self._shown

    def _read(self, folder: Path) -> Result:
        """Return the result in ``folder``. Raises :class:`InputError`."""
        raise NotImplementedError

    def _connect_events(self, bridge: EventBridge) -> None:
        """Subscribe to the events of a run, with bound methods."""
        raise NotImplementedError

    def _clear_progress(self) -> None:
        """Reset the progress of the last run. Overriding methods call it."""
        self._step: Progress | None = None
        # Time and share at the first progress of this run, which may have been resumed, and at the latest one.
        self._pace_from = self._pace_to = (self._clock(), 1.0)

    def _progress_text(self) -> str:
        """Return the text of :attr:`activity` for a run that is not stopping."""
        step = self._step
        return "Preparing…" if step is None else f"{step.text}… ({min(step.done + 1, step.total)} of {step.total})"

    def _ready_text(self, event: RunFinished) -> str:
        """Return the sentence of :attr:`ready`."""
        return f"{self.name} is ready: {event.message}"

    def _export_remark(self, names: tuple[str, ...]) -> str:
        """Return the text that follows the names of exported files."""
        return ""

    # -- the run -----------------------------------------------------------------------------------------------------
    @property
    def _project_folder(self) -> Path:
        if self._session.folder is None:
            raise RuntimeError("the project has no folder yet")
        return self._session.folder

    @property
    def _out(self) -> Path | None:
        """The folder of the current run."""
        return None if self._job is None else getattr(self._job.spec, "out", None)

    def _new_folder(self, ending: str) -> Path:
        assert self.saved_results is not None
        return self.saved_results.new_folder(self._project_folder, self._clock(), ending)

    def _launch(self, make_spec: Callable[[], RunSpec | None]) -> None:
        made = None if self._is_shut_down else self._or_refused(lambda: self._spec_and_result(make_spec()))
        if made is None:
            return
        spec, first = made
        file = getattr(spec, "schedule_file", None)
        # The title is read from files, and the status bar asks for it many times a second.
        self._subject = "" if file is None else schedule_title(file)
        job = self._job = RunJob(spec, self._execute, self)
        self._stopping = self._listed = False
        self._clear_progress()
        if not self.shows_running and first is not self._shown:
            self._show(first)
        job.bridge.subscribe(Message, self._on_message)
        job.bridge.subscribe(Progress, self._on_step)
        self._connect_events(job.bridge)
        job.bridge.subscribe(RunFinished, self._on_finished)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    def _spec_and_result(self, spec: RunSpec | None) -> tuple[RunSpec, Result | None] | None:
        return None if spec is None else (spec, self._first_result(spec))

    def _or_refused(self, make: Callable[[], Made]) -> Made | None:
        """Return the result of ``make``. Refuse bad input, and return ``None``."""
        try:
            return make()
        except InputError as error:
            self._session.refuse(error)
            return None

    def _show(self, shown: Result | None) -> None:
        self._shown = shown
        self.result_changed.emit()

    def _show_more(self, table: Any) -> None:
        """Show more of the current run, unless another result was opened since."""
        if self._shown is not None and self.shows_running:
            self._show(replace(self._shown, table=table))
        self._list_once()

    def _show_table(self, table: Any) -> None:
        """Show the table of the current run, also instead of another result."""
        if self._job is not None:
            spec: Any = self._job.spec
            self._show(self._make_result(spec.out, spec.project, table))
            self._list_once()

    def _list_once(self) -> None:
        """Report once per run that the run's folder exists."""
        if not self._listed:
            self._listed = True
            self.saved_changed.emit()

    def _opened(self, folder: Path, header: SavedHeader, table: Any) -> Result:
        """Return the saved result in ``folder``, for the open project with the plan and fleet it had then."""
        return self._make_result(folder, header.project.on(self._session.project), table, header)

    def _make_result(self, folder: Path, project: Project, table: Any, header: Any = None) -> Result:
        made: Any = self.result_type(folder, project, table, header)
        return cast(Result, made)

    def _with_saved_header(self, shown: Result) -> Result:
        """Return the result with the header that its folder has now. Raises :class:`InputError`."""
        saved = self.saved_results
        return shown if saved is None else replace(shown, header=saved.store.read(shown.folder))

    # -- events ------------------------------------------------------------------------------------------------------
    def _on_message(self, event: Message) -> None:
        if event.device is not None:
            self._session.set_device(event.device.backend, event.device.name)
        if not event.names_device_only:
            self._session.message.emit(event.text.splitlines()[0] if event.text else "")

    def _on_step(self, event: Progress) -> None:
        self._step = event
        self.changed.emit()

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, self.title, event)
        else:
            self._session.message.emit(f"{self.title}: {event.message}")
        if self._shown is not None and self.shows_running:
            # A run that wrote nothing has no header; its empty result is cleared when the thread ends.
            with suppress(InputError):
                self._show(self._with_saved_header(self._shown))
        if event.reason is FinishReason.COMPLETED:
            self.ready.emit(self._ready_text(event))

    def _follow_pace(self) -> None:
        """Take the time of the first and of the latest progress of the run."""
        now, share = self._clock(), self.share
        # Loading and compiling say nothing about the pace of the rest.
        if self._job is None or (self._step is None and not share):
            return
        if share < self._pace_from[1]:
            self._pace_from = self._pace_to = now, share
        elif share > self._pace_to[1]:
            self._pace_to = now, share

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._job = None
            self._clear_progress()
            if self._shown is not None and self._shown.table is None:
                self._show(None)
        else:
            self._stopping_jobs.remove(job)
        job.deleteLater()
        self.changed.emit()
        self.saved_changed.emit()

    def _on_project_opened(self) -> None:
        if self._job is not None:
            self._job.stop_silently()
            self._stopping_jobs.append(self._job)
            self._job = None
        self._clear_progress()
        self._show(None)
        self.changed.emit()
        self.saved_changed.emit()


class PlanningController(AnalysisController[Request, Result, Saved]):
    """Base class of controllers of runs that make whole plans.

    Their progress includes the progress of the current plan.
    """

    @property
    def share(self) -> float:
        """Share of the run that is done, 0 … 1; the current plan counts by its stages and epochs."""
        step = self._step
        return super().share + (self._part / step.total if step is not None and step.total else 0.0)

    def _clear_progress(self) -> None:
        super()._clear_progress()
        self._detail = ""
        self._part = 0.0
        self._stage: StageBegan | None = None

    def _progress_text(self) -> str:
        return super()._progress_text() + self._detail

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(StageBegan, self._on_stage)
        bridge.subscribe_batches(EpochDone, self._on_epochs)
        bridge.subscribe_batches(EliminationStep, self._on_removals)

    def _on_step(self, event: Progress) -> None:
        self._detail = ""
        if self._step is None or event.done != self._step.done:
            self._part, self._stage = 0.0, None
        super()._on_step(event)

    def _on_stage(self, event: StageBegan) -> None:
        self._stage, self._part = event, (event.number - 1) / event.count
        self._set_detail(f" · part {event.number} of {event.count}")

    def _on_epochs(self, epochs: list[EpochDone]) -> None:
        last, stage = epochs[-1], self._stage
        if stage is not None:
            self._part = (stage.number - 1 + (last.epoch + 1) / last.epochs) / stage.count
        self._set_detail(f" · step {last.epoch + 1:,} of {last.epochs:,}")

    def _on_removals(self, steps: list[EliminationStep]) -> None:
        self._set_detail(f" · removing drops, {steps[-1].drops:,} drops left")

    def _set_detail(self, text: str) -> None:
        self._detail = text
        self.changed.emit()
