"""Scores of a forecast as curves by day with their references, and as a reliability diagram."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from firegui.domain.units import Units, amount_text
from firegui.fire.reliability import Reliability
from firegui.fire.skill import ForecastSkill, Skill
from firegui.fire.skill_report import SkillReport
from firegui.gui.analyses.skill.skill_table import short_name
from firegui.gui.base.elided_label import Piece
from firegui.gui.charts.chart import Chart

_ROLES = {"model": "accent", "uncorrected": "water", "scalar": "warning", "held": "muted"}
_PUBLISHED, _OBSERVED = "published", "observed"
_STYLES = {"uncorrected": Qt.PenStyle.DashLine, "held": Qt.PenStyle.DotLine, _PUBLISHED: Qt.PenStyle.DashDotLine}
_SYMBOL = 4.5


@dataclass(frozen=True, slots=True)
class Metric:
    """Metric by day.

    A ``share`` lies between 0 and 1; the others count cells. ``of`` returns ``None`` for a day without a value.
    """

    title: str
    of: Callable[[Skill], float | None]
    share: bool = True


METRICS: tuple[Metric, ...] = (
    Metric("Overlap (IoU)", lambda skill: skill.iou),
    Metric("Overlap of new growth", lambda skill: skill.new_iou),
    Metric("Soft overlap", lambda skill: skill.soft_iou),
    Metric("Precision", lambda skill: skill.precision),
    Metric("Recall", lambda skill: skill.recall),
    Metric("Area", lambda skill: skill.expected, share=False),
    Metric("Σ|P−O|", lambda skill: skill.manhattan, share=False),
)
IOU, AREA = METRICS[0], METRICS[5]


class SkillChart(Chart):
    """Chart of one metric of every forecast by day; the fitted days are shaded. A click selects a day."""

    day_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Model check", "day of the forecast", parent)
        self._report: SkillReport | None = None
        self._metric, self._cell, self._unit = IOU, 1.0, ""
        self._lines = {key: self._add(key, role) for key, role in _ROLES.items()}
        self._lines |= {_PUBLISHED: self._add(_PUBLISHED, "retardant"), _OBSERVED: self._add(_OBSERVED, "text")}
        self._fitted = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._fitted.setVisible(False)
        self.add_area(self._fitted, "muted", 38, z=-100, in_view=False)
        self.hovered.connect(self._read_out)
        self.clicked.connect(self._choose)

    def show_report(
        self, report: SkillReport | None, metric: Metric, cell_ha: float = 1.0, units: Units = Units.METRIC
    ) -> None:
        """Draw another report or metric, with areas in ``units``; ``None`` clears the chart."""
        self._report, self._metric = report, metric
        self._cell, self._unit = (1.0, "") if metric.share else (units.area_value(cell_ha), f", {units.area_unit}")
        curves = {} if report is None else _points(report, metric)
        for key, line in self._lines.items():
            points = curves.get(key, {})
            self.set_curve(line, list(points), [self._cell * value for value in points.values()])
        self._fitted.setVisible(report is not None and report.fit_days > 0)
        if report is not None:
            self._fitted.setRegion((0.5, min(report.fit_days, report.days) + 0.5))
        self.fit()
        self._read_out(None)

    def points(self, key: str) -> dict[float, float]:
        """Return the points of ``model``, a reference by its key, ``published`` or ``observed``, without gaps."""
        return self.numbers(self._lines[key])

    def fit(self) -> None:
        """Show every day, and shares on their whole range, so that charts can be compared."""
        super().fit()
        if self._report is not None and self._metric.share:
            self.item.setYRange(0.0, 1.0, padding=0.03)

    def _add(self, key: str, role: str) -> int:
        width = 2.0 if key == "model" else 1.3
        return self.add_curve(role, width=width, style=_STYLES.get(key, Qt.PenStyle.SolidLine), symbol=_SYMBOL)

    def _read_out(self, x: float | None) -> None:
        report = self._report
        if report is None:
            self.set_title("Model check")
            return
        day = None if x is None else round(x)
        where = f", day {day}" if day in report.model.days else ""
        self.set_title(
            f"{self._metric.title}{self._unit}{where}",
            *_pieces(report, self._metric, day if where else None, self._cell),
        )

    def _choose(self, x: float) -> None:
        if self._report is not None and 0 <= round(x) <= self._report.days:
            self.day_chosen.emit(round(x))


class ReliabilityChart(Chart):
    """Reliability diagram: share of cells that burned by predicted probability.

    The points of a reliable forecast lie on the diagonal.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Reliability", "predicted P(fire)", parent)
        self._bars = pg.BarGraphItem(x=[], height=[], width=0.09)
        self.add_area(self._bars, "muted", 60, z=-50)
        self._diagonal = self.add_curve("muted", style=Qt.PenStyle.DotLine)
        self._all = self.add_curve("accent", width=2.0, symbol=_SYMBOL + 1)
        self._after = self.add_curve("retardant", width=1.3, style=Qt.PenStyle.DashLine, symbol=_SYMBOL + 1)
        self.set_curve(self._diagonal, (0.0, 1.0), (0.0, 1.0))

    def show_report(self, report: SkillReport | None) -> None:
        """Draw another report; ``None`` clears the chart.

        The bars show the number of cells, relative to the highest bar.
        """
        self._draw(self._all, None if report is None else report.reliability)
        self._draw(self._after, None if report is None else report.reliability_after)
        bins = () if report is None else report.reliability.bins
        most = max((item.count for item in bins), default=0) or 1
        self._bars.setOpts(x=[(i.low + i.high) / 2 for i in bins], height=[i.count / most for i in bins], width=0.09)
        self.fit()
        self._write_title(report)

    def points(self, *, after: bool = False) -> dict[float, float]:
        """Return the share that burned by mean prediction, as drawn."""
        return self.numbers(self._after if after else self._all)

    def fit(self) -> None:
        """Show both axes from 0 to 1."""
        self.item.setRange(xRange=(0.0, 1.0), yRange=(0.0, 1.0), padding=0.03)

    def _draw(self, line: int, diagram: Reliability | None) -> None:
        filled = [] if diagram is None else [item for item in diagram.bins if item.count]
        self.set_curve(line, [item.predicted for item in filled], [item.observed for item in filled])

    def _write_title(self, report: SkillReport | None) -> None:
        if report is None:
            self.set_title("Reliability: share of the cells that burned")
            return
        pieces = [_error("all days", "accent", report.reliability)]
        if report.reliability_after.count:
            pieces.append(_error(f"after day {report.fit_days}", "retardant", report.reliability_after))
        pieces.append(Piece(f"bars: {report.reliability.count:,} cells"))
        self.set_title("Reliability: share of the cells that burned", *pieces)


def _error(name: str, role: str, diagram: Reliability) -> Piece:
    return Piece(name if diagram.error is None else f"{name}, off by {diagram.error:.2f}", role)


def _points(report: SkillReport, metric: Metric) -> dict[str, dict[float, float]]:
    curves = {item.key: _curve(item, metric, report) for item in report.forecasts}
    if metric is IOU and report.published is not None:
        curves[_PUBLISHED] = {day: value for day, value in report.published.iou.items() if day <= report.days}
    if metric is AREA:
        curves[_OBSERVED] = {day: skill.overlap.observed for day, skill in report.model.days.items()}
    return curves


def _curve(forecast: ForecastSkill, metric: Metric, report: SkillReport) -> dict[float, float]:
    values = {float(day): value for day, skill in forecast.days.items() if (value := metric.of(skill)) is not None}
    if forecast.key == "held":
        # Another perimeter is held from here on, so no line joins the two values.
        values[report.fit_days + 0.5] = math.nan
    return dict(sorted(values.items()))


def _pieces(report: SkillReport, metric: Metric, day: int | None, cell: float) -> list[Piece]:
    found = []
    for item in report.forecasts:
        found.append(Piece(f"{short_name(item)} {_value(item, metric, day, cell)}".strip(), _ROLES[item.key]))
    if metric is IOU and report.published is not None:
        known = report.published.mean if day is None else report.published.iou.get(day)
        found.append(Piece(f"published {'' if known is None else f'{known:.2f}'}".strip(), "retardant"))
    if metric is AREA:
        shown = "" if day is None else f" {amount_text(cell * report.model.days[day].overlap.observed)}"
        found.append(Piece(f"observed{shown}", "text"))
    return found


def _value(forecast: ForecastSkill, metric: Metric, day: int | None, cell: float) -> str:
    """Return the value at ``day``; without a day the mean over the days that have a share, else none."""
    if day is not None:
        value = metric.of(forecast.days[day])
        return "" if value is None else f"{value:.2f}" if metric.share else amount_text(cell * value)
    values = [value for skill in forecast.days.values() if (value := metric.of(skill)) is not None]
    return f"mean {np.mean(values):.2f}" if values and metric.share else ""
