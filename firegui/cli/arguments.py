"""Argument that most commands begin with, and groups of options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
Option = Callable[[Any], Any]
"""Decorator that adds an option or an argument to a command."""

# Whether it can be read is for its reader to say, beside everything else that is wrong with it.
FILE = click.Path(readable=False, path_type=Path)

project_argument = click.argument("project_folder", metavar="PROJECT", type=FILE)


def option_group(*options: Option) -> Callable[[F], F]:
    """Return a decorator that adds ``options``, which the help lists in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
