"""Tables as CSV text, with numbers that read back exactly."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


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
    return repr(value) if isinstance(value, float) else str(value)
