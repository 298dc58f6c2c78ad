"""Chart of a margin curve: drops against the worst case, each plan with its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QWidget

from firegui.analyses.margin.report import SHORT_TITLES, plan_title
from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginPoint
from firegui.domain.stress import left_in_text
from firegui.domain.units import percent_text
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart, faded

_NEAR_PX, _PADDING = 12.0, 0.1
_NAMES_Z, _POINTS_Z = 5, 10
"""The names lie above the line and below the points."""
_RIGHT = 0.7
"""The names of points in the last part of the chart are on their left."""
_SPACE = "\u2002"
"""Space between a point and its name."""
_Y = "worst share of the growth left, %"
_FIXED, _REPLANNED = "as planned", "replanned, mean of the drops flown"


class MarginChart(Chart):
    """Chart with a point per plan.

    A line joins the plans that no other beats in both drops and worst share. The point under the mouse is read out, and
    a click selects it.
    """

    picked = Signal(object)
    """The ``MarginPoint`` that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "drops", parent)
        self.set_whole("bottom")
        # Room for the names beside the points.
        self.item.vb.setDefaultPadding(_PADDING)
        self._front = self.add_curve("accent", name="front", width=1.4)
        self._fixed = self.add_curve("accent", name=_FIXED, width=0.0, symbol=9.0)
        self._replanned = self.add_curve("retardant", name=_REPLANNED, width=0.0, symbol=9.0)
        self._chosen = self.add_curve("text", name="chosen", width=0.0, symbol=15.0, alpha=70)
        for index in (self._fixed, self._replanned, self._chosen):
            self._curves[index].item.setZValue(_POINTS_Z)
        self._curve: MarginCurve | None = None
        self._places = np.empty((0, 2))
        self._labels: list[Any] = []
        self.title.hide()
        self.setToolTip("Click a point to show its plan on the map")
        self.plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.plot.scene().sigMouseClicked.connect(self._on_mouse_clicked)

    @property
    def labels(self) -> list[str]:
        """The names next to the points."""
        return [label.toPlainText().strip() for label in self._labels]

    def place_of(self, point: MarginPoint) -> QPointF:
        """Return the position of a point in scene coordinates."""
        return QPointF(self.item.vb.mapViewToScene(QPointF(point.drops, 100.0 * point.worst_share)))

    def show_curve(self, curve: MarginCurve | None) -> None:
        """Draw a curve; ``None`` clears the chart."""
        self._curve = curve
        points = () if curve is None else curve.points
        places = self._places = _places(points)
        replanned = np.array([point.plan is CurvePlan.REPLANNED for point in points], bool)
        for index, chosen in ((self._fixed, ~replanned), (self._replanned, replanned)):
            self.set_curve(index, places[chosen, 0], places[chosen, 1])
        front = _places(() if curve is None else curve.front)
        self.set_curve(self._front, front[:, 0], front[:, 1])
        self.set_level(None if curve is None else 100.0 * curve.limit)
        self._draw_labels()
        self._read_out(None)
        self.fit()

    def choose(self, point: MarginPoint | None) -> None:
        """Mark the point whose plan is selected, or none."""
        place = _places(() if point is None else (point,))
        self.set_curve(self._chosen, place[:, 0], place[:, 1])

    def set_colors(self, colors: Colors) -> None:
        """Use the colours of a theme."""
        super().set_colors(colors)
        if getattr(self, "_labels", None):
            self._draw_labels()

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def _point_at(self, place: QPointF) -> MarginPoint | None:
        if self._curve is None or not len(self._places) or not self.item.vb.sceneBoundingRect().contains(place):
            return None
        view = self.item.vb.mapSceneToView(place)
        away = (self._places - [view.x(), view.y()]) / np.array(self.item.vb.viewPixelSize())
        distances = np.hypot(away[:, 0], away[:, 1])
        nearest = int(np.argmin(distances))
        return self._curve.points[nearest] if distances[nearest] <= _NEAR_PX else None

    def _on_mouse_moved(self, place: QPointF) -> None:
        self._read_out(self._point_at(place))

    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (point := self._point_at(event.scenePos())) is not None:
            self.picked.emit(point)

    # -- drawing -----------------------------------------------------------------------------------------------------
    def _read_out(self, point: MarginPoint | None) -> None:
        if point is not None and self._curve is not None:
            title = plan_title(point.plan, self._curve.settings)
            left = left_in_text(point.worst_share, point.worst_scenario, self._curve.limit)
            self.set_title("", Piece(f"{title}: {number(point.drops)} drops, {left}", "accent"))
            return
        if self._curve is None or not self._curve.points:
            self.set_title("")
            return
        replanned = len(self.curve_points(self._replanned)[0]) > 0
        pieces = [Piece(_Y), Piece(_FIXED, "accent"), *([Piece(_REPLANNED, "retardant")] if replanned else [])]
        self.set_title("", *pieces, Piece(f"limit {percent_text(self._curve.limit)}", "muted"))

    def _draw_labels(self) -> None:
        for label in self._labels:
            self.item.removeItem(label)
        self._labels = []
        colors, across = current_colors(), self._places[:, 0]
        for point, (x, y) in zip(() if self._curve is None else self._curve.points, self._places, strict=True):
            name, at_right = SHORT_TITLES[point.plan], x > across.min() + _RIGHT * np.ptp(across)
            text, side = (f"{name}{_SPACE}", 1.0) if at_right else (f"{_SPACE}{name}", 0.0)
            # The background separates the text from the line.
            label = pg.TextItem(text, colors.text, anchor=(side, 0.5), fill=pg.mkBrush(faded(colors.base, 170)))
            label.setPos(x, y)
            label.setZValue(_NAMES_Z)
            self.item.addItem(label, ignoreBounds=True)
            self._labels.append(label)


def _places(points: Sequence[MarginPoint]) -> np.ndarray[Any, Any]:
    """Return abscissa and ordinate ``[N, 2]`` of points."""
    return np.array([[point.drops, 100.0 * point.worst_share] for point in points], float).reshape(-1, 2)
