"""Pictures of the best plan so far, a few a second at most, at as little extra cost as possible."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.runs.engine import Engine
from firegui.runs.events import PlanUpdated, RunEvent
from firegui.runs.spec import Stage

if TYPE_CHECKING:
    from firegui.planning.gradient import EpochReport
    from firegui.rollout.model import Model


class Pictures:
    """Emits :class:`~firegui.runs.events.PlanUpdated` for improvements, at most one every ``seconds`` (infinite: none).

    An epoch records frames only when a picture is due. Where the improvement came in an epoch that did not record, and
    the epoch that does brings none, the best plan is rolled out once more.
    """

    def __init__(
        self, engine: Engine, model: Model, emit: Callable[[RunEvent], None], stride: int, seconds: float
    ) -> None:
        self._engine, self._model, self._emit = engine, model, emit
        self._stride, self._seconds = stride, seconds
        self._shown_at = -float("inf")
        self._pending: EpochReport | None = None
        self._shown_drops = -1

    def stride_if_due(self) -> int | None:
        """The frame stride for the coming epoch, or ``None`` when no picture is due."""
        due = math.isfinite(self._seconds) and time.monotonic() - self._shown_at >= self._seconds
        return self._stride if due else None

    def offer(self, report: EpochReport, best: Schedule, check: Check) -> None:
        """Consider the epoch just done; ``best`` is the best plan now."""
        if report.improved:
            self._pending = report
        if self._pending is None or self.stride_if_due() is None:
            return
        frames = self._pending.rollout.frames
        if frames is None:
            frames = self._engine.simulate(self._model, best, check=check, frame_stride=self._stride).frames
        if frames is not None:
            drops = self._engine.drops(self._model, best, flown=True)
            self._emit(PlanUpdated(self._pending.epoch, self._pending.metrics, frames, drops))
        self._pending, self._shown_at = None, time.monotonic()

    def follow(self, epoch: int, drops: int, schedule: Schedule, check: Check) -> None:
        """Show what the second stage has left of the plan of ``epoch``, when it is less than in the last picture."""
        if drops == self._shown_drops or self.stride_if_due() is None:
            return
        rollout = self._engine.simulate(self._model, schedule, check=check, frame_stride=self._stride)
        if rollout.frames is not None:
            records = self._engine.drops(self._model, schedule, flown=True)
            self._emit(PlanUpdated(epoch, rollout.metrics, rollout.frames, records, Stage.PRUNE))
        self._shown_drops, self._shown_at = drops, time.monotonic()
