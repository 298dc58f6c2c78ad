"""Reading and writing of TOML.

Reading is strict: every unknown key, missing key and wrong type is reported, not only the first one.
:func:`plain_words` rewrites the errors of msgspec for users. The standard library cannot write TOML, so that all TOML
of firegui is written by :func:`dumps`. The library tomli-w is not used, because it refuses the numbers of NumPy and
text that is not UTF-8, and writes every number of a list on a line of its own.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_type_hints

import msgspec

from firegui.domain.options import stored_fields
from firegui.errors import Problems
from firegui.io.source_files import read_text

T = TypeVar("T")

_field_types = cast(Callable[[type[Any]], Mapping[str, Any]], cache(get_type_hints))
"""Function that returns the types of the fields of a dataclass. It is cached, because each call evaluates all types."""

_LARGEST = sys.float_info.max
NESTED = "its values are nested too deeply to be read"
"""Message on a document with too many levels of lists or tables."""
_REMEDY_UNKNOWN = "remove it or correct its spelling"


class Table:
    """Mapping that is read key by key. Problems are added to ``problems`` with the place ``where``."""

    def __init__(self, raw: Any, where: str, problems: Problems) -> None:
        self.where, self.problems = where, problems
        self._raw: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        self._read_keys: set[str] = set()
        self.is_table = isinstance(raw, Mapping)
        if not self.is_table:
            problems.add(where, f"is {_kind_of(raw)}, not a table", "write it as key = value lines")

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    @property
    def names(self) -> tuple[str, ...]:
        """Every key, in order."""
        return tuple(self._raw)

    def raw(self, key: str) -> Any:
        """Return a value without a check, ``None`` if absent. The key counts as read."""
        self._read_keys.add(key)
        return self._raw.get(key)

    def take(self, key: str, kind: Callable[..., T], fallback: Any = MISSING) -> T:
        """Return the value of ``key`` as ``kind``.

        ``int`` is accepted for ``float``; nothing else is converted. Without ``fallback`` the key is required. With a
        problem the result is ``fallback`` or ``None``, so that reading can continue. Raise the problems before you use
        the result.
        """
        self._read_keys.add(key)
        if key not in self._raw:
            if fallback is MISSING and self.is_table:
                self.problems.add(self.where, f"{key} is missing", f"add {key} = …")
            return cast(T, self._stand_in(fallback))
        try:
            return cast(T, msgspec.convert(self._raw[key], kind, strict=True))
        except (msgspec.ValidationError, ValueError) as error:
            self.problems.add(
                self.where, f"{key}: {_describe_error(error, self._raw[key])}", f"write {_describe(kind)}"
            )
            return cast(T, self._stand_in(fallback))

    def table(self, key: str) -> Table:
        """Return the required sub-table ``key``."""
        self._read_keys.add(key)
        if key in self._raw:
            return Table(self._raw[key], f"{self.where} [{key}]", self.problems)
        if self.is_table:
            self.problems.add(self.where, f"the table [{key}] is missing", f"add [{key}]")
        blank = Table({}, f"{self.where} [{key}]", Problems())
        blank.is_table = False
        return blank

    def tables(self, key: str) -> list[Table]:
        """Return the array of tables ``key``; an absent array is empty."""
        self._read_keys.add(key)
        raw = self._raw.get(key, [])
        if not isinstance(raw, list):
            self.problems.add(
                self.where, f"{key} is {_kind_of(raw)}, not a list of tables", f"write [[{key}]] once per entry"
            )
            return []
        return [Table(item, f"{self.where} {key} {number + 1}", self.problems) for number, item in enumerate(raw)]

    def finish(self) -> None:
        """Report every key that was not read."""
        for key in self._raw:
            if key not in self._read_keys:
                self.problems.add(self.where, f"{key} is not known here", _REMEDY_UNKNOWN)

    def _stand_in(self, fallback: Any) -> Any:
        return None if fallback is MISSING else fallback


def read_toml(path: Path, problems: Problems) -> dict[str, Any] | None:
    """Return the content of a TOML file, or ``None`` with problems."""
    text = read_text(path, problems)
    return None if text is None else parse_toml(text, str(path), problems)


def parse_toml(text: str, where: str, problems: Problems) -> dict[str, Any] | None:
    """Return the content of a TOML document from ``where``, or ``None`` with problems."""
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # The error of `tomllib` has these words for every document that ends within a value.
        ended = "(at end of document)" in str(error)
        what = f"is not valid TOML: {plain_words(error)}" + ("; it ends before it is complete" if ended else "")
        problems.add(where, what, "correct that place")
        return None
    too_large = list(too_large_numbers(raw))
    for what in too_large:
        problems.add(where, what, "write a smaller number there")
    return None if too_large else raw


def too_large_numbers(value: Any, place: str = "") -> Iterator[str]:
    """Yield a sentence on every whole number in a document that is beyond the range of a float.

    TOML has whole numbers of 64 bits, but ``tomllib`` reads whole numbers of any length.
    """
    if isinstance(value, dict):
        for key, part in value.items():
            yield from too_large_numbers(part, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from too_large_numbers(part, f"{place}[{number}]")
    elif isinstance(value, int) and abs(value) > _LARGEST:
        yield f"{place} is a whole number beyond {_LARGEST:.4g}"


def read_dataclass(cls: type[T], table: Table, *, lenient: bool = False) -> T | None:
    """Return a dataclass that is read from ``table``, or ``None`` with problems.

    Nested dataclasses are read from sub-tables. Every field is required, unless ``lenient`` and it has a default.
    """
    before = len(table.problems)
    values = read_fields(cls, table, lenient=lenient)
    return cls(**values) if table.is_table and len(table.problems) == before else None


def read_fields(cls: type[Any], table: Table, *, lenient: bool = False) -> dict[str, Any]:
    """Return the readable fields of a dataclass by name, read as by :func:`read_dataclass`.

    Problems of all other fields are added to those of ``table``.
    """
    hints = _field_types(cls)
    values: dict[str, Any] = {}
    for item in stored_fields(cls):
        before = len(table.problems)
        kind, value = hints[item.name], None
        if isinstance(kind, type) and is_dataclass(kind):
            value = read_dataclass(kind, table.table(item.name), lenient=lenient)
        else:
            value = table.take(item.name, kind, _default(item) if lenient else MISSING)
        if table.is_table and len(table.problems) == before:
            values[item.name] = value
    table.finish()
    return values


def as_table(value: Any) -> dict[str, Any]:
    """Return a dataclass as plain values, the inverse of :func:`read_dataclass`.

    Numbers have the type that the field declares. Fields that are ``None`` are left out.
    """
    hints = _field_types(type(value))
    table: dict[str, Any] = {}
    for item in stored_fields(value):
        entry, kind = getattr(value, item.name), hints[item.name]
        if is_dataclass(entry):
            table[item.name] = as_table(entry)
        elif entry is not None:
            table[item.name] = _plain(entry, kind)
    return table


def _plain(entry: Any, kind: Any) -> Any:
    if isinstance(entry, Enum):
        return entry.value
    # A field may hold 1200 or 1200.0. Writing the declared type keeps files and hashes equal.
    if kind in (float, float | None):
        return float(entry)
    return list(entry) if isinstance(entry, tuple) else entry


def _default(item: Field[Any]) -> Any:
    return item.default


def _describe_error(error: Exception, raw: Any) -> str:
    text = plain_words(error)
    shown = repr(raw)
    return f"{text} ({shown if len(shown) <= 60 else shown[:57] + '…'})"


def _describe(kind: Any) -> str:
    others = [part for part in get_args(kind) if part is not NoneType]
    if len(others) == 1 and NoneType in get_args(kind):
        kind = others[0]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "one of " + ", ".join(str(member.value) for member in kind)
    names: dict[Any, str] = {
        str: 'text in quotes, as in "name"', int: "a whole number", float: "a number", bool: "true or false",
    }  # fmt: skip
    return names.get(kind, f"{kind}".replace("typing.", "")) if kind in names else "a value of that type"


def _kind_of(raw: Any) -> str:
    names = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list"}
    return names.get(type(raw), "not there" if raw is None else f"a {type(raw).__name__}")


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "date": "a date",
    "datetime": "a time",
}
_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `array` of length (\d+), got (\d+)")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_CHOICE = re.compile(r"Invalid enum value (.+?)(?: - at|$)")
_PLACE = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`")


def plain_words(error: Exception) -> str:
    """Return the message of a failed conversion with plain names of types. Other messages do not change."""
    if isinstance(error, RecursionError):
        return NESTED
    text = str(error)
    place = _PLACE.search(text)
    where = f" at {place[1]}" if place and place[1] else ""
    if found := _LENGTH.search(text):
        return f"has {_count_words(int(found[2]))} instead of {found[1]}{where}"
    if found := _TYPE.search(text):
        return f"is {_kind_words(found[2])}, not {_kind_words(found[1])}{where}"
    if found := _MISSING.search(text):
        return f"{found[1]} is missing{where}"
    if found := _CHOICE.search(text):
        return f"{found[1]} is not one of the values it may have{where}"
    return text


def _kind_words(name: str) -> str:
    return " or ".join(_KINDS.get(part.strip(), part.strip()) for part in name.split("|"))


def _count_words(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MOST_CHARACTERS = 110
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def dumps(table: Mapping[str, Any]) -> str:
    """Return ``table`` as a TOML document that ``tomllib`` reads back equal.

    Values may be strings, booleans, whole and real numbers (written so that they read back bit for bit), dates, aware
    datetimes, sequences and mappings with string keys; a non-empty sequence of mappings becomes an array of tables.
    Raises ``TypeError`` for anything else, ``None`` included: TOML has no such value, so leave the key out.
    """
    return "\n".join(_table_lines((), table)).strip("\n") + "\n"


def _table_lines(path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
    # Plain values come first, because all keys after a [header] belong to that header.
    nested = {key: value for key, value in table.items() if isinstance(value, Mapping) or _is_table_array(value)}
    for key, value in table.items():
        if key not in nested:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in nested.items():
        inner = (*path, key)
        name = ".".join(_key(part) for part in inner)
        if isinstance(value, Mapping):
            yield from ("", f"[{name}]")
            yield from _table_lines(inner, value)
        else:
            for item in value:
                yield from ("", f"[[{name}]]")
                yield from _table_lines(inner, item)


def _is_table_array(value: Any) -> bool:
    return _is_sequence(value) and len(value) > 0 and all(isinstance(item, Mapping) for item in value)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a TOML key must be text, not {key!r}")
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, datetime):
        return _datetime(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + "}"
    if _is_sequence(value):
        return _array([_value(item) for item in value])
    raise TypeError(f"TOML cannot hold {value!r}")


def _datetime(value: datetime) -> str:
    text = value.isoformat()
    return (
        text.removesuffix("+00:00") + "Z"
        if value.tzinfo is not None and value.utcoffset() == UTC.utcoffset(None)
        else text
    )


def _array(items: list[str]) -> str:
    line = "[" + ", ".join(items) + "]"
    if len(line) <= _MOST_CHARACTERS or len(items) < 2:
        return line
    return "[\n" + "".join(f"  {item},\n" for item in items) + "]"


def _string(text: str) -> str:
    return '"' + "".join(_character(c) for c in text) + '"'


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if ord(c) < 0x20 or ord(c) == 0x7F:
        return f"\\u{ord(c):04X}"
    # A lone surrogate, which stands for an undecodable byte of a file name, cannot be written as UTF-8.
    return "\N{REPLACEMENT CHARACTER}" if 0xD800 <= ord(c) <= 0xDFFF else c
