"""Visible part of the grid, and the conversion between cells and pixels.

Map coordinates are raster corner coordinates: cell ``(i, j)`` covers rows ``[i, i+1)`` downwards and columns
``[j, j+1)`` to the right, so that north is up. A pose in cell-centre coordinates is drawn half a cell further.
"""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsView, QWidget

from firegui.domain.grid import bounding_box

_ABOVE_PX, _BELOW_PX, _SIDE_PX, _BESIDE_PX = 42.0, 30.0, 16.0, 58.0
"""Room around the whole grid, and between the grid and what covers a part of the map, for latitudes."""
_SCALES_PX, _SCALES_WIDTH_PX, _WORTH_SCALES = 78.0, 225.0, 0.85
"""Height of the scales in the lower corners with the longitudes above them, their width, and the share of its size to
which the grid is made smaller for them."""
_HIDDEN_SHARE = 0.04
"""Share of the whole grid that may be covered, at a side, so that it is larger and nearer to the centre."""
_CLOSEST_CELLS = 6.0
_WELL_SEEN_PX = 40.0
"""A smaller part of the map is enlarged to be seen."""
_LEAST_SHARE = 0.6
"""A map is not drawn smaller than this share of its size to stay clear of what covers it."""
MapArea = tuple[float, float, float, float]
_WIDEST = 4.0
_MARGIN, _MARGIN_CELLS = 0.12, 2.0
_SPAN = 1_000.0
"""Cells over which the scale of many positions is measured."""


def area_around(cells: NDArray[np.bool_]) -> QRectF:
    """Return the area around ``cells [H, W]`` with a margin on all sides; the raster if no cell is set."""
    box = bounding_box(cells)
    if box is None:
        return QRectF(0, 0, *cells.shape[::-1])
    rows, columns = box
    area = QRectF(QPointF(columns.start, rows.start), QPointF(columns.stop, rows.stop))
    across, down = (_MARGIN * side + _MARGIN_CELLS for side in (area.width(), area.height()))
    return area.adjusted(-across, -down, across, down)


def fitted(size: QSizeF, room: QRectF, near: QPointF | None = None) -> QRectF:
    """Return the largest box of the form of ``size`` in ``room``, close to ``near`` or to its centre."""
    scale = min(max(room.width(), 0.0) / max(size.width(), 1e-9), max(room.height(), 0.0) / max(size.height(), 1e-9))
    half, at = size * scale / 2.0, room.center() if near is None else near
    x = min(max(at.x(), room.left() + half.width()), room.right() - half.width())
    y = min(max(at.y(), room.top() + half.height()), room.bottom() - half.height())
    return QRectF(x - half.width(), y - half.height(), 2.0 * half.width(), 2.0 * half.height())


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
        self._covered = QRectF()
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
        room = QRectF(self.viewport.rect()).adjusted(_SIDE_PX, _ABOVE_PX, -_SIDE_PX, -_BELOW_PX)
        grid = QRectF(0, 0, self._columns, self._rows)
        best = self._place(grid.size(), room, _HIDDEN_SHARE)
        if best.left() < _SCALES_WIDTH_PX or best.right() > self.viewport.width() - _SCALES_WIDTH_PX:
            higher = self._place(grid.size(), room.adjusted(0, 0, 0, _BELOW_PX - _SCALES_PX), _HIDDEN_SHARE)
            best = higher if higher.width() > _WORTH_SCALES * best.width() else best
        self._show_at(grid, best)

    def fit_bounds(self, top: float, left: float, bottom: float, right: float) -> None:
        """Show a part of the grid with a margin."""
        self._whole = False
        margin = max(0.15 * max(bottom - top, right - left), 3.0)
        part = QRectF(left, top, right - left, bottom - top).adjusted(-margin, -margin, margin, margin)
        self._show_at(part, self._place(part.size(), QRectF(self.viewport.rect())))

    def show_part(self, top: float, left: float, bottom: float, right: float) -> None:
        """Show a part of the grid among what surrounds it, unless it is well in view already."""
        part = QRectF(self.to_pixel(top, left), self.to_pixel(bottom, right))
        seen = QRectF(self.viewport.rect()).adjusted(_SIDE_PX, _ABOVE_PX, -_SIDE_PX, -_BELOW_PX)
        is_clear = seen.contains(part) and not self._covered.intersects(part)
        if not is_clear or max(part.width(), part.height()) < _WELL_SEEN_PX:
            around = max(bottom - top, right - left)
            self.fit_bounds(top - around, left - around, bottom + around, right + around)

    def set_covered(self, box: QRect) -> None:
        """Keep what is fitted in view clear of ``box``, in pixels of the viewport, which something covers."""
        self._covered = QRectF(box)
        if self._whole:
            self.fit()

    def _place(self, form: QSizeF, room: QRectF, hidden_share: float = 0.0) -> QRectF:
        """Return the largest box of a form in ``room`` of the viewport, of which at most a share is covered."""
        whole = fitted(form, room)
        if not self._covered.intersects(whole):
            return whole
        beside, above = QRectF(room), QRectF(room)
        beside.setLeft(max(room.left(), self._covered.right() + _BESIDE_PX))
        above.setBottom(min(room.bottom(), self._covered.top() - _SIDE_PX))
        best = max((fitted(form, each, room.center()) for each in (beside, above)), key=QRectF.width)
        for share in np.linspace(1.0, _LEAST_SHARE, 21) if hidden_share else ():
            box = QRectF(QPointF(), whole.size() * float(share))
            box.moveCenter(room.center())
            hidden = self._covered & box
            most = hidden_share * box.width() * box.height()
            if hidden.width() * hidden.height() > most:
                box.moveLeft(self._covered.right() - most / hidden.height())
            if box.right() <= room.right():
                best = max(box, best, key=QRectF.width)
                break
        return best if best.width() >= _LEAST_SHARE * whole.width() else whole

    def _show_at(self, part: QRectF, best: QRectF) -> None:
        """Show a part of the map in the box ``best`` of the viewport."""
        scale = max(best.width() / max(part.width(), 1e-9), 1e-3)
        origin = part.topLeft() - best.topLeft() / scale
        self._show(QRectF(origin, QSizeF(self.viewport.width() / scale, self.viewport.height() / scale)))

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

    def share_view(self, other: Camera) -> None:
        """Show the part of the map that was chosen for another camera with a viewport of the same size.

        The chosen part, and not what the viewport shows around it: maps that are resized one after the other, and back
        again, would show more and more.
        """
        self._whole = other._whole
        chosen = other._box.targetRect()
        if chosen != self._box.targetRect():
            self._show(chosen)

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

    def bring_into_view(self, row: float, column: float, margin: float = 90.0) -> None:
        """Centre a position, unless it is in view and farther than ``margin`` pixels from the edge."""
        pixel, seen = self.to_pixel(row, column), QRectF(self.viewport.rect())
        if not seen.adjusted(margin, margin, -margin, -margin).contains(pixel):
            self.pan(seen.center() - pixel)

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

    def to_pixels(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``[n, 2]`` viewport pixels ``(x, y)`` of ``positions [n, 2]`` ``(row, column)``."""
        # The map is never rotated, so that one scale serves all positions.
        first, other = (np.array(self.to_pixel(each, each).toTuple()) for each in (0.0, _SPAN))
        pixels: NDArray[np.float64] = first + positions[:, ::-1] * ((other - first) / _SPAN)
        return pixels

    @property
    def pixels_per_cell(self) -> float:
        """Size of a cell in screen pixels."""
        left, right = self.to_pixel(0.0, 0.0), self.to_pixel(0.0, 100.0)
        return max((right.x() - left.x()) / 100.0, 1e-9)

    def set_cursor(self, shape: Qt.CursorShape) -> None:
        """Set the shape of the pointer over the map."""
        self.viewport.setCursor(shape)
