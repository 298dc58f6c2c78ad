"""The planner benchmark as a run (paper, section ``planner_benchmark``): its tasks, shared out over processes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firegui.analyses.benchmark.report import benchmark_message
from firegui.analyses.benchmark.results import RESUME_CHECK, STORE, BenchmarkHeader, resume_problems, table_of, terms_of
from firegui.analyses.benchmark.tables import write_tables
from firegui.analyses.benchmark.worker_pool import WorkerPool, WorkerReport
from firegui.analyses.planner_task import SEARCHES_WITH, installation
from firegui.analyses.task_channel import MessageType, TaskReport, WorkerOrder
from firegui.analyses.task_files import TITLE, clear_up, read_rows, row_problems
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
from firegui.errors import FireguiError, InputError, Problem, Problems
from firegui.io.toml import plain_words
from firegui.rollout.machine import cores, processor
from firegui.runs.base_run import SavedRun
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import (
    BenchmarkProgress,
    BenchmarkReady,
    Emit,
    FinishReason,
    Message,
    RunFinished,
    RunState,
)
from firegui.runs.header import PACKAGES, common_fields
from firegui.runs.messages import counted
from firegui.runs.spec import BenchmarkSpec
from firegui.runs.state import RunMachine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


FIGURES = ("planner_convergence*.png", "planner_convergence*.svg")
"""What is drawn once every task is done."""
_HEARD_SECONDS, _TOLD_SECONDS = 0.1, 0.25


def benchmark_problems(spec: BenchmarkSpec, engine: Engine) -> list[Problem]:
    """Everything that keeps ``spec`` from being carried out, but for what lies in its folder."""
    return spec.project.problems() + asked_problems(spec.settings, spec.processes, engine)


def asked_problems(settings: BenchmarkSettings, processes: int, engine: Engine) -> list[Problem]:
    """What is wrong with a benchmark that is asked for, on whatever project."""
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
    """Those of ``names`` for which nothing is missing here, and a note for each of the others."""
    missing = {name: engine.missing_extra(name) for name in names}
    notes = [
        f"{PLANNERS[name].title} is left out: it needs the package {package} ({installation(package)})"
        for name, package in missing.items()
        if package
    ]
    return tuple(name for name in names if not missing[name]), tuple(notes)


class BenchmarkRun(SavedRun[BenchmarkSpec, BenchmarkHeader]):
    """Run of a :class:`~firegui.runs.spec.BenchmarkSpec`. It uses the paper's planners, not the project's margin."""

    store = STORE

    def __init__(
        self, spec: BenchmarkSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine
    ) -> None:
        spec = replace(spec, project=spec.project.with_margin(Margin.NONE))
        super().__init__(spec, emit, control, engine, machine)
        self._pool = WorkerPool(spec.out)
        self._queue = TaskQueue(spec.settings, (), pinned=False)
        self._processes = spec.processes or cores()
        self._told_at = -math.inf
        self._steered = self._processor_before = 0.0

    def run(self) -> RunFinished:
        """Carry every task out, then draw. Writes nothing before the input is known to be good."""
        spec, self._steered = self._spec, time.thread_time()
        then = self._checked()
        # The processes make their own; this one says what it is computed on, and whether it can be at all.
        model = self._nominal_model(then.backend if then is not None and spec.backend == "auto" else "")
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
        """End every process and write to the folder, if there is one, that the run failed. Finished tasks stay."""
        self._pool.close()
        super().note_failure(message)

    def close(self) -> None:
        """End every process and unlock the folder. Nothing is written to it afterwards."""
        self._pool.close()
        super().close()

    # -- before the first task ---------------------------------------------------------------------------------------
    def _checked(self) -> BenchmarkHeader | None:
        spec = self._spec
        return self._folder.checked(
            benchmark_problems(spec, self._engine),
            lambda then: [*resume_problems(then, spec), *row_problems(spec.out, tasks_of(spec.settings))],
        )

    def _new_header(self, model: Model, then: BenchmarkHeader | None) -> BenchmarkHeader:
        spec = self._spec
        return BenchmarkHeader(
            **common_fields(spec, then, model.backend, (*PACKAGES, *SEARCHES_WITH)),
            settings=spec.settings,
            notes=spec.notes,
            device=model.device,
            machine=f"{processor()}, {cores()} cores",
            processes=self._processes,
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
        while not self._control.stop_requested:
            if self._control.pause_requested:
                self._pause()
                continue
            self._hand_out()
            if not self._pool.busy and not self._queue.ready():
                return
            self._listen()
        self._machine.move(RunState.STOPPING)
        self._pool.stop()
        while self._pool.busy and not self._control.abandon_requested:
            self._listen()

    def _hand_out(self) -> None:
        """Give a task to everybody who waits for one, and begin as many processes as there is work for."""
        waiting = self._queue.ready()
        for worker, terms in zip(self._pool.idle, waiting, strict=False):
            self._queue.begin(terms.task)
            worker.assign(terms)
        left = len(self._queue.ready())
        while len(self._pool.workers) < self._processes and self._pool.starting < left:
            try:
                self._pool.start_worker()
            except OSError as error:
                self._go_on_with_fewer(f"the system refuses it ({plain_words(error)})")

    def _listen(self) -> None:
        for heard in self._pool.poll(_HEARD_SECONDS):
            self._take(heard)
        moment = time.monotonic()
        if moment - self._told_at >= _TOLD_SECONDS:
            self._told_at = moment
            self._emit(self._progress())

    def _take(self, heard: WorkerReport) -> None:
        report, terms = heard.report, heard.terms
        if report is None:
            exit_reason = heard.worker.exit_reason()
            heard.worker.end()
            if not heard.worker.is_ready:
                self._go_on_with_fewer(exit_reason)
            report = TaskReport(MessageType.FAILED, message=exit_reason)
        match report.word:
            case MessageType.DONE if report.row is not None:
                self._queue.finish(report.row)
                with self._warned("the tables"):
                    self._keep()
            case MessageType.WARNING if terms is not None:
                self._emit(Message(f"{terms.task.name}: {report.message}", "warning"))
            case MessageType.STOPPED if terms is not None:
                self._fail(terms.task, "its process was asked to stop by somebody else")
            case MessageType.FAILED if terms is not None:
                self._fail(terms.task, report.message)
            case MessageType.FAILED if report.problems:
                raise InputError(report.problems, TITLE)
            case MessageType.FAILED if heard.report is not None:
                self._pool.end_worker(heard.worker)
                self._go_on_with_fewer(report.message)
            case _:
                pass

    def _go_on_with_fewer(self, exit_reason: str) -> None:
        """A process ended before it could be given anything; there may be no memory for so many."""
        self._processes = len(self._pool.workers)
        if not self._processes:
            raise FireguiError(f"no task could be begun: {exit_reason}; resume to try again")
        others = counted(self._processes, "process", "processes")
        self._emit(
            Message(f"a process could not be begun: {exit_reason}; the benchmark goes on with {others}", "warning")
        )

    def _fail(self, task: PlannerTask, why: str) -> None:
        """Note what went wrong with a task; the others go on. After a stop it only was not as fast as that."""
        if not self._control.stop_requested:
            self._queue.fail(task, why)
            self._emit(Message(f"{task.name}: {why}", "warning"))

    def _pause(self) -> None:
        self._pool.send(WorkerOrder(MessageType.PAUSE))
        self._machine.move(RunState.PAUSED)
        with self._warned("the pause"):
            self._update(state=RunState.PAUSED)
        held = time.monotonic()
        self._control.wait_while_paused()
        self._folder.rest(time.monotonic() - held)
        if not self._control.stop_requested:
            self._pool.send(WorkerOrder(MessageType.RESUME))
            self._machine.move(RunState.RUNNING)
            with self._warned("the end of the pause"):
                self._update(state=RunState.RUNNING)

    def _progress(self) -> BenchmarkProgress:
        table = self._queue.table
        running = tuple(worker.progress for worker in self._pool.busy if worker.progress is not None)
        failed = tuple(sorted(self._queue.failed.items()))
        return BenchmarkProgress(running, len(table.rows), len(table.tasks), self._folder.seconds, failed)

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
        table = self._queue.table
        return {
            "budget": table.budget,
            "matched_allowance": table.matched_allowance,
            "processor_seconds": self._processor_before + time.thread_time() - self._steered + self._pool.processor,
        }


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
        """``task`` was given to somebody."""
        self._begun.add(task)

    def finish(self, row: BenchmarkRow) -> None:
        """A task is done."""
        self._rows[row.task] = row

    def fail(self, task: PlannerTask, why: str) -> None:
        """A task cannot be done; it is not begun again."""
        self.failed[task] = why

    def _is_known(self, task: PlannerTask, table: BenchmarkTable) -> bool:
        """Whether everything that ``task`` is run under is known."""
        if task.planner is PlannerName.TWO_STAGE:
            return True
        if task.matched and table.matched_allowance == 0:
            return False
        # Without a drop there is none over any budget.
        return table.budget > 0 or (task.planner is PlannerName.NONE and not self._pinned)


def _order(terms: TaskTerms) -> tuple[bool, bool, int, PlannerTask]:
    task = terms.task
    return task.planner is not PlannerName.TWO_STAGE, task.planner in FIXED_COST, -terms.allowance, task
