"""What the numbers of a wind file mean, as the names and units in it say.

A name is cut into words and numbers. What says a unit (``mph``), a height (``10m``, ``20ft``), a clock (``utc``), a
sense (``from``) or a set of readings (``set_1``) is taken off; the rest must be one of the customary names of what is
looked for. Gusts, highs and lows are never taken for the wind.
"""

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
    """What a direction points at, in degrees clockwise from north.

    Weather services say where the wind comes from.
    """

    FROM = "from"
    TOWARDS = "towards"


class North(StrEnum):
    """The north that directions, or u and v, are counted from.

    The pole, or the top of the file's own raster.
    """

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

STRONGEST_MS = 100.0
"""m/s: what is stronger is no wind."""


_SPELLINGS: Mapping[SpeedUnit, str] = MappingProxyType(
    {
        SpeedUnit.MS: r"m/s|m s-1|m s\*\*-1|m s\^-1|m\.s-1|ms-1|ms|mps|m/sec|m per s|meters?/s(ec(ond)?)?|"
        r"met(er|re)s? per second|met(er|re)s?/second|m s",
        SpeedUnit.MPH: r"mph|mi/h|mi/hr|mi hr?|miles?/h(ou)?r?|miles? per hour|mi h-1|statute miles per hour",
        SpeedUnit.KNOTS: r"kn|kt|kts|knots?|nmi/h",
        SpeedUnit.KMH: r"km/h|km/hr|kmhr?|kph|kmph|km h-1|kilomet(er|re)s? per hour|km hr?",
        SpeedUnit.FT_MIN: r"ft/min|ft min-1|fpm|ftmin|f(ee|oo)t per minute|f(ee|oo)t/min(ute)?|ft min",
    }
)


def speed_unit(text: str) -> SpeedUnit | None:
    """Return the unit that a file writes as ``text`` (``m s**-1``, ``kt``, ``miles/hour``).

    ``None`` for any other.
    """
    plain = " ".join(text.strip().strip("[]()").replace("−", "-").replace("_", " ").lower().split())
    return next((unit for unit, spelling in _SPELLINGS.items() if re.fullmatch(spelling, plain)), None)


@dataclass(frozen=True, slots=True)
class WindConventions:
    """How the numbers of a wind file are meant; ``None`` where it is not given."""

    components: Components | None = None
    speed_unit: SpeedUnit | None = None
    height: Height | None = None
    sense: Sense | None = None
    north: North | None = None
    clock: TimeBasis | None = None


class Role(StrEnum):
    """What a column or variable of a wind file holds."""

    SPEED = "speed"
    DIRECTION = "direction"
    U = "u"
    V = "v"
    TIME = "time"
    DATE = "date"
    HOUR = "hour"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    MINUTE = "minute"
    LON = "longitude"
    LAT = "latitude"
    STATION = "station"


@dataclass(frozen=True, slots=True)
class ParsedName:
    """What a name says: its role, and what came with it."""

    role: Role
    unit: SpeedUnit | None = None
    height: Height | None = None
    sense: Sense | None = None
    north: North | None = None
    clock: TimeBasis | None = None


_NAMES: Mapping[Role, str] = MappingProxyType(
    {
        Role.SPEED: "speed|wind speed|windspeed|ws|wspd|wind spd|windspd|wnd spd|wndspd|spd|wsp|wind|si|ff|sknt|"
        "wind velocity|wind mag|sfcwind|wind magnitude|avg wind speed|mean wind speed",
        Role.DIRECTION: "direction|wind direction|winddirection|winddir|wind dir|wd|wdir|wnd dir|wnddir|drct|dir|dd|"
        "wind dirn|avg wind direction|mean wind direction|wind azimuth|windazimuth|azimuth",
        Role.U: "u|u wind|uwind|wind u|u component of wind|u component|eastward wind|ugrd|uas|ua|x wind|wind x",
        Role.V: "v|v wind|vwind|wind v|v component of wind|v component|northward wind|vgrd|vas|va|y wind|wind y",
        Role.TIME: "time|datetime|date time|timestamp|valid|valid time|dt|obs time|observation time|when|time stamp|"
        "valid date|day time",
        Role.DATE: "date|day date|obs date",
        Role.HOUR: "hour|hr|hh|hour of day|hourly",
        Role.YEAR: "year|yr|yyyy",
        Role.MONTH: "month|mon|mo",
        Role.DAY: "day|dy|day of month",
        Role.MINUTE: "minute|minutes",
        Role.LON: "lon|long|longitude|lng",
        Role.LAT: "lat|latitude",
        Role.STATION: "station|station id|stid|id|site|station name|name|stn",
    }
)
_ROLES = {name: role for role, names in _NAMES.items() for name in names.split("|") if name}
_GRID_NAMES = ("x wind", "y wind")
_LONGEST_NAME = 500
_BRACKETS = re.compile(r"[\[(]([^\])]*)[\])]")
_WORDS = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_CLOCKS = {
    "utc": TimeBasis.UTC,
    "gmt": TimeBasis.UTC,
    "z": TimeBasis.UTC,
    "zulu": TimeBasis.UTC,
    "local": TimeBasis.LOCAL,
    "lst": TimeBasis.LOCAL,
}
_SENSES = {"from": Sense.FROM, "to": Sense.TOWARDS, "toward": Sense.TOWARDS, "towards": Sense.TOWARDS}
_HEIGHTS = {("10", "m"): Height.M10, ("20", "ft"): Height.FT20, ("33", "ft"): Height.M10, ("6.1", "m"): Height.FT20}
_BARE_HEIGHTS = {"10": Height.M10, "20": Height.FT20}
_DEGREES = frozenset(("deg", "degs", "degree", "degrees"))
_NOISE = (
    *_DEGREES,
    "in",
    "avg",
    "average",
    "at",
    "above",
    "ground",
    "agl",
    "maboveground",
    "metre",
    "meter",
    "surface",
)


_JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GLUED = re.compile(r"(?<=speed)(?=(?:mph|kmh|kph|kts?|ms)\b)|(?<=wspd)(?=(?:mph|kmh|kph|kts?|ms)\b)")


def split_words(name: str) -> str:
    """Return a title with spaces between words that it writes as one: ``HourlyWindSpeed``.

    The word ``hourly`` before others, as NOAA's local climatological data write it, is left out.
    """
    words = _JOINTS.sub(" ", name).lower()
    return re.sub(r"^\W*hourly\W*(?=\w)", "", _GLUED.sub(" ", words))


def parse_name(name: str) -> ParsedName | None:
    """Return what ``name`` says that it holds; ``None`` for anything that is no part of a wind file."""
    if len(name) > _LONGEST_NAME:
        # No column has such a name. The search for brackets takes time with the square of the length.
        return None
    for text in dict.fromkeys((name, split_words(name))):
        for height_first in (False, True):
            found = _parsed(text, height_first)
            if found is not None:
                return found
    return None


def _parsed(name: str, height_first: bool) -> ParsedName | None:
    bracketed = _BRACKETS.search(name)
    unit = None if bracketed is None else speed_unit(bracketed[1])
    words = _WORDS.findall(_BRACKETS.sub(" ", name).lower())
    height, words = _take_height(words) if height_first else (None, words)
    unit, words = (unit, words) if unit is not None else _take_unit(words)
    height, words = (height, words) if height_first else _take_height(words)
    clock = next((_CLOCKS[word] for word in _WORDS.findall(name.lower()) if word in _CLOCKS), None)
    sense = next((_SENSES[word] for word in words if word in _SENSES), None)
    north = North.TRUE if "true" in words else None
    taken = (*_CLOCKS, *_SENSES, *_NOISE, "true")
    left = " ".join(word for word in _without_set(words) if word not in taken)
    is_angle = unit is None and ("°" in name or not _DEGREES.isdisjoint(_WORDS.findall(name.lower())))
    if left in ("", "wind") and (sense is not None or (left and is_angle)):
        return ParsedName(Role.DIRECTION, None, height, sense, north)
    role = _ROLES.get(left) if left else (Role.TIME if clock is not None else None)
    if role is None:
        return None
    if left == "sknt":
        unit = SpeedUnit.KNOTS
    return ParsedName(role, unit, height, sense, North.GRID if left in _GRID_NAMES else north, clock)


def _take_unit(words: list[str]) -> tuple[SpeedUnit | None, list[str]]:
    """Return the unit that the last word or two spell, and the words before it."""
    for count in (2, 1):
        # A height in metres before its last word is none: "10 m".
        if len(words) > count and not (count == 1 and words[-1] in ("m", "s")):
            unit = speed_unit(" ".join(words[-count:]))
            if unit is not None:
                return unit, words[:-count]
    return None, words


def _take_height(words: list[str]) -> tuple[Height | None, list[str]]:
    for at in range(len(words) - 1):
        found = _HEIGHTS.get((words[at], words[at + 1]))
        if found is not None:
            return found, words[:at] + words[at + 2 :]
    for at, word in enumerate(words):
        if word in _BARE_HEIGHTS:
            return _BARE_HEIGHTS[word], words[:at] + words[at + 1 :]
    return None, words


def _without_set(words: list[str]) -> list[str]:
    """Remove the number of a sensor, which weather services write: ``wind_speed_set_1``."""
    return words[: words.index("set")] if "set" in words[1:] else words


PAIRS = MappingProxyType({Components.U_V: (Role.U, Role.V), Components.SPEED_DIRECTION: (Role.SPEED, Role.DIRECTION)})
"""The roles of the two numbers."""
