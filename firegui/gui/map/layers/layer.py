"""What every layer of the map is: a key, a title, a legend, a graphics item, and an :meth:`Layer.update`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QGraphicsItem

from firegui.gui.map.color_scales import Packed, Scale
from firegui.gui.map.items import RasterItem
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session


class Sample(StrEnum):
    """How a legend entry is drawn."""

    FILL = "fill"
    LINE = "line"
    DASH = "dash"
    ELLIPSE = "ellipse"
    OUTLINE = "outline"
    ARROW = "arrow"
    DOT = "dot"
    HATCH = "hatch"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a legend."""

    label: str
    color: QColor
    sample: Sample = Sample.FILL


@dataclass(frozen=True, slots=True)
class Legend:
    """A colour ramp, some entries, a note, or any of them."""

    scale: Scale | None = None
    entries: tuple[LegendEntry, ...] = ()
    note: str = ""


class Layer:
    """One thing the map can show. Subclasses set ``key``, ``title``, ``help`` and draw in :meth:`draw`.

    ``follows`` names what the layer depends on beside the project: ``"step"``, ``"view"``, ``"result"``, ``"regions"``,
    ``"operations"``, ``"time"``.
    """

    key = ""
    title = ""
    help = ""
    follows: frozenset[str] = frozenset()

    def __init__(self, session: Session, item: QGraphicsItem, *, visible: bool = True, opacity: float = 1.0) -> None:
        self.session = session
        self.item = item
        self.ink = Ink.of(QPalette())
        self._visible = visible
        self._opacity = opacity
        self.dirty = True

    @property
    def visible(self) -> bool:
        """Whether the person wants to see it."""
        return self._visible

    @visible.setter
    def visible(self, on: bool) -> None:
        self._visible = on
        self.update()

    @property
    def opacity(self) -> float:
        """0 … 1."""
        return self._opacity

    @opacity.setter
    def opacity(self, value: float) -> None:
        self._opacity = min(max(value, 0.0), 1.0)
        self.item.setOpacity(self._opacity)

    @property
    def swatch(self) -> QColor:
        """The colour that stands for the layer in the list."""
        return self.ink.muted

    @property
    def legend(self) -> Legend:
        """What the colours mean."""
        return Legend()

    @property
    def in_view(self) -> bool:
        """Whether the shown view (baseline, plan, difference) has this layer at all."""
        return True

    def missing(self) -> str:
        """Why there is nothing to show, or empty."""
        return ""

    def set_ink(self, ink: Ink) -> None:
        """Use other colours from the next :meth:`update` on."""
        self.ink = ink
        self.dirty = True

    def update(self) -> None:
        """Bring the item up to date with the session; cheap when the layer is not shown."""
        on = self._visible and self.in_view
        self.item.setVisible(on)
        self.item.setOpacity(self._opacity)
        self.dirty = not on
        if on:
            self.draw(Shown.of(self.session))

    def prepare(self, shown: Shown | None) -> None:
        """Do what can be done ahead of :meth:`draw`, in a turn of the event loop of its own; nothing to see changes."""

    def draw(self, shown: Shown | None) -> None:
        """Rebuild what the item shows."""
        raise NotImplementedError


class RasterLayer(Layer):
    """A layer of 8-bit codes on one colour scale."""

    def __init__(self, session: Session, scale: Scale, *, visible: bool = True, opacity: float = 1.0) -> None:
        self.raster = RasterItem()
        super().__init__(session, self.raster, visible=visible, opacity=opacity)
        self._set_scale(scale)
        self._drawn: object = None

    def _set_scale(self, scale: Scale) -> None:
        self.scale = scale
        self._packed: Packed = scale.packed
        self._drawn = None

    @property
    def swatch(self) -> QColor:
        """A strong colour of the scale."""
        return QColor(*(int(channel) for channel in self.scale.rgba[220, :3]))

    @property
    def legend(self) -> Legend:
        """The scale."""
        return Legend(scale=self.scale)

    def codes(self, shown: Shown) -> NDArray[np.uint8] | None:
        """The codes to show, ``[H, W]``; ``None`` for nothing."""
        raise NotImplementedError

    def identity(self, shown: Shown) -> object:
        """Something that is equal when :meth:`codes` would be the same; ``None`` when that is not known."""
        return None

    def draw(self, shown: Shown | None) -> None:
        """Look the codes up in the scale."""
        token = None if shown is None else self.identity(shown)
        if token is not None and token == self._drawn:
            return
        values = None if shown is None else self.codes(shown)
        if values is None:
            self.raster.set_pixels(None)
        else:
            self.raster.set_codes(values, self._packed)
        self._drawn = token
