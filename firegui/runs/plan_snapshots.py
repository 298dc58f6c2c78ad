"""Snapshots of the best plan so far for the map, a few per second at most, at little extra cost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.runs.engine import Engine
from firegui.runs.events import PlanUpdated, RunEvent
from firegui.runs.stages import Stage

if TYPE_CHECKING:
    from firegui.planning.gradient import EpochReport
    from firegui.rollout.model import Model


class PlanSnapshots:
    """Emitter of :class:`~firegui.runs.events.PlanUpdated`, at most once in ``seconds`` (infinite: never).

    An epoch records frames only when a snapshot is due. If the improvement came in an epoch without frames, the best
    plan is rolled out once more.
    """

    def __init__(
        self, engine: Engine, model: Model, emit: Callable[[RunEvent], None], stride: int, seconds: float
    ) -> None:
        self._engine, self._model, self._emit = engine, model, emit
        self._stride, self._seconds = stride, seconds
        self._shown_at = -float("inf")
        self._pending: EpochReport | None = None
        self._shown: Metrics | None = None

    def stride_if_due(self) -> int | None:
        """Return the frame stride of the next epoch, ``None`` when no snapshot is due."""
        due = math.isfinite(self._seconds) and time.monotonic() - self._shown_at >= self._seconds
        return self._stride if due else None

    def offer(self, report: EpochReport, best: Schedule, check: Check) -> None:
        """Emit a snapshot if one is due and the plan has improved; ``best`` is the best plan after this epoch."""
        if report.improved:
            self._pending = report
        if self._pending is None or self.stride_if_due() is None:
            return
        rollout = self._pending.rollout
        if rollout.frames is None:
            rollout = self._engine.simulate(self._model, best, check=check, frame_stride=self._stride)
        if rollout.frames is not None:
            drops = self._engine.drops(self._model, best, flown=True)
            self._emit(PlanUpdated(self._pending.epoch, rollout.metrics, rollout.frames, drops, is_cautious=True))
        self._pending, self._shown_at = None, time.monotonic()

    def follow(
        self, epoch: int, metrics: Metrics | None, schedule: Schedule, check: Check | None, *, is_last: bool = False
    ) -> None:
        """Emit what the second stage made of the plan of ``epoch``, if its ``metrics`` are not shown yet.

        ``None``: they are not known. The last plan is emitted also before a snapshot is due.
        """
        is_due = math.isfinite(self._seconds) if is_last else self.stride_if_due() is not None
        if not is_due or (metrics is not None and metrics == self._shown):
            return
        rollout = self._engine.simulate(self._model, schedule, check=check, frame_stride=self._stride)
        if rollout.frames is not None:
            records = self._engine.drops(self._model, schedule, flown=True)
            self._emit(PlanUpdated(epoch, rollout.metrics, rollout.frames, records, Stage.PRUNE, is_cautious=True))
        self._shown, self._shown_at = metrics, time.monotonic()
