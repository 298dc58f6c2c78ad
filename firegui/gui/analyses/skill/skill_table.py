"""Scores of a forecast as a table, one row a day."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from firegui.fire.skill import ForecastSkill, Skill
from firegui.fire.skill_report import SkillReport
from firegui.gui.widgets.table_model import Column, TableModel

SHORT = {"uncorrected": "Uncorrected", "scalar": "Constant", "held": "Held"}
_NOT_SCORED = "no perimeter of its own, only filled forward from an earlier day: not scored"
_TWO = "{:.2f}".format


class SkillModel(TableModel[int]):
    """Days of a forecast, from 1 on; a day that is not scored has dashes and is muted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent, row_tip=self._tip, row_color=self._color, row_background=self._background)
        self._report: SkillReport | None = None

    def show(self, report: SkillReport | None) -> None:
        """Show other scores, or none."""
        self._report = report
        if report is None:
            self.set_rows((), ())
        else:
            self.set_rows(range(1, report.days + 1), _columns(report))

    def _tip(self, day: int) -> str | None:
        if self._report is None or day not in self._report.model.days:
            return _NOT_SCORED
        return "its perimeter may have been read in training" if day <= self._report.fit_days else None

    def _color(self, day: int) -> str | None:
        return None if self._report is not None and day in self._report.model.days else "muted"

    def _background(self, day: int) -> str | None:
        return "raised" if self._report is not None and day <= self._report.fit_days else None


def _columns(report: SkillReport) -> tuple[Column, ...]:
    model = report.model
    own = (
        _score(model, "Observed", lambda s: s.overlap.observed, "{:,}".format, "cells inside the observed perimeter"),
        _score(model, "Expected", lambda s: s.expected, "{:,.0f}".format, "ΣP, the cells that the forecast expects"),
        _score(model, "Area", lambda s: s.area_error, signed, "expected over observed cells, less one"),
        _score(model, "IoU", lambda s: s.iou, _TWO, "intersection over union of P ≥ 0.5 and the perimeter"),
        _score(model, "Soft IoU", lambda s: s.soft_iou, _TWO, "the same with probabilities in place of a threshold"),
        _score(model, "Precision", lambda s: s.precision, _TWO, "share of the cells with P ≥ 0.5 that burned"),
        _score(model, "Recall", lambda s: s.recall, _TWO, "share of the burned cells with P ≥ 0.5"),
        _score(model, "Σ|P−O|", lambda s: s.manhattan, "{:,.0f}".format, "Manhattan distance, in cells"),
        _score(model, "Brier", lambda s: s.brier, "{:.3f}".format, "mean of (P − O)² over the raster"),
        _score(model, "New IoU", lambda s: s.new_iou, _TWO, f"IoU of what burned after day {report.fit_days} alone"),
    )
    references = tuple(
        _score(item, SHORT.get(item.key, item.label), lambda s: s.iou, _TWO, f"IoU: {item.label}")
        for item in report.references
    )
    return (
        Column("Day", lambda day: day, tip="days since the start of the forecast"),
        Column("Perimeter", report.date_of_day, lambda when: f"{when.day} {when:%b}",
               "date of the perimeter it is compared with", sort_key=lambda when: when.toordinal()),
        *own,
        *references,
        *_published(report),
    )  # fmt: skip


def _score(
    forecast: ForecastSkill, title: str, value: Callable[[Skill], object], text: Callable[[float], str], tip: str
) -> Column:
    return Column(title, lambda day: value(forecast.days[day]) if day in forecast.days else None, text, tip)


def _published(report: SkillReport) -> tuple[Column, ...]:
    curve = report.published
    if curve is None:
        return ()
    return (Column("Published", curve.iou.get, _TWO, f"IoU: {curve.source}", missing=""),)


def signed(share: float) -> str:
    """Whole percent with its sign; what rounds to nothing has none."""
    percent = round(100.0 * share)
    return f"{percent:+d}%" if percent else "0%"
