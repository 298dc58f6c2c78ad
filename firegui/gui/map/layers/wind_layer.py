"""Wind arrows of the shown day or period, evenly spaced on screen, where the wind blows to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTransform

from firegui.gui.map.layers.layer import (
    COLORS,
    Content,
    LayerChoice,
    Legend,
    LegendEntry,
    PaintedLayer,
    Sample,
)
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import Session

SPACING_PX = 96.0
LONGEST_PX, SHORTEST_PX = 34.0, 12.0
_DENSITY = {"sparse": 0.6, "normal": 1.0, "dense": 1.8}
_ON_DARK = ("#7f93ad", "#a9c3e0", "#e6d98f", "#ffb000")
_ON_LIGHT = ("#7b8aa0", "#3f5f8f", "#7a5c00", "#a33b00")
"""Colours of speed classes, from slow to fast: they differ in brightness too."""


class WindLayer(PaintedLayer):
    """One arrow per block of cells; length and colour follow the speed, on one scale for the whole event."""

    key = "wind"
    title = "Wind"
    help = "Wind of the shown day or period in m/s or mph; arrows point where it blows to"
    follows = frozenset({"step"})
    swatch_ink = "wind"
    swatch_sample = Sample.ARROW
    start_opacity = 0.9
    options = (
        LayerChoice(
            COLORS, "Colour", "Colour the arrows by speed, or draw all in one colour",
            (("speed", "By speed"), ("plain", "One colour")),
        ),
        LayerChoice(
            "density", "Density", "Distance between arrows on screen",
            (("normal", "Normal"), ("dense", "Dense"), ("sparse", "Sparse")),
        ),
    )  # fmt: skip

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._shown: MapState | None = None
        self._top_speed = 1.0
        self._event: object = None
        self._wind: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    @property
    def legend(self) -> Legend:
        """Return the speed of the longest arrow, or an arrow for the centre of each class of speed."""
        units = self._session.units
        if self._values[COLORS] == "plain":
            text = f"blows to; longest {units.wind(self._top_speed)}"
            return Legend(entries=(LegendEntry(text, self.ink.wind, Sample.ARROW),))
        classes = len(self._speed_colors)
        ends = [units.wind(self._top_speed * number / classes) for number in range(classes + 1)]
        texts = [f"{low.split()[0]} – {high.split()[0]}" for low, high in pairwise(ends)]
        colors = zip(texts, self._speed_colors, strict=True)
        entries = tuple(LegendEntry(text, color, Sample.ARROW) for text, color in colors)
        return Legend(entries=entries, title=f"Wind blows to, {ends[-1].split()[1]}")

    @property
    def _speed_colors(self) -> tuple[QColor, ...]:
        """Colours of the classes of speed, from slow to fast."""
        return tuple(QColor(name) for name in (_ON_DARK if self.ink.dark else _ON_LIGHT))

    def content(self, shown: MapState) -> Content:
        """Return the event and the period of its weather: this runs at every playback step."""
        return shown.scenario, shown.project.fire_model.most_periods, shown.weather_period

    def draw(self, shown: MapState | None) -> None:
        """Store what to paint."""
        self._shown, self._wind = shown, None
        if shown is None:
            self._event = None
        elif shown.scenario is not self._event:
            self._event = shown.scenario
            speed = shown.project.model_weather.speed
            self._top_speed = max(float(np.nanmax(speed)), 1e-6) if speed.size and np.isfinite(speed).any() else 1.0
        super().draw(shown)

    def arrows(self, pixels_per_cell: float) -> list[tuple[float, float, float, float]]:
        """Return ``(row, column, length in pixels, direction)`` in corner coordinates.

        The direction is the one to which the wind blows, in radians counter-clockwise from east.
        """
        if self._shown is None or not self._shown.scenario.days:
            return []
        if self._wind is None:
            rows, columns = self._shown.scenario.grid.shape
            self._wind = self._shown.wind((slice(0, rows), slice(0, columns)))
        speed, direction = self._wind
        # A denser map is as if the map were drawn larger.
        return spaced_arrows(
            speed, direction, self._top_speed, pixels_per_cell * _DENSITY[str(self._values["density"])]
        )

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        arrows = self.arrows(transform.m11())
        if self._values[COLORS] == "plain":
            draw_arrows(painter, transform, visible, arrows, self.ink)
            return
        colors = self._speed_colors
        for number, color in enumerate(colors):
            own = [arrow for arrow in arrows if _class_of(arrow, len(colors)) == number]
            draw_arrows(painter, transform, visible, own, replace(self.ink, wind=color))


def _class_of(arrow: Arrow, classes: int) -> int:
    share = (arrow[2] - SHORTEST_PX) / (LONGEST_PX - SHORTEST_PX)
    return min(int(share * classes), classes - 1)


Arrow = tuple[float, float, float, float]


def spaced_arrows(
    speed: NDArray[np.floating], direction: NDArray[np.floating], top_speed: float, pixels_per_cell: float
) -> list[Arrow]:
    """Return ``(row, column, length in pixels, direction)`` of arrows evenly spaced on screen.

    ``speed [H, W]`` has its longest arrow at ``top_speed``. ``direction [H, W]`` is the direction to which the wind
    blows, in radians counter-clockwise from east. Cells without a number have no arrow.
    """
    rows, columns = speed.shape
    every = max(SPACING_PX / pixels_per_cell, 1.0)
    found = []
    for i in _centres(rows, every):
        for j in _centres(columns, every):
            v, psi = float(speed[i, j]), float(direction[i, j])
            if math.isfinite(v) and math.isfinite(psi):
                length = SHORTEST_PX + (LONGEST_PX - SHORTEST_PX) * min(v / top_speed, 1.0)
                found.append((i + 0.5, j + 0.5, length, psi))
    return found


def draw_arrows(painter: QPainter, transform: QTransform, visible: QRectF, arrows: Sequence[Arrow], ink: Ink) -> None:
    """Draw arrows on a casing that separates them from the map; ``transform`` maps cells to pixels."""
    path = QPainterPath()
    for row, column, length, psi in arrows:
        middle = transform.map(QPointF(column, row))
        if visible.contains(middle):
            add_arrow(path, middle, length, psi)
    painter.strokePath(path, QPen(ink.halo, 2.6))
    painter.strokePath(path, QPen(ink.wind, 1.3))


def _centres(cells: int, every: float) -> list[int]:
    """Return the cells at the centres of equal blocks of about ``every`` cells."""
    count = max(round(cells / every), 1)
    return [int((k + 0.5) * cells / count) for k in range(count)]


def add_arrow(path: QPainterPath, middle: QPointF, length: float, psi: float) -> None:
    """Add an arrow around ``middle`` (pixels, y downwards) in direction ``psi``, ccw from east."""
    along = QPointF(math.cos(psi), -math.sin(psi))
    across = QPointF(-along.y(), along.x())
    head = min(5.5, 0.45 * length)
    tip, tail = middle + along * (length / 2), middle - along * (length / 2)
    path.moveTo(tail)
    path.lineTo(tip)
    path.moveTo(tip - along * head + across * (0.55 * head))
    path.lineTo(tip)
    path.lineTo(tip - along * head - across * (0.55 * head))
