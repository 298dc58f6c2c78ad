"""The layer list: what the map shows, how strongly, and what its colours mean."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from firegui.gui.map.layers.base import Layer
from firegui.gui.map.layers.stack import LayerStack
from firegui.gui.map.legends import LegendView, swatch_pixmap


class LayersPanel(QScrollArea):
    """A row per layer, the topmost first: check box, opacity; below, the legends of what is shown."""

    def __init__(self, layers: LayerStack, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Layers of the map")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._layers = layers
        self._rows = {layer.key: _Row(layers, layer) for layer in layers}
        self._legend = LegendView()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(self._list())
        heading = QLabel("Legend")
        heading.setProperty("role", "heading")
        column.addWidget(heading)
        column.addWidget(self._legend)
        column.addStretch(1)
        self.setWidget(body)
        self.setMinimumWidth(body.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width())
        layers.changed.connect(self._refresh)
        layers.refreshed.connect(self._refresh)
        self._refresh()

    def _list(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for line, layer in enumerate(reversed(list(self._layers))):
            row = self._rows[layer.key]
            grid.addWidget(row.box, line, 0)
            grid.addWidget(row.slider, line, 1)
        return grid

    def _refresh(self, _: str = "") -> None:
        for row in self._rows.values():
            row.refresh()
        drawn = [layer for layer in self._layers if layer.visible and layer.in_view and not layer.missing()]
        self._legend.show_layers(drawn[::-1])


class _Row:
    """The controls of one layer."""

    def __init__(self, layers: LayerStack, layer: Layer) -> None:
        self._layers = layers
        self._layer = layer
        self.box = QCheckBox(layer.title)
        self.box.setIconSize(QSize(14, 14))
        self.box.setAccessibleName(f"Show {layer.title}")
        self.box.toggled.connect(self._toggle)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 100)
        self.slider.setPageStep(10)
        self.slider.setMinimumWidth(40)
        self.slider.setAccessibleName(f"Opacity of {layer.title}, percent")
        self.slider.valueChanged.connect(self._fade)

    def _toggle(self, on: bool) -> None:
        self._layers.set_visible(self._layer.key, on)

    def _fade(self, percent: int) -> None:
        self._layers.set_opacity(self._layer.key, percent / 100.0)

    def refresh(self) -> None:
        """Take the layer's state over."""
        layer = self._layer
        why = layer.missing() or ("" if layer.in_view else "not part of the view that is shown")
        self.box.blockSignals(True)
        self.box.setChecked(layer.visible)
        self.box.setIcon(QIcon(swatch_pixmap(layer.swatch, faint=bool(why))))
        self.box.blockSignals(False)
        self.box.setToolTip(f"{layer.help}\nNow empty: {why}" if why else layer.help)
        font = self.box.font()
        font.setItalic(bool(why))
        self.box.setFont(font)
        self.slider.blockSignals(True)
        self.slider.setValue(round(100 * layer.opacity))
        self.slider.blockSignals(False)
        self.slider.setEnabled(layer.visible)
        self.slider.setToolTip(f"Opacity of {layer.title}: {self.slider.value()} %")
