"""The epochs of a run as a table, in memory and as ``history.csv``."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.io.tables import csv_text
from firegui.runs.events import EpochDone

COLUMNS = ("epoch", "rollouts", "objective", "best", "burn", "final", "prot", "drops", "grad_norm", "seconds")
"""The columns of ``history.csv``, in order. Numbers are written so that they read back exactly."""

_INTEGERS = frozenset({"epoch", "rollouts", "drops"})


def history_text(rows: Iterable[EpochDone]) -> str:
    """``history.csv`` of ``rows``."""
    return csv_text([COLUMNS, *([getattr(row, name) for name in COLUMNS] for row in rows)])


def read_history(path: Path, epochs: int) -> tuple[EpochDone, ...]:
    """Read the rows of a ``history.csv``; ``epochs`` is the cap of the run, which is not in the table.

    An absent file is an empty history. Raises :class:`~firegui.errors.InputError` for a table of another shape.
    """
    if not path.exists():
        return ()
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return tuple(_row(record, epochs) for record in csv.DictReader(file))
    except (KeyError, TypeError, ValueError) as error:
        remedy = "restore the file, or start the run again in another folder"
        raise InputError([Problem(str(path), f"not a history of a run ({error})", remedy)]) from error


def _row(record: dict[str, str], epochs: int) -> EpochDone:
    numbers = {name: (int(record[name]) if name in _INTEGERS else float(record[name])) for name in COLUMNS}
    return EpochDone(epochs=epochs, **numbers)  # type: ignore[arg-type]
