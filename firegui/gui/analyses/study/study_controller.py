"""Studies of the open project: the run, the saved studies, and the plans of their cells for the map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from statistics import fmean

from firegui.analyses.requests import Paths
from firegui.analyses.study.results import STORE, StudyHeader, cell_spec, done_in, read_header, read_study
from firegui.analyses.study.settings import StudyRequest, absolute_text, folder_ending, text_file
from firegui.domain.benchmark import FIXED_COST, PlannerName
from firegui.domain.project import Project
from firegui.domain.study import SCHEDULE, Cell, StudySettings
from firegui.domain.study_table import StudyTable
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.analyses.saved_results import SavedResult, SavedResults
from firegui.gui.base.number_text import about_text, duration
from firegui.gui.base.tasks import wait_for
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.io import atomic
from firegui.io.project.study_file import StudyFile
from firegui.runs.events import CellProgress, StudyProgress, StudyReady, WorkerSeen
from firegui.runs.header import event_hash
from firegui.runs.messages import counted
from firegui.runs.spec import EvaluateSpec, StudySpec
from firegui.runs.stages import RunState


@dataclass(frozen=True, slots=True)
class SavedStudy(SavedResult[StudyHeader]):
    """Saved study in a project's folder, with ``done`` finished cells."""

    done: int

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.header.settings.count

    @property
    def is_complete(self) -> bool:
        """Whether every cell is done."""
        return self.done >= self.cells

    @property
    def label(self) -> str:
        """Name and number of cells."""
        size = f"{self.cells:,} cases" if self.is_complete else f"{self.done:,} of {self.cells:,} cases"
        return f"{self.header.settings.name} · {'running' if self.is_held else size}"

    @staticmethod
    def load(folder: Path, header: StudyHeader, is_held: bool) -> SavedStudy:
        """Return the study in ``folder``. Its workers may hold the folder briefly after it has finished."""
        return SavedStudy(folder, header, is_held and header.state is not RunState.FINISHED, done_in(folder))


_FEW_SIMULATIONS = 5
"""Fire simulations of a case whose planner does not search, the score included."""
SAVED_STUDIES = SavedResults("studies", STORE, SavedStudy.load)
StudyResult = AnalysisResult[StudyTable, StudyHeader]


class StudyController(AnalysisController[StudyRequest, StudyResult, SavedStudy]):
    """Controller of studies of the open project."""

    title, kept = "The study", "finished cases"
    saved_results = SAVED_STUDIES
    export_suffixes = (".csv", ".parquet", ".png", ".svg", ".json")

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def running(self) -> tuple[CellProgress, ...]:
        """The running cells that have reported progress."""
        return () if self._progress is None else self._progress.running

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """The workers of the study."""
        return () if self._progress is None else self._progress.workers

    @property
    def share(self) -> float:
        """Share of the study that is done, 0 … 1; every cell counts equally."""
        progress = self._progress
        return 0.0 if progress is None or not progress.cells else (progress.done + progress.failed) / progress.cells

    @property
    def pace(self) -> float | None:
        """Mean time of a cell of the shown study, in seconds of one worker; ``None`` if unknown."""
        table = None if self._shown is None else self._shown.table
        took = [] if table is None else [row.seconds for row in table.rows.values()]
        return fmean(took) if took else None

    def spec_of(self, cell: Cell) -> EvaluateSpec | None:
        """Return the spec of both fires of a finished cell; refuse a cell that cannot be shown."""
        shown = self._shown
        if shown is None or shown.table is None:
            return None
        folder, project, backend = shown.folder, self._session.project, self._session.backend
        return self._or_refused(lambda: cell_spec(folder, cell, shown.header or read_header(folder), project, backend))

    # -- the run -----------------------------------------------------------------------------------------------------
    def _new_spec(self, request: StudyRequest, project: Project) -> StudySpec:
        folder = self._project_folder
        out = self._new_folder(folder_ending(request.study.settings))
        spec = request.spec(project, Paths(folder, out), self._session.backend)
        out.parent.mkdir(exist_ok=True)
        atomic.write_text(text_file(out), absolute_text(request.study, folder))
        return spec

    def _resumed_spec(self, saved: SavedStudy, request: StudyRequest | None) -> StudySpec | None:
        """Return the spec that resumes ``saved`` unchanged on the workers of ``request``."""
        if not saved.can_resume():
            return None
        header = saved.header
        study = StudyFile(".", header.settings, header.schedule_file)
        project = header.project.on(self._session.project)
        if event_hash(project) != header.event_hash:
            project = self._session.project  # The run reports the differences.
        request = StudyRequest(study) if request is None else replace(request, study=study)
        spec = request.spec(project, Paths(self._project_folder, saved.folder), header.backend)
        return replace(spec, settings=header.settings, resume=True)

    def _first_result(self, spec: StudySpec) -> StudyResult:
        return AnalysisResult(spec.out, spec.project)

    def _read(self, folder: Path) -> StudyResult:
        header, table = wait_for(None, "Reading the study…", lambda: read_study(folder))
        return self._opened(folder, header, table)

    def _clear_progress(self) -> None:
        super()._clear_progress()
        self._progress: StudyProgress | None = None

    def _progress_text(self) -> str:
        progress = self._progress
        if progress is None:
            return "Starting…"
        failed = f", {progress.failed:,} failed" if progress.failed else ""
        left = "" if isnan(progress.left) else f" · about {duration(progress.left)} left"
        busy = sum(worker.busy for worker in progress.workers)
        workers = f" · {busy} of {len(progress.workers)} workers busy" if len(progress.workers) > 1 else ""
        return f"{progress.done:,} of {progress.cells:,} cases{failed} · {duration(progress.seconds)}{left}{workers}"

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(StudyProgress, self._on_study)
        bridge.subscribe(StudyReady, self._on_study)

    def _on_study(self, event: StudyProgress | StudyReady) -> None:
        if isinstance(event, StudyProgress):
            self._progress = event
            self.changed.emit()
        else:
            self._show_more(event.table)


def cost_text(
    settings: StudySettings, pace: float | None, workers: int, simulation_seconds: float | None = None
) -> str:
    """Return the cost of a study as text.

    ``pace`` is the time of a cell of the shown study, in seconds of one worker. ``workers`` is 0 where their number is
    not known. ``simulation_seconds`` is the time of a fire simulation of the plan on the map, which tells before there
    is a pace.
    """
    planned = "flies the schedule" if settings.planner == SCHEDULE else f"planner {settings.planner}"
    text = f"{counted(settings.count, 'case')}, {planned}, allowance {settings.allowance:,}"
    if pace is None and workers and simulation_seconds is not None:
        if settings.planner == PlannerName.TWO_STAGE:
            return f"{text}. Each case takes about as long as a plan."
        each = settings.allowance if settings.planner not in {SCHEDULE, *FIXED_COST} else _FEW_SIMULATIONS
        seconds = settings.count * each * simulation_seconds / workers
        return f"{text}. At the pace of the plan on the map {about_text(seconds)}."
    if pace is None or workers < 1:
        return f"{text}. How long it takes shows once a plan is on the map, or after the first cases."
    return f"{text}. At the pace of the one shown about {duration(settings.count * pace / workers)}."
