"""The folder of a planner benchmark on disk.

::

    benchmark.toml              what was asked, with what, on what, and how it ended
    tasks/NAME/row.json         a finished task's line, written last
    tasks/NAME/plan.safetensors, schedule.csv    its best schedule
    tasks/NAME/checkpoint.safetensors            what going on needs, removed once there is a row
    tasks/two-stage-SEED/       the two-stage plan: a run folder, and its row.json
    *.csv, *.tex, *.png, *.svg  what people read: see :mod:`firegui.runs.benchmark_tables`

Every file is replaced whole. There is no ``run.toml``, so that nothing takes it for a plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firegui.domain.benchmark import (
    BenchmarkRow,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    PlannerTask,
    TaskTerms,
    tasks_of,
)
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.plain_words import plain_words
from firegui.runs.header import SavedHeader
from firegui.runs.result_folder import ResumeCheck
from firegui.runs.result_store import ResultStore
from firegui.runs.run_folder import CHECKPOINT, ELIMINATION_CHECKPOINT, PRELIMINARY_CHECKPOINT, SMOOTHING_CHECKPOINT
from firegui.runs.spec import BenchmarkSpec

HEADER, TASKS, ROW = "benchmark.toml", "tasks", "row.json"
TITLE = "The benchmark cannot be run"
_CHECKPOINTS = (
    CHECKPOINT, PRELIMINARY_CHECKPOINT, ELIMINATION_CHECKPOINT, SMOOTHING_CHECKPOINT,
)  # fmt: skip

RESUME_CHECK = ResumeCheck("run", "run on", "set it back, or run the benchmark in another folder")
"""How people are told that it was another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkHeader(SavedHeader):
    """The content of ``benchmark.toml``. The hashes are those of a plan's ``run.toml``.

    ``budget`` and ``matched_allowance`` are 0 until they are known. ``seconds`` are by the clock, of every session;
    each of the ``processes`` computes on one thread of the ``machine`` and saves every ``checkpoint_seconds``.
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
    checkpoint_seconds: float

    @property
    def core_hours(self) -> float:
        """Processor time of everything: loading, searches, scoring and steering, of all sessions."""
        return self.processor_seconds / 3600.0


STORE = ResultStore("a benchmark", HEADER, TITLE, BenchmarkHeader, "run the benchmark again elsewhere")
read_header, write_header = STORE.read, STORE.write


def resume_problems(then: BenchmarkHeader, spec: BenchmarkSpec) -> list[Problem]:
    """What keeps ``spec`` from going on with ``then``.

    There may be more planners, more seeds and more at the matched allowance than before.
    """
    found = RESUME_CHECK.problems(spec, then, then.settings)
    fewer = {task.name for task in tasks_of(then.settings)} - {task.name for task in tasks_of(spec.settings)}
    if fewer:
        what = f"has {', '.join(sorted(fewer))}, which is not asked for any more"
        found.append(Problem(str(spec.out), what, "planners and seeds can only be added"))
    return found


# -- the tasks --------------------------------------------------------------------------------------------------------
def task_folder(folder: Path, task: PlannerTask) -> Path:
    """Where a task keeps its files."""
    return folder / TASKS / task.name


def write_row(folder: Path, row: BenchmarkRow) -> None:
    """Write the line of a finished task; its other files are there already."""
    atomic.write_json(task_folder(folder, row.task) / ROW, row)


def clear_up(folder: Path, task: PlannerTask) -> None:
    """Remove what only going on with ``task`` would need, now that its row is written. What cannot be removed stays."""
    for name in _CHECKPOINTS:
        with suppress(OSError):
            (task_folder(folder, task) / name).unlink(missing_ok=True)


def read_rows(folder: Path, tasks: Iterable[PlannerTask]) -> tuple[BenchmarkRow, ...]:
    """The lines of those of ``tasks`` that are finished.

    Raises :class:`~firegui.errors.InputError` listing every line that cannot be read.
    """
    rows, problems = [], []
    for task in tasks:
        path = task_folder(folder, task) / ROW
        try:
            row = msgspec.json.decode(path.read_bytes(), type=BenchmarkRow)
            if row.task != task:
                raise ValueError(f"it is of {row.task.name}")
            rows.append(row)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            problems.append(Problem(str(path), f"cannot be read ({plain_words(error)})", "delete it, then resume"))
    if problems:
        raise InputError(problems, TITLE)
    return tuple(rows)


def row_problems(folder: Path, tasks: Iterable[PlannerTask]) -> list[Problem]:
    """The lines of ``tasks`` that cannot be read."""
    try:
        read_rows(folder, tasks)
    except InputError as error:
        return list(error.problems)
    return []


def table_of(settings: BenchmarkSettings, rows: Iterable[BenchmarkRow]) -> BenchmarkTable:
    """The table of ``rows``, with the budget and the matched allowance that the two-stage plan among them gives.

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
    """A benchmark as it stands on disk, finished or not.

    Raises :class:`~firegui.errors.InputError` where there is none, or none that can be read.
    """
    header = read_header(folder)
    return header, table_of(header.settings, read_rows(folder, tasks_of(header.settings)))
