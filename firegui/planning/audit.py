"""An independent check of a schedule (paper, Table ``schedule_feasibility``).

Everything is re-derived from the schedule and the fleet alone, one function per rule; no code is shared with the gates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from firegui.domain.fleet import Fleet, Tail
from firegui.domain.schedule import Schedule

Executed = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Counts as in the paper's table, and a sentence for each violation."""

    candidate: int
    executed: int
    grounded: int
    turnaround: int
    simultaneous: int
    outside: int
    violations: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations


def _zero_based(day: int) -> str:
    return f"day {day}"


def replay(schedule: Schedule, fleet: Fleet, steps_per_day: int) -> Executed:
    """``(step, column)`` of the drops that the modeled rules let through, aircraft by aircraft, earliest first."""
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
) -> AuditReport:
    """Check the ``executed`` drops ``[(step, column), …]``; without them, those that :func:`replay` finds.

    ``day_name`` is how the sentences call a zero-based day.
    """
    drops = replay(schedule, fleet, steps_per_day) if executed is None else sorted(executed)
    tails = fleet.tails
    found = {
        "grounded": list(grounded_day_violations(drops, tails, steps_per_day, day_name)),
        "turnaround": list(turnaround_violations(drops, tails, steps_per_day)),
        "simultaneous": list(simultaneity_violations(drops, tails)),
        "outside": list(outside_violations(schedule, drops, tails, shape)),
    }
    counts = {rule: len(sentences) for rule, sentences in found.items()}
    sentences = tuple(sentence for rule in found.values() for sentence in rule)
    return AuditReport(int((schedule.logits > 0.0).sum()), len(drops), **counts, violations=sentences)


def grounded_day_violations(
    drops: Executed, tails: tuple[Tail, ...], steps_per_day: int, day_name: Callable[[int], str] = _zero_based
) -> Iterator[str]:
    """A drop on a day on which its aircraft is grounded."""
    for step, column in drops:
        day = step // steps_per_day
        if day in tails[column].type.grounded_days:
            yield f"{tails[column].name} drops at step {step} on {day_name(day)}, on which it is grounded"


def turnaround_violations(drops: Executed, tails: tuple[Tail, ...], steps_per_day: int) -> Iterator[str]:
    """Two drops of one aircraft at different steps that are ``Δ`` steps apart or less."""
    for tail in tails:
        steps = sorted({step for step, column in drops if column == tail.index})
        wait = _turnaround(tail, steps_per_day)
        for earlier, later in pairwise(steps):
            if later - earlier <= wait:
                yield f"{tail.name} drops at steps {earlier} and {later}, closer than its turnaround of {wait} steps"


def simultaneity_violations(drops: Executed, tails: tuple[Tail, ...]) -> Iterator[str]:
    """More than one drop of one aircraft at one step."""
    for earlier, later in pairwise(drops):
        if earlier == later:
            yield f"{tails[later[1]].name} drops more than once at step {later[0]}"


def outside_violations(
    schedule: Schedule, drops: Executed, tails: tuple[Tail, ...], shape: tuple[int, int]
) -> Iterator[str]:
    """A drop released outside the raster, or outside the steps of the plan."""
    for step, column in drops:
        if not 0 <= step < schedule.n_steps:
            yield f"{tails[column].name} drops at step {step}, outside the plan"
            continue
        y, x, _ = schedule.poses[step, column]
        if not (0.0 <= y <= shape[0] - 1 and 0.0 <= x <= shape[1] - 1):
            yield f"{tails[column].name} drops at step {step} outside the grid, at row {y:.2f}, column {x:.2f}"


def _turnaround(tail: Tail, steps_per_day: int) -> int:
    return math.ceil(tail.type.turnaround_h * steps_per_day / 24.0 - 1e-9)
