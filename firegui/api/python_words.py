"""Errors in the words of the Python interface: keywords in place of options and of titles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import ParamSpec, TypeVar

from firegui.errors import InputError, Problem

P = ParamSpec("P")
R = TypeVar("R")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_SWITCHES = {"resume": "resume=True", "closed-loop": "closed_loop=True"}
_RENAMED = {"lr": "learning_rate", "every": "every_hours", "stop-at": "stop_at_day", "repair": "repair_hours"}


def python_interface(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` with an :class:`~firegui.errors.InputError` that names keywords, not options.

    A setting is named by its keyword, or by its attribute where the function has no such keyword.
    """

    @wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*arguments, **keywords)
        except InputError as error:
            problems = [_reworded(problem, keywords) for problem in error.problems]
            if problems == list(error.problems):
                raise
            raise InputError(problems, error.title) from error

    return call


def _reworded(problem: Problem, keywords: Mapping[str, object]) -> Problem:
    if problem.setting is not None:
        prefixed = f"{problem.setting.prefix}_{problem.setting.name}"
        problem = problem.renamed(prefixed if prefixed in keywords else problem.setting.name)
    what, remedy = keyword_text(problem.what), keyword_text(problem.remedy)
    return replace(problem, where=_OPTION.sub(_keyword, problem.where), what=what, remedy=remedy)


def keyword_text(text: str) -> str:
    """Return ``text`` with keywords in place of command-line options."""
    return _OPTION.sub(lambda found: f"`{_keyword(found)}`", text)


def _keyword(found: re.Match[str]) -> str:
    option = found[1]
    return _SWITCHES.get(option) or _RENAMED.get(option) or option.replace("-", "_")
