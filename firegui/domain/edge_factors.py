"""Factors of the spread between neighbouring cells: 1 nearly everywhere, so only the others are held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Box

Raster = NDArray[np.float32]
Places = NDArray[np.int64]
Limit = Callable[[Raster], Raster]


@dataclass(frozen=True, slots=True, eq=False)
class SparseFactors:
    """Factors ``[M, N]`` of the spread into ``cells [M]`` from N neighbours; 1 into all other cells.

    ``cells`` are flat places in a raster of ``columns``, in ascending order.
    """

    cells: Places
    factors: Raster
    columns: int

    def of_cells(self, rows: Places, columns: Places) -> tuple[NDArray[np.bool_], Raster]:
        """Return which of the cells ``[...]`` have factors, and the factors ``[M, N]`` of these."""
        wanted = rows * self.columns + columns
        at = np.minimum(np.searchsorted(self.cells, wanted), max(len(self.cells) - 1, 0))
        is_held = self.cells[at] == wanted if len(self.cells) else np.zeros(wanted.shape, np.bool_)
        return is_held, self.factors[at[is_held]]

    def part(self, box: Box) -> SparseFactors:
        """Return the factors on a part of the raster."""
        rows, columns = np.divmod(self.cells, self.columns)
        (down, right), width = box, box[1].stop - box[1].start
        kept = (rows >= down.start) & (rows < down.stop) & (columns >= right.start) & (columns < right.stop)
        cells = (rows[kept] - down.start) * width + columns[kept] - right.start
        return SparseFactors(cells, self.factors[kept], width)


@dataclass(frozen=True, slots=True, eq=False)
class EdgeFactors:
    """Factors ``f_n(x)`` of the spread from each neighbour ``n`` into a cell ``x``, by period.

    ``phases`` are the different sets of factors, and ``periods [D P]`` says which of them each period has; −1 for a
    period in which all factors are 1.
    """

    phases: tuple[SparseFactors, ...]
    periods: Places

    def __getitem__(self, key: slice | Places) -> EdgeFactors:
        """Return the same for some periods."""
        return replace(self, periods=self.periods[key])

    def of_period(self, number: int) -> SparseFactors | None:
        """Return the factors of a period, ``None`` where all are 1."""
        phase = int(self.periods[number])
        return None if phase < 0 else self.phases[phase]

    def part(self, box: Box) -> EdgeFactors:
        """Return the same on a part of the raster."""
        return replace(self, phases=tuple(phase.part(box) for phase in self.phases))

    def reduce(self, number: int, potentials: Raster, rows: Places, columns: Places, most: float) -> None:
        """Multiply ``φ [N, ...]`` of cells in a period in place, clipped to ``most`` before."""
        factors = self.of_period(number)
        if factors is None:
            return
        is_held, found = factors.of_cells(rows, columns)
        if len(found):
            potentials[:, is_held] = np.clip(potentials[:, is_held], 0.0, most) * found.T

    def reduce_whole(self, number: int, potentials: Raster, most: float) -> None:
        """Multiply ``φ [N, H, W]`` of a period in place, clipped to ``most`` before."""
        factors = self.of_period(number)
        if factors is not None:
            flat = potentials.reshape(len(potentials), -1)
            flat[:, factors.cells] = np.clip(flat[:, factors.cells], 0.0, most) * factors.factors.T
