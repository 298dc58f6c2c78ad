"""Labels of all layers of the map, placed together so that none covers another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QGraphicsItem

from firegui.gui.map.items import ScreenItem, draw_tag, draw_text
from firegui.gui.map.map_colors import Ink

_GAP = 3.0
_HEIGHT = 900.0
"""Above all layers, below the outline that a tool draws."""
_HALO_PX = 2.0
"""Width of the outline of a text beyond its box."""
_SYMBOL, _CROWD = 2, 1
"""Costs of a place on a symbol, and on the drops."""


class Rank(IntEnum):
    """Order in which labels are placed, the most important first."""

    SELECTION = 0
    REGION = 1
    ISOCHRONE = 2
    PLACE = 3
    LINE = 4
    GRID = 5


_LEAST_PX = {Rank.PLACE: 260.0, Rank.LINE: 420.0}
"""Least widths of a map with names of places and of roads: in a narrower one they would hide the fire."""
_MOVED_RANKS = frozenset({Rank.SELECTION, Rank.REGION, Rank.PLACE})


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """Text of a layer, and where it may stand: ``spots(size)`` are top left corners, the best first.

    A label ``on_card`` has a small card below it, others an outline. One that ``must_show`` covers another label
    rather than being left out.
    """

    text: str
    font: QFont
    color: QColor
    rank: Rank
    spots: Callable[[QSizeF], Iterable[QPointF]]
    on_card: bool = False
    must_show: bool = False

    @property
    def size(self) -> QSizeF:
        """Size in pixels, with the card."""
        metrics, lines = QFontMetricsF(self.font), self.text.splitlines() or [""]
        size = QSizeF(max(map(metrics.horizontalAdvance, lines)), len(lines) * metrics.height())
        return QSizeF(size.width() + 10.0, size.height() + 2.0) if self.on_card else size

    def at_baseline(self, at: QPointF) -> QPointF:
        """Return the top left corner of the label whose text begins at ``at``."""
        ascent = QFontMetricsF(self.font).ascent()
        return at - (QPointF(5.0, ascent + 1.0) if self.on_card else QPointF(0.0, ascent))

    def paint(self, painter: QPainter, top: QPointF, ink: Ink) -> None:
        """Draw the label with its top left corner at ``top``."""
        at = top - self.at_baseline(QPointF())
        if self.on_card:
            draw_tag(painter, at, self.text, self.font, self.color, ink.card)
            return
        for line in self.text.splitlines():
            draw_text(painter, at, line, self.font, self.color, ink.halo)
            at += QPointF(0.0, QFontMetricsF(self.font).height())

    @property
    def forms(self) -> tuple[Label, ...]:
        """The label, and for a name of several words also in two lines, to be shown where one has no room."""
        ends = [k for k, letter in enumerate(self.text) if letter == " " and self.text[k + 1 :].strip()]
        if self.rank not in _MOVED_RANKS or self.on_card or not ends:
            return (self,)
        end = min(ends, key=lambda k: (self.text[k + 1] != "(", max(k, len(self.text) - k)))
        return self, replace(self, text=f"{self.text[:end]}\n{self.text[end:].strip()}")


class LabelledLayer(Protocol):
    """Layer with labels."""

    key: str
    item: QGraphicsItem
    ink: Ink

    def labels(self, transform: QTransform, visible: QRectF) -> Iterable[Label]:
        """Return the labels, the most important first."""
        ...

    def symbols(self, transform: QTransform) -> Iterable[QRectF]:
        """Return the boxes in pixels that labels should not cover."""
        ...


class Crowd(Protocol):
    """Layer of many lines, which labels leave free where they can."""

    def crowd(self, transform: QTransform) -> QRectF:
        """Return the box in pixels around all of them, empty for none."""
        ...


class LabelPlacement:
    """Occupied boxes in pixels. More important labels are placed first; labels without room are left out."""

    def __init__(self, visible: QRectF, grid: QRectF) -> None:
        self._visible = visible.adjusted(_HALO_PX, _HALO_PX, -_HALO_PX, -_HALO_PX)
        self._ground = self._visible & grid
        self._taken: list[QRectF] = []
        self._avoided: list[tuple[QRectF, int]] = []

    def avoid(self, box: QRectF, cost: int = _SYMBOL) -> None:
        """Mark something that is covered only if there is no other room, or none at a lower cost."""
        self._avoided.append((box, cost))

    def block(self, box: QRectF) -> None:
        """Mark a part of the screen that hides what lies below it: no label is cut off by its edge."""
        self._taken.append(box.adjusted(-_HALO_PX, -_HALO_PX, _HALO_PX, _HALO_PX))

    def place(self, label: Label) -> tuple[Label, QRectF] | None:
        """Return the first free box of a label, in one line or two; ``None`` if all are taken.

        A box that is partly off screen is not free: a name that is cut off cannot be read, and may be another one.
        Boxes that cover nothing to avoid, or what costs least, come before the others. A name that would end beside the
        landscape is moved into it.
        """
        found = first = None
        least = math.inf
        for form, box in self._choices(label):
            first = first or (form, moved_into(self._visible, box))
            if not self._visible.contains(box) or _hits(box, self._taken):
                continue
            cost = sum(each for other, each in self._avoided if box.intersects(other))
            if cost < least:
                found, least = (form, box), cost
            if not cost:
                break
        if found is None and label.must_show:
            found = first
        if found is not None:
            self._taken.append(found[1].adjusted(-_GAP, -_GAP, _GAP, _GAP))
        return found

    def _choices(self, label: Label) -> Iterator[tuple[Label, QRectF]]:
        """Yield the forms and boxes of a label, the best first."""
        for form in label.forms:
            size = form.size
            yield from ((form, QRectF(top, size)) for top in form.spots(size))
            if form.rank in _MOVED_RANKS:
                yield from ((form, moved_into(self._ground, QRectF(top, size))) for top in form.spots(size))


def moved_into(room: QRectF, box: QRectF) -> QRectF:
    """Return a box, moved as little as possible to lie in ``room``.

    One that is too large begins at the left or top.
    """
    left = max(min(box.left(), room.right() - box.width()), room.left())
    top = max(min(box.top(), room.bottom() - box.height()), room.top())
    return QRectF(QPointF(left, top), box.size())


def _hits(box: QRectF, others: Sequence[QRectF]) -> bool:
    return any(box.intersects(other) for other in others)


class MapLabels:
    """The labels of all visible layers, drawn above them."""

    def __init__(self, layers: Iterable[LabelledLayer], crowd: Crowd | None = None) -> None:
        self._layers, self._crowd = tuple(layers), crowd
        self._hidden: tuple[QRectF, ...] = ()
        self.item = ScreenItem(self._paint)
        self.item.setZValue(_HEIGHT)
        for layer in self._layers:
            if isinstance(layer.item, ScreenItem):
                layer.item.follower = self.item

    def set_hidden(self, boxes: Iterable[QRectF]) -> None:
        """Set the boxes in pixels of the viewport that are hidden below cards and decorations."""
        boxes = tuple(boxes)
        if boxes != self._hidden:
            self._hidden = boxes
            self.item.update()

    def placed(self, transform: QTransform, visible: QRectF) -> list[tuple[LabelledLayer, Label, QRectF]]:
        """Return the labels that have room, each with its layer and its box in pixels."""
        shown = [layer for layer in self._layers if layer.item.isVisible()]
        spots = LabelPlacement(visible, transform.mapRect(self.item.grid))
        symbols = (box for layer in shown for box in layer.symbols(transform))
        for box in (*_beside(transform.mapRect(self.item.grid), visible), *symbols):
            spots.avoid(box)
        for box in self._hidden:
            spots.block(box)
        if self._crowd is not None:
            spots.avoid(self._crowd.crowd(transform), _CROWD)
        labels = ((layer, label) for layer in shown for label in layer.labels(transform, visible))
        wanted = [(layer, label) for layer, label in labels if visible.width() >= _LEAST_PX.get(label.rank, 0.0)]
        wanted.sort(key=lambda pair: pair[1].rank)
        found = ((layer, spots.place(label)) for layer, label in wanted)
        return [(layer, *each) for layer, each in found if each is not None]

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        # The most important one is drawn last: one that must be shown may cover others.
        for layer, label, box in reversed(self.placed(transform, visible)):
            painter.setOpacity(layer.item.opacity())
            label.paint(painter, box.topLeft(), layer.ink)


def _beside(grid: QRectF, visible: QRectF) -> Iterator[QRectF]:
    """Yield the parts of the screen to the left and right of the grid."""
    # A name there would seem to belong to no place.
    if not grid.isEmpty():
        yield QRectF(visible.topLeft(), QPointF(max(grid.left(), visible.left()), visible.bottom()))
        yield QRectF(QPointF(min(grid.right(), visible.right()), visible.top()), visible.bottomRight())


def spots_in(box: QRectF, size: QSizeF) -> list[QPointF]:
    """Return top left corners of a label in the corners of a box, or outside a box that is too small."""
    left, right = box.left() + 7.0, box.right() - 7.0 - size.width()
    top, bottom = box.top() + 4.0, box.bottom() - 4.0 - size.height()
    inside = [QPointF(x, y) for y in (top, bottom) for x in (left, right)]
    above, below = box.top() - 2.0 - size.height(), box.bottom() + 2.0
    outside = [QPointF(x, y) for y in (above, below) for x in (box.left(), box.right() - size.width())]
    has_room = right >= left and bottom >= top
    return [*inside, *outside] if has_room else [*outside, *inside]


def spots_around(box: QRectF, size: QSizeF) -> list[QPointF]:
    """Return top left corners of a label around a symbol: right, left, above, below, and the four corners."""
    right, left = box.right() + 5.0, box.left() - 5.0 - size.width()
    above, below = box.top() - 2.0 - size.height(), box.bottom() + 2.0
    middle_x, middle_y = box.center().x() - size.width() / 2, box.center().y() - size.height() / 2
    places = (
        (right, middle_y), (left, middle_y), (middle_x, above), (middle_x, below),
        (right, above), (right, below), (left, above), (left, below),
    )  # fmt: skip
    return [QPointF(x, y) for x, y in places]


def spots_along(points: Sequence[QPointF], size: QSizeF) -> Iterator[QPointF]:
    """Yield top left corners of a label next to a line, from its centre outwards."""
    middle = len(points) // 2
    order = sorted(range(len(points)), key=lambda index: abs(index - middle))
    dot = 3.0
    boxes = [QRectF(points[k].x() - dot, points[k].y() - dot, 2 * dot, 2 * dot) for k in order]
    # Right on the line, the line would cross the name.
    for box in boxes:
        yield from spots_around(box, size)[2:4]
    for box in boxes:
        yield from spots_around(box, size)
