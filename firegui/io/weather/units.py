"""What the numbers of a wind file mean, and the factors that bring them to m/s at 10 m."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Components(StrEnum):
    """The two numbers that a file holds at every place and time."""

    SPEED_DIRECTION = "speed/direction"
    U_V = "u/v"


class Height(StrEnum):
    """Above the ground or the vegetation."""

    M10 = "10 m"
    FT20 = "20 ft"


class Sense(StrEnum):
    """What a direction points at, in degrees clockwise from north: weather services say where the wind comes from."""

    FROM = "from"
    TOWARDS = "towards"


class North(StrEnum):
    """The north that directions, or u and v, are counted from: the pole, or the top of the file's own raster."""

    TRUE = "true"
    GRID = "grid"


class TimeBasis(StrEnum):
    """The time of stamps that do not say their offset: UTC, or local at the fire."""

    UTC = "utc"
    LOCAL = "local"


class SpeedUnit(StrEnum):
    """Units of wind speed."""

    MS = "m/s"
    MPH = "mph"
    KNOTS = "knots"
    KMH = "km/h"
    FT_MIN = "ft/min"


METRES_PER_SECOND: Mapping[SpeedUnit, float] = MappingProxyType(
    {
        SpeedUnit.MS: 1.0,
        SpeedUnit.MPH: 1609.344 / 3600.0,
        SpeedUnit.KNOTS: 1852.0 / 3600.0,
        SpeedUnit.KMH: 1.0 / 3.6,
        SpeedUnit.FT_MIN: 0.3048 / 60.0,
    }
)
"""Exact by definition: the international mile is 1,609.344 m, the nautical mile 1,852 m, the foot 0.3048 m."""

TO_10_M: Mapping[Height, float] = MappingProxyType({Height.M10: 1.0, Height.FT20: 1.15})
"""The open wind at 10 m over that at 20 ft (6.1 m): 1.15, from Turner and Lawson (1978, Weather in the Canadian Forest
Fire Danger Rating System, Information Report BC-X-177), the factor in common use. The logarithmic profile gives 1.09
over grass (roughness 0.03 m) and 1.18 over brush (0.4 m): it is a convention, and a note names it."""

HEIGHT_SOURCE = "Turner and Lawson 1978"


_SPELLINGS: Mapping[SpeedUnit, str] = MappingProxyType(
    {
        SpeedUnit.MS: r"m/s|m s-1|m s\*\*-1|m s\^-1|m\.s-1|ms-1|ms|mps|m/sec|m per s|meters?/s(ec(ond)?)?|"
        r"met(er|re)s? per second|met(er|re)s?/second|m s",
        SpeedUnit.MPH: r"mph|mi/h|mi/hr|miles?/h(ou)?r?|miles? per hour|mi h-1|statute miles per hour",
        SpeedUnit.KNOTS: r"kn|kt|kts|knots?|nmi/h",
        SpeedUnit.KMH: r"km/h|km/hr|kmh|kph|kmph|km h-1|kilomet(er|re)s? per hour|km h",
        SpeedUnit.FT_MIN: r"ft/min|ft min-1|fpm|ftmin|f(ee|oo)t per minute|f(ee|oo)t/min(ute)?|ft min",
    }
)


def speed_unit(text: str) -> SpeedUnit | None:
    """The unit that a file writes as ``text`` (``m s**-1``, ``kt``, ``miles/hour``); ``None`` for any other."""
    plain = " ".join(text.strip().strip("[]()").replace("−", "-").replace("_", " ").lower().split())
    return next((unit for unit, spelling in _SPELLINGS.items() if re.fullmatch(spelling, plain)), None)


@dataclass(frozen=True, slots=True)
class WindConventions:
    """How the numbers of a wind file are meant; ``None`` where nobody has said."""

    components: Components | None = None
    speed_unit: SpeedUnit | None = None
    height: Height | None = None
    sense: Sense | None = None
    north: North | None = None
    clock: TimeBasis | None = None
