"""Ensembles of the open project: the run, saved ensembles, error fields, and their mean maps."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from firegui.analyses.requests import Paths, UncertaintyRequest
from firegui.analyses.uncertainty.results import (
    STATE,
    STORE,
    EnsembleHeader,
    ErrorResiduals,
    ensemble_project,
    ensemble_project_on_same_days,
    read_ensemble,
    read_header,
    read_variogram,
)
from firegui.analyses.uncertainty.run import uq_problems
from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.domain.film import Film
from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.uncertainty import (
    KIND_TITLES,
    PAPER_BEAR,
    ErrorModel,
    ErrorSource,
    Semivariogram,
    UncertaintyKind,
    UncertaintySettings,
)
from firegui.domain.units import percent_text
from firegui.domain.workers import WorkerSettings
from firegui.errors import InputError, Problem
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.analyses.saved_results import SavedResult, SavedResults
from firegui.gui.base.number_text import duration
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.result_presenter import report_failure
from firegui.gui.jobs.run_job import RunSlot
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session, ShownResult
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import EnsembleReady, ErrorFitted, FieldDrawn, MembersDone, RunFinished
from firegui.runs.header import file_of
from firegui.runs.messages import counted
from firegui.runs.spec import ErrorFieldSpec, UncertaintySpec
from firegui.runs.stages import FinishReason

_NO_RETARDANT = Film((1, 1), ())


@dataclass(frozen=True, slots=True)
class SavedEnsemble(SavedResult[EnsembleHeader]):
    """An ensemble in a project's folder."""

    has_members: bool

    @property
    def is_complete(self) -> bool:
        """Whether every requested member is done."""
        return self.header.members_done >= self.header.settings.members

    @property
    def label(self) -> str:
        """Kind and size."""
        done, requested = self.header.members_done, self.header.settings.members
        size = f"{done:,}" if self.is_complete else f"{done:,} of {requested:,}"
        return f"{KIND_TITLES[self.header.settings.kind]} · {size}"

    @property
    def has_result(self) -> bool:
        """Whether a member is done."""
        return self.has_members

    def can_resume(self, settings: Any = None) -> bool:
        """Return whether members are missing, or ``settings`` request more of them."""
        wanted: UncertaintySettings = settings or self.header.settings
        return not self.is_held and wanted.members > self.header.members_done

    @staticmethod
    def load(folder: Path, header: EnsembleHeader, is_held: bool) -> SavedEnsemble:
        """Return the ensemble in ``folder``."""
        return SavedEnsemble(folder, header, is_held, header.members_done > 0 and (folder / STATE).is_file())


SAVED_ENSEMBLES = SavedResults("uncertainty", STORE, SavedEnsemble.load)


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleResult(AnalysisResult[Ensemble, EnsembleHeader]):
    """Shown ensemble, with its ``error`` model, if it has one, and the data it was fitted to."""

    settings: UncertaintySettings = field(default_factory=UncertaintySettings)
    error: ErrorModel | None = None
    variogram: Semivariogram | None = None
    residuals: ErrorResiduals = field(default_factory=ErrorResiduals)

    @property
    def ensemble(self) -> Ensemble | None:
        """The members so far."""
        return self.table

    @property
    def regions(self) -> bool:
        """Whether there are protected regions."""
        return bool(self.project.regions)

    @property
    def is_fitted(self) -> bool:
        """Whether its error model was fitted to the project's own perimeters."""
        return self.settings.kind is UncertaintyKind.EPISTEMIC and self.settings.error is ErrorSource.FITTED

    def field_spec(self, member: int, day: int) -> ErrorFieldSpec | None:
        """Return the spec of a member's error field at the end of ``day``, counted from 1, if it has errors."""
        if self.error is None:
            return None
        grid = self.project.scenario.grid if self.header is None else self.header.project.grid
        return ErrorFieldSpec(self.error, grid.shape, self.settings.seed, member, day - 1)


class UncertaintyController(AnalysisController[UncertaintyRequest, EnsembleResult, SavedEnsemble]):
    """Controller of ensembles of the open project."""

    title, kept = "The ensemble", "finished fires"
    saved_results = SAVED_ENSEMBLES

    field_changed = Signal()
    """The error field was replaced, cleared, or is being drawn."""

    def __init__(self, session: Session, **options: Any) -> None:
        super().__init__(session, **options)
        self.exports, self._fields = RunSlot(self._execute, self), RunSlot(self._execute, self)
        self._field: FieldDrawn | None = None
        self._fields.changed.connect(self.field_changed)

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def is_settled(self) -> bool:
        """Whether the shown ensemble is saved and no run extends it."""
        return self._shown is not None and self._shown.header is not None and not self.shows_running

    @property
    def running_means(self) -> str:
        """The means so far while members are drawn; else empty."""
        progress = self._progress
        if self._job is None or progress is None:
            return ""
        cell_ha, area = self._session.project.scenario.grid.cell_area_ha, self._session.units.area
        text = f"Final size so far: {area(progress.baseline * cell_ha)} without drops"
        if progress.plan is None or progress.worse is None:
            return text
        plan = area(progress.plan * cell_ha)
        return f"{text}, {plan} with the plan; more burns with the plan in {percent_text(progress.worse)} of the fires"

    @property
    def share(self) -> float:
        """Share of the ensemble that is done, 0 … 1."""
        progress = self._progress
        return progress.done / progress.members if progress is not None and progress.members else 0.0

    def shutdown(self) -> None:
        """Stop, and wait until every thread has finished."""
        for job in (self.exports, self._fields):
            job.shutdown()
        super().shutdown()

    # -- error fields ------------------------------------------------------------------------------------------------
    @property
    def field(self) -> FieldDrawn | None:
        """The latest error field of the shown ensemble."""
        return self._field

    @property
    def draws_field(self) -> bool:
        """Whether another field is being drawn."""
        return self._fields.is_busy

    def draw_field(self, member: int, day: int) -> None:
        """Draw the error field of a member of the shown ensemble at the end of ``day``, counted from 1."""
        spec = None if self._shown is None else self._shown.field_spec(member, day)
        if spec is not None:
            self._fields.begin(spec, self._subscribe_to_field)

    def _subscribe_to_field(self, bridge: EventBridge) -> None:
        bridge.subscribe(FieldDrawn, self._on_field)
        bridge.subscribe(RunFinished, self._on_field_finished)

    def _on_field(self, event: FieldDrawn) -> None:
        self._field = event
        self.field_changed.emit()

    def _on_field_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, "The error field", event)

    # -- the run -----------------------------------------------------------------------------------------------------
    def _new_spec(self, request: UncertaintyRequest, project: Project) -> UncertaintySpec:
        paths = Paths(self._project_folder, self._new_folder(request.settings.kind.value))
        return self._spec(request, project, paths)

    def _resumed_spec(self, saved: SavedEnsemble, request: UncertaintyRequest | None) -> UncertaintySpec | None:
        """Return the spec that resumes ``saved`` with the number of members of ``request``."""
        header = saved.header
        settings = header.settings if request is None else request.settings
        if not saved.can_resume(settings):
            return None
        file = file_of(header, header.schedule_file, self._project_folder)
        workers = WorkerSettings() if request is None else request.workers
        request = UncertaintyRequest(replace(header.settings, members=settings.members), file, workers)
        project = ensemble_project(header, self._session.project)
        return replace(self._spec(request, project, Paths(self._project_folder, saved.folder)), resume=True)

    def _spec(self, request: UncertaintyRequest, project: Project, paths: Paths) -> UncertaintySpec:
        schedule = None if request.file is None else read_project_schedule(request.file, project)
        return request.spec(project, paths, self._session.backend, schedule)

    def _first_result(self, spec: UncertaintySpec) -> EnsembleResult:
        """Return an empty ensemble with what is known of the error model before the run."""
        settings = spec.settings
        of_paper = settings.kind is UncertaintyKind.EPISTEMIC and settings.error is ErrorSource.PAPER
        error = replace(PAPER_BEAR, mode=settings.mode, threshold=settings.threshold) if of_paper else None
        if spec.resume:
            error = read_header(spec.out).error
        return self._with_fit(EnsembleResult(spec.out, spec.project, settings=settings, error=error))

    def _read(self, folder: Path) -> EnsembleResult:
        header, ensemble = read_ensemble(folder)
        project = header.project.on(self._session.project)
        return self._with_fit(EnsembleResult(folder, project, ensemble, header, header.settings, header.error))

    @staticmethod
    def _with_fit(result: EnsembleResult) -> EnsembleResult:
        folder = result.folder
        return replace(result, variogram=read_variogram(folder), residuals=ErrorResiduals.in_folder(folder))

    def _show(self, shown: EnsembleResult | None) -> None:
        before, self._shown = self._shown, shown
        if before is None or shown is None or (before.folder, before.error) != (shown.folder, shown.error):
            self._field = None
            self._fields.cancel()
            self.field_changed.emit()
        self.result_changed.emit()

    def _settled(self, shown: EnsembleResult) -> EnsembleResult:
        header = read_header(shown.folder)
        return replace(shown, header=header, error=header.error or shown.error)

    # -- progress ----------------------------------------------------------------------------------------------------
    def _clear_progress(self) -> None:
        super()._clear_progress()
        self._progress: MembersDone | None = None

    def _progress_text(self) -> str:
        progress = self._progress
        if progress is None:
            return f"{self._step.text if self._step else 'Preparing'}…"
        return f"Fire {progress.done:,} of {progress.members:,} · {duration(progress.left)} left"

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(MembersDone, self._on_members)
        bridge.subscribe(ErrorFitted, self._on_fit)
        bridge.subscribe(EnsembleReady, self._on_ensemble)

    def _on_members(self, event: MembersDone) -> None:
        self._progress = event
        self.changed.emit()

    # Another ensemble may have been opened meanwhile.
    def _on_fit(self, event: ErrorFitted) -> None:
        if self._shown is not None and self.shows_running:
            fit = event.fit
            residuals = ErrorResiduals(fit.days, fit)
            self._show(replace(self._shown, error=fit.error, variogram=fit.variogram, residuals=residuals))

    def _on_ensemble(self, event: EnsembleReady) -> None:
        if self._shown is not None and self.shows_running:
            shown = replace(self._shown, table=event.ensemble)
            with suppress(InputError):
                shown = self._settled(shown)
            self._show(shown)


def missing_requirements(project: Project, settings: UncertaintySettings) -> list[Problem]:
    """Return why an ensemble of ``project`` cannot be made, independent of the schedule."""
    return uq_problems(UncertaintySpec(project, Path(), "", settings))


# -- mean maps ---------------------------------------------------------------------------------------------------------
class MeanMaps(QObject):
    """Mean maps of an ensemble on the map. While they are shown, :meth:`follow` updates them."""

    def __init__(
        self, session: Session, queue: RunQueue, controller: UncertaintyController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._queue, self._controller = session, queue, controller
        self._frames: Frames | None = None
        self._drawn: Ensemble | None = None

    @property
    def are_shown(self) -> bool:
        """Whether the map shows mean maps."""
        return self._frames is not None and self._session.result.baseline is self._frames

    @property
    def can_show(self) -> bool:
        """Whether there are mean maps to show or to hide."""
        shown = self._controller.shown
        if shown is None or shown.header is None or shown.ensemble is None:
            return self.are_shown
        return shown.ensemble.members > 0

    def toggle(self) -> None:
        """Show the mean maps. If they are shown, show the previous run instead, or the fire without drops."""
        if not self.are_shown:
            self._show()
        else:
            self._queue.show_run_again()

    def follow(self) -> None:
        """Replace mean maps of another or smaller ensemble, once the shown ensemble is settled."""
        shown = self._controller.shown
        if self.are_shown and self._controller.is_settled and shown is not None and shown.ensemble is not self._drawn:
            self._show()

    def _show(self) -> None:
        shown = self._controller.shown
        if shown is None or shown.header is None or shown.ensemble is None:
            return
        self._drawn = shown.ensemble
        try:
            result = mean_result(shown.header, shown.ensemble, self._session.project)
        except InputError as error:
            self._frames = None
            self._session.refuse(error)
            return
        self._frames = result.baseline
        self._queue.show_means(result)
        calendar = self._session.project.calendar
        if self._session.step < calendar.steps_per_day:
            # All members start with the same fire: there is nothing to see before the end of the first day.
            self._session.set_step(calendar.n_steps)


def mean_result(header: EnsembleHeader, ensemble: Ensemble, project: Project) -> ShownResult:
    """Return the mean maps of an ensemble for the map of the open ``project``, one frame per day boundary.

    Raises :class:`InputError` if the event has changed, or the plan has other days now.
    """
    then = ensemble_project_on_same_days(header, project)
    per_day, cases = then.scenario.steps_per_day, range(len(ensemble.fire))
    frames = [Frames(per_day, _codes(ensemble.fire[case]), _codes(ensemble.burning[case]), _NO_RETARDANT)
              for case in cases]  # fmt: skip
    so_far = "" if ensemble.complete else f"{ensemble.members:,} of "
    title = f"Mean of {so_far}{counted(ensemble.asked, 'fire')} ({KIND_TITLES[ensemble.kind].lower()})"
    plan = frames[PLAN] if ensemble.has_plan else None
    return ShownResult(title, frames[BASELINE], plan=plan, project=then, mean_of=ensemble.members)


def _codes(probability: NDArray[np.float32]) -> Film:
    return Film.of(np.asarray(255.0 * probability + 0.5, np.uint8))
