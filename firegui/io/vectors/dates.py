"""Dates of vector features: which column holds them, and what its values mean.

Looked for in this order, and what is found is said: a column named for the day that its perimeter shows (``Date``,
``poly_DateCurrent``, ``perDatTime`` …), one with another date in its name, one that holds only dates, whole-number
columns Year, Month and Day, one whose texts all hold a date among other words. Where several of them do, one that tells
the features apart goes before one with the same date everywhere. A date of the incident as a whole, as its discovery,
counts only where its column is chosen. Without any column the date in the file's name counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.options import number_from_text
from firegui.errors import Problems
from firegui.io.times import FIRST_YEAR, LAST_YEAR, Stamp, parse_stamp, parse_stamps

Column = NDArray[Any]

_REMEDY = "give every perimeter a Date column (2020-08-19), or Year, Month and Day columns"
_SHOWS = (
    "date", "polydatecurrent", "datecurrent", "datecur", "polypolygondatetime", "polygondatetime", "perdattime",
    "perimdatetime", "perimeterdatetime", "perdatetime", "flightdate", "imagedate", "imgdatetime", "irdate", "acqdate",
    "datetime", "timestamp", "when", "begin", "polydatec", "polypolyg", "datecurren", "polygondat",
)  # fmt: skip
"""Names of the day that a perimeter shows, as NIFC, NIROPS, GeoMAC and KML call it, without marks and cases.
The last are as shapefiles cut them."""

_OF_THE_RECORD = ("creat", "edit", "modif", "updat", "out", "start", "load", "end")
"""A date of the record or of the incident as a whole, which a perimeter need not show."""

_OF_THE_INCIDENT = (
    "discov", "contai", "contro", "alarm", "ignit", "igdate", "contdate", "outdate", "firedate", "attrfire", "attrcont",
)  # fmt: skip
"""Dates of the whole incident: a perimeter that has no other is not known to be of that day, and most often the last.
MTBS, CAL FIRE and the national archive of final perimeters have such. A shapefile cuts names to ten letters, such as
``FireDiscov`` and ``attr_FireD`` of ``attr_FireDiscoveryDateTime``."""

_AMERICAN = ("polydatecurrent", "datecurrent", "datecur", "perdattime", "polypolygondatetime", "perimdatetime")
_MILLISECONDS = re.compile(r"-?\d{12,13}(?:\.0*)?")
_IN_TEXT = re.compile(
    r"(?<!\d)(?:\d{4}([-_./])\d{1,2}\1\d{1,2}|(?:19|20)\d{6}|\d{1,2}([-/.])\d{1,2}\2\d{4}"
    r"|\d{1,2}[- ]?[A-Za-z]{3,9}\.?[-, ]*\d{4}|[A-Za-z]{3,9}\.? \d{1,2}, *\d{4})(?!\d)"
)


@dataclass(frozen=True, slots=True)
class FeatureDates:
    """The local date of every feature, its column, every column that holds dates, and notes."""

    dates: tuple[date, ...]
    column: str
    offered: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A column and what its values are; ``None`` for those that are not dates."""

    name: str
    found: tuple[date | None, ...]
    notes: tuple[str, ...]
    rank: int

    @property
    def is_whole(self) -> bool:
        return all(when is not None for when in self.found)

    @property
    def differs(self) -> bool:
        return len({when for when in self.found if when is not None}) > 1


def find_dates(
    columns: Mapping[str, Column], n: int, where: str, problems: Problems, wanted: str | None, utc_offset_h: float,
    by_file: bool = False,
) -> FeatureDates | None:  # fmt: skip
    """Return the local date of each of ``n`` features, from the column ``wanted`` or by the order above.

    Where no column holds dates, that in the name ``where`` of the file counts if ``by_file``. Times with an offset are
    brought to local time. Features without a date are reported and ``None`` returned.
    """
    candidates = sorted(_candidates(columns, n, utc_offset_h), key=lambda one: one.rank)
    offered = tuple(one.name for one in candidates if one.is_whole)
    if wanted is not None:
        candidates = [one for one in candidates if one.name.lower() == wanted.strip().lower()]
        if not candidates:
            held = ", ".join(columns) or "none"
            problems.add(where, f"its column {wanted!r} holds no dates or is not there (columns: {held})", _REMEDY)
            return None
    if not candidates:
        named = _in_words([where]) if by_file and n else None
        if named is None:
            problems.add(where, f"no column holds dates ({_seen(columns, n)})", _REMEDY)
            return None
        return FeatureDates(named * n, "", (), (f"The perimeters' date is taken from the name of {where}.",))
    best = _best(candidates)
    if wanted is None and _is_of_the_incident(best.name):
        what = f"its only date is {best.name}, which is of the fire as a whole and not of the day this perimeter shows"
        problems.add(where, what, f"{_REMEDY}; if it is that day, choose the column (--perimeters-date {best.name})")
        return None
    if not best.is_whole:
        _report(best, columns, where, problems)
        return None
    said = [*best.notes]
    if best.rank > 0 and wanted is None:
        said.append(f"The perimeters' dates are taken from {best.name}.")
    return FeatureDates(tuple(when for when in best.found if when is not None), best.name, offered, tuple(said))


def date_columns(columns: Mapping[str, Column], n: int) -> tuple[str, ...]:
    """Return the columns that hold a date for every one of ``n`` features, the likeliest first."""
    candidates = sorted(_candidates(columns, n, 0.0), key=lambda one: one.rank)
    return tuple(one.name for one in candidates if one.is_whole)


def _is_of_the_incident(name: str) -> bool:
    plain = re.sub(r"[^a-z]", "", name.lower())
    return any(word in plain for word in _OF_THE_INCIDENT)


def _best(candidates: Sequence[_Candidate]) -> _Candidate:
    """Return the first that tells the features apart, of those that may be the day shown; else the first."""
    if candidates[0].rank == _NAMED and candidates[0].differs:
        return candidates[0]
    pool = [one for one in candidates if one.rank <= _OF_PARTS] or candidates
    return next((one for one in pool if one.differs and one.is_whole), candidates[0])


_PARTS = "Year, Month, Day"
_NAMED, _OTHER_NAME, _BY_CONTENT, _RECORD, _OF_PARTS, _IN_WORDS = 0, 1, 2, 4, 3, 5


def _candidates(columns: Mapping[str, Column], n: int, utc_offset_h: float) -> Iterator[_Candidate]:
    if n == 0:
        return
    for name, column in columns.items():
        plain = re.sub(r"[^a-z]", "", name.lower())
        by_name = plain in _SHOWS or "date" in plain
        if not by_name and column.dtype.kind not in "MOU":
            continue
        texts = [_text(value) for value in column]
        found, notes = _dates(texts, plain, by_name, utc_offset_h)
        if by_name and any(when is not None for when in found):
            of_record = any(word in plain for word in (*_OF_THE_RECORD, *_OF_THE_INCIDENT))
            # The very word goes before its relatives.
            rank = _NAMED if plain in _SHOWS else _RECORD if of_record else _OTHER_NAME
            yield _Candidate(name, found, notes, rank)
        elif not by_name and all(when is not None for when in found):
            yield _Candidate(name, found, notes, _BY_CONTENT)
        elif column.dtype.kind in "OU" and (inside := _in_words(texts)) is not None:
            yield _Candidate(name, inside, (), _IN_WORDS)
    parts = _from_parts(columns, n)
    if parts is not None:
        yield _Candidate(_PARTS, parts, (), _OF_PARTS)


def _dates(
    texts: Sequence[str], plain: str, by_name: bool, utc_offset_h: float
) -> tuple[tuple[date | None, ...], tuple[str, ...]]:
    """Return the local dates of a column's values, and what was assumed of them."""
    # Many features share a text: each is parsed once.
    different = list(dict.fromkeys(texts))
    if by_name and all(_MILLISECONDS.fullmatch(text) for text in different):
        stamps = tuple(_since_1970(text) for text in different)
        said = ["Milliseconds since 1970 were read as UTC."]
    else:
        parsed, said = parse_stamps(different), []
        stamps = parsed.stamps
        if parsed.month_first is None and plain in _AMERICAN and not all(stamps):
            stamps = tuple(parse_stamp(text, month_first=True) for text in different)
            said = ["The month is taken to come before the day, as the services write that use this column."]
    zoned = any(stamp is not None and stamp.moment.tzinfo is not None for stamp in stamps)
    if zoned:
        said.append(f"Times with an offset were brought to local time, {utc_offset_h:+g} hours from UTC.")
    dates = {text: _local(stamp, utc_offset_h) for text, stamp in zip(different, stamps, strict=True)}
    return tuple(dates[text] for text in texts), tuple(said)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, np.datetime64) and np.isnat(value)):
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.0f}" if np.isfinite(value) else ""
    return str(value).strip()


def _since_1970(text: str) -> Stamp | None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=number_from_text(text))
    return Stamp(moment, True) if FIRST_YEAR <= moment.year <= LAST_YEAR else None


def _local(stamp: Stamp | None, utc_offset_h: float) -> date | None:
    if stamp is None:
        return None
    if stamp.moment.tzinfo is None:
        return stamp.moment.date()
    return (stamp.moment.astimezone(UTC) + timedelta(hours=utc_offset_h)).date()


def _in_words(texts: Sequence[str]) -> tuple[date, ...] | None:
    """Return dates among other words, such as ``Bear 2020-08-19 IR``; ``None`` unless every text has one."""
    parts = {}
    for text in dict.fromkeys(texts):
        match = _IN_TEXT.search(text)
        if match is None:
            return None
        parts[text] = match[0].replace("_", "-")
    stamps = zip(parts, parse_stamps(list(parts.values())).stamps, strict=True)
    dates = {text: stamp.moment.date() for text, stamp in stamps if stamp is not None}
    return tuple(dates[text] for text in texts) if len(dates) == len(parts) else None


def _from_parts(columns: Mapping[str, Column], n: int) -> tuple[date | None, ...] | None:
    by_name = {name.strip().lower(): column for name, column in columns.items()}
    parts = [by_name.get(key) for key in ("year", "month", "day")]
    if any(part is None for part in parts):
        return None
    return tuple(_from_numbers([part[i] for part in parts if part is not None]) for i in range(n))


def _from_numbers(row: Sequence[Any]) -> date | None:
    try:
        year, month, day = (int(value) for value in row)
        return date(year, month, day)
    except (TypeError, ValueError, OverflowError):
        return None


def _report(best: _Candidate, columns: Mapping[str, Column], where: str, problems: Problems) -> None:
    """Report each value of the best column that is not a date."""
    by_name = {name.strip().lower(): column for name, column in columns.items()}
    for index, when in enumerate(best.found):
        if when is None:
            values = (
                [by_name[key][index] for key in ("year", "month", "day")]
                if best.name == _PARTS
                else [columns[best.name][index]]
            )
            shown = " ".join(str(value) for value in values)
            what = f"feature {index + 1} has {shown!r}, which is not a date"
            problems.add(f"{where}, column {best.name}", what, "write it as 2020-08-19")


def _seen(columns: Mapping[str, Column], n: int) -> str:
    """Return what there is instead of dates.

    The first value of a column that is called by the date, else all names.
    """
    for name, column in columns.items():
        if n and "date" in name.lower():
            return f"{name} holds {str(column[0])!r}"
    return f"columns: {', '.join(columns) or 'none'}"
