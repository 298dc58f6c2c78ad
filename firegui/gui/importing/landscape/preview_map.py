"""Preview map of the wizard and the colours of its layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QWidget

from firegui.domain.fuel_groups import FUEL_GROUPS, fuel_group_numbers
from firegui.domain.grid import Grid
from firegui.domain.scenario import LAYERS
from firegui.gui.base.layouts import vertical
from firegui.gui.map.camera import Camera
from firegui.gui.map.decorations import Caption, Decorations
from firegui.gui.map.items import RasterItem, ScreenItem, Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.layer import LegendEntry
from firegui.gui.map.layers.wind_layer import draw_arrows, spaced_arrows
from firegui.gui.map.map_colors import Bytes, ColorScale, Ink, Packed, blend_scale, codes, ramp_scale, shade_scale
from firegui.gui.map.sketch import Sketch

Floats = NDArray[np.floating]

_GREENS = ("#efece0", "#a9c795", "#2c6e3f")
_BLENDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "elevation": ("#4f7a5b", "#93a873", "#d6c795", "#b08a62", "#8f6f5a", "#eeeae4"),
        "slope": ("#f2efe4", "#e3b96f", "#c25b3f", "#5d1f3d"),
        "canopy_cover": _GREENS,
        "canopy_height": _GREENS,
        "canopy_base_height": _GREENS,
        "canopy_density": _GREENS,
    }
)
"""Colours from low to high. Blue is left out, as it would mean water."""
_UNKNOWN = QColor("#d03fae")
"""Conspicuous colour for codes that belong to no group of fuel models."""


def layer_picture(key: str, values: Floats) -> tuple[Packed, ColorScale | None]:
    """Return the pixels ``[h, w]`` of a layer ``[h, w]`` and its legend, if that is a ramp."""
    known = np.isfinite(values)
    if key == "fuel":
        return _fuel_pixels(values, known), None
    scale, low, high = _scale(key, values[known])
    pixels = scale.packed[codes(values, low, high)]
    if key == "aspect":
        known = known & (values >= 0.0)
    pixels[~known] = 0
    return pixels, scale


def coverage_picture(required: Floats) -> tuple[Packed, ColorScale]:
    """Return the pixels ``[h, w]`` of the required coverage ``[h, w]`` in gal/100 ft²; transparent at 0."""
    top = max(float(np.nanmax(required, initial=0.0)), 1.0)
    scale = ramp_scale("Required coverage, gal/100 ft²", ("0", f"{top / 2:g}", f"{top:g}"), "CET-L18")
    pixels = scale.packed[codes(required, 0.0, top)]
    pixels[~(required > 0.0)] = 0
    return pixels, scale


def fuel_entries(values: Floats) -> tuple[LegendEntry, ...]:
    """Return the groups of fuel models in ``values``, and an entry for codes without a group."""
    known = values[np.isfinite(values)]
    numbers = fuel_group_numbers(known)
    found = [
        LegendEntry(group.name, QColor(group.color))
        for number, group in enumerate(FUEL_GROUPS, start=1)
        if bool((numbers == number).any())
    ]
    if bool((numbers == 0).any()):
        strange = sorted({f"{code:g}" for code in np.unique(known[numbers == 0])[:4]})
        found.append(LegendEntry(f"other codes ({', '.join(strange)}…)", _UNKNOWN))
    return tuple(found)


def date_colors(count: int, *, dark: bool) -> tuple[QColor, ...]:
    """Return colours for perimeters from the first to the last day: yellow, then red, then purple."""
    ends = ("#ffe066", "#ff6b4a", "#d94cc0") if dark else ("#b98900", "#d3321d", "#7a1a8c")
    return tuple(_blend([QColor(end) for end in ends], k / max(count - 1, 1)) for k in range(count))


def _scale(key: str, known: Floats) -> tuple[ColorScale, float, float]:
    title, unit = LAYERS[key]
    if key == "aspect":
        return ramp_scale("Aspect, the way it faces", ("N", "E         S         W", "N"), "CET-C6"), 0.0, 360.0
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if key != "elevation":
        low = 0.0
    if key == "canopy_cover":
        high = 100.0
    if high <= low:
        high = low + 1.0
    texts = (_number(low), _number((low + high) / 2), _number(high))
    return blend_scale(f"{title}, {unit}", texts, _BLENDS[key]), low, high


def _fuel_pixels(values: Floats, known: NDArray[np.bool_]) -> Packed:
    table = np.array([_UNKNOWN.rgba(), *(QColor(group.color).rgba() for group in FUEL_GROUPS)], np.uint32)
    pixels: Packed = table[fuel_group_numbers(values)]
    pixels[~known] = 0
    return pixels


def _blend(stops: Sequence[QColor], share: float) -> QColor:
    place = share * (len(stops) - 1)
    index = min(int(place), len(stops) - 2)
    part = place - index
    one, other = stops[index], stops[index + 1]
    pairs = ((one.redF(), other.redF()), (one.greenF(), other.greenF()), (one.blueF(), other.blueF()))
    return QColor.fromRgbF(*((1 - part) * a + part * b for a, b in pairs))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


_RELIEF = 0.7
_REPAINT_MS = 30


@dataclass(frozen=True, slots=True, eq=False)
class PreviewOutline:
    """Outline in corner coordinates of the preview, such as the perimeter of a day."""

    path: QPainterPath
    color: QColor
    dashed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class WindArrows:
    """Wind of one day.

    ``speed [h, w]`` is in m/s, ``towards [h, w]`` in radians counter-clockwise from east. ``top_speed`` is the speed
    of the longest arrow.
    """

    speed: NDArray[np.floating]
    towards: NDArray[np.floating]
    top_speed: float


@dataclass(frozen=True, slots=True, eq=False)
class PreviewScene:
    """Content of the preview: ``pixels [h, w]`` of a layer, ``shade [h, w]`` of its relief, and overlays.

    ``pin`` is the cell ``(row, column)`` of an ignition. ``scale`` is the layer's legend. With ``whole`` the map is
    fitted to all lines, including those beyond the grid.
    """

    grid: Grid
    title: str = ""
    note: str = ""
    hint: str = ""
    pixels: Packed | None = None
    scale: ColorScale | None = None
    shade: Bytes | None = None
    arrows: WindArrows | None = None
    lines: tuple[PreviewOutline, ...] = ()
    pin: tuple[int, int] | None = None
    whole: bool = False

    @property
    def area(self) -> QRectF:
        """The visible content, in corner coordinates."""
        area = QRectF(0.0, 0.0, self.grid.columns, self.grid.rows)
        for line in self.lines if self.whole else ():
            area = area.united(line.path.boundingRect())
        return area


class PreviewMap(QWidget):
    """Preview map, north up. The wheel zooms, a drag pans, a click emits :attr:`clicked`."""

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
        self._scene: PreviewScene | None = None
        self._ink = Ink.of(self.palette())
        self._timer = QTimer(self, singleShot=True, interval=_REPAINT_MS)
        self._timer.timeout.connect(self._decorate)
        self._lay_out()
        self._set_ink()

    @property
    def scene(self) -> PreviewScene | None:
        """The shown scene."""
        return self._scene

    def show_scene(self, scene: PreviewScene | None) -> None:
        """Show another scene. The view stays if the grid is the same."""
        before, self._scene = self._scene, scene
        if scene is not None and (before is None or before.grid != scene.grid):
            for item in (self._wind, self._sketch.item):
                item.set_grid(*scene.grid.shape)
            self.camera.set_grid(*scene.grid.shape)
        self._draw()
        if scene is not None and (before is None or before.area != scene.area):
            self._fit(scene)

    def _fit(self, scene: PreviewScene) -> None:
        area = scene.area
        if area == QRectF(0.0, 0.0, scene.grid.columns, scene.grid.rows):
            self.camera.fit()
        else:
            self.camera.fit_bounds(area.top(), area.left(), area.bottom(), area.right())

    def keyPressEvent(self, event: Any) -> None:
        """Zoom with plus and minus, and fit the view with F."""
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
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_timer"):
            self._set_ink()

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        vertical(self, self.camera.widget, margins=0)
        for item in (self._ground, self.raster, self._relief, self._lines, self._wind, self._sketch.item):
            self.camera.add(item)
        self.camera.add_fixed(self._decorations)
        self.camera.moved.connect(self._timer.start)
        self.camera.widget.scene().sigMouseClicked.connect(self._on_click)
        # The graphics view would scroll on these keys, so they are handled here.
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

    def _strokes(self, line: PreviewOutline) -> tuple[Stroke, Stroke]:
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
