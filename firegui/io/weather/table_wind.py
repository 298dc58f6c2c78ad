"""Wind from a CSV table, with the temperature and humidity of the air where it has them.

A row for every time, and for every station where it has longitudes and latitudes. Commas, semicolons or tabs; lines
that begin with # are comments, of which ``# LATITUDE: 38.6`` and ``# LONGITUDE:`` give the place of a single station. A
table of the stations in the same folder gives the places that this one does not (:mod:`.station_list`). A second line
may hold the units of the columns. An empty cell, NaN, M and −9999 are no value. The hourly records of fire programs are
brought to such a table first (:mod:`.station_stream`).
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.options import number_from_text
from firegui.errors import Problems
from firegui.io.source_files import first_few, read_bytes
from firegui.io.times import parse_stamps
from firegui.io.weather.air_names import AirColumn, AirPart, celsius, check_air, parse_air, temperature_unit
from firegui.io.weather.conventions import (
    PAIRS,
    Components,
    ParsedName,
    Role,
    TimeBasis,
    parse_name,
    speed_unit,
)
from firegui.io.weather.locations import Everywhere, Floats, Stations, WindLocations, Window
from firegui.io.weather.series import WindField, WindSeries, choose_pair, one_by_one, said_conventions
from firegui.io.weather.station_list import find_places
from firegui.io.weather.station_stream import has_no_years, stream_rows
from firegui.io.weather.time_axis import Stamps, as_stamps, check_ascending

Indices = NDArray[np.intp]

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a table begins that a spreadsheet saved as "Unicode text"."""

MOST_ROWS, MOST_STATIONS, MOST_COLUMNS = 200_000, 200, 1_000
_SHOWN = 5
_LONGEST_LINE = 20_000
_DIGITS_OF_A_TIME = 6
_MISSING = frozenset(("", "na", "n/a", "null", "none", "m", "-", "--", "vrb"))
_PLACE = re.compile(r"#+\s*(LATITUDE|LONGITUDE)\s*:?\s*(-?\d+(?:\.\d*)?)\s*", re.IGNORECASE)
_DATE_PARTS = {"mm": "month", "dd": "day", "mi": "minute"}
"""Titles beside a year. Elsewhere ``dd`` is the direction of the wind, as weather services write it."""
_NO_ROWS = "holds no rows under a header", "give a header and a row for every time"
_TIME_REMEDY = "write times as 2020-08-19 14:00 (year, month, day)"


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The cells of the columns that are known, by role, and the titles of all in ``header``.

    ``numbers`` are the rows' lines in the file, from 1 on. ``air`` are the cells of temperature and humidity.
    """

    cells: Mapping[Role, Sequence[str]]
    says: Mapping[Role, ParsedName]
    titles: Mapping[Role, str]
    numbers: Sequence[int]
    place: Mapping[str, float]
    header: Sequence[str]
    air: Mapping[AirColumn, Sequence[str]]


def table_series(path: Path, components: Components | None, problems: Problems) -> WindSeries | None:
    """Return the wind of a table.

    What is wrong is added to ``problems``, which come in empty, and ``None`` returned.
    """
    text = _text(path, problems)
    table = None if text is None else _parse(text, path.name, problems)
    if table is None:
        return None
    pair = choose_pair({role: role for role in table.cells}, components, Components.SPEED_DIRECTION)
    if pair is None:
        what = f"has no columns of the wind that are recognised (columns: {', '.join(table.header)})"
        remedy = "name them wind_speed and wind_direction, or u and v, with a unit such as wind_speed_mph"
        problems.add(path.name, what, remedy)
        return None
    kind, *roles = pair
    one, other = (_numbers(table, role, path.name, problems) for role in roles)
    if kind is Components.SPEED_DIRECTION:
        # A calm has no direction.
        other = np.where(np.isnan(other) & (one == 0.0), 0.0, other)
    moments, clock = _moments(table, path.name, problems)
    lons, lats, said = _coordinates(table, path, problems)
    if problems:
        return None
    names = table.cells.get(Role.STATION)
    member, places = _stations(names, lons, lats, path.name, problems)
    if places is None:
        return None
    series = _series(path.name, table, kind, (one, other), (moments, clock), (member, places), problems)
    return None if series is None else replace(series, notes=(*series.notes, *said))


def _text(path: Path, problems: Problems) -> str | None:
    data = read_bytes(path, problems)
    if data is None:
        return None
    if data.startswith(UTF16):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:65536]:
        problems.add(
            path.name, "is not a table, NetCDF file or GeoTIFF", "give one of these: it is told by its content"
        )
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _parse(text: str, where: str, problems: Problems) -> _Table | None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MOST_ROWS:
        problems.add(where, f"holds {text.count(chr(10)):,} rows", f"give at most {MOST_ROWS:,}, of the fire's days")
        return None
    lines = text.split("\n")
    if max(map(len, lines)) > _LONGEST_LINE:
        problems.add(where, f"has a line of {max(map(len, lines)):,} letters", "give a table with a row for every time")
        return None
    if has_no_years(lines):
        what = "is a wind or weather file of FARSITE 4 (.wnd, .wtr), whose records have no year"
        problems.add(where, what, "convert both to a weather stream (.wxs); FlamMap does so")
        return None
    place = {match[1].lower(): float(match[2]) for line in lines[:100] if (match := _PLACE.fullmatch(line.strip()))}
    kept = stream_rows(lines) or [
        (number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")
    ]
    if len(kept) < 2:
        problems.add(where, *_NO_ROWS)
        return None
    delimiter = max(",;\t", key=kept[0][1].count)
    try:
        rows = list(csv.reader(io.StringIO("\n".join(line for _, line in kept)), delimiter=delimiter))
    except csv.Error as error:
        problems.add(where, f"is not a table ({error})", "give a CSV file")
        return None
    numbers = [number for number, _ in kept]
    if len(rows) != len(numbers):
        problems.add(where, "has quoted cells that go over several lines", "keep each row in one line")
        return None
    header, body = rows[0], rows[1:]
    units = _units(header, body[0])
    body, numbers = (body[1:], numbers[2:]) if units is not None else (body, numbers[1:])
    if not body:
        problems.add(where, *_NO_ROWS)
        return None
    return _columns(header, units, body, numbers, place, where, problems)


def _units(header: Sequence[str], row: Sequence[str]) -> Sequence[str] | None:
    """Return the row as units of its columns, if it is one: some speed has a unit's name for a value."""
    for title, cell in zip(header, row, strict=False):
        says = parse_name(title)
        if says is not None and says.role in (Role.SPEED, Role.U, Role.V) and speed_unit(cell) is not None:
            return row
    return None


def _columns(
    header: Sequence[str], units: Sequence[str] | None, body: Sequence[Sequence[str]], numbers: Sequence[int],
    place: Mapping[str, float], where: str, problems: Problems,
) -> _Table | None:  # fmt: skip
    if len(header) > MOST_COLUMNS:
        problems.add(where, f"has {len(header):,} columns", "give a table of the wind alone")
        return None
    short = [number for number, row in zip(numbers, body, strict=True) if len(row) != len(header)]
    if short:
        shown = first_few(short, _SHOWN)
        what = f"has {len(header)} columns in its header, but not in line{'' if len(short) == 1 else 's'} {shown}"
        problems.add(where, what, "complete the rows, or get the file again: it may be cut off")
        return None
    cells: dict[Role, list[str]] = {}
    says: dict[Role, ParsedName] = {}
    titles: dict[Role, str] = {}
    parts = _DATE_PARTS if {"yyyy", "year"} & {title.strip().lower() for title in header} else {}
    for index, title in enumerate(header):
        found = parse_name(parts.get(title.strip().lower(), title))
        if found is None or (found.role in says and found.role not in (Role.SPEED, Role.U, Role.V)):
            continue
        if found.role in says:
            what = f"holds {found.role} twice ({titles[found.role]}, {title.strip()})"
            problems.add(where, what, "keep the column of the wind that is meant")
            continue
        unit = None if units is None else speed_unit(units[index])
        says[found.role] = (
            found if unit is None else ParsedName(found.role, unit, found.height, found.sense, found.north)
        )
        titles[found.role] = title.strip()
        cells[found.role] = [row[index].strip() for row in body]
    air: dict[AirColumn, list[str]] = {}
    for index, title in enumerate(header):
        column = parse_air(title, "" if units is None else units[index])
        if column is not None and parse_name(title) is None and column.role not in {other.role for other in air}:
            air[column] = [row[index].strip() for row in body]
    return _Table(cells, says, titles, numbers, place, [title.strip() for title in header], air)


def _numbers(table: _Table, role: Role, where: str, problems: Problems) -> Floats:
    """Return the numbers of a column, NaN for no value; what is neither is a problem with its line."""
    return _numbers_of(table.cells[role], table.titles[role], table.numbers, where, problems)


def _numbers_of(cells: Sequence[str], title: str, lines: Sequence[int], where: str, problems: Problems) -> Floats:
    values = np.full(len(lines), np.nan)
    bad = []
    for index, cell in enumerate(cells):
        found = _number(cell)
        if found is None:
            bad.append(f"line {lines[index]} has {cell[:20]!r}")
        else:
            values[index] = found
    if bad:
        shown = "; ".join(bad[:_SHOWN]) + (f"; {len(bad) - _SHOWN:,} more" if len(bad) > _SHOWN else "")
        problems.add(f"{where}, {title}", f"{shown}: not a number", "write numbers, nothing for no value")
    values[(values == -9999.0) | (values == -999.0)] = np.nan
    return values


def _number(cell: str) -> float | None:
    """Return the number in a cell, NaN for no value, ``None`` for what is neither."""
    try:
        found = number_from_text(cell)
    except ValueError:
        # Some write a comma for the point, or a typographic minus.
        plain = cell.replace("−", "-").replace(",", ".").lower()
        if plain in _MISSING:
            return math.nan
        return _number(plain) if plain != cell else None
    return None if math.isinf(found) else found


def _coordinates(table: _Table, path: Path, problems: Problems) -> tuple[Floats | None, Floats | None, tuple[str, ...]]:
    """Return where the station of each row is, and a note where a list beside the table says it."""
    where = path.name
    if Role.LON not in table.cells or Role.LAT not in table.cells:
        if {"latitude", "longitude"} <= set(table.place):
            rows = len(table.numbers)
            return np.full(rows, table.place["longitude"]), np.full(rows, table.place["latitude"]), ()
        return _beside(table, path)
    lons, lats = (_numbers(table, role, where, problems) for role in (Role.LON, Role.LAT))
    bad = np.flatnonzero(~((np.abs(lons) <= 360.0) & (np.abs(lats) <= 90.0)))
    if bad.size:
        at = int(bad[0])
        place = f"{table.cells[Role.LON][at]}, {table.cells[Role.LAT][at]}"
        what = f"line {table.numbers[at]} is at longitude, latitude {place}, which is not on the Earth"
        problems.add(where, what, "give degrees, longitudes east positive")
    return lons, lats, ()


def _beside(table: _Table, path: Path) -> tuple[Floats | None, Floats | None, tuple[str, ...]]:
    """Return the places of the stations as another table in the folder of ``path`` has them."""
    names = table.cells.get(Role.STATION, ())
    stations = sorted(set(names))
    found = find_places(path, stations)
    if found is None:
        return None, None, ()
    listed, places = found
    rows = [stations.index(name) for name in names] or [0] * len(table.numbers)
    lons, lats = np.array(places)[rows].T
    return lons, lats, (f"The place of the wind is that of its station in {listed.file.name}.",)


def _moments(table: _Table, where: str, problems: Problems) -> tuple[Stamps | None, TimeBasis | None]:
    """Return the times of the rows, in no order yet; ``None`` where no column says it."""
    texts, title = _time_texts(table)
    if texts is None:
        return None, None
    parsed = parse_stamps(texts).stamps
    bad = [index for index, stamp in enumerate(parsed) if stamp is None]
    if bad:
        shown = "; ".join(f"line {table.numbers[index]} has {texts[index][:30]!r}" for index in bad[:_SHOWN])
        more = f"; {len(bad) - _SHOWN:,} more" if len(bad) > _SHOWN else ""
        problems.add(
            f"{where}, {title}", f"{shown}{more}: not a time, or the order of day and month is open", _TIME_REMEDY
        )
        return None, None
    stamps = [stamp for stamp in parsed if stamp is not None]
    zoned = [stamp.moment.tzinfo is not None for stamp in stamps]
    if any(zoned) and not all(zoned):
        what = f"line {table.numbers[zoned.index(False)]} has no offset from UTC, other rows have one"
        problems.add(f"{where}, {title}", what, "write all times alike")
        return None, None
    clocks = (table.says[role].clock for role in (Role.TIME, Role.DATE, Role.HOUR) if role in table.says)
    clock = next((clock for clock in clocks if clock is not None), None)
    return as_stamps(stamps), clock


def _time_texts(table: _Table) -> tuple[list[str] | None, str]:
    """Return what says a row's time: one column, a date and an hour, or year, month, day and perhaps hour."""
    cells, titles = table.cells, table.titles
    if Role.TIME in cells and sum(letter.isdigit() for letter in cells[Role.TIME][0]) > _DIGITS_OF_A_TIME:
        return list(cells[Role.TIME]), titles[Role.TIME]
    if all(role in cells for role in (Role.YEAR, Role.MONTH, Role.DAY)):
        dates = [f"{int(y):04d}-{m:0>2}-{d:0>2}" if y.isdecimal() else f"{y}-{m}-{d}"
                 for y, m, d in zip(cells[Role.YEAR], cells[Role.MONTH], cells[Role.DAY], strict=True)]  # fmt: skip
        title = f"{titles[Role.YEAR]}, {titles[Role.MONTH]}, {titles[Role.DAY]}"
    elif Role.DATE in cells:
        dates, title = list(cells[Role.DATE]), titles[Role.DATE]
    else:
        return (list(cells[Role.TIME]), titles[Role.TIME]) if Role.TIME in cells else (None, "")
    clock = Role.TIME if Role.TIME in cells else Role.HOUR
    if clock not in cells:
        return dates, title
    minutes = cells.get(Role.MINUTE, ["0"] * len(dates))
    times = [_clock_text(hour, minute) for hour, minute in zip(cells[clock], minutes, strict=True)]
    return [f"{day} {time}" for day, time in zip(dates, times, strict=True)], f"{title}, {titles[clock]}"


def _clock_text(hour: str, minute: str) -> str:
    """Return ``14:00`` of 14, 1400 or 14:00."""
    if not hour.isdecimal():
        return hour
    number = int(hour)
    if len(hour) >= 3:
        return f"{number // 100:02d}:{number % 100:02d}"
    return f"{number:02d}:{int(minute) if minute.isdecimal() else 0:02d}"


def _stations(
    names: Sequence[str] | None, lons: Floats | None, lats: Floats | None, where: str, problems: Problems
) -> tuple[Indices | None, WindLocations | None]:
    """Return which station each row is of, and where these are."""
    if lons is None or lats is None:
        if names is not None and len(set(names)) > 1:
            what = f"holds {len(set(names))} stations ({', '.join(sorted(set(names))[:_SHOWN])}) without their places"
            problems.add(where, what, "add columns longitude and latitude, or keep one station")
            return None, None
        return None, Everywhere()
    places, member = np.unique(np.stack([lons, lats]), axis=1, return_inverse=True)
    if places.shape[1] > MOST_STATIONS:
        problems.add(
            where, f"holds {places.shape[1]:,} stations", f"keep those around the fire, at most {MOST_STATIONS}"
        )
        return None, None
    return np.asarray(member).ravel(), Stations(places[0], places[1])


def _series(
    where: str, table: _Table, kind: Components, parts: tuple[Floats, Floats],
    when: tuple[Stamps | None, TimeBasis | None],
    of: tuple[Indices | None, WindLocations], problems: Problems,
) -> WindSeries | None:  # fmt: skip
    stamps, clock = when
    member, places = of
    stations = len(places.lons) if isinstance(places, Stations) else 1
    each = np.zeros(len(table.numbers), np.intp) if member is None else member
    if stamps is None and stations > 1:
        problems.add(where, "holds several stations, but no times", "add a column of times")
        return None
    if stamps is not None:
        for station in range(stations):
            rows = np.flatnonzero(each == station)
            names = [f"line {table.numbers[int(row)]}" for row in rows]
            if not check_ascending(stamps.moments[rows], where, names, problems):
                return None
    labels = [(table.titles[role], table.says[role]) for role in PAIRS[kind]]
    air, notes, in_fahrenheit = _air(table, where, problems)
    if problems:
        return None
    moments, at = (None, np.arange(len(each))) if stamps is None else np.unique(stamps.moments, return_inverse=True)
    reads = [one_by_one(_by_time(part, each, np.asarray(at).ravel(), stations)) for part in parts]
    one, other = (WindField(label, says, "", read) for (label, says), read in zip(labels, reads, strict=True))
    said = said_conventions(kind, (one, other), where, problems, clock=clock)
    if stamps is None or moments is None:
        return WindSeries(
            "table", where, said, len(each), None, places, (one, other), notes, in_fahrenheit=in_fahrenheit
        )
    together = Stamps(moments, stamps.in_utc, stamps.dates_only)
    steps = [Stamps(stamps.moments[each == station], True).step_h for station in range(stations)]
    step_h = min((step for step in steps if step is not None), default=None)
    read_air = [_by_time(values, each, np.asarray(at).ravel(), stations) for values in air]
    return WindSeries(
        "table", where, said, len(moments), together, places, (one, other), notes, step_h,
        _mean_air(*read_air) if read_air else None, in_fahrenheit,
    )  # fmt: skip


def _air(table: _Table, where: str, problems: Problems) -> tuple[list[Floats], tuple[str, ...], bool]:
    """Return temperature in °C and relative humidity of the rows, notes, and whether the table has °F.

    Without temperature or humidity there are no values.
    """
    found: dict[AirPart, Floats] = {}
    in_fahrenheit = False
    notes = []
    for column, cells in table.air.items():
        values = _numbers_of(cells, column.title, table.numbers, where, problems)
        if column.role is AirPart.TEMPERATURE:
            in_fahrenheit = temperature_unit(values, column) == "F"
            values, note = celsius(values, column)
            notes += [note] if note else []
        check_air(values, column.role, table.numbers, f"{where}, {column.title}", problems)
        found[column.role] = values
    if len(found) == len(AirPart):
        return [found[role] for role in AirPart], tuple(notes), in_fahrenheit
    if found:
        lacking = next(role for role in AirPart if role not in found)
        said = f"The table has no {lacking} of the air: fuel moistures are those of the fire model."
        return [], (said,), in_fahrenheit
    return [], (), in_fahrenheit


def _mean_air(
    temperature: Callable[[int, Window | None], Floats], humidity: Callable[[int, Window | None], Floats]
) -> Callable[[int, Window | None], tuple[float, float]]:
    """Return the means over the stations that report."""

    def read(number: int, window: Window | None) -> tuple[float, float]:
        heat, damp = (part(number, window) for part in (temperature, humidity))
        both = np.isfinite(heat) & np.isfinite(damp)
        return (float(heat[both].mean()), float(damp[both].mean())) if both.any() else (math.nan, math.nan)

    return read


def _by_time(values: Floats, station: Indices, time: Indices, stations: int) -> Callable[[int, Window | None], Floats]:
    """Read what the stations report at a time, NaN for those that do not."""
    order = np.argsort(time, kind="stable")
    bounds = np.searchsorted(time[order], np.arange(int(time.max()) + 2))

    def read(number: int, window: Window | None) -> Floats:
        rows = order[bounds[number] : bounds[number + 1]]
        found = np.full(stations, np.nan)
        found[station[rows]] = values[rows]
        return found

    return read
