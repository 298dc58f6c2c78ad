"""Every problem is reported, each with its place and its remedy."""

from __future__ import annotations

import pytest

from firegui.errors import CancelledError, FireguiError, InputError, Problem, Problems


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


def test_every_deliberate_error_has_the_same_base() -> None:
    assert issubclass(InputError, FireguiError)
    assert issubclass(CancelledError, FireguiError)
