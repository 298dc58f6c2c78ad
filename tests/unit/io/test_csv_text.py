"""Tables as CSV text."""

from __future__ import annotations

import csv
import io

import pytest

from firegui.io.csv_text import csv_text, records_csv


@pytest.mark.parametrize("number", [0.1 + 0.2, 1e-300, -0.0, 1 / 3, float("inf")])
def test_a_float_reads_back_exactly(number: float) -> None:
    assert repr(float(csv_text([[number]]))) == repr(number)


def test_cells_without_a_value_are_empty_and_truth_values_are_in_lower_case() -> None:
    assert csv_text([["a", "b", "c", "d"], [None, True, False, 3]]) == "a,b,c,d\n,true,false,3\n"


def test_text_with_commas_quotes_and_line_ends_reads_back() -> None:
    cells = ["one, two", 'so "called"', "first\nsecond"]
    assert list(csv.reader(io.StringIO(csv_text([cells]), newline=""))) == [cells]


def test_records_have_the_columns_of_the_first_or_those_asked_for() -> None:
    records: list[dict[str, object]] = [{"a": 1, "b": 2.5}, {"a": 2, "c": "more"}]
    assert records_csv(records) == "a,b\n1,2.5\n2,\n"
    assert records_csv(records, ("c", "a")) == "c,a\n,1\nmore,2\n"
    assert records_csv([], ("a",)) == "a\n"
