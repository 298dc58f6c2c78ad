"""TOML out: the standard library reads it but does not write it. Whatever firegui writes as TOML goes through here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from numbers import Integral, Real
from typing import Any

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
