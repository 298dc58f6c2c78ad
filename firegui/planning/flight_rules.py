"""Rules on the gates from a project's operational constraints.

This module does not load torch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import Calendar
from firegui.domain.compact_maps import WindRaster
from firegui.domain.fleet import Fleet
from firegui.domain.operations import MOST_DROPS, Operations, day_limits, is_grounded
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, Schedule, pose_logits_of
from firegui.errors import Problem, Problems
from firegui.io.daylight import dark_pin_problems, dark_steps
from firegui.io.rasters.masks import region_masks
from firegui.rollout.airspace import AirspaceLimit
from firegui.rollout.gates import FlightRules, Gates, apply_gates, gates_of, too_windy
from firegui.rollout.landing import Air
from firegui.rollout.zones import in_zones, nearby

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PlannedAir:
    """The wind of a project's planned days, before any fire model has made maps of them."""

    wind_speed: WindRaster
    wind_dir: WindRaster
    steps_per_day: int
    steps_per_period: int
    cell_size_m: float

    @staticmethod
    def of(project: Project) -> PlannedAir:
        """Return the wind that the maps of ``project`` have."""
        event = project.scenario
        steps = event.steps_per_day // project.wind_periods
        return PlannedAir(*project.planned_wind, event.steps_per_day, steps, event.grid.cell_size_m)


class Planned(Protocol):
    """Protocol of a model's fleet, wind and rules."""

    @property
    def fleet(self) -> Fleet:
        """The fleet with its grounded days."""

    @property
    def maps(self) -> Air:
        """The fire's maps."""

    @property
    def rules(self) -> FlightRules | None:
        """The operational constraints."""

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_y, n_x)``."""


def flight_rules(project: Project, air: Air | None = None) -> FlightRules | None:
    """Return the rules of ``project``, or ``None`` when nothing is constrained.

    The project must have no :meth:`~Project.problems`. ``air`` are its maps, where there are some already.
    """
    operations, fleet = project.operations, project.planned_fleet
    if operations.off and not fleet.has_limits:
        return None
    air = PlannedAir.of(project) if air is None else air
    size = (project.calendar.n_steps, fleet.n_aircraft)
    zones = near = None
    if operations.no_drop_zones:
        zones = np.logical_or.reduce(region_masks(operations.no_drop_zones, project.scenario.grid.shape), axis=0)
        near = nearby(zones, fleet, air)
    sorties, duty = _limits_by_day(project, fleet)
    pinned, poses = np.zeros(size, bool), np.zeros((*size, 3))
    for pin, tail, step in operations.planned_pins(fleet, project.calendar):
        pinned[step, tail.index] = True
        poses[step, tail.index] = pin.y, pin.x, pin.theta
    pins, at = (pinned, poses) if pinned.any() else (None, None)
    return FlightRules(
        _closed_steps(project, fleet), sorties, operations.hard_cap, zones, near, pins, at,
        waits=_waits(project.calendar, fleet), duty=duty, wind_limits=wind_limits(fleet, operations.gust_factor),
        airspace=_airspace_limits(project, fleet),
    )  # fmt: skip


def _limits_by_day(project: Project, fleet: Fleet) -> tuple[Ints | None, Ints | None]:
    """Return the most drops of a day, ``[A]`` or ``[D, A]``, and the most steps between them, ``[D, A]``.

    −1 is no limit. A duty that is too short for a drop allows no drop of that day.
    """
    calendar, given = project.calendar, project.operations.sorties_per_day
    sorties = np.array([given.get(tail.type.id, -1) for tail in fleet.tails], np.int64)
    if all(kind.most_flight_h is None and kind.most_duty_h is None for kind in fleet.types):
        return (sorties if given else None), None
    counts = [kind.count for kind in fleet.types]
    limits = [[day_limits(kind, day, calendar) for kind in fleet.types] for day in range(calendar.days)]
    by_hours, window = (
        np.repeat(
            np.array([[_or_none(getattr(each, name)) for each in day] for day in limits], np.int64), counts, axis=1
        )
        for name in ("drops", "window")
    )
    by_hours = np.where(window < _NO_LIMIT, 0, by_hours)
    both = np.minimum(np.where(sorties < 0, MOST_DROPS, sorties), np.where(by_hours < 0, MOST_DROPS, by_hours))
    limited = np.where((sorties < 0) & (by_hours < 0), _NO_LIMIT, both)
    return limited, np.maximum(window, _NO_LIMIT)


_NO_LIMIT = -1


def _or_none(limit: int | None) -> int:
    """Return a limit as rules have it; one below 0, which leaves no drop, as −2."""
    return _NO_LIMIT if limit is None else limit if limit >= 0 else _NO_LIMIT - 1


def _waits(calendar: Calendar, fleet: Fleet) -> Ints | None:
    """Return ``[T, A]``: steps from a drop to the next one, where bases serve a type; else ``None``."""
    if not fleet.has_cycles:
        return None
    by_type = [
        [kind.wait_steps(step, calendar.steps_per_day) for step in range(calendar.n_steps)] for kind in fleet.types
    ]
    return np.repeat(np.array(by_type, np.int64).T, [kind.count for kind in fleet.types], axis=1)


def wind_limits(fleet: Fleet, gust_factor: float) -> NDArray[np.float64] | None:
    """Return ``[A]``: the wind in m/s above which no drop is made; ``None`` without any limit."""
    if all(kind.most_wind_ms is None and kind.most_gust_ms is None for kind in fleet.types):
        return None
    limits = [kind.wind_limit_ms(gust_factor) for kind in fleet.types]
    return np.repeat(np.array(limits, np.float64), [kind.count for kind in fleet.types])


def _airspace_limits(project: Project, fleet: Fleet) -> tuple[AirspaceLimit, ...]:
    """Return the airspace rules in steps and cells, with the columns that they limit."""
    cell, hours = project.scenario.grid.cell_size_m, project.calendar.hours_per_step
    return tuple(
        AirspaceLimit(
            rule.most, rule.steps(hours), None if rule.radius_m is None else rule.radius_m / cell,
            np.array([not rule.types or tail.type.id in rule.types for tail in fleet.tails], bool),
        )
        for rule in project.operations.airspace
    )  # fmt: skip


def _closed_steps(project: Project, fleet: Fleet) -> Bools | None:
    """Return ``[T, A]``: steps that begin in the dark or while the aircraft is grounded.

    Without any the result is ``None``.
    """
    operations, calendar = project.operations, project.calendar
    closed = np.zeros((calendar.n_steps, fleet.n_aircraft), bool)
    if operations.daylight is not None:
        closed |= dark_steps(operations.daylight, project.scenario.grid, calendar)[:, None]
    times = [calendar.time_of_step(step) for step in range(calendar.n_steps)]
    for grounding in operations.groundings:
        for tail in fleet.tails:
            closed[:, tail.index] |= [is_grounded(grounding, tail, when) for when in times]
    return closed if closed.any() else None


def rule_problems(project: Project, air: Air | None = None) -> list[Problem]:
    """Return problems of the pins: darkness, too much wind, and drifting into a zone.

    The project must have no other problems. ``air`` are its maps, where there are some already.
    """
    found = dark_pin_problems(project)
    operations, fleet, grid = project.operations, project.planned_fleet, project.scenario.grid
    pins, limits = operations.planned_pins(fleet, project.calendar), wind_limits(fleet, operations.gust_factor)
    if not pins or (not operations.no_drop_zones and limits is None):
        return found
    air = PlannedAir.of(project) if air is None else air
    if limits is not None:
        poses = np.zeros((project.calendar.n_steps, fleet.n_aircraft, 3))
        for pin, tail, step in pins:
            poses[step, tail.index] = pin.y, pin.x, pin.theta
        windy = too_windy(poses, air, limits)
        remedy = "move the drop, or raise the wind limit of its type"
        found += [
            Problem(pin.name, "the wind there is above the limit of its type", remedy)
            for pin, tail, step in pins
            if windy[step, tail.index]
        ]
    if not operations.no_drop_zones:
        return found
    zones = np.logical_or.reduce(region_masks(operations.no_drop_zones, grid.shape), axis=0)
    poses = np.zeros((project.calendar.n_steps, fleet.n_aircraft, 3))
    for pin, tail, step in pins:
        poses[step, tail.index] = pin.y, pin.x, pin.theta
    hit = in_zones(poses, fleet, air, zones, nearby(zones, fleet, air))
    return found + [
        Problem(pin.name, "its footprint, with the wind's drift, reaches a no-drop zone", "move the drop or the zone")
        for pin, tail, step in pins
        if hit[step, tail.index]
    ]


def project_gates(schedule: Schedule, project: Project) -> Gates:
    """Return the gates of a schedule on ``project``, which needs no fire model for them.

    Raises :class:`~firegui.errors.InputError` where its operational constraints cannot be kept.
    """
    problems, air = Problems(), PlannedAir.of(project)
    event = project.scenario
    problems.extend(project.operations.problems(project.planned_fleet, project.calendar, event.grid))
    problems.raise_if_any("The operational constraints cannot be kept")
    return gates_of(schedule, project.planned_fleet, air, flight_rules(project, air))


def executed_drops(schedule: Schedule, project: Project) -> list[tuple[int, int]]:
    """Return ``(step, column)`` of the drops that the gates of ``project`` let through.

    See :func:`project_gates`.
    """
    executed = project_gates(schedule, project).executed
    return [(int(step), int(column)) for step, column in np.argwhere(executed)]


def most_drops_of(project: Project) -> int:
    """Return the most drops that fleet, grounded days and constraints of ``project`` let be flown.

    Zones and wind limits do not count, because they depend on where a drop is made, nor does the airspace, whose drops
    depend on each other. Constraints that cannot be kept are left out.
    """
    return int(_most_flown(project).sum())


def most_drops_a_day(project: Project) -> tuple[int, ...]:
    """Return for each type of the fleet the most drops that one aircraft can fly on a planned day.

    Turnaround, daylight and limits of drops and hours a day count; groundings do not.
    """
    operations = replace(
        Operations(), daylight=project.operations.daylight, sorties_per_day=project.operations.sorties_per_day,
        bases=project.operations.bases,
    )  # fmt: skip
    fleet = Fleet(tuple(replace(kind, count=1) for kind in project.fleet.types))
    flown = _most_flown(replace(project, fleet=fleet, grounded={}, operations=operations))
    by_day = flown.reshape(project.calendar.days, project.calendar.steps_per_day, len(fleet.types)).sum(axis=1)
    return tuple(by_day.max(axis=0, initial=0).tolist())


def _most_flown(project: Project) -> Bools:
    """Return ``[T, A]``: drops flown if every pair proposes one.

    Zones, wind limits, airspace and pins are left out.
    """
    operations, fleet, calendar = project.operations, project.planned_fleet, project.calendar
    if operations.problems(fleet, calendar, project.scenario.grid):
        operations = Operations()
    anywhere = replace(project, operations=replace(operations, no_drop_zones=(), pinned=(), airspace=()))
    everything = np.ones((calendar.n_steps, fleet.n_aircraft), bool)
    return apply_gates(everything, fleet, calendar.steps_per_day, flight_rules(anywhere)).executed


def no_drop_problems(project: Project) -> list[Problem]:
    """Return one problem that names all limits which leave no drop; nothing if a drop is possible.

    The project must have no other problems.
    """
    if most_drops_of(project) > 0:
        return []
    operations = project.operations
    free = replace(project, grounded={}, operations=Operations(), fleet=project.fleet.without_limits)
    grounded = replace(free, grounded=project.grounded, operations=Operations(groundings=operations.groundings))
    limits = {
        "every aircraft is grounded on every planned day": ("lift a grounded day or plan other days", grounded),
        "the limit on drops is 0": ("raise it", _only(free, hard_cap=operations.hard_cap)),
        "every aircraft type has 0 drops a day": (
            "allow one more drops a day", _only(free, sorties_per_day=operations.sorties_per_day)
        ),
        "the daylight rule leaves no time for a drop": (
            "allow darker hours or plan other days", _only(free, daylight=operations.daylight)
        ),
        "flight and duty hours are too short for a drop": (
            "raise the hours of a type", replace(_only(free, bases=operations.bases), fleet=project.fleet)
        ),
    }  # fmt: skip
    alone = {what: remedy for what, (remedy, limited) in limits.items() if most_drops_of(limited) == 0}
    alone = alone or {"grounded days and rules of the operation leave no time for a drop": "loosen one of them"}
    return [Problem("No drop is possible", " and ".join(alone), ", and ".join(alone.values()))]


def _only(project: Project, **rules: Any) -> Project:
    return replace(project, operations=Operations(**rules))


def with_pins(schedule: Schedule, model: Planned) -> Schedule:
    """Return ``schedule`` with the pinned drops of ``model.rules`` proposed at their poses.

    Without pins the schedule itself is returned.
    """
    rules = model.rules
    if rules is None or rules.pinned is None or rules.pinned_poses is None:
        return schedule
    pins, poses = rules.pinned, rules.pinned_poses
    z = schedule.pose_logits
    if z is not None:
        z = np.where(pins[:, :, None], pose_logits_of(poses, model.shape), z)
    logits = np.where(pins, np.maximum(schedule.logits, LISTED_LOGIT), schedule.logits)
    return Schedule(logits, np.where(pins[:, :, None], poses, schedule.poses), z)


def uncapped(rules: FlightRules | None) -> FlightRules | None:
    """Return the same rules without the cap.

    They are for a schedule that keeps the cap by itself, and where every pair may still be proposed.
    """
    return rules if rules is None or rules.cap is None else replace(rules, cap=None)


def within_cap(schedule: Schedule, model: Planned) -> Schedule:
    """Return ``schedule`` with so few proposals that the executed drops keep the cap.

    A schedule that keeps it is returned itself. Of the drops that would be executed without a cap, those with the
    lowest logits are given up, of equal ones first the later step, then the higher column; whatever they kept from
    flying is counted anew. Pinned drops stay. A logit that is given up is negated, so that the slope of the surrogate
    stays what it was.
    """
    rules = model.rules
    if rules is None or rules.cap is None:
        return schedule
    free, pinned = uncapped(rules), rules.pinned
    reserved = 0 if pinned is None else int(pinned.sum())
    room = max(rules.cap - reserved, 0)
    while True:
        flown = gates_of(schedule, model.fleet, model.maps, free).executed
        flown = flown if pinned is None else flown & ~pinned
        excess = int(flown.sum()) - room
        if excess <= 0:
            return schedule
        steps, columns = np.nonzero(flown)
        lowest = np.lexsort((-columns, -steps, schedule.logits[steps, columns]))[:excess]
        logits = schedule.logits.copy()
        logits[steps[lowest], columns[lowest]] *= -1.0
        schedule = replace(schedule, logits=logits)
