"""Fire behavior fuel models, moisture and weather: what the speed of a surface fire depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem

KINDS = ("dead 1-h", "dead 10-h", "dead 100-h", "live herbaceous", "live woody")
"""Kinds of fuel in the order of loads, ratios and moistures."""
LEAST_MOISTURE, MOST_MOISTURE = 1.0, 300.0
"""Range of fuel moistures in percent of the dry mass."""
NONBURNABLE_CODES = (91, 99)
"""First and last code of what does not burn."""
STEEPEST = 80.0
"""Steepest slope in degrees. Steeper ground is taken as this."""
_MOST_WIND = 60.0


@dataclass(frozen=True, slots=True)
class FuelModel:
    """One fire behavior fuel model.

    The units are those of its publication (Scott and Burgan 2005, USDA RMRS-GTR-153, Table 7). ``loads`` are oven-dry
    loads in US tons per acre and ``savs`` surface-area-to-volume ratios in 1/ft, in the order of :data:`KINDS`.
    ``depth_ft`` is the depth of the fuel bed. ``extinction`` is the moisture of dead fuel at which it no longer burns,
    as a share. ``heats`` are the heat contents of dead and live fuel in Btu/lb. ``dynamic`` says that herbaceous fuel
    cures, that is becomes dead fuel as its moisture falls.
    """

    code: int
    name: str
    title: str
    loads: tuple[float, float, float, float, float]
    savs: tuple[float, float, float, float, float]
    depth_ft: float
    extinction: float
    heats: tuple[float, float]
    dynamic: bool

    @property
    def label(self) -> str:
        """Display name of a custom model: ``CH1 (custom 14)``."""
        return f"custom {self.code}" if self.name in ("", str(self.code)) else f"{self.name} (custom {self.code})"

    def problems(self) -> list[Problem]:
        """Return every value out of its range."""
        ranges = [
            ("its number", self.code, 1, 256),
            *((f"its load of {kind} fuel in tons/acre", load, 0.0, 100.0) for kind, load in self._by_kind(self.loads)),
            *((f"its ratio of {kind} fuel in 1/ft", ratio, 10.0, 10_000.0) for kind, ratio in self._by_kind(self.savs)),
            ("its depth in ft", self.depth_ft, 0.01, 100.0),
            ("its moisture of extinction in percent", 100.0 * self.extinction, LEAST_MOISTURE, MOST_MOISTURE),
            *(("its heat content in Btu/lb", heat, 1_000.0, 20_000.0) for heat in dict.fromkeys(self.heats)),
        ]
        where = f"fuel model {self.name}"
        found = [
            Problem(where, f"{what} is {value:g}", f"use a value from {low:g} to {high:g}")
            for what, value, low, high in ranges
            if not low <= value <= high
        ]
        low, high = NONBURNABLE_CODES
        if low <= self.code <= high:
            found.append(Problem(where, f"its number is {self.code}", f"{low} to {high} do not burn: use another"))
        if sum(self.loads[:3]) == 0.0 and not (self.dynamic and self.loads[3] > 0.0):
            found.append(Problem(where, "it has no dead fuel", "give a load of dead fuel, or leave the model out"))
        return found

    @staticmethod
    def _by_kind(values: tuple[float, ...]) -> Iterator[tuple[str, float]]:
        return zip(KINDS, values, strict=True)


def _moisture(default: float, fuel: str, help: str) -> Any:
    return option(
        default, f"Moisture of {fuel}", f"water in {help}", unit="%", low=LEAST_MOISTURE, high=MOST_MOISTURE,
        label=fuel[:1].upper() + fuel[1:],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FuelMoisture:
    """Moisture of every kind of fuel, in percent of its dry mass.

    The defaults are the moisture scenario D2L2 of Scott and Burgan (2005), Tables 3 and 4: dead fuel low, live fuel two
    thirds cured.
    """

    dead_1h: float = _moisture(6.0, "dead 1-h fuel", "grass, needles and twigs up to 6 mm, of the dry mass")
    dead_10h: float = _moisture(7.0, "dead 10-h fuel", "dead branches of 6 to 25 mm, of the dry mass")
    dead_100h: float = _moisture(8.0, "dead 100-h fuel", "dead branches of 25 to 76 mm, of the dry mass")
    live_herb: float = _moisture(
        60.0, "live grass and herbs", "grass and herbs, of the dry mass; 30 % and less is cured"
    )
    live_woody: float = _moisture(90.0, "live shrubs", "leaves and twigs of shrubs, of the dry mass")

    def problems(self) -> list[Problem]:
        """Return every moisture out of its range."""
        return bounds_problems(self, "moisture")

    @property
    def values(self) -> tuple[float, float, float, float, float]:
        """Moistures in the order of :data:`KINDS`."""
        return self.dead_1h, self.dead_10h, self.dead_100h, self.live_herb, self.live_woody


@dataclass(frozen=True, slots=True)
class SurfaceConditions:
    """Wind, ground and canopy at one place.

    ``wind`` is that in the open at 10 m; ``flame_wind``, in m/s, is that at the height of the flames where it is known,
    in place of wind and canopy. Directions are in degrees clockwise from north.
    """

    wind: float = option(
        0.0, "Wind speed", "wind speed in the open, 10 m above the ground", unit="m/s", low=0.0, high=_MOST_WIND,
    )  # fmt: skip
    wind_from: float = option(
        0.0, "Wind direction", "where the wind comes from, clockwise from north", unit="°", low=0.0, high=360.0,
    )  # fmt: skip
    slope: float = option(
        0.0, "Slope", "steepness of the ground", unit="°", low=0.0, high=STEEPEST,
    )  # fmt: skip
    aspect: float = option(
        0.0, "Aspect", "where the slope faces, downhill, clockwise from north", unit="°", low=0.0, high=360.0,
    )  # fmt: skip
    canopy_cover: float = option(
        0.0, "Canopy cover", "ground that tree crowns cover, which shelters it from the wind", unit="%", low=0.0,
        high=100.0,
    )  # fmt: skip
    canopy_height: float = option(
        0.0, "Canopy height", "height of the trees", unit="m", low=0.0, high=120.0,
    )  # fmt: skip
    canopy_base_height: float = option(
        0.0, "Canopy base height", "height of the lowest branches, for crown fire", unit="m", low=0.0, high=120.0,
    )  # fmt: skip
    canopy_density: float = option(
        0.0, "Canopy bulk density", "needles and thin twigs in a volume of the crowns, for crown fire", unit="kg/m³",
        low=0.0, high=2.0,
    )  # fmt: skip
    flame_wind: float | None = None

    def problems(self) -> list[Problem]:
        """Return every value out of its range."""
        found = bounds_problems(self, "conditions")
        if self.flame_wind is not None and not 0.0 <= self.flame_wind <= _MOST_WIND:
            what = f"Wind at the flames is {self.flame_wind}"
            found.append(Problem("conditions", what, f"use a value from 0 to {_MOST_WIND:g}"))
        return found


def labels_text(models: Sequence[FuelModel], most: int) -> str:
    """Return the labels of the first ``most`` custom models, and how many more there are."""
    more = f" and {len(models) - most} more" if len(models) > most else ""
    return ", ".join(model.label for model in models[:most]) + more


def fuel_model_problems(models: Sequence[FuelModel]) -> list[Problem]:
    """Return everything wrong with the custom models of a project."""
    codes = Counter(model.code for model in models)
    twice = [Problem(f"fuel model {code}", "is given twice", "keep one") for code, count in codes.items() if count > 1]
    return [problem for model in models for problem in model.problems()] + twice


def model_named(models: Sequence[FuelModel], text: str) -> FuelModel | None:
    """Return the fuel model that a name (``GR2``) or a code (``102``) means; ``None`` where there is none."""
    wanted = text.strip().upper()
    return next((model for model in models if wanted in (model.name.upper(), str(model.code))), None)
