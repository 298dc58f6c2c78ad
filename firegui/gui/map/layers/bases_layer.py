"""Bases, and the routes from them to where the fire burns on the shown day."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QTransform

from firegui.domain.bases import Base, BaseKind, Point
from firegui.domain.project import Project
from firegui.gui.map.items import map_font
from firegui.gui.map.labels import Label, Rank, spots_around
from firegui.gui.map.layers.layer import Content, Legend, LegendEntry, Sample
from firegui.gui.map.layers.shape_layers import ShapesLayer
from firegui.gui.map.map_colors import faded, water_color
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import ShapeKind

_SIZE_PX = 6.0
_RING_PX = (-5.0, -5.0, 5.0, 5.0)
"""How much larger the ring around the selected base is."""


class BasesLayer(ShapesLayer[Base]):
    """Symbol and name of every base, with a line to the fire of the day from those that a type flies from.

    Airtanker and reload bases are squares, dip sites and scooping lakes are circles.
    """

    key = "bases"
    kind = ShapeKind.BASE
    title = "Bases"
    help = "Bases, dip sites and lakes, and the routes of the shown day"
    follows = frozenset({"operations", "step", "selection"})
    swatch_ink = "text"
    swatch_sample = Sample.ROUTE
    no_data = "there are no bases: see the panel Bases"
    has_labels = True

    def _has_data(self, project: Project) -> bool:
        return bool(project.operations.bases)

    def content(self, shown: MapState) -> Content:
        """Return the bases, the fleet, where the fire burns on the shown day, and which base is selected."""
        project = shown.project
        return (project.operations.bases, project.fleet, project.burning_centres, shown.day, *self.selection)

    @property
    def legend(self) -> Legend:
        """Return bases and water, where there are some."""
        on_water = {_is_water(base) for base in self._bases}
        entries = [LegendEntry("base", self.ink.text, Sample.ROUTE)] if False in on_water else []
        entries += [LegendEntry("water", self._water, Sample.DISC)] if True in on_water else []
        return Legend(entries=tuple(entries))

    @property
    def _bases(self) -> tuple[Base, ...]:
        found = self.session.project.operations.bases if self.session.has_project else ()
        return tuple(base for base in self.previewed(found) if not base.problems())

    @property
    def _water(self) -> QColor:
        return water_color(is_dark=self.ink.dark)

    def _routes(self) -> Iterator[tuple[Base, Point]]:
        """Yield the bases that a type flies from on the shown day, with the centre of that day's fire."""
        project, step = self.session.project, self.session.step
        centres, day = project.burning_centres, project.calendar.day_of_state(step)
        if not 0 <= day < len(centres):
            return
        steps = range(day * project.calendar.steps_per_day, (day + 1) * project.calendar.steps_per_day)
        flying = [kind for kind in project.planned_fleet.types if kind.count and kind.cycles]
        used = {kind.cycles[each].base for kind in flying for each in steps}
        yield from ((base, centres[day]) for base in self._bases if base.name in used)

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        if not self.session.has_project:
            return
        for base, (y, x) in self._routes():
            ends = QPolygonF([_pixel(base.y, base.x, transform), _pixel(y, x, transform)])
            for pen in (QPen(self.ink.halo, 3.5), QPen(faded(self.ink.text, 0.8), 1.6, Qt.PenStyle.DashLine)):
                painter.setPen(pen)
                painter.drawPolyline(ends)
        for base in self._bases:
            box = _symbol(base, transform)
            if self.is_selected(base):
                painter.setPen(QPen(self.ink.accent, 2.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(box.adjusted(*_RING_PX))
            painter.setPen(QPen(self.ink.halo, 2.0))
            painter.setBrush(self._water if _is_water(base) else self.ink.text)
            if _is_water(base):
                painter.drawEllipse(box)
            else:
                painter.drawRect(box)

    def symbols(self, transform: QTransform) -> Iterator[QRectF]:
        """Yield the boxes of the symbols."""
        for base in self._bases:
            yield _symbol(base, transform)

    def labels(self, transform: QTransform, visible: QRectF) -> Iterator[Label]:
        """Yield the names of the bases on screen."""
        font = map_font(8.5, bold=True)
        for base in self._bases:
            box = _symbol(base, transform)
            if box.intersects(visible):
                spots: Callable[[QSizeF], Iterable[QPointF]] = partial(spots_around, box)
                yield Label(base.name, font, self.ink.text, Rank.PLACE, spots)


def _is_water(base: Base) -> bool:
    return base.kind in (BaseKind.DIP, BaseKind.LAKE)


def _pixel(y: float, x: float, transform: QTransform) -> QPointF:
    return transform.map(QPointF(x + 0.5, y + 0.5))


def _symbol(base: Base, transform: QTransform) -> QRectF:
    at = _pixel(base.y, base.x, transform)
    return QRectF(at.x() - _SIZE_PX, at.y() - _SIZE_PX, 2.0 * _SIZE_PX, 2.0 * _SIZE_PX)
