"""Hourly records of a weather station as fire programs keep them, brought to rows of a table.

Weather streams (``.wxs``) of FARSITE 5, FlamMap 6 and FSPro (their user guides): a line ``RAWS_UNITS: English`` or
``Metric``, elevation and count, then a line for every hour of year, month, day, time (HHMM), temperature, relative
humidity, precipitation, wind speed, wind direction and cloud cover. English are °F, inches and mph, metric °C, mm and
km/h; the wind is that at 20 ft. The same lines stand in the input files of both programs.

Fire weather records (``.fw9``, ``.fw13``) of FireFamilyPlus and WIMS (NWCG, Weather Data Transfer Format 1998 and its
revision of 2013): ``W98`` or ``W13``, then fixed columns, counted from 1: station 4–9, date 10–17, time 18–21, kind of
observation 22 (``F`` is a forecast, which is left out), temperature 24–26, moisture 27–29, wind direction 30–32 and
speed 33–35, what the moisture is 62 (2 is relative humidity), units 63 (2 is metric, anything else US).

Both count time by the local clock of the station.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Numbered = tuple[int, str]
"""The number of a line in its file, from 1 on, and the line."""

_UNITS = re.compile(r"(?:raws_units\s*:)?\s*(english|metric)\s*", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"\s*(?:19|20|21)\d\d\s+\d{1,2}\s+\d{1,2}\s+\S")
_RECORD = ("W98", "W13")
_HEAD = 40
_FEWEST, _SHORTEST = 9, 35

_STREAM = ("year", "month", "day", "local hour", "temp {}", "rh", "precipitation", "wind speed 20 ft ({})", "wind from")
_IN_UNITS = {"english": ("f", "mph"), "metric": ("c", "km/h")}
_RECORDS = "station,date,local hour,wind speed 20 ft ({}),wind from,temp {}{}"


def stream_rows(lines: Sequence[str]) -> list[Numbered] | None:
    """Return header and rows, comma-separated, of a file of one of the formats; ``None`` for any other."""
    first = next((line for line in lines if line.strip()), "")
    if first.startswith(_RECORD):
        return _records(lines)
    return _stream(lines)


def _stream(lines: Sequence[str]) -> list[Numbered] | None:
    units = next((match[1].lower() for line in lines[:_HEAD] if (match := _UNITS.fullmatch(line))), None)
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if _YEAR_FIRST.match(line)]
    if units is None or not rows or len(rows[0][1]) < _FEWEST:
        return None
    heat, speed = _IN_UNITS[units]
    header = ",".join(_STREAM).format(heat, speed)
    # Cloud cover, and whatever a program puts behind it, is left out.
    return [(0, header), *((number, ",".join(cells[:_FEWEST])) for number, cells in rows)]


def _records(lines: Sequence[str]) -> list[Numbered]:
    kept = [(number, line) for number, line in enumerate(lines, 1) if line.startswith(_RECORD) and line[21:22] != "F"]
    metric = all(line[62:63] == "2" for _, line in kept)
    with_humidity = all(line[61:62] == "2" for _, line in kept)
    units = _IN_UNITS["metric" if metric else "english"]
    header = _RECORDS.format(units[1], units[0], ",rh" if with_humidity else "")
    return [(0, header), *((number, _cells(line, with_humidity)) for number, line in kept)]


def _cells(line: str, with_humidity: bool) -> str:
    if len(line.rstrip()) < _SHORTEST:
        return line.rstrip().replace(",", " ")
    found = [line[3:9], line[9:17], line[17:21], line[32:35], line[29:32], line[23:26]]
    return ",".join(cell.strip() for cell in [*found, *([line[26:29]] if with_humidity else [])])
