"""The ground under the fire: the grid itself, canopy, fuel and relief."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath, QPen

from firegui.domain.fuel_groups import FUEL_GROUPS, fuel_group_numbers
from firegui.domain.relief import hillshade_codes
from firegui.domain.scenario import Scenario
from firegui.gui.map.color_scales import Bytes, Scale, codes, shade_scale, tint_scale
from firegui.gui.map.items import Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, RasterLayer
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session


class LandscapeLayer(RasterLayer):
    """A raster made of one layer of the event; redrawn only when another event is opened."""

    source = ""

    def missing(self) -> str:
        """Says when the event lacks the layer."""
        if not self.session.has_project or self.source in self.session.project.scenario.layers:
            return ""
        return f"this event has no {self.source.replace('_', ' ')} layer"

    def identity(self, shown: Shown) -> object:
        """The event."""
        return shown.scenario

    def codes(self, shown: Shown) -> Bytes | None:
        """Codes of the layer, where there is one."""
        values = shown.scenario.layers.get(self.source)
        return None if values is None else self.encode(values, shown.scenario)

    def encode(self, values: NDArray[np.float32], scenario: Scenario) -> Bytes:
        """Turn the layer's values into codes."""
        raise NotImplementedError


class CanopyLayer(LandscapeLayer):
    """Canopy cover as a green tint."""

    key, source = "canopy", "canopy_cover"
    title = "Canopy cover"
    help = "Canopy cover, 0 to 100 %"

    def __init__(self, session: Session) -> None:
        super().__init__(session, tint_scale("Canopy cover, %", "0", "100", QColor("#4c9a5b")), opacity=0.55)

    def set_ink(self, ink: Ink) -> None:
        """The tint follows the background."""
        super().set_ink(ink)
        self._set_scale(tint_scale("Canopy cover, %", "0", "100", ink.canopy))

    def encode(self, values: NDArray[np.float32], scenario: Scenario) -> Bytes:
        """0 … 100 %."""
        return codes(values, 0.0, 100.0)


class FuelLayer(LandscapeLayer):
    """Fuel models by group."""

    key, source = "fuel", "fuel"
    title = "Fuel class"
    help = "Fire behaviour fuel models (the 40, or the 13), by group"

    def __init__(self, session: Session) -> None:
        super().__init__(session, _fuel_scale(), visible=False, opacity=0.6)

    @property
    def swatch(self) -> QColor:
        """Shrub."""
        return QColor(FUEL_GROUPS[5].color)

    @property
    def legend(self) -> Legend:
        """One entry per group."""
        return Legend(entries=tuple(LegendEntry(group.name, QColor(group.color)) for group in FUEL_GROUPS))

    def encode(self, values: NDArray[np.float32], scenario: Scenario) -> Bytes:
        """Number of the group, 0 where the code belongs to none."""
        return fuel_group_numbers(values)


def _rgb(name: str) -> tuple[int, int, int]:
    color = QColor(name)
    return color.red(), color.green(), color.blue()


def _fuel_scale() -> Scale:
    rgba = np.zeros((256, 4), np.uint8)
    for number, group in enumerate(FUEL_GROUPS, start=1):
        rgba[number, :3] = _rgb(group.color)
        rgba[number, 3] = 255
    return Scale("Fuel class", "", "", rgba)


class HillshadeLayer(LandscapeLayer):
    """Relief, lit from the north-west."""

    key, source = "hillshade", "elevation"
    title = "Hillshade"
    help = "Relief drawn from elevation, lit from the north-west at 45°"

    def __init__(self, session: Session) -> None:
        super().__init__(session, shade_scale(), opacity=0.7)

    @property
    def swatch(self) -> QColor:
        """Grey."""
        return QColor("#8c9299")

    @property
    def legend(self) -> Legend:
        """A note says more than a ramp here."""
        return Legend(note="lit from the north-west, 45° high")

    def encode(self, values: NDArray[np.float32], scenario: Scenario) -> Bytes:
        """Brightness of the slope."""
        return hillshade_codes(values, scenario.grid.cell_size_m)


class ExtentLayer(Layer):
    """The grid's ground and its edge."""

    key = "extent"
    title = "Grid extent"
    help = "The modelled area"

    def __init__(self, session: Session) -> None:
        self._strokes = StrokesItem()
        super().__init__(session, self._strokes)

    @property
    def swatch(self) -> QColor:
        """The frame's colour."""
        return self.ink.frame

    def draw(self, shown: Shown | None) -> None:
        """A filled rectangle."""
        if shown is None:
            self._strokes.set_strokes(())
            return
        path = QPainterPath()
        path.addRect(QRectF(0, 0, shown.scenario.grid.columns, shown.scenario.grid.rows))
        pen: QPen = cosmetic(self.ink.frame, 1.0, Qt.PenStyle.SolidLine)
        self._strokes.set_strokes((Stroke(path, pen, QBrush(self.ink.land), smooth=False),))
