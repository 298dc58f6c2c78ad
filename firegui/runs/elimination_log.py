"""The second stage of a run as a table: ``elimination.csv``."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.io.tables import csv_text
from firegui.runs.events import EliminationStep

COLUMNS = tuple(item.name for item in fields(EliminationStep))
"""The columns of ``elimination.csv``, in order. Numbers are written so that they read back exactly."""

_FLOATS = frozenset({"burn", "final", "prot", "seconds"})


def elimination_text(rows: Iterable[EliminationStep]) -> str:
    """``elimination.csv`` of ``rows``."""
    return csv_text([COLUMNS, *([getattr(row, name) for name in COLUMNS] for row in rows)])


def read_elimination(path: Path) -> tuple[EliminationStep, ...]:
    """Read the rows of an ``elimination.csv``; an absent file is an empty one.

    Raises :class:`~firegui.errors.InputError` for a table of another shape.
    """
    if not path.exists():
        return ()
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return tuple(_row(record) for record in csv.DictReader(file))
    except (KeyError, TypeError, ValueError) as error:
        remedy = "restore the file, or start the run again in another folder"
        raise InputError([Problem(str(path), f"not a log of an elimination ({error})", remedy)]) from error


def _row(record: dict[str, str]) -> EliminationStep:
    numbers = {name: (float(record[name]) if name in _FLOATS else int(record[name])) for name in COLUMNS}
    return EliminationStep(**numbers)  # type: ignore[arg-type]
