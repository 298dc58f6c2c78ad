"""Right half of the wizard: choice of the layer, preview map, legend, and wind by day."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from firegui.domain.scenario import LAYERS
from firegui.domain.units import Units
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import horizontal, plain_label, vertical
from firegui.gui.charts.chart import Chart
from firegui.gui.importing.landscape.preview_map import (
    PreviewMap,
    PreviewOutline,
    PreviewScene,
    WindArrows,
    coverage_picture,
    date_colors,
    fuel_entries,
    layer_picture,
)
from firegui.gui.importing.landscape.survey import DatedOutline, SurveyResult
from firegui.gui.map.layers.layer import LegendEntry, Sample
from firegui.gui.map.legends import LegendRow
from firegui.gui.map.map_colors import ColorScale, Ink, Packed
from firegui.gui.widgets.fields import NoScrollComboBox, NoScrollSlider
from firegui.io.weather.daily import WindFields

_HEIGHT = 132
_DOT, _SMALL_DOT = 5.0, 3.0
_X_AXIS_PX = 18
_FEW_DAYS, _MOST_TICKS = 3, 8


class WindChart(QWidget):
    """Slider for the day and two small charts; a click in a chart selects its day."""

    day_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None, units: Units = Units.METRIC) -> None:
        super().__init__(parent)
        self._units = units
        self._first: date | None = None
        self._highest = np.empty(0)
        self.slider = NoScrollSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Day of the wind")
        self.slider.setToolTip("Day of the wind in map and charts")
        self.slider.setPageStep(1)
        self._label = plain_label()
        self.speed, self.origin = Chart("Wind speed at 10 m", ""), Chart("Blows from", "")
        self._course = self.speed.add_curve("muted", width=1.2)
        self._mean = self.speed.add_curve("accent", width=1.6, symbol=_DOT)
        self._course_from = self.origin.add_curve("muted", style=Qt.PenStyle.NoPen, symbol=_SMALL_DOT)
        self._from = self.origin.add_curve("accent", style=Qt.PenStyle.NoPen, symbol=_DOT)
        self._lay_out()

    @property
    def day(self) -> int:
        """The shown day, from 0."""
        return self.slider.value()

    def show_winds(self, winds: WindFields | None, start: datetime | None, first: date | None) -> None:
        """Show these days from ``start`` (UTC), with local date ``first`` if known; ``None`` hides all.

        The wind at the file's own time steps, if any, is drawn behind the daily values.
        """
        self.setVisible(winds is not None)
        if winds is None or start is None:
            return
        self._first, self._highest = first, winds.speed.reshape(len(winds.speed), -1).max(1)
        days = np.arange(winds.speed.shape[0])
        mean, origin = daily_means(winds)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(days) - 1)
        self.slider.setEnabled(len(days) > 1)
        self.speed.set_curve(self._mean, days + 1, mean * self._units.wind_value(1.0))
        self.origin.set_curve(self._from, days + 1, origin)
        course = winds.course
        # Day 1 reaches from 0.5 to 1.5, so that its mean stands in its centre.
        at = np.array([(when - start) / timedelta(days=1) + 0.5 for when in course.times])
        self.speed.set_curve(self._course, at, course.mean_speed * self._units.wind_value(1.0))
        self.origin.set_curve(self._course_from, at, course.mean_from)
        for chart in (self.speed, self.origin):
            chart.item.setXRange(0.5, len(days) + 0.5, padding=0.02)
            chart.item.getAxis("bottom").setTicks([_ticks(len(days))])
        self.origin.item.setYRange(0.0, 360.0, padding=0.08)
        self._on_day()

    def _lay_out(self) -> None:
        bar = horizontal(None, self._label, (self.slider, 1))
        charts = QHBoxLayout()
        self.origin.item.getAxis("left").setTicks([[(0, "N"), (90, "E"), (180, "S"), (270, "W"), (360, "N")]])
        for chart in (self.speed, self.origin):
            chart.setFixedHeight(_HEIGHT)
            chart.item.getAxis("bottom").setHeight(_X_AXIS_PX)
            chart.clicked.connect(self._on_click)
            charts.addWidget(chart, 1)
        vertical(self, bar, charts, margins=0, spacing=3)
        self.slider.valueChanged.connect(lambda _day: self._on_day())

    def _on_day(self) -> None:
        for chart in (self.speed, self.origin):
            chart.set_cursor(self.day + 1.0)
        when = "" if self._first is None else f" · {self._first + timedelta(days=self.day):%d %b %Y}".replace(" 0", " ")
        self._label.setText(f"Day {self.day + 1} of {self.slider.maximum() + 1}{when}")
        mean = self.speed.curve_points(self._mean)[1]
        origin = self.origin.curve_points(self._from)[1]
        if self.day < len(mean):
            pieces = Piece(f"mean {mean[self.day]:.1f}", "accent"), self._highest_piece()
            self.speed.set_title("Wind speed at 10 m", *pieces)
            self.origin.set_title("Blows from", Piece(f"{origin[self.day]:.0f}° by the grid's north", "accent"))
        self.day_changed.emit(self.day)

    def _highest_piece(self) -> Piece:
        return Piece(f"highest {self._units.wind(self._highest[self.day])}")

    def _on_click(self, x: float) -> None:
        self.slider.setValue(round(x) - 1)


def _ticks(days: int) -> list[tuple[float, str]]:
    """Return ticks: hours of day 0 for few days, else as many days as fit."""
    if days <= _FEW_DAYS:
        every = 6 if days == 1 else 12
        return [(0.5 + hour / 24.0, f"{hour} h") for hour in range(0, 24 * days + 1, every)]
    every = -(-days // _MOST_TICKS)
    return [(float(day), f"{day}") for day in range(1, days + 1, every)]


def daily_means(winds: WindFields) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean speeds ``[D]`` and origins ``[D]`` of the mean vectors.

    Origins are in degrees clockwise from the grid's north.
    """
    speed, towards = winds.speed.astype(np.float64), winds.towards.astype(np.float64)
    u, v = (speed * np.cos(towards)).mean((1, 2)), (speed * np.sin(towards)).mean((1, 2))
    return speed.mean((1, 2)), (270.0 - np.rad2deg(np.arctan2(v, u))) % 360.0


_EMPTY = "Choose files: they are shown here."
_NO_GRID = "There is no preview until the problems are fixed."
_MOST_DATES = 6
_GROUND = "ground"


class PreviewColumn(QWidget):
    """Preview of a :class:`SurveyResult`. The current step selects the overlays."""

    map_clicked = Signal(object)
    """Longitude and latitude of a click on the map; not emitted if the grid has no georeference."""
    day_changed = Signal(int)
    layer_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None, units: Units = Units.METRIC) -> None:
        super().__init__(parent)
        self._units = units
        self._look: SurveyResult | None = None
        self._wanted = ""
        self._shown: dict[str, tuple[SurveyResult, Packed, ColorScale | None]] = {}
        self.layer, self.relief = NoScrollComboBox(), QCheckBox("Relief")
        self.map, self.legend, self.strip = PreviewMap(), LegendRow(), WindChart(units=units)
        self._empty = plain_label(_EMPTY)
        self._empty.setProperty("role", "muted")
        self._lay_out()
        self.show_survey(None, ())

    def sizeHint(self) -> QSize:
        """Return a width larger than that of the steps."""
        return QSize(640, 560)

    def choose_layer(self, key: str) -> None:
        """Show this layer, if it exists."""
        self._wanted, index = key, self.layer.findData(key)
        if index >= 0:
            self.layer.setCurrentIndex(index)

    def show_survey(self, survey_result: SurveyResult | None, overlays: Collection[str]) -> None:
        """Show the result of a survey with these overlays."""
        if survey_result is not self._look:
            self._look = survey_result
            self._shown = {}
            self._offer_layers()
            if survey_result is not None:
                self.strip.show_winds(survey_result.winds, survey_result.survey.start, survey_result.first_date)
        there = survey_result is not None and survey_result.survey.preview_grid is not None
        self.layer.setEnabled(there and "coverage" not in overlays)
        self._empty.setText(_EMPTY if survey_result is None else _NO_GRID)
        self._empty.setVisible(not there)
        self.map.setVisible(there)
        self.strip.setVisible(
            there and "wind" in overlays and survey_result is not None and survey_result.winds is not None
        )
        if not there:
            self.legend.show_entries(())
        self.map.show_scene(self._scene(survey_result, overlays) if there and survey_result is not None else None)

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        label = plain_label("Sho&w")
        label.setBuddy(self.layer)
        self.layer.setAccessibleName("Layer of the preview")
        self.layer.setToolTip("Layer of the landscape in the preview")
        self.relief.setChecked(True)
        self.relief.setToolTip("lit from the north-west, 45° high")
        for part in (label, self.layer, self.relief):
            bar.addWidget(part)
        bar.addStretch(1)
        vertical(self, bar, (self._empty, 1), (self.map, 1), self.legend, self.strip, margins=4)
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
    def _scene(self, survey_result: SurveyResult, overlays: Collection[str]) -> PreviewScene:
        grid = survey_result.survey.preview_grid
        assert grid is not None
        ink, key = Ink.of(self.palette()), str(self.layer.currentData() or _GROUND)
        pixels, scale = self._coverage(survey_result) if "coverage" in overlays else self._pixels(survey_result, key)
        lines: list[PreviewOutline] = []
        if "files" in overlays:
            lines += [PreviewOutline(outline, ink.accent, dashed=True) for outline in survey_result.extents]
        if "fire" in overlays:
            lines += _perimeters(survey_result.fires, dark=ink.dark)
        arrows = None
        if "wind" in overlays and survey_result.winds is not None:
            day = min(self.strip.day, len(survey_result.winds.speed) - 1)
            top = max(float(survey_result.winds.speed.max()), 1e-6)
            arrows = WindArrows(survey_result.winds.speed[day], survey_result.winds.towards[day], top)
        self._show_legend(survey_result, key, overlays, ink)
        title = "Required coverage" if "coverage" in overlays else self.layer.currentText()
        return PreviewScene(
            grid, title, hint="Click: the fire starts here" if "click" in overlays else "", pixels=pixels, scale=scale,
            shade=survey_result.shade if self.relief.isChecked() or key == _GROUND else None, arrows=arrows,
            lines=tuple(lines), whole="files" in overlays, pin=survey_result.pin if "fire" in overlays else None,
        )  # fmt: skip

    def _pixels(self, survey_result: SurveyResult, key: str) -> tuple[Packed | None, ColorScale | None]:
        fact = next((fact for fact in survey_result.survey.layers if fact.key == key), None)
        if fact is None:
            return None, None
        if key not in self._shown:
            self._shown[key] = (survey_result, *layer_picture(key, fact.preview))
        return self._shown[key][1:]

    def _coverage(self, survey_result: SurveyResult) -> tuple[Packed | None, ColorScale | None]:
        return (None, None) if survey_result.required is None else coverage_picture(survey_result.required)

    def _show_legend(self, survey_result: SurveyResult, key: str, overlays: Collection[str], ink: Ink) -> None:
        entries: list[LegendEntry] = []
        if "coverage" not in overlays and key == "fuel":
            fact = next(fact for fact in survey_result.survey.layers if fact.key == key)
            entries += fuel_entries(fact.preview)
        if "files" in overlays and survey_result.extents:
            entries.append(LegendEntry("extent of a file", ink.accent, Sample.DASH))
        if "wind" in overlays and survey_result.winds is not None:
            top = float(survey_result.winds.speed.max())
            entries.append(LegendEntry(f"wind blows to; longest {self._units.wind(top)}", ink.wind, Sample.ARROW))
        if "fire" in overlays:
            entries += _dates(survey_result.fires, self._units, dark=ink.dark)
        self.legend.show_entries(entries)

    def _on_click(self, row: float, column: float) -> None:
        place = None if self._look is None else self._look.lonlat(row, column)
        if place is not None:
            self.map_clicked.emit(place)


def _perimeters(fires: Sequence[DatedOutline], *, dark: bool) -> list[PreviewOutline]:
    colors = date_colors(len(fires), dark=dark)
    # The last day is the largest. It is drawn first, so that the small early ones stay on top.
    return [PreviewOutline(fire.path, color) for fire, color in reversed(list(zip(fires, colors, strict=True)))]


def _dates(fires: Sequence[DatedOutline], units: Units, *, dark: bool) -> list[LegendEntry]:
    colors = date_colors(len(fires), dark=dark)
    last = len(fires) - 1
    chosen = sorted({round(k * last / (_MOST_DATES - 1)) for k in range(_MOST_DATES)}) if fires else []
    return [LegendEntry(f"{fires[k].label} · {units.area(fires[k].hectares)}", colors[k], Sample.LINE) for k in chosen]
