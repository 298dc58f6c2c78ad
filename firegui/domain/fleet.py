"""Fleet: aircraft types, material and limits.

Sources are the paper's Tables ``aircraft_params`` and ``footprint_calibration``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, replace
from enum import StrEnum

from firegui.domain.calendar import MOST_DAYS, Calendar, turnaround_steps
from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import bounds_problems, option, title_of
from firegui.domain.units import GALLON_L, Units
from firegui.errors import Problem

MOST_AIRCRAFT = 1000
MOST_TURNAROUND_H = 72.0
"""Hours between two drops. An aircraft that is away for longer is grounded for days."""


LEAST_TURNAROUND_MIN = 5.0
"""Turnarounds below this are warned of: the scooper of the paper's fleet, the fastest there, needs 11 minutes."""
MOST_OF_A_TYPE = 50
"""Types with more aircraft are warned of. The paper's whole fleet has 21."""
USUAL_PAYLOADS_GAL = (100.0 / GALLON_L, 75_000.0 / GALLON_L)
"""Payloads outside are warned of: a small helicopter's bucket holds 100 L, the largest tanker about 73,000 L."""

OUTLINE_SIGMAS = 2.0
"""Drops are drawn as the contour at two standard deviations: semi-axes 2σ∥ and 2σ⊥, so 4σ long and wide."""


class Material(StrEnum):
    """Material of a drop.

    Water changes the state once; retardant treats the fuel for good.
    """

    WATER = "water"
    RETARDANT = "retardant"


@dataclass(frozen=True, slots=True)
class AircraftType:
    """One row of the fleet: ``count`` identical aircraft.

    ``payload_gal`` is P_a, ``drop_height_m`` H_a, ``sigma_parallel_m`` and ``sigma_perpendicular_m`` are the footprint
    scales. ``grounded_days`` are zero-based days of the plan. Bounds are wide enough for anything that flies, and
    narrow enough to find a slip of the keyboard before it needs a footprint of a million cells.
    """

    id: str = option(MISSING, "Type", "short name of the type; aircraft are called by it and a number, such as S-2T-1")
    type: str = option(MISSING, "Make and model", "make and model")
    count: int = option(
        MISSING, "Number of aircraft", "number of identical aircraft", label="Aircraft", low=0, high=MOST_AIRCRAFT
    )
    material: Material = option(MISSING, "Material", "water changes the fire once; retardant treats the fuel for good")
    payload_gal: float = option(
        MISSING,
        "Payload",
        "what one aircraft drops at once; files have US gallons",
        unit="gal",
        low=0.01,
        high=1e6,
        synonyms="load tank water retardant",
    )
    turnaround_h: float = option(
        MISSING, "Turnaround", "hours from a drop until its aircraft can drop again, rounded up to time steps",
        unit="h", low=0.0, high=MOST_TURNAROUND_H, synonyms="refill reload fill round trip",
    )  # fmt: skip
    speed_ms: float = option(MISSING, "Speed", "ground speed during the drop", unit="m/s", low=0.0, high=1e3)
    drop_duration_s: float = option(MISSING, "Drop time", "duration of a drop, seconds", unit="s", low=0.0, high=3600.0)
    drop_height_m: float = option(MISSING, "Drop height", "drop height above ground", unit="m", low=0.0, high=2e4)
    sigma_parallel_m: float = option(
        MISSING, "Length scale", "one standard deviation of the drop along the run, a quarter of its length on maps",
        unit="m", symbol="σ∥", low=0.01, high=5e3,
    )  # fmt: skip
    sigma_perpendicular_m: float = option(
        MISSING, "Width scale", "one standard deviation of the drop across the run, a quarter of its width on maps",
        unit="m", symbol="σ⊥", low=0.01, high=5e3,
    )  # fmt: skip
    provenance: str = option("", "Footprint from", "where length scale and width scale come from")
    grounded_days: tuple[int, ...] = ()

    def drawn_text(self, units: Units) -> str:
        """Return how long and wide maps draw a drop."""
        long, wide = (
            units.length(2.0 * OUTLINE_SIGMAS * sigma) for sigma in (self.sigma_parallel_m, self.sigma_perpendicular_m)
        )
        return f"drawn {long} long, {wide} wide"

    def unusual(self, units: Units) -> tuple[str, ...]:
        """Return a sentence for every number of this row that no aircraft is known to have, in ``units``."""
        return tuple(self._unusual(units)) if self.count else ()

    def _unusual(self, units: Units) -> Iterator[str]:
        minutes, (least, most) = 60.0 * self.turnaround_h, USUAL_PAYLOADS_GAL
        if minutes == 0.0:
            yield (
                f"{self.id}: a turnaround of 0 lets each aircraft drop again in the next time step. To land and load "
                f"takes {LEAST_TURNAROUND_MIN:g} min or more. Check it."
            )
        elif minutes < LEAST_TURNAROUND_MIN:
            yield f"{self.id}: a turnaround of {minutes:.2g} min is less than it takes to land and load. Check it."
        if self.count > MOST_OF_A_TYPE:
            yield f"{self.id}: {self.count:,} aircraft of one type are unusual at one fire. Check it."
        if not least <= self.payload_gal <= most:
            low, high = (f"{float(f'{units.load_value(bound):.3g}'):,.0f}" for bound in (least, most))
            carried = f"{low} to {high} {units.load_unit}"
            yield f"{self.id}: a payload of {units.load(self.payload_gal)} is outside what aircraft carry: {carried}."

    def turnaround_steps(self, steps_per_day: int) -> int:
        """Return ``Δ_a`` in steps."""
        return turnaround_steps(self.turnaround_h, steps_per_day)

    def with_grounded_days(self, days: tuple[int, ...]) -> AircraftType:
        """Return the same type grounded on other days."""
        return replace(self, grounded_days=tuple(sorted(set(days))))

    def problems(self) -> list[Problem]:
        """Return everything wrong with this row, by field."""
        where = f"aircraft {shown_name(self.id) or '(no id)'}"
        found: list[Problem] = []
        if not self.id.strip():
            found.append(Problem(where, "the id is empty", "give each type a short id such as S-2T"))
        found += character_problems(where, self.id, "the id") + character_problems(where, self.type, "the type")
        found += bounds_problems(self, where)
        if math.isfinite(self.count) and self.count != int(self.count):
            found.append(Problem(where, f"{title_of(self, 'count')} is {self.count}", "use a whole number"))
        if any(not 0 <= day < MOST_DAYS for day in self.grounded_days):
            what = f"{title_of(self, 'grounded_days')} {list(self.grounded_days)} have a day that no plan has"
            found.append(Problem(where, what, f"days are counted from 0, up to {MOST_DAYS - 1}"))
        return found


@dataclass(frozen=True, slots=True)
class Tail:
    """One aircraft: a column ``a`` of every ``[T, A]`` array."""

    name: str
    index: int
    type: AircraftType


@dataclass(frozen=True, slots=True)
class Fleet:
    """Aircraft types in the order of the fleet file, which is the order of the columns."""

    types: tuple[AircraftType, ...]

    @property
    def tails(self) -> tuple[Tail, ...]:
        """Every aircraft, named ``<id>-<number from 1>``, in column order."""
        # A count beyond reason is a problem of its row; here it must not cost the memory of a billion names.
        counts = [min(kind.count, MOST_AIRCRAFT) for kind in self.types]
        named = [
            (f"{kind.id}-{number + 1}", kind)
            for kind, count in zip(self.types, counts, strict=True)
            for number in range(count)
        ]
        return tuple(Tail(name, index, kind) for index, (name, kind) in enumerate(named))

    @property
    def n_aircraft(self) -> int:
        """``N_a``."""
        return sum(kind.count for kind in self.types)

    def unusual(self, units: Units) -> tuple[str, ...]:
        """Return a sentence for every number that no aircraft is known to have, in ``units``."""
        return tuple(text for kind in self.types for text in kind.unusual(units))

    def replace_type(self, index: int, kind: AircraftType) -> Fleet:
        """Return the fleet with row ``index`` replaced."""
        return Fleet((*self.types[:index], kind, *self.types[index + 1 :]))

    def problems(self) -> list[Problem]:
        """Return everything wrong with the fleet."""
        found = [problem for kind in self.types for problem in kind.problems()]
        counts = Counter(kind.id for kind in self.types)
        found += repeated_names("fleet", (kind.id for kind in self.types), "the id")
        names = Counter(tail.name for tail in self.tails)
        clashes = sorted(name for name, n in names.items() if n > 1 and counts[name.rsplit("-", 1)[0]] == 1)
        found += [Problem("fleet", f"two aircraft would be called {name}", "choose other ids") for name in clashes]
        if self.n_aircraft == 0:
            found.append(Problem("fleet", "no aircraft", "add at least one"))
        return found


def availability_cap(fleet: Fleet, calendar: Calendar) -> int:
    """Return the most drops that the fleet can make in the window (paper, step 1).

    Every logit is positive, so that only the gates decide. After a drop at ``t`` an aircraft can drop again at
    ``t + Δ_a + 1``; on its ``grounded_days`` it cannot. The paper's fleet over 15 days gives 4,037.
    """
    return sum(kind.count * _cap_of_one(kind, calendar) for kind in fleet.types)


def _cap_of_one(kind: AircraftType, calendar: Calendar) -> int:
    grounded, per_day = set(kind.grounded_days), calendar.steps_per_day
    interval = kind.turnaround_steps(per_day) + 1
    step = drops = 0
    while step < calendar.n_steps:
        day = calendar.day_of_step(step)
        if day in grounded:
            step = (day + 1) * per_day
        else:
            drops += 1
            step += interval
    return drops
