"""All layers of the map in drawing order, and their updates when the session changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from firegui.gui.map.labels import MapLabels
from firegui.gui.map.layers.barriers_layer import BarriersLayer
from firegui.gui.map.layers.bases_layer import BasesLayer
from firegui.gui.map.layers.behaviour_layers import FlameLengthLayer, IntensityLayer, SpreadRateLayer
from firegui.gui.map.layers.drop_layers import ChangeLayer, ChosenLayer, DropsLayer, RemovedLayer
from firegui.gui.map.layers.fire_layers import (
    BurningLayer,
    DifferenceLayer,
    EdgeLayer,
    ObservedLayer,
    OccupancyLayer,
    RetardantLayer,
)
from firegui.gui.map.layers.ground_layers import (
    BaseMapLayer,
    CanopyLayer,
    ExtentLayer,
    FuelLayer,
    HillshadeLayer,
    ValuesLayer,
)
from firegui.gui.map.layers.isochrones_layer import IsochronesLayer
from firegui.gui.map.layers.layer import Content, MapLayer, PaintedLayer, same_content
from firegui.gui.map.layers.place_layers import GraticuleLayer, MarkersLayer
from firegui.gui.map.layers.shape_layers import PinsLayer, RegionsLayer, ZonesLayer
from firegui.gui.map.layers.wind_layer import WindLayer
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import Session

GROUND = "extent"
"""The bottom layer."""
_FIRE = ("occupancy", "burning", "difference")
"""Layers that lie above the lower item of any layer."""


class LayerStack(QObject):
    """Layers of the map, bottom first."""

    changed = Signal(str)
    """Visibility, opacity or a property of the layer with this key changed."""
    reordered = Signal()
    """Layers are drawn in another order."""
    refreshed = Signal()
    """Legends or the lack of data may have changed."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        session.side_by_side_changed.connect(self.refreshed)
        # With the tool for drops, more of them are drawn and explained.
        session.tool_changed.connect(self.refreshed)
        self.regions, self.removed, self.drops = RegionsLayer(session), RemovedLayer(session), DropsLayer(session)
        self.barriers, self.bases = BarriersLayer(session), BasesLayer(session)
        layers: tuple[MapLayer, ...] = (
            ExtentLayer(session), FuelLayer(session), CanopyLayer(session), HillshadeLayer(session),
            BaseMapLayer(session), ValuesLayer(session), SpreadRateLayer(session), FlameLengthLayer(session),
            IntensityLayer(session), OccupancyLayer(session), BurningLayer(session), DifferenceLayer(session),
            ChangeLayer(session), RetardantLayer(session), IsochronesLayer(session), GraticuleLayer(session),
            WindLayer(session), ObservedLayer(session), self.drops, self.removed, EdgeLayer(session),
            self.barriers, ZonesLayer(session), self.regions, PinsLayer(session), self.bases,
            MarkersLayer(session), ChosenLayer(session),
        )  # fmt: skip
        self._layers = {layer.key: layer for layer in layers}
        labelled = (layer for layer in layers if isinstance(layer, PaintedLayer) and layer.has_labels)
        self.labels = MapLabels(labelled, self.drops)
        self._said: dict[str, Content] = {}
        self._said_of: Content = ()
        self._marked: set[str] = set()
        self._order = [layer.key for layer in layers]
        self._first_order = tuple(self._order)
        self._stack()

    def __iter__(self) -> Iterator[MapLayer]:
        return (self._layers[key] for key in self._order)

    def __getitem__(self, key: str) -> MapLayer:
        return self._layers[key]

    def set_visible(self, key: str, on: bool) -> None:
        """Show or hide a layer."""
        layer = self._layers[key]
        if layer.visible != on:
            layer.visible = on
            self._marked.add(key)
            self.changed.emit(key)

    def set_opacity(self, key: str, opacity: float) -> None:
        """Set the opacity of a layer, 0 … 1."""
        layer = self._layers[key]
        if layer.opacity != opacity:
            layer.opacity = opacity
            self.changed.emit(key)

    def set_option(self, key: str, name: str, value: object) -> None:
        """Set a property of a layer; see :meth:`MapLayer.set_option`."""
        if self._layers[key].set_option(name, value):
            self._marked.add(key)
            self.changed.emit(key)

    @property
    def styles(self) -> dict[str, dict[str, float | str]]:
        """Opacity and properties of every layer that differ from those of a new one, by key."""
        found = {}
        for layer in self:
            defaults = {option.name: option.default for option in layer.options}
            style = {name: value for name, value in layer.option_values.items() if value != defaults[name]}
            if layer.opacity != layer.start_opacity:
                style["opacity"] = layer.opacity
            if style:
                found[layer.key] = style
        return found

    def restore_styles(self, styles: Mapping[str, object]) -> None:
        """Restore saved :attr:`styles`; what is unknown is ignored."""
        for key, style in styles.items():
            if key not in self._layers or not isinstance(style, Mapping):
                continue
            for name, value in style.items():
                if name == "opacity" and isinstance(value, (int, float)):
                    self.set_opacity(key, float(value))
                else:
                    self.set_option(key, str(name), value)

    def reset_style(self, key: str) -> None:
        """Give a layer the opacity and the properties of a new one."""
        layer = self._layers[key]
        self.set_opacity(key, layer.start_opacity)
        for option in layer.options:
            self.set_option(key, option.name, option.default)

    def copy_from(self, other: LayerStack) -> None:
        """Use the order, visibility, opacity and properties of the layers of another map."""
        for layer in other:
            self.set_visible(layer.key, layer.visible)
            self.set_opacity(layer.key, layer.opacity)
            for name, value in layer.option_values.items():
                self.set_option(layer.key, name, value)
        self.set_order(other.order)

    @property
    def order(self) -> tuple[str, ...]:
        """The keys, bottom first."""
        return tuple(self._order)

    def set_order(self, order: Sequence[str]) -> None:
        """Set the order, bottom first. The ground stays at the bottom; unnamed layers stay on top."""
        rest = [key for key in self._order if key not in order]
        wanted = [key for key in (*order, *rest) if key in self._layers and key != GROUND]
        wanted.insert(0, GROUND)
        if wanted != self._order:
            self._order = wanted
            self._stack()
            self.reordered.emit()

    def move(self, key: str, by: int) -> None:
        """Raise a layer by a number of places; negative lowers it."""
        others = [other for other in self._order if other != key]
        place = min(max(self._order.index(key) + by, 1), len(others))
        self.set_order([*others[:place], key, *others[place:]] if key != GROUND else self._order)

    def restore_order(self, order: Sequence[str]) -> None:
        """Restore a saved order, bottom first.

        A layer that is not in it is placed on its original neighbour.
        """
        wanted = [key for key in dict.fromkeys(order) if key in self._layers]
        for below, key in zip(("", *self._first_order), self._first_order, strict=False):
            if key not in wanted:
                wanted.insert(wanted.index(below) + 1 if below else 0, key)
        self.set_order(wanted)

    @property
    def is_reordered(self) -> bool:
        """Whether the order differs from the original one."""
        return tuple(self._order) != self._first_order

    def reset_order(self) -> None:
        """Restore the original order."""
        self.set_order(self._first_order)

    def _stack(self) -> None:
        fire = min(self._order.index(key) for key in _FIRE)
        for height, key in enumerate(self._order):
            layer = self._layers[key]
            layer.item.setZValue(height)
            if layer.lower is not None:
                layer.lower.setZValue(min(height, fire) - 0.5)

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        for layer in self:
            layer.set_ink(ink)
            self._marked.add(layer.key)
        self.refreshed.emit()

    def clear(self, *, hidden_only: bool) -> None:
        """Clear the layers, or those that are hidden: they would keep what they drew of a closed project."""
        self._said_of = ()
        for layer in self:
            if not (hidden_only and layer.visible and layer.in_view):
                layer.clear()

    def mark(self, cause: str) -> None:
        """Mark the layers that follow ``cause`` as out of date; ``"project"`` marks all."""
        for layer in self:
            if cause == "project" or cause in layer.follows:
                layer.dirty = True
                self._marked.add(layer.key)

    def complete(self, shown: MapState | None) -> None:
        """Compute now what a layer would draw later, for a picture that is not drawn again."""
        for layer in self:
            if layer.visible and shown is not None:
                layer.complete(shown)

    def prepare(self, shown: MapState | None) -> Iterator[None]:
        """Prepare the layers ahead of :meth:`update`, in one turn of the event loop for each item."""
        for layer in self:
            if layer.dirty:
                yield from layer.prepare(shown)

    def update(self) -> None:
        """Redraw all layers that are out of date."""
        for layer in self:
            if layer.dirty:
                layer.update()
        state = MapState.of(self._session)
        said_of = () if state is None else (state.project, state.view, state.result, state.units)
        # Asking every layer at each step of the playback would take longer than most of them take to redraw.
        asked = self._marked if same_content(said_of, self._said_of) else set(self._order)
        said = {key: _said_by(self._layers[key]) for key in asked}
        self._said_of, self._marked = said_of, set()
        if any(self._said.get(key) != what for key, what in said.items()):
            self._said |= said
            self.refreshed.emit()


def _said_by(layer: MapLayer) -> Content:
    """Return what the list of layers shows of a layer."""
    legend = layer.legend
    return layer.missing(), layer.in_view, legend.entries, "" if legend.scale is None else legend.scale.title
