"""Classes in which maps show the behaviour of a fire.

Those of spread and flame length are those of Scott and Burgan (2005, USDA RMRS-GTR-153, page 12): 2, 5, 20, 50 and
150 ch/h, and 1, 4, 8, 12 and 25 ft. Those of intensity are the limits of suppression of Andrews and Rothermel (1982,
USDA INT-131): 100, 500 and 1,000 Btu/(ft·s).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from firegui.domain.units import BTU_FT_S_KW_M, CHAIN_M, FOOT_M, Units


@dataclass(frozen=True, slots=True)
class BehaviourClasses:
    """Quantity in classes, with its name in files. ``limits`` are the lowest first, in m/min, m or kW/m.

    ``amount`` returns how a value is brought to the unit that is shown, and its name.
    """

    name: str
    title: str
    limits: tuple[float, ...]
    amount: Callable[[Units], tuple[Callable[[float], float], str]]

    def texts(self, units: Units) -> list[str]:
        """Return the classes, the lowest first."""
        return class_texts([self.amount(units)[0](limit) for limit in self.limits])

    def heading(self, units: Units) -> str:
        """Return the quantity with its unit."""
        return f"{self.title}, {self.amount(units)[1]}"


SPREAD_RATE = BehaviourClasses(
    "rate_of_spread",
    "Rate of spread",
    tuple(limit * CHAIN_M / 60.0 for limit in (2.0, 5.0, 20.0, 50.0, 150.0)),
    lambda units: (units.spread_rate_value, units.spread_rate_unit),
)
FLAME_LENGTH = BehaviourClasses(
    "flame_length",
    "Flame length",
    tuple(limit * FOOT_M for limit in (1.0, 4.0, 8.0, 12.0, 25.0)),
    lambda units: (units.length_value, units.length_unit),
)
INTENSITY = BehaviourClasses(
    "fireline_intensity",
    "Fireline intensity",
    tuple(limit * BTU_FT_S_KW_M for limit in (100.0, 500.0, 1000.0)),
    lambda units: (units.intensity_value, units.intensity_unit),
)


def class_texts(limits: list[float]) -> list[str]:
    """Return the texts of the classes between ``limits``, and below and above them, with two digits."""
    texts = [f"{float(f'{limit:.2g}'):,g}" for limit in limits]
    return [f"< {texts[0]}", *(f"{low} – {high}" for low, high in pairwise(texts)), f"> {texts[-1]}"]
