"""Record of a closed loop: observation, forecast, flown drops and decision of every interval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule

_SAME_POSE = 1e-3
"""Poses that were written to a table and read again are this close, in cells and radians."""


class Decision(StrEnum):
    """Decision on a plan at an observation."""

    KEPT = "kept"
    WITHDRAWN = "drops withdrawn"
    REPLANNED = "replanned"
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class LoopDay:
    """A day of the closed loop: cells that have burned at its end and drops flown on it, branch by branch.

    The branches share their random numbers: ``loop`` is replanned every day, ``open`` flies the old schedule to its
    end, ``none`` flies nothing. ``expected`` is the final extent that the replanned plan expected on that morning, none
    on a day that was not replanned. In an exercise it is the time between two observations, which begins on ``day``
    and ends ``until`` days after the start of the plan, 0 where it is a day; no final extent is expected there.
    At its beginning the planner saw ``seen`` cells and made the ``decision`` of the plan. ``forecast`` are the cells
    that the planner of an exercise expects to have burned at its end. They are ``None`` in runs from before that.
    """

    day: int
    loop_cells: int
    open_cells: int
    none_cells: int
    loop_protected: int
    open_protected: int
    none_protected: int
    loop_drops: int
    open_drops: int
    expected: float | None
    until: float = 0.0
    forecast: float | None = None
    decision: Decision | None = None
    seen: int | None = None

    @property
    def end(self) -> float:
        """Days from the start of the plan to its end."""
        return self.until or self.day + 1.0


def drops_apart(before: Schedule, after: Schedule) -> NDArray[np.bool_]:
    """Return where the proposed drops of two schedules differ, ``[T, A]``.

    Poses are compared to a thousandth.
    """
    then, now = before.proposed, after.proposed
    far = np.abs(before.poses - after.poses).max(axis=-1) > _SAME_POSE
    return np.asarray((then != now) | (then & now & far))


def decision_between(before: Schedule, after: Schedule, step: int) -> Decision:
    """Return what a repair at ``step`` decided, from the drops that were and are proposed from then on."""
    apart = drops_apart(before, after)[step:]
    if (apart & after.proposed[step:]).any():
        return Decision.REPLANNED
    return Decision.WITHDRAWN if apart.any() else Decision.KEPT
