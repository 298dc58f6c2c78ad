"""Settings of the physical fire model: moisture, burn duration, steps, crown fire and factors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from firegui.domain.calendar import STEPS_PER_DAY
from firegui.domain.fuel_models import FuelMoisture
from firegui.domain.options import bounds_problems, option
from firegui.domain.spread_factors import FACTORS, SpreadFactors
from firegui.errors import Problem, Problems

PERIODS = "periods_per_day"
"""Name of the setting of the periods of a day."""
CROWN_FIRE = "Crown fire"
"""Group of the settings of crown fire in a form."""
CROWN_SETTINGS = ("crown_fire", "foliar_moisture")
"""Names of these settings, which change nothing where crowns do not burn."""
MOVING_START = "moving_start"
"""Name of the setting of a front in motion at the start."""
STEADY_FRONT = "steady_front"
"""Name of the setting of the front that the gains are fitted to."""
LEAST_BURN_STEPS = 10
"""Shortest burn duration in steps: below, the front is not that of the ellipse."""
_TITLE = "The physical fire model cannot be used"
_MOST_BURN_HOURS = 48.0
_LONGER_FROM_M = 60.0
"""Cell size above which a new project's cells burn longer than usual."""


@dataclass(frozen=True, slots=True)
class PhysicalSettings:
    """Everything that a user chooses of the physical fire model; the rest follows from the event."""

    moisture: FuelMoisture = field(default_factory=FuelMoisture)
    burn_hours: float = option(
        4.8, "Burn duration", "how long a cell burns and can ignite others", unit="h", low=0.5,
        high=_MOST_BURN_HOURS,
    )  # fmt: skip
    cells_per_step: float = option(
        0.6, "Cells per step", "how far the fastest fire moves in a step; smaller is finer and slower", low=0.1,
        high=0.6,
    )  # fmt: skip
    speed_percentile: float = option(
        100.0, "Speed limit", "percentile of the speeds of all cells and days above which fires are slowed down; 100 "
        "slows nothing down, less saves steps", unit="%", low=50.0, high=100.0,
    )  # fmt: skip
    periods_per_day: int = option(
        4, "Periods a day", "most periods of a day that have a wind and a moisture of their own, where the weather is "
        "known by the hour; more follow the weather more closely and take more time", low=1, high=24,
    )  # fmt: skip
    air_moisture: bool = option(
        True, "Moisture from the weather", "dead 1-h and 10-h moisture from the temperature and humidity of each "
        "period, where they are known; else the moistures above",
    )  # fmt: skip
    moving_start: bool = option(
        True, "Front in motion at the start", "the fire spreads at full speed from the start; without it the front "
        "first builds up over 4 to 5 cells, and a fire is too small after a short run", synonyms="late start build up",
        label="Front in motion",
    )  # fmt: skip
    steady_front: bool = option(
        True, "Fit to fronts in motion", "a front in motion has the speed and shape of the ellipse; without it, as in "
        "older projects, the gains are fitted to a fire that has just started, and its back is too fast later",
        synonyms="ellipse shape back gains",
    )  # fmt: skip
    crown_fire: bool = option(
        False, "Crown fire", "crowns burn and make the fire faster where canopy base height and bulk density are "
        "known (Scott and Reinhardt 2001); spotting is not modelled", synonyms="canopy torching tree spotting",
        group=CROWN_FIRE, label="Crowns burn",
    )  # fmt: skip
    foliar_moisture: float = option(
        100.0, "Foliar moisture", "water in the needles and leaves of the crowns, of the dry mass; for crown fire",
        unit="%", low=30.0, high=300.0, group=CROWN_FIRE,
    )  # fmt: skip
    factors: SpreadFactors = field(default_factory=SpreadFactors)

    @staticmethod
    def first(cell_size_m: float) -> PhysicalSettings:
        """Return the settings that a project with cells of this size begins with.

        The burn duration is ``4.8 h max(1, Δx / 60 m)``, at most the longest. A larger cell takes longer to burn
        through, and with a short burn duration more of the cells behind the front would stay unburned.
        """
        usual = PhysicalSettings()
        hours = usual.burn_hours * max(1.0, cell_size_m / _LONGER_FROM_M)
        return replace(usual, burn_hours=min(round(hours, 1), _MOST_BURN_HOURS))

    def problems(self) -> list[Problem]:
        """Return every setting out of its range."""
        return [*self.moisture.problems(), *bounds_problems(self, "fire model"), *self.factors.problems()]

    @staticmethod
    def of(values: Mapping[str, float]) -> PhysicalSettings:
        """Read a project's fire model; :class:`~firegui.errors.InputError` lists everything that is wrong."""
        problems, usual = Problems(), PhysicalSettings()
        known = usual.as_mapping()
        for name in known:
            if name not in values:
                problems.add("fire model", f"the parameter {name} is missing", "choose the model again")
        for name in values:
            if name not in known:
                problems.add("fire model", f"the parameter {name} is not known", f"use {', '.join(known)}")
            elif not math.isfinite(values[name]):
                problems.add("fire model", f"the parameter {name} is {values[name]:g}", "use a number")
        problems.raise_if_any(_TITLE)
        moisture = FuelMoisture(**{item.name: float(values[item.name]) for item in fields(FuelMoisture)})
        factors = SpreadFactors(**{name: float(values[name]) for name in FACTORS})
        nested = {*FACTORS, *(item.name for item in fields(FuelMoisture))}
        own: dict[str, Any] = {name: type(getattr(usual, name))(values[name]) for name in known if name not in nested}
        settings = PhysicalSettings(moisture, factors=factors, **own)
        problems.extend(settings.problems())
        for name, value in own.items():
            if value != values[name]:
                remedy = "use 0 or 1" if isinstance(value, bool) else "use a whole number"
                problems.add("fire model", f"the parameter {name} is {values[name]:g}", remedy)
        problems.raise_if_any(_TITLE)
        return settings

    def as_mapping(self) -> dict[str, float]:
        """Return every value as a number, as :class:`~firegui.domain.project.FireModel` holds them."""
        values = asdict(self)
        moisture: dict[str, float] = values.pop("moisture")
        factors: dict[str, float] = values.pop("factors")
        return {name: float(value) for name, value in (moisture | values | factors).items()}

    def steps_per_day(self, fastest: float, cell_size_m: float, periods: int = 1) -> int:
        """Return the fewest steps a day in which a fire of ``fastest`` m/min moves at most ``cells_per_step``.

        They are no fewer than the paper's, a cell burns for at least :data:`LEAST_BURN_STEPS` of them, and ``periods``
        of a day have equally many.
        """
        by_speed = math.ceil(1440.0 * fastest / (self.cells_per_step * cell_size_m) - 1e-6)
        least = max(STEPS_PER_DAY, math.ceil(24.0 * LEAST_BURN_STEPS / self.burn_hours - 1e-9), by_speed)
        return -(-least // periods) * periods

    def burn_steps(self, steps_per_day: int) -> float:
        """Return the burn duration in steps."""
        return steps_per_day * self.burn_hours / 24.0
