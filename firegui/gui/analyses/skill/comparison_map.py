"""Predicted fire, observed fire and their comparison on three linked maps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QPainterPath
from PySide6.QtWidgets import QLabel, QWidget

from firegui.domain.scenario import Scenario
from firegui.fire.skill import LIKELY
from firegui.gui.base.layouts import fill_column, row
from firegui.gui.map.camera import area_around
from firegui.gui.map.decorations import Caption, Decorations
from firegui.gui.map.items import RasterItem, Stroke, StrokesItem, cosmetic, mask_path
from firegui.gui.map.map_colors import Ink, fire_scale

Bools = NDArray[np.bool_]

START, HIT, MISS, FALSE = "#c9cdd4", "#7d8796", "#e5793a", "#4a9be8"
"""Colours of: burning at the start, predicted and burned, burned only, predicted only.

No red stands next to green, and all have a different lightness.
"""

_TITLES = ("Predicted", "Observed", "Compared")
_LOW_PX = 170
"""Below this height the names stand above the maps, and north arrow and scale are hidden."""


@dataclass(frozen=True, slots=True, eq=False)
class _Pane:
    box: pg.ViewBox
    ground: StrokesItem
    raster: RasterItem
    line: StrokesItem
    decorations: Decorations


class ComparisonMap(QWidget):
    """Three linked maps, north up, one unit per cell. The wheel zooms and a drag moves all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._event: Scenario | None = None
        self._states: NDArray[np.float32] | None = None
        self._day = 0
        self._scale = fire_scale().packed
        self._whole = True
        self._ink = Ink.of(self.palette())
        self.widget = pg.GraphicsLayoutWidget(self)
        self.widget.setAccessibleName("Predicted, observed and compared")
        self.widget.ci.layout.setContentsMargins(0, 0, 0, 0)
        self.widget.ci.layout.setSpacing(4)
        names = tuple(map(QLabel, _TITLES))
        self._names = row(*names, stretch=names)
        # The panes show and hide it: without a place in a window it would be a window of its own.
        fill_column(self, self._names, self.widget, stretch=self.widget, spacing=0)
        self._panes = tuple(self._make_pane(column) for column in range(len(_TITLES)))
        for pane in self._panes[1:]:
            pane.box.setXLink(self._panes[0].box)
            pane.box.setYLink(self._panes[0].box)
        self.setMinimumSize(240, 90)
        self._set_ink()

    # -- for others --------------------------------------------------------------------------------------------------
    def show_forecast(self, event: Scenario | None, states: NDArray[np.float32] | None) -> None:
        """Show another forecast ``[D + 1, H, W]`` of ``event``, or none, and zoom to the fire."""
        self._event, self._states = event, states
        self._day = 0
        self._draw_ground()
        self._draw()
        self.fit()

    def set_day(self, day: int) -> None:
        """Show another day."""
        if day != self._day:
            self._day = day
            self._draw()

    def fit(self) -> None:
        """Zoom to everything that burns on any day, and keep it in view while the window is resized."""
        self._whole = True
        if self._event is not None and self._states is not None:
            self._panes[0].box.setRange(rect=_burned(self._event, self._states), padding=0.0)

    @property
    def view(self) -> tuple[QRectF, ...]:
        """The cells in view on each of the maps."""
        return tuple(pane.box.viewRect() for pane in self._panes)

    def pixels(self, column: int) -> NDArray[np.uint32] | None:
        """Return the pixels of a map: 0 predicted, 1 observed, 2 comparison."""
        return self._panes[column].raster.pixels

    # -- putting together --------------------------------------------------------------------------------------------
    def _make_pane(self, column: int) -> _Pane:
        box = pg.ViewBox(lockAspect=True, invertY=True, enableMenu=False, defaultPadding=0.0)
        box.disableAutoRange()
        self.widget.ci.addItem(box, row=0, col=column)
        pane = _Pane(box, StrokesItem(), RasterItem(), StrokesItem(), Decorations())
        for item in (pane.ground, pane.raster, pane.line):
            box.addItem(item, ignoreBounds=True)
        self.widget.scene().addItem(pane.decorations)
        box.sigRangeChanged.connect(lambda *_: self._decorate(pane, column))
        box.sigResized.connect(lambda *_: self._on_resized(pane, column))
        box.sigRangeChangedManually.connect(self._on_moved)
        return pane

    def changeEvent(self, event: QEvent) -> None:
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_panes"):
            self._set_ink()

    def _set_ink(self) -> None:
        self._ink = Ink.of(self.palette())
        self.widget.setBackground(self._ink.ground)
        for column, pane in enumerate(self._panes):
            pane.decorations.ink = self._ink
            self._decorate(pane, column)
        self._draw_ground()
        self._draw()

    def _on_resized(self, pane: _Pane, column: int) -> None:
        # The other maps are linked to the first.
        if self._whole and column == 0:
            self.fit()
        self._decorate(pane, column)

    def _on_moved(self, *_: object) -> None:
        self._whole = False

    # -- drawing -----------------------------------------------------------------------------------------------------
    def _draw_ground(self) -> None:
        path = QPainterPath()
        if self._event is not None:
            path.addRect(QRectF(0, 0, self._event.grid.columns, self._event.grid.rows))
        for pane in self._panes:
            pane.ground.set_strokes([Stroke(path, cosmetic(self._ink.frame), QBrush(self._ink.land), smooth=False)])

    def _draw(self) -> None:
        event, states = self._event, self._states
        seen = None if event is None else event.observed_on(self._day)
        start = None if event is None else event.observed_on(0)
        if event is None or states is None or seen is None or start is None:
            for pane in self._panes:
                pane.raster.set_pixels(None)
                pane.line.set_strokes(())
        else:
            state = states[self._day]
            likely = state >= LIKELY
            predicted, observed, compared = self._panes
            predicted.raster.set_pixels(self._scale[np.round(255.0 * np.clip(state, 0.0, 1.0)).astype(np.uint8)])
            observed.raster.set_pixels(_painted((seen, self._ink.observed), (start, QColor(START))))
            classes = (likely & seen, HIT), (start & seen, START), (seen & ~likely, MISS), (likely & ~seen, FALSE)
            compared.raster.set_pixels(_painted(*((mask, QColor(color)) for mask, color in classes)))
            self._draw_outline(predicted, seen)
        for column, pane in enumerate(self._panes):
            self._decorate(pane, column)

    def _draw_outline(self, pane: _Pane, seen: Bools) -> None:
        path = mask_path(seen)
        pens = cosmetic(self._ink.halo, 3.0), cosmetic(self._ink.observed, 1.5)
        pane.line.set_strokes([Stroke(path, pen) for pen in pens])

    def _decorate(self, pane: _Pane, column: int) -> None:
        area = pane.box.sceneBoundingRect()
        pane.decorations.setPos(QPointF(area.topLeft()))
        across = pane.box.viewRect().width()
        low = area.height() < _LOW_PX
        if column == 0:
            self._names.setVisible(low)
        if self._event is None or across <= 0 or area.width() <= 0 or low:
            pane.decorations.show_caption(Caption(), 1.0, QRectF())
            return
        caption = Caption(title=_TITLES[column], cell_size_m=self._event.grid.cell_size_m)
        pane.decorations.show_caption(caption, area.width() / across, QRectF(0, 0, area.width(), area.height()))


def _painted(*classes: tuple[Bools, QColor]) -> NDArray[np.uint32]:
    """Return the pixels of masks ``[H, W]`` in their colours; later masks cover earlier ones."""
    found = np.zeros(classes[0][0].shape, np.uint32)
    for mask, color in classes:
        found[mask] = color.rgba()
    return found


def _burned(event: Scenario, states: NDArray[np.float32]) -> QRectF:
    # P never falls, and a perimeter contains those before it: the last day contains them all.
    touched = states[-1] >= LIKELY
    last = event.observed_on(len(states) - 1)
    return area_around(touched if last is None else touched | last)
