"""Runs the planner benchmark of the open project in a thread of its own, and opens those that were run before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from math import isnan
from pathlib import Path

from PySide6.QtCore import QObject

from firegui.domain.benchmark import BenchmarkTable, Task
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.analyses.benchmark.saved_benchmarks import (
    FOLDER,
    BenchmarkRequest,
    SavedBenchmark,
    comparison_spec,
    project_then,
    requested_spec,
    saved_benchmarks,
    seconds_left,
    task_spec,
)
from firegui.gui.analyses.table_controller import Shown, TableAnalysisController
from firegui.gui.base.number_text import duration
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_job import Execute
from firegui.gui.session.session import Session
from firegui.runs.benchmark_folder import PLACE, BenchmarkHeader, read_benchmark
from firegui.runs.events import BenchmarkProgress, BenchmarkReady, FinishReason, Progress, TaskProgress
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import EvaluateSpec

_SUFFIXES = (".csv", ".tex", ".png", ".svg")
Trail = list[tuple[int, float]]
"""``(spent, best)`` of a task at work, as far as it was told."""


class BenchmarkController(TableAnalysisController[BenchmarkTable, BenchmarkHeader]):
    """See the module."""

    title = "The benchmark"
    kept = "finished tasks"

    def __init__(
        self,
        session: Session,
        *,
        execute: Execute = run_execute,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(session, PLACE, _SUFFIXES, execute=execute, clock=clock, parent=parent)
        self._told: BenchmarkProgress | None = None
        self._step = ""
        self._running: BenchmarkTable | None = None
        self._failed: dict[Task, str] = {}
        self._failed_in: Path | None = None
        self.trails: dict[Task, Trail] = {}

    # -- what is known -----------------------------------------------------------------------------------------------
    @property
    def running(self) -> tuple[TaskProgress, ...]:
        """The tasks at work."""
        return () if self._told is None else self._told.running

    @property
    def failed(self) -> Mapping[Task, str]:
        """Why tasks of the benchmark that is shown could not be done when it was last at work in this window."""
        return self._failed if self._shown is not None and self._shown.folder == self._failed_in else {}

    @property
    def activity(self) -> str:
        """What is being done and how long the rest takes, or empty."""
        if self._job is None:
            return ""
        if self._stopping:
            return "Stopping…"
        told = self._told
        if told is None:
            return f"{self._step or 'Preparing'}…"
        failed = f", {len(told.failed)} failed" if told.failed else ""
        return f"{told.done} of {told.tasks} tasks{failed} · {duration(told.seconds)}{self._rest(told)}"

    def _rest(self, told: BenchmarkProgress) -> str:
        """What comes next; nothing is drawn of a benchmark of which a task failed."""
        if not told.running:
            if told.done + len(told.failed) < told.tasks:
                return " · processes are being made ready…"
            return "" if told.failed else " · drawing the figures…"
        if self._running is None:
            return ""
        left = seconds_left(self._running, self._spent, told.seconds, dict(told.failed))
        return "" if left is None else f" · about {duration(left)} left"

    @property
    def share(self) -> float:
        """How much of the benchmark is over, 0 … 1, every task counted alike."""
        told = self._told
        if told is None or not told.tasks:
            return 0.0
        begun = sum(min(one.spent / one.allowance, 1.0) for one in told.running if one.allowance)
        return (told.done + len(told.failed) + begun) / told.tasks

    def saved(self) -> tuple[SavedBenchmark, ...]:
        """The benchmarks in the project's folder, the latest first."""
        return saved_benchmarks(self._session.source)

    @property
    def pace(self) -> float | None:
        """Processor time of a rollout-equivalent in the benchmark that is shown, in seconds; ``None`` without one."""
        table = None if self._shown is None else self._shown.table
        charged = 0 if table is None else sum(row.evaluations for row in table.rows)
        return table.seconds / charged if table is not None and charged else None

    # -- what can be asked -------------------------------------------------------------------------------------------
    def start(self, request: BenchmarkRequest) -> None:
        """Run a benchmark of the open project; nothing happens while one runs.

        Raises ``RuntimeError`` when the project was never saved.
        """
        folder = self._session.folder
        if folder is None:
            raise RuntimeError("the project has no folder yet")
        if self._job is None:
            project = self._session.project
            out = self._new_folder(folder / FOLDER, project.plan.setting.value)
            self._run(requested_spec(request, project, folder, out, self._session.backend))

    def resume(self, earlier: SavedBenchmark, request: BenchmarkRequest) -> None:
        """Finish a benchmark, with the planners and seeds that ``request`` has besides; what is done is kept."""
        folder = self._session.folder
        if self._job is not None or folder is None or not earlier.can_resume(request.settings):
            return
        request = replace(request, settings=earlier.wanted(request.settings))
        try:
            project = project_then(earlier.header, self._session.project)
        except InputError as error:
            self._session.refuse(error)
            return
        self._run(replace(requested_spec(request, project, folder, earlier.folder, self._session.backend), resume=True))

    def open(self, folder: Path) -> None:
        """Show the benchmark in ``folder``; one that cannot be read is refused."""
        try:
            header, table = read_benchmark(folder)
        except InputError as error:
            self._session.refuse(error)
            return
        self._show(Shown(folder, header.project.on(self._session.project), table, header))

    def spec_of(self, task: Task) -> EvaluateSpec | None:
        """Both fires of a finished task for the map; what cannot be shown is refused."""
        return self._spec(lambda shown, project: task_spec(shown.folder, task, project, self._session.backend))

    def comparison_of(self, one: Task, other: Task) -> EvaluateSpec | None:
        """The fires of two finished tasks for the map, that of ``other`` in place of the fire without drops."""
        return self._spec(
            lambda shown, project: comparison_spec(shown.folder, one, other, project, self._session.backend)
        )

    def _spec(
        self, make: Callable[[Shown[BenchmarkTable, BenchmarkHeader], Project], EvaluateSpec]
    ) -> EvaluateSpec | None:
        shown = self._shown
        if shown is None:
            return None
        try:
            project = shown.project if shown.header is None else project_then(shown.header, self._session.project)
            return make(shown, project)
        except InputError as error:
            self._session.refuse(error)
            return None

    def _remark_on(self, names: tuple[str, ...]) -> str:
        shown = self._shown
        if shown is None or any(name.endswith(".png") for name in names):
            return ""
        if self.shows_running or shown.table is None or not shown.table.complete:
            return "; figures are drawn once every task is done"
        ended = shown.header is not None and shown.header.reason is FinishReason.COMPLETED
        return "; it has no figures" if ended else "; figures are drawn when you go on with it"

    # -- at work -----------------------------------------------------------------------------------------------------
    @property
    def _spent(self) -> int:
        done = 0 if self._running is None else sum(row.evaluations for row in self._running.rows)
        return done + sum(one.spent for one in self.running)

    def _listen(self, bridge: EventBridge) -> None:
        bridge.subscribe(Progress, self._on_progress)
        bridge.subscribe(BenchmarkProgress, self._on_news)
        bridge.subscribe(BenchmarkReady, self._on_news)

    def _forget(self) -> None:
        self._told, self._step, self._running = None, "", None
        self.trails = {}

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _on_progress(self, event: Progress) -> None:
        self._step = event.text
        self.changed.emit()

    def _on_news(self, event: BenchmarkProgress | BenchmarkReady) -> None:
        if isinstance(event, BenchmarkProgress):
            self._told = event
            self._failed, self._failed_in = dict(event.failed), self._folder
            self._trace(event)
            self.changed.emit()
            return
        first, self._running = self._running is None, event.table
        for row in event.table.rows:
            self.trails.pop(row.task, None)
        self._show_more(event.table)
        if first:
            self.saved_changed.emit()

    def _trace(self, event: BenchmarkProgress) -> None:
        """Keep how the tasks at work improve; a resumed one begins where it was taken up, a failed one is dropped."""
        for task in self._failed:
            self.trails.pop(task, None)
        for one in event.running:
            trail = self.trails.setdefault(one.task, [])
            if not isnan(one.best) and (not trail or one.best < trail[-1][1]):
                trail.append((one.spent, one.best))
