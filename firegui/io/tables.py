"""Tables as text: CSV whose numbers read back exactly, and LaTeX in the form of the paper's.

The LaTeX has rules of ``booktabs``, numbers to the right and no vertical lines.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_COMMENT = "% needs \\usepackage{booktabs}"
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "±": r"$\pm$",
        "−": "$-$",
        "×": r"$\times$",
        "–": "--",
        "—": "---",
        "…": r"\dots{}",
        "·": r"$\cdot$",
        "λ": r"$\lambda$",
        "η": r"$\eta$",
        "ρ": r"$\rho$",
        "\n": " ",
    }
)


def escaped(text: str) -> str:
    """Return ``text`` as LaTeX prints it.

    Its special characters written out, and the symbols of our tables as commands.
    """
    return text.translate(_ESCAPES)


def booktabs(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, label: str, left: int = 1
) -> str:  # fmt: skip
    """Return a whole ``table`` of plain texts.

    The first ``left`` columns are set to the left, the others to the right. ``label`` is a name of ours and is not
    escaped. Raises :class:`ValueError` where a row has not a cell a column.
    """
    lines = [_line(row) for row in rows if _fits(row, heads)]
    return "\n".join(
        [
            _COMMENT,
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{escaped(caption)}}}",
            rf"\label{{tab:{label}}}",
            r"\footnotesize",
            r"\setlength{\tabcolsep}{4pt}",
            rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(heads) - left)}}}",
            r"\toprule",
            _line(heads),
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _fits(row: Sequence[str], heads: Sequence[str]) -> bool:
    if len(row) != len(heads):
        raise ValueError(f"{len(row)} cells in {len(heads)} columns")
    return True


def _line(cells: Sequence[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return ``rows``, the headings among them, as CSV text.

    Floats have every digit, ``None`` is an empty cell, truth values are ``true`` and ``false``.
    """
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def records_csv(records: Sequence[Mapping[str, Any]], columns: Iterable[str] | None = None) -> str:
    """Return ``records`` as CSV text with one row each, below the names of ``columns``.

    The columns are those of the first record by default. What a record does not have is empty.
    """
    names = list(columns if columns is not None else records[0] if records else ())
    return csv_text([names, *([record.get(name) for name in names] for record in records)])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(float(value))
    # The writer leaves a lone carriage return without quotes, and the row would be read as two.
    return without_formula(str(value)).replace("\r", "\n")


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# Possessive, so that the time for a long text of digits does not grow with the square of its length.
_NUMBER = re.compile(r"[+-]?\d[\d.,]*+(?:[eE][+-]?\d++)?(?:\s?[%\w°²³/]+)?|[+-]?(?:inf|nan)", re.ASCII | re.IGNORECASE)
_AS_TEXT = "'"


def without_formula(text: str) -> str:
    """Return a text that a spreadsheet shows and does not compute.

    A text that begins as a formula gets an apostrophe in front, as spreadsheets write it. Numbers stay numbers.
    """
    return _AS_TEXT + text if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def with_formula(text: str) -> str:
    """Return the text that :func:`without_formula` wrote."""
    return text[1:] if text.startswith(tuple(_AS_TEXT + sign for sign in _FORMULA)) else text
