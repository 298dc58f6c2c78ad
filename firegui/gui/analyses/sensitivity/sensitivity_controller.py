"""Robustness tables of the open project: the run and the saved tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from firegui.analyses.requests import Paths, SensitivityRequest
from firegui.analyses.sensitivity.results import STORE, TABLE, AnyTable, SensitivityHeader, read_table
from firegui.domain.project import Project
from firegui.domain.sensitivity import KIND_TITLES, SensitivityKind
from firegui.domain.workers import WorkerSettings
from firegui.gui.analyses.controller import AnalysisResult, PlanningController
from firegui.gui.analyses.saved_results import SavedResults, TabulatedResult
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import SensitivityReady
from firegui.runs.header import file_of
from firegui.runs.spec import SensitivitySpec
from firegui.runs.stages import FinishReason


@dataclass(frozen=True, slots=True)
class SavedTable(TabulatedResult[SensitivityHeader]):
    """Robustness table in a project's folder.

    Only a sweep can be resumed, because its plans are saved one by one.
    """

    table_file = TABLE

    @property
    def is_complete(self) -> bool:
        """Whether a resumed run would have nothing left to do."""
        return self.header.kind is not SensitivityKind.DESIGN or self.header.reason is FinishReason.COMPLETED

    @property
    def subject(self) -> str:
        """Kind of the table."""
        return KIND_TITLES[self.header.kind]


SAVED_TABLES = SavedResults("sensitivity", STORE, SavedTable.load)
SensitivityResult = AnalysisResult[AnyTable, SensitivityHeader]


class SensitivityController(PlanningController[SensitivityRequest, SensitivityResult, SavedTable]):
    """Controller of robustness tables. The previous table stays on screen until a new one has a row."""

    title, kept = "The sensitivity table", "finished rows"
    saved_results = SAVED_TABLES

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def table(self) -> AnyTable | None:
        """The table on screen."""
        return None if self._shown is None else self._shown.table

    def work(self) -> UnfinishedWork | None:
        """Return the work that would be lost if the project were closed now; only a sweep can be resumed."""
        if self._job is None:
            return None
        sweeps = isinstance(self._job.spec, SensitivitySpec) and self._job.spec.kind is SensitivityKind.DESIGN
        return UnfinishedWork(self.title, self.kept, self.stop, can_resume=sweeps)

    # -- the run -----------------------------------------------------------------------------------------------------
    def _new_spec(self, request: SensitivityRequest, project: Project) -> SensitivitySpec:
        paths = Paths(self._project_folder, self._new_folder(request.kind.value))
        schedule = None if request.file is None else read_project_schedule(request.file, project)
        return request.spec(project, paths, self._session.backend, schedule)

    def _resumed_spec(self, saved: SavedTable, request: SensitivityRequest | None) -> SensitivitySpec | None:
        """Return the spec that resumes ``saved``. Its settings are kept."""
        if not saved.can_resume():
            return None
        header, project = saved.header, self._session.project
        optimizer = header.project.plan.optimizer
        file = file_of(header, header.schedule_file, self._project_folder)
        schedule = None if file is None else read_project_schedule(file, project)
        project = replace(project, plan=replace(project.plan, optimizer=optimizer))
        workers = WorkerSettings() if request is None else request.workers
        request = SensitivityRequest(header.kind, header.settings, optimizer.epochs, file, workers)
        paths = Paths(self._project_folder, saved.folder)
        return replace(request.spec(project, paths, self._session.backend, schedule), resume=True)

    def _read(self, folder: Path) -> SensitivityResult:
        return self._opened(folder, STORE.read(folder), read_table(folder))

    def _connect_events(self, bridge: EventBridge) -> None:
        super()._connect_events(bridge)
        bridge.subscribe(SensitivityReady, self._on_table)

    def _on_table(self, event: SensitivityReady) -> None:
        self._show_table(event.table)
