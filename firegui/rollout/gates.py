"""Feasible drop decisions (paper, step 1): availability, grounded days, the binary decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """``open [T, A]``: available and not grounded (``c·g = 1``); ``executed [T, A]``: open and proposed (``d = 1``)."""

    open: Bools
    executed: Bools


def grounded(fleet: Fleet, n_steps: int, steps_per_day: int) -> Bools:
    """``[T, A]``: True where the calendar grounds the aircraft (``g = 0`` of the paper's step 1)."""
    days = np.arange(n_steps) // steps_per_day
    columns = [np.isin(days, tail.type.grounded_days) for tail in fleet.tails]
    return np.stack(columns, axis=1) if columns else np.zeros((n_steps, 0), bool)


def apply_gates(proposed: Bools, fleet: Fleet, steps_per_day: int) -> Gates:
    """Run the cooldown counters over a schedule's proposals (paper, eq. ``gate``).

    ``d_t = 1[proposed ∧ c_t = 0 ∧ not grounded]`` and ``c_{t+1} = d_t Δ + (1 − d_t) max(c_t − 1, 0)``, so after a drop
    at ``t`` the next can be at ``t + Δ + 1``. Execution does not depend on the fire. ``proposed`` is bool ``[T, A]``.
    """
    n_steps, n_aircraft = proposed.shape
    turnaround = np.array([tail.type.turnaround_steps(steps_per_day) for tail in fleet.tails], np.int64)
    flying = ~grounded(fleet, n_steps, steps_per_day)
    open_ = np.zeros((n_steps, n_aircraft), bool)
    executed = np.zeros((n_steps, n_aircraft), bool)
    counter = np.zeros(n_aircraft, np.int64)
    for step in range(n_steps):
        open_[step] = flying[step] & (counter == 0)
        executed[step] = open_[step] & proposed[step]
        counter = np.where(executed[step], turnaround, np.maximum(counter - 1, 0))
    return Gates(open_, executed)
