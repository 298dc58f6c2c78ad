"""A scaling study without torch, whose timings and searches are known beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firegui.domain.benchmark import PlannerName
from firegui.domain.scaling import QualityRow, QualityTask, ScalingCase, ScalingRow, ScalingSettings, Timings
from firegui.errors import Check


def row_of(case: ScalingCase, repeats: int) -> ScalingRow:
    """Repeat ``r`` (from 0) of a rollout takes ``10 + r`` ms and a gradient step the double, flying the triple."""
    rollouts = tuple(10.0 + repeat for repeat in range(repeats))
    start = Timings(0, rollouts, tuple(2.0 * value for value in rollouts))
    return ScalingRow(case, 100.0, start, Timings(7, rollouts, tuple(3.0 * value for value in rollouts)))


def search_of(task: QualityTask, dimension: int = 80) -> QualityRow:
    """From 10 to 2 with the gradient and to 5 otherwise, and a tenth more with every seed."""
    reached = (2.0 if task.planner is PlannerName.GRADIENT else 5.0) + 0.1 * task.seed
    return QualityRow(task, dimension, 16, 10.0, reached, 3, 9, 40, 1.5)


class FakeBench:
    """``during_round`` and ``during_search`` are called before the work, to stop or to fail."""

    def __init__(
        self, model: Any, during_round: Callable[[int], None], during_search: Callable[[QualityTask], None]
    ) -> None:
        self.model = model
        self._during_round, self._during_search = during_round, during_search

    @property
    def machine(self) -> Mapping[str, str | int]:
        return {"processor": "a fake", "cores": 2, "kernel_threads": 2, "torch_threads": 1, "card": ""}

    def times(
        self, cases: Sequence[ScalingCase], settings: ScalingSettings, done: Sequence[ScalingRow], *,
        hear: Callable[[int, int, str], None], keep: Callable[[tuple[ScalingRow, ...]], None], check: Check,
    ) -> tuple[ScalingRow, ...]:  # fmt: skip
        rows = tuple(done)
        for number in range(min((row.repeats for row in done), default=0), settings.repeats):
            hear(number, settings.repeats, "Timing")
            self._during_round(number)
            check()
            rows = tuple(row_of(case, number + 1) for case in cases)
            keep(rows)
        return rows

    def search(
        self, cases: Sequence[ScalingCase], task: QualityTask, settings: ScalingSettings, check: Check
    ) -> QualityRow:
        self._during_search(task)
        check()
        return search_of(task)
