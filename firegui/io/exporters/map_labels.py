"""Names and numbers on a printed map, each where it covers no other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import LINE, FigurePage, shortened, width_of
from firegui.io.exporters.map_layers import PLACE, REGION, ZONE
from firegui.io.exporters.map_view import MapFrame
from firegui.io.exporters.table import DropRow, outlines

_NAME, _NUMBER = 7.0, 5.5
_LONGEST = 2.2
_PAD = 0.025
_TURNS = (0.25, 0.75, 1.25, 1.75, 0.0, 1.0, 0.5, 1.5)

Rect = tuple[float, float, float, float]
"""``(left, bottom, right, top)`` in inches in the frame."""


class Labels:
    """Texts in a frame whose lower left corner is at ``frame`` inches of ``page``; remembers where they are."""

    def __init__(self, page: FigurePage, frame: tuple[float, float], view: MapFrame) -> None:
        self._page, self._frame, self._view = page, frame, view
        self._taken: list[Rect] = []
        self._shy = np.empty((0, 2))

    def name_areas(self, content: ExportContent) -> None:
        """The names of regions and zones, inside their north-west corner, and of places beside them."""
        zones = content.project.operations.no_drop_zones
        named = [(region, REGION) for region in content.project.regions] + [(zone, ZONE) for zone in zones]
        for region, color in named:
            top, left, bottom, right = region.bounds
            box = self._view.box
            if bottom > box[0] and top < box[2] and right > box[1] and left < box[3]:
                x, y = self._view.inches(max(left, box[1]), max(top, box[0]))
                high = _NAME * LINE / 72.0
                places = [(x + 0.06, y - 0.05 - high * (k + 1)) for k in range(6)]
                self._put(places, shortened(region.name, _LONGEST, _NAME, True), _NAME, color, bold=True)
        for _, name, points in content.project.scenario.markers:
            if points:
                y, x = points[len(points) // 2]
                self._beside(x + 0.5, y + 0.5, shortened(name, _LONGEST, _NAME), _NAME, PLACE, (0.06, 0.14))

    def number_drops(self, rows: Sequence[DropRow]) -> int:
        """Number the drops from 1 in the order of ``rows``; returns how many numbers had to be left out."""
        places = [(row.drop.landing_x + 0.5, row.drop.landing_y + 0.5) for row in rows]
        self._shy = self._along_axes(rows)
        missed = 0
        for number, (x, y) in enumerate(places, start=1):
            if self._view.shows(x, y):
                missed += not self._beside(x, y, f"{number}", _NUMBER, "#000000", (0.05, 0.12, 0.2, 0.3, 0.4), led=True)
        return missed

    def _beside(
        self, column: float, row: float, text: str, size: float, color: str, distances: Sequence[float],
        led: bool = False,
    ) -> bool:  # fmt: skip
        """Put a text near a point, close to it where there is room, else further off with a line to it."""
        x, y = self._view.inches(column, row)
        wide, high = width_of(text, size), 0.8 * size / 72.0
        # First where no footprint is covered, then anywhere: a number that is hard to place is better than none.
        for shy, distance, turn in product((True, False), distances, _TURNS):
            across, up = math.cos(math.pi * turn), math.sin(math.pi * turn)
            at = (x + distance * across + wide * (across - 1.0) / 2.0, y + distance * up + high * (up - 1.0) / 2.0)
            if self._fits(at, text, size, False) and not (shy and self._covers(at, text, size)):
                if led and distance > distances[1]:
                    self._lead((x, y), (x + distance * across, y + distance * up))
                return self._put([at], text, size, color)
        return False

    def _along_axes(self, rows: Sequence[DropRow]) -> NDArray[np.float64]:
        """``[n, 2]``: points along the long axes of the footprints, in inches."""
        rings = outlines([row.drop for row in rows]).reshape(-1, 2, 12, 2)
        ends = rings[:, :, 0]
        share = np.linspace(0.0, 1.0, 9)[:, None]
        points = (ends[:, :1] * (1.0 - share) + ends[:, 1:] * share).reshape(-1, 2)
        _, left, bottom, _ = self._view.box
        return np.column_stack([points[:, 0] - left, bottom - points[:, 1]]) / self._view.cells_per_inch

    def _covers(self, at: tuple[float, float], text: str, size: float) -> bool:
        left, bottom, right, top = _rect(at, text, size, False)
        x, y = self._shy[:, 0], self._shy[:, 1]
        return bool(((x > left) & (x < right) & (y > bottom) & (y < top)).any())

    def _put(
        self, places: Sequence[tuple[float, float]], text: str, size: float, color: str, bold: bool = False
    ) -> bool:
        for at in places:
            if self._fits(at, text, size, bold):
                self._taken.append(_rect(at, text, size, bold))
                x, y = self._frame[0] + at[0], self._frame[1] + at[1]
                self._page.text(x, y, text, size, bold=bold, color=color, backed=True)
                return True
        return False

    def _fits(self, at: tuple[float, float], text: str, size: float, bold: bool) -> bool:
        left, bottom, right, top = _rect(at, text, size, bold)
        inside = left >= 0.0 and bottom >= 0.0 and right <= self._view.width and top <= self._view.height
        return inside and all(
            right <= other[0] or left >= other[2] or top <= other[1] or bottom >= other[3] for other in self._taken
        )

    def _lead(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        points = [(self._frame[0] + x, self._frame[1] + y) for x, y in (start, end)]
        self._page.rule(points[0], points[1], color="#444444", linewidth=0.35)


def _rect(at: tuple[float, float], text: str, size: float, bold: bool) -> Rect:
    x, y = at
    return x - _PAD, y - 0.24 * size / 72.0, x + width_of(text, size, bold) + _PAD, y + 0.8 * size / 72.0 + 0.01
