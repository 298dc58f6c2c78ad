from __future__ import annotations

import math
import random
import struct
import tomllib
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from firegui.io.toml_text import dumps


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
