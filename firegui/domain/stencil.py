"""The neighbours from which a cell can catch fire, in the order of the maps.

Sixteen neighbours, numbered as in the maps and seen from the cell ``x`` that may catch fire (north is up)::

     .   8   .   9   .
    10   0   1   2  11
     .   3   x   4   .
    12   5   6   7  13
     .  14   .  15   .

The paper's eight are the first eight, ``NW N NE W E SW S SE``; the knight's moves follow in raster order,
``NNW NNE WNW ENE WSW ESE SSW SSE``. The straight line of a knight's move passes between two cells: from 8, two rows
north and one column west, between 1 and 0; from 10, one row north and two columns west, between 3 and 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from firegui.errors import InputError, Problem

Offset = tuple[int, int]

NEIGHBOURS: tuple[Offset, ...] = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""``(d_row, d_column)`` of the neighbour as seen from the receiving cell, in the order NW N NE W E SW S SE."""
KNIGHTS: tuple[Offset, ...] = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
"""The same of the knight's moves, in the order NNW NNE WNW ENE WSW ESE SSW SSE."""


@dataclass(frozen=True, slots=True)
class Stencil:
    """Neighbours of a cell: ``offsets`` are ``(d_row, d_column)`` from the receiving cell to each of them."""

    offsets: tuple[Offset, ...]

    @property
    def reach(self) -> int:
        """Cells that fire can cross in a step: 1 or 2."""
        return max(abs(part) for offset in self.offsets for part in offset)

    def displacement(self, n: int) -> Offset:
        """Return ``d_n = (d_row, d_column)`` from the neighbour ``n`` to the cell, as fire goes."""
        row, column = self.offsets[n]
        return -row, -column

    def between(self, n: int) -> tuple[Offset, ...]:
        """Return the two cells between which a knight's move passes, and no cell for the others.

        Offsets are from the receiving cell. The nearer one shares an edge with the receiver, the other an edge with the
        emitter.
        """
        row, column = self.offsets[n]
        up, right = (row > 0) - (row < 0), (column > 0) - (column < 0)
        if abs(row) == 2:
            return (up, 0), (up, right)
        return ((0, right), (up, right)) if abs(column) == 2 else ()


EIGHT = Stencil(NEIGHBOURS)
SIXTEEN = Stencil(NEIGHBOURS + KNIGHTS)
STENCILS = {len(stencil.offsets): stencil for stencil in (EIGHT, SIXTEEN)}


def stencil_of(count: int) -> Stencil:
    """Return the stencil of ``count`` neighbours.

    Raises :class:`~firegui.errors.InputError` for another count.
    """
    if count not in STENCILS:
        what = f"have {count} neighbour{'' if count == 1 else 's'}"
        raise InputError([Problem("maps", what, "give 8 neighbours, or 16 with the knight's moves")])
    return STENCILS[count]
