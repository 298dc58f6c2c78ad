"""Base of the removals whose drops move: a state with counts, and the plan of what is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.planning.checkpoint import Checkpoint
from firegui.rollout.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class CountedState(Checkpoint):
    """Checkpoint with whole numbers, one a place of ``counts``."""

    counts: NDArray[np.int64]


State = TypeVar("State", bound=CountedState)


class AdaptingRemoval(Generic[State]):
    """Base class of removals that move the drops that are left. All that decides is in ``_state``."""

    _model: Model
    _state: State

    def _schedule(self, kept: NDArray[np.bool_], pose_logits: NDArray[np.float64]) -> Schedule:
        logits = np.where(kept, LISTED_LOGIT, UNLISTED_LOGIT)
        return Schedule.from_pose_logits(logits, pose_logits, self._model.shape)

    def _count(self, index: int) -> int:
        return int(self._state.counts[index])

    def _change(self, index: int, value: int) -> None:
        counts = self._state.counts.copy()
        counts[index] = value
        self._state = replace(self._state, counts=counts)
