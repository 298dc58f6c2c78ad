"""Background layers: extent, base map, canopy, fuel and relief."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPainterPath, QPen, QTransform

from firegui.domain.fuel_groups import CUSTOM_COLOR, FUEL_GROUPS, fuel_group_numbers, with_custom
from firegui.domain.plan_colors import VALUES
from firegui.domain.project import Project
from firegui.domain.relief import hillshade_codes
from firegui.gui.map.items import Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.layer import (
    Legend,
    LegendEntry,
    MapLayer,
    PaintedLayer,
    RasterLayer,
    Sample,
    class_choice,
    threshold_range,
)
from firegui.gui.map.map_colors import Bytes, ColorScale, Ink, codes, shade_scale, tint_scale
from firegui.gui.map.map_content import MapState
from firegui.gui.session.base_map import BaseMapPicture
from firegui.gui.session.session import Session

_HIGH_PERCENT, _LEAST_CODE = 98, 110
"""Percentile of the cells with values that has the full colour, and the code of the least value."""


def _canopy_scale(color: QColor) -> ColorScale:
    return tint_scale("Canopy cover, %", "0", "100", color)


def _values_scale(color: QColor) -> ColorScale:
    return tint_scale("Values at risk", "low", "high", color)


def _fuel_scale() -> ColorScale:
    rgba, colors = np.zeros((256, 4), np.uint8), (*(group.color for group in FUEL_GROUPS), CUSTOM_COLOR)
    for number, name in enumerate(colors, start=1):
        color = QColor(name)
        rgba[number] = color.red(), color.green(), color.blue(), 255
    return ColorScale("Fuel class", "", "", rgba)


class LandscapeLayer(RasterLayer):
    """Raster made of one layer of the event; redrawn only when another event is opened."""

    source = ""

    def _has_data(self, project: Project) -> bool:
        return self.source in project.scenario.layers

    def identity(self, shown: MapState) -> object:
        """Return the event."""
        return shown.scenario

    def codes(self, shown: MapState) -> Bytes | None:
        """Return the codes of the layer, if the event has it."""
        values = shown.scenario.layers.get(self.source)
        return None if values is None else self.encode(values, shown.project)

    def encode(self, values: NDArray[np.float32], project: Project) -> Bytes:
        """Return the codes of the layer's values."""
        raise NotImplementedError


class CanopyLayer(LandscapeLayer):
    """Canopy cover as a green tint."""

    key, source = "canopy", "canopy_cover"
    title = "Canopy cover"
    help = "Canopy cover, 0 to 100 %"
    no_data = "this event has no canopy cover layer"
    start_opacity = 0.55
    options = (class_choice(4, 5, 10), threshold_range(100.0, " %"))
    make_scale = staticmethod(lambda: _canopy_scale(QColor("#4c9a5b")))

    def set_ink(self, ink: Ink) -> None:
        """Use other colours from the next :meth:`update` on."""
        super().set_ink(ink)
        self._set_scale(_canopy_scale(ink.canopy))

    def encode(self, values: NDArray[np.float32], project: Project) -> Bytes:
        """Return codes of 0 … 100 %."""
        return codes(values, 0.0, 100.0)


class ValuesLayer(RasterLayer):
    """Values at risk of all layers: value × weight × susceptibility of every cell."""

    key = "values"
    title = "Values at risk"
    help = "What a cell counts in the goal: value × weight × susceptibility, summed over the layers"
    follows = frozenset({"values"})
    no_data = "there are no values at risk"
    start_opacity = 0.6
    options = (class_choice(4, 5, 10), threshold_range(100.0, " %"))
    make_scale = staticmethod(lambda: _values_scale(QColor(VALUES)))

    def set_ink(self, ink: Ink) -> None:
        """Use other colours from the next :meth:`update` on."""
        super().set_ink(ink)
        self._set_scale(_values_scale(ink.values))

    def _has_data(self, project: Project) -> bool:
        return bool(project.values)

    def identity(self, shown: MapState) -> object:
        """Return the layers, without their cells."""
        return tuple(layer.terms for layer in shown.project.values)

    def codes(self, shown: MapState) -> Bytes | None:
        """Return codes of the sum over the layers, up to a high value; ``None`` without a layer."""
        if not shown.project.values:
            return None
        total = sum(layer.terms.weight * layer.terms.susceptibility * layer.cells for layer in shown.project.values)
        there = np.asarray(total) > 0.0
        high = float(np.percentile(np.asarray(total)[there], _HIGH_PERCENT)) if there.any() else 1.0
        # A cell with little must be seen, too.
        return np.where(there, _LEAST_CODE + (255 - _LEAST_CODE) * np.minimum(total / high, 1.0), 0.0).astype(np.uint8)


class FuelLayer(LandscapeLayer):
    """Fuel models by group."""

    key, source = "fuel", "fuel"
    title = "Fuel class"
    help = "Fire behaviour fuel models (the 40, or the 13) by group, and custom ones"
    no_data = "this event has no fuel layer"
    starts_visible = False
    start_opacity = 0.6
    swatch_ink = FUEL_GROUPS[5].color
    make_scale = staticmethod(_fuel_scale)

    @property
    def legend(self) -> Legend:
        """One entry per group."""
        groups = with_custom(self.session.project.fire_model.fuels) if self.session.has_project else FUEL_GROUPS
        return Legend(entries=tuple(LegendEntry(group.name, QColor(group.color)) for group in groups))

    def identity(self, shown: MapState) -> object:
        """Return the event and the custom fuel models."""
        return shown.scenario, shown.project.fire_model.fuels

    def encode(self, values: NDArray[np.float32], project: Project) -> Bytes:
        """Return the number of the group, 0 for a fuel code without a group."""
        return fuel_group_numbers(values, with_custom(project.fire_model.fuels))


class HillshadeLayer(LandscapeLayer):
    """Relief, lit from the north-west."""

    key, source = "hillshade", "elevation"
    title = "Hillshade"
    help = "Relief drawn from elevation, lit from the north-west at 45°"
    no_data = "this event has no elevation layer"
    start_opacity = 0.7
    swatch_ink = "#8c9299"
    make_scale = staticmethod(shade_scale)

    @property
    def legend(self) -> Legend:
        """Return nothing: light and shade explain themselves."""
        return Legend()

    def encode(self, values: NDArray[np.float32], project: Project) -> Bytes:
        """Return the brightness of the slope."""
        return hillshade_codes(values, project.scenario.grid.cell_size_m)


class ExtentLayer(MapLayer):
    """Area of the grid and its border."""

    key = "extent"
    title = "Grid extent"
    help = "The modelled area"
    swatch_ink = "frame"
    swatch_sample = Sample.LINE

    def __init__(self, session: Session) -> None:
        self._strokes = StrokesItem()
        super().__init__(session, self._strokes)

    def draw(self, shown: MapState | None) -> None:
        """Draw a filled rectangle."""
        if shown is None:
            self._strokes.set_strokes(())
            return
        path = QPainterPath()
        path.addRect(QRectF(0, 0, shown.scenario.grid.columns, shown.scenario.grid.rows))
        pen: QPen = cosmetic(self.ink.frame, 1.0, Qt.PenStyle.SolidLine)
        self._strokes.set_strokes((Stroke(path, pen, QBrush(self.ink.land), smooth=False),))


class BaseMapLayer(PaintedLayer):
    """Pictures of a base map, above the landscape, which would hide it, and below the fire."""

    key = "basemap"
    title = "Base map"
    help = "Map tiles, a raster or a vector file of your own, on the grid; opened with View, Base map…"
    follows = frozenset({"ground"})
    swatch_ink = "#a9b98f"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._shape = (1, 1)
        self._drawn: list[tuple[BaseMapPicture, QImage]] = []

    @property
    def legend(self) -> Legend:
        """Return name and attribution of the file."""
        file = self.session.ground.file
        return Legend() if file is None else Legend(note=f"{file.name} {file.attribution}".strip())

    def missing(self) -> str:
        """Return how to open a file, if none is open."""
        if self.session.ground.file is None:
            return "no base map is open: View, Base map…, or drop an MBTiles file on the map"
        return ""

    def draw(self, shown: MapState | None) -> None:
        """Show the available pictures."""
        if shown is not None:
            self._shape = shown.scenario.grid.shape
            self._screen.set_grid(*self._shape)
        ground = self.session.ground
        known = {id(picture): image for picture, image in self._drawn}
        pictures = [picture for picture in (ground.whole, ground.sharp) if picture is not None]
        self._drawn = [(picture, known.get(id(picture)) or _image(picture)) for picture in pictures]
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        if not self._drawn:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for picture, image in self._drawn:
            top, left, bottom, right = picture.area
            painter.drawImage(transform.mapRect(QRectF(left, top, right - left, bottom - top)), image)
        back, possible = transform.inverted()
        if possible:
            rows, columns = self._shape
            seen = back.mapRect(visible).intersected(QRectF(0.0, 0.0, columns, rows))
            self.session.ground.request_view((seen.top(), seen.left(), seen.bottom(), seen.right()), transform.m11())


def _image(picture: BaseMapPicture) -> QImage:
    rows, columns = picture.pixels.shape[:2]
    # copy(): the image does not own the memory of the array.
    return QImage(picture.pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888).copy()
