"""Carries a study of the open project out in a thread of its own, and opens those that were before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from math import isnan
from pathlib import Path
from statistics import fmean

from PySide6.QtCore import QObject

from firegui.domain.study import Cell
from firegui.domain.study_table import StudyTable
from firegui.errors import InputError
from firegui.gui.analyses.study.saved_studies import (
    FOLDER,
    SavedStudy,
    StudyRequest,
    cell_spec,
    ending_of,
    kept_text,
    requested_spec,
    saved_studies,
    text_to_keep,
)
from firegui.gui.analyses.table_controller import Shown, TableAnalysisController
from firegui.gui.base.number_text import duration
from firegui.gui.base.tasks import wait_for
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_job import Execute
from firegui.gui.session.session import Session
from firegui.io import atomic
from firegui.io.study_file import StudyFile, parse_study
from firegui.runs.events import CellProgress, StudyProgress, StudyReady, WorkerSeen
from firegui.runs.header import event_hash
from firegui.runs.spec import EvaluateSpec
from firegui.studies.folder import PLACE, StudyHeader, read_header, read_study
from firegui.studies.runner import execute as study_execute

_SUFFIXES = (".csv", ".parquet", ".png", ".svg", ".json")


class StudyController(TableAnalysisController[StudyTable, StudyHeader]):
    """See the module."""

    title = "The study"
    kept = "finished cells"

    def __init__(
        self,
        session: Session,
        *,
        execute: Execute = study_execute,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(session, PLACE, _SUFFIXES, execute=execute, clock=clock, parent=parent)
        self._told: StudyProgress | None = None

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def running(self) -> tuple[CellProgress, ...]:
        """The cells at work that have said how far they are."""
        return () if self._told is None else self._told.running

    @property
    def workers(self) -> tuple[WorkerSeen, ...]:
        """Everybody who works at the study."""
        return () if self._told is None else self._told.workers

    @property
    def activity(self) -> str:
        """What is being done and how long the rest takes, or empty."""
        if self._job is None:
            return ""
        if self._stopping:
            return "Stopping…"
        told = self._told
        if told is None:
            return "Beginning the workers…"
        failed = f", {told.failed:,} failed" if told.failed else ""
        left = "" if isnan(told.left) else f" · about {duration(told.left)} left"
        busy = sum(worker.busy for worker in told.workers)
        people = f" · {busy} of {len(told.workers)} workers busy" if told.workers else ""
        return f"{told.done:,} of {told.cells:,} cells{failed} · {duration(told.seconds)}{left}{people}"

    @property
    def share(self) -> float:
        """How much of the study is done, 0 … 1, every cell counted alike."""
        told = self._told
        return 0.0 if told is None or not told.cells else (told.done + told.failed) / told.cells

    def saved(self) -> tuple[SavedStudy, ...]:
        """The studies in the project's folder, the latest first."""
        return saved_studies(self._session.source)

    @property
    def pace(self) -> float | None:
        """What a cell of the study that is shown took, in seconds of a worker; ``None`` without one."""
        table = None if self._shown is None else self._shown.table
        took = [] if table is None else [row.seconds for row in table.rows.values()]
        return fmean(took) if took else None

    # -- what can be asked -------------------------------------------------------------------------------------------
    def start(self, request: StudyRequest) -> None:
        """Carry a study of the open project out; nothing happens while one is. What cannot be read is refused.

        Raises ``RuntimeError`` when the project was never saved.
        """
        folder = self._session.folder
        if folder is None:
            raise RuntimeError("the project has no folder yet")
        if self._job is not None:
            return
        try:
            settings = parse_study(request.text).settings
            (folder / FOLDER).mkdir(exist_ok=True)
            out = self._new_folder(folder / FOLDER, ending_of(settings))
            spec = requested_spec(request, self._session.project, folder, out, self._session.backend)
            atomic.write_text(kept_text(out), text_to_keep(request.text, folder))
        except InputError as error:
            self._session.refuse(error)
            return
        self._run(spec)

    def resume(self, earlier: SavedStudy, request: StudyRequest) -> None:
        """Finish a study: the cells that are done are kept. ``request`` says by whom, not what."""
        folder = self._session.folder
        if self._job is not None or folder is None or not earlier.can_resume:
            return
        try:
            text = StudyFile(".", earlier.header.settings, earlier.header.schedule_file).text()
            project = earlier.header.project.on(self._session.project)
            if event_hash(project) != earlier.header.event_hash:
                project = self._session.project  # the run says what differs
            spec = requested_spec(replace(request, text=text), project, folder, earlier.folder, earlier.header.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        self._run(replace(spec, settings=earlier.header.settings, resume=True))

    def open(self, folder: Path) -> None:
        """Show the study in ``folder``; one that cannot be read is refused."""
        try:
            header, table = wait_for(None, "Reading the study…", lambda: read_study(folder))
        except InputError as error:
            self._session.refuse(error)
            return
        self._show(Shown(folder, header.project.on(self._session.project), table, header))

    def spec_of(self, cell: Cell) -> EvaluateSpec | None:
        """Both fires of a finished cell for the map; what cannot be shown is refused."""
        shown = self._shown
        if shown is None or shown.table is None:
            return None
        try:
            header = shown.header or read_header(shown.folder)
            return cell_spec(shown.folder, cell, header, self._session.project, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return None

    # -- at work -----------------------------------------------------------------------------------------------------
    def _listen(self, bridge: EventBridge) -> None:
        bridge.subscribe(StudyProgress, self._on_news)
        bridge.subscribe(StudyReady, self._on_news)

    def _forget(self) -> None:
        self._told = None

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _on_news(self, event: StudyProgress | StudyReady) -> None:
        if isinstance(event, StudyProgress):
            self._told = event
            self.changed.emit()
            return
        first = self._shown is not None and self._shown.table is None
        self._show_more(event.table)
        if first:
            self.saved_changed.emit()
