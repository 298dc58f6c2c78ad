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
    """Number as people write it, without the underscores that Python allows."""

    def __init__(self, kind: type[int] | type[float], low: float = -math.inf, high: float = math.inf) -> None:
        self._kind, self._low, self._high = kind, low, high
        self.name = "integer" if kind is int else "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number of a text."""
        try:
            number = number_from_text(value, self._kind) if isinstance(value, str) else self._kind(value)
        except ValueError:
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        if number < self._low or number > self._high:
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
