"""Geographic coordinates as text: written and read in decimal degrees, DMS, DDM and UTM."""

from __future__ import annotations

import re
from enum import StrEnum

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem
from firegui.io.crs import transformer
from firegui.io.georeference import WGS84, Georeference, format_ddm, utm_of

_EXAMPLES = (
    "write latitude and longitude, as 38.56120 -122.64010, 38°33.672′ N 122°38.406′ W or 38°33′40.3″ N 122°38′24.4″ W, "
    "or UTM, as 10S 531234 4268765"
)
_MARKS = str.maketrans({"′": "'", "’": "'", "´": "'", "″": '"', "”": '"', "“": '"', "º": "°", "−": "-", "\u00a0": " "})
_NUMBER = r"\d+(?:\.\d+)?"
_ANGLE = re.compile(
    rf"(?P<before>[NSEW])?\s*(?P<sign>[+-])?(?P<degrees>{_NUMBER})\s*(?:°|:|\s)?\s*"
    rf"(?:(?P<minutes>{_NUMBER})\s*(?:'|:|\s)?\s*(?:(?P<seconds>{_NUMBER})\s*(?:\"|'')?)?)?\s*(?P<after>[NSEW])?"
)
_UTM = re.compile(
    r"(?:UTM\s*)?(?P<zone>\d{1,2})\s*(?P<band>[C-HJ-NP-X])\s+(?P<east>\d[\d ]*(?:\.\d+)?)\s*(?:M?\s*E)?[\s,;]+"
    r"(?P<north>\d[\d ]*(?:\.\d+)?)\s*(?:M?\s*N)?"
)
_LONGEST, _SHOWN = 200, 40
"""Most characters of a place, and how many of a longer text a message shows."""

_FIRST_NORTHERN_BAND = "N"
_LEAST_EAST, _MOST_EAST, _MOST_NORTH = 100_000.0, 900_000.0, 10_000_000.0


class CoordinateFormat(StrEnum):
    """Ways to write a place."""

    DDM = "ddm"
    DMS = "dms"
    DECIMAL = "decimal"
    UTM = "utm"


def format_place(lon: float, lat: float, form: CoordinateFormat) -> str:
    """Return a place (degrees, WGS 84) as text; outside the reach of UTM in decimal degrees."""
    match form:
        case CoordinateFormat.DDM:
            return format_ddm(lon, lat)
        case CoordinateFormat.DMS:
            north, east = "N" if lat >= 0 else "S", "E" if lon >= 0 else "W"
            return f"{_dms(lat, 2)} {north} {_dms(lon, 3)} {east}"
        case CoordinateFormat.UTM if (found := utm_of(lon, lat)) is not None:
            return f"{found[0]} {found[1]:.0f} {found[2]:.0f}"
    return f"{lat:.5f} {lon:.5f}"


def place_text(grid: Grid, y: float, x: float, form: CoordinateFormat) -> str:
    """Return a raster position as text: row and column where the grid has no place on the Earth."""
    found = Georeference(grid).lonlat(y, x)
    return f"row {y:.1f}, column {x:.1f}" if found is None else format_place(*found, form)


def parse_place(text: str) -> tuple[float, float]:
    """Return longitude and latitude (degrees, WGS 84) of a place written in any format.

    Without letters the latitude comes first. Raises :class:`~firegui.errors.InputError` with one problem.
    """
    if len(text) > _LONGEST:
        raise _refusal(f"{text[:_SHOWN]}…", f"it has more than {_LONGEST} characters")
    plain = " ".join(text.translate(_MARKS).upper().split())
    if (match := _UTM.fullmatch(plain)) is not None:
        return _from_utm(text, match)
    halves = _halves(plain)
    found = [_ANGLE.fullmatch(half) for half in halves]
    if len(halves) != 2 or found[0] is None or found[1] is None:
        raise _refusal(text, "it is not a pair of coordinates")
    angles = [_angle(text, match) for match in found if match is not None]
    if angles[0][1] in "EW" and angles[0][1]:
        angles.reverse()
    (lat, north), (lon, east) = angles
    if north not in ("", "N", "S") or east not in ("", "E", "W") or bool(north) != bool(east):
        raise _refusal(text, "it needs one latitude (N or S) and one longitude (E or W)")
    if abs(lat) > 90.0 or abs(lon) > 180.0:
        raise _refusal(text, "a latitude is at most 90° and a longitude at most 180°")
    return lon, lat


def _halves(plain: str) -> list[str]:
    """Return latitude and longitude as separate texts."""
    for mark in ",;/":
        if mark in plain:
            return [half.strip() for half in plain.split(mark)]
    letters = [match.start() for match in re.finditer("[NSEW]", plain)]
    if len(letters) == 2:
        cut = letters[1] if letters[0] == 0 else letters[0] + 1
    else:
        numbers = [match.start() for match in re.finditer(rf"[+-]?{_NUMBER}", plain)]
        if len(numbers) not in (2, 4, 6):
            return [plain]
        cut = numbers[len(numbers) // 2]
    return [plain[:cut].strip(), plain[cut:].strip()]


def _angle(text: str, match: re.Match[str]) -> tuple[float, str]:
    minutes, seconds = float(match["minutes"] or 0.0), float(match["seconds"] or 0.0)
    if minutes >= 60.0 or seconds >= 60.0:
        raise _refusal(text, "minutes and seconds are below 60")
    if match["before"] and match["after"]:
        raise _refusal(text, "a coordinate has one letter")
    letter = match["before"] or match["after"] or ""
    value = float(match["degrees"]) + minutes / 60.0 + seconds / 3600.0
    return (-value if match["sign"] == "-" or letter in ("S", "W") else value), letter


def _from_utm(text: str, match: re.Match[str]) -> tuple[float, float]:
    zone = int(match["zone"])
    east, north = (float(match[name].replace(" ", "")) for name in ("east", "north"))
    if not 1 <= zone <= 60:
        raise _refusal(text, "UTM zones are 1 to 60")
    if not (_LEAST_EAST <= east <= _MOST_EAST and 0.0 <= north <= _MOST_NORTH):
        raise _refusal(text, "UTM eastings are 100000 to 900000 and northings 0 to 10000000 metres")
    code = (32600 if match["band"] >= _FIRST_NORTHERN_BAND else 32700) + zone
    lon, lat = transformer(f"EPSG:{code}", WGS84).transform(east, north)
    return float(lon), float(lat)


def _refusal(text: str, what: str) -> InputError:
    return InputError([Problem("coordinates", f"“{text.strip()}” cannot be read: {what}", _EXAMPLES)], "No such place")


def _dms(value: float, digits: int) -> str:
    # Rounded first, so that 59.96″ becomes the next minute and never 60.0″.
    tenths = round(abs(value) * 36_000)
    minutes, rest = divmod(tenths, 600)
    return f"{minutes // 60:0{digits}d}°{minutes % 60:02d}′{rest / 10:04.1f}″"
