"""Airspace rules: how many drops a place and a time hold.

Separation of aircraft, the time between two drops on the same spot, and the pace that lead planes can serve are all of
this form.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass

from firegui.domain.fleet import Fleet
from firegui.domain.names import shown_name
from firegui.domain.options import bounds_problems, number_from_text, option, setting_problem
from firegui.domain.units import Units
from firegui.errors import Problem

MOST_RULES = 40
AIRSPACE_WORDS = "airspace separation distance interval lead plane same spot sequence"
"""Other words that find the rules."""
_SLACK = 1e-9
"""Steps are quotients of minutes; this is no difference."""

ReleasedDrop = tuple[int, float, float]
"""Step of a drop, and row and column of its release in cells."""


@dataclass(frozen=True, slots=True)
class AirspaceRule:
    """Limit of drops in a place and a time.

    Take a drop and any ``minutes`` that hold it. Of the drops in these minutes at most ``most``, itself included, are
    released within ``radius_m`` of it. Without a radius they count wherever they are. Only drops of ``types``, ids of
    aircraft types, are counted and limited; without any, all are.

    ``most = 1`` is the least time between two drops on the same spot. Large tankers without a radius in 60 minutes are
    the pace of a lead plane.

    Release points are compared, because the aircraft are there. Drops happen at starts of steps: two of them are in the
    same minutes where they are less than ``minutes`` apart, so that the minutes are :meth:`steps` whole steps.
    """

    most: int = option(
        MISSING, "Drops at most", "most drops within the radius and the minutes", low=1, high=1000,
        synonyms=AIRSPACE_WORDS,
    )  # fmt: skip
    minutes: float = option(
        MISSING, "Minutes", "any so many minutes hold no more drops; they count in whole time steps", unit="min",
        low=0.1, high=1440.0, synonyms=AIRSPACE_WORDS,
    )  # fmt: skip
    radius_m: float | None = option(
        None, "Radius", "distance between release points up to which drops count; empty for anywhere", unit="m",
        low=1.0, high=1e6, synonyms=AIRSPACE_WORDS,
    )  # fmt: skip
    types: tuple[str, ...] = ()

    def steps(self, hours_per_step: float) -> int:
        """Return ``⌈minutes / step⌉``, the number of steps in a row that hold no more drops."""
        return max(math.ceil(self.minutes / (60.0 * hours_per_step) - _SLACK), 1)

    def text(self, units: Units | None = None) -> str:
        """Return the rule in one line: ``at most 1 drop within 300 m in any 60 min, of S-2T``."""
        drops = "1 drop" if self.most == 1 else f"{self.most:,} drops"
        place = ""
        if self.radius_m is not None:
            place = f" within {f'{self.radius_m:,.12g} m' if units is None else units.length(self.radius_m)}"
        *others, last = self.types or ("",)
        served = f", of {', '.join(others)} and {last}" if others else f", of {last}" if last else ""
        return f"at most {drops}{place} in any {self.minutes:g} min{served}"

    def problems(self, where: str) -> list[Problem]:
        """Return everything wrong with the rule itself, which messages call ``where``."""
        found = bounds_problems(self, where)
        if isinstance(self.most, float) and math.isfinite(self.most) and self.most != int(self.most):
            found.append(setting_problem(self, "most", where, f"is {self.most}", "use a whole number"))
        if any(not name.strip() for name in self.types):
            found.append(Problem(where, "the id of a type is empty", "name the type, or leave it out"))
        if repeated := sorted({name for name in self.types if name.strip() and self.types.count(name) > 1}):
            names = ", ".join(map(shown_name, repeated))
            found.append(Problem(where, f"names {names} more than once", "name each type once"))
        return found


def rule_name(number: int) -> str:
    """Return what messages call the rule with this zero-based number."""
    return f"airspace rule {number + 1}"


def rules_problems(rules: Sequence[AirspaceRule], fleet: Fleet | None = None) -> list[Problem]:
    """Return everything wrong with airspace rules; with a ``fleet``, types that it does not have instead."""
    if fleet is None:
        found = [problem for number, rule in enumerate(rules) for problem in rule.problems(rule_name(number))]
        if len(rules) > MOST_RULES:
            found.append(Problem("airspace rules", f"there are {len(rules):,}", f"give at most {MOST_RULES}"))
        return found
    ids = [kind.id for kind in fleet.types]
    known = ", ".join(sorted(ids)) or "none"
    return [
        Problem(rule_name(number), f"{name} is not an aircraft type of the fleet", f"use one of {known}")
        for number, rule in enumerate(rules)
        for name in rule.types
        if name.strip() and name not in ids
    ]


def crowded(
    rule: AirspaceRule, drops: Sequence[ReleasedDrop], hours_per_step: float, cell_size_m: float
) -> Iterator[tuple[int, ...]]:
    """Yield the drops, by index, that are too many around one of them in some minutes; each set once."""
    length, seen = rule.steps(hours_per_step), set()
    for at, y, x in drops:
        for begin in range(at - length + 1, at + 1):
            together = tuple(
                index
                for index, (step, row, column) in enumerate(drops)
                if begin <= step < begin + length
                and (rule.radius_m is None or math.hypot(row - y, column - x) * cell_size_m <= rule.radius_m)
            )
            if len(together) > rule.most and together not in seen:
                seen.add(together)
                yield together


def typed_rule(text: str) -> AirspaceRule:
    """Return the rule that ``MOST,MINUTES,METRES,TYPE,TYPE`` means.

    Metres and types may be empty or left out. Raises ``ValueError`` for what is no rule; values out of range are left
    to :meth:`AirspaceRule.problems`.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) < 2:
        raise ValueError(f"{text!r} is not an airspace rule")
    most, minutes = number_from_text(parts[0]), number_from_text(parts[1])
    radius = number_from_text(parts[2]) if len(parts) > 2 and parts[2] else None
    whole = int(most) if math.isfinite(most) and most == int(most) else most
    return AirspaceRule(whole, minutes, radius, tuple(part for part in parts[3:] if part))  # type: ignore[arg-type]
