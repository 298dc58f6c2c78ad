"""Charts of an ensemble: fan by day, paired benefit, convergence of means, and semivariogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from firegui.domain.ensemble import BASELINE, Ensemble, Fan, convergence, fan_of, probability_worse
from firegui.domain.uncertainty import ErrorModel, Semivariogram
from firegui.domain.units import Units, amount_text, sampled_percent_text
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.base.theme import Colors, current_colors
from firegui.gui.charts.chart import Chart, faded

Floats = NDArray[np.float64]

CASES = (("no drops", "warning"), ("plan", "accent"))
"""Name and colour of a case; the colour-blind can distinguish orange and blue."""
LEVELS = (0.05, 0.5, 0.95)
_BAND_ALPHA, _MEMBER_ALPHA, _BAR_ALPHA = 55, 90, 120
_Z = 1.96
_MOST_BARS = 40
_NOTHING = np.empty(0)


@dataclass(frozen=True, slots=True)
class EnsembleView:
    """Quantity in the charts: fire extent or burned area in protected regions, as an area or in cells."""

    protected: bool = False
    as_area: bool = True
    members: bool = True
    quantiles: bool = True
    units: Units = Units.METRIC

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return self.units.area_unit if self.as_area else "cells"

    @property
    def where(self) -> str:
        """Part of an axis label for the place."""
        return " inside the protected regions" if self.protected else ""

    def factor(self, ensemble: Ensemble) -> float:
        """Return the area of a cell in the unit."""
        return self.units.area_value(ensemble.cell_area_ha) if self.as_area else 1.0

    def series(self, ensemble: Ensemble | None, case: int) -> Floats | None:
        """Return the values ``[members, days]`` of a case; ``None`` if it was not drawn."""
        if ensemble is None or not ensemble.members or not (case == BASELINE or ensemble.has_plan):
            return None
        return np.asarray((ensemble.protected if self.protected else ensemble.extent)[case] * self.factor(ensemble))


class FanChart(Chart):
    """Chart by day and case: mean, ±1.96 standard deviations, 5 and 95 % quantiles, and all members."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "end of day", parent)
        self._members = [pg.PlotDataItem(connect="finite") for _ in CASES]
        for item in self._members:
            item.setZValue(-30)
            self.item.addItem(item)
        self._edges, self._bands, self._quantiles, self._means = [], [], [], []
        for _name, role in CASES:
            low, high = self.add_curve(role, width=0.0), self.add_curve(role, width=0.0)
            band = pg.FillBetweenItem(self._curves[low].item, self._curves[high].item)
            self.add_area(band, role, _BAND_ALPHA, z=-40)
            dashed = Qt.PenStyle.DashLine
            self._edges.append((low, high))
            self._bands.append(band)
            self._quantiles.append((self.add_curve(role, style=dashed), self.add_curve(role, style=dashed)))
            self._means.append(self.add_curve(role, width=2.2, symbol=4.5))
        self.title.hide()
        # The ends of days are integers; no tick at half a day.
        self.item.getAxis("bottom").setTickSpacing(5, 1)
        self._fans: list[tuple[str, str, Fan]] = []
        self._unit = ""
        self.set_colors(current_colors())
        self.hovered.connect(self._read_out)

    def show_ensemble(self, ensemble: Ensemble | None, view: EnsembleView) -> None:
        """Draw an ensemble; ``None`` clears the chart."""
        self._unit, self._fans = view.unit, []
        self.set_y_label(f"{'protected' if view.protected else 'burned'}, {view.unit}")
        for case, (name, role) in enumerate(CASES):
            series = view.series(ensemble, case)
            fan = None if series is None else fan_of(series, LEVELS)
            self._draw_fan(case, fan, view.quantiles)
            self._draw_members(case, series if view.members else None)
            self._bands[case].setVisible(series is not None and len(series) > 1)
            if fan is not None:
                self._fans.append((name, role, fan))
        self._read_out(None)
        self.fit()

    def set_colors(self, colors: Colors) -> None:
        """Use the colours of a theme."""
        super().set_colors(colors)
        for item, (_name, role) in zip(getattr(self, "_members", []), CASES, strict=False):
            item.setPen(pg.mkPen(faded(getattr(colors, role), _MEMBER_ALPHA), width=1.0))

    def _draw_fan(self, case: int, fan: Fan | None, quantiles: bool) -> None:
        lines = (*self._edges[case], self._means[case], *self._quantiles[case])
        values: list[Floats] = [_NOTHING] * len(lines)
        if fan is not None:
            half = _Z * np.nan_to_num(fan.sd)
            outer = (fan.quantiles[0], fan.quantiles[-1]) if quantiles else (_NOTHING, _NOTHING)
            values = [fan.mean - half, fan.mean + half, fan.mean, *outer]
        for line, y in zip(lines, values, strict=True):
            self.set_curve(line, np.arange(len(y)), y)

    def _draw_members(self, case: int, series: Floats | None) -> None:
        x = y = _NOTHING
        if series is not None:
            # One line with gaps, because hundreds of curves would be slow.
            x = np.tile(np.append(np.arange(series.shape[1], dtype=float), np.nan), len(series))
            y = np.hstack([series, np.full((len(series), 1), np.nan)]).ravel()
        self._members[case].setData(x, y)

    def _read_out(self, x: float | None) -> None:
        if not self._fans:
            self.set_title("")
            return
        last = len(self._fans[0][2].mean) - 1
        day = last if x is None else min(max(round(x), 0), last)
        self.set_cursor(None if x is None else day)
        pieces = [Piece(f"day {day}, {self._unit}:")]
        for name, role, fan in self._fans:
            low, high = amount_text(fan.quantiles[0][day]), amount_text(fan.quantiles[-1][day])
            pieces.append(
                Piece(f"{name} {amount_text(fan.mean[day])} ± {amount_text(fan.sd[day])} ({low}–{high})", role)
            )
        self.set_title("", *pieces, Piece("mean ± sd (5–95 %); band ± 1.96 sd"))


class BenefitChart(Chart):
    """Histogram of the paired benefit of members; those that burn more with the plan are highlighted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.set_y_label("fires")
        self.set_whole("left")
        self._bars = {role: pg.BarGraphItem(x=[], height=[], width=1.0) for role in ("accent", "warning")}
        for role, bars in self._bars.items():
            self.add_area(bars, role, _BAR_ALPHA, outlined=True)
        self.better = self.worse = 0
        self.title.hide()

    def show_ensemble(self, ensemble: Ensemble | None, view: EnsembleView) -> None:
        """Draw the paired benefit of an ensemble; one without a plan has none."""
        self.set_x_label(f"saved at the end{view.where}: no drops less plan, {view.unit}")
        gain = _NOTHING
        if ensemble is not None and ensemble.has_plan and ensemble.members:
            gain = ensemble.benefit(protected=view.protected) * view.factor(ensemble)
        edges, counts = _histogram(gain)
        width = float(edges[1] - edges[0]) if len(edges) > 1 else 1.0
        middles, some = edges[:-1] + width / 2, counts > 0
        for role, side in (("accent", some & (middles > 0.0)), ("warning", some & (middles < 0.0))):
            self._bars[role].setOpts(x=middles[side], height=counts[side], width=width)
        self.better, self.worse = int(counts[middles > 0.0].sum()), int(counts[middles < 0.0].sum())
        alone = ensemble is not None and not ensemble.has_plan
        self._write(gain, view.unit, "There is no plan to compare: the ensemble has no drops" if alone else "")
        self.fit()

    def _write(self, gain: Floats, unit: str, otherwise: str) -> None:
        if not len(gain):
            self.set_marks(())
            self.set_title("", Piece(otherwise))
            return
        low, middle, high = (float(value) for value in np.quantile(gain, LEVELS))
        share, error = probability_worse(gain)
        # Labels of marks at the same place would overlap.
        self.set_marks([(low, "5 %"), (middle, "median"), (high, "95 %")] if high > low else [(middle, "all")])
        self.set_title(
            "",
            Piece(f"plan worse in {sampled_percent_text(share, error)}", "warning"),
            Piece(f"saved {amount_text(float(gain.mean()))}, median {amount_text(middle)}", "accent"),
            Piece(f"5–95 %: {amount_text(low)} to {amount_text(high)} {unit}"),
        )


class EnsembleConvergenceChart(Chart):
    """Chart of the mean over the first members with its standard error, for every case."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "members", parent)
        dashed = Qt.PenStyle.DashLine
        self._lines = [
            (self.add_curve(role, width=2.0), self.add_curve(role, style=dashed), self.add_curve(role, style=dashed))
            for _name, role in CASES
        ]
        self.title.hide()

    def show_ensemble(self, ensemble: Ensemble | None, view: EnsembleView) -> None:
        """Draw how the mean final extent of an ensemble converged; ``None`` clears the chart."""
        self.set_x_label(f"fires; final size{view.where}")
        self.set_y_label(f"mean, {view.unit}")
        pieces = []
        for case, ((name, role), lines) in enumerate(zip(CASES, self._lines, strict=True)):
            series, means, errors = view.series(ensemble, case), _NOTHING, _NOTHING
            if series is not None:
                means, errors = convergence(series[:, -1])
                pieces.append(Piece(f"{name} {amount_text(means[-1])} ± {amount_text(errors[-1])} {view.unit}", role))
            x = np.arange(1, len(means) + 1)
            for line, values in zip(lines, (means, means - errors, means + errors), strict=True):
                known = np.isfinite(values)
                self.set_curve(line, x[known], values[known])
        self.set_title("", *pieces, *([Piece("dashed: ± 1 standard error")] if pieces else []))
        self.fit()

    def points(self, case: int) -> Floats:
        """Return the means of a case as drawn."""
        return self.curve_points(self._lines[case][0])[1]


class VariogramChart(Chart):
    """Chart of the semivariogram of the residuals, and the fitted model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "distance, cells", parent)
        self.set_y_label("γ")
        self._found = self.add_curve("water", width=0.0, symbol=6.0)
        self._fitted = self.add_curve("retardant", width=2.0)
        self.title.hide()

    def show_error(self, error: ErrorModel | None, variogram: Semivariogram | None) -> None:
        """Draw an error model, with its empirical points if known; ``None`` clears the chart."""
        known = variogram is not None and len(variogram.distance) > 0
        x, y = (variogram.distance, variogram.value) if variogram is not None and known else (_NOTHING, _NOTHING)
        self.set_curve(self._found, x, y)
        if error is None:
            self.set_curve(self._fitted, _NOTHING, _NOTHING)
            self.set_title("")
            return
        h = np.linspace(0.0, float(x[-1]) if known else 4.0 * error.correlation_cells, 200)
        self.set_curve(self._fitted, h, error.nugget + error.sill * (1.0 - np.exp(-h / error.correlation_cells)))
        fit = Piece(f"nugget + sill (1 − exp(−h/ℓ)), ℓ {number(error.correlation_cells)} cells", "retardant")
        self.set_title("", *([Piece("residuals", "water")] if known else []), fit)
        self.fit()


def _histogram(values: Floats) -> tuple[Floats, NDArray[Any]]:
    """Return edges and counts of a histogram with an edge at 0, so that no bar has both signs."""
    if not len(values):
        return np.zeros(1), np.empty(0, int)
    low, high = min(float(values.min()), 0.0), float(values.max())
    inner = float(values.min()) if values.min() > 0.0 else low
    bars = min(max(math.ceil(math.sqrt(len(values))) + 1, 5), _MOST_BARS)
    width = (max(high, 0.0) - inner) / bars
    if not width > 0.0:
        width = max(abs(high), abs(inner), 1.0) / bars
    first, last = math.floor(inner / width), math.floor(high / width) + 1
    edges: Floats = np.arange(first, max(last, first + 1) + 1, dtype=float) * width
    return edges, np.histogram(values, edges)[0]
