"""Run of the planner benchmark (paper, section ``planner_benchmark``): tasks, shared by workers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from firegui.analyses.benchmark.report import benchmark_message
from firegui.analyses.benchmark.results import RESUME_CHECK, STORE, BenchmarkHeader, resume_problems, table_of, terms_of
from firegui.analyses.benchmark.tables import write_tables
from firegui.analyses.benchmark.worker import BenchmarkPlaces
from firegui.analyses.execution.archives import pack_project
from firegui.analyses.execution.executor import ExecutorHooks, RunningTask, TaskExecutor, TaskResult, cluster_problems
from firegui.analyses.execution.factory import cluster_name, open_executor
from firegui.analyses.execution.folders import folder_task, save_answer
from firegui.analyses.execution.tasks import WorkerSetup
from firegui.analyses.planner_task import SEARCHES_WITH, installation
from firegui.analyses.task_files import TITLE, clear_up, read_rows, row_problems, task_folder
from firegui.domain.benchmark import (
    FIXED_COST,
    PLANNERS,
    BenchmarkRow,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    PlannerTask,
    TaskTerms,
    tasks_of,
)
from firegui.domain.settings import Margin
from firegui.errors import InputError, Problem, Problems
from firegui.io.cache_folder import processor
from firegui.io.project.store import load_project
from firegui.rollout.machine import cores
from firegui.runs.base_run import SavedRun
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import BenchmarkProgress, BenchmarkReady, Emit, Message, RunFinished, TaskProgress
from firegui.runs.header import PACKAGES, common_fields, event_hash
from firegui.runs.spec import BenchmarkSpec
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.state import RunMachine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


FIGURES = ("planner_convergence*.png", "planner_convergence*.svg")
"""What is drawn once every task is done."""
WORKER = "firegui.analyses.benchmark.worker:BenchmarkWorker"
_COLLECT_SECONDS, _PROGRESS_SECONDS = 0.1, 0.25


def benchmark_problems(spec: BenchmarkSpec, engine: Engine) -> list[Problem]:
    """Return the problems of ``spec``, except those of its folder."""
    found = spec.project.problems() + asked_problems(spec.settings, spec.processes, engine)
    return found + cluster_problems(spec.scheduler)


def asked_problems(settings: BenchmarkSettings, processes: int, engine: Engine) -> list[Problem]:
    """Return what is wrong with a requested benchmark, on any project."""
    found = settings.problems()
    if processes < 0:
        found.append(Problem("processes", f"{processes} of them", "give at least 1, or 0 for one a core"))
    for name in dict.fromkeys((*settings.planners, *settings.matched)):
        package = engine.missing_extra(name)
        if package:
            remedy = f"install it ({installation(package)}), or leave the planner out"
            found.append(Problem(name.value, f"needs the package {package}, which is not installed", remedy))
    return found


def usable_planners(names: tuple[PlannerName, ...], engine: Engine) -> tuple[tuple[PlannerName, ...], tuple[str, ...]]:
    """Return those of ``names`` that can run here, and a note for each of the others."""
    missing = {name: engine.missing_extra(name) for name in names}
    notes = [
        f"{PLANNERS[name].title} is left out: it needs the package {package} ({installation(package)})"
        for name, package in missing.items()
        if package
    ]
    return tuple(name for name in names if not missing[name]), tuple(notes)


class BenchmarkRun(SavedRun[BenchmarkSpec, BenchmarkHeader]):
    """Run of a :class:`~firegui.runs.spec.BenchmarkSpec`, without the project's margin."""

    store = STORE

    def __init__(
        self, spec: BenchmarkSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine
    ) -> None:
        spec = replace(spec, project=spec.project.with_margin(Margin.NONE))
        super().__init__(spec, emit, control, engine, machine)
        self._executor: TaskExecutor | None = None
        self._submitted: list[TaskTerms] = []
        self._queue = TaskQueue(spec.settings, (), pinned=False)
        self._processes, self._most_workers = spec.processes or cores(), 0
        self._progress_at = -math.inf
        self._thread_began = self._processor_before = 0.0

    def run(self) -> RunFinished:
        """Carry every task out, then draw. Writes nothing before the input is known to be good."""
        spec, self._thread_began = self._spec, time.thread_time()
        then = self._checked()
        # The processes make their own; this one says what it is computed on, and whether it can be at all.
        model = self._nominal_model(self._backend(then))
        header = self._new_header(model, then)
        del model
        self._compare_engines(then, header)
        self._folder.claim(then, header)
        self._processor_before = 0.0 if then is None else then.processor_seconds
        rows = () if then is None else read_rows(spec.out, tasks_of(spec.settings))
        for row in rows:  # a kill may have come between a row and this
            clear_up(spec.out, row.task)
        self._queue = TaskQueue(spec.settings, rows, pinned=bool(spec.project.operations.pinned))
        if not self._queue.table.complete:
            self._folder.remove(*FIGURES)
        self._machine.move(RunState.RUNNING)
        self._keep()
        for note in spec.notes:
            self._emit(Message(note, "warning"))
        self._work()
        return self._conclude()

    def note_failure(self, message: str) -> None:
        """End every process and write to the folder, if any, that the run failed. Finished tasks stay."""
        self._close_executor()
        super().note_failure(message)

    def close(self) -> None:
        """End every process and unlock the folder. Nothing is written to it afterwards."""
        self._close_executor()
        super().close()

    def _close_executor(self) -> None:
        if self._executor is not None:
            self._processor_before += self._executor.processor
            self._executor.close()
            self._executor = None

    # -- before the first task ---------------------------------------------------------------------------------------
    def _checked(self) -> BenchmarkHeader | None:
        spec = self._spec
        return self._folder.checked(
            benchmark_problems(spec, self._engine),
            lambda then: [*resume_problems(then, spec), *row_problems(spec.out, tasks_of(spec.settings))],
        )

    def _backend(self, then: BenchmarkHeader | None) -> str:
        """Return the backend of every session, where the machine does not choose it; empty where it does."""
        if then is not None and self._spec.backend == "auto":
            return then.backend
        # Of the workers of a cluster only the request is known.
        return "cpu" if self._spec.scheduler and self._spec.backend == "auto" else ""

    def _new_header(self, model: Model, then: BenchmarkHeader | None) -> BenchmarkHeader:
        spec = self._spec
        return BenchmarkHeader(
            **common_fields(spec, then, model.backend, (*PACKAGES, *SEARCHES_WITH)),
            settings=spec.settings,
            notes=spec.notes,
            device=model.device,
            machine=f"{processor()}, {cores()} cores",
            processes=self._processes,
            scheduler=spec.scheduler,
            checkpoint_seconds=spec.checkpoint_seconds,
        )

    def _compare_engines(self, then: BenchmarkHeader | None, now: BenchmarkHeader) -> None:
        """Refuse to mix rows of two engines; those of two machines differ in their seconds, which is said."""
        if then is None:
            return
        problems = Problems()
        problems.extend(RESUME_CHECK.engine_problems(then, now, self._spec.out))
        problems.raise_if_any(TITLE)
        if then.machine != now.machine:
            text = f"begun on another machine ({then.machine}): the seconds of its rows are that one's"
            self._emit(Message(text, "warning"))

    # -- the tasks ---------------------------------------------------------------------------------------------------
    def _work(self) -> None:
        if not self._queue.ready():
            return
        executor = self._executor = self._new_executor()
        while not self._control.stop_requested:
            if self._control.pause_requested:
                self._pause(executor)
                continue
            self._hand_out(executor)
            if not executor.busy and not self._queue.ready():
                return
            self._listen(executor)
        self._machine.move(RunState.STOPPING)
        executor.stop()
        while executor.busy and not self._control.abandon_requested:
            self._listen(executor)

    def _new_executor(self) -> TaskExecutor:
        spec = self._spec
        self._check_saved_event()
        places = BenchmarkPlaces(
            "" if spec.scheduler else str(spec.out), self._folder.header.project_folder, spec.checkpoint_seconds
        )  # fmt: skip
        setup = WorkerSetup(
            WORKER, "the benchmark", pack_project(spec.project), msgspec.json.encode(places),
            self._folder.header.backend, self._folder.header.versions, str(spec.out),
        )  # fmt: skip
        return open_executor(
            setup, cluster_name("benchmark", spec.out, self._folder.header.project_hash),
            ExecutorHooks(self._control, self._warn, self._warn_of_task),
            workers=self._processes, scheduler=spec.scheduler, attempts=1,
        )  # fmt: skip

    def _check_saved_event(self) -> None:
        """Refuse a project that is not saved as it is: the plans could not be shown later."""
        folder = self._spec.project_folder
        if not folder.is_dir():
            remedy = "put it back, or go on with the benchmark of the folder where it is now"
            raise InputError([Problem(str(folder), "is gone since the benchmark was begun", remedy)], TITLE)
        if event_hash(load_project(folder)) != self._folder.header.event_hash:
            what = "is not the event any more that the benchmark was begun on"
            remedy = "restore it, or run the benchmark again in another folder"
            raise InputError([Problem(str(folder), what, remedy)], TITLE)

    def _hand_out(self, executor: TaskExecutor) -> None:
        """Submit as many tasks as there are workers for."""
        for terms in self._queue.ready()[: max(executor.capacity, 0)]:
            self._queue.begin(terms.task)
            self._submitted.append(terms)
            data, sends_files = msgspec.json.encode(terms), bool(self._spec.scheduler)
            task = folder_task(self._spec.out, _place(terms.task), data, sends_files=sends_files)
            executor.submit(len(self._submitted) - 1, task)

    def _listen(self, executor: TaskExecutor) -> None:
        for result in executor.collect(_COLLECT_SECONDS):
            self._take(result)
        moment = time.monotonic()
        if moment - self._progress_at >= _PROGRESS_SECONDS:
            self._progress_at = moment
            self._emit(self._progress())

    def _take(self, result: TaskResult) -> None:
        task, outcome = self._submitted[result.number].task, result.outcome
        if outcome.error:
            self._fail(task, outcome.error)
            return
        try:
            row = save_answer(self._spec.out, _place(task), outcome.result)
        except InputError as error:
            self._fail(task, str(error.problems[0]))
            return
        if not row:
            self._fail(task, "its process was asked to stop by somebody else")
            return
        self._queue.finish(msgspec.json.decode(row, type=BenchmarkRow))
        with self._warned("the tables"):
            self._keep()

    def _warn(self, text: str) -> None:
        self._emit(Message(text, "warning"))

    def _warn_of_task(self, number: int, text: str) -> None:
        self._warn(f"{self._submitted[number].task.name}: {text}")

    def _fail(self, task: PlannerTask, why: str) -> None:
        """Note what went wrong with a task; the others go on. After a stop it only was not as fast as that."""
        if not self._control.stop_requested:
            self._queue.fail(task, why)
            self._warn(f"{task.name}: {why}")

    def _pause(self, executor: TaskExecutor) -> None:
        executor.pause()
        self._machine.move(RunState.PAUSED)
        with self._warned("the pause"):
            self._update(state=RunState.PAUSED)
        held = time.monotonic()
        self._control.wait_while_paused()
        self._folder.rest(time.monotonic() - held)
        if not self._control.stop_requested:
            executor.resume()
            self._machine.move(RunState.RUNNING)
            with self._warned("the end of the pause"):
                self._update(state=RunState.RUNNING)

    def _progress(self) -> BenchmarkProgress:
        table = self._queue.table
        running = tuple(map(self._task_progress, () if self._executor is None else self._executor.running))
        failed = tuple(sorted(self._queue.failed.items()))
        return BenchmarkProgress(running, len(table.rows), len(table.tasks), self._folder.seconds, failed)

    def _task_progress(self, running: RunningTask) -> TaskProgress:
        terms, report = self._submitted[running.number], running.report
        best = math.nan if report.best is None else report.best
        return TaskProgress(terms.task, report.spent, terms.allowance, best, report.seconds)

    # -- what is kept ------------------------------------------------------------------------------------------------
    def _keep(self) -> None:
        """Save the table as it is and show it."""
        table = self._queue.table
        if (no_drops := table.group(PlannerName.NONE)) is not None:
            self.baseline_metrics = no_drops.rows[0].metrics
        self._update(state=RunState.RUNNING)
        write_tables(self._spec.out, table, self._spec.project)
        self._emit(BenchmarkReady(table))

    @contextmanager
    def _warned(self, what: str) -> Iterator[None]:
        """Rows are saved by the workers: a disk that is full for a moment does not end hours of work."""
        try:
            yield
        except InputError as error:
            self._emit(Message(f"{what} could not be written ({error.problems[0]}); the benchmark goes on", "warning"))

    def _conclude(self) -> RunFinished:
        table, out = self._queue.table, self._spec.out
        self._emit(self._progress())  # the last tasks may have been over too soon to be told of
        reason = FinishReason.COMPLETED
        if not table.complete:
            reason = FinishReason.STOPPED if self._control.stop_requested else FinishReason.FAILED
        message = benchmark_message(table, reason, self._queue.failed, self._queue.obstacle)
        if reason is FinishReason.COMPLETED:  # a stop does not wait for matplotlib
            self._engine.draw_benchmark(table, self._spec.project, out)
        return self._finish(reason, message)

    def _header_fields(self) -> dict[str, Any]:
        table, executor = self._queue.table, self._executor
        spent = time.thread_time() - self._thread_began + (0.0 if executor is None else executor.processor)
        if executor is not None and self._spec.scheduler:
            self._most_workers = max(self._most_workers, len(executor.workers))
        return {
            "budget": table.budget,
            "matched_allowance": table.matched_allowance,
            "processor_seconds": self._processor_before + spent,
            "processes": self._most_workers if self._spec.scheduler else self._processes,
        }


def _place(task: PlannerTask) -> str:
    """Return the folder of ``task`` below that of the benchmark."""
    return task_folder(Path(), task).as_posix()


NO_DROPS = (
    "the two-stage plan has no drops, so it gives no budget to compare the planners under: give a budget, or let it"
    " find a plan with more epochs, other weights or fewer grounded days"
)


class TaskQueue:
    """The tasks of ``settings``, of which ``rows`` are done; ``pinned`` says that some drops are pinned."""

    def __init__(self, settings: BenchmarkSettings, rows: Iterable[BenchmarkRow], *, pinned: bool) -> None:
        self._settings, self._pinned = settings, pinned
        self._rows = {row.task: row for row in rows}
        self._begun: set[PlannerTask] = set()
        self.failed: dict[PlannerTask, str] = {}

    @property
    def table(self) -> BenchmarkTable:
        """The rows so far."""
        return table_of(self._settings, self._rows.values())

    @property
    def obstacle(self) -> str:
        """Why no task can be begun any more although some are not done; empty where there is no such reason."""
        table, done = self.table, {task.planner for task in self._rows}
        if table.complete or PlannerName.TWO_STAGE not in done or table.budget > 0:
            return ""
        return NO_DROPS

    def ready(self) -> list[TaskTerms]:
        """Every task that can be begun now, the longest first."""
        table = self.table
        waiting = (task for task in table.missing if task not in self._begun and task not in self.failed)
        found = [terms_of(table, task) for task in waiting if self._is_known(task, table)]
        return sorted(found, key=_order)

    def begin(self, task: PlannerTask) -> None:
        """Record that ``task`` was given to a worker."""
        self._begun.add(task)

    def finish(self, row: BenchmarkRow) -> None:
        """Note that a task is done."""
        self._rows[row.task] = row

    def fail(self, task: PlannerTask, why: str) -> None:
        """Note that a task cannot be done, so that it is not begun again."""
        self.failed[task] = why

    def _is_known(self, task: PlannerTask, table: BenchmarkTable) -> bool:
        """Return whether everything that ``task`` is run under is known."""
        if task.planner is PlannerName.TWO_STAGE:
            return True
        if task.matched and table.matched_allowance == 0:
            return False
        # Without a drop there is none over any budget.
        return table.budget > 0 or (task.planner is PlannerName.NONE and not self._pinned)


def _order(terms: TaskTerms) -> tuple[bool, bool, int, PlannerTask]:
    task = terms.task
    return task.planner is not PlannerName.TWO_STAGE, task.planner in FIXED_COST, -terms.allowance, task
