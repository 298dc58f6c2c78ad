"""Isochrones: outlines of the fire at equal intervals of time, each with its time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QPainter, QPainterPath, QPen, QTransform

from firegui.domain.results import Frames
from firegui.gui.map.items import map_font, mask_path
from firegui.gui.map.labels import Label, Rank
from firegui.gui.map.layers.layer import (
    FIRE_VIEWS,
    Content,
    LayerChoice,
    Legend,
    LegendEntry,
    PaintedLayer,
    Sample,
    same_content,
)
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import FireView, Session

_LABEL_TRIES = 36
_TURN = math.pi * (3.0 - math.sqrt(5.0))
"""Golden angle: the labels of any number of lines one in the other are spread around them."""


class IsochronesLayer(PaintedLayer):
    """Lines where the fire arrives at a time: the edge of P(fire) ≥ threshold after every interval.

    The lines of the whole plan are drawn whatever time is shown. They are traced when the layer is first drawn.
    """

    key = "isochrones"
    title = "Arrival time"
    help = "Isochrones: where the fire has arrived after equal intervals of time, with a label for each"
    follows = frozenset({"view", "result"})
    views = FIRE_VIEWS
    starts_visible = False
    has_labels = True
    swatch_ink = "text"
    options = (
        LayerChoice(
            "interval", "Interval", "Time between two lines",
            (("24", "24 hours"), ("12", "12 hours"), ("6", "6 hours"), ("3", "3 hours")),
        ),
        LayerChoice(
            "chance", "Fire has arrived from", "Chance burned from which a cell counts as reached",
            (("0.5", "50 %"), ("0.1", "10 %"), ("0.9", "90 %")),
        ),
    )  # fmt: skip

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._made_of: Content = ()
        self.lines: tuple[tuple[str, QPainterPath], ...] = ()
        """Label and outline of every isochrone, the earliest first, in corner coordinates."""

    @property
    def legend(self) -> Legend:
        """The interval, and what counts as arrived."""
        text = f"fire arrives, every {self._values['interval']} h, chance {100 * float(self._values['chance']):.0f} %"
        return Legend(entries=(LegendEntry(text, self.ink.text, Sample.LINE),))

    def missing(self) -> str:
        """Return which side has no result."""
        result, view = self.session.result, self.session.view
        frames = result.baseline if view is FireView.BASELINE else result.plan
        return "" if frames is not None and len(frames.fire) else f"no {view.value} result yet: start a run"

    def content(self, shown: MapState) -> Content:
        """Return the traced lines."""
        return (self.lines,)

    def draw(self, shown: MapState | None) -> None:
        """Trace the lines of another fire, interval or chance, and paint them."""
        frames = None if shown is None else shown.frames
        wanted = (frames, *self._values.values())
        if not same_content(wanted, self._made_of):
            self._made_of = wanted
            self.lines = () if shown is None or frames is None else tuple(self._traced(shown, frames))
        super().draw(shown)

    def _traced(self, shown: MapState, frames: Frames) -> list[tuple[str, QPainterPath]]:
        calendar, found = shown.project.calendar, []
        if not len(frames.fire) or frames.fire.shape != shown.scenario.grid.shape:
            return []
        every = max(round(float(self._values["interval"]) / calendar.hours_per_step), 1)
        least, before = round(255 * float(self._values["chance"])), -1
        for step in range(every, calendar.n_steps + 1, every):
            index = frames.index_of_step(step)
            # Coarse frames, or means at the ends of days, have no picture of their own for every interval.
            if index == before or index * frames.stride > step:
                continue
            before = index
            when = calendar.time_of_step(step).astimezone(calendar.local_zone)
            mask = frames.fire.picture(index) >= least
            if mask.any():
                day = calendar.day_name(step) if not calendar.is_dated else f"{when.day} {when:%b}"
                found.append((f"{day} {calendar.clock_text(when)}", mask_path(mask)))
        return found

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        for _, path in self.lines:
            drawn = transform.map(path)
            for pen in (QPen(self.ink.halo, 3.0), QPen(self.ink.text, 1.2)):
                painter.strokePath(drawn, pen)

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield the time of every line, on a card because the fire below has every shade from dark to bright."""
        # The latest line is the outermost and has the most room.
        for number, (text, path) in enumerate(reversed(self.lines)):
            spots = partial(label_corners, path, transform, number * _TURN)
            yield Label(text, map_font(8.0), self.ink.text, Rank.ISOCHRONE, spots, on_card=True)


def label_corners(path: QPainterPath, transform: QTransform, direction: float, size: QSizeF) -> list[QPointF]:
    """Return top left corners of a label in pixels, centred on points of the line.

    The first lies in ``direction`` from the middle of the line, in radians from north clockwise.
    """
    count, middle = path.elementCount(), path.boundingRect().center()
    points = [path.elementAt(number) for number in range(0, count, max(count // _LABEL_TRIES, 1))]

    def turn(point: QPainterPath.Element) -> float:
        bearing = math.atan2(point.x - middle.x(), middle.y() - point.y)
        return abs(math.remainder(bearing - direction, math.tau))

    half = QPointF(size.width() / 2, size.height() / 2)
    return [transform.map(QPointF(point.x, point.y)) - half for point in sorted(points, key=turn)]
