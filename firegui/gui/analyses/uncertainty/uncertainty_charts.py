"""What an ensemble comes to as pictures: a fan by day, the paired benefit, how means settle, a semivariogram."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from firegui.domain.ensemble import (
    BASELINE,
    Ensemble,
    convergence,
    fan_of,
    probability_worse,
)
from firegui.domain.uncertainty import ErrorModel, Semivariogram
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart

Floats = NDArray[np.float64]

CASES = (("no drops", "warning"), ("plan", "accent"))
"""Name and colour of a case: orange and blue are told apart by everybody."""
LEVELS = (0.05, 0.5, 0.95)
_BAND_ALPHA, _MEMBER_ALPHA, _BAR_ALPHA = 55, 90, 120
_Z = 1.96
_MOST_BARS = 40


class FanChart(Chart):
    """By day and case: the mean, a band of ±1.96 standard deviations, 5 and 95 % quantiles, every member."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "end of day", parent)
        self._bands, self._threads = [], []
        self._means, self._lows, self._highs, self._edges = [], [], [], []
        for _case in CASES:
            threads = pg.PlotDataItem(connect="finite")
            threads.setZValue(-30)
            self.item.addItem(threads)
            self._threads.append(threads)
        for _name, role in CASES:
            self._edges.append((self.add_curve(role, width=0.0), self.add_curve(role, width=0.0)))
            low, high = (self._curves[index].item for index in self._edges[-1])
            band = pg.FillBetweenItem(low, high)
            band.setZValue(-40)
            self.item.addItem(band)
            self._bands.append(band)
            self._lows.append(self.add_curve(role, style=Qt.PenStyle.DashLine))
            self._highs.append(self.add_curve(role, style=Qt.PenStyle.DashLine))
            self._means.append(self.add_curve(role, width=2.2, symbol=4.5))
        self.title.hide()
        # Integer ends of days; no tick at half a day.
        self.item.getAxis("bottom").setTickSpacing(5, 1)
        self._read: list[tuple[str, str, Floats, Floats, Floats, Floats]] = []
        self._unit = ""
        self.set_colors(current_colors())
        self.hovered.connect(self._read_out)

    def show_ensemble(
        self, ensemble: Ensemble | None, *, protected: bool, hectares: bool, members: bool, quantiles: bool
    ) -> None:
        """Draw the extent, or what burns inside the protected regions, in hectares or cells; ``None`` clears."""
        self._unit = "ha" if hectares else "cells"
        self._read = []
        what = "protected" if protected else "burned"
        self.set_y_label(f"{what}, {self._unit}")
        factor = ensemble.cell_area_ha if ensemble is not None and hectares else 1.0
        for case, (name, role) in enumerate(CASES):
            there = ensemble is not None and ensemble.members > 0 and (case == BASELINE or ensemble.has_plan)
            series = None
            if ensemble is not None and there:
                series = (ensemble.protected if protected else ensemble.extent)[case] * factor
            self._draw(case, series, members, quantiles)
            if series is not None:
                fan = fan_of(series, LEVELS)
                self._read.append((name, role, fan.mean, fan.sd, fan.quantiles[0], fan.quantiles[-1]))
        self._read_out(None)
        self.fit()

    def mean_points(self, case: int) -> Floats:
        """The mean that is drawn of a case, by day."""
        return np.asarray(self.curve_points(self._means[case])[1])

    def quantile_points(self, case: int) -> tuple[Floats, Floats]:
        """The 5 and the 95 % quantile that are drawn of a case, by day; empty where they are hidden."""
        return np.asarray(self.curve_points(self._lows[case])[1]), np.asarray(self.curve_points(self._highs[case])[1])

    def band_points(self, case: int) -> tuple[Floats, Floats]:
        """The lower and the upper edge of the band of a case, by day."""
        low, high = self._edges[case]
        return np.asarray(self.curve_points(low)[1]), np.asarray(self.curve_points(high)[1])

    def drawn_members(self, case: int) -> int:
        """How many members of a case are drawn."""
        _, y = self._threads[case].getOriginalDataset()
        return 0 if y is None else int(np.isnan(y).sum())

    def set_colors(self, colors: Colors) -> None:
        """Take on the colours of a theme."""
        super().set_colors(colors)
        for case, band in enumerate(getattr(self, "_bands", [])):
            role = CASES[case][1]
            band.setBrush(_faded(getattr(colors, role), _BAND_ALPHA))
            self._threads[case].setPen(pg.mkPen(_faded(getattr(colors, role), _MEMBER_ALPHA), width=1.0))
            for index in self._edges[case]:
                self._curves[index].item.setPen(None)

    def _draw(self, case: int, series: Floats | None, members: bool, quantiles: bool) -> None:
        nothing = np.empty(0)
        self._bands[case].setVisible(series is not None and len(series) > 1)
        if series is None:
            for index in (self._means[case], self._lows[case], self._highs[case], *self._edges[case]):
                self.set_curve(index, nothing, nothing)
            self._threads[case].setData(nothing, nothing)
            return
        fan, days = fan_of(series, LEVELS), np.arange(series.shape[1], dtype=float)
        half = _Z * np.nan_to_num(fan.sd)
        low, high = self._edges[case]
        self.set_curve(low, days, fan.mean - half)
        self.set_curve(high, days, fan.mean + half)
        self.set_curve(self._means[case], days, fan.mean)
        shown = days if quantiles else nothing
        self.set_curve(self._lows[case], shown, fan.quantiles[0] if quantiles else nothing)
        self.set_curve(self._highs[case], shown, fan.quantiles[-1] if quantiles else nothing)
        if members:
            # One line with gaps: hundreds of curves would be slow.
            x = np.tile(np.append(days, np.nan), len(series))
            y = np.hstack([series, np.full((len(series), 1), np.nan)]).ravel()
            self._threads[case].setData(x, y)
        else:
            self._threads[case].setData(nothing, nothing)

    def _read_out(self, x: float | None) -> None:
        if not self._read:
            self.set_title("")
            return
        last = len(self._read[0][2]) - 1
        day = last if x is None else min(max(round(x), 0), last)
        self.set_cursor(None if x is None else day)
        pieces = [Piece(f"day {day}, {self._unit}:")]
        for name, role, mean, sd, low, high in self._read:
            spread = f"{number(mean[day])} ± {number(sd[day])} ({number(low[day])}–{number(high[day])})"
            pieces.append(Piece(f"{name} {spread}", role))
        self.set_title("", *pieces, Piece("mean ± sd (5–95 %); band ± 1.96 sd"))


class BenefitChart(Chart):
    """How many members save how much, pair by pair; those in which more burns with the plan stand out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.set_y_label("members")
        self._bars = {role: pg.BarGraphItem(x=[], height=[], width=1.0) for role in ("accent", "warning")}
        for bars in self._bars.values():
            self.item.addItem(bars)
        self._counts: dict[str, list[tuple[float, int]]] = {"accent": [], "warning": []}
        self.title.hide()
        self.set_colors(current_colors())

    @property
    def better(self) -> int:
        """Members whose bar is not below zero."""
        return sum(count for _, count in self._counts["accent"])

    @property
    def worse(self) -> int:
        """Members whose bar is below zero."""
        return sum(count for _, count in self._counts["warning"])

    def show_ensemble(self, ensemble: Ensemble | None, *, protected: bool, hectares: bool) -> None:
        """Draw the paired benefit of another ensemble; one without a plan has none."""
        unit = "ha" if hectares else "cells"
        where = " inside the protected regions" if protected else ""
        self.set_x_label(f"saved at the end{where}: no drops less plan, {unit}")
        gain = np.empty(0)
        if ensemble is not None and ensemble.has_plan and ensemble.members:
            gain = ensemble.benefit(protected=protected) * (ensemble.cell_area_ha if hectares else 1.0)
        edges, counts = _bins(gain)
        width = float(edges[1] - edges[0]) if len(edges) > 1 else 1.0
        bars = [(float(left) + width / 2, int(count)) for left, count in zip(edges[:-1], counts, strict=True) if count]
        self._counts = {
            "accent": [bar for bar in bars if bar[0] > 0.0], "warning": [bar for bar in bars if bar[0] < 0.0],
        }  # fmt: skip
        for role, graph in self._bars.items():
            chosen = self._counts[role]
            graph.setOpts(x=[x for x, _ in chosen], height=[count for _, count in chosen], width=width)
        self._write(ensemble, gain, unit)
        self.fit()

    def set_colors(self, colors: Colors) -> None:
        """Take on the colours of a theme."""
        super().set_colors(colors)
        for role, bars in getattr(self, "_bars", {}).items():
            bars.setOpts(brush=_faded(getattr(colors, role), _BAR_ALPHA), pen=pg.mkPen(colors.base))

    def _write(self, ensemble: Ensemble | None, gain: Floats, unit: str) -> None:
        if not len(gain):
            self.set_marks(())
            alone = ensemble is not None and not ensemble.has_plan
            self.set_title("", Piece("There is no plan to compare: the ensemble has no drops" if alone else ""))
            return
        low, middle, high = (float(value) for value in np.quantile(gain, LEVELS))
        share, error = probability_worse(gain)
        # Marks that lie on each other would print on each other.
        self.set_marks([(low, "5 %"), (middle, "median"), (high, "95 %")] if high > low else [(middle, "all")])
        self.set_title(
            "",
            Piece(f"plan worse in {share:.1%} ± {error:.1%}", "warning"),
            Piece(f"saved {number(float(gain.mean()))}, median {number(middle)}", "accent"),
            Piece(f"5–95 %: {number(low)} to {number(high)} {unit}"),
        )


class ConvergenceChart(Chart):
    """The mean over the first members with its standard error, for every case."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "members", parent)
        self._lines = []
        for _name, role in CASES:
            error = Qt.PenStyle.DashLine
            self._lines.append(
                (self.add_curve(role, width=2.0), self.add_curve(role, style=error), self.add_curve(role, style=error))
            )
        self.title.hide()

    def show_ensemble(self, ensemble: Ensemble | None, *, protected: bool, hectares: bool) -> None:
        """Draw how the mean final extent of another ensemble settled; ``None`` clears."""
        unit = "ha" if hectares else "cells"
        self.set_x_label(f"members; final extent{' inside the protected regions' if protected else ''}")
        self.set_y_label(f"mean, {unit}")
        pieces = []
        for case, lines in enumerate(self._lines):
            means = errors = np.empty(0)
            if ensemble is not None and ensemble.members and (case == BASELINE or ensemble.has_plan):
                factor = ensemble.cell_area_ha if hectares else 1.0
                means, errors = convergence(ensemble.final(case, protected=protected) * factor)
                name, role = CASES[case]
                pieces.append(Piece(f"{name} {number(means[-1])} ± {number(errors[-1])} {unit}", role))
            x = np.arange(1, len(means) + 1)
            for line, values in zip(lines, (means, means - errors, means + errors), strict=True):
                known = np.isfinite(values)
                self.set_curve(line, x[known], values[known])
        self.set_title("", *pieces, *([Piece("dashed: ± 1 standard error")] if pieces else []))
        self.fit()

    def points(self, case: int) -> Floats:
        """The means that are drawn of a case."""
        return np.asarray(self.curve_points(self._lines[case][0])[1])


class VariogramChart(Chart):
    """The semivariogram of the residuals, and what was fitted to it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "distance, cells", parent)
        self.set_y_label("γ")
        self._found = self.add_curve("water", width=0.0, symbol=6.0)
        self._fitted = self.add_curve("retardant", width=2.0)
        self.title.hide()
        self._colored()

    def show_error(self, error: ErrorModel | None, variogram: Semivariogram | None) -> None:
        """Draw an error model, with the points that it was fitted to where they are known; ``None`` clears."""
        x = y = np.empty(0)
        if variogram is not None and len(variogram.distance):
            x, y = variogram.distance, variogram.value
        self.set_curve(self._found, x, y)
        if error is None:
            self.set_curve(self._fitted, np.empty(0), np.empty(0))
            self.set_title("")
            return
        reach = float(x[-1]) if len(x) else 4.0 * error.correlation_cells
        h = np.linspace(0.0, reach, 200)
        self.set_curve(self._fitted, h, error.nugget + error.sill * (1.0 - np.exp(-h / error.correlation_cells)))
        fit = Piece(f"nugget + sill (1 − exp(−h/ℓ)), ℓ {number(error.correlation_cells)} cells", "retardant")
        points = [Piece("residuals", "water")] if len(x) else []
        self.set_title("", *points, fit)
        self.fit()

    def found_points(self) -> tuple[Floats, Floats]:
        """The points that are drawn."""
        x, y = self.curve_points(self._found)
        return np.asarray(x), np.asarray(y)

    def fitted_points(self) -> tuple[Floats, Floats]:
        """The fitted curve that is drawn."""
        x, y = self.curve_points(self._fitted)
        return np.asarray(x), np.asarray(y)

    def set_colors(self, colors: Colors) -> None:
        """Take on the colours of a theme."""
        super().set_colors(colors)
        self._colored()

    def _colored(self) -> None:
        # Points of an estimate are no line.
        if hasattr(self, "_found"):
            self._curves[self._found].item.setPen(None)


def _faded(color: str, alpha: int) -> QColor:
    faded = QColor(color)
    faded.setAlpha(alpha)
    return faded


def _bins(values: Floats) -> tuple[Floats, NDArray[Any]]:
    """Edges and counts of a histogram with an edge at 0, so that no bar stands on both sides of it."""
    if not len(values):
        return np.empty(0) + 0.0, np.empty(0, int)
    low, high = min(float(values.min()), 0.0), float(values.max())
    inner = float(values.min()) if values.min() > 0.0 else low
    bars = min(max(math.ceil(math.sqrt(len(values))) + 1, 5), _MOST_BARS)
    width = (max(high, 0.0) - inner) / bars
    if not width > 0.0:
        width = max(abs(high), abs(inner), 1.0) / bars
    first, last = math.floor(inner / width), math.floor(high / width) + 1
    edges: Floats = np.arange(first, max(last, first + 1) + 1, dtype=float) * width
    counts = np.histogram(values, edges)[0]
    return edges, counts
