from __future__ import annotations

import csv
import io
import re

import pytest

from firegui.io.tables import booktabs, csv_text, escaped, records_csv, with_formula, without_formula


def test_what_latex_would_take_for_a_command_is_written_out() -> None:
    assert escaped("50 % of A&B_1 #2 $3 {x} ~ ^ \\") == (
        r"50 \% of A\&B\_1 \#2 \$3 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )
    assert escaped("η 0.9 ± 0.1 <1 –") == r"$\eta$ 0.9 $\pm$ 0.1 $<$1 --"


def test_a_table_has_the_papers_rules_and_a_line_a_row() -> None:
    text = booktabs(("Planner", "Drops"), [("A & B", "1,032 ± 3"), ("C", "0")], caption="50 % {", label="tab_1")
    assert re.findall(r"\\(?:top|mid|bottom)rule", text) == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert r"A \& B & 1,032 $\pm$ 3 \\" in text.splitlines()
    assert r"\caption{50 \% \{}" in text and r"\label{tab:tab_1}" in text and r"\begin{tabular}{lr}" in text


def test_columns_of_words_stand_to_the_left() -> None:
    assert r"\begin{tabular}{llr}" in booktabs(("a", "b", "c"), [], caption="", label="x", left=2)


def test_a_row_with_a_cell_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="1 cells in 2 columns"):
        booktabs(("a", "b"), [("1",)], caption="", label="x")


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


@pytest.mark.parametrize("text", ["=1+2", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "=", "-x"])
def test_a_text_that_begins_as_a_formula_is_marked_as_text_and_reads_back(text: str) -> None:
    ((cell,),) = csv.reader(io.StringIO(csv_text([[text]]), newline=""))
    assert cell == f"'{text}"
    assert with_formula(cell) == text


def test_a_carriage_return_does_not_end_a_row() -> None:
    assert list(csv.reader(io.StringIO(csv_text([["\r=1", "a\rb"]]), newline=""))) == [["'\n=1", "a\nb"]]


@pytest.mark.parametrize("text", ["-5", "+0.25", "-1e-6", "-1,234.5", "+3 %", "-12 ha", "-inf", "S-2T", "a=b", ""])
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    assert without_formula(text) == text == with_formula(text)
