"""Benchmarks of the open project: the run, saved benchmarks, their cost, and the plans of their tasks."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

from firegui.analyses.benchmark.results import (
    STORE,
    BenchmarkHeader,
    benchmark_project,
    read_benchmark,
    task_comparison_spec,
    task_spec,
)
from firegui.analyses.requests import BenchmarkRequest, Paths
from firegui.analyses.task_files import ROW, task_folder
from firegui.domain.benchmark import (
    ALWAYS_ONE_SEED,
    FIXED_COST,
    PLANNERS,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    PlannerTask,
    tasks_of,
)
from firegui.domain.project import Project
from firegui.errors import Problem
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.analyses.saved_results import SavedResult, SavedResults
from firegui.gui.base.number_text import about_text, duration
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.planning.flight_rules import rule_problems
from firegui.runs.events import BenchmarkProgress, BenchmarkReady, TaskProgress
from firegui.runs.messages import counted
from firegui.runs.spec import BenchmarkSpec, EvaluateSpec
from firegui.runs.stages import FinishReason

Trail = list[tuple[int, float]]
"""``(spent, best)`` of a running task, as reported so far."""


@dataclass(frozen=True, slots=True)
class SavedBenchmark(SavedResult[BenchmarkHeader]):
    """Saved benchmark in a project's folder, with ``done`` finished tasks."""

    done: int

    @property
    def tasks(self) -> int:
        """Number of requested tasks."""
        return len(tasks_of(self.header.settings))

    @property
    def is_complete(self) -> bool:
        """Whether all of it was computed. A benchmark stopped after its last task still lacks its figures."""
        return self.header.reason is FinishReason.COMPLETED and self.done >= self.tasks

    @property
    def label(self) -> str:
        """Setting and number of tasks."""
        size = f"{self.done} tasks" if self.done >= self.tasks else f"{self.done} of {self.tasks} tasks"
        if self.done >= self.tasks and not self.is_complete:
            size += ", not finished"
        return f"{self.header.project.plan.setting.value} · {'running' if self.is_held else size}"

    def extended(self, settings: BenchmarkSettings) -> BenchmarkSettings:
        """Return its own settings, extended by the further planners and seeds of ``settings``."""
        own = self.header.settings
        return replace(
            own,
            planners=tuple(dict.fromkeys((*own.planners, *settings.planners))),
            matched=tuple(dict.fromkeys((*own.matched, *settings.matched))),
            seeds=max(own.seeds, settings.seeds),
        )

    def can_resume(self, settings: Any = None) -> bool:
        """Return whether a part is missing, figures included, or ``settings`` request more.

        More are further planners or seeds.
        """
        own = self.header.settings
        wanted: BenchmarkSettings = own if settings is None else settings
        same = (own.allowance, own.budget, own.seed) == (wanted.allowance, wanted.budget, wanted.seed)
        more = not self.is_complete or len(tasks_of(self.extended(wanted))) > self.done
        return not self.is_held and same and more

    @staticmethod
    def load(folder: Path, header: BenchmarkHeader, is_held: bool) -> SavedBenchmark:
        """Return the benchmark in ``folder``."""
        done = sum((task_folder(folder, task) / ROW).is_file() for task in tasks_of(header.settings))
        return SavedBenchmark(folder, header, is_held, done)


SAVED_BENCHMARKS = SavedResults("benchmarks", STORE, SavedBenchmark.load)
BenchmarkResult = AnalysisResult[BenchmarkTable, BenchmarkHeader]


class BenchmarkController(AnalysisController[BenchmarkRequest, BenchmarkResult, SavedBenchmark]):
    """Controller of benchmarks of the open project."""

    title, kept = "The benchmark", "finished tasks"
    saved_results = SAVED_BENCHMARKS
    export_suffixes = (".csv", ".tex", ".png", ".svg")

    _failed: Mapping[PlannerTask, str] = {}
    _failed_in: Path | None = None

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def running(self) -> tuple[TaskProgress, ...]:
        """The running tasks."""
        return () if self._progress is None else self._progress.running

    @property
    def failed(self) -> Mapping[PlannerTask, str]:
        """The reasons why tasks of the shown benchmark failed when it last ran in this window."""
        return self._failed if self._shown is not None and self._shown.folder == self._failed_in else {}

    @property
    def share(self) -> float:
        """Share of the benchmark that is done, 0 … 1; every task counts equally."""
        progress = self._progress
        if progress is None or not progress.tasks:
            return 0.0
        begun = sum(min(one.spent / one.allowance, 1.0) for one in progress.running if one.allowance)
        return (progress.done + len(progress.failed) + begun) / progress.tasks

    @property
    def pace(self) -> float | None:
        """Processor time per rollout-equivalent in the shown benchmark, in seconds; ``None`` if unknown."""
        table = None if self._shown is None else self._shown.table
        charged = 0 if table is None else sum(row.evaluations for row in table.rows)
        return table.seconds / charged if table is not None and charged else None

    def spec_of(self, task: PlannerTask) -> EvaluateSpec | None:
        """Return the spec of both fires of a finished task; refuse a task that cannot be shown."""
        return self._fires(lambda folder, project: task_spec(folder, task, project, self._session.backend))

    def comparison_of(self, one: PlannerTask, other: PlannerTask) -> EvaluateSpec | None:
        """Return the spec of the fires of two finished tasks; ``other`` replaces the fire without drops."""
        backend = self._session.backend
        return self._fires(lambda folder, project: task_comparison_spec(folder, one, other, project, backend))

    def _fires(self, make_spec: Callable[[Path, Project], EvaluateSpec]) -> EvaluateSpec | None:
        shown = self._shown
        if shown is None:
            return None
        header, ran, now = shown.header, shown.project, self._session.project
        return self._or_refused(
            lambda: make_spec(shown.folder, ran if header is None else benchmark_project(header, now))
        )

    # -- the run -----------------------------------------------------------------------------------------------------
    def _new_spec(self, request: BenchmarkRequest, project: Project) -> BenchmarkSpec:
        paths = Paths(self._project_folder, self._new_folder(project.plan.setting.value))
        return _with_notes(request).spec(project, paths, self._session.backend)

    def _resumed_spec(self, saved: SavedBenchmark, request: BenchmarkRequest | None) -> BenchmarkSpec | None:
        """Return the spec that resumes ``saved``, with the planners and seeds of ``request`` added."""
        request = request or BenchmarkRequest(saved.header.settings)
        if not saved.can_resume(request.settings):
            return None
        request = _with_notes(replace(request, settings=saved.extended(request.settings)))
        project = benchmark_project(saved.header, self._session.project)
        spec = request.spec(project, Paths(self._project_folder, saved.folder), self._session.backend)
        return replace(spec, resume=True)

    def _first_result(self, spec: BenchmarkSpec) -> BenchmarkResult:
        return AnalysisResult(spec.out, spec.project)

    def _read(self, folder: Path) -> BenchmarkResult:
        header, table = read_benchmark(folder)
        return self._opened(folder, header, table)

    def _export_remark(self, names: tuple[str, ...]) -> str:
        shown = self._shown
        if shown is None or any(name.endswith(".png") for name in names):
            return ""
        if self.shows_running or shown.table is None or not shown.table.complete:
            return "; figures are drawn once every task is done"
        ended = shown.header is not None and shown.header.reason is FinishReason.COMPLETED
        return "; it has no figures" if ended else "; figures are drawn when you go on with it"

    # -- progress ----------------------------------------------------------------------------------------------------
    def _clear_progress(self) -> None:
        super()._clear_progress()
        self._progress: BenchmarkProgress | None = None
        self._running: BenchmarkTable | None = None
        self.trails: dict[PlannerTask, Trail] = {}

    def _progress_text(self) -> str:
        progress = self._progress
        if progress is None:
            return f"{self._step.text if self._step else 'Preparing'}…"
        failed = f", {len(progress.failed)} failed" if progress.failed else ""
        done = f"{progress.done} of {progress.tasks} tasks{failed}"
        return f"{done} · {duration(progress.seconds)}{self._rest_text(progress)}"

    def _rest_text(self, progress: BenchmarkProgress) -> str:
        """Return the text on what follows. A benchmark with a failed task gets no figures."""
        if not progress.running:
            if progress.done + len(progress.failed) < progress.tasks:
                return " · starting the processes…"
            return "" if progress.failed else " · drawing the figures…"
        if self._running is None:
            return ""
        spent = sum(row.evaluations for row in self._running.rows) + sum(one.spent for one in self.running)
        left = seconds_left(self._running, spent, progress.seconds, dict(progress.failed))
        return "" if left is None else f" · about {duration(left)} left"

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(BenchmarkProgress, self._on_benchmark)
        bridge.subscribe(BenchmarkReady, self._on_benchmark)

    def _on_benchmark(self, event: BenchmarkProgress | BenchmarkReady) -> None:
        if isinstance(event, BenchmarkReady):
            self._running = event.table
            for row in event.table.rows:
                self.trails.pop(row.task, None)
            self._show_more(event.table)
            return
        self._progress = event
        self._failed, self._failed_in = dict(event.failed), self._out
        self._trace(event)
        self.changed.emit()

    def _trace(self, event: BenchmarkProgress) -> None:
        """Record the progress of running tasks. A failed task is dropped; a resumed one continues its curve."""
        for task in self._failed:
            self.trails.pop(task, None)
        for one in event.running:
            trail = self.trails.setdefault(one.task, [])
            if not isnan(one.best) and (not trail or one.best < trail[-1][1]):
                trail.append((one.spent, one.best))


# -- planners that can be run here ------------------------------------------------------------------------------------
def missing_package(planner: PlannerName) -> str:
    """Return the package that must be installed to run ``planner``; empty if none is missing."""
    package = PLANNERS[planner].package
    return package if package and find_spec(package) is None else ""


def missing_requirements(project: Project, settings: BenchmarkSettings) -> list[Problem]:
    """Return why a benchmark of ``project`` cannot run; empty if it can."""
    found = list(project.problems() or rule_problems(project)) + settings.problems()
    for planner in dict.fromkeys((*settings.planners, *settings.matched)):
        if package := missing_package(planner):
            remedy = f"pip install {package}, or leave the planner out"
            found.append(Problem(PLANNERS[planner].title, f"{package} is not installed", remedy))
    return found


def _with_notes(request: BenchmarkRequest) -> BenchmarkRequest:
    """Return the request with a note on every planner that cannot run here."""
    requested = (*request.settings.planners, *request.settings.matched)
    notes = tuple(
        f"{PLANNERS[planner].title} is left out: it needs the package {package}"
        for planner in PlannerName
        if (package := missing_package(planner)) and planner not in requested
    )
    return replace(request, notes=notes)


# -- cost -------------------------------------------------------------------------------------------------------------
def searches_in(tasks: tuple[PlannerTask, ...]) -> tuple[PlannerTask, ...]:
    """Return those of ``tasks`` that may use a whole allowance."""
    return tuple(task for task in tasks if task.planner not in FIXED_COST | ALWAYS_ONE_SEED)


def cost_text(settings: BenchmarkSettings, pace: float | None = None, plan_pace: float | None = None) -> str:
    """Return the cost of a benchmark as text. The cost of the two-stage plan is not known in advance.

    ``pace`` is the processor time per rollout-equivalent in the shown benchmark, if there is one, and ``plan_pace``
    the time of the plan on the map for one.
    """
    tasks = tasks_of(settings)
    shared = sum(not task.matched for task in searches_in(tasks)) * settings.allowance
    matched = sum(task.matched for task in tasks)
    text = counted(len(tasks), "task")
    text += f", at most {shared:,} fire simulations" if shared else ""
    if any(task.planner is PlannerName.TWO_STAGE for task in tasks):
        text += "; the two-stage plan comes first, at a cost that shows only then"
        text += f", and {counted(matched, 'search', 'searches')} at that cost again" if matched else ""
    if pace is None and plan_pace is not None and shared:
        return f"{text}. At the pace of the plan on the map {about_text(shared * plan_pace)}, shared by the processes."
    if pace is None:
        return f"{text}. How long it takes shows after the first tasks."
    took = f"about {duration(shared * pace)} of processor time" if shared else "little time"
    return f"{text}. At the pace of the one shown {took}, shared out over the processes."


def seconds_left(
    table: BenchmarkTable, spent: int, seconds: float, failed: Container[PlannerTask] = ()
) -> float | None:
    """Estimate the time left from the pace so far.

    ``spent`` fire simulations took ``seconds`` of wall time. Tasks that ``failed`` take no more time. ``None``
    before there is a pace, and before the cost of the two-stage plan is known.
    """
    left = tuple(task for task in table.missing if task not in failed)
    if PlannerName.TWO_STAGE in {task.planner for task in table.missing} or not spent or not seconds:
        return None
    allowances = {True: table.matched_allowance, False: table.settings.allowance}
    total = sum(row.evaluations for row in table.rows)
    total += sum(allowances[task.matched] for task in searches_in(left))
    return max(total - spent, 0) * seconds / spent
