"""One task of a benchmark from its beginning, or its checkpoint, to its row; carried out in a worker process."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from firegui.domain.benchmark import BenchmarkRow, PlannerName, TaskTerms, Violations
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import CancelledError, InputError
from firegui.io.exporters.csv import write_schedule_csv
from firegui.io.schedule_file import read_schedule, write_plan_safetensors
from firegui.planning.audit import Conditions, replay
from firegui.planning.shared_objective import SharedObjective
from firegui.runs.benchmark_folder import clear_up, read_rows, task_folder, write_row
from firegui.runs.benchmark_line import Listener, Report, Word
from firegui.runs.benchmark_two_stage import TwoStage
from firegui.runs.engine import Engine
from firegui.runs.folder import CHECKPOINT, PLAN, SCHEDULE
from firegui.runs.lock import FolderLock

if TYPE_CHECKING:
    from firegui.planning.trial_run import TaskRun
    from firegui.rollout.model import Model


TOLD_SECONDS = 0.25
"""Nobody reads more of a task's progress than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Desk:
    """What every task of a worker is carried out with; ``model`` is at nominal effectiveness.

    ``out`` is where tasks keep their files, ``project_folder`` where the project is kept, for the record.
    """

    out: Path
    project_folder: Path
    backend: str
    project: Project
    engine: Engine
    model: Model
    line: Listener
    checkpoint_seconds: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a task took."""

    dimension: int
    evaluations: int
    seconds: float
    curve: tuple[tuple[int, float], ...]
    gradient_cost: float | None = None


def carried_out(desk: Desk, terms: TaskTerms) -> BenchmarkRow:
    """Carry a task out and write its schedule and then its row; a row that is there already is what it comes to.

    Raises :class:`~firegui.errors.CancelledError` when it was stopped, with everything saved that going on needs.
    """
    if terms.task.planner is PlannerName.TWO_STAGE:
        plan = TwoStage(
            desk.project, desk.engine, terms.task, task_folder(desk.out, terms.task), desk.project_folder, desk.backend
        )  # fmt: skip
        made = plan.run(desk.line, desk.checkpoint_seconds)
        schedule = _read(desk, made.folder / PLAN)
        cost = Cost(plan.dimension, made.charge, made.seconds, made.curve)
        return _kept(desk, scored(desk, terms, schedule, cost))
    return _searched(desk, terms)


def _searched(desk: Desk, terms: TaskTerms) -> BenchmarkRow:
    folder = task_folder(desk.out, terms.task)
    lock, checkpoint = FolderLock(folder), folder / CHECKPOINT
    try:
        for row in read_rows(desk.out, (terms.task,)):  # a worker of a benchmark that was killed came to its end
            return row
        begun = checkpoint if checkpoint.is_file() else None
        task = desk.engine.task_run(desk.model, desk.project.plan, terms, begun)
        try:
            _drive(desk, task, checkpoint)
            cost = Cost(task.dimension, task.spent, task.seconds, task.curve, task.gradient_cost)
            row = scored(desk, terms, task.best, cost)
        except CancelledError:
            task.save(checkpoint)
            raise
        write_plan_safetensors(folder / PLAN, task.best)
        write_schedule_csv(folder / SCHEDULE, desk.engine.drops(desk.model, task.best), desk.project)
        return _kept(desk, row)
    finally:
        lock.release()


def _kept(desk: Desk, row: BenchmarkRow) -> BenchmarkRow:
    """The row, written; with it the task is done, and nobody goes on with it."""
    write_row(desk.out, row)
    clear_up(desk.out, row.task)
    return row


def _drive(desk: Desk, task: TaskRun, checkpoint: Path) -> None:
    """Go on until the planner is finished; tell and save as often as that is due."""
    control, line = desk.line.control, desk.line
    told = saved = time.monotonic()
    line.say_progress(task.spent, task.best_objective, task.seconds)
    while not task.finished:
        if control.pause_requested:
            _save_or_warn(desk, task, checkpoint)
            control.wait_while_paused()
        control.check()
        task.advance(control.check)
        moment = time.monotonic()
        if moment - told >= TOLD_SECONDS:
            told = moment
            line.say_progress(task.spent, task.best_objective, task.seconds)
        if moment - saved >= desk.checkpoint_seconds:
            saved = moment
            _save_or_warn(desk, task, checkpoint)


def _save_or_warn(desk: Desk, task: TaskRun, checkpoint: Path) -> None:
    """A disk that is full for a moment does not end a search that has minutes behind it."""
    try:
        task.save(checkpoint)
    except InputError as error:
        message = f"no checkpoint could be written ({error.problems[0]}); the benchmark goes on"
        desk.line.say(Report(Word.WARNING, message=message))


def scored(desk: Desk, terms: TaskTerms, schedule: Schedule, cost: Cost) -> BenchmarkRow:
    """Score ``schedule`` at nominal effectiveness, charged to nobody, and have it audited."""
    model, check = desk.model, desk.line.control.check
    metrics = desk.engine.simulate(model, schedule, check=check).metrics
    # A budget that is the two-stage plan's own count is kept by that plan.
    budget = terms.budget or metrics.drops_executed
    candidate, violations = _audit(desk, schedule)
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
    )


def _audit(desk: Desk, schedule: Schedule) -> tuple[int, Violations]:
    """How many drops are proposed, and what is wrong with those that the rollout's gates executed.

    Where the paper's rules are the only ones, a drop that they let through and that was not executed is wrong, too.
    """
    maps, fleet, project = desk.model.maps, desk.model.fleet, desk.project
    executed = [(drop.step, drop.column) for drop in desk.engine.drops(desk.model, schedule) if drop.executed]
    audit = desk.engine.audit(
        schedule, fleet, maps.steps_per_day, maps.shape, executed, conditions=Conditions.of(project)
    )
    counts = audit.counts
    if project.operations.off:
        withheld = set(replay(schedule, fleet, maps.steps_per_day)).difference(executed)
        counts = replace(counts, others=counts.others + len(withheld))
    return audit.candidate, counts


def _read(desk: Desk, path: Path) -> Schedule:
    model = desk.model
    return read_schedule(path, model.fleet, model.maps.n_steps, model.maps.shape)
