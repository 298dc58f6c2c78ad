from __future__ import annotations

import re

import pytest

from firegui.io.latex import booktabs, escaped


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
