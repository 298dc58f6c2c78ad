"""Argument that most commands begin with, and groups of options."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from firegui.domain.options import limits_text, number_from_text

F = TypeVar("F", bound=Callable[..., Any])
Option = Callable[[Any], Any]
"""Decorator that adds an option or an argument to a command."""

# Whether it can be read is for its reader to say, beside everything else that is wrong with it.
FILE = click.Path(readable=False, path_type=Path)


class NumberType(click.types.FloatParamType):
    """Number as people write it, without the underscores that Python allows.

    A number out of ``low`` to ``high`` is refused. Without ``check`` that is left to the reader of the setting, who
    lists it with everything else that is wrong, and the limits only stand in what is said of a text that is not a
    number.
    """

    def __init__(
        self, kind: type[int] | type[float], low: float | None = None, high: float | None = None, *, check: bool = True
    ) -> None:
        self._kind, self._low, self._high, self._check = kind, low, high, check
        self.name = "integer" if kind is int else "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number of a text."""
        try:
            number = number_from_text(value, self._kind) if isinstance(value, str) else self._kind(value)
        except ValueError:
            known = self._low is not None or self._high is not None
            limits = f" It can be {limits_text(self._low, self._high)}." if known else ""
            written = "a whole number in digits, such as 10" if self._kind is int else "a number, such as 10 or 0.5"
            self.fail(f"{value!r} is not a valid {self.name}. Write {written}.{limits}", param, ctx)
        low = -math.inf if self._low is None else self._low
        high = math.inf if self._high is None else self._high
        if self._check and (number < low or number > high):
            self.fail(f"{number} is not in the range {limits_text(self._low, self._high)}.", param, ctx)
        return number


WHOLE = NumberType(int)
"""Type of options that take a whole number."""
NUMBER = NumberType(float)
"""Type of options that take a number."""


def whole_between(low: int, high: int) -> NumberType:
    """Return the type of options that take a whole number from ``low`` to ``high``."""
    return NumberType(int, low, high)


project_argument = click.argument("project_folder", metavar="PROJECT", type=FILE)


def option_group(*options: Option) -> Callable[[F], F]:
    """Return a decorator that adds ``options``, which the help lists in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
