"""Files of a planner's task: its line, its schedule and what going on needs, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from firegui.domain.benchmark import BenchmarkRow, PlannerTask
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.toml import plain_words
from firegui.runs.run_folder import CHECKPOINT, ELIMINATION_CHECKPOINT, PRELIMINARY_CHECKPOINT, SMOOTHING_CHECKPOINT

TASKS, ROW = "tasks", "row.json"
TITLE = "The benchmark cannot be run"
_CHECKPOINTS = (
    CHECKPOINT, PRELIMINARY_CHECKPOINT, ELIMINATION_CHECKPOINT, SMOOTHING_CHECKPOINT,
)  # fmt: skip


def task_folder(folder: Path, task: PlannerTask) -> Path:
    """Return the folder of a task's files."""
    return folder / TASKS / task.name


def write_row(folder: Path, row: BenchmarkRow) -> None:
    """Write the line of a finished task; its other files are there already."""
    atomic.write_json(task_folder(folder, row.task) / ROW, row)


def clear_up(folder: Path, task: PlannerTask) -> None:
    """Remove what only resuming ``task`` would need, as far as possible, now that its row is written."""
    for name in _CHECKPOINTS:
        with suppress(OSError):
            (task_folder(folder, task) / name).unlink(missing_ok=True)


def read_rows(folder: Path, tasks: Iterable[PlannerTask]) -> tuple[BenchmarkRow, ...]:
    """Read the rows of those of ``tasks`` that are finished.

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
    """Return a problem for every row of ``tasks`` that cannot be read."""
    try:
        read_rows(folder, tasks)
    except InputError as error:
        return list(error.problems)
    return []
