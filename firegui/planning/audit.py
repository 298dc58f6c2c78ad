"""An independent check of a schedule (paper, Table ``schedule_feasibility``).

Everything is re-derived from the schedule, the fleet and the project's constraints, one function per rule; no rule
shares code with the gates. What two rules beyond the paper's are given does come from where the gates have it: when the
sun is up, and which cells a no-drop zone holds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from firegui.domain.calendar import Calendar
from firegui.domain.compact_maps import WindRaster
from firegui.domain.fleet import Fleet, Tail
from firegui.domain.grid import Grid
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.results import Violations
from firegui.domain.schedule import Schedule
from firegui.io.daylight import flying_windows
from firegui.io.rasters.masks import region_masks

Executed = list[tuple[int, int]]

# Planners hold poses as sines, and files write them in decimals: a pinned pose comes back to within these.
_SAME_CELLS, _SAME_TURN = 1e-3, 1e-3


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Counts as in the paper's table, and a sentence for each violation.

    Beyond the paper: drops that were not proposed (``unproposed``), in the ``dark``, while their aircraft is grounded
    for a part of a day (``closed``), more than its ``sorties`` of a day, over the ``cap``, coming down in ``zones``;
    and pinned drops that are not flown.
    """

    candidate: int
    executed: int
    grounded: int
    turnaround: int
    simultaneous: int
    outside: int
    violations: tuple[str, ...]
    dark: int = 0
    closed: int = 0
    sorties: int = 0
    cap: int = 0
    zones: int = 0
    pinned: int = 0
    unproposed: int = 0

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations

    @property
    def counts(self) -> Violations:
        """As the benchmark's tables have them: the paper's three rules, and all the others together."""
        others = self.outside + self.unproposed + self.dark + self.closed + self.sorties + self.cap + self.zones
        others += self.pinned
        return Violations(self.grounded, self.turnaround, self.simultaneous, others)


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """Rules beyond the paper's that a schedule is checked against, with the wind ``[D, H, W]``.

    The wind is that of the planned days.
    """

    operations: Operations
    calendar: Calendar
    grid: Grid
    wind_speed: WindRaster
    wind_dir: WindRaster

    @staticmethod
    def of(project: Project) -> Conditions:
        """Return the conditions of a project."""
        return Conditions(project.operations, project.calendar, project.scenario.grid, *project.planned_wind)


def _zero_based(day: int) -> str:
    return f"day {day}"


def replay(schedule: Schedule, fleet: Fleet, steps_per_day: int) -> Executed:
    """Return ``(step, column)`` of the drops that the modeled rules let through.

    They are ordered by aircraft, earliest first.
    """
    drops: Executed = []
    for tail in fleet.tails:
        wait = _turnaround(tail, steps_per_day)
        last: int | None = None
        for step in range(schedule.n_steps):
            if not schedule.logits[step, tail.index] > 0.0:
                continue
            if step // steps_per_day in tail.type.grounded_days or (last is not None and step - last <= wait):
                continue
            drops.append((step, tail.index))
            last = step
    return sorted(drops)


def audit(
    schedule: Schedule,
    fleet: Fleet,
    steps_per_day: int,
    shape: tuple[int, int],
    executed: Executed | None = None,
    day_name: Callable[[int], str] = _zero_based,
    conditions: Conditions | None = None,
) -> AuditReport:
    """Check the ``executed`` drops ``[(step, column), …]``; without them, those that :func:`replay` finds.

    ``day_name`` is how the sentences call a zero-based day. Without ``conditions`` the paper's rules are checked alone,
    which are all that :func:`replay` knows.
    """
    drops = replay(schedule, fleet, steps_per_day) if executed is None else sorted(executed)
    tails = fleet.tails
    found = {
        "grounded": list(grounded_day_violations(drops, tails, steps_per_day, day_name)),
        "turnaround": list(turnaround_violations(drops, tails, steps_per_day)),
        "simultaneous": list(simultaneity_violations(drops, tails)),
        "outside": list(outside_violations(schedule, drops, tails, shape)),
        "unproposed": list(proposal_violations(schedule, drops, tails)),
    }
    if conditions is not None:
        found |= _operational(schedule, drops, tails, conditions, day_name)
    counts = {rule: len(sentences) for rule, sentences in found.items()}
    sentences = tuple(sentence for rule in found.values() for sentence in rule)
    return AuditReport(int((schedule.logits > 0.0).sum()), len(drops), **counts, violations=sentences)


def grounded_day_violations(
    drops: Executed, tails: tuple[Tail, ...], steps_per_day: int, day_name: Callable[[int], str] = _zero_based
) -> Iterator[str]:
    """Yield the drops on a day on which their aircraft is grounded."""
    for step, column in drops:
        day = step // steps_per_day
        if day in tails[column].type.grounded_days:
            yield f"{tails[column].name} drops at step {step} on {day_name(day)}, on which it is grounded"


def turnaround_violations(drops: Executed, tails: tuple[Tail, ...], steps_per_day: int) -> Iterator[str]:
    """Yield the pairs of drops of one aircraft that are ``Δ`` steps apart or less, but not equal."""
    for tail in tails:
        steps = sorted({step for step, column in drops if column == tail.index})
        wait = _turnaround(tail, steps_per_day)
        for earlier, later in pairwise(steps):
            if later - earlier <= wait:
                yield f"{tail.name} drops at steps {earlier} and {later}, closer than its turnaround of {wait} steps"


def simultaneity_violations(drops: Executed, tails: tuple[Tail, ...]) -> Iterator[str]:
    """Yield the steps at which one aircraft has more than one drop."""
    for earlier, later in pairwise(drops):
        if earlier == later:
            yield f"{tails[later[1]].name} drops more than once at step {later[0]}"


def outside_violations(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], shape: tuple[int, int]
) -> Iterator[str]:
    """Yield the drops released outside the raster, or outside the steps of the plan."""
    for step, column in drops:
        if not 0 <= step < schedule.n_steps:
            yield f"{tails[column].name} drops at step {step}, outside the plan"
            continue
        y, x, _ = schedule.poses[step, column]
        if not (0.0 <= y <= shape[0] - 1 and 0.0 <= x <= shape[1] - 1):
            yield f"{tails[column].name} drops at step {step} outside the grid, at row {y:.2f}, column {x:.2f}"


def proposal_violations(schedule: Schedule, drops: Executed, tails: tuple[Tail, ...]) -> Iterator[str]:
    """Yield the drops that the schedule does not propose: their logit is not above 0."""
    for step, column in drops:
        if 0 <= step < schedule.n_steps and not schedule.logits[step, column] > 0.0:
            yield f"{tails[column].name} drops at step {step}, which the schedule does not propose"


def _operational(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], conditions: Conditions, day_name: Callable[[int], str]
) -> dict[str, list[str]]:
    """Return the sentences of each rule that the paper does not have."""
    inside = [(step, column) for step, column in drops if 0 <= step < schedule.n_steps]
    return {
        "dark": list(darkness_violations(inside, tails, conditions)),
        "closed": list(grounding_violations(inside, tails, conditions)),
        "sorties": list(sortie_violations(inside, tails, conditions, day_name)),
        "cap": list(cap_violations(drops, tails, conditions)),
        "zones": list(zone_violations(schedule, inside, tails, conditions)),
        "pinned": list(pin_violations(schedule, drops, tails, conditions)),
    }


def darkness_violations(drops: Executed, tails: tuple[Tail, ...], conditions: Conditions) -> Iterator[str]:
    """Yield the drops at a time that no flying window holds."""
    daylight, calendar = conditions.operations.daylight, conditions.calendar
    if daylight is None:
        return
    windows = flying_windows(daylight, conditions.grid, calendar)
    for step, column in drops:
        when = calendar.time_of_step(step)
        if not any(begin <= when <= end for begin, end in windows):
            dropped = f"{tails[column].name} drops at step {step}, at {calendar.clock_text(when)} local time"
            near = min(windows, key=lambda window: max(window[0] - when, when - window[1]), default=None)
            light = "" if near is None else f" ({' to '.join(calendar.clock_text(end) for end in near)})"
            yield f"{dropped}, outside daylight{light}"


def grounding_violations(drops: Executed, tails: tuple[Tail, ...], conditions: Conditions) -> Iterator[str]:
    """Yield the drops while their aircraft is grounded for a part of a day."""
    for step, column in drops:
        tail, when = tails[column], conditions.calendar.time_of_step(step)
        for item in conditions.operations.groundings:
            if item.aircraft in {tail.name, tail.type.id} and item.start <= when and not item.end <= when:
                yield f"{tail.name} drops at step {step}, while it is grounded until {item.end.isoformat()}"
                break


def sortie_violations(
    drops: Executed, tails: tuple[Tail, ...], conditions: Conditions, day_name: Callable[[int], str] = _zero_based
) -> Iterator[str]:
    """Yield every drop of an aircraft beyond its sorties of a day."""
    flown: Counter[tuple[int, int]] = Counter()
    for step, column in drops:
        day = step // conditions.calendar.steps_per_day
        flown[column, day] += 1
        most = conditions.operations.sorties_per_day.get(tails[column].type.id)
        if most is not None and flown[column, day] > most:
            count = flown[column, day]
            yield f"{tails[column].name} drops at step {step}, its drop {count} of {day_name(day)}, of {most} allowed"


def cap_violations(drops: Executed, tails: tuple[Tail, ...], conditions: Conditions) -> Iterator[str]:
    """Yield every drop over the hard cap."""
    cap = conditions.operations.hard_cap
    if cap is None:
        return
    for number, (step, column) in enumerate(drops[cap:], cap + 1):
        yield f"{tails[column].name} drops at step {step}, drop {number} of the plan, over the cap of {cap}"


def zone_violations(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], conditions: Conditions
) -> Iterator[str]:
    """Yield the drops whose long axis meets a no-drop zone.

    The axis is two ``σ∥`` long on either side of where the wind lands the drop.
    """
    zones = conditions.operations.no_drop_zones
    if not zones:
        return
    masks = region_masks(zones, conditions.grid.shape)
    for step, column in drops:
        points = list(_axis_cells(schedule, step, tails[column], conditions))
        for zone, mask in zip(zones, masks, strict=True):
            if any(mask[row, col] for row, col in points):
                yield f"{tails[column].name} drops at step {step} into the no-drop zone {zone.name}"
                break


def _axis_cells(schedule: Schedule, step: int, tail: Tail, conditions: Conditions) -> Iterator[tuple[int, int]]:
    """Yield the cells of the raster under the long axis, looked at every half cell and at both ends."""
    y, x, theta = (float(value) for value in schedule.poses[step, tail.index])
    rows, columns = conditions.grid.shape
    cell_m = conditions.grid.cell_size_m
    periods = len(conditions.wind_speed) // conditions.calendar.days
    period = step * periods // conditions.calendar.steps_per_day
    at = period, min(max(round(y), 0), rows - 1), min(max(round(x), 0), columns - 1)
    speed, towards = float(conditions.wind_speed[at]), float(conditions.wind_dir[at])
    drift = speed * math.sqrt(2.0 * tail.type.drop_height_m / 9.81) / cell_m
    y, x = y - drift * math.sin(towards), x + drift * math.cos(towards)
    reach = 2.0 * tail.type.sigma_parallel_m / cell_m
    along = [number / 2.0 for number in range(-int(reach * 2.0), int(reach * 2.0) + 1)]
    for distance in (-reach, *along, reach):
        row = math.floor(y - distance * math.sin(theta) + 0.5)
        column = math.floor(x + distance * math.cos(theta) + 0.5)
        if 0 <= row < rows and 0 <= column < columns:
            yield row, column


def pin_violations(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], conditions: Conditions
) -> Iterator[str]:
    """Yield the pinned drops inside the plan that are not flown, or with another pose than pinned."""
    flown, calendar = set(drops), conditions.calendar
    columns = {tail.name: tail.index for tail in tails}
    for pin in conditions.operations.pinned:
        hours = (pin.time - calendar.start).total_seconds() / 3600.0
        step = math.floor(hours / calendar.hours_per_step + 1e-6)
        if not 0 <= step < calendar.n_steps or pin.aircraft not in columns:
            continue
        column = columns[pin.aircraft]
        if (step, column) not in flown:
            yield f"{pin.aircraft} does not fly its pinned drop at step {step}"
            continue
        y, x, theta = schedule.poses[step, column]
        turn = abs((theta - pin.theta + math.pi / 2.0) % math.pi - math.pi / 2.0)
        if max(abs(y - pin.y), abs(x - pin.x)) > _SAME_CELLS or turn > _SAME_TURN:
            yield f"{pin.aircraft} flies its pinned drop at step {step} elsewhere, at row {y:.2f}, column {x:.2f}"


def _turnaround(tail: Tail, steps_per_day: int) -> int:
    return math.ceil(tail.type.turnaround_h * steps_per_day / 24.0 - 1e-9)
