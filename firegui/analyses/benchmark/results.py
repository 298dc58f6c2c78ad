"""The folder of a planner benchmark on disk.

::

    benchmark.toml              what was asked, with what, on what, and how it ended
    tasks/NAME/row.json         a finished task's line, written last
    tasks/NAME/plan.safetensors, schedule.csv    its best schedule
    tasks/NAME/checkpoint.safetensors            what going on needs, removed once there is a row
    tasks/two-stage-SEED/       the two-stage plan: a run folder, and its row.json
    *.csv, *.tex, *.png, *.svg  what people read: see :mod:`firegui.analyses.benchmark.tables`

Every file is replaced whole. There is no ``run.toml``, so that nothing takes it for a plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from firegui.analyses.task_files import TITLE, read_rows, task_folder
from firegui.domain.benchmark import (
    BenchmarkRow,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    PlannerTask,
    TaskTerms,
    tasks_of,
)
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.fire_specs import project_then
from firegui.runs.header import SavedHeader
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import ResumeCheck
from firegui.runs.run_folder import PLAN, SCHEDULE
from firegui.runs.spec import BenchmarkSpec, EvaluateSpec

HEADER = "benchmark.toml"
RESUME_CHECK = ResumeCheck("run", "run on", "set it back, or run the benchmark in another folder")
"""How people are told that it was another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkHeader(SavedHeader):
    """The content of ``benchmark.toml``. The hashes are those of a plan's ``run.toml``.

    ``budget`` and ``matched_allowance`` are 0 until they are known. ``seconds`` are by the clock, of every session;
    each of the ``processes`` computes on one thread of the ``machine``, or of the workers of ``scheduler``, and saves
    every ``checkpoint_seconds``.
    ``notes`` say what was left out.
    """

    settings: BenchmarkSettings
    budget: int = 0
    matched_allowance: int = 0
    notes: tuple[str, ...] = ()
    processor_seconds: float = 0.0
    device: str = ""
    machine: str = ""
    processes: int = 0
    scheduler: str = ""
    checkpoint_seconds: float

    @property
    def core_hours(self) -> float:
        """Processor time of everything: loading, searches, scoring and steering, of all sessions."""
        return self.processor_seconds / 3600.0


STORE = ResultStore("a benchmark", HEADER, TITLE, BenchmarkHeader, "run the benchmark again elsewhere")
read_header, write_header = STORE.read, STORE.write


def resume_problems(then: BenchmarkHeader, spec: BenchmarkSpec) -> list[Problem]:
    """Return what keeps ``spec`` from resuming ``then``.

    There may be more planners, more seeds and more at the matched allowance than before.
    """
    found = RESUME_CHECK.problems(spec, then, then.settings)
    fewer = {task.name for task in tasks_of(then.settings)} - {task.name for task in tasks_of(spec.settings)}
    if fewer:
        what = f"has {', '.join(sorted(fewer))}, which is not asked for any more"
        found.append(Problem(str(spec.out), what, "planners and seeds can only be added"))
    return found


def table_of(settings: BenchmarkSettings, rows: Iterable[BenchmarkRow]) -> BenchmarkTable:
    """Return the table of ``rows``, with the budget and matched allowance of the two-stage plan.

    A budget of the settings' own goes first.
    """
    kept = tuple(rows)
    plan = next((row for row in kept if row.task.planner is PlannerName.TWO_STAGE), None)
    own = 0 if plan is None else plan.metrics.drops_executed
    cost = 0 if plan is None else plan.evaluations
    return BenchmarkTable(settings, tasks_of(settings), kept, settings.budget or own, cost)


def terms_of(table: BenchmarkTable, task: PlannerTask) -> TaskTerms:
    """Under what ``task`` is run, by what is known so far."""
    settings = table.settings
    allowance = table.matched_allowance if task.matched else settings.allowance
    two_stage = task.planner is PlannerName.TWO_STAGE
    return TaskTerms(task, 0 if two_stage else allowance, table.budget, settings.excess)


def read_benchmark(folder: Path) -> tuple[BenchmarkHeader, BenchmarkTable]:
    """Read a benchmark as it stands on disk, finished or not.

    Raises :class:`~firegui.errors.InputError` where there is none, or none that can be read.
    """
    header = read_header(folder)
    return header, table_of(header.settings, read_rows(folder, tasks_of(header.settings)))


# -- on the map -------------------------------------------------------------------------------------------------------
def benchmark_project(header: BenchmarkHeader, project: Project) -> Project:
    """Return the project as the benchmark had it."""
    return project_then(header, project, "benchmark", "run", "run it again")


def task_schedule(folder: Path, task: PlannerTask, project: Project) -> Schedule | None:
    """Return the best schedule of a finished task, ``None`` for the fire without drops."""
    place = task_folder(folder, task)
    if task.planner is PlannerName.NONE:
        return None
    plan = next((path for path in (place / PLAN, place / SCHEDULE) if path.is_file()), None)
    if plan is None:
        problem = Problem(str(place), "has no plan", "resume the benchmark, or choose another line")
        raise InputError([problem], "The plan cannot be shown")
    return read_project_schedule(plan, project)


def task_spec(folder: Path, task: PlannerTask, project: Project, backend: str) -> EvaluateSpec:
    """Return the spec of the fire without drops and the fire of a finished task."""
    return EvaluateSpec(project, task_schedule(folder, task, project), backend=backend)


def task_comparison_spec(
    folder: Path, one: PlannerTask, other: PlannerTask, project: Project, backend: str
) -> EvaluateSpec:
    """Return the spec of the fire of ``one`` as the plan, against that of ``other``."""
    none = Schedule.empty(project.calendar.n_steps, project.planned_fleet.n_aircraft)
    plan = task_schedule(folder, one, project) or none
    return EvaluateSpec(project, plan, backend=backend, against=task_schedule(folder, other, project))
