"""Rollout of an edited schedule that keeps only a few states."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.film import Film
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.rollout import backend as backends
from firegui.rollout.day_state import DayState
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer, StateView
from firegui.rollout.outcome import RolloutOptions

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class RolloutPreview:
    """Numbers of a rollout, ``P [H, W]`` at the requested steps, and the states at the starts of days.

    ``fire`` is quantised to 1/255 as frames are. ``states`` begin with the day that the rollout began with.
    """

    metrics: Metrics
    fire: Mapping[int, Bytes]
    states: tuple[DayState, ...] = ()


def preview_rollout(
    model: Model,
    schedule: Schedule,
    steps: Collection[int],
    *,
    start: DayState | None = None,
    keep_states: bool = False,
    check: Check | None = None,
) -> RolloutPreview:
    """Roll ``schedule`` out and keep ``P`` only at ``steps`` (0 … T).

    Steps before ``start`` are skipped. The result is bit for bit that of :func:`~firegui.rollout.simulate.simulate`,
    provided that the schedule executes the drops of ``start`` before its day. This is not checked.
    """
    observer = _Picks(model, steps)
    outcome = backends.engine(model).simulate(
        model, schedule, observer, check, RolloutOptions(start, keep_states=keep_states)
    )
    return RolloutPreview(outcome.metrics, observer.fire, outcome.states)


class _Picks(Observer):
    """Observer that keeps ``P`` of a few states."""

    def __init__(self, model: Model, steps: Collection[int]) -> None:
        super().__init__(model, None, keep_days=False)
        self._never, self._shape = model.n_steps + 1, model.shape
        self._wanted = sorted(set(steps))
        self.fire: dict[int, Bytes] = {}

    def next_look(self, step: int) -> int:
        return next((wanted for wanted in self._wanted if wanted >= step), self._never)

    def see(self, step: int, sight: StateView) -> None:
        if step in self._wanted:
            self.fire[step] = Film(self._shape, (sight.fire(),)).picture(0)
