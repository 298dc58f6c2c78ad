"""Dialog for the properties of a layer: opacity, colour map, classes, threshold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFormLayout, QSlider, QWidget

from firegui.gui.base.controls import without_mnemonic
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import horizontal, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.layers.layer import LayerChoice, LayerRange, MapLayer
from firegui.gui.map.layers.layer_stack import LayerStack
from firegui.gui.widgets.fields import NoScrollComboBox, NoScrollSlider

_STEPS = 100


class LayerPropertiesDialog(Dialog):
    """Dialog for the properties of one layer at a time. Every change is drawn at once."""

    def __init__(self, layers: LayerStack, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Layer properties")
        self._layers, self._is_changing = layers, False
        self.layer_box, self.help = NoScrollComboBox(), muted_label()
        self.fields: dict[str, QComboBox | QSlider] = {}
        self._showers: list[Callable[[], None]] = []
        self._form = QFormLayout()
        for layer in reversed(list(layers)):
            self.layer_box.addItem(layer.title, layer.key)
        self.layer_box.setAccessibleName("Layer")
        self.layer_box.setToolTip("The layer whose properties are shown")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.reset_button = buttons.addButton("&Reset layer", QDialogButtonBox.ButtonRole.ResetRole)
        self.reset_button.setToolTip("Restore the first opacity and properties of the layer")
        self.reset_button.clicked.connect(lambda: layers.reset_style(self.layer.key))
        buttons.rejected.connect(self.reject)
        head = QFormLayout()
        head.addRow("&Layer", self.layer_box)
        vertical(self, head, self.help, self._form, 1, buttons, least_width=380)
        self.layer_box.currentIndexChanged.connect(lambda _: self._build())
        layers.changed.connect(self._refresh)
        self._build()

    @property
    def layer(self) -> MapLayer:
        """The layer whose properties are shown."""
        return self._layers[str(self.layer_box.currentData())]

    def choose(self, key: str) -> None:
        """Show the properties of another layer."""
        self.layer_box.setCurrentIndex(max(self.layer_box.findData(key), 0))

    def _build(self) -> None:
        """Make the fields of the chosen layer."""
        while self._form.rowCount():
            self._form.removeRow(0)
        self.fields, self._showers = {}, []
        layer = self.layer
        self.help.setText(layer.help)
        self._add_slider("opacity", "&Opacity", f"Opacity of {layer.title}", (100.0, " %"), self._fade)
        for option in layer.options:
            if isinstance(option, LayerRange):
                take = partial(self._layers.set_option, layer.key, option.name)
                self._add_slider(option.name, option.label, option.help, (option.high, option.unit), take)
            else:
                self._add_choice(option)
        self._refresh()

    def _fade(self, percent: float) -> None:
        self._layers.set_opacity(self.layer.key, percent / 100.0)

    def _add_choice(self, option: LayerChoice) -> None:
        box, key = NoScrollComboBox(), self.layer.key
        for value, text in option.values:
            box.addItem(text, value)
        box.setAccessibleName(option.label)
        box.setToolTip(tooltip(option.help))
        box.currentIndexChanged.connect(lambda _: self._layers.set_option(key, option.name, box.currentData()))
        self._form.addRow(option.label, box)
        self.fields[option.name] = box

        def show() -> None:
            box.setCurrentIndex(box.findData(self._layers[key].option_values[option.name]))

        self._showers.append(show)

    def _add_slider(
        self, name: str, label: str, help: str, scale: tuple[float, str], take: Callable[[float], object]
    ) -> None:
        slider, text, key = NoScrollSlider(Qt.Orientation.Horizontal), plain_label(), self.layer.key
        high, unit = scale
        slider.setRange(0, _STEPS)
        slider.setPageStep(10)
        slider.setAccessibleName(without_mnemonic(label))
        slider.setToolTip(tooltip(f"{help} ({unit.strip()})" if unit else help))
        text.setMinimumWidth(text.fontMetrics().horizontalAdvance(f"{high:g}{unit}0.0"))
        slider.valueChanged.connect(lambda step: take(high * step / _STEPS))
        heading = plain_label(label)
        heading.setBuddy(slider)
        self._form.addRow(heading, horizontal(None, (slider, 1), text, margins=0))
        self.fields[name] = slider

        def show() -> None:
            layer = self._layers[key]
            value = 100.0 * layer.opacity if name == "opacity" else float(layer.option_values[name])
            with QSignalBlocker(slider):
                slider.setValue(round(_STEPS * value / high))
            text.setText(f"{value:.3g}{unit}")

        self._showers.append(show)

    def _refresh(self, _key: str = "") -> None:
        """Show the present properties."""
        if not self._is_changing:
            self._is_changing = True
            for show in self._showers:
                show()
            self._is_changing = False
