"""Factors of a calibrated physical fire model: of speeds and wind, and a shift of moisture.

Bounds. Speed: a third to three times. The mean errors of 49 evaluations of fire spread models are 20 to 310 %, half of
them between 51 and 75 % (Cruz and Alexander 2013, Environmental Modelling & Software 47, 16–28); a factor beyond three
points to wrong inputs. Factors by fuel model are the usual remedy (Rothermel and Rinehart 1983, USDA INT-142; the
adjustment file of FARSITE). Wind: a half to twice. A gust is about twice as fast as the mean of ten minutes (Crosby and
Chandler 1966, Fire Control Notes 27(4)). Moisture of dead fuel: 4 points less to 6 more. Field tables add 0 to 6 points
to that of fine fuel for shade, aspect, slope and hour (Rothermel 1983, USDA INT-143). Less 4 points, fuel as dry as in
the scenario "low" is drier than in "very low" (Scott and Burgan 2005).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_groups import FUEL_GROUPS, FuelGroup
from firegui.domain.fuel_models import LEAST_MOISTURE, MOST_MOISTURE, FuelMoisture
from firegui.domain.options import bounds_problems, declared_option, option, plain_number
from firegui.errors import Problem

CALIBRATION = "Calibration"
"""Group of the factors in a form."""
LEAST_SPEED, MOST_SPEED = 0.33, 3.0


def _speed(fuel: str, label: str) -> Any:
    return option(
        1.0, f"Speed in {fuel}", f"factor of the rate of spread in {fuel}; 1 is the published speed",
        low=LEAST_SPEED, high=MOST_SPEED, group=CALIBRATION, label=label, synonyms="calibrate adjustment",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SpreadFactors:
    """Factors of the rate of spread by fuel group, shift of dead fuel moisture, and factor of the wind.

    The first ones leave the published model as it is. Intensity follows the speed. Fuel models of no group, such as
    custom ones with codes of their own, have no factor.
    """

    grass_speed: float = _speed("grass", "Grass")
    grass_shrub_speed: float = _speed("grass and shrub", "Grass and shrub")
    shrub_speed: float = _speed("shrub", "Shrub")
    understory_speed: float = _speed("timber understory", "Timber understory")
    litter_speed: float = _speed("timber litter", "Timber litter")
    slash_speed: float = _speed("slash and blowdown", "Slash, blowdown")
    moisture_shift: float = option(
        0.0, "Shift of dead fuel moisture", "percentage points added to the moisture of dead fuel, whether given or "
        "from the weather", unit="%", low=-4.0, high=6.0, group=CALIBRATION, label="Dead moisture plus",
    )  # fmt: skip
    wind_factor: float = option(
        1.0, "Factor of the wind", "factor of the wind that drives the fire; 1 is the wind of the event", low=0.5,
        high=2.0, group=CALIBRATION, label="Wind times",
    )  # fmt: skip

    @property
    def are_set(self) -> bool:
        """Whether any of them changes the published model."""
        return self != SpreadFactors()

    def problems(self) -> list[Problem]:
        """Return every factor out of its range."""
        return bounds_problems(self, "fire model")

    def shifted(self, moisture: FuelMoisture) -> FuelMoisture:
        """Return the moisture with that of dead fuel shifted, within the range that a moisture can have."""
        if not self.moisture_shift:
            return moisture
        dead = (moisture.dead_1h, moisture.dead_10h, moisture.dead_100h)
        one, ten, hundred = (min(max(each + self.moisture_shift, LEAST_MOISTURE), MOST_MOISTURE) for each in dead)
        return replace(moisture, dead_1h=one, dead_10h=ten, dead_100h=hundred)

    def speeds(self, codes: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the factor of the speed for fuel models of these codes."""
        factors = np.ones(codes.shape)
        for name, group in SPEED_GROUPS.items():
            factors[group.holds(codes)] = getattr(self, name)
        return factors

    def changes(self) -> Iterator[str]:
        """Yield what differs from the published model in words, such as ``grass × 1.4`` and ``wind × 0.8``."""
        for item in fields(self):
            value = getattr(self, item.name)
            if value == item.default:
                continue
            label = declared_option(self, item.name).field_label
            if item.name == "moisture_shift":
                yield f"dead fuel moisture {value:+.3g} points"
            else:
                yield f"{label.removesuffix(' times').lower()} × {plain_number(round(value, 3))}"


SPEED_GROUPS: dict[str, FuelGroup] = dict(
    zip((item.name for item in fields(SpreadFactors) if item.name.endswith("_speed")), FUEL_GROUPS[3:], strict=True)
)
"""Fuel group of each factor of the speed."""
FACTORS = tuple(item.name for item in fields(SpreadFactors))
"""Names of the factors, which are left out of the hash of a project that has none."""
