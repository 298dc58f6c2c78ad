"""The epochs of one run as columns, ready to draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firegui.runs.events import EpochDone
from firegui.runs.history import COLUMNS

_FIRST_CAPACITY = 256


class History:
    """Rows with the columns of ``history.csv`` that grow cheaply: appending copies nothing most of the time."""

    def __init__(self, epochs: Sequence[EpochDone] = ()) -> None:
        self._data = np.empty((_FIRST_CAPACITY, len(COLUMNS)))
        self._size = 0
        self.extend(epochs)

    def __len__(self) -> int:
        return self._size

    def extend(self, epochs: Sequence[EpochDone]) -> None:
        """Append epochs. Rows from the first of them on are replaced: a resumed run repeats what it had not saved."""
        if not epochs:
            return
        self._size = int(np.searchsorted(self.column("epoch"), epochs[0].epoch))
        self._append(np.array([[getattr(epoch, name) for name in COLUMNS] for epoch in epochs], float))

    def column(self, name: str) -> NDArray[np.float64]:
        """One column, as a view that later appends leave alone. Raises ``ValueError`` for another name."""
        return self._data[: self._size, COLUMNS.index(name)]

    def last(self, name: str) -> float | None:
        """The latest value of a column; ``None`` before the first epoch."""
        return float(self._data[self._size - 1, COLUMNS.index(name)]) if self._size else None

    def _append(self, rows: NDArray[np.float64]) -> None:
        needed = self._size + len(rows)
        if needed > len(self._data):
            grown = np.empty((max(needed, 2 * len(self._data)), len(COLUMNS)))
            grown[: self._size] = self._data[: self._size]
            self._data = grown
        self._data[self._size : needed] = rows
        self._size = needed
