"""Feasible drop decisions (paper, step 1): availability, grounded days, the binary decision.

Beyond the paper, :class:`FlightRules`: what an operation may not do. Without them the gates are the paper's.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.schedule import Schedule
from firegui.rollout.landing import Air
from firegui.rollout.zones import in_zones

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """Gates of a schedule.

    ``open [T, A]``: available and not grounded (``c·g = 1``). ``executed [T, A]``: open and proposed (``d = 1``).
    """

    open: Bools
    executed: Bools


@dataclass(frozen=True, slots=True, eq=False)
class FlightRules:
    """The operational constraints of a plan, in steps, columns and cells; ``None`` is no such rule.

    ``closed [T, A]``: darkness and grounded parts of days. ``sorties [A]``: the most drops of each aircraft on a day,
    −1 for no limit. ``cap``: the most drops of all. ``zones [H, W]``: cells in which no drop may come down, with
    ``near [K, H, W]`` of :func:`firegui.rollout.zones.nearby`. ``pinned [T, A]``: drops that planning keeps, with
    ``pinned_poses [T, A, 3]``; sorties and the cap keep room for them, whether a schedule proposes them or not, and
    their aircraft is closed for as long before them as a drop would keep it from them.

    Rules of a plan that begins within a day count sorties by ``day_steps``, the steps of a day, of which ``begun`` are
    over; 0 is the day of the maps. ``spent [A]``: the sorties of that first day that are used up, pinned ones included.
    """

    closed: Bools | None = None
    sorties: Ints | None = None
    cap: int | None = None
    zones: Bools | None = None
    near: Bools | None = None
    pinned: Bools | None = None
    pinned_poses: Floats | None = None
    day_steps: int = 0
    begun: int = 0
    spent: Ints | None = None

    def days_of(self, n_steps: int, steps_per_day: int) -> Ints:
        """Return ``[T]``: the day of every step, for sorties; ``steps_per_day`` is the day of the maps."""
        return (np.arange(n_steps) + self.begun) // (self.day_steps or steps_per_day)


def grounded(fleet: Fleet, n_steps: int, steps_per_day: int) -> Bools:
    """Return ``[T, A]``: True where the calendar grounds the aircraft (``g = 0`` of the paper's step 1)."""
    table = np.zeros((-(-n_steps // steps_per_day), fleet.n_aircraft), bool)  # [D, A]
    first = 0
    for kind in fleet.types:
        days = [day for day in kind.grounded_days if 0 <= day < len(table)]
        table[days, first : first + kind.count] = True
        first += kind.count
    return np.repeat(table, steps_per_day, axis=0)[:n_steps]


def gates_of(schedule: Schedule, fleet: Fleet, air: Air, rules: FlightRules | None = None) -> Gates:
    """Return the gates of a schedule, its no-drop zones included.

    Every rollout, table and check uses them. ``air`` are the fire's maps, or anything that has their wind.
    """
    if rules is None:
        return apply_gates(schedule.proposed, fleet, air.steps_per_day)
    shut = None
    if rules.zones is not None:
        shut = in_zones(schedule.poses, fleet, air, rules.zones, rules.near)
    return apply_gates(schedule.proposed, fleet, air.steps_per_day, rules, shut)


def apply_gates(
    proposed: Bools, fleet: Fleet, steps_per_day: int, rules: FlightRules | None = None, shut: Bools | None = None
) -> Gates:
    """Run the cooldown counters over a schedule's proposals (paper, eq. ``gate``).

    ``d_t = 1[proposed ∧ c_t = 0 ∧ not grounded]`` and ``c_{t+1} = d_t Δ + (1 − d_t) max(c_t − 1, 0)``, so after a drop
    at ``t`` the next can be at ``t + Δ + 1``, and an aircraft is closed for availability in ``t + 1 … t + Δ`` only.
    Execution does not depend on the fire. ``proposed`` is bool ``[T, A]``.

    With ``rules``: what is closed counts as grounded; after its sorties an aircraft is closed for the rest of the day;
    after ``cap`` drops in order of step and column everything is. ``shut [T, A]`` are further pairs that are closed:
    those that would come down in a zone.
    """
    n_steps, n_aircraft = proposed.shape
    flying = ~grounded(fleet, n_steps, steps_per_day)
    turnaround = _turnaround(fleet, steps_per_day)
    if rules is not None:
        flying &= ~_closed(rules, shut, turnaround, proposed.shape)
    columns, steps = np.nonzero((proposed & flying).T)
    bounds = np.searchsorted(columns, np.arange(n_aircraft + 1))
    if rules is None or rules.sorties is None:
        drops = _walk(steps, bounds, turnaround)
    else:
        drops = _walk_sorties(steps, bounds, turnaround, _days(rules, rules.sorties, proposed.shape, steps_per_day))
    at, of = steps[drops], columns[drops]
    executed = np.zeros((n_steps, n_aircraft), bool)
    executed[at, of] = True
    if rules is not None:
        flying &= _within_sorties(rules, executed, steps_per_day)
        before = _before_cap(rules, executed)
        flying &= before
        executed &= before
        at, of = np.nonzero(executed)
    # +1 where a turnaround begins, −1 where it ends. Those of one aircraft never overlap, so an index occurs once.
    change = np.zeros((n_steps + 1, n_aircraft), np.int8)
    change[at + 1, of] += 1
    change[np.minimum(at + 1 + turnaround[of], n_steps), of] -= 1
    waiting = np.cumsum(change[:-1], axis=0, dtype=np.int8) > 0
    return Gates(flying & ~waiting, executed)


def _turnaround(fleet: Fleet, steps_per_day: int) -> Ints:
    """Return ``Δ_a [A]`` in steps."""
    steps = [kind.turnaround_steps(steps_per_day) for kind in fleet.types]
    return np.repeat(np.array(steps, np.int64), [kind.count for kind in fleet.types])


def _walk(steps: Ints, bounds: Ints, turnaround: Ints) -> list[int]:
    """Return indices of the ``steps`` that are executed.

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


def _closed(rules: FlightRules, shut: Bools | None, turnaround: Ints, shape: tuple[int, ...]) -> Bools:
    """Return ``[T, A]``: pairs that are closed whatever else is flown.

    They are dark, grounded, in a zone, or too soon before a pinned drop.
    """
    closed = np.zeros(shape, bool) if rules.closed is None else rules.closed.copy()
    if rules.pinned is not None:
        for step, column in np.argwhere(rules.pinned).tolist():
            early = slice(max(step - int(turnaround[column]), 0), step)
            closed[early, column] |= ~rules.pinned[early, column]
    return closed if shut is None else closed | shut


@dataclass(frozen=True, slots=True, eq=False)
class _Days:
    """Remaining drops by day.

    ``quota [A][D]`` are the drops that are left on each day besides the pinned ones; ``pins [A]`` are sets of steps.
    ``day [T]`` is the day of each step and ``end [T]`` the first step after that day.
    """

    day: list[int]
    end: list[int]
    quota: list[list[int]]
    pins: list[set[int]]


_UNLIMITED = np.iinfo(np.int64).max


def _quotas(rules: FlightRules, sorties: Ints, days: Ints, n_aircraft: int) -> Ints:
    """Return ``[D, A]``: drops that each aircraft may fly on each day besides its pinned ones.

    ``days [T]`` is the day of every step.
    """
    n_days = int(days[-1]) + 1 if len(days) else 0
    most = np.broadcast_to(np.where(sorties < 0, _UNLIMITED, sorties), (n_days, n_aircraft))
    if rules.spent is not None:
        most = most.copy()
        most[:1] -= np.where(sorties < 0, 0, rules.spent)
        most = np.maximum(most, 0)
    return most if rules.pinned is None else np.maximum(most - _per_day(rules.pinned, days), 0)


def _per_day(pairs: Bools, days: Ints) -> Ints:
    """Return ``[D, A]``: how many of the pairs ``[T, A]`` lie on each day."""
    return np.add.reduceat(pairs, np.flatnonzero(np.diff(days, prepend=-1)), axis=0, dtype=np.int64)


def _days(rules: FlightRules, sorties: Ints, shape: tuple[int, int], steps_per_day: int) -> _Days:
    day = rules.days_of(shape[0], steps_per_day)
    quota = _quotas(rules, sorties, day, shape[1]).T.tolist()
    pins: list[set[int]] = [set() for _ in range(shape[1])]
    if rules.pinned is not None:
        for step, column in np.argwhere(rules.pinned).tolist():
            pins[column].add(step)
    return _Days(day.tolist(), np.searchsorted(day, day, side="right").tolist(), quota, pins)


def _walk_sorties(steps: Ints, bounds: Ints, turnaround: Ints, days: _Days) -> list[int]:
    """Return :func:`_walk` within sorties.

    A candidate that is not pinned is skipped once its day's quota is used up.
    """
    times, ends = steps.tolist(), bounds.tolist()
    executed: list[int] = []
    for column, (begin, end, wait) in enumerate(zip(ends[:-1], ends[1:], turnaround.tolist(), strict=True)):
        left, pins = days.quota[column], days.pins[column]
        index = begin
        while index < end:
            step = times[index]
            day = days.day[step]
            if step not in pins:
                if left[day] == 0:
                    tomorrow = days.end[step]
                    index = index + 1 if pins else bisect_left(times, tomorrow, index + 1, end)
                    continue
                left[day] -= 1
            executed.append(index)
            index = bisect_left(times, step + wait + 1, index + 1, end)
    return executed


def _within_sorties(rules: FlightRules, executed: Bools, steps_per_day: int) -> Bools:
    """Return ``[T, A]``: False on a day after an aircraft has flown all its sorties of that day.

    Pinned drops are not counted.
    """
    if rules.sorties is None:
        return np.ones(executed.shape, bool)
    counted = executed if rules.pinned is None else executed & ~rules.pinned
    flown = np.cumsum(counted, axis=0, dtype=np.int64) - counted  # before the step
    days = rules.days_of(len(executed), steps_per_day)
    first = np.searchsorted(days, days)
    quota = _quotas(rules, rules.sorties, days, executed.shape[1])
    left = quota[days] > flown - flown[first]
    return left if rules.pinned is None else left | rules.pinned


def _before_cap(rules: FlightRules, executed: Bools) -> Bools:
    """Return ``[T, A]``: False once as many drops were executed as the cap allows.

    They are counted in order of step and column.
    """
    if rules.cap is None:
        return np.ones(executed.shape, bool)
    pinned = np.zeros(executed.shape, bool) if rules.pinned is None else rules.pinned
    counted = (executed & ~pinned).ravel()
    before = np.cumsum(counted, dtype=np.int64) - counted
    return (before < max(rules.cap - int(pinned.sum()), 0)).reshape(executed.shape) | pinned
