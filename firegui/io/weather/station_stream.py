"""Hourly records of a weather station as fire programs keep them, brought to rows of a table.

Weather streams (``.wxs``) of FARSITE 5, FlamMap 6 and FSPro (their user guides): a line ``RAWS_UNITS: English`` or
``Metric`` (English without one), elevation and count, then a line for every hour of year, month, day, time (HHMM),
temperature, relative humidity, precipitation, wind speed, wind direction and cloud cover. English are °F, inches and
mph at 20 ft; metric °C, mm and km/h at 10 m. Winds up and down the slope (−1, −2) are refused. The same lines stand in
the input files of both programs. FARSITE 4's ``.wnd`` and ``.wtr`` have no years.

Fire weather records (``.fw9``, ``.fw13``) of FireFamilyPlus and WIMS (NWCG, Weather Data Transfer Format 1998 and its
revision of 2013): ``W98`` or ``W13``, then fixed columns, counted from 1: station 4–9, date 10–17, time 18–21, kind of
observation 22 (``F`` is a forecast, which is left out; ``O`` goes before another of its time), temperature 24–26,
moisture 27–29, wind direction 30–32 (0 is none, 360 north) and speed 33–35, what the moisture is 62 (2 is relative
humidity, 3 the dew point), units 63 (2 is metric, as is 4 with hourly precipitation; anything else US).

Tables of Prometheus and W.I.S.E. (``HOURLY,HOUR,TEMP,RH,WD,WS,PRECIP``): ``HOURLY`` is the date. Theirs and others with
the indices of the Canadian FWI System, such as FFMC, are in °C and km/h at 10 m. Tables of FireFamilyPlus 5 and FEMS
(``.fw21``): their mph are at 20 ft. NOAA's Local Climatological Data (``HourlyWindSpeed``; their documentation): times
are in local standard time.

All but tables with indices of the FWI System and those of FireFamilyPlus and FEMS count time by the local clock of the
station.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from firegui.io.weather.air_names import relative_humidity

Numbered = tuple[int, str]
"""The number of a line in its file, from 1 on, and the line."""

_UNITS = re.compile(r"(?:raws_units\s*:)?\s*(english|metric)\s*", re.IGNORECASE)
_COUNT = re.compile(r"\s*raws\s*:\s*\d+\s*", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"\s*(?:19|20|21)\d\d\s+\d{1,2}\s+\d{1,2}\s+\S")
_WITHOUT_YEAR = re.compile(r"\s*(?:english|metric)\s+\d{1,2}\s+\d{1,2}\s+\d", re.IGNORECASE)
_RECORD = ("W98", "W13")
_HEAD = 40
_FEWEST, _SHORTEST = 9, 35

_STREAM = ("year", "month", "day", "local hour", "temp {}", "rh", "precipitation", "wind speed {}", "wind from")
_IN_UNITS = {"english": ("f", "20 ft (mph)"), "metric": ("c", "10 m (km/h)")}
_RECORDS = "station,date,local hour,wind speed 20 ft (mph),wind from,temp f{}"
_MPH_PER_KMH = 1.0 / 1.609344
_METRIC, _HUMIDITY, _DEW_POINT = ("2", "4"), "2", "3"

_TABLES = {
    "hourly,hour,": {"hourly": "date", "hour": "local hour", "temp": "temp c", "ws": "wind speed 10 m (km/h)"},
    "stationid,datetime,": {"windspeed(mph)": "wind speed 20 ft (mph)"},
    ",ffmc,": {"temp": "temp c", "ws": "wind speed 10 m (km/h)"},
    "hourlywindspeed": {"date": "local date"},
}
"""What the header of a fire program's table has, and what some of its titles stand for."""


def stream_rows(lines: Sequence[str]) -> list[Numbered] | None:
    """Return header and rows, comma-separated, of a file of one of the formats; ``None`` for any other."""
    first = next((line for line in lines if line.strip()), "")
    if first.startswith(_RECORD):
        return _records(lines)
    return _stream(lines) or _table(lines)


def has_no_years(lines: Sequence[str]) -> bool:
    """Return whether the lines are FARSITE 4's, whose records say month and day only."""
    return _WITHOUT_YEAR.match(" ".join(lines[:_HEAD])) is not None


def _stream(lines: Sequence[str]) -> list[Numbered] | None:
    head = lines[:_HEAD]
    units = next((match[1].lower() for line in head if (match := _UNITS.fullmatch(line))), None)
    if units is None and any(map(_COUNT.fullmatch, head)):
        units = "english"
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if _YEAR_FIRST.match(line)]
    if units is None or not rows or len(rows[0][1]) < _FEWEST:
        return None
    heat, speed = _IN_UNITS[units]
    header = ",".join(_STREAM).format(heat, speed)
    # Cloud cover, and whatever a program puts behind it, is left out.
    kept = ((number, [*cells[: _FEWEST - 1], *map(_direction, cells[_FEWEST - 1 : _FEWEST])]) for number, cells in rows)
    return [(0, header), *((number, ",".join(cells)) for number, cells in kept)]


def _direction(cell: str) -> str:
    """Return a word for a wind along the slope, which is no number and will be refused."""
    return {"-1": "upslope", "-2": "downslope"}.get(cell, cell)


def _table(lines: Sequence[str]) -> list[Numbered] | None:
    delimiter = max(",;\t", key=lines[0].count)
    header = [title.strip(' "') for title in lines[0].split(delimiter)]
    titles = next((titles for part, titles in _TABLES.items() if part in ",".join(header).lower()), None)
    if titles is None:
        return None
    named = delimiter.join(titles.get(title.lower(), title) for title in header)
    return [(1, named), *((number, line) for number, line in enumerate(lines[1:], 2) if line.strip())]


def _records(lines: Sequence[str]) -> list[Numbered]:
    published = {line[3:21] for line in lines if line[21:22] == "O"}
    kept = [
        (number, line)
        for number, line in enumerate(lines, 1)
        if line.startswith(_RECORD) and (line[21:22] == "O" or (line[21:22] != "F" and line[3:21] not in published))
    ]
    with_humidity = any(line[61:62] in (_HUMIDITY, _DEW_POINT) for _, line in kept)
    header = _RECORDS.format(",rh" if with_humidity else "")
    return [(0, header), *((number, _cells(line, with_humidity)) for number, line in kept)]


def _cells(line: str, with_humidity: bool) -> str:
    """Return the cells of a record in US units. Records of one file may be in either."""
    if len(line.rstrip()) < _SHORTEST:
        return line.rstrip().replace(",", " ")
    heat, damp, azimuth, speed = (line[at : at + 3].strip() for at in (23, 26, 29, 32))
    if line[62:63] in _METRIC:
        speed, heat = _scaled(speed, _MPH_PER_KMH, 0.0), _scaled(heat, 1.8, 32.0)
    found = [line[3:9], line[9:17], line[17:21], speed, "" if azimuth.strip("0") == "" else azimuth, heat]
    return ",".join(cell.strip() for cell in [*found, *([_humidity(line, heat, damp)] if with_humidity else [])])


def _humidity(line: str, heat_f: str, damp: str) -> str:
    if line[61:62] != _DEW_POINT:
        return damp if line[61:62] == _HUMIDITY else ""
    dew_f = _scaled(damp, 1.8, 32.0) if line[62:63] in _METRIC else damp
    try:
        heat, dew = ((np.array(float(text)) - 32.0) / 1.8 for text in (heat_f, dew_f))
    except ValueError:
        return ""
    return f"{float(relative_humidity(heat, dew)):.1f}"


def _scaled(cell: str, factor: float, offset: float) -> str:
    """Return a number in another unit; what is none stays as it is, for the problem that names its line."""
    try:
        return f"{float(cell) * factor + offset:.4f}"
    except ValueError:
        return cell
