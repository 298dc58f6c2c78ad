"""What one run reported as columns, ready to draw: the epochs of its first stage, the tests of its second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from firegui.runs.events import EliminationStep, EpochDone
from firegui.runs.history import COLUMNS

_FIRST_CAPACITY = 256

Row = TypeVar("Row")


class Columns(Generic[Row]):
    """Rows that grow cheaply: appending copies nothing most of the time. ``key`` is a column that only rises."""

    names: ClassVar[tuple[str, ...]] = ()
    key: ClassVar[str] = ""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self._data = np.empty((_FIRST_CAPACITY, len(self.names)))
        self._size = 0
        self.extend(rows)

    def __len__(self) -> int:
        return self._size

    def extend(self, rows: Sequence[Row]) -> None:
        """Append rows. Those from the first of them on are replaced: a resumed run repeats what it had not saved."""
        if not rows:
            return
        self._size = int(np.searchsorted(self.column(self.key), getattr(rows[0], self.key)))
        self._append(np.array([[getattr(row, name) for name in self.names] for row in rows], float))

    def column(self, name: str) -> NDArray[np.float64]:
        """One column, as a view that later appends leave alone. Raises ``ValueError`` for another name."""
        return self._data[: self._size, self.names.index(name)]

    def last(self, name: str) -> float | None:
        """The latest value of a column; ``None`` before the first row."""
        return float(self._data[self._size - 1, self.names.index(name)]) if self._size else None

    def _append(self, rows: NDArray[np.float64]) -> None:
        needed = self._size + len(rows)
        if needed > len(self._data):
            grown = np.empty((max(needed, 2 * len(self._data)), len(self.names)))
            grown[: self._size] = self._data[: self._size]
            self._data = grown
        self._data[self._size : needed] = rows
        self._size = needed


class History(Columns[EpochDone]):
    """The epochs, with the columns of ``history.csv``."""

    names = COLUMNS
    key = "epoch"


class Removals(Columns[EliminationStep]):
    """The decisions of the second stage, with the columns of ``elimination.csv``: the fields of the event."""

    names = tuple(item.name for item in fields(EliminationStep))
    key = "rollouts"
