"""Visible part of the grid, and the conversion between cells and pixels.

Map coordinates are raster corner coordinates: cell ``(i, j)`` covers rows ``[i, i+1)`` downwards and columns
``[j, j+1)`` to the right, so that north is up. A pose in cell-centre coordinates is drawn half a cell further.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsView, QWidget

from firegui.domain.grid import bounding_box

_ABOVE_PX, _BELOW_PX, _SIDE_PX = 42.0, 30.0, 16.0
_CLOSEST_CELLS = 6.0
MapArea = tuple[float, float, float, float]
_WIDEST = 4.0
_MARGIN, _MARGIN_CELLS = 0.12, 2.0


def area_around(cells: NDArray[np.bool_]) -> QRectF:
    """Return the area around ``cells [H, W]`` with a margin on all sides; the raster if no cell is set."""
    box = bounding_box(cells)
    if box is None:
        return QRectF(0, 0, *cells.shape[::-1])
    rows, columns = box
    area = QRectF(QPointF(columns.start, rows.start), QPointF(columns.stop, rows.stop))
    across, down = (_MARGIN * side + _MARGIN_CELLS for side in (area.width(), area.height()))
    return area.adjusted(-across, -down, across, down)


class Camera(QObject):
    """Visible part of the map: owns the pyqtgraph view and its one view box.

    With ``own_mouse`` it handles zooming by wheel and panning by drag itself. Otherwise its owner forwards mouse
    events.
    """

    moved = Signal()
    """The visible range changed."""

    def __init__(self, parent: QWidget, *, own_mouse: bool = False) -> None:
        super().__init__(parent)
        self.widget = pg.GraphicsView(parent, useOpenGL=False, background=None)
        self.widget.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.widget.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.widget.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self._box = pg.ViewBox(
            lockAspect=True, invertY=True, enableMouse=own_mouse, enableMenu=False, defaultPadding=0.0
        )
        self._box.disableAutoRange()
        self.widget.setCentralItem(self._box)
        self._box.sigTransformChanged.connect(self._on_moved)
        self._box.sigRangeChanged.connect(self._on_moved)
        self._rows, self._columns = 1, 1
        self._whole = True
        if own_mouse:
            self._box.sigRangeChangedManually.connect(self._on_own_move)
            self._box.sigResized.connect(self._on_own_resize)

    @property
    def viewport(self) -> QWidget:
        """The widget that receives the mouse events."""
        viewport: QWidget = self.widget.viewport()
        return viewport

    @property
    def shows_whole(self) -> bool:
        """Whether the whole grid is kept in view."""
        return self._whole

    def add(self, item: QGraphicsItem) -> None:
        """Add an item that moves with the map. The caller keeps the reference."""
        self._box.addItem(item, ignoreBounds=True)

    def add_fixed(self, item: QGraphicsItem) -> None:
        """Add an item in screen pixels, fixed over the map."""
        self.widget.scene().addItem(item)

    def set_grid(self, rows: int, columns: int) -> None:
        """Show the whole of another grid."""
        self._rows, self._columns = rows, columns
        largest = max(rows, columns)
        self._box.setLimits(
            xMin=-_WIDEST * largest, xMax=columns + _WIDEST * largest, yMin=-_WIDEST * largest,
            yMax=rows + _WIDEST * largest, minXRange=min(_CLOSEST_CELLS, columns), maxXRange=_WIDEST * largest * 2,
        )  # fmt: skip
        self.fit()

    def fit(self) -> None:
        """Show the whole grid, and keep it in view while the window is resized."""
        self._whole = True
        width, height = self.viewport.width() - 2 * _SIDE_PX, self.viewport.height() - _ABOVE_PX - _BELOW_PX
        cell = max(min(width / self._columns, height / self._rows), 1e-3)
        area = QRectF(0, 0, self._columns, self._rows)
        side = max(self.viewport.width() / cell - self._columns, 0.0) / 2
        spare = max(self.viewport.height() / cell - self._rows - (_ABOVE_PX + _BELOW_PX) / cell, 0.0) / 2
        self._show(area.adjusted(-side, -spare - _ABOVE_PX / cell, side, spare + _BELOW_PX / cell))

    def fit_bounds(self, top: float, left: float, bottom: float, right: float) -> None:
        """Show a part of the grid with a margin."""
        self._whole = False
        margin = max(0.15 * max(bottom - top, right - left), 3.0)
        self._show(QRectF(left, top, right - left, bottom - top).adjusted(-margin, -margin, margin, margin))

    @property
    def area(self) -> MapArea:
        """The visible part of the map: top, left, bottom and right in corner coordinates."""
        seen = self._box.viewRect()
        return seen.top(), seen.left(), seen.bottom(), seen.right()

    def show_area(self, area: MapArea) -> None:
        """Show a part of the map again, in a window of another form with its centre and at least its extent."""
        top, left, bottom, right = area
        self._whole = False
        self._show(QRectF(left, top, right - left, bottom - top))

    def centre_on(self, row: float, column: float) -> None:
        """Move the map so that a position is in its centre."""
        self.pan(QPointF(self.viewport.rect().center()) - self.to_pixel(row, column))

    def _show(self, rectangle: QRectF) -> None:
        self._box.setRange(rect=rectangle, padding=0.0)

    def follow(self, other: Camera) -> None:
        """Show the same position at the same scale as another camera."""
        here, there = self._box.viewRect().center(), other._box.viewRect().center()
        scale = other.pixels_per_cell
        same = abs(self.pixels_per_cell / scale - 1.0) < 1e-6
        self._whole = other._whole
        if same and abs(here.x() - there.x()) * scale < 0.01 and abs(here.y() - there.y()) * scale < 0.01:
            return
        if self.viewport.size() == other.viewport.size():
            self._show(other._box.viewRect())
            return
        width, height = self.viewport.width() / scale, self.viewport.height() / scale
        self._show(QRectF(there.x() - width / 2, there.y() - height / 2, width, height))

    def resized(self) -> None:
        """Adapt to another size of the viewport; the whole grid stays in view if it was."""
        if self._whole:
            self.fit()
        self._on_moved()

    def _on_moved(self, *_: object) -> None:
        self.moved.emit()

    def _on_own_move(self, *_: object) -> None:
        self._whole = False

    def _on_own_resize(self, *_: object) -> None:
        self.resized()

    # -- moving ------------------------------------------------------------------------------------------------------
    def pan(self, by: QPointF) -> None:
        """Move the map by a number of pixels."""
        self._whole = False
        scale = self.pixels_per_cell
        self._box.translateBy(x=-by.x() / scale, y=-by.y() / scale)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Enlarge by ``factor`` about a pixel, by default the centre."""
        self._whole = False
        pixel = at if at is not None else QPointF(self.viewport.rect().center())
        row, column = self.to_cell(pixel)
        self._box.scaleBy(s=(1.0 / factor, 1.0 / factor), center=pg.Point(column, row))

    def bring_into_view(self, row: float, column: float) -> None:
        """Pan the map until a position is well in view; do nothing if it is."""
        pixel, inner = self.to_pixel(row, column), QRectF(self.viewport.rect()).adjusted(90.0, 90.0, -90.0, -90.0)
        if not inner.contains(pixel):
            self.pan(QPointF(self.viewport.rect().center()) - pixel)

    # -- coordinates -------------------------------------------------------------------------------------------------
    def to_cell(self, pixel: QPointF) -> tuple[float, float]:
        """Return ``(row, column)`` in corner coordinates under a viewport pixel."""
        back, _ = self.widget.viewportTransform().inverted()
        point = self._box.mapSceneToView(back.map(pixel))
        return float(point.y()), float(point.x())

    def to_pixel(self, row: float, column: float) -> QPointF:
        """Return the viewport pixel of a position in corner coordinates."""
        scene = QPointF(self._box.mapViewToScene(QPointF(column, row)))
        pixel: QPointF = self.widget.viewportTransform().map(scene)
        return pixel

    def to_point(self, row: float, column: float) -> QPoint:
        """Return :meth:`to_pixel` rounded to a whole pixel."""
        return self.to_pixel(row, column).toPoint()

    @property
    def pixels_per_cell(self) -> float:
        """Size of a cell in screen pixels."""
        left, right = self.to_pixel(0.0, 0.0), self.to_pixel(0.0, 100.0)
        return max((right.x() - left.x()) / 100.0, 1e-9)

    def set_cursor(self, shape: Qt.CursorShape) -> None:
        """Set the shape of the pointer over the map."""
        self.viewport.setCursor(shape)
