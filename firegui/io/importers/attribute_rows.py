"""Rows of tables of points and of vector files: their texts, numbers, kinds and places."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from firegui.domain.options import number_from_text
from firegui.errors import Problems
from firegui.io.georeference import WGS84
from firegui.io.source_files import read_text
from firegui.io.weather.conventions import Role, parse_name

TABLES = (".csv", ".txt", ".tsv")
_EAST, _NORTH = ("x", "easting"), ("y", "northing")
Kind = TypeVar("Kind", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """Texts of a row or a feature, by the small letters of the columns. ``where`` names it in messages."""

    where: str
    values: Mapping[str, str]

    def text(self, *names: str) -> str:
        """Return the first of the columns that has a text, without the space around it; empty for none."""
        return next((text for name in names if (text := self.values.get(name, "").strip())), "")

    def number(self, name: str, usual: float, problems: Problems) -> float:
        """Return the number of a column; ``usual`` where there is none, with a problem for other text."""
        text = self.text(name)
        try:
            return number_from_text(text) if text else usual
        except ValueError:
            problems.add(self.where, f"{name} is {text!r}, no number", "correct it in the file")
            return usual

    def kind(self, kinds: type[Kind], problems: Problems, *names: str) -> Kind | None:
        """Return the kind that the first of the columns names; ``None`` for none.

        An unknown one is added to ``problems``.
        """
        text = self.text(*names).lower().replace(" ", "_").replace("-", "_")
        if text in set(kinds):
            return kinds(text)
        if text:
            problems.add(self.where, f"the kind {text!r} is unknown", f"write one of {', '.join(kinds)}")
        return None


def feature_rows(file: str, columns: Mapping[str, NDArray[Any]], count: int) -> list[AttributeRow]:
    """Return the attributes of ``count`` features of a vector file."""
    named = {title.lower(): values for title, values in columns.items()}
    return [
        AttributeRow(f"{file}, feature {number + 1}", {name: _text(values[number]) for name, values in named.items()})
        for number in range(count)
    ]


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (list, tuple, np.ndarray)):
        return ";".join(str(part) for part in value)
    return str(value)


@dataclass(frozen=True, slots=True)
class PlaceColumns:
    """Numbers of the columns of coordinates. ``system`` is their CRS, ``None`` for that of the grid."""

    columns: tuple[int, int]
    system: str | None

    def are_places(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which ``points [N, 2]`` are places: on the Earth, or anywhere in the grid's own CRS."""
        within = np.isfinite(points) if self.system is None else np.abs(points) <= (360.0, 90.0)
        return np.asarray(within.all(axis=1), np.bool_)


@dataclass(frozen=True, slots=True)
class PointTable:
    """Titles and rows of a table. ``place`` is ``None`` where it has no columns of coordinates."""

    titles: tuple[str, ...]
    rows: tuple[Sequence[str], ...]
    place: PlaceColumns | None


def read_point_table(file: Path, problems: Problems, delimiters: str) -> PointTable | None:
    """Read a table of points, whose first line has the titles of its columns.

    The delimiter is the one of ``delimiters`` that the first line has most often. Empty lines and those that begin with
    ``#`` are left out. What is wrong is added to ``problems``, also where a table without a place is returned.
    """
    text = read_text(file, problems)
    if text is None:
        return None
    kept = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    try:
        header, *rows = csv.reader(kept, delimiter=max(delimiters, key=kept[0].count), strict=True) if kept else [[]]
    except csv.Error as error:
        problems.add(file.name, f"is not a table ({error})", "save it as CSV with a line of column names")
        return None
    titles = tuple(title.strip() for title in header)
    place = _place_columns([title.lower() for title in titles])
    if place is None:
        what = f"has no columns of longitude and latitude (it has: {titles_text(titles)})"
        problems.add(file.name, what, "name them lon and lat, or x and y in the CRS of the project")
    return PointTable(titles, tuple(rows), place)


def titles_text(titles: Sequence[str]) -> str:
    """Return the titles that a file has, for a message."""
    return ", ".join(titles)[:200] or "none"


def row_numbers(row: Sequence[str], columns: Sequence[int]) -> list[float] | None:
    """Return the numbers in some columns of a row; ``None`` where one is missing or no number."""
    try:
        return [number_from_text(row[column].strip()) for column in columns]
    except (ValueError, IndexError):
        return None


def _place_columns(titles: Sequence[str]) -> PlaceColumns | None:
    roles = [None if (found := parse_name(title)) is None else found.role for title in titles]
    if Role.LON in roles and Role.LAT in roles:
        return PlaceColumns((roles.index(Role.LON), roles.index(Role.LAT)), WGS84)
    east, north = (next((titles.index(one) for one in names if one in titles), None) for names in (_EAST, _NORTH))
    return None if east is None or north is None else PlaceColumns((east, north), None)
