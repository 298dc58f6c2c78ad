"""Input and output of the engines, besides the schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import UNBOUNDED, Bounds, DayState, Exceeded
from firegui.rollout.observe import FinalState

Slopes = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""From the states ``P [D + 1, H, W]`` at day boundaries to ``∂𝓛/∂P``, of the same shape; day 0 does not count."""
Hear = Callable[[int, NDArray[np.float32]], None]
"""Hears ``∂𝓛/∂K [N, H, W]`` of a period, the last first. The array is used again for the next."""


@dataclass(frozen=True, slots=True, eq=False)
class RolloutOptions:
    """Options of a rollout: its start, its bounds, and whether to keep the state of every day's start.

    ``alter`` changes the state at the end of every day that is rolled out; that of ``start`` has been changed already.
    ``last`` is given the state at the end where many are rolled out.
    """

    start: DayState | None = None
    bounds: Bounds = UNBOUNDED
    keep_states: bool = False
    alter: Alteration | None = None
    last: FinalState | None = None


WHOLE = RolloutOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Numbers of a rollout and what it executed ``[T, A]``.

    ``states`` are those at the starts of days ``0 … D − 1`` where requested (from the day of ``start`` on).
    With ``exceeded`` the rollout was given up: ``metrics`` are then those up to its step.
    """

    metrics: Metrics
    executed: NDArray[np.bool_]
    states: tuple[DayState, ...] = ()
    exceeded: Exceeded | None = None
