"""Map of the cells that burn in a scenario although the plan protects them in the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QBrush, QPainterPath
from PySide6.QtWidgets import QWidget

from firegui.domain.project import Project
from firegui.gui.base.layouts import fill_column
from firegui.gui.map.camera import area_around
from firegui.gui.map.decorations import Caption, Decorations
from firegui.gui.map.items import RasterItem, Stroke, StrokesItem, cosmetic, mask_path
from firegui.gui.map.labels import MapLabels
from firegui.gui.map.layers.ground_layers import HillshadeLayer
from firegui.gui.map.layers.place_layers import MarkersLayer
from firegui.gui.map.layers.shape_layers import RegionsLayer
from firegui.gui.map.map_colors import ColorScale, Ink, blend_scale
from firegui.gui.session.session import Session

Floats = NDArray[np.float32]
_COLORS = ("#ffd23f", "#ee7320", "#a8240f")
"""Ever darker colours of fire, which differ from the background of both themes and from the violet of regions."""
_TITLE = "Where fire gets through"
_LOW_PX = 120
"""Below this height north arrow and scale are hidden."""


def leak_scale() -> ColorScale:
    """Return the scale of the share of draws; cells that never leak are left out."""
    scale = blend_scale("Share of draws", ("0", "0.5", "1"), _COLORS)
    rgba = scale.rgba.copy()
    rgba[0, 3] = 0
    return replace(scale, rgba=rgba)


class LeakMap(QWidget):
    """Map of one share of draws by cell, with regions, places and roads; north up.

    The wheel zooms, a drag moves.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._layers = (RegionsLayer(session), MarkersLayer(session))
        self.labels = MapLabels(self._layers)
        self._project: Project | None = None
        self._leaks: Floats | None = None
        self._ink, self._scale = Ink.of(self.palette()), leak_scale().packed
        self._whole = True
        self._view = pg.GraphicsLayoutWidget(self)
        self._view.setAccessibleName(_TITLE)
        self._view.ci.layout.setContentsMargins(0, 0, 0, 0)
        self._box = pg.ViewBox(lockAspect=True, invertY=True, enableMenu=False, defaultPadding=0.0)
        self._box.disableAutoRange()
        self._view.ci.addItem(self._box)
        self._ground, self._raster, self._line = StrokesItem(), RasterItem(), StrokesItem()
        self.terrain = HillshadeLayer(session)
        for item in (self._ground, self.terrain.item, self._raster, self._line):
            self._box.addItem(item, ignoreBounds=True)
        for above in (*(layer.item for layer in self._layers), self.labels.item):
            self._box.addItem(above, ignoreBounds=True)
        self.decorations = Decorations()
        self._view.scene().addItem(self.decorations)
        session.regions_changed.connect(self._draw_layers)
        session.units_changed.connect(self._decorate)
        self._box.sigRangeChanged.connect(self._decorate)
        self._box.sigResized.connect(self._on_resized)
        self._box.sigRangeChangedManually.connect(self._on_moved)
        fill_column(self, self._view, stretch=self._view)
        self.setMinimumSize(160, 60)
        self._set_ink()

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def pixels(self) -> NDArray[np.uint32] | None:
        """The drawn pixels, premultiplied ``0xAARRGGBB``."""
        return self._raster.pixels

    def show_leaks(self, project: Project | None, leaks: Floats | None) -> None:
        """Show the share of draws ``[H, W]`` in which a cell leaks, over the terrain of ``project``."""
        is_other = project is not self._project
        self._project, self._leaks = project, leaks
        self._draw()
        if is_other or self._whole:
            self.fit()

    def fit(self) -> None:
        """Zoom to leaks, regions and the fire at the start, and keep them in view while the window is resized."""
        self._whole = True
        if self._project is not None:
            self._box.setRange(rect=self._area(), padding=0.0)

    # -- drawing -----------------------------------------------------------------------------------------------------
    def changeEvent(self, event: QEvent) -> None:
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "decorations"):
            self._set_ink()

    def _set_ink(self) -> None:
        self._ink = self.decorations.ink = Ink.of(self.palette())
        for layer in self._layers:
            layer.set_ink(self._ink)
        self._view.setBackground(self._ink.ground)
        self._draw()
        self._decorate()

    def _on_resized(self, *_: object) -> None:
        if self._whole:
            self.fit()
        self._decorate()

    def _on_moved(self, *_: object) -> None:
        self._whole = False

    def _draw(self) -> None:
        ground, line = QPainterPath(), QPainterPath()
        if self._project is not None:
            grid = self._project.scenario.grid
            ground.addRect(QRectF(0, 0, grid.columns, grid.rows))
            line = mask_path(_start(self._project))
        ink = self._ink
        self.terrain.visible = self._project is not None
        self._ground.set_strokes([Stroke(ground, cosmetic(ink.frame), QBrush(ink.land), smooth=False)])
        self._line.set_strokes([Stroke(line, pen) for pen in (cosmetic(ink.halo, 3.0), cosmetic(ink.observed, 1.5))])
        self._draw_layers()
        leaks = self._leaks
        codes = None if leaks is None else np.ceil(255.0 * np.clip(leaks, 0.0, 1.0)).astype(np.uint8)
        self._raster.set_pixels(None if codes is None else self._scale[codes])

    def _draw_layers(self) -> None:
        """Draw regions, places and roads of the open project with their names."""
        for layer in self._layers:
            layer.visible = self._project is not None
        if self._project is not None:
            self.labels.item.set_grid(*self._project.scenario.grid.shape)
        self.labels.item.update()

    def _decorate(self, *_: object) -> None:
        area, across = self._box.sceneBoundingRect(), self._box.viewRect().width()
        self.decorations.setPos(QPointF(area.topLeft()))
        if self._project is None or across <= 0 or area.width() <= 0 or area.height() < _LOW_PX:
            self.decorations.show_caption(Caption(), 1.0, QRectF())
            return
        # Decorations without a title are not drawn.
        caption = Caption(_TITLE, cell_size_m=self._project.scenario.grid.cell_size_m, units=self._session.units)
        self.decorations.show_caption(caption, area.width() / across, QRectF(0, 0, area.width(), area.height()))
        self.labels.set_hidden(box.translated(area.topLeft()) for box in self.decorations.boxes)

    def _area(self) -> QRectF:
        assert self._project is not None
        seen = _start(self._project)
        seen = seen if self._leaks is None else seen | (self._leaks > 0)
        area = area_around(seen)
        for region in self._project.regions:
            top, left, bottom, right = region.bounds
            area = area.united(QRectF(left, top, right - left, bottom - top))
        return area


def _start(project: Project) -> NDArray[np.bool_]:
    """Return the fire ``[H, W]`` at the start of the plan."""
    observed = project.scenario.observed_on(project.plan.start_day)
    return np.asarray(project.scenario.ignition if observed is None else observed, bool)
