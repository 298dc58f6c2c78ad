"""Finds room for names: no two over each other, none over a symbol where there is room elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF

_GAP = 3.0


class LabelPlacement:
    """Boxes in pixels that are taken. The more important labels ask first; one without room is left out."""

    def __init__(self, visible: QRectF) -> None:
        self._visible = visible
        self._taken: list[QRectF] = []
        self._avoided: list[QRectF] = []

    def avoid(self, box: QRectF) -> None:
        """A symbol: it may be covered only where there is no other room."""
        self._avoided.append(box)

    def place(self, size: QSizeF, tops: Sequence[QPointF]) -> QRectF | None:
        """The first of the boxes with these top left corners that is free; ``None`` when all of them are taken.

        Boxes that cover no symbol and lie wholly on screen come before the others.
        """
        boxes = [QRectF(top, size) for top in tops]
        free = [box for box in boxes if not self._hits(box, self._taken) and box.intersects(self._visible)]
        best = [box for box in free if not self._hits(box, self._avoided) and self._visible.contains(box)]
        found = next(iter(best or free), None)
        if found is not None:
            self._taken.append(found.adjusted(-_GAP, -_GAP, _GAP, _GAP))
        return found

    @staticmethod
    def _hits(box: QRectF, others: Sequence[QRectF]) -> bool:
        return any(box.intersects(other) for other in others)


def spots_around(box: QRectF, size: QSizeF) -> list[QPointF]:
    """Top left corners of a label around a symbol: right, left, above, below, and the four corners."""
    right, left = box.right() + 5.0, box.left() - 5.0 - size.width()
    above, below = box.top() - 2.0 - size.height(), box.bottom() + 2.0
    middle_x, middle_y = box.center().x() - size.width() / 2, box.center().y() - size.height() / 2
    places = (
        (right, middle_y), (left, middle_y), (middle_x, above), (middle_x, below),
        (right, above), (right, below), (left, above), (left, below),
    )  # fmt: skip
    return [QPointF(x, y) for x, y in places]


def spots_along(points: Sequence[QPointF], size: QSizeF) -> list[QPointF]:
    """Top left corners of a label beside a line: its middle first, then its other points from the middle on."""
    middle = len(points) // 2
    order = sorted(range(len(points)), key=lambda index: abs(index - middle))
    dot = 3.0
    boxes = [QRectF(points[k].x() - dot, points[k].y() - dot, 2 * dot, 2 * dot) for k in order]
    # Beside the line a name would be crossed out by it.
    beside = [spots_around(box, size) for box in boxes]
    return [spot for spots in beside for spot in spots[2:4]] + [spot for spots in beside for spot in spots]
