"""A margin curve as a chart: drops against the worst case, each plan with its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QWidget

from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginPoint
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart
from firegui.runs.margin_text import plan_title

_NEAR_PX = 12.0
_FIXED, _REPLANNED = "as planned", "replanned, mean of the drops flown"
_LABELS = {plan: plan.value for plan in CurvePlan} | {CurvePlan.REPLANNED: "stress, replanned"}


class MarginChart(Chart):
    """Chart with a point for each plan. The point under the mouse is read out; a click picks one."""

    picked = Signal(object)
    """The ``MarginPoint`` that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "drops", parent)
        self.set_y_label("worst share of the growth left, %")
        self._fixed = self.add_curve("accent", name=_FIXED, width=1.4, symbol=9.0)
        self._replanned = self.add_curve("retardant", name=_REPLANNED, width=0.0, symbol=9.0)
        self._chosen = self.add_curve("text", name="chosen", width=0.0, symbol=15.0, alpha=70)
        self._curve: MarginCurve | None = None
        self._places = np.empty((0, 2))
        self._labels: list[Any] = []
        self.title.hide()
        self.setToolTip("Click a point to show its plan on the map")
        self.plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.plot.scene().sigMouseClicked.connect(self._on_mouse_clicked)

    @property
    def labels(self) -> list[str]:
        """The names beside the points."""
        return [label.toPlainText() for label in self._labels]

    def place_of(self, point: MarginPoint) -> QPointF:
        """Return where a point is drawn, in the coordinates of the scene."""
        return QPointF(self.item.vb.mapViewToScene(QPointF(point.drops, 100.0 * point.worst_share)))

    def show_curve(self, curve: MarginCurve | None) -> None:
        """Draw a curve, or nothing."""
        self._curve = curve
        points = () if curve is None else curve.points
        places = self._places = _places(points)
        replanned = np.array([point.plan is CurvePlan.REPLANNED for point in points], bool)
        for number_, chosen in ((self._fixed, ~replanned), (self._replanned, replanned)):
            self.set_curve(number_, places[chosen, 0], places[chosen, 1])
        self.set_level(None if curve is None else 100.0 * curve.limit, "limit")
        self._draw_labels()
        self._read_out(None)
        self.fit()

    def choose(self, point: MarginPoint | None) -> None:
        """Mark the point whose plan is chosen, or none."""
        place = _places(() if point is None else (point,))
        self.set_curve(self._chosen, place[:, 0], place[:, 1])

    def set_colors(self, colors: Colors) -> None:
        """Take on the colours of a theme."""
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
            left = f"{point.worst_share:.1%} left in {point.worst_scenario}"
            self.set_title("", Piece(f"{title}: {number(point.drops)} drops, {left}", "accent"))
            return
        shown = self._curve is not None and bool(self._curve.points)
        fixed = (Piece(_FIXED, "accent"),) if shown else ()
        replanned = shown and len(self.curve_points(self._replanned)[0]) > 0
        self.set_title("", *fixed, *((Piece(_REPLANNED, "retardant"),) if replanned else ()))

    def _draw_labels(self) -> None:
        for label in self._labels:
            self.item.removeItem(label)
        self._labels = []
        for point, (x, y) in zip(() if self._curve is None else self._curve.points, self._places, strict=True):
            # The text of a point on the left stands to its right, and the other way round, so that it stays in view.
            right = x <= self._places[:, 0].mean()
            label = pg.TextItem(_LABELS[point.plan], current_colors().text, anchor=(-0.12 if right else 1.12, 0.9))
            label.setPos(x, y)
            self.item.addItem(label, ignoreBounds=True)
            self._labels.append(label)


def _places(points: Sequence[MarginPoint]) -> np.ndarray[Any, Any]:
    """Return abscissa and ordinate ``[N, 2]`` of points."""
    return np.array([[point.drops, 100.0 * point.worst_share] for point in points], float).reshape(-1, 2)
