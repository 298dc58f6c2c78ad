from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest

from firegui.errors import Problems
from firegui.io.strict import Table, as_table, read_dataclass, read_toml
from tests.unit.io.builders import refused_for


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Inner:
    flag: bool


@dataclass(frozen=True, slots=True)
class Outer:
    name: str
    size: float
    colour: Colour
    inner: Inner
    days: tuple[int, ...] = ()


def test_a_dataclass_reads_back_equal_to_what_was_written() -> None:
    value = Outer("a", 3, Colour.BLUE, Inner(True), (1, 2))
    problems = Problems()
    assert read_dataclass(Outer, Table(as_table(value), "file", problems)) == value
    assert not problems


def test_every_problem_of_a_table_is_found_at_once() -> None:
    raw = {
        "name": 5,
        "size": True,
        "colour": "green",
        "inner": {"flag": "yes", "extra": 1},
        "days": [1, "x"],
        "sise": 2,
    }
    problems = Problems()
    assert read_dataclass(Outer, Table(raw, "file", problems)) is None
    with refused_for(
        "name: ", "size: ", "colour: ", "red, blue", "[inner]: flag", "extra is not known", "days: ", "sise is not"
    ) as caught:
        problems.raise_if_any()
    assert len(caught.value.problems) == 7


def test_missing_keys_are_reported_unless_they_may_be_left_out() -> None:
    problems = Problems()
    raw = {"name": "a", "size": 1.0, "colour": "red", "inner": {"flag": False}}
    assert read_dataclass(Outer, Table(raw, "file", problems), lenient=True) == Outer(
        "a", 1.0, Colour.RED, Inner(False)
    )
    assert read_dataclass(Outer, Table(raw, "file", problems)) is None
    assert [str(p) for p in problems] == ["file: days is missing — add days = …"]


def test_a_value_in_place_of_a_table_is_one_problem() -> None:
    problems = Problems()
    assert read_dataclass(Outer, Table(5, "file", problems)) is None
    assert len(list(problems)) == 1


@pytest.mark.parametrize(("text", "part"), [("a = ", "not valid TOML"), ("a = 1\na = 2", "not valid TOML")])
def test_broken_toml_is_reported_with_its_place(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    problems = Problems()
    assert read_toml(tmp_path / "a.toml", problems) is None
    assert part in str(next(iter(problems)))


def test_a_missing_file_a_folder_and_bytes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    problems = Problems()
    for name in ("none.toml", ".", "bytes.toml"):
        assert read_toml(tmp_path / name, problems) is None
    assert [next(part for part in ("does not exist", "is a folder", "UTF-8") if part in p.what) for p in problems] == [
        "does not exist",
        "is a folder",
        "UTF-8",
    ]
