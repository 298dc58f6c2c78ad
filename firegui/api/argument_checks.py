"""Checks of the types of arguments: a wrong one is a problem with a remedy, not a ``TypeError``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from firegui.errors import Problems


def is_number(value: Any, where: str, problems: Problems, *, may_be_none: bool = False) -> bool:
    """Return whether ``value`` is a number, or add a problem."""
    is_one = isinstance(value, Real) and not isinstance(value, bool)
    return (value is None and may_be_none) or is_one or _refuse(value, where, "give a number", problems)


def is_whole(value: Any, where: str, problems: Problems, *, may_be_none: bool = False) -> bool:
    """Return whether ``value`` is a whole number, or add a problem."""
    is_one = isinstance(value, Integral) and not isinstance(value, bool)
    return (value is None and may_be_none) or is_one or _refuse(value, where, "give a whole number", problems)


def is_mapping(value: Any, where: str, example: str, problems: Problems) -> bool:
    """Return whether ``value`` is a mapping, or add a problem with an ``example`` of one."""
    return isinstance(value, Mapping) or _refuse(value, where, f"give a mapping such as {example}", problems)


def is_string(value: Any, where: str, problems: Problems, *, may_be_none: bool = False) -> bool:
    """Return whether ``value`` is a string, or add a problem."""
    is_one = isinstance(value, str) or (value is None and may_be_none)
    return is_one or _refuse(value, where, "give a string", problems)


def is_path(value: Any, where: str, problems: Problems) -> bool:
    """Return whether ``value`` is a path, or add a problem."""
    return isinstance(value, str | Path) or _refuse(value, where, "give the path of a file", problems)


def strings_of(value: Any, where: str, problems: Problems) -> tuple[str, ...] | None:
    """Return the strings of a sequence or a single one, or ``None`` and add a problem."""
    strings = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if strings is None or not all(isinstance(each, str) for each in strings):
        _refuse(value, where, "give a sequence of strings", problems)
        return None
    return strings


def _refuse(value: Any, where: str, remedy: str, problems: Problems) -> bool:
    problems.add(where, f"{value!r} cannot be used", remedy)
    return False
