"""The right half of the wizard: which layer is shown, the map, what its colours mean, and the wind through the days."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from firegui.domain.scenario import LAYERS
from firegui.gui.importing.landscape.preview_colors import coverage_picture, date_colors, fuel_entries, layer_picture
from firegui.gui.importing.landscape.preview_map import Arrows, Line, PreviewMap, Scene
from firegui.gui.importing.landscape.survey import DatedOutline, Look
from firegui.gui.importing.landscape.wind_chart import WindChart
from firegui.gui.map.color_scales import Packed, Scale
from firegui.gui.map.layers.layer import LegendEntry, Sample
from firegui.gui.map.legends import LegendRow
from firegui.gui.map.map_colors import Ink

_EMPTY = "Choose files: they are shown here."
_NO_GRID = "There is nothing to show until what is wrong has been put right."
_MOST_DATES = 6
_GROUND = "ground"


class PreviewColumn(QWidget):
    """Shows a :class:`Look`; what lies over the layer is for the step to say."""

    map_clicked = Signal(object)
    """Longitude and latitude of a click on the map; nothing comes where the grid has no place."""
    day_changed = Signal(int)
    layer_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look: Look | None = None
        self._wanted = ""
        self._shown: dict[str, tuple[Look, Packed, Scale | None]] = {}
        self.layer, self.relief = QComboBox(), QCheckBox("Relief")
        self.map, self.legend, self.strip = PreviewMap(), LegendRow(), WindChart()
        self._empty = QLabel(_EMPTY)
        self._empty.setProperty("role", "muted")
        self._lay_out()
        self.show_look(None, ())

    def sizeHint(self) -> QSize:
        """Wider than the steps."""
        return QSize(640, 560)

    def choose_layer(self, key: str) -> None:
        """Show this layer, if it is there."""
        self._wanted, index = key, self.layer.findData(key)
        if index >= 0:
            self.layer.setCurrentIndex(index)

    def show_look(self, look: Look | None, overlays: Collection[str]) -> None:
        """Show what was found with these overlays."""
        if look is not self._look:
            self._look = look
            self._shown = {}
            self._offer_layers()
            if look is not None:
                self.strip.show_winds(look.winds, look.survey.start, look.first_date)
        there = look is not None and look.survey.preview_grid is not None
        self.layer.setEnabled(there and "coverage" not in overlays)
        self._empty.setText(_EMPTY if look is None else _NO_GRID)
        self._empty.setVisible(not there)
        self.map.setVisible(there)
        self.strip.setVisible(there and "wind" in overlays and look is not None and look.winds is not None)
        if not there:
            self.legend.show_entries(())
        self.map.show_scene(self._scene(look, overlays) if there and look is not None else None)

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        label = QLabel("Sho&w")
        label.setBuddy(self.layer)
        self.layer.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.relief.setChecked(True)
        self.relief.setToolTip("lit from the north-west, 45° high")
        for part in (label, self.layer, self.relief):
            bar.addWidget(part)
        bar.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addLayout(bar)
        column.addWidget(self._empty, 1)
        column.addWidget(self.map, 1)
        column.addWidget(self.legend)
        column.addWidget(self.strip)
        self.map.clicked.connect(self._on_click)
        self.strip.day_changed.connect(self.day_changed)
        self.layer.currentIndexChanged.connect(lambda _index: self._on_layer())
        self.relief.toggled.connect(lambda _on: self._on_layer())

    def _offer_layers(self) -> None:
        there = [] if self._look is None else [fact.key for fact in self._look.survey.layers]
        with QSignalBlocker(self.layer):
            self.layer.clear()
            for key in there:
                self.layer.addItem(LAYERS[key][0], key)
            self.layer.addItem("Relief alone", _GROUND)
            self.layer.setCurrentIndex(max(self.layer.findData(self._wanted), 0))

    def _on_layer(self) -> None:
        self._wanted = str(self.layer.currentData() or "")
        self.layer_chosen.emit(self._wanted)

    # -- the scene ---------------------------------------------------------------------------------------------------
    def _scene(self, look: Look, overlays: Collection[str]) -> Scene:
        grid = look.survey.preview_grid
        assert grid is not None
        ink, key = Ink.of(self.palette()), str(self.layer.currentData() or _GROUND)
        pixels, scale = self._coverage(look) if "coverage" in overlays else self._pixels(look, key)
        lines: list[Line] = []
        if "files" in overlays:
            lines += [Line(outline, ink.accent, dashed=True) for outline in look.extents]
        if "fire" in overlays:
            lines += _perimeters(look.fires, dark=ink.dark)
        arrows = None
        if "wind" in overlays and look.winds is not None:
            day = min(self.strip.day, len(look.winds.speed) - 1)
            top = max(float(look.winds.speed.max()), 1e-6)
            arrows = Arrows(look.winds.speed[day], look.winds.towards[day], top)
        self._show_legend(look, key, overlays, ink)
        title = "Required coverage" if "coverage" in overlays else self.layer.currentText()
        return Scene(
            grid, title, hint="Click: the fire starts here" if "click" in overlays else "", pixels=pixels, scale=scale,
            shade=look.shade if self.relief.isChecked() or key == _GROUND else None, arrows=arrows,
            lines=tuple(lines), whole="files" in overlays, pin=look.pin if "fire" in overlays else None,
        )  # fmt: skip

    def _pixels(self, look: Look, key: str) -> tuple[Packed | None, Scale | None]:
        fact = next((fact for fact in look.survey.layers if fact.key == key), None)
        if fact is None:
            return None, None
        if key not in self._shown:
            self._shown[key] = (look, *layer_picture(key, fact.preview))
        return self._shown[key][1:]

    def _coverage(self, look: Look) -> tuple[Packed | None, Scale | None]:
        return (None, None) if look.required is None else coverage_picture(look.required)

    def _show_legend(self, look: Look, key: str, overlays: Collection[str], ink: Ink) -> None:
        entries: list[LegendEntry] = []
        if "coverage" not in overlays and key == "fuel":
            fact = next(fact for fact in look.survey.layers if fact.key == key)
            entries += fuel_entries(fact.preview)
        if "files" in overlays and look.extents:
            entries.append(LegendEntry("extent of a file", ink.accent, Sample.DASH))
        if "wind" in overlays and look.winds is not None:
            top = float(look.winds.speed.max())
            entries.append(LegendEntry(f"wind blows to; longest {top:.2g} m/s", ink.wind, Sample.ARROW))
        if "fire" in overlays:
            entries += _dates(look.fires, dark=ink.dark)
        self.legend.show_entries(entries)

    def _on_click(self, row: float, column: float) -> None:
        place = None if self._look is None else self._look.lonlat(row, column)
        if place is not None:
            self.map_clicked.emit(place)


def _perimeters(fires: Sequence[DatedOutline], *, dark: bool) -> list[Line]:
    colors = date_colors(len(fires), dark=dark)
    # The last day is the largest: drawn first, so that the small early ones stay on top.
    return [Line(fire.path, color) for fire, color in reversed(list(zip(fires, colors, strict=True)))]


def _dates(fires: Sequence[DatedOutline], *, dark: bool) -> list[LegendEntry]:
    colors = date_colors(len(fires), dark=dark)
    last = len(fires) - 1
    chosen = sorted({round(k * last / (_MOST_DATES - 1)) for k in range(_MOST_DATES)}) if fires else []
    return [LegendEntry(fires[k].label, colors[k], Sample.LINE) for k in chosen]
