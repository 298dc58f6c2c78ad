"""Benchmark results made up for tests, with numbers of the paper's size, and their folder."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from firegui.analyses.benchmark.results import BenchmarkHeader, table_of, write_header
from firegui.analyses.benchmark.tables import write_tables
from firegui.analyses.task_files import read_rows, task_folder, write_row
from firegui.domain.benchmark import BenchmarkRow, BenchmarkSettings, BenchmarkTable, PlannerName, PlannerTask, tasks_of
from firegui.domain.project import Project
from firegui.domain.results import Metrics, Violations
from firegui.domain.schedule import Schedule
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import project_hash
from firegui.runs.control import RunControl
from firegui.runs.events import BenchmarkProgress, BenchmarkReady, RunEvent, RunFinished, TaskProgress
from firegui.runs.header import event_hash, now
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import BenchmarkSpec, RunSpec
from firegui.runs.stages import FinishReason, RunState

P = PlannerName
# objective, its spread over the seeds, drops, extent, evaluations (0: the allowance), processor seconds
NUMBERS: dict[PlannerName, tuple[float, float, int, float, int, float]] = {
    P.NONE: (24.58, 0.0, 0, 167_865.0, 1, 0.01),
    P.UNIFORM: (23.66, 0.15, 1033, 161_920.0, 1, 0.03),
    P.FOOTPRINT: (22.21, 0.94, 1033, 151_529.0, 1, 0.18),
    P.TACTICAL: (15.38, 1.96, 1032, 110_125.0, 7, 5.23),
    P.GREEDY: (17.09, 0.1, 1032, 118_285.0, 2076, 161.3),
    P.CMA_ES: (18.44, 0.65, 999, 122_684.0, 0, 299.0),
    P.CMA_ES_NATIVE: (31.33, 0.5, 2970, 77_726.0, 0, 305.0),
    P.DIFFERENTIAL_EVOLUTION: (21.57, 0.4, 1301, 128_193.0, 0, 306.9),
    P.PARTICLE_SWARM: (29.7, 0.4, 1705, 157_366.0, 0, 301.7),
    P.GRADIENT: (4.35, 0.19, 1032, 27_626.0, 0, 418.4),
    P.GRADIENT_DESIGN: (7.01, 0.18, 1031, 46_885.0, 0, 420.1),
    P.GRADIENT_TACTICAL: (4.2, 0.2, 1030, 26_000.0, 0, 425.0),
    P.TWO_STAGE: (0.87, 0.0, 1032, 4_211.0, 25_686, 1728.0),
}
_GRADIENTS = {P.GRADIENT, P.GRADIENT_DESIGN, P.GRADIENT_TACTICAL}


def row_of(task: PlannerTask, settings: BenchmarkSettings, *, grounded: int = 0) -> BenchmarkRow:
    """Return a finished task; the first seed is the best."""
    objective, spread, drops, extent, evaluations, seconds = NUMBERS[task.planner]
    share = 0.36 if task.matched else 1.0
    number = task.seed - settings.seed
    value = objective * share + spread * number
    spent = evaluations or (25_686 if task.matched else settings.allowance)
    metrics = Metrics(
        final_extent_cells=extent * share + 100.0 * number, final_extent_ha=extent * share * 0.09,
        occupancy_cell_days=5.3 * extent * share, protected_cells=0.4 * extent * share, loss_burn=0.1, loss_final=0.2,
        loss_prot=0.3, drops_proposed=drops + 500, drops_executed=drops, objective=value,
    )  # fmt: skip
    curve = () if spent < 10 else tuple(_improvements(value, spent, task.seed))
    return BenchmarkRow(
        task=task, metrics=metrics, objective=value, dimension=63_000 if task.planner in _GRADIENTS else 1_260,
        evaluations=spent, seconds=seconds * (spent / settings.allowance if task.matched else 1.0),
        candidate=drops + 500, violations=Violations(grounded, 0, 0),
        gradient_cost=2.05 if task.planner in _GRADIENTS else None, curve=curve,
    )  # fmt: skip


def _improvements(value: float, spent: int, seed: int) -> list[tuple[int, float]]:
    """Return improvements from the fire without drops to ``value``, most of them early."""
    at = np.unique(np.geomspace(1, 0.95 * spent, 40).astype(int))
    fall = np.sort(np.random.default_rng(seed).uniform(0.0, 1.0, len(at)))[::-1]
    fall = (fall - fall[-1]) / (fall[0] - fall[-1])
    best = value + (max(24.58, 1.2 * value) - value) * fall
    return [(int(k), float(v)) for k, v in zip(at, best, strict=True)]


def table(settings: BenchmarkSettings, done: int | None = None) -> BenchmarkTable:
    """Return all tasks of ``settings``, or the first ``done`` of them."""
    return table_of(settings, [row_of(task, settings) for task in tasks_of(settings)[:done]])


def write_benchmark(
    folder: Path, project: Project, settings: BenchmarkSettings, *, done: int | None = None,
    reason: FinishReason | None = FinishReason.COMPLETED,
) -> BenchmarkTable:  # fmt: skip
    """Write the folder of a benchmark, with a plan without drops for every task, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    header = BenchmarkHeader(
        command="firegui benchmark", settings=settings, state=RunState.FINISHED, reason=reason, started=now(),
        machine="a machine, 4 cores", processes=2, checkpoint_seconds=5.0, project_hash=project_hash(project),
        event_hash=event_hash(project), project=ProjectSnapshot.of(project),
    )  # fmt: skip
    write_header(folder, header)
    for task in tasks_of(settings)[:done]:
        finish(folder, row_of(task, settings), project)
    found = table_of(settings, read_rows(folder, tasks_of(settings)))
    write_tables(folder, found, project)
    return found


def finish(folder: Path, row: BenchmarkRow, project: Project) -> None:
    """Write the files of a finished task."""
    place = task_folder(folder, row.task)
    place.mkdir(parents=True, exist_ok=True)
    plan = Schedule.empty(project.calendar.n_steps, project.planned_fleet.n_aircraft)
    write_plan_safetensors(place / "plan.safetensors", plan)
    write_row(folder, row)


class Contest:
    """Test double of the runner: finishes missing tasks, or works on the second one until it is stopped."""

    def __init__(self, *, endless: bool = False, at: int = 1) -> None:
        self.endless, self.at = endless, at
        self.specs: list[BenchmarkSpec] = []
        self.working = threading.Event()
        self.living = 0

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        assert isinstance(spec, BenchmarkSpec)
        self.specs.append(spec)
        self.living += 1
        try:
            self._work(spec, emit, control)
        finally:
            self.living -= 1

    def _work(self, spec: BenchmarkSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        tasks = tasks_of(spec.settings)
        done = len(read_rows(spec.out, tasks)) if spec.resume else 0
        emit(BenchmarkReady(write_benchmark(spec.out, spec.project, spec.settings, done=done)))
        for number in range(done, len(tasks)):
            self._tell(spec, emit, number)
            while self.endless and number == self.at and not control.stop_requested:
                self.working.wait(0.001)
            if control.stop_requested:
                break
            emit(BenchmarkReady(write_benchmark(spec.out, spec.project, spec.settings, done=number + 1)))
        reason = FinishReason.STOPPED if control.stop_requested else FinishReason.COMPLETED
        done = len(read_rows(spec.out, tasks))
        write_benchmark(spec.out, spec.project, spec.settings, done=done, reason=reason)
        emit(RunFinished(reason, "done", None, None, spec.out))

    def _tell(self, spec: BenchmarkSpec, emit: Callable[[RunEvent], None], number: int) -> None:
        tasks, allowance = tasks_of(spec.settings), spec.settings.allowance
        for share in (0.25, 0.5):
            spent = int(share * allowance)
            at_work = TaskProgress(tasks[number], spent, allowance, 20.0 - 10.0 * share, 30.0 * share)
            emit(BenchmarkProgress((at_work,), number, len(tasks), 60.0))
        if number == self.at:
            self.working.set()
