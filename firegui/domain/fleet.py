"""Fleet: aircraft types, material and limits.

Sources are the paper's Tables ``aircraft_params`` and ``footprint_calibration``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from firegui.domain.calendar import MOST_DAYS, Calendar, turnaround_steps
from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.errors import Problem


class Material(StrEnum):
    """Material of a drop.

    Water changes the state once; retardant treats the fuel for good.
    """

    WATER = "water"
    RETARDANT = "retardant"


@dataclass(frozen=True, slots=True)
class AircraftType:
    """One row of the fleet: ``count`` identical aircraft.

    ``payload_gal`` is P_a in US gallons, ``turnaround_h`` hours between drops, ``speed_ms`` m/s, ``drop_duration_s``
    seconds, ``drop_height_m`` H_a in metres, ``sigma_parallel_m`` and ``sigma_perpendicular_m`` the footprint scales
    in metres. ``grounded_days`` are zero-based days of the plan.
    """

    id: str
    type: str
    count: int
    material: Material
    payload_gal: float
    turnaround_h: float
    speed_ms: float
    drop_duration_s: float
    drop_height_m: float
    sigma_parallel_m: float
    sigma_perpendicular_m: float
    provenance: str = ""
    grounded_days: tuple[int, ...] = ()

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
        if not 0 <= self.count <= MOST_AIRCRAFT:
            found.append(Problem(where, f"count is {self.count}", f"use 0 to {MOST_AIRCRAFT}"))
        elif self.count != int(self.count):
            found.append(Problem(where, f"count is {self.count}", "use a whole number"))
        for name, (least, most) in _LIMITS.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0 if least is None else value >= least) and value <= most):
                remedy = f"use a number above 0, up to {most:g}" if least is None else f"use {least:g} to {most:g}"
                found.append(Problem(where, f"{name} is {value}", remedy))
        if any(not 0 <= day < MOST_DAYS for day in self.grounded_days):
            what = f"grounded_days {list(self.grounded_days)} has a day that no plan has"
            found.append(Problem(where, what, f"days are counted from 0, up to {MOST_DAYS - 1}"))
        return found


MOST_AIRCRAFT = 1000

# (least, most) of each number, least None for "above 0": wide enough for anything that flies, and narrow enough that a
# slip of the keyboard is caught before it asks for a footprint of a million cells.
_LIMITS: Mapping[str, tuple[float | None, float]] = {
    "payload_gal": (None, 1e6),
    "sigma_parallel_m": (None, 5e3),
    "sigma_perpendicular_m": (None, 5e3),
    "turnaround_h": (0.0, 24.0 * MOST_DAYS),
    "drop_height_m": (0.0, 2e4),
    "speed_ms": (0.0, 1e3),
    "drop_duration_s": (0.0, 3600.0),
}


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
