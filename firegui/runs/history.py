"""The epochs and the elimination steps of a run as tables: ``history.csv`` and ``elimination.csv``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from firegui.errors import InputError, Problem
from firegui.io.tables import csv_text
from firegui.runs.stages import EliminationStep, EpochDone

Row = TypeVar("Row", EliminationStep, EpochDone)

COLUMNS = ("epoch", "rollouts", "objective", "best", "burn", "final", "prot", "drops", "grad_norm", "seconds", "val")
"""The columns of ``history.csv``, in order. Numbers are written so that they read back exactly."""
STEP_COLUMNS = tuple(item.name for item in fields(EliminationStep))
"""The columns of ``elimination.csv``, in order."""
_FLOATS = frozenset({"objective", "best", "burn", "final", "prot", "grad_norm", "seconds", "val"})
_LATER = frozenset({"val"})
"""Columns that tables of earlier versions, and of runs that count no values at risk, lack."""


def history_text(rows: Iterable[EpochDone]) -> str:
    """Return the ``history.csv`` of ``rows``."""
    return _text(COLUMNS, rows)


def elimination_text(rows: Iterable[EliminationStep]) -> str:
    """Return the ``elimination.csv`` of ``rows``."""
    return _text(STEP_COLUMNS, rows)


def read_history(path: Path, epochs: int) -> tuple[EpochDone, ...]:
    """Read the rows of a ``history.csv``; ``epochs`` is the cap of the run, which is not in the table.

    An absent file is an empty history. Raises :class:`~firegui.errors.InputError` for a table of another shape.
    """
    return _read(path, COLUMNS, partial(EpochDone, epochs=epochs), "not a history of a run")


def read_elimination(path: Path) -> tuple[EliminationStep, ...]:
    """Read the rows of an ``elimination.csv``; an absent file is an empty one.

    Raises :class:`~firegui.errors.InputError` for a table of another shape.
    """
    return _read(path, STEP_COLUMNS, EliminationStep, "not a log of an elimination")


def _text(columns: Sequence[str], rows: Iterable[object]) -> str:
    rows = tuple(rows)
    # As it was before there were values at risk, where a run counts none.
    counts = any(getattr(row, name) > 0.0 for row in rows for name in _LATER)
    names = [name for name in columns if counts or name not in _LATER]
    return csv_text([names, *([getattr(row, name) for name in names] for row in rows)])


def _read(path: Path, columns: Collection[str], make: Callable[..., Row], refusal: str) -> tuple[Row, ...]:
    if not path.exists():
        return ()
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return tuple(make(**_numbers(record, columns)) for record in csv.DictReader(file))
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        remedy = "restore the file, or start the run again in another folder"
        raise InputError([Problem(str(path), f"{refusal} ({error})", remedy)]) from error


def _numbers(record: dict[str, str], columns: Collection[str]) -> dict[str, Any]:
    there = [name for name in columns if name in record or name not in _LATER]
    return {name: (float(record[name]) if name in _FLOATS else int(record[name])) for name in there}
