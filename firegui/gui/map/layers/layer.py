"""Base classes of the layers: key, title, legend, graphics item and :meth:`MapLayer.update`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPalette, QTransform
from PySide6.QtWidgets import QGraphicsItem

from firegui.domain.project import Project
from firegui.gui.map.items import RasterItem, ScreenItem, StrokesItem
from firegui.gui.map.labels import Label
from firegui.gui.map.map_colors import ColorScale, Ink, Packed, from_threshold, in_classes, recolored
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import FireView, Session


class Sample(StrEnum):
    """Drawing of a legend entry."""

    FILL = "fill"
    LINE = "line"
    CASED = "cased"
    DASH = "dash"
    ELLIPSE = "ellipse"
    OUTLINE = "outline"
    ARROW = "arrow"
    DOT = "dot"
    DISC = "disc"
    DIAMOND = "diamond"
    HATCH = "hatch"
    ROUTE = "route"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of a legend."""

    label: str
    color: QColor
    sample: Sample = Sample.FILL


@dataclass(frozen=True, slots=True)
class Legend:
    """Colour ramp, entries and note of a legend; each is optional. ``title`` replaces that of the layer."""

    scale: ColorScale | None = None
    entries: tuple[LegendEntry, ...] = ()
    note: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """Property of a layer that has one of several values, each with its text; the first is the default."""

    name: str
    label: str
    help: str
    values: tuple[tuple[str, str], ...]

    @property
    def default(self) -> str:
        """The value of a new layer."""
        return self.values[0][0]

    def accepts(self, value: object) -> bool:
        """Return whether ``value`` is one of the values."""
        return any(value == known for known, _ in self.values)


@dataclass(frozen=True, slots=True)
class LayerRange:
    """Property of a layer that is a number from 0 to ``high``; 0 is the default."""

    name: str
    label: str
    help: str
    high: float
    unit: str = ""

    @property
    def default(self) -> float:
        """The value of a new layer."""
        return 0.0

    def accepts(self, value: object) -> bool:
        """Return whether ``value`` is a number in the range."""
        return isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value <= self.high


OptionValue = str | float
Content = tuple[object, ...]
"""Values that determine what a layer draws."""
ALL_VIEWS = frozenset(FireView)
FIRE_VIEWS = frozenset({FireView.BASELINE, FireView.PLAN})
DROP_VIEWS = frozenset({FireView.PLAN, FireView.DIFFERENCE})
"""Views with drops. The baseline has none."""
DIFFERENCE_VIEW = frozenset({FireView.DIFFERENCE})


COLORS, CLASSES, THRESHOLD = "colors", "classes", "threshold"


def color_choice(*maps: str) -> LayerChoice:
    """Return the choice of a colour map of pyqtgraph; the first is that of a new layer."""
    tip = "Colour map. The brightness of each changes evenly, also for red-green blindness"
    return LayerChoice(COLORS, "Colour map", tip, tuple((name, name.capitalize()) for name in maps))


def class_choice(*counts: int) -> LayerChoice:
    """Return the choice of a number of classes; the default has none."""
    classes = tuple((str(count), f"{count} classes") for count in counts)
    return LayerChoice(
        CLASSES, "Classes", "Draw continuous colours, or classes of equal width", (("0", "Continuous"), *classes)
    )


def threshold_range(high: float = 1.0, unit: str = "") -> LayerRange:
    """Return the threshold below which values are not drawn."""
    return LayerRange(THRESHOLD, "Threshold", "Values below the threshold are not drawn", high, unit)


def same_content(content: Sequence[object], other: Sequence[object]) -> bool:
    """Return whether two contents are alike, item by item. Large values are compared by identity first."""
    return len(content) == len(other) and all(a is b or a == b for a, b in zip(content, other, strict=True))


class MapLayer:
    """Base class of the layers. Subclasses set ``key``, ``title``, ``help`` and draw in :meth:`draw`.

    ``follows`` lists what the layer depends on beside the project: ``"step"``, ``"view"``, ``"result"``, ``"regions"``,
    ``"operations"``, ``"values"``, ``"time"``. ``views`` are the views that have the layer at all. ``swatch_ink`` and
    the colours of ``samples`` (label, colour, sample) are fields of :class:`Ink`; ``swatch_sample`` is drawn in the
    list of a layer without samples. ``no_data`` is the text for a project without data. ``options`` are the properties
    that the user can set beside the opacity.
    """

    key = ""
    title = ""
    help = ""
    follows: frozenset[str] = frozenset()
    views = ALL_VIEWS
    starts_visible = True
    start_opacity = 1.0
    swatch_ink = "muted"
    swatch_sample = Sample.FILL
    samples: tuple[tuple[str, str, Sample], ...] = ()
    no_data = ""
    has_bar = False
    """Whether the map itself shows the colour scale of the layer, which the legend then does not repeat."""
    options: tuple[LayerChoice | LayerRange, ...] = ()

    def __init__(self, session: Session, item: QGraphicsItem, lower: QGraphicsItem | None = None) -> None:
        self.session = session
        self.item, self.lower = item, lower
        self.ink = Ink.of(QPalette())
        self._visible, self._opacity = self.starts_visible, self.start_opacity
        self._values: dict[str, OptionValue] = {option.name: option.default for option in self.options}
        self.dirty = True

    @property
    def visible(self) -> bool:
        """Whether the layer is switched on."""
        return self._visible

    @visible.setter
    def visible(self, on: bool) -> None:
        self._visible = on
        self.update()

    @property
    def opacity(self) -> float:
        """Opacity, 0 … 1."""
        return self._opacity

    @opacity.setter
    def opacity(self, value: float) -> None:
        self._opacity = min(max(value, 0.0), 1.0)
        for item in self.items:
            item.setOpacity(self._opacity)

    @property
    def items(self) -> tuple[QGraphicsItem, ...]:
        """What the layer draws; ``lower``, if there is one, lies below the layers of the fire."""
        return (self.item,) if self.lower is None else (self.lower, self.item)

    @property
    def option_values(self) -> dict[str, OptionValue]:
        """The properties by name."""
        return dict(self._values)

    def set_option(self, name: str, value: object) -> bool:
        """Set a property and return whether it changed; an unknown name or value changes nothing."""
        option = next((option for option in self.options if option.name == name), None)
        if option is None or not option.accepts(value) or value == self._values[name]:
            return False
        self._values[name] = value if isinstance(option, LayerChoice) else float(value)  # type: ignore[assignment, arg-type]
        self._apply_options()
        self.update()
        return True

    def _apply_options(self) -> None:
        """Prepare the next :meth:`draw` with the changed properties."""

    @property
    def swatch(self) -> QColor:
        """The colour of the layer in the list."""
        return QColor(getattr(self.ink, self.swatch_ink, self.swatch_ink))

    @property
    def legend(self) -> Legend:
        """The meaning of the colours."""
        entries = (LegendEntry(label, getattr(self.ink, color), sample) for label, color, sample in self.samples)
        return Legend(entries=tuple(entries))

    @property
    def in_view(self) -> bool:
        """Whether the shown view (baseline, plan, difference) has this layer at all."""
        return self.session.view in self.views

    def bounds(self) -> QRectF | None:
        """Return the area in cells that the layer draws in; ``None`` for the whole grid."""
        area = self.item.boundingRect()
        return area if isinstance(self.item, StrokesItem) and not area.isEmpty() else None

    def missing(self) -> str:
        """Return why there is nothing to show; empty if there is something."""
        return "" if not self.session.has_project or self._has_data(self.session.project) else self.no_data

    def _has_data(self, project: Project) -> bool:
        return True

    def set_ink(self, ink: Ink) -> None:
        """Use other colours from the next :meth:`update` on."""
        self.ink = ink
        self.dirty = True

    def update(self) -> None:
        """Update the item from the session; cheap if the layer is hidden."""
        on = self._visible and self.in_view
        for item in self.items:
            item.setVisible(on)
            item.setOpacity(self._opacity)
        self.dirty = not on
        if on:
            self.draw(MapState.of(self.session))

    def prepare(self, shown: MapState | None) -> Iterator[None]:
        """Prepare :meth:`draw` in turns of the event loop, one for each item.

        Nothing visible changes.
        """
        return iter(())

    def complete(self, shown: MapState) -> None:
        """Compute now what :meth:`draw` would request from a thread."""

    def draw(self, shown: MapState | None) -> None:
        """Rebuild the content of the item; ``None`` for no project keeps nothing of the former one."""
        raise NotImplementedError

    def clear(self) -> None:
        """Draw nothing until the next :meth:`update`, and refer to nothing of the former project."""
        self.draw(None)
        self.dirty = True


class PaintedLayer(MapLayer):
    """Base class of layers painted in pixels.

    Subclasses paint the state of the session in :meth:`_paint`. What they write on the map are :meth:`labels`, if the
    class ``has_labels``: those of all layers are placed together.
    """

    has_labels = False

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        self._painted: Content | None = None
        super().__init__(session, self._screen)

    def content(self, shown: MapState) -> Content | None:
        """Return what the layer paints beside its colours and properties; ``None`` if unknown."""
        return None

    def draw(self, shown: MapState | None) -> None:
        """Paint again if the content changed. Shapes are positioned while painting: that depends on the zoom."""
        content = None
        if shown is not None:
            self._screen.set_grid(*shown.scenario.grid.shape)
            own = self.content(shown)
            content = None if own is None else (self.ink, *self._values.values(), *own)
        if content is None or self._painted is None or not same_content(content, self._painted):
            self._painted = content
            self._screen.update()

    def labels(self, transform: QTransform, visible: QRectF) -> Iterable[Label]:
        """Return the labels, the most important first."""
        return ()

    def symbols(self, transform: QTransform) -> Iterable[QRectF]:
        """Return the boxes in pixels that labels of any layer should not cover."""
        return ()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        raise NotImplementedError


class RasterLayer(MapLayer):
    """Layer of 8-bit codes on one colour scale, which ``make_scale`` returns."""

    swatch_ink = ""
    is_signed = False
    """Whether the middle of the scale is zero."""
    make_scale: ClassVar[staticmethod[[], ColorScale]]

    def __init__(self, session: Session) -> None:
        self.raster = RasterItem()
        super().__init__(session, self.raster)
        self._set_scale(self.make_scale())

    def _set_scale(self, scale: ColorScale) -> None:
        self._own_scale = scale
        self._apply_options()

    def _apply_options(self) -> None:
        """Make the scale of the chosen colours, classes and threshold."""
        scale, values = self._own_scale, self._values
        if (colors := str(values.get(COLORS, ""))) and colors != self._default_of(COLORS):
            scale = recolored(scale, colors)
        if count := int(values.get(CLASSES, 0)):
            scale = in_classes(scale, count)
        if share := self.threshold:
            scale = from_threshold(scale, share, is_signed=self.is_signed)
        self.scale = scale
        self._packed: Packed = scale.packed
        self._drawn: object = None

    @property
    def threshold(self) -> float:
        """Share of the range from which on values are drawn."""
        high = next((option.high for option in self.options if isinstance(option, LayerRange)), 1.0)
        return float(self._values.get(THRESHOLD, 0.0)) / high

    @property
    def threshold_note(self) -> str:
        """Text of the legend on the threshold; empty without one."""
        value = self._values.get(THRESHOLD, 0.0)
        unit = next((option.unit for option in self.options if isinstance(option, LayerRange)), "")
        return f"drawn from {value:g}{unit}{' either way' if self.is_signed else ''}" if value else ""

    def _default_of(self, name: str) -> OptionValue:
        return next(option.default for option in self.options if option.name == name)

    @property
    def swatch(self) -> QColor:
        """The colour of the layer in the list: a strong one of the scale, unless another is set."""
        if self.swatch_ink:
            return super().swatch
        return QColor(*(int(channel) for channel in self.scale.rgba[220, :3]))

    @property
    def legend(self) -> Legend:
        """The scale, and the threshold if there is one."""
        return Legend(scale=self.scale, note=self.threshold_note)

    def codes(self, shown: MapState) -> NDArray[np.uint8] | None:
        """Return the codes to show, ``[H, W]``; ``None`` for nothing."""
        raise NotImplementedError

    def identity(self, shown: MapState) -> object:
        """Return a value that is equal as long as :meth:`codes` are the same; ``None`` if unknown."""
        return None

    def draw(self, shown: MapState | None) -> None:
        """Draw the codes in the colours of the scale, unless they are drawn already."""
        token = None if shown is None else self.identity(shown)
        if token is not None and token == self._drawn:
            return
        values = None if shown is None else self.codes(shown)
        if values is None:
            self.raster.set_pixels(None)
        else:
            self.raster.set_codes(values, self._packed)
        self._drawn = token
