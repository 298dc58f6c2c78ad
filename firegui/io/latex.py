"""Tables as LaTeX, in the form of the paper's: rules of ``booktabs``, numbers to the right, no vertical lines."""

from __future__ import annotations

from collections.abc import Sequence

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
    """``text`` as LaTeX prints it: its special characters written out, and the symbols of our tables as commands."""
    return text.translate(_ESCAPES)


def booktabs(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, label: str, left: int = 1
) -> str:  # fmt: skip
    """A whole ``table`` of plain texts; the first ``left`` columns are set to the left, the others to the right.

    ``label`` is a name of ours and is not escaped. Raises :class:`ValueError` where a row has not a cell a column.
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
