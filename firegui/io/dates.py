"""Dates of vector features: which column holds them, and what its values mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems

Column = NDArray[Any]

_DAY = re.compile(r"(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})(?:[T ].*)?")
_REMEDY = "give every perimeter a Date column (2020-08-19), or Year, Month and Day columns"


def dates_of_features(columns: Mapping[str, Column], n: int, where: str, problems: Problems) -> list[date]:
    """The local date of each of ``n`` features.

    Looked for in this order: a column named like a date; any column that holds only dates; whole-number columns Year,
    Month and Day. Features without one are reported, and the result is then incomplete.
    """
    named = [name for name in columns if name.strip().lower() == "date"] or [
        name for name in columns if "date" in name.lower()
    ]
    for name in named:
        if any(_as_date(value) is not None for value in columns[name]):
            return _checked(
                [_as_date(value) for value in columns[name]], columns[name], f"{where}, column {name}", problems
            )
    for name, column in columns.items():
        if name not in named and n > 0 and column.dtype.kind in "MOU":
            found = [_as_date(value) for value in column]
            if all(when is not None for when in found):
                return [when for when in found if when is not None]
    return _from_parts(columns, named, n, where, problems)


def _from_parts(
    columns: Mapping[str, Column], named: Sequence[str], n: int, where: str, problems: Problems
) -> list[date]:
    by_name = {name.strip().lower(): column for name, column in columns.items()}
    parts = [by_name.get(key) for key in ("year", "month", "day")]
    if any(part is None for part in parts):
        held = ", ".join(columns) or "none"
        seen = f"{named[0]} holds {str(columns[named[0]][0])!r}" if named and n else f"columns: {held}"
        problems.add(where, f"no column holds dates ({seen})", _REMEDY)
        return []
    rows = [tuple(part[i] for part in parts if part is not None) for i in range(n)]
    return _checked([_from_numbers(row) for row in rows], rows, f"{where}, columns Year, Month, Day", problems)


def _from_numbers(row: tuple[Any, ...]) -> date | None:
    try:
        year, month, day = (int(value) for value in row)
        return date(year, month, day)
    except (TypeError, ValueError, OverflowError):
        return None


def _checked(found: list[date | None], values: Any, where: str, problems: Problems) -> list[date]:
    for number, (when, value) in enumerate(zip(found, values, strict=True), start=1):
        if when is None:
            shown = " ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
            problems.add(where, f"feature {number} has {shown!r}, which is not a date", "write it as 2020-08-19")
    return [when for when in found if when is not None]


def _as_date(value: Any) -> date | None:
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else date.fromisoformat(str(value.astype("datetime64[D]")))
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = str(value).strip() if isinstance(value, (str, np.integer)) else ""
    match = _DAY.fullmatch(text)
    if match is None:
        return None
    return _from_numbers((match[1], match[3], match[4]))
