"""An independent check of a schedule (paper, Table ``schedule_feasibility``).

Everything is re-derived from the schedule, the fleet and the project's constraints, one function per rule; no rule
shares code with the gates. What three rules beyond the paper's are given does come from where the gates have it: when
the sun is up, which cells a no-drop zone holds, and where the fire burns on a day.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from firegui.domain.bases import Base
from firegui.domain.calendar import Calendar
from firegui.domain.compact_maps import WindRaster
from firegui.domain.fleet import AircraftType, Fleet, Tail
from firegui.domain.grid import Grid
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.results import Metrics, Violations
from firegui.domain.schedule import Schedule
from firegui.io.daylight import flying_windows
from firegui.io.rasters.masks import region_masks

Executed = list[tuple[int, int]]

# Planners hold poses as sines, and files write them in decimals: a pinned pose comes back to within these.
_SAME_CELLS, _SAME_TURN = 1e-3, 1e-3
# Files round costs to cents and flight hours to six digits.
_SAME_AMOUNT, _SAME_SHARE = 0.01, 1e-5
# Hours and speeds are sums and products of fractions.
_SAME_HOURS, _SAME_WIND, _SAME_MINUTES = 1e-5, 1e-9, 1e-6


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Counts as in the paper's table, and a sentence for each violation.

    Beyond the paper: drops that were not proposed (``unproposed``), in the ``dark``, while their aircraft is grounded
    for a part of a day (``closed``), more than its ``sorties``, its hours in ``flight`` or on ``duty`` of a day allow,
    in too much ``wind``, over the ``cap``, too many for the ``airspace``, coming down in ``zones``; and pinned drops
    that are not flown.

    ``gallons``, ``flight_hours`` and ``cost`` of the executed drops are worked out anew, too. The cost is ``None``
    where a type drops that has no price; audits of older versions have none of the three. ``used`` counts the amounts
    that a result or a file states and that are others.
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
    gallons: float | None = None
    flight_hours: float | None = None
    cost: float | None = None
    used: int = 0
    flight: int = 0
    duty: int = 0
    wind: int = 0
    airspace: int = 0

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations

    @property
    def counts(self) -> Violations:
        """As the benchmark's tables have them: the paper's three rules, and all the others together."""
        others = self.outside + self.unproposed + self.dark + self.closed + self.sorties + self.cap + self.zones
        others += self.pinned + self.used + self.flight + self.duty + self.wind + self.airspace
        return Violations(self.grounded, self.turnaround, self.simultaneous, others)


@dataclass(frozen=True, slots=True)
class StatedUse:
    """What a result or a file states that its ``drops`` take; ``None`` where it states nothing.

    ``where`` is how a sentence calls it.
    """

    where: str
    drops: Executed
    gallons: float | None = None
    flight_hours: float | None = None
    cost: float | None = None


def stated_use(drops: Executed, metrics: Metrics) -> StatedUse:
    """Return what the metrics of a plan state that all of its ``drops`` take."""
    return StatedUse("the plan", drops, metrics.gallons, metrics.flight_hours, metrics.cost)


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """Rules beyond the paper's that a schedule is checked against, with the wind ``[D, H, W]``.

    The wind is that of the planned days. ``centres`` are those of the burning area, one a day, where they are known.
    """

    operations: Operations
    calendar: Calendar
    grid: Grid
    wind_speed: WindRaster
    wind_dir: WindRaster
    centres: tuple[tuple[float, float], ...] = ()

    @staticmethod
    def of(project: Project) -> Conditions:
        """Return the conditions of a project."""
        return Conditions(
            project.operations, project.calendar, project.scenario.grid, *project.planned_wind, project.burning_centres
        )  # fmt: skip


def _zero_based(day: int) -> str:
    return f"day {day}"


def replay(schedule: Schedule, fleet: Fleet, steps_per_day: int) -> Executed:
    """Return ``(step, column)`` of the drops that the modeled rules let through.

    They are ordered by aircraft, earliest first.
    """
    drops: Executed = []
    for tail in fleet.tails:
        last: int | None = None
        for step in range(schedule.n_steps):
            if not schedule.logits[step, tail.index] > 0.0:
                continue
            if step // steps_per_day in tail.type.grounded_days:
                continue
            if last is not None and step - last <= _wait(tail, last, steps_per_day):
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
    stated: Sequence[StatedUse] = (),
) -> AuditReport:
    """Check the ``executed`` drops ``[(step, column), …]``; without them, those that :func:`replay` finds.

    ``day_name`` is how the sentences call a zero-based day. Without ``conditions`` the paper's rules are checked alone,
    which are all that :func:`replay` knows. ``stated`` are amounts to check against the fleet.
    """
    drops = replay(schedule, fleet, steps_per_day) if executed is None else sorted(executed)
    tails = fleet.tails
    found = {
        "grounded": list(grounded_day_violations(drops, tails, steps_per_day, day_name)),
        "turnaround": list(turnaround_violations(drops, tails, steps_per_day, conditions)),
        "simultaneous": list(simultaneity_violations(drops, tails)),
        "outside": list(outside_violations(schedule, drops, tails, shape)),
        "unproposed": list(proposal_violations(schedule, drops, tails)),
        "used": list(use_violations(stated, tails, conditions)),
    }
    if conditions is not None:
        found |= _operational(schedule, drops, tails, conditions, day_name)
    counts = {rule: len(sentences) for rule, sentences in found.items()}
    sentences = tuple(sentence for rule in found.values() for sentence in rule)
    gallons, hours, cost = _taken(drops, tails, conditions)
    return AuditReport(
        int((schedule.logits > 0.0).sum()), len(drops), **counts, violations=sentences, gallons=gallons,
        flight_hours=hours, cost=cost,
    )  # fmt: skip


def _taken(
    drops: Executed, tails: tuple[Tail, ...], conditions: Conditions | None = None
) -> tuple[float, float, float | None]:
    """Return the gallons, the flight hours and the cost of the drops, one by one."""
    kinds = [tails[column].type for _, column in drops]
    flown = [_trip(kind, step, conditions).air_h for kind, (step, _) in zip(kinds, drops, strict=True)]
    gallons, hours = sum(kind.payload_gal for kind in kinds), sum(flown)
    cost = 0.0
    for kind, air_h in zip(kinds, flown, strict=True):
        if kind.hour_price is None and kind.drop_price is None and kind.gallon_price is None:
            return gallons, hours, None
        cost += (kind.hour_price or 0.0) * air_h + (kind.drop_price or 0.0)
        cost += (kind.gallon_price or 0.0) * kind.payload_gal
    return gallons, hours, cost


def use_violations(
    stated: Sequence[StatedUse], tails: tuple[Tail, ...], conditions: Conditions | None = None
) -> Iterator[str]:
    """Yield the stated gallons, flight hours and costs that are not those of the fleet."""
    for one in stated:
        gallons, hours, cost = _taken(one.drops, tails, conditions)
        for what, value, found in (
            ("gallons", one.gallons, gallons), ("flight hours", one.flight_hours, hours), ("cost", one.cost, cost),
        ):  # fmt: skip
            if value is None:
                continue
            if found is None:
                yield f"{one.where}: a {what} of {value:,.2f} is stated, and a type that drops has no price"
            elif not math.isclose(value, found, rel_tol=_SAME_SHARE, abs_tol=_SAME_AMOUNT):
                yield f"{one.where}: {value:,.2f} is stated as {what}, and {found:,.2f} follows from the fleet"


def grounded_day_violations(
    drops: Executed, tails: tuple[Tail, ...], steps_per_day: int, day_name: Callable[[int], str] = _zero_based
) -> Iterator[str]:
    """Yield the drops on a day on which their aircraft is grounded."""
    for step, column in drops:
        day = step // steps_per_day
        if day in tails[column].type.grounded_days:
            yield f"{tails[column].name} drops at step {step} on {day_name(day)}, on which it is grounded"


def turnaround_violations(
    drops: Executed, tails: tuple[Tail, ...], steps_per_day: int, conditions: Conditions | None = None
) -> Iterator[str]:
    """Yield the pairs of drops of one aircraft that are ``Δ`` steps apart or less, but not equal."""
    for tail in tails:
        steps = sorted({step for step, column in drops if column == tail.index})
        for earlier, later in pairwise(steps):
            wait = _wait(tail, earlier, steps_per_day, conditions)
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
        "flight": list(flight_hour_violations(inside, tails, conditions, day_name)),
        "duty": list(duty_violations(inside, tails, conditions, day_name)),
        "wind": list(wind_violations(schedule, inside, tails, conditions)),
        "cap": list(cap_violations(drops, tails, conditions)),
        "airspace": list(airspace_violations(schedule, inside, tails, conditions)),
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


def flight_hour_violations(
    drops: Executed, tails: tuple[Tail, ...], conditions: Conditions, day_name: Callable[[int], str] = _zero_based
) -> Iterator[str]:
    """Yield every drop with which an aircraft is in the air for more than its flight hours of a day."""
    flown: Counter[tuple[int, int]] = Counter()
    hours: dict[tuple[int, int], float] = {}
    for step, column in drops:
        tail, key = tails[column], (column, step // conditions.calendar.steps_per_day)
        most, flown[key] = tail.type.most_flight_h, flown[key] + 1
        hours[key] = hours.get(key, 0.0) + _trip(tail.type, step, conditions).air_h
        if most is not None and hours[key] > most + _SAME_HOURS:
            drop = f"{tail.name} drops at step {step}, its drop {flown[key]} of {day_name(key[1])}"
            yield f"{drop}: {hours[key]:.2f} flight hours, of {most:g} allowed"


def duty_violations(
    drops: Executed, tails: tuple[Tail, ...], conditions: Conditions, day_name: Callable[[int], str] = _zero_based
) -> Iterator[str]:
    """Yield every drop from which an aircraft lands after its duty of a day."""
    began: dict[tuple[int, int], int] = {}
    for step, column in sorted(drops):
        tail, key = tails[column], (column, step // conditions.calendar.steps_per_day)
        first, most = began.setdefault(key, step), tail.type.most_duty_h
        if most is None:
            continue
        out, back = (_trip(tail.type, each, conditions) for each in (first, step))
        duty = (step - first) * conditions.calendar.hours_per_step + out.air_h - out.leg_h + back.leg_h
        if duty > most + _SAME_HOURS:
            when = f"{tail.name} drops at step {step} on {day_name(key[1])}"
            yield f"{when}, {duty:.2f} h after its duty began until it has landed, of {most:g} h allowed"


def wind_violations(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], conditions: Conditions
) -> Iterator[str]:
    """Yield the drops in more wind, or in stronger gusts, than their type may drop in."""
    rows, columns = conditions.grid.shape
    for step, column in drops:
        kind = tails[column].type
        if kind.most_wind_ms is None and kind.most_gust_ms is None:
            continue
        y, x, _ = (float(value) for value in schedule.poses[step, column])
        periods = len(conditions.wind_speed) // conditions.calendar.days
        period = step * periods // conditions.calendar.steps_per_day
        speed = float(
            conditions.wind_speed[period, min(max(round(y), 0), rows - 1), min(max(round(x), 0), columns - 1)]
        )
        gust = speed * conditions.operations.gust_factor
        for what, value, most in (("wind", speed, kind.most_wind_ms), ("gusts", gust, kind.most_gust_ms)):
            if most is not None and value > most * (1.0 + _SAME_WIND):
                yield f"{tails[column].name} drops at step {step} in {what} of {value:.1f} m/s, above {most:.1f} m/s"


def cap_violations(drops: Executed, tails: tuple[Tail, ...], conditions: Conditions) -> Iterator[str]:
    """Yield every drop over the hard cap."""
    cap = conditions.operations.hard_cap
    if cap is None:
        return
    for number, (step, column) in enumerate(drops[cap:], cap + 1):
        yield f"{tails[column].name} drops at step {step}, drop {number} of the plan, over the cap of {cap}"


def airspace_violations(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], conditions: Conditions
) -> Iterator[str]:
    """Yield every drop with which, beside the drops before it, a place and a time hold too many."""
    minutes_a_step = 60.0 * conditions.calendar.hours_per_step
    for rule in conditions.operations.airspace:
        cells = math.inf if rule.radius_m is None else rule.radius_m / conditions.grid.cell_size_m
        apart, back = max(cells - _SAME_CELLS, 0.0), math.ceil(rule.minutes / minutes_a_step)
        known: dict[int, list[tuple[float, float]]] = {}
        for step, column in sorted(drops):
            if rule.types and tails[column].type.id not in rule.types:
                continue
            y, x, _ = (float(value) for value in schedule.poses[step, column])
            known.setdefault(step, []).append((y, x))
            last = (ago for ago in range(back + 1) if ago * minutes_a_step < rule.minutes - _SAME_MINUTES)
            near = [place for ago in last for place in known.get(step - ago, ())]
            # Around this drop, and around each drop that it is near to.
            around = [place for place in near if rule.radius_m is not None and math.dist(place, (y, x)) <= apart]
            most = max(sum(math.dist(place, centre) <= apart for place in near) for centre in around or [(y, x)])
            if most > rule.most:
                drop = f"{tails[column].name} drops at step {step}"
                yield f"{drop}, one of {most} where the airspace rule has {rule.text()}"


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


@dataclass(frozen=True, slots=True)
class _Trip:
    """What a drop takes: hours until the next one, hours in the air, and hours of the flight home."""

    away_h: float
    air_h: float
    leg_h: float


def _wait(tail: Tail, step: int, steps_per_day: int, conditions: Conditions | None = None) -> int:
    """Return for how many steps a drop at ``step`` keeps the aircraft from the next one."""
    return math.ceil(_trip(tail.type, step, conditions).away_h * steps_per_day / 24.0 - 1e-9)


def _trip(kind: AircraftType, step: int, conditions: Conditions | None) -> _Trip:
    """Return what a drop at ``step`` takes, from the bases and where the fire burns on that day.

    The turnaround is fixed where no base serves the type. Half of it then is the way home.
    """
    fixed = _Trip(kind.turnaround_h, kind.turnaround_h, kind.turnaround_h / 2.0)
    if conditions is None:
        cycle = kind.cycle_at(step)
        return fixed if cycle is None else _Trip(cycle.wait_h, cycle.flight_h, cycle.leg_h)
    bases = [base for base in conditions.operations.bases if kind.id in base.serves]
    if not bases or not conditions.centres or not kind.cruise_ms:
        return fixed
    calendar = conditions.calendar
    row, column = conditions.centres[min(max(step // calendar.steps_per_day, 0), len(conditions.centres) - 1)]
    when = calendar.time_of_step(step).astimezone(calendar.local_zone)
    hour = (when.hour * 3600 + when.minute * 60 + when.second) / 3600.0
    target_h, found = (kind.target_min or 0.0) / 60.0, []
    for base in bases:
        metres = math.sqrt((base.y - row) ** 2 + (base.x - column) ** 2) * conditions.grid.cell_size_m
        leg = metres / kind.cruise_ms / 3600.0
        shut = _shut_h(base, hour + leg) if calendar.is_dated else 0.0
        trip = _Trip(2.0 * leg + target_h + base.reload_min / 60.0 + shut, 2.0 * leg + target_h, leg)
        # An open base at the least distance; where all are shut, the one that begins to load first.
        found.append(((shut > 0.0, leg if shut == 0.0 else leg + shut), trip))
    return min(found, key=lambda one: one[0])[1]


def _shut_h(base: Base, hour: float) -> float:
    """Return for how many hours from ``hour`` on a base does not load."""
    if base.opens_h is None or base.closes_h is None:
        return 0.0
    clock, opens, closes = hour % 24.0, base.opens_h % 24.0, base.closes_h % 24.0
    inside = opens - 1e-9 <= clock <= closes + 1e-9
    if closes < opens:
        inside = clock >= opens - 1e-9 or clock <= closes + 1e-9
    return 0.0 if inside else (opens - clock) % 24.0
