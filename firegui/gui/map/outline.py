"""The edge of a set of cells as closed rings along the cell sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath, QPolygonF

Corner = tuple[int, int]


def rings(mask: NDArray[np.bool_]) -> list[list[Corner]]:
    """Closed rings of ``(row, column)`` corners around the true cells of ``mask [H, W]``; only corners where it turns.

    Every side is walked with the inside on its right hand, so outer rings run clockwise on screen, holes the other way.
    """
    following = _sides(np.pad(np.asarray(mask, bool), 1))
    found: list[list[Corner]] = []
    while following:
        start = next(iter(following))
        ring, heading, corner = [], (0, 0), start
        while True:
            target = _step(following, corner, heading)
            turned = (target[0] - corner[0], target[1] - corner[1])
            if turned != heading:
                ring.append(corner)
            heading, corner = turned, target
            if corner == start:
                break
        found.append(ring)
    return found


def _sides(padded: NDArray[np.bool_]) -> dict[Corner, list[Corner]]:
    """``corner → next corners`` for every unit side between a true and a false cell."""
    following: dict[Corner, list[Corner]] = {}

    def add(rows: NDArray[np.intp], columns: NDArray[np.intp], step: Corner) -> None:
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            following.setdefault((row, column), []).append((row + step[0], column + step[1]))

    above, below = padded[:-1, 1:-1], padded[1:, 1:-1]
    left, right = padded[1:-1, :-1], padded[1:-1, 1:]
    rows, columns = np.nonzero(below & ~above)
    add(rows, columns, (0, 1))
    rows, columns = np.nonzero(above & ~below)
    add(rows, columns + 1, (0, -1))
    rows, columns = np.nonzero(left & ~right)
    add(rows, columns, (1, 0))
    rows, columns = np.nonzero(right & ~left)
    add(rows + 1, columns, (-1, 0))
    return following


def _step(following: dict[Corner, list[Corner]], corner: Corner, heading: Corner) -> Corner:
    """Take the next side from ``corner``; where two cells touch only at it, turn right to stay with the same cell."""
    choices = following[corner]
    right = (corner[0] + heading[1], corner[1] - heading[0])
    target = right if right in choices else choices[0]
    choices.remove(target)
    if not choices:
        del following[corner]
    return target


def outline(mask: NDArray[np.bool_]) -> QPainterPath:
    """:func:`rings` as a path in map coordinates."""
    path = QPainterPath()
    for ring in rings(mask):
        path.addPolygon(QPolygonF([QPointF(column, row) for row, column in ring]))
        path.closeSubpath()
    return path
