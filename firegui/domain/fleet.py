"""Fleet: aircraft types, material and limits.

Sources are the paper's Tables ``aircraft_params`` and ``footprint_calibration``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import MOST_DAYS, Calendar, turnaround_steps
from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import NOT_STORED, bounds_problems, option, setting_problem
from firegui.domain.units import GALLON_L, KNOT_MS, Units
from firegui.errors import Problem

MOST_AIRCRAFT = 1000
MOST_TURNAROUND_H = 72.0
"""Hours between two drops. An aircraft that is away for longer is grounded for days."""


LEAST_TURNAROUND_MIN = 5.0
"""Turnarounds below this are warned of: the scooper of the paper's fleet, the fastest there, needs 11 minutes."""
MOST_OF_A_TYPE = 50
"""Types with more aircraft are warned of. The paper's whole fleet has 21."""
PRICES = ("hour_price", "drop_price", "gallon_price")
"""Fields of an aircraft type that are prices."""
MOST_PRICE = 1e9
"""Highest price, in the currency of the fleet."""
MOST_CURRENCY_LETTERS = 12
CURRENCY = "USD"
USUAL_PAYLOADS_GAL = (100.0 / GALLON_L, 75_000.0 / GALLON_L)
"""Payloads outside are warned of: a small helicopter's bucket holds 100 L, the largest tanker about 73,000 L."""

OUTLINE_SIGMAS = 2.0
"""Drops are drawn as the contour at two standard deviations: semi-axes 2σ∥ and 2σ⊥, so 4σ long and wide."""


OF_BASES = ("cruise_ms", "target_min")
"""Fields of an aircraft type that count where a base serves it."""
_MPH_MS = 0.44704


@dataclass(frozen=True, slots=True)
class WindClass:
    """Class of aircraft with a published wind limit in m/s, and where that is from."""

    title: str
    wind_ms: float
    source: str


WIND_CLASSES = (
    WindClass("Single-engine airtanker", 30.0 * KNOT_MS, "Interagency SEAT Operations Guide, chapter 5: 30 kn"),
    WindClass("Type 3 helicopter", 30.0 * KNOT_MS, "Interagency Helicopter Operations Guide, chapter 6: 30 kn"),
    WindClass("Type 1 or 2 helicopter", 40.0 * KNOT_MS, "Interagency Helicopter Operations Guide, chapter 6: 40 kn"),
    WindClass("Large airtanker", 30.0 * _MPH_MS, "The Press-Enterprise, May 2014: roughly 30 to 35 mph"),
)
"""Published limits that are offered. None is in force unless it is chosen."""
LIMITS = ("most_flight_h", "most_duty_h", "most_wind_ms", "most_gust_ms")
"""Fields of an aircraft type that limit when it drops, all off unless set."""


class Material(StrEnum):
    """Material of a drop.

    Water changes the state once; retardant treats the fuel for good.
    """

    WATER = "water"
    RETARDANT = "retardant"


@dataclass(frozen=True, slots=True)
class Cycle:
    """What a drop takes: ``wait_h`` until the next, ``flight_h`` of it in the air, from ``base``.

    ``leg_h`` is the flight from the base to the fire, or back.
    """

    wait_h: float
    flight_h: float
    leg_h: float
    base: str


@dataclass(frozen=True, slots=True)
class AircraftType:
    """One row of the fleet: ``count`` identical aircraft.

    ``payload_gal`` is P_a, ``drop_height_m`` H_a, ``sigma_parallel_m`` and ``sigma_perpendicular_m`` are the footprint
    scales. ``grounded_days`` are zero-based days of the plan. ``cycles`` are what a drop takes at every step of it,
    where a base serves the type; without them its turnaround is ``turnaround_h``. Bounds are wide enough for anything
    that flies, and narrow enough to find a slip of the keyboard before it needs a footprint of a million cells.
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
    hour_price: float | None = option(
        None, "Price of a flight hour", "a drop takes its turnaround in flight hours; empty where it is not known",
        label="Price per flight hour", low=0.0, high=MOST_PRICE, synonyms="cost money currency dollars hourly rate",
    )  # fmt: skip
    drop_price: float | None = option(
        None, "Price of a drop", "of each drop, besides its flight hours and its material; empty where there is none",
        label="Price per drop", low=0.0, high=MOST_PRICE, synonyms="cost money currency dollars load",
    )  # fmt: skip
    gallon_price: float | None = option(
        None, "Price of a gallon", "of retardant or water, as delivered into the aircraft; empty where there is none",
        label="Price per gallon", low=0.0, high=MOST_PRICE, synonyms="cost money currency dollars retardant material",
    )  # fmt: skip
    price_source: str = option("", "Prices from", "where the prices come from, with the year")
    cruise_ms: float | None = option(
        None, "Cruise speed", "ground speed between base and fire; needed where a base serves the type",
        unit="m/s", low=1.0, high=500.0, synonyms="base speed transit ferry cycle",
    )  # fmt: skip
    target_min: float | None = option(
        None, "Time in the target area", "minutes from arrival at the fire until the drop is made and the aircraft "
        "leaves; empty for none", unit="min", low=0.0, high=600.0, synonyms="cycle orbit lead plane",
    )  # fmt: skip
    most_flight_h: float | None = option(
        None, "Flight hours a day", "most hours in the air of one aircraft on one day of the plan; empty for no limit",
        unit="h", low=0.0, high=24.0, synonyms="limit crew rest pilot",
    )  # fmt: skip
    most_duty_h: float | None = option(
        None, "Duty hours a day", "most hours from the first take-off to the last landing of one aircraft on one day "
        "of the plan; empty for no limit", unit="h", low=0.0, high=24.0, synonyms="limit crew rest pilot",
    )  # fmt: skip
    most_wind_ms: float | None = option(
        None, "Wind limit", "no drop where the wind at the drop is stronger; empty for no limit",
        unit="m/s", low=0.0, high=100.0, synonyms="weather speed",
    )  # fmt: skip
    most_gust_ms: float | None = option(
        None, "Gust limit", "no drop where gusts at the drop are stronger; empty for no limit",
        unit="m/s", low=0.0, high=100.0, synonyms="weather wind speed",
    )  # fmt: skip
    grounded_days: tuple[int, ...] = ()
    cycles: tuple[Cycle, ...] = field(default=(), metadata=NOT_STORED)

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

    @property
    def drop_cost(self) -> float | None:
        """Cost of one drop in the currency of the fleet; ``None`` for a type without any price.

        ``flight hours × hour_price + drop_price + payload_gal × gallon_price``. The flight hours are ``turnaround_h``,
        or the mean over the plan where a base serves the type. A price that is empty counts as 0 beside others.
        """
        hours = self.turnaround_h
        if self.cycles:
            hours = sum(cycle.flight_h for cycle in self.cycles) / len(self.cycles)
        return self._cost_of(hours)

    def flight_h_at(self, step: int) -> float:
        """Return the flight hours of a drop at ``step`` of the plan."""
        cycle = self.cycle_at(step)
        return self.turnaround_h if cycle is None else cycle.flight_h

    def cost_at(self, step: int) -> float | None:
        """Return the cost of a drop at ``step`` of the plan, as :attr:`drop_cost` has it."""
        return self._cost_of(self.flight_h_at(step))

    def _cost_of(self, hours: float) -> float | None:
        parts = (hours, self.hour_price), (1.0, self.drop_price), (self.payload_gal, self.gallon_price)
        priced = [amount * price for amount, price in parts if price is not None]
        return sum(priced) if priced else None

    @property
    def without_prices(self) -> AircraftType:
        """The same type without any price."""
        return replace(self, hour_price=None, drop_price=None, gallon_price=None, price_source="")

    def turnaround_steps(self, steps_per_day: int) -> int:
        """Return ``Δ_a`` in steps, of the fixed turnaround."""
        return turnaround_steps(self.turnaround_h, steps_per_day)

    def wait_steps(self, step: int, steps_per_day: int) -> int:
        """Return for how many steps a drop at ``step`` of the plan keeps its aircraft from the next."""
        return turnaround_steps(self.wait_h_at(step), steps_per_day)

    def wait_h_at(self, step: int) -> float:
        """Return the hours from a drop at ``step`` of the plan until its aircraft can drop again."""
        cycle = self.cycle_at(step)
        return self.turnaround_h if cycle is None else cycle.wait_h

    def cycle_at(self, step: int) -> Cycle | None:
        """Return the cycle of a drop at ``step``; ``None`` for a fixed turnaround."""
        return self.cycles[min(max(step, 0), len(self.cycles) - 1)] if self.cycles else None

    def wind_limit_ms(self, gust_factor: float) -> float:
        """Return the wind above which no drop is made; gusts are it times ``gust_factor``."""
        limits = [] if self.most_wind_ms is None else [self.most_wind_ms]
        limits += [] if self.most_gust_ms is None else [self.most_gust_ms / gust_factor]
        return min(limits, default=math.inf)

    @property
    def has_limits(self) -> bool:
        """Whether hours of a day or the wind limit when the type drops."""
        return any(getattr(self, name) is not None for name in LIMITS)

    @property
    def unplanned(self) -> AircraftType:
        """The same type without what a plan adds: days on the ground and cycles."""
        return replace(self, grounded_days=(), cycles=())

    def with_grounded_days(self, days: tuple[int, ...]) -> AircraftType:
        """Return the same type grounded on other days."""
        return replace(self, grounded_days=tuple(sorted(set(days))))

    def problems(self) -> list[Problem]:
        """Return everything wrong with this row, by field."""
        where = f"aircraft {shown_name(self.id) or '(no id)'}"
        found: list[Problem] = []
        if not self.id.strip():
            found.append(Problem(where, "the id is empty", "give each type a short id such as S-2T"))
        for text, what in (
            (self.id, "the id"),
            (self.type, "the type"),
            (self.price_source, "the source of the prices"),
        ):
            found += character_problems(where, text, what)
        found += bounds_problems(self, where)
        if math.isfinite(self.count) and self.count != int(self.count):
            found.append(setting_problem(self, "count", where, f"is {self.count}", "use a whole number"))
        if any(not 0 <= day < MOST_DAYS for day in self.grounded_days):
            said, remedy = "have a day that no plan has", f"days are counted from 0, up to {MOST_DAYS - 1}"
            found.append(setting_problem(self, "grounded_days", where, f"{list(self.grounded_days)} {said}", remedy))
        return found


@dataclass(frozen=True, slots=True)
class Tail:
    """One aircraft: a column ``a`` of every ``[T, A]`` array."""

    name: str
    index: int
    type: AircraftType


@dataclass(frozen=True, slots=True)
class FleetUse:
    """What drops take: US gallons, flight hours and cost in the currency of the fleet.

    ``cost`` is ``None`` where a type drops that has no price.
    """

    gallons: float
    flight_hours: float
    cost: float | None


@dataclass(frozen=True, slots=True)
class Fleet:
    """Aircraft types in the order of the fleet file, which is the order of the columns.

    ``currency`` is what amounts of money are labelled with. No amount is converted.
    """

    types: tuple[AircraftType, ...]
    currency: str = option(
        CURRENCY, "Currency", "label of all prices and costs; no amount is converted", synonyms="money dollars cost"
    )

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

    @property
    def has_prices(self) -> bool:
        """Whether any type has a price."""
        return any(kind.drop_cost is not None for kind in self.types)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Ids of the types with aircraft that have no price."""
        return tuple(kind.id for kind in self.types if kind.count and kind.drop_cost is None)

    @property
    def without_cycles(self) -> Fleet:
        """The same fleet with fixed turnarounds."""
        return replace(self, types=tuple(replace(kind, cycles=()) for kind in self.types))

    @property
    def has_limits(self) -> bool:
        """Whether hours of a day or the wind limit when a type drops."""
        return any(kind.has_limits for kind in self.types)

    @property
    def without_limits(self) -> Fleet:
        """The same fleet without limits of hours and wind."""
        free = (
            replace(kind, most_flight_h=None, most_duty_h=None, most_wind_ms=None, most_gust_ms=None)
            for kind in self.types
        )
        return replace(self, types=tuple(free))

    @property
    def has_cycles(self) -> bool:
        """Whether the turnaround of a type changes along the plan."""
        return any(kind.cycles for kind in self.types)

    def used(self, drops: Sequence[int], flown: NDArray[np.bool_] | None = None, first_step: int = 0) -> FleetUse:
        """Return what ``drops [A]`` take, counted by column.

        A drop takes its turnaround in flight hours, or the flights of its cycle where a base serves the type. ``flown
        [T, A]`` are the drops by step, the first at ``first_step`` of the plan; without them cycles count at their
        mean.
        """
        first, gallons, hours, cost = 0, 0.0, 0.0, 0.0
        is_known = True
        for kind in self.types:
            columns = slice(first, first + kind.count)
            count = sum(drops[columns])
            first += kind.count
            gallons += count * kind.payload_gal
            is_known = is_known and not (count and kind.drop_cost is None)
            if not kind.cycles:
                hours += count * kind.turnaround_h
                cost += count * (kind.drop_cost or 0.0)
            elif flown is None:
                hours += count * sum(cycle.flight_h for cycle in kind.cycles) / len(kind.cycles)
                cost += count * (kind.drop_cost or 0.0)
            else:
                steps = (np.nonzero(flown[:, columns])[0] + first_step).tolist()
                hours += sum(kind.flight_h_at(step) for step in steps)
                cost += sum(kind.cost_at(step) or 0.0 for step in steps)
        return FleetUse(gallons, hours, cost if is_known else None)

    def unusual(self, units: Units) -> tuple[str, ...]:
        """Return a sentence for every number that no aircraft is known to have, in ``units``."""
        return tuple(text for kind in self.types for text in kind.unusual(units))

    def replace_type(self, index: int, kind: AircraftType) -> Fleet:
        """Return the fleet with row ``index`` replaced."""
        return replace(self, types=(*self.types[:index], kind, *self.types[index + 1 :]))

    def problems(self) -> list[Problem]:
        """Return everything wrong with the fleet."""
        found = [problem for kind in self.types for problem in kind.problems()]
        found += currency_problems(self.currency)
        counts = Counter(kind.id for kind in self.types)
        found += repeated_names("fleet", (kind.id for kind in self.types), "the id")
        names = Counter(tail.name for tail in self.tails)
        clashes = sorted(name for name, n in names.items() if n > 1 and counts[name.rsplit("-", 1)[0]] == 1)
        found += [Problem("fleet", f"two aircraft would be called {name}", "choose other ids") for name in clashes]
        if not self.types:
            found.append(Problem("fleet", "no aircraft type is listed", "add at least one"))
        elif self.n_aircraft == 0:
            found.append(Problem("fleet", "Aircraft is 0 for every type", "use 1 or more for one of them"))
        return found


def currency_problems(currency: str) -> list[Problem]:
    """Return what is wrong with the label of a currency."""
    if found := character_problems("fleet", currency, "the currency"):
        return found
    if currency.strip() and len(currency) <= MOST_CURRENCY_LETTERS:
        return []
    what = f"the currency has {len(currency)} letters" if currency.strip() else "the currency is empty"
    return [Problem("fleet", what, f"use a short label such as {CURRENCY}, at most {MOST_CURRENCY_LETTERS} letters")]


def cost_text(amount: float, currency: str) -> str:
    """Return an amount of money with its currency, to the unit: ``1,204,310 USD``."""
    return f"{amount:,.0f} {currency}"


def availability_cap(fleet: Fleet, calendar: Calendar) -> int:
    """Return the most drops that the fleet can make in the window (paper, step 1).

    Every logit is positive, so that only the gates decide. After a drop at ``t`` an aircraft can drop again at
    ``t + Δ_a + 1``; on its ``grounded_days`` it cannot. The paper's fleet over 15 days gives 4,037.
    """
    return sum(kind.count * _cap_of_one(kind, calendar) for kind in fleet.types)


def _cap_of_one(kind: AircraftType, calendar: Calendar) -> int:
    grounded, per_day = set(kind.grounded_days), calendar.steps_per_day
    step = drops = 0
    while step < calendar.n_steps:
        day = calendar.day_of_step(step)
        if day in grounded:
            step = (day + 1) * per_day
        else:
            drops += 1
            step += kind.wait_steps(step, per_day) + 1
    return drops
