"""One task of a planner, from its start or checkpoint to its row, in a benchmark or a study."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from firegui.analyses.execution.process_worker import GRACE_SECONDS
from firegui.analyses.execution.tasks import TaskLink
from firegui.analyses.nested_plan import nested_spec, planned
from firegui.analyses.task_files import TITLE, clear_up, read_rows, task_folder, write_row
from firegui.domain.benchmark import GRADIENT_CHARGE, BenchmarkRow, PlannerName, PlannerTask, TaskTerms
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.results import Metrics, Violations
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness
from firegui.domain.stress import StressTable
from firegui.errors import CancelledError, Check, InputError
from firegui.fire.drop_flames import flame_lengths
from firegui.io import atomic
from firegui.io.exporters.csv import write_schedule_csv
from firegui.io.project.schedule_file import read_schedule, write_plan_safetensors
from firegui.planning.audit import Conditions, replay, stated_use
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.runs.engine import Engine
from firegui.runs.events import RunEvent, StageBegan, StressTestProgress
from firegui.runs.failures import failure_message
from firegui.runs.history import read_history
from firegui.runs.lock import FolderLock, is_held
from firegui.runs.run_folder import CHECKPOINT, HISTORY, PLAN, PRELIMINARY_HISTORY, RUN, SCHEDULE, RunRecord
from firegui.runs.stages import EliminationStep, EpochDone, Stage

if TYPE_CHECKING:
    from firegui.planning.trial_run import TaskRun
    from firegui.rollout.model import Model


SEARCHES_WITH = ("numba", "cma", "nevergrad")
"""Packages beyond a plan's that decide the numbers."""
REPORT_SECONDS = 0.25
"""Seconds between two progress reports of a task."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskContext:
    """Project, engine and model that all tasks of a worker share; ``model`` is at nominal effectiveness.

    ``out`` is where tasks keep their files, ``project_folder`` where the project is kept, for the record.
    """

    out: Path
    project_folder: Path
    backend: str
    project: Project
    engine: Engine
    model: Model
    link: TaskLink
    checkpoint_seconds: float


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a task."""

    dimension: int
    evaluations: int
    seconds: float
    curve: tuple[tuple[int, float], ...]
    gradient_cost: float | None = None


def installation(package: str) -> str:
    """Return the command that installs an optional package."""
    return f"pip install {package}"


@dataclass(frozen=True, slots=True)
class PreparedEngine(Engine):
    """The engine of one project's tasks, with its ``model`` made already."""

    model: Model

    def build(
        self, project: Project, effectiveness: Effectiveness, backend: str = "auto", precision: str = "float32", *,
        tell: MessageCallback = ignore_message, check: Check | None = None, maps: FireMaps | None = None,
        waits: bool = True,
    ) -> Model:  # fmt: skip
        """Return the model at hand, at ``effectiveness``."""
        return self.model.with_effectiveness(effectiveness)


def carry_out_task(context: TaskContext, terms: TaskTerms) -> BenchmarkRow:
    """Carry out a task, write its schedule and then its row. Return the row if it already exists.

    Raises :class:`~firegui.errors.CancelledError` when it was stopped; the state to resume from is saved then.
    """
    _await_release(task_folder(context.out, terms.task), context.link)
    if terms.task.planner is PlannerName.TWO_STAGE:
        folder = task_folder(context.out, terms.task)
        plan = TwoStageTask(
            context.project, context.engine, terms.task, folder, context.project_folder, context.backend
        )
        made = plan.run(context.link, context.checkpoint_seconds)
        schedule = _read(context, made.folder / PLAN)
        cost = Cost(plan.dimension, made.charge, made.seconds, made.curve)
        return _kept(context, scored(context, terms, schedule, cost, made.stress))
    return _searched(context, terms)


def _await_release(place: Path, link: TaskLink) -> None:
    """Wait while a worker of an analysis that was killed still saves the same task."""
    until = time.monotonic() + GRACE_SECONDS
    while is_held(place) and time.monotonic() < until:
        link.control.check()
        time.sleep(0.05)


def _searched(context: TaskContext, terms: TaskTerms) -> BenchmarkRow:
    folder = task_folder(context.out, terms.task)
    lock, checkpoint = FolderLock(folder), folder / CHECKPOINT
    try:
        for row in read_rows(context.out, (terms.task,)):  # a worker of a benchmark that was killed came to its end
            return row
        begun = checkpoint if checkpoint.is_file() else None
        task = context.engine.task_run(context.model, context.project.plan, terms, begun)
        try:
            _drive(context, task, checkpoint)
            cost = Cost(task.dimension, task.spent, task.seconds, task.curve, task.gradient_cost)
            row = scored(context, terms, task.best, cost)
        except CancelledError:
            task.save(checkpoint)
            raise
        write_plan_safetensors(folder / PLAN, task.best)
        drops = context.engine.drops(context.model, task.best)
        write_schedule_csv(folder / SCHEDULE, drops, context.project, flame_lengths(context.project, drops))
        return _kept(context, row)
    finally:
        lock.release()


def _kept(context: TaskContext, row: BenchmarkRow) -> BenchmarkRow:
    """Write the row, which marks the task as done, and remove its checkpoint."""
    write_row(context.out, row)
    clear_up(context.out, row.task)
    return row


def _drive(context: TaskContext, task: TaskRun, checkpoint: Path) -> None:
    """Advance the planner until it is finished. Report and save at intervals."""
    control, link = context.link.control, context.link
    told = saved = time.monotonic()
    link.send_progress(task.spent, task.best_objective, task.seconds)
    while not task.finished:
        if control.pause_requested:
            _save_or_warn(context, task, checkpoint)
            control.wait_while_paused()
        control.check()
        task.advance(control.check)
        moment = time.monotonic()
        if moment - told >= REPORT_SECONDS:
            told = moment
            link.send_progress(task.spent, task.best_objective, task.seconds)
        if moment - saved >= context.checkpoint_seconds:
            saved = moment
            _save_or_warn(context, task, checkpoint)


def _save_or_warn(context: TaskContext, task: TaskRun, checkpoint: Path) -> None:
    """Save a checkpoint. A full disk is only a warning, because the search may have run for minutes."""
    try:
        task.save(checkpoint)
    except InputError as error:
        message = f"no checkpoint could be written ({error.problems[0]}); the search goes on"
        context.link.warn(message)


def scored(
    context: TaskContext, terms: TaskTerms, schedule: Schedule, cost: Cost, stress: StressTable | None = None
) -> BenchmarkRow:
    """Score ``schedule`` at nominal effectiveness, audit it and test it in the project's stress set.

    The planner is not charged for it. ``stress`` is the table of the schedule, if there is one already.
    """
    model, check = context.model, context.link.control.check
    metrics = context.engine.simulate(model, schedule, check=check).metrics
    # A budget that is the two-stage plan's own count is kept by that plan.
    budget = terms.budget or metrics.drops_executed
    candidate, violations = _audit(context, schedule, metrics)
    return BenchmarkRow(
        task=terms.task,
        metrics=metrics,
        objective=SharedObjective(budget, terms.excess).value(metrics),
        dimension=cost.dimension,
        evaluations=cost.evaluations,
        seconds=cost.seconds,
        candidate=candidate,
        violations=violations,
        gradient_cost=cost.gradient_cost,
        curve=cost.curve,
        stress=stress or _stress_table(context, schedule, metrics),
    )


def _stress_table(context: TaskContext, schedule: Schedule, metrics: Metrics) -> StressTable | None:
    """Return the stress table; ``None`` for a schedule without drops, or where it cannot be computed."""
    project, check = context.project, context.link.control.check
    if not metrics.drops_executed or not project.stress.unrepaired:
        return None
    try:
        return context.engine.stress_table(project, context.model, schedule, project.stress, check=check)
    except CancelledError:
        raise
    except Exception as error:  # the search took longer than its test, and has its row without
        message = f"a schedule could not be stress-tested ({failure_message(error)})"
        context.link.warn(message)
        return None


def _audit(context: TaskContext, schedule: Schedule, metrics: Metrics) -> tuple[int, Violations]:
    """Return the number of proposed drops and the violations of the drops that the gates executed.

    Where the paper's rules are the only ones, a drop that they let through and that was not executed is wrong, too.
    """
    maps, fleet, project = context.model.maps, context.model.fleet, context.project
    executed = [(drop.step, drop.column) for drop in context.engine.drops(context.model, schedule) if drop.executed]
    audit = context.engine.audit(
        schedule,
        fleet,
        maps.steps_per_day,
        maps.shape,
        executed,
        conditions=Conditions.of(project),
        stated=[stated_use(executed, metrics)],
    )
    counts = audit.counts
    if context.model.rules is None:
        withheld = set(replay(schedule, fleet, maps.steps_per_day)).difference(executed)
        counts = replace(counts, others=counts.others + len(withheld))
    return audit.candidate, counts


def _read(context: TaskContext, path: Path) -> Schedule:
    model = context.model
    return read_schedule(path, model.fleet, model.maps.n_steps, model.maps.shape)


SECONDS = "processor.json"
"""Processor time of all sessions so far, beside the run's own files."""


@dataclass(frozen=True, slots=True)
class TwoStagePlan:
    """A finished two-stage plan.

    ``charge`` counts three rollouts for an epoch of every first stage (setting B has two), the rollouts of the
    elimination, three for the gradient that orders each of its passes, and for an epoch of smoothing its gradients and
    trials; as in the paper, not the one to five rollouts that a start is made with. ``curve`` is the main first
    stage's best at design effectiveness; the elimination has no objective. Neither the charge nor ``seconds`` has the
    stress test at the end in it.
    """

    folder: Path
    charge: int
    seconds: float
    curve: tuple[tuple[int, float], ...]
    stress: StressTable | None


class TwoStageTask:
    """The plan of both stages of ``project`` in ``folder``, with the task's seed."""

    def __init__(
        self, project: Project, engine: Engine, task: PlannerTask, folder: Path, project_folder: Path, backend: str
    ) -> None:  # fmt: skip
        optimizer = replace(project.plan.optimizer, seed=task.seed)
        self._project = replace(project, plan=replace(project.plan, optimizer=optimizer))
        self._engine, self._folder = engine, folder
        self._project_folder, self._backend = project_folder, backend

    @property
    def dimension(self) -> int:
        """A logit and three pose variables for every step and aircraft."""
        return 4 * self._project.calendar.n_steps * self._project.fleet.n_aircraft

    def run(self, link: TaskLink, checkpoint_seconds: float) -> TwoStagePlan:
        """Make the plan, or what it lacks. Raises :class:`~firegui.errors.CancelledError` when stopped."""
        self._folder.mkdir(parents=True, exist_ok=True)
        progress = _PlanProgress(self._folder, link, checkpoint_seconds)
        backend, where = self._backend, self._project_folder
        spec = nested_spec(self._project, self._folder, backend, checkpoint_seconds, where)
        try:
            record = planned(spec, progress.receive, link.control, self._engine, lambda event: None, TITLE)
        finally:
            progress.keep()
        return self._made(record, progress.seconds)

    def _made(self, record: RunRecord, seconds: float) -> TwoStagePlan:
        before = GRADIENT_CHARGE * _epochs(self._folder, PRELIMINARY_HISTORY)
        charge = before + GRADIENT_CHARGE * len(record.history)
        pruned = record.scores.pruned
        if pruned is not None:
            smoothing = self._engine.smoothing_charge(self._project.plan.elimination) if pruned.smoothed else 0
            charge += elimination_charge(pruned.rollouts, pruned.passes) + pruned.smoothed * smoothing
        curve = tuple(_improvements(before, record.history))
        return TwoStagePlan(self._folder, charge, seconds, curve, record.scores.stress)


class _PlanProgress:
    """Progress of a plan, passed on, with its processor time over all sessions."""

    def __init__(self, folder: Path, link: TaskLink, every: float) -> None:
        self._folder, self._link, self._every = folder, link, every
        self._before, self._began = _read_seconds(folder), time.process_time()
        self._charged, self._best = 0, math.nan
        self._ended: float | None = None
        self._told = self._kept = time.monotonic()

    @property
    def seconds(self) -> float:
        """Processor time of every session, to the beginning of the stress test."""
        return self._before + (time.process_time() if self._ended is None else self._ended) - self._began

    def receive(self, event: RunEvent) -> None:
        """Take an event of the plan's run."""
        match event:
            case StageBegan():
                self._charged = self._charged_before(event)
                self._best = math.nan
            case EpochDone():
                self._best = event.best
                self._tell(self._charged + event.rollouts)
            case EliminationStep():
                self._tell(self._charged + elimination_charge(event.rollouts, event.passes))
            case StressTestProgress() if self._ended is None:
                self._ended = time.process_time()
            case _:
                pass

    def keep(self) -> None:
        """Save the time; a disk that is full costs no more than the time's last digits."""
        self._kept = time.monotonic()
        if not (self._folder / RUN).is_file():  # alone, the file would keep the run out of its folder
            return
        with suppress(InputError):
            atomic.write_text(self._folder / SECONDS, msgspec.json.encode(self.seconds).decode() + "\n")

    def _charged_before(self, began: StageBegan) -> int:
        if began.stage is Stage.PRUNE:
            return GRADIENT_CHARGE * (_epochs(self._folder, PRELIMINARY_HISTORY) + _epochs(self._folder, HISTORY))
        preliminary = began.number < began.count - 1
        return 0 if preliminary else GRADIENT_CHARGE * _epochs(self._folder, PRELIMINARY_HISTORY)

    def _tell(self, spent: int) -> None:
        moment = time.monotonic()
        if moment - self._told >= REPORT_SECONDS:
            self._told = moment
            self._link.send_progress(spent, self._best, self.seconds)
        if moment - self._kept >= self._every:
            self.keep()


def elimination_charge(rollouts: int, passes: int) -> int:
    """Return the charge of an elimination with ``rollouts``, that of each pass's gradient included."""
    return rollouts + (GRADIENT_CHARGE - 1) * passes


def _epochs(folder: Path, history: str) -> int:
    return len(read_history(folder / history, 0))


def _improvements(before: int, rows: Sequence[EpochDone]) -> Iterator[tuple[int, float]]:
    best = math.inf
    for row in rows:
        if row.best < best:
            best = row.best
            yield before + row.rollouts, best


def _read_seconds(folder: Path) -> float:
    try:
        return float(msgspec.json.decode((folder / SECONDS).read_bytes(), type=float))
    except (OSError, msgspec.MsgspecError):
        return 0.0
