"""Places of weather stations from a table beside the one with their weather.

Archives such as Synoptic's and the WRCC's give the weather of a station in one table and its metadata, among them
longitude and latitude, in another.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firegui.domain.options import number_from_text
from firegui.errors import Problems
from firegui.io.source_files import read_text
from firegui.io.weather.conventions import Role, parse_name

_MOST_FILES, _MOST_BYTES, _MOST_ROWS = 50, 2**20, 5_000
_NAME_COLUMNS = 4
_WEATHER = (Role.SPEED, Role.DIRECTION, Role.U, Role.V)


@dataclass(frozen=True, slots=True)
class StationList:
    """Places of stations in ``file``: ``(longitude, latitude)`` by each name of a row, in lower case.

    ``only`` is the place of a list of a single station.
    """

    file: Path
    places: Mapping[str, tuple[float, float]]
    only: tuple[float, float] | None

    def place_of(self, name: str) -> tuple[float, float] | None:
        """Return where a station is; ``None`` for one that the list does not have."""
        return self.places.get(name.strip().lower())


def read_station_list(path: Path) -> StationList | None:
    """Return the places that a table holds; ``None`` for one that is no list of stations."""
    text = read_text(path, Problems()) if _is_small(path) else None
    kept = [line for line in (text or "").splitlines() if line.strip() and not line.startswith("#")]
    if not 2 <= len(kept) <= _MOST_ROWS:
        return None
    try:
        header, *rows = csv.reader(kept, delimiter=max(",;\t", key=kept[0].count))
    except csv.Error:
        return None
    roles = [None if (found := parse_name(title)) is None else found.role for title in header]
    if Role.LON not in roles or Role.LAT not in roles or any(role in _WEATHER for role in roles):
        return None
    lon, lat = roles.index(Role.LON), roles.index(Role.LAT)
    names = [number for number, role in enumerate(roles) if role is Role.STATION][:_NAME_COLUMNS]
    found_at = [(row, place) for row in rows if (place := _place(row, lon, lat)) is not None]
    places: dict[str, tuple[float, float]] = {}
    for row, place in found_at:
        for number in names:
            if number < len(row):
                places.setdefault(row[number].strip().lower(), place)
    return StationList(path, places, found_at[0][1] if len(found_at) == 1 else None) if found_at else None


def _is_small(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= _MOST_BYTES
    except OSError:
        return False


def _place(row: list[str], lon: int, lat: int) -> tuple[float, float] | None:
    try:
        east, north = number_from_text(row[lon].strip()), number_from_text(row[lat].strip())
    except (ValueError, IndexError):
        return None
    return (east, north) if abs(east) <= 360.0 and abs(north) <= 90.0 else None


def find_places(table: Path, stations: Sequence[str]) -> tuple[StationList, list[tuple[float, float]]] | None:
    """Return the list beside ``table`` that has all ``stations``, and their places.

    ``None`` where there is none. A table that names no station is that of its file's name, or of the only one listed.
    """
    try:
        beside = sorted(path for path in table.parent.iterdir() if path.suffix.lower() in (".csv", ".txt", ".tsv"))
    except OSError:
        return None
    for path in beside[:_MOST_FILES]:
        found = None if path == table else read_station_list(path)
        if found is None:
            continue
        places = [found.place_of(name) for name in stations or [table.stem]]
        if not stations and places == [None]:
            places = [found.only]
        known = [place for place in places if place is not None]
        if len(known) == len(places):
            return found, known
    return None
