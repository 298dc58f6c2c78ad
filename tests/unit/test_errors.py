"""Every problem is reported, each with its place and its remedy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import firegui
from firegui.errors import CancelledError, FireguiError, InputError, Problem, Problems, without_options

SHARED = ("analyses", "domain", "ensembles", "fire", "io", "planning", "rollout", "runs")
"""Packages whose messages reach the window too."""


def test_one_error_lists_every_problem_with_place_and_remedy() -> None:
    problems = Problems()
    problems.add("fleet.toml, row 2", "payload_gal is -1", "use a number above 0")
    problems.add("fleet.toml, row 3", "the id is empty")

    with pytest.raises(InputError) as caught:
        problems.raise_if_any("The fleet cannot be used")

    assert str(caught.value).splitlines() == [
        "The fleet cannot be used:",
        "  • fleet.toml, row 2: payload_gal is -1 — use a number above 0",
        "  • fleet.toml, row 3: the id is empty",
    ]
    assert [problem.where for problem in caught.value.problems] == ["fleet.toml, row 2", "fleet.toml, row 3"]


def test_nothing_is_raised_when_nothing_is_wrong() -> None:
    problems = Problems()

    problems.raise_if_any()

    assert not problems


def test_problems_found_elsewhere_are_reported_too() -> None:
    problems = Problems()
    problems.add("a", "one")
    problems.extend([Problem("b", "two"), Problem("c", "three")])

    assert [problem.what for problem in problems] == ["one", "two", "three"]
    assert problems


def test_what_a_problem_quotes_of_a_file_is_one_short_line_that_can_be_read() -> None:
    problem = Problem("a\nb.nc", "has no variable x\x00\x1b[2J\u202e\ud800", "use 2 m — °\u202f")
    assert str(problem) == "a\\nb.nc: has no variable x\\x00\\x1b[2J\\u202e\\ud800 — use 2 m — °\u202f"
    assert Problem("a", "x" * 5_000).what == "x" * 1_000 + "…"


def test_every_deliberate_error_has_the_same_base() -> None:
    assert issubclass(InputError, FireguiError)
    assert issubclass(CancelledError, FireguiError)


def test_the_window_leaves_out_the_options_of_the_command_line() -> None:
    told = InputError([Problem("grid CRS (--crs)", "is wrong", "say which (--band slope=1), or give a file (--lcp)")])
    (problem,) = told.for_window().problems
    assert str(problem) == "grid CRS: is wrong — say which, or give a file"
    plain = InputError([Problem("fleet (planned)", "is empty", "add a type")], "Refused")
    assert plain.for_window() is plain


def test_shared_messages_name_options_in_brackets_alone_so_that_the_window_can_leave_them_out() -> None:
    assert [text for text in told_texts() if "--" in without_options(text)] == []


def told_texts() -> Iterator[str]:
    """Yield the texts of the problems that the shared packages tell, with ``1`` for values."""
    for package in SHARED:
        for file in (Path(firegui.__file__).parent / package).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            if "--" in text:
                yield from (told for call in ast.walk(ast.parse(text)) for told in texts_in(call))


def texts_in(call: ast.AST) -> Iterator[str]:
    """Yield the texts among the arguments of a call that makes a problem."""
    if not isinstance(call, ast.Call) or ast.unparse(call.func).rpartition(".")[2] not in (
        "Problem",
        "add",
        "_refusal",
    ):
        return
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value
        elif isinstance(argument, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "1" for part in argument.values)


def test_problems_are_counted() -> None:
    problems = Problems()
    assert not problems and len(problems) == 0
    problems.add("a", "is missing")
    problems.extend([Problem("b", "is missing")])
    assert problems and len(problems) == 2
