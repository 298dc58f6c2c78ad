"""TOML in and out.

Reading is strict: every unknown key, missing key and wrong type is reported, not only the first. :func:`plain_words`
says for people what msgspec cannot read. The standard library does not write TOML: whatever firegui writes as TOML goes
through :func:`dumps`. tomli-w takes neither NumPy's numbers nor text that is not UTF-8, and spreads every list of
numbers over lines, one for each.
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
from typing import Any, TypeVar, cast, get_type_hints

import msgspec

from firegui.domain.options import stored_fields
from firegui.errors import Problems
from firegui.io.source_files import read_text

T = TypeVar("T")

_hints = cast(Callable[[type[Any]], Mapping[str, Any]], cache(get_type_hints))
"""Returns the types of the fields of a dataclass. Python itself compiles their texts at each question."""

_LARGEST = sys.float_info.max
NESTED = "its values are nested too deeply to be read"
"""What is said of a document of text whose lists or tables lie in each other without end."""
_REMEDY_UNKNOWN = "remove it or correct its spelling"


class Table:
    """A mapping that is read key by key; problems are collected in ``problems`` under the place ``where``."""

    def __init__(self, raw: Any, where: str, problems: Problems) -> None:
        self.where, self.problems = where, problems
        self._raw: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        self._asked: set[str] = set()
        self.is_table = isinstance(raw, Mapping)
        if not self.is_table:
            problems.add(where, f"is {_kind(raw)}, not a table", "write it as key = value lines")

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    @property
    def names(self) -> tuple[str, ...]:
        """Every key, in order."""
        return tuple(self._raw)

    def raw(self, key: str) -> Any:
        """Return the value as it stands, ``None`` when absent; counts as read."""
        self._asked.add(key)
        return self._raw.get(key)

    def take(self, key: str, kind: Callable[..., T], fallback: Any = MISSING) -> T:
        """Return the value of ``key`` as ``kind``.

        ``int`` is accepted for ``float``, nothing else is converted. Without ``fallback`` the key is required. When
        there is a problem it is noted and a stand-in returned, so that reading can go on; do not use the result before
        the problems have been raised.
        """
        self._asked.add(key)
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
        self._asked.add(key)
        if key in self._raw:
            return Table(self._raw[key], f"{self.where} [{key}]", self.problems)
        if self.is_table:
            self.problems.add(self.where, f"the table [{key}] is missing", f"add [{key}]")
        blank = Table({}, f"{self.where} [{key}]", Problems())
        blank.is_table = False
        return blank

    def tables(self, key: str) -> list[Table]:
        """Return the array of tables ``key``; an absent one is empty."""
        self._asked.add(key)
        raw = self._raw.get(key, [])
        if not isinstance(raw, list):
            self.problems.add(
                self.where, f"{key} is {_kind(raw)}, not a list of tables", f"write [[{key}]] once per entry"
            )
            return []
        return [Table(item, f"{self.where} {key} {number + 1}", self.problems) for number, item in enumerate(raw)]

    def finish(self) -> None:
        """Report every key that was not read."""
        for key in self._raw:
            if key not in self._asked:
                self.problems.add(self.where, f"{key} is not known here", _REMEDY_UNKNOWN)

    def _stand_in(self, fallback: Any) -> Any:
        return None if fallback is MISSING else fallback


def read_toml(path: Path, problems: Problems) -> dict[str, Any] | None:
    """Parse a TOML file; a file that cannot be read or parsed is reported and ``None`` returned."""
    text = read_text(path, problems)
    return None if text is None else parse_toml(text, str(path), problems)


def parse_toml(text: str, where: str, problems: Problems) -> dict[str, Any] | None:
    """Parse a TOML document that came from ``where``.

    One that cannot be is reported and ``None`` returned.
    """
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # A document that ends within a value says so in these words, wherever it was cut.
        ended = "(at end of document)" in str(error)
        what = f"is not valid TOML: {plain_words(error)}" + ("; it ends before it is complete" if ended else "")
        problems.add(where, what, "correct that place")
        return None
    too_large = list(too_large_numbers(raw))
    for what in too_large:
        problems.add(where, what, "write a smaller number there")
    return None if too_large else raw


def too_large_numbers(value: Any, place: str = "") -> Iterator[str]:
    """Yield a sentence on every whole number in a document that no float holds.

    A whole number of TOML has 64 bits. That of ``tomllib`` has as many as it is written with.
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
    """Read a dataclass field by field from ``table``, nested dataclasses from sub-tables.

    Every field is required unless ``lenient`` and it has a default. Returns ``None`` when anything was wrong.
    """
    before = len(table.problems)
    values = read_fields(cls, table, lenient=lenient)
    return cls(**values) if table.is_table and len(table.problems) == before else None


def read_fields(cls: type[Any], table: Table, *, lenient: bool = False) -> dict[str, Any]:
    """Return the fields of a dataclass that could be read, as :func:`read_dataclass` reads them.

    The others are reported.
    """
    hints = _hints(cls)
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

    Plain values only, numbers in the type the field declares. Fields without a value are left out.
    """
    hints = _hints(type(value))
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
    # 1200 and 1200.0 are one value to people; writing the declared type keeps files and hashes the same.
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
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "one of " + ", ".join(str(member.value) for member in kind)
    names: dict[Any, str] = {
        str: 'text in quotes, as in "name"', int: "a whole number", float: "a number", bool: "true or false",
        float | None: "a number",
    }  # fmt: skip
    return names.get(kind, f"{kind}".replace("typing.", "")) if kind in names else "a value of that type"


def _kind(raw: Any) -> str:
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
    """Return the message of a failed conversion without the names that only programmers know.

    Others as they are.
    """
    if isinstance(error, RecursionError):
        return NESTED
    text = str(error)
    place = _PLACE.search(text)
    where = f" at {place[1]}" if place and place[1] else ""
    if found := _LENGTH.search(text):
        return f"has {_values(int(found[2]))} instead of {found[1]}{where}"
    if found := _TYPE.search(text):
        return f"is {_kind_named(found[2])}, not {_kind_named(found[1])}{where}"
    if found := _MISSING.search(text):
        return f"{found[1]} is missing{where}"
    if found := _CHOICE.search(text):
        return f"{found[1]} is not one of the values it may have{where}"
    return text


def _kind_named(name: str) -> str:
    return " or ".join(_KINDS.get(part.strip(), part.strip()) for part in name.split("|"))


def _values(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LINE = 110
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def dumps(table: Mapping[str, Any]) -> str:
    """Return ``table`` as a TOML document that ``tomllib`` reads back equal.

    Values may be strings, booleans, whole and real numbers (written so that they read back bit for bit), dates, aware
    datetimes, sequences and mappings with string keys; a non-empty sequence of mappings becomes an array of tables.
    Raises ``TypeError`` for anything else, ``None`` included: TOML has no such value, so leave the key out.
    """
    return "\n".join(_table_lines((), table)).strip("\n") + "\n"


def _table_lines(path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
    # Plain values first: after a [header] every following key would belong to that header.
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
    if len(line) <= _LINE or len(items) < 2:
        return line
    return "[\n" + "".join(f"  {item},\n" for item in items) + "]"


def _string(text: str) -> str:
    return '"' + "".join(_character(c) for c in text) + '"'


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if ord(c) < 0x20 or ord(c) == 0x7F:
        return f"\\u{ord(c):04X}"
    # A lone surrogate (an undecodable byte of a file name) is not text and cannot be written.
    return "\N{REPLACEMENT CHARACTER}" if 0xD800 <= ord(c) <= 0xDFFF else c
