"""The map beside the steps: one layer under its relief, with wind, perimeters and the extents of the files over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QVBoxLayout, QWidget

from firegui.domain.grid import Grid
from firegui.gui.map.camera import Camera
from firegui.gui.map.color_scales import Bytes, Packed, Scale, shade_scale
from firegui.gui.map.decorations import Caption, Decorations
from firegui.gui.map.items import RasterItem, ScreenItem, Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.wind_layer import draw_arrows, spaced_arrows
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.sketch import Sketch

_RELIEF = 0.7
_REPAINT_MS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One outline in corner coordinates of the preview, such as the perimeter of a day."""

    path: QPainterPath
    color: QColor
    dashed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """The wind of one day: ``speed [h, w]`` in m/s, ``towards [h, w]`` in radians ccw from east, the longest arrow."""

    speed: NDArray[np.floating]
    towards: NDArray[np.floating]
    top_speed: float


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What the preview shows: ``pixels [h, w]`` of a layer, ``shade [h, w]`` codes of its relief, and what lies above.

    ``pin`` is the cell ``(row, column)`` of an ignition. ``scale`` is the layer's legend. ``whole`` has the map fitted
    to all lines, also those beyond the grid.
    """

    grid: Grid
    title: str = ""
    note: str = ""
    hint: str = ""
    pixels: Packed | None = None
    scale: Scale | None = None
    shade: Bytes | None = None
    arrows: Arrows | None = None
    lines: tuple[Line, ...] = ()
    pin: tuple[int, int] | None = None
    whole: bool = False

    @property
    def area(self) -> QRectF:
        """What there is to see, in corner coordinates."""
        area = QRectF(0.0, 0.0, self.grid.columns, self.grid.rows)
        for line in self.lines if self.whole else ():
            area = area.united(line.path.boundingRect())
        return area


class PreviewMap(QWidget):
    """North up. The wheel zooms, a drag moves, a click is handed on; plus, minus and F work from the keyboard."""

    clicked = Signal(float, float)
    """Row and column, in corner coordinates, of a left click on the map."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.camera = Camera(self, own_mouse=True)
        self.raster, self._relief, self._ground, self._lines = RasterItem(), RasterItem(), StrokesItem(), StrokesItem()
        self._relief.setOpacity(_RELIEF)
        self._wind = ScreenItem(self._paint_wind)
        self._sketch, self._decorations = Sketch(), Decorations()
        self._shades = shade_scale().packed
        self._scene: Scene | None = None
        self._ink = Ink.of(self.palette())
        self._timer = QTimer(self, singleShot=True, interval=_REPAINT_MS)
        self._timer.timeout.connect(self._decorate)
        self._lay_out()
        self._set_ink()

    @property
    def scene(self) -> Scene | None:
        """What is shown."""
        return self._scene

    def show_scene(self, scene: Scene | None) -> None:
        """Show something else; the view stays where it is unless the grid is another one."""
        before, self._scene = self._scene, scene
        if scene is not None and (before is None or before.grid != scene.grid):
            for item in (self._wind, self._sketch.item):
                item.set_grid(*scene.grid.shape)
            self.camera.set_grid(*scene.grid.shape)
        self._draw()
        if scene is not None and (before is None or before.area != scene.area):
            self._fit(scene)

    def _fit(self, scene: Scene) -> None:
        area = scene.area
        if area == QRectF(0.0, 0.0, scene.grid.columns, scene.grid.rows):
            self.camera.fit()
        else:
            self.camera.fit_bounds(area.top(), area.left(), area.bottom(), area.right())

    def keyPressEvent(self, event: Any) -> None:
        """Plus and minus zoom, F shows everything."""
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.camera.zoom(1.5)
            case Qt.Key.Key_Minus:
                self.camera.zoom(1.0 / 1.5)
            case Qt.Key.Key_F:
                self.camera.fit()
            case _:
                super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette between dark and light."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_timer"):
            self._set_ink()

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.camera.widget)
        for item in (self._ground, self.raster, self._relief, self._lines, self._wind, self._sketch.item):
            self.camera.add(item)
        self.camera.add_fixed(self._decorations)
        self.camera.moved.connect(self._timer.start)
        self.camera.widget.scene().sigMouseClicked.connect(self._on_click)
        # The keys come here, not to the graphics view, which would scroll.
        self.camera.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(300, 220)
        self.setAccessibleName("Preview map")
        self.setAccessibleDescription("North up. Plus and minus zoom, F shows everything.")

    def _set_ink(self) -> None:
        self._ink = self._sketch.ink = self._decorations.ink = Ink.of(self.palette())
        self.camera.widget.setBackgroundBrush(self._ink.ground)
        self._draw()

    # -- drawing -----------------------------------------------------------------------------------------------------
    def _draw(self) -> None:
        scene = self._scene
        self.raster.set_pixels(None if scene is None else scene.pixels)
        shade = None if scene is None else scene.shade
        self._relief.set_pixels(None if shade is None else self._shades[shade])
        self._ground.set_strokes(() if scene is None else (self._frame(scene.grid),))
        self._lines.set_strokes(() if scene is None else [s for line in scene.lines for s in self._strokes(line)])
        self._sketch.show_pin(None if scene is None else scene.pin)
        self._wind.update()
        self._decorate()

    def _frame(self, grid: Grid) -> Stroke:
        path = QPainterPath()
        path.addRect(QRectF(0, 0, grid.columns, grid.rows))
        return Stroke(path, cosmetic(self._ink.frame), QBrush(self._ink.land), smooth=False)

    def _strokes(self, line: Line) -> tuple[Stroke, Stroke]:
        style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
        return (
            Stroke(line.path, cosmetic(self._ink.halo, 3.0)),
            Stroke(line.path, cosmetic(line.color, 1.6, style)),
        )

    def _paint_wind(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        arrows = None if self._scene is None else self._scene.arrows
        if arrows is not None:
            spaced = spaced_arrows(arrows.speed, arrows.towards, arrows.top_speed, transform.m11())
            draw_arrows(painter, transform, visible, spaced, self._ink)

    def _decorate(self) -> None:
        scene, area = self._scene, QRectF(self.camera.viewport.rect())
        if scene is None:
            self._decorations.show_caption(Caption(), 1.0, area)
            return
        caption = Caption(scene.title, scene.note, scene.hint, scene.scale, scene.grid.cell_size_m)
        self._decorations.show_caption(caption, self.camera.pixels_per_cell, area)

    def _on_click(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._scene is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            pixel = self.camera.widget.viewportTransform().map(event.scenePos())
            self.clicked.emit(*self.camera.to_cell(pixel))
