"""Feasible drop decisions (paper, step 1): availability, grounded days, the binary decision.

Beyond the paper, :class:`FlightRules`: what an operation may not do. Without them the gates are the paper's.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.schedule import Schedule
from firegui.rollout.airspace import Airspace, AirspaceLimit
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

    ``closed [T, A]``: darkness and grounded parts of days. ``sorties [A]``, or ``[D, A]`` where days differ: the most
    drops of each aircraft on a day, −1 for no limit. ``duty [D, A]``: the most steps from the first drop of a day to
    the last one, −1 for no limit. ``waits [T, A]``: for how many steps a drop keeps its aircraft from the next, where
    that changes along the plan; else it is the fixed turnaround of the fleet. ``wind_limits [A]``: m/s above which no
    drop is made, infinite for no limit. ``cap``: the most drops of all. ``zones [H, W]``: cells in which no drop may
    come down, with ``near [K, H, W]`` of :func:`firegui.rollout.zones.nearby`. ``pinned [T, A]``: drops that planning
    keeps, with ``pinned_poses [T, A, 3]``; sorties and the cap keep room for them, whether a schedule proposes them or
    not, and their aircraft is closed for as long before them as a drop would keep it from them. ``airspace``: limits of
    the drops of a place and a time.

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
    waits: Ints | None = None
    duty: Ints | None = None
    wind_limits: Floats | None = None
    airspace: tuple[AirspaceLimit, ...] = ()

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
    if rules.wind_limits is not None:
        windy = too_windy(schedule.poses, air, rules.wind_limits)
        # The pose of a pair that lists no drop means nothing, unless a search moves it.
        windy = windy & schedule.proposed if schedule.pose_logits is None else windy
        shut = windy if shut is None else shut | windy
    return apply_gates(schedule.proposed, fleet, air.steps_per_day, rules, shut, schedule.poses)


def apply_gates(
    proposed: Bools, fleet: Fleet, steps_per_day: int, rules: FlightRules | None = None, shut: Bools | None = None,
    poses: Floats | None = None,
) -> Gates:  # fmt: skip
    """Run the cooldown counters over a schedule's proposals (paper, eq. ``gate``).

    ``d_t = 1[proposed ∧ c_t = 0 ∧ not grounded]`` and ``c_{t+1} = d_t Δ + (1 − d_t) max(c_t − 1, 0)``, so after a drop
    at ``t`` the next can be at ``t + Δ + 1``, and an aircraft is closed for availability in ``t + 1 … t + Δ`` only.
    Execution does not depend on the fire. ``proposed`` is bool ``[T, A]``.

    With ``rules``: what is closed counts as grounded; after its sorties, or at the end of its duty, an aircraft is
    closed for the rest of the day; after ``cap`` drops in order of step and column everything is. ``shut [T, A]`` are
    further pairs that are closed: those that would come down in a zone, or are made in too much wind.

    With airspace limits and ``poses [T, A, 3]`` drops are let through in order of step and column, and one that is too
    many beside those before it is not flown. Pinned drops count from the start. Such a drop is closed, and where a
    limit without a radius leaves no room everything is.
    """
    n_steps, n_aircraft = proposed.shape
    flying = ~grounded(fleet, n_steps, steps_per_day)
    waits = waits_of(fleet, n_steps, steps_per_day, rules)
    if rules is not None:
        flying &= ~_closed(rules, shut, waits, steps_per_day)
    executed = np.zeros((n_steps, n_aircraft), bool)
    if rules is not None and rules.airspace and poses is not None:
        refused = _walk_together(proposed & flying, waits, rules, poses, steps_per_day, executed)
        flying &= ~refused
        at, of = np.nonzero(executed)
    else:
        columns, steps = np.nonzero((proposed & flying).T)
        bounds = np.searchsorted(columns, np.arange(n_aircraft + 1))
        away = waits[steps, columns]
        if rules is None or (rules.sorties is None and rules.duty is None):
            drops = _walk(steps, bounds, away)
        else:
            drops = _walk_days(steps, bounds, away, _days(rules, proposed.shape, steps_per_day))
        at, of = steps[drops], columns[drops]
        executed[at, of] = True
    if rules is not None:
        flying &= _within_sorties(rules, executed, steps_per_day)
        flying &= _within_duty(rules, executed, steps_per_day)
        before = _before_cap(rules, executed)
        flying &= before
        executed &= before
        at, of = np.nonzero(executed)
    # +1 where a turnaround begins, −1 where it ends. Those of one aircraft never overlap, so an index occurs once.
    change = np.zeros((n_steps + 1, n_aircraft), np.int8)
    change[at + 1, of] += 1
    change[np.minimum(at + 1 + waits[at, of], n_steps), of] -= 1
    waiting = np.cumsum(change[:-1], axis=0, dtype=np.int8) > 0
    return Gates(flying & ~waiting, executed)


def waits_of(fleet: Fleet, n_steps: int, steps_per_day: int, rules: FlightRules | None = None) -> Ints:
    """Return ``Δ [T, A]``: for how many steps a drop at a step keeps its aircraft from the next one."""
    if rules is not None and rules.waits is not None:
        return rules.waits
    steps = [kind.turnaround_steps(steps_per_day) for kind in fleet.types]
    fixed = np.repeat(np.array(steps, np.int64), [kind.count for kind in fleet.types])
    return np.broadcast_to(fixed, (n_steps, len(fixed)))


def too_windy(poses: Floats, air: Air, limits: Floats) -> Bools:
    """Return ``[T, A]``: whether the wind at ``poses [T, A, 3]`` is above ``limits [A]`` in m/s.

    It is the wind of the period at the cell of the release.
    """
    found = np.zeros(poses.shape[:2], bool)
    limited = np.flatnonzero(np.isfinite(limits))
    if not len(limited):
        return found
    height, width = air.wind_speed.shape[1:]
    rows = np.clip(np.rint(poses[:, limited, 0]), 0, height - 1).astype(np.int64)
    columns = np.clip(np.rint(poses[:, limited, 1]), 0, width - 1).astype(np.int64)
    periods = np.broadcast_to((np.arange(len(poses)) // air.steps_per_period)[:, None], rows.shape)
    speed = np.asarray(air.wind_speed[periods.ravel(), rows.ravel(), columns.ravel()], np.float64)
    found[:, limited] = speed.reshape(rows.shape) > limits[limited]
    return found


def _walk(steps: Ints, bounds: Ints, away: Ints) -> list[int]:
    """Return indices of the ``steps`` that are executed.

    ``steps[bounds[a] : bounds[a + 1]]`` are the candidates of aircraft ``a`` in ascending order. The first is executed,
    and after each one the first candidate behind its turnaround, which is ``away`` of the candidate.
    """
    too_soon = np.zeros(len(steps), bool)
    too_soon[1:] = steps[1:] <= steps[:-1] + away[:-1]
    too_soon[bounds[bounds < len(steps)]] = False
    if not too_soon.any():  # as in a plan whose drops all fly
        return list(range(len(steps)))
    times, waits, ends = steps.tolist(), away.tolist(), bounds.tolist()
    executed: list[int] = []
    for begin, end in itertools.pairwise(ends):
        index = begin
        while index < end:
            executed.append(index)
            index = bisect_left(times, times[index] + waits[index] + 1, index + 1, end)
    return executed


def _closed(rules: FlightRules, shut: Bools | None, waits: Ints, steps_per_day: int) -> Bools:
    """Return ``[T, A]``: pairs that are closed whatever else is flown.

    They are dark, grounded, in a zone or in too much wind, too soon before a pinned drop, or too long before or after
    one of their day for the duty.
    """
    closed = np.zeros(waits.shape, bool) if rules.closed is None else rules.closed.copy()
    if rules.pinned is not None:
        for step, column in np.argwhere(rules.pinned).tolist():
            # A drop at ``earlier`` keeps the pinned one from being flown where its turnaround reaches this far.
            first = max(step - int(waits[:step, column].max(initial=0)), 0)
            early = np.arange(first, step) + waits[first:step, column] >= step
            closed[first:step, column] |= early & ~rules.pinned[first:step, column]
        if rules.duty is not None:
            closed |= _beyond_pins(rules, rules.pinned, rules.duty, steps_per_day)
    return closed if shut is None else closed | shut


def _beyond_pins(rules: FlightRules, pinned: Bools, duty: Ints, steps_per_day: int) -> Bools:
    """Return ``[T, A]``: pairs whose duty cannot hold the pinned drops of their day as well."""
    found, days = np.zeros(pinned.shape, bool), rules.days_of(len(pinned), steps_per_day)
    for day in np.unique(days[pinned.any(axis=1)]).tolist():
        steps = np.flatnonzero(days == day)
        for column in np.flatnonzero(pinned[steps].any(axis=0)).tolist():
            window, pins = int(duty[day, column]), steps[pinned[steps, column]]
            if window >= 0:
                out = (steps < pins[-1] - window) | (steps > pins[0] + window)
                found[steps[out], column] = True
    return found & ~pinned


@dataclass(frozen=True, slots=True, eq=False)
class _Days:
    """Remaining drops by day.

    ``quota [A][D]`` are the drops that are left on each day besides the pinned ones; ``pins [A]`` are sets of steps.
    ``duty [A][D]`` are the steps from the first drop of a day to the last. ``day [T]`` is the day of each step and
    ``end [T]`` the first step after that day.
    """

    day: list[int]
    end: list[int]
    quota: list[list[int]]
    pins: list[set[int]]
    duty: list[list[int]]


_UNLIMITED = np.iinfo(np.int64).max


def _quotas(rules: FlightRules, sorties: Ints, days: Ints, n_aircraft: int) -> Ints:
    """Return ``[D, A]``: drops that each aircraft may fly on each day besides its pinned ones.

    ``days [T]`` is the day of every step.
    """
    n_days = int(days[-1]) + 1 if len(days) else 0
    sorties = np.broadcast_to(sorties if sorties.ndim == 1 else sorties[:n_days], (n_days, n_aircraft))
    most = np.where(sorties < 0, _UNLIMITED, sorties)
    if rules.spent is not None:
        most[:1] -= np.where(sorties[:1] < 0, 0, rules.spent)
        most = np.maximum(most, 0)
    return most if rules.pinned is None else np.maximum(most - _per_day(rules.pinned, days), 0)


def _per_day(pairs: Bools, days: Ints) -> Ints:
    """Return ``[D, A]``: how many of the pairs ``[T, A]`` lie on each day."""
    return np.add.reduceat(pairs, np.flatnonzero(np.diff(days, prepend=-1)), axis=0, dtype=np.int64)


def _days(rules: FlightRules, shape: tuple[int, int], steps_per_day: int) -> _Days:
    day = rules.days_of(shape[0], steps_per_day)
    n_days = int(day[-1]) + 1 if len(day) else 0
    sorties = np.full(shape[1], -1, np.int64) if rules.sorties is None else rules.sorties
    quota = _quotas(rules, sorties, day, shape[1]).T.tolist()
    duty = np.full((n_days, shape[1]), -1, np.int64) if rules.duty is None else rules.duty[:n_days]
    pins: list[set[int]] = [set() for _ in range(shape[1])]
    if rules.pinned is not None:
        for step, column in np.argwhere(rules.pinned).tolist():
            pins[column].add(step)
    end = np.searchsorted(day, day, side="right").tolist()
    return _Days(day.tolist(), end, quota, pins, np.where(duty < 0, _UNLIMITED, duty).T.tolist())


def _walk_days(steps: Ints, bounds: Ints, away: Ints, days: _Days) -> list[int]:
    """Return :func:`_walk` within sorties and duty.

    A candidate that is not pinned is skipped once its day's quota is used up. After its duty, which begins with the
    first drop of a day, an aircraft is skipped until the next day.
    """
    times, waits, ends = steps.tolist(), away.tolist(), bounds.tolist()
    executed: list[int] = []
    for column, (begin, end) in enumerate(itertools.pairwise(ends)):
        left, pins, duty = days.quota[column], days.pins[column], days.duty[column]
        index, today, first = begin, -1, 0
        while index < end:
            step = times[index]
            day = days.day[step]
            if day != today:
                today, first = day, -1
            if first >= 0 and step - first > duty[day] and step not in pins:
                index += 1
                continue
            if step not in pins:
                if left[day] == 0:
                    tomorrow = days.end[step]
                    index = index + 1 if pins else bisect_left(times, tomorrow, index + 1, end)
                    continue
                left[day] -= 1
            first = step if first < 0 else first
            executed.append(index)
            index = bisect_left(times, step + waits[index] + 1, index + 1, end)
    return executed


def _walk_together(
    candidates: Bools, waits: Ints, rules: FlightRules, poses: Floats, steps_per_day: int, executed: Bools
) -> Bools:
    """Mark in ``executed [T, A]`` the drops that are let through, in order of step and column.

    Turnaround, sorties, duty and airspace limits decide. Returns ``[T, A]``: drops that an airspace limit refused, and
    pairs that one without a radius leaves no room for. Pinned drops are let through as they are in :func:`_walk_days`,
    whatever the airspace holds.
    """
    n_steps, n_aircraft = candidates.shape
    days = _days(rules, candidates.shape, steps_per_day)
    airspace = Airspace(rules.airspace, n_aircraft, rules.pinned, rules.pinned_poses)
    ready, today, first = [0] * n_aircraft, [-1] * n_aircraft, [-1] * n_aircraft
    refused = np.zeros(candidates.shape, bool)
    pairs = np.argwhere(candidates)
    places = poses[pairs[:, 0], pairs[:, 1], :2].tolist()
    for (step, column), (y, x) in zip(pairs.tolist(), places, strict=True):
        if step < ready[column]:
            continue
        day, is_pinned = days.day[step], step in days.pins[column]
        if day != today[column]:
            today[column], first[column] = day, -1
        if not is_pinned:
            began, left = first[column], days.quota[column]
            if left[day] == 0 or (began >= 0 and step - began > days.duty[column][day]):
                continue
            if not airspace.allows(step, column, y, x):
                refused[step, column] = True
                continue
            left[day] -= 1
            airspace.add(step, column, y, x)
        first[column] = step if first[column] < 0 else first[column]
        executed[step, column] = True
        ready[column] = step + int(waits[step, column]) + 1
    return refused | (airspace.full(n_steps) & ~executed)


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


def _within_duty(rules: FlightRules, executed: Bools, steps_per_day: int) -> Bools:
    """Return ``[T, A]``: False after the duty of an aircraft, which its first drop of the day began."""
    if rules.duty is None:
        return np.ones(executed.shape, bool)
    days, steps = rules.days_of(len(executed), steps_per_day), np.arange(len(executed))[:, None]
    first = np.full((int(days[-1]) + 1, executed.shape[1]), _UNLIMITED // 2, np.int64)
    for day in range(len(first)):
        today = executed[days == day]
        began = np.flatnonzero(days == day)[:1]
        any_flown = today.any(axis=0)
        first[day, any_flown] = began + today[:, any_flown].argmax(axis=0)
    window = np.where(rules.duty < 0, _UNLIMITED // 2, rules.duty)[days]
    within = steps - first[days] <= window
    return within if rules.pinned is None else within | rules.pinned


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
