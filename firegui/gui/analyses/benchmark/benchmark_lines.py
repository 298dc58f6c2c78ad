"""The lines of a convergence chart, as numbers: a curve a task, a level a planner without a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import (
    CURVES_AT_DESIGN,
    LEVELS,
    PLANNERS,
    BenchmarkRow,
    BenchmarkTable,
    PlannerName,
    PlannerTask,
)
from firegui.gui.analyses.benchmark.benchmark_text import task_name

Floats = NDArray[np.float64]
Tasks = frozenset[PlannerTask]
Trails = Mapping[PlannerTask, Sequence[tuple[int, float]]]


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A curve of one task, or a level of one planner: ``y`` is the best objective at ``x`` rollout-equivalents.

    ``score`` is the nominal one of a task that is done, where its curve is at another effectiveness.
    """

    name: str
    planner: PlannerName
    matched: bool
    tasks: Tasks
    x: Floats
    y: Floats
    score: float | None = None

    @property
    def is_level(self) -> bool:
        """Whether it is a fixed cost's, which goes on for ever."""
        return self.planner in LEVELS

    def at(self, x: float) -> float | None:
        """The best at ``x`` rollout-equivalents; ``None`` before the first and after the last."""
        if not self.x[0] <= x <= self.x[-1]:
            return None
        return float(self.y[np.searchsorted(self.x, x, side="right") - 1])


def lines_of(table: BenchmarkTable, trails: Trails) -> Iterator[Line]:
    """Every line of a benchmark: a curve a seed, a level a planner without a search, and the tasks at work so far."""
    ends = [row.evaluations for row in table.rows if row.task.planner not in LEVELS]
    last = float(max([*ends, table.settings.allowance]))
    for group in table.groups:
        if group.planner in LEVELS:
            tasks = frozenset(row.task for row in group.rows)
            x, y = np.array([1.0, last]), np.full(2, group.objective.mean)
            yield Line(PLANNERS[group.planner].short, group.planner, group.matched, tasks, x, y)
        else:
            yield from (_curve(row.task, row.curve, row.evaluations, _score(row)) for row in group.rows if row.curve)
    for task, trail in trails.items():
        if trail and task.planner not in LEVELS:
            yield _curve(task, trail, trail[-1][0])


def _score(row: BenchmarkRow) -> float | None:
    return row.objective if row.task.planner in CURVES_AT_DESIGN else None


def _curve(task: PlannerTask, points: Sequence[tuple[int, float]], end: int, score: float | None = None) -> Line:
    """Steps: what was found stays the best until something better is."""
    spent = np.array([*(spent for spent, _ in points), end], float)
    best = np.array([*(best for _, best in points), points[-1][1]], float)
    x, y = np.repeat(spent, 2)[1:], np.repeat(best, 2)[:-1]
    return Line(task_name(task), task.planner, task.matched, frozenset({task}), np.maximum(x, 1.0), y, score)
