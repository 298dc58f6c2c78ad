from __future__ import annotations

import math
import random
import struct
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.errors import InputError, Problems
from firegui.io.project.scenario_toml import read_fleet, write_fleet
from firegui.io.toml import Table, as_table, dumps, plain_words, read_dataclass, read_toml
from tests.support import small_fleet
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
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a = ", "not valid TOML"),
        ("a = 1\na = 2", "not valid TOML"),
        ("a = " + "[" * 50_000, "not valid TOML: its values are nested too deeply to be read"),
    ],
)
def test_broken_toml_is_reported_with_its_place(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    problems = Problems()
    assert read_toml(tmp_path / "a.toml", problems) is None
    assert part in str(next(iter(problems)))


def test_every_whole_number_that_no_float_holds_is_named(tmp_path: Path) -> None:
    huge = "9" * 400
    (tmp_path / "a.toml").write_text(f"a = {huge}\n[b]\nc = [1, {{ d = -{huge} }}]\n")
    problems = Problems()
    assert read_toml(tmp_path / "a.toml", problems) is None
    assert [problem.what for problem in problems] == [
        "a is a whole number beyond 1.798e+308",
        "b.c[1].d is a whole number beyond 1.798e+308",
    ]


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
        ("green", Colour, "'green' is not one of the values it may have"),
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


def back(value: Any) -> Any:
    return tomllib.loads(dumps({"v": value}))["v"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        'a "quoted" word',
        "line\nbreak\r\nand\ttab",
        "back\\slash",
        "σ∥ – 747 · 火事 🔥",
        "\x00\x1f\x7f",
        "'''",
        '"""',
        "# no",
    ],
)
def test_text_reads_back_equal(text: str) -> None:
    assert back(text) == text
    assert tomllib.loads(dumps({text: 1})) == {text: 1}


def test_any_text_of_any_characters_reads_back_equal() -> None:
    rng = random.Random(3)
    ranges = [(0, 0x80), (0x80, 0x800), (0xE000, 0x10000), (0x10000, 0x110000)]
    for _ in range(300):
        text = "".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(rng.randrange(12)))
        assert back(text) == text


def test_real_numbers_read_back_bit_for_bit() -> None:
    rng = random.Random(4)
    numbers = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(2000)]
    numbers = [n for n in numbers if not math.isnan(n)] + [0.0, -0.0, 1e16, 1e-300, 5e-324, math.inf, -math.inf, 50.0]
    for number, read in zip(numbers, back(numbers), strict=True):
        assert struct.pack("<d", number) == struct.pack("<d", read)
    assert math.isnan(back(math.nan))


def test_numpy_numbers_are_written_as_plain_numbers() -> None:
    assert back(np.float64(0.1)) == 0.1
    assert back(np.int64(7)) == 7
    assert dumps({"v": np.float32(0.5)}) == "v = 0.5\n"


def test_whole_numbers_and_booleans_keep_their_type() -> None:
    assert back(10**15) == 10**15
    assert back(True) is True
    assert isinstance(back(3), int)
    assert isinstance(back(3.0), float)


def test_dates_and_times_read_back_equal() -> None:
    zoned = datetime(2020, 8, 19, 0, 0, 1, 250, tzinfo=timezone(timedelta(hours=-7)))
    assert back(zoned) == zoned
    assert back(datetime(2020, 8, 19, 7, tzinfo=UTC)) == datetime(2020, 8, 19, 7, tzinfo=UTC)
    assert back(date(2020, 8, 19)) == date(2020, 8, 19)
    assert not isinstance(back(date(2020, 8, 19)), datetime)
    assert "2020-08-19T07:00:00Z" in dumps({"v": datetime(2020, 8, 19, 7, tzinfo=UTC)})


def test_nested_tables_read_back_equal_whatever_their_order() -> None:
    table = {
        "sub": {"deeper": {"key with space": 1}, "plain": "after a table"},
        "rows": [{"a": 1, "inner": {"b": [1, 2]}, "list": [{"c": 1}, {"c": 2}]}, {"a": 2}],
        "plain": 5,
        "empty": {},
        "none": [],
        "747": [date(2020, 8, 19)],
        "rings": [[[0.0, 1.0], [2.0, 3.0]], [[4.5, 5.5]]],
        "mixed": [1, {"inline": "table"}],
        "long": [f"item {n}" for n in range(40)],
    }
    assert tomllib.loads(dumps(table)) == table


@pytest.mark.parametrize("value", [None, object(), b"bytes", {1: 2}])
def test_what_toml_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        dumps({"v": value})
