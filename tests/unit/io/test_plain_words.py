from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firegui.domain.fleet import Fleet
from firegui.errors import InputError
from firegui.io.plain_words import plain_words
from firegui.io.project.fleet_toml import read_fleet, write_fleet
from tests.support import small_fleet


class Colour(Enum):
    RED = "red"


@dataclass
class Thing:
    rows: tuple[int, int]
    names: list[str]


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        ([5], tuple[float, float], "has 1 value instead of 2"),
        ([1, 2, 3], tuple[int, int], "has 3 values instead of 2"),
        ("a", float, "is text, not a number"),
        (3, tuple[int, ...], "is a whole number, not a list"),
        ("blue", Colour, "'blue' is not one of the values it may have"),
        ({"names": []}, Thing, "rows is missing"),
        ({"rows": [1, 2], "names": [7]}, Thing, "is a whole number, not text at names[0]"),
        ({"rows": [1], "names": []}, Thing, "has 1 value instead of 2 at rows"),
    ],
)
def test_a_value_that_does_not_fit_is_described_in_words_for_people(value: Any, kind: Any, said: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(value, kind, strict=True)
    assert plain_words(caught.value) == said


def test_other_messages_stay_as_they_are() -> None:
    assert plain_words(ValueError("the disk is on fire")) == "the disk is on fire"


def test_a_fleet_with_text_for_a_number_is_refused_without_a_librarys_words(tmp_path: Path) -> None:
    path = tmp_path / "fleet.toml"
    write_fleet(Fleet(small_fleet().types[:1]), path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("payload_gal = 900.0", 'payload_gal = "many"'), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_fleet(path)
    assert "payload_gal: is text, not a number ('many')" in str(caught.value)
    assert "Expected" not in str(caught.value)
