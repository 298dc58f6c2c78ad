"""The units that rasters of a layer come in, and how each is brought to the layer's own.

LANDFIRE stores whole numbers: canopy height in m × 10, canopy bulk density in kg/m³ × 100. Landscape files may also
hold feet, percent of slope, pounds per cubic foot × 1000, and canopy cover in the four classes of FARSITE (1–20, 21–50,
51–80 and 81–100 %; Finney 1998, USDA RMRS-RP-4), read as the middle of the class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

FOOT_M = 0.3048
_POUND_PER_FT3 = 0.45359237 / FOOT_M**3


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a number is stored.

    The layer's unit is ``factor`` times what the file holds, which is in ``unit`` and from ``low`` to ``high``;
    ``convert`` takes its place where the relation is no factor.
    """

    factor: float
    unit: str
    low: float = -np.inf
    high: float = np.inf
    convert: Callable[[Numbers], Numbers] | None = None

    def decode(self, values: Numbers) -> Numbers:
        """Stored numbers in the unit of the layer; NaN stays NaN."""
        return values * self.factor if self.convert is None else self.convert(values)


def _degrees(percent: Numbers) -> Numbers:
    return np.rad2deg(np.arctan(percent / 100.0))


def _class_middle(classes: Numbers) -> Numbers:
    # 0 no canopy, 1: 1–20 %, 2: 21–50 %, 3: 51–80 %, 4: 81–100 %
    return np.interp(classes, [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 10.0, 35.0, 65.0, 90.0])


def _from_north(from_east: Numbers) -> Numbers:
    """GRASS counts from east, counter-clockwise, 0 (or less) for flat, 360 for east."""
    return np.where(from_east <= 0.0, np.where(np.isnan(from_east), np.nan, -1.0), (90.0 - from_east) % 360.0)


METRES = Encoding(1.0, "m", -500.0, 9000.0)
FEET = Encoding(FOOT_M, "ft", -1640.0, 29_100.0)
DEGREES = Encoding(1.0, "°", 0.0, 90.0)
SLOPE_PERCENT = Encoding(1.0, "% slope", 0.0, 1000.0, _degrees)
FACING = Encoding(1.0, "°", -1.0, 360.0)
FACING_GRASS = Encoding(1.0, "° from east", 0.0, 360.0, _from_north)
PERCENT = Encoding(1.0, "%", 0.0, 100.0)
FRACTION = Encoding(100.0, "as a fraction", 0.0, 1.0)
CLASSES = Encoding(1.0, "classes", 0.0, 4.0, _class_middle)
HEIGHT_M = Encoding(1.0, "m", 0.0, 120.0)
TENTHS_M = Encoding(0.1, "m × 10", 0.0, 1200.0)
HEIGHT_FT = Encoding(FOOT_M, "ft", 0.0, 400.0)
TENTHS_FT = Encoding(0.1 * FOOT_M, "ft × 10", 0.0, 4000.0)
KGM3 = Encoding(1.0, "kg/m³", 0.0, 1.0)
HUNDREDTHS_KGM3 = Encoding(0.01, "kg/m³ × 100", 0.0, 100.0)
THOUSANDTHS_LBFT3 = Encoding(_POUND_PER_FT3 / 1000.0, "lb/ft³ × 1000", 0.0, 65.0)
LBFT3 = Encoding(_POUND_PER_FT3, "lb/ft³", 0.0, 0.065)
ANY_FUEL = Encoding(1.0, "codes", 0.0, 9999.0)

UNITS: Mapping[str, Mapping[str, Encoding]] = MappingProxyType(
    {
        "elevation": {"m": METRES, "ft": FEET},
        "slope": {"degrees": DEGREES, "percent": SLOPE_PERCENT},
        "aspect": {"degrees": FACING, "degrees from east": FACING_GRASS},
        "fuel": {"FBFM40": ANY_FUEL, "FBFM13": ANY_FUEL},
        "canopy_cover": {"percent": PERCENT, "fraction": FRACTION, "classes": CLASSES},
        "canopy_height": {"m": HEIGHT_M, "m×10": TENTHS_M, "ft": HEIGHT_FT, "ft×10": TENTHS_FT},
        "canopy_density": {
            "kg/m3": KGM3, "kg/m3×100": HUNDREDTHS_KGM3, "lb/ft3": LBFT3, "lb/ft3×1000": THOUSANDTHS_LBFT3,
        },
    }
)  # fmt: skip
"""Layer → the name of a unit, as a command takes it → its encoding."""

_SYNONYMS = {
    "%": "percent", "deg": "degrees", "degree": "degrees", "°": "degrees", "feet": "ft", "foot": "ft", "metres": "m",
    "meters": "m", "metre": "m", "meter": "m", "degreesfromeast": "degrees from east",
}  # fmt: skip


def find_unit(key: str, text: str) -> str | None:
    """The name in :data:`UNITS` of a layer's unit that people write in several ways; ``None`` where there is none."""
    plain = re.sub(r"[x*](?=10)", "×", re.sub(r"\s|\^", "", text.lower()).replace("³", "3"))
    plain = _SYNONYMS.get(plain, plain)
    return next((name for name in UNITS[key] if name.lower() == plain), None)


def guess_unit(key: str, known: Numbers) -> str:
    """The unit that the numbers ``known`` of a layer are most likely in, by the rules of :mod:`.layer_values`."""
    whole, highest = bool((known == np.round(known)).all()), float(known.max())
    if key == "elevation":
        return "ft" if highest > METRES.high else "m"
    if key == "slope":
        return "percent" if highest > DEGREES.high else "degrees"
    if key == "canopy_density":
        return "kg/m3×100" if whole or highest > 1.0 else "kg/m3"
    if key == "canopy_height":
        in_steps = highest > 50.0 and bool((known % 5.0 == 0.0).all())
        return "m×10" if in_steps or highest > 100.0 else "m"
    if key == "canopy_cover":
        if highest <= 1.0 and not whole:
            return "fraction"
        return "classes" if whole and 1.0 < highest <= CLASSES.high else "percent"
    return next(iter(UNITS[key]))
