from __future__ import annotations

from typing import Any

import pytest

from firegui.domain.settings import Setting
from firegui.domain.study import Value, Vary
from firegui.domain.study_text import levels_text, read_levels, read_settings, settings_text

KINDS: dict[str, Any] = {
    "count": int, "nominal": float, "days off": tuple, "planner": str, "full": bool, "setting": Setting,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "each", "text"),
    [
        (int, Vary("x", (0, 1, 2)), "0, 1, 2"),
        (float, Vary("x", (0.1 + 0.2, 1e-06)), "0.30000000000000004, 1e-06"),
        (float, Vary("x", (), 0.6, 0.95, 4), "0.6 to 0.95 in 4 steps"),
        (float, Vary("x", (), 0.6, 0.95), "0.6 to 0.95"),
        (tuple, Vary("x", ((), (2, 3), (0,))), "none, 2 3, 0"),
        (str, Vary("x", ("gradient", "tactical")), "gradient, tactical"),
        (bool, Vary("x", (True, False)), "true, false"),
        (Setting, Vary("x", ("A", "custom")), "A, custom"),
        (None, Vary("x", (1, 0.5, "word")), "1, 0.5, word"),
    ],
)
def test_levels_read_back_exactly(kind: Any, each: Vary, text: str) -> None:
    assert levels_text(each) == text
    assert repr(read_levels("x", text, kind)) == repr(each)


def test_what_a_case_sets_reads_back_exactly() -> None:
    values: dict[str, Value] = {"count": 3, "days off": (2, 4), "nominal": 0.7, "planner": "gradient", "full": False}
    text = "count = 3; days off = 2 4; nominal = 0.7; planner = gradient; full = false"
    assert settings_text(values) == text
    assert read_settings(text, KINDS.get) == values
    assert read_settings(" ", KINDS.get) == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("count", "not NAME = VALUE"),
        ("count = two", "'two' is not a whole number"),
        ("count = 1; count = 2", "set twice"),
        ("nominal = 0,7", "'0,7' is not a number"),
        ("days off = 2 x", "'x' is not a whole number"),
        ("full = maybe", "true or false"),
        ("setting = C", "one of A, B, AB, custom"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_settings(text, KINDS.get)


def test_a_range_of_something_else_than_numbers_is_no_range() -> None:
    assert read_levels("x", "here to there", str).values == ("here to there",)
    with pytest.raises(ValueError, match="'low' is not a number"):
        read_levels("x", "low to 2", float)
