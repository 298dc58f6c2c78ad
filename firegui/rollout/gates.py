"""Feasible drop decisions (paper, step 1): availability, grounded days, the binary decision."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """``open [T, A]``: available and not grounded (``c·g = 1``); ``executed [T, A]``: open and proposed (``d = 1``)."""

    open: Bools
    executed: Bools


def grounded(fleet: Fleet, n_steps: int, steps_per_day: int) -> Bools:
    """``[T, A]``: True where the calendar grounds the aircraft (``g = 0`` of the paper's step 1)."""
    table = np.zeros((-(-n_steps // steps_per_day), fleet.n_aircraft), bool)  # [D, A]
    first = 0
    for kind in fleet.types:
        days = [day for day in kind.grounded_days if 0 <= day < len(table)]
        table[days, first : first + kind.count] = True
        first += kind.count
    return np.repeat(table, steps_per_day, axis=0)[:n_steps]


def apply_gates(proposed: Bools, fleet: Fleet, steps_per_day: int) -> Gates:
    """Run the cooldown counters over a schedule's proposals (paper, eq. ``gate``).

    ``d_t = 1[proposed ∧ c_t = 0 ∧ not grounded]`` and ``c_{t+1} = d_t Δ + (1 − d_t) max(c_t − 1, 0)``, so after a drop
    at ``t`` the next can be at ``t + Δ + 1``, and an aircraft is closed for availability in ``t + 1 … t + Δ`` only.
    Execution does not depend on the fire. ``proposed`` is bool ``[T, A]``.
    """
    n_steps, n_aircraft = proposed.shape
    flying = ~grounded(fleet, n_steps, steps_per_day)
    turnaround = _turnaround(fleet, steps_per_day)
    columns, steps = np.nonzero((proposed & flying).T)
    drops = _walk(steps, np.searchsorted(columns, np.arange(n_aircraft + 1)), turnaround)
    at, of = steps[drops], columns[drops]
    executed = np.zeros((n_steps, n_aircraft), bool)
    executed[at, of] = True
    # +1 where a turnaround begins, −1 where it ends. Those of one aircraft never overlap, so an index occurs once.
    change = np.zeros((n_steps + 1, n_aircraft), np.int8)
    change[at + 1, of] += 1
    change[np.minimum(at + 1 + turnaround[of], n_steps), of] -= 1
    waiting = np.cumsum(change[:-1], axis=0, dtype=np.int8) > 0
    return Gates(flying & ~waiting, executed)


def _turnaround(fleet: Fleet, steps_per_day: int) -> Ints:
    """``Δ_a [A]`` in steps."""
    steps = [kind.turnaround_steps(steps_per_day) for kind in fleet.types]
    return np.repeat(np.array(steps, np.int64), [kind.count for kind in fleet.types])


def _walk(steps: Ints, bounds: Ints, turnaround: Ints) -> list[int]:
    """Indices of the ``steps`` that are executed.

    ``steps[bounds[a] : bounds[a + 1]]`` are the candidates of aircraft ``a`` in ascending order. The first is executed,
    and after each one the first candidate behind its turnaround.
    """
    times, ends = steps.tolist(), bounds.tolist()
    executed: list[int] = []
    for begin, end, wait in zip(ends[:-1], ends[1:], turnaround.tolist(), strict=True):
        index = begin
        while index < end:
            executed.append(index)
            index = bisect_left(times, times[index] + wait + 1, index + 1, end)
    return executed
