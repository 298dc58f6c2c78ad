"""Rasters by period that are not laid out whole: wind on blocks, spread made where the fire is.

Both stand for a float32 array: they have its shape, take the indices that the engine and its users need, and become an
array with ``numpy.asarray``. Where drops work is computed on blocks, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from firegui.domain.edge_factors import EdgeFactors
from firegui.domain.grid import Box
from firegui.domain.stencil import Offset, Stencil, stencil_of
from firegui.errors import InputError, Problem

Raster = NDArray[np.float32]
Places = NDArray[np.int64]
Make = Callable[[int, Places, Places], Raster]
"""``(period, rows [...], columns [...])`` to ``φ [N, ...]`` of these cells."""

MOST_BYTES = 4 << 30
"""Largest spread maps that are laid out whole."""
MAXIMUM_FACTOR = 100.0
"""Potentials and gains are clipped to this where they are multiplied (paper, step 2)."""
_THREADS = 2
"""Periods that are laid out at a time: most of the work releases the interpreter's lock."""


@dataclass(frozen=True, slots=True, eq=False)
class BlockRaster:
    """A raster ``[..., H, W]`` that is the same on blocks of ``block × block`` cells.

    ``values [..., h, w]`` are those of the blocks; the first begins at the first cell, and the last ones may reach
    beyond the raster of ``cells``.
    """

    values: Raster
    block: int
    cells: tuple[int, int]

    @property
    def shape(self) -> tuple[int, ...]:
        """``(..., H, W)``."""
        return (*self.values.shape[:-2], *self.cells)

    def __len__(self) -> int:
        """Return the length of the first axis."""
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        """Return the values of cells, where ``key`` has an index for each axis, else those of periods."""
        if not isinstance(key, tuple):
            return replace(self, values=self.values[key])
        *before, rows, columns = key
        if len(key) != self.values.ndim or any(isinstance(side, slice) for side in (rows, columns)):
            return np.asarray(self)[key]
        return self.values[(*before, np.asarray(rows) // self.block, np.asarray(columns) // self.block)]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return ``[..., H, W]``."""
        rows, columns = (np.arange(size) // self.block for size in self.cells)
        return self.values[..., rows[:, None], columns].astype(dtype or np.float32, copy=False)

    def max(self, initial: float = 0.0) -> np.float32:
        """Return the largest value, or ``initial`` where that is larger."""
        return np.float32(self.values.max(initial=initial))


WindRaster = Raster | BlockRaster


@dataclass(frozen=True, slots=True, eq=False)
class _Treatment:
    """Factors of emitting cells and of cells that a knight's move passes.

    Each is ``[H + 2 n, W + 2 n]`` with the reach ``n`` of the stencil, 1 outside the raster.
    """

    emitting: Raster
    between: Raster


@dataclass(frozen=True, slots=True, eq=False)
class SpreadOnDemand:
    """Potentials ``φ [D P, N, H, W]`` that are made for some cells at a time.

    ``make`` returns them for cells of a period of its own; ``periods [D P]`` says which each period is. The values of a
    cell do not depend on which others are made with it. ``most`` is no smaller than any of them. First
    ``barriers`` reduce them, then ``treatments``.
    """

    make: Make
    periods: Places
    neighbours: int
    cells: tuple[int, int]
    most: float
    treatments: tuple[_Treatment, ...] = field(default=())
    barriers: EdgeFactors | None = None

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """``(D P, N, H, W)``."""
        return len(self.periods), self.neighbours, *self.cells

    @property
    def nbytes(self) -> int:
        """Memory of the array that this stands for."""
        return int(np.prod(self.shape, dtype=np.int64)) * 4

    def __len__(self) -> int:
        """Return ``D P``."""
        return len(self.periods)

    def __iter__(self) -> Iterator[Raster]:
        """Yield ``φ [N, H, W]`` of each period."""
        return map(self.of_period, range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """Return the same for some periods, or an array for any other index."""
        if isinstance(key, slice | np.ndarray):
            barriers = None if self.barriers is None else self.barriers[key]
            return replace(self, periods=self.periods[key], barriers=barriers)
        return self.of_period(key) if isinstance(key, int) else np.asarray(self)[key]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the whole array. Raises :class:`~firegui.errors.InputError` above :data:`MOST_BYTES`."""
        if self.nbytes > MOST_BYTES:
            what = f"take {self.nbytes / 2**30:.1f} GiB laid out whole; at most {MOST_BYTES >> 30} GiB are"
            remedy = "plan fewer days, take fewer periods a day or larger cells"
            raise InputError([Problem("spread maps", what, remedy)])
        whole = np.empty(self.shape, dtype or np.float32)
        with ThreadPoolExecutor(_THREADS) as pool:
            for number, potentials in enumerate(pool.map(self.of_period, range(len(self)))):
                whole[number] = potentials
        return whole

    def of_period(self, number: int) -> Raster:
        """Return ``φ [N, H, W]`` of a period."""
        rows, columns = np.indices(self.cells)
        return self.of_cells(number, rows, columns)

    def of_cells(self, number: int, rows: Places, columns: Places) -> Raster:
        """Return ``φ [N, ...]`` of cells ``rows [...], columns [...]`` in a period."""
        potentials = self.make(int(self.periods[number]), rows, columns)
        if self.barriers is not None:
            self.barriers.reduce(number, potentials, rows, columns, MAXIMUM_FACTOR)
        stencil = stencil_of(self.neighbours)
        at = rows + stencil.reach, columns + stencil.reach
        for treatment in self.treatments:
            potentials = np.clip(potentials, 0.0, MAXIMUM_FACTOR)
            emitting, between = (partial(_beside, part, at) for part in (treatment.emitting, treatment.between))
            reduce_spread(potentials, stencil, emitting, between)
        return potentials

    @staticmethod
    def of_array(potentials: Raster) -> SpreadOnDemand:
        """Return potentials ``[D P, N, H, W]`` that are at hand, so that parts of them need no copy."""
        periods, neighbours, *cells = potentials.shape
        make = partial(_cells_of, potentials)
        return SpreadOnDemand(
            make, np.arange(periods), neighbours, (cells[0], cells[1]), float(potentials.max(initial=0.0))
        )

    def treated(self, emitting: Raster, between: Raster) -> SpreadOnDemand:
        """Return potentials clipped, then reduced: ``φ_n(x) e(x + n) Π_z b(z)``.

        ``z`` are the cells that a knight's move passes. Outside the raster both factors are 1.
        """
        reach = stencil_of(self.neighbours).reach
        padded = (np.pad(part, reach, constant_values=1.0) for part in (emitting, between))
        return replace(self, treatments=(*self.treatments, _Treatment(*padded)))


def _cells_of(potentials: Raster, period: int, rows: Places, columns: Places) -> Raster:
    found: Raster = potentials[period][:, rows, columns]
    return found


FindDropCells = Callable[[int, Places, Places], NDArray[np.bool_]]
"""``(number, rows [...], columns [...])`` to where drops work in a period of its own."""
UNKNOWN, WORKS, FAILS = range(3)
"""Values of :class:`DropCells`."""
_BLOCK = 64


@dataclass(frozen=True, slots=True, eq=False)
class DropCells:
    """Cells in which drops work, by period, computed on blocks of cells at a time.

    ``find`` computes them in one of ``len(values)`` periods. The answer for a cell does not depend on the other cells
    of a call. ``values [n, H, W]`` are :data:`UNKNOWN` until :meth:`ask`, then :data:`WORKS` or :data:`FAILS`.
    ``known [n, h, w]`` are the blocks that are computed. ``periods [D P]`` says which of the periods each one is. Parts
    of a plan share the values. Threads may call :meth:`ask` at the same time, because all compute the same values.
    """

    find: FindDropCells
    periods: Places
    values: NDArray[np.uint8]
    known: NDArray[np.bool_]

    @staticmethod
    def of(find: FindDropCells, count: int, cells: tuple[int, int]) -> DropCells:
        """Return ``count`` periods of a raster of ``cells``, of which nothing is known."""
        blocks = [-(-size // _BLOCK) for size in cells]
        return DropCells(
            find, np.arange(count), np.zeros((count, *cells), np.uint8), np.zeros((count, *blocks), np.bool_)
        )

    def __getitem__(self, key: slice | Places) -> DropCells:
        """Return the same for some periods."""
        return replace(self, periods=self.periods[key])

    def part(self, box: Box) -> DropCells:
        """Return the same on a part of the raster."""
        rows, columns = box
        find = partial(_found_in_part, self.find, rows.start, columns.start)
        size = rows.stop - rows.start, columns.stop - columns.start
        return DropCells.of(find, len(self.values), size)[self.periods]

    def ask(self, periods: Places, rows: Places, columns: Places, reach: Places | int) -> None:
        """Compute where drops work around places, each in its period.

        Those are the cells within ``reach`` rows and columns of ``rows [n], columns [n]`` in ``periods [n]``.
        """
        wanted, own = np.zeros_like(self.known), self.periods[periods]
        sizes = list(zip((rows, columns), wanted.shape[1:], strict=True))
        first, last = (
            [np.clip((at + far) // _BLOCK, 0, size - 1) for at, size in sizes] for far in (-np.asarray(reach), reach)
        )
        down, right = (int((end - begin).max(initial=0)) + 1 for begin, end in zip(first, last, strict=True))
        for i, j in np.ndindex(down, right):
            wanted[own, np.minimum(first[0] + i, last[0]), np.minimum(first[1] + j, last[1])] = True
        self._find(wanted & ~self.known)

    def whole(self) -> NDArray[np.bool_]:
        """Return ``[D P, H, W]``."""
        wanted = np.zeros_like(self.known)
        wanted[self.periods] = True
        self._find(wanted & ~self.known)
        works: NDArray[np.bool_] = self.values[self.periods] == WORKS
        return works

    def _find(self, wanted: NDArray[np.bool_]) -> None:
        inside = np.arange(_BLOCK)
        height, width = self.values.shape[1:]
        for number in np.flatnonzero(wanted.any(axis=(1, 2))).tolist():
            blocks = np.argwhere(wanted[number])
            # Whole blocks at the rim too, because numpy rounds the rest of a vector otherwise.
            rows = np.minimum(blocks[:, :1] * _BLOCK + inside, height - 1)[:, :, None]
            columns = np.minimum(blocks[:, 1:] * _BLOCK + inside, width - 1)[:, None, :]
            works = self.find(number, *(np.ascontiguousarray(part) for part in np.broadcast_arrays(rows, columns)))
            self.values[number, rows, columns] = np.where(works, WORKS, FAILS)
            self.known[number] |= wanted[number]


def _found_in_part(
    find: FindDropCells, top: int, left: int, number: int, rows: Places, columns: Places
) -> NDArray[np.bool_]:
    return find(number, rows + top, columns + left)


def reduce_spread(
    potentials: Raster, stencil: Stencil, emitting: Callable[[Offset], Raster], between: Callable[[Offset], Raster]
) -> None:
    """Multiply ``φ [N, ...]`` in place by the factors of drops.

    They are those of the emitters and of the cells that a knight's move passes. ``emitting`` and ``between`` return
    the factors ``[...]`` of the cells at an offset.
    """
    for n, offset in enumerate(stencil.offsets):
        potentials[n] *= emitting(offset)
        for cell in stencil.between(n):
            potentials[n] *= between(cell)


def _beside(padded: Raster, at: tuple[Places, Places], offset: Offset) -> Raster:
    found: Raster = padded[at[0] + offset[0], at[1] + offset[1]]
    return found
