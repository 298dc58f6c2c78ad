"""The wind through the days, below the preview: which day is shown, and mean speed and direction of every day."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from firegui.gui.base.elided_label import Piece
from firegui.gui.charts.chart import Chart
from firegui.io.importers.wind_means import Winds

_HEIGHT = 132
_DOT, _SMALL_DOT = 5.0, 3.0
_X_AXIS_PX = 18
_FEW_DAYS, _MOST_TICKS = 3, 8


class WindChart(QWidget):
    """A slider through the days and two small charts; a click in a chart goes to its day."""

    day_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first: date | None = None
        self._highest = np.empty(0)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Day of the wind")
        self.slider.setPageStep(1)
        self._label = QLabel()
        self.speed, self.origin = Chart("Wind speed at 10 m", ""), Chart("Blows from", "")
        self._course = self.speed.add_curve("muted", width=1.2)
        self._mean = self.speed.add_curve("accent", width=1.6, symbol=_DOT)
        self._course_from = self.origin.add_curve("muted", style=Qt.PenStyle.NoPen, symbol=_SMALL_DOT)
        self._from = self.origin.add_curve("accent", style=Qt.PenStyle.NoPen, symbol=_DOT)
        self._lay_out()

    @property
    def day(self) -> int:
        """The day that is shown, from 0."""
        return self.slider.value()

    def show_winds(self, winds: Winds | None, start: datetime | None, first: date | None) -> None:
        """Show these days from ``start`` (UTC), the local date ``first`` where it is known; ``None`` hides everything.

        Behind the days stands the wind at the file's own steps, where it has any.
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
        self.speed.set_curve(self._mean, days + 1, mean)
        self.origin.set_curve(self._from, days + 1, origin)
        course = winds.course
        # Day 1 reaches from 0.5 to 1.5, so that its mean stands in its middle.
        at = np.array([(when - start) / timedelta(days=1) + 0.5 for when in course.times])
        self.speed.set_curve(self._course, at, course.mean_speed)
        self.origin.set_curve(self._course_from, at, course.mean_from)
        for chart in (self.speed, self.origin):
            chart.item.setXRange(0.5, len(days) + 0.5, padding=0.02)
            chart.item.getAxis("bottom").setTicks([_ticks(len(days))])
        self.origin.item.setYRange(0.0, 360.0, padding=0.08)
        self._on_day()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.addWidget(self._label)
        bar.addWidget(self.slider, 1)
        charts = QHBoxLayout()
        self.origin.item.getAxis("left").setTicks([[(0, "N"), (90, "E"), (180, "S"), (270, "W"), (360, "N")]])
        for chart in (self.speed, self.origin):
            chart.setFixedHeight(_HEIGHT)
            chart.item.getAxis("bottom").setHeight(_X_AXIS_PX)
            chart.clicked.connect(self._on_click)
            charts.addWidget(chart, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addLayout(bar)
        column.addLayout(charts)
        self.slider.valueChanged.connect(lambda _day: self._on_day())

    def _on_day(self) -> None:
        for chart in (self.speed, self.origin):
            chart.set_cursor(self.day + 1.0)
        when = "" if self._first is None else f" · {self._first + timedelta(days=self.day):%d %b %Y}".replace(" 0", " ")
        self._label.setText(f"Day {self.day + 1} of {self.slider.maximum() + 1}{when}")
        mean = self.speed.curve_points(self._mean)[1]
        origin = self.origin.curve_points(self._from)[1]
        if self.day < len(mean):
            pieces = Piece(f"mean {mean[self.day]:.1f}", "accent"), Piece(f"highest {self._highest[self.day]:.1f} m/s")
            self.speed.set_title("Wind speed at 10 m", *pieces)
            self.origin.set_title("Blows from", Piece(f"{origin[self.day]:.0f}° by the grid's north", "accent"))
        self.day_changed.emit(self.day)

    def _on_click(self, x: float) -> None:
        self.slider.setValue(round(x) - 1)


def _ticks(days: int) -> list[tuple[float, str]]:
    """Hours from the beginning of day 0 where there are few days, else the days, as many as there is room for."""
    if days <= _FEW_DAYS:
        every = 6 if days == 1 else 12
        return [(0.5 + hour / 24.0, f"{hour} h") for hour in range(0, 24 * days + 1, every)]
    every = -(-days // _MOST_TICKS)
    return [(float(day), f"{day}") for day in range(1, days + 1, every)]


def daily_means(winds: Winds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``[D]`` each: the mean speed, and where the mean vector blows from, degrees clockwise from the grid's north."""
    speed, towards = winds.speed.astype(np.float64), winds.towards.astype(np.float64)
    u, v = (speed * np.cos(towards)).mean((1, 2)), (speed * np.sin(towards)).mean((1, 2))
    return speed.mean((1, 2)), (270.0 - np.rad2deg(np.arctan2(v, u))) % 360.0
