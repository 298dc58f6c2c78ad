"""Levels and settings of a study as one line of text each, as people type them in a form.

Levels are values with commas between, ``0, 1, 2``, or a range, ``0.6 to 0.95 in 6 steps``; a Latin hypercube needs no
steps. What a case sets is ``NAME = VALUE`` with semicolons between. Days of a plan count from 0 as in a study file,
with spaces between: ``2 3``; ``none`` is no day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from firegui.domain.study import Value, Vary

NO_DAYS = "none"
_RANGE = re.compile(r"(\S+)\s+to\s+(\S+)(?:\s+in\s+(\S+)\s+steps?)?")
_YES, _NO = ("true", "yes"), ("false", "no")
KindOf = Callable[[str], type[Any] | None]
"""Returns the type of the value of a factor, ``None`` for an unknown factor."""


def plain_text(value: Value) -> str:
    """Return a value as it is typed; it reads back exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or NO_DAYS
    return repr(value) if isinstance(value, float) else str(value)


def levels_text(each: Vary) -> str:
    """Return the levels of a factor as they are typed."""
    if each.values or each.low is None or each.high is None:
        return ", ".join(map(plain_text, each.values))
    steps = f" in {each.steps} steps" if each.steps else ""
    return f"{plain_text(each.low)} to {plain_text(each.high)}{steps}"


def read_levels(name: str, text: str, kind: type[Any] | None) -> Vary:
    """Return the factor ``name`` with the levels in ``text``.

    Raises ``ValueError`` with what cannot be read.
    """
    found = _RANGE.fullmatch(text.strip())
    if found is not None and kind in (int, float, None):
        low, high, steps = found.groups()
        return Vary(name, low=_number(low), high=_number(high), steps=0 if steps is None else _whole(steps))
    return Vary(name, tuple(read_value(part, kind) for part in _parts(text, ",")))


def settings_text(settings: Mapping[str, Value]) -> str:
    """Return factors and what they are set to as they are typed."""
    return "; ".join(f"{name} = {plain_text(value)}" for name, value in settings.items())


def read_settings(text: str, kind_of: KindOf) -> dict[str, Value]:
    """Return the factors in ``text`` and their values. Raises ``ValueError`` with what cannot be read."""
    found: dict[str, Value] = {}
    for part in _parts(text, ";"):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not (name and equals and value):
            raise ValueError(f"{part!r} is not NAME = VALUE")
        if name in found:
            raise ValueError(f"{name} is set twice")
        found[name] = read_value(value, kind_of(name))
    return found


def read_value(text: str, kind: type[Any] | None) -> Value:
    """Return the value of type ``kind`` in ``text``. Raises ``ValueError``."""
    if kind is None:
        return _guessed(text)
    if kind is tuple:
        return () if text == NO_DAYS else tuple(_whole(day) for day in text.split())
    if kind is bool:
        if text.lower() in (*_YES, *_NO):
            return text.lower() in _YES
        raise ValueError(f"{text!r} is not true or false")
    if kind is int:
        return _whole(text)
    if kind is float:
        return _number(text)
    if isinstance(kind, type) and issubclass(kind, Enum):
        choices = [str(member.value) for member in kind]
        if text not in choices:
            raise ValueError(f"{text!r} is not one of {', '.join(choices)}")
    return text


def _guessed(text: str) -> Value:
    """Return a number where ``text`` is one, else the text itself."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _parts(text: str, between: str) -> list[str]:
    return [part.strip() for part in text.split(between) if part.strip()]


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None
