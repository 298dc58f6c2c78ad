"""Scores of a forecast as a table of days, as a table of means, and as one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape

from PySide6.QtCore import QObject

from firegui.domain.units import Units, amount_text, percent_text
from firegui.fire.skill import ForecastSkill, Skill
from firegui.fire.skill_report import SkillReport
from firegui.gui.analyses.panel import WARNING
from firegui.gui.widgets.table_model import Column, TableModel

SHORT = {"uncorrected": "Uncorrected", "scalar": "Constant", "held": "Held"}
_NOT_SCORED = "no perimeter of its own, only filled forward from an earlier day: not scored"
_TWO = "{:.2f}".format


class SkillModel(TableModel[int]):
    """Days of a forecast, from 1 on; a day without scores has dashes and muted text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent, row_tip=self._tip, row_color=self._color, row_background=self._background)
        self._report: SkillReport | None = None

    def show(self, report: SkillReport | None, units: Units = Units.METRIC, cell_ha: float = 1.0) -> None:
        """Show other scores, or none, with areas of cells of ``cell_ha`` hectares in ``units``."""
        self._report = report
        if report is None:
            self.set_rows((), ())
        else:
            self.set_rows(range(1, report.days + 1), _columns(report, units, cell_ha))

    def _tip(self, day: int) -> str | None:
        if self._report is None or day not in self._report.model.days:
            return _NOT_SCORED
        return "its perimeter may have been read in training" if day <= self._report.fit_days else None

    def _color(self, day: int) -> str | None:
        return None if self._report is not None and day in self._report.model.days else "muted"

    def _background(self, day: int) -> str | None:
        return "raised" if self._report is not None and day <= self._report.fit_days else None


def _columns(report: SkillReport, units: Units, cell_ha: float) -> tuple[Column, ...]:
    model = report.model

    def area(title: str, value: Callable[[Skill], float], tip: str) -> Column:
        def cells(day: int) -> str | None:
            return f"{tip}; in cells: {value(model.days[day]):,.0f}" if day in model.days else None

        column = _score(model, title, value, amount_text, tip)
        return replace(column, unit=units.area_unit, factor=units.area_value(cell_ha), cell_tip=cells)

    own = (
        area("Observed", lambda s: s.overlap.observed, "area inside the observed perimeter"),
        area("Expected", lambda s: s.expected, "area that the forecast expects: ΣP"),
        _score(model, "Area", lambda s: s.area_error, signed, "expected over observed area, less one"),
        _score(model, "Overlap (IoU)", lambda s: s.iou, _TWO, "intersection over union of P ≥ 0.5 and the perimeter"),
        _score(
            model, "Soft overlap", lambda s: s.soft_iou, _TWO, "the same with probabilities in place of a threshold"
        ),
        _score(model, "Precision", lambda s: s.precision, _TWO, "share of the cells with P ≥ 0.5 that burned"),
        _score(model, "Recall", lambda s: s.recall, _TWO, "share of the burned cells with P ≥ 0.5"),
        area("Σ|P−O|", lambda s: s.manhattan, "Manhattan distance of forecast and observation"),
        _score(model, "Brier", lambda s: s.brier, "{:.3f}".format, "mean of (P − O)² over the raster"),
        _score(
            model,
            "New overlap",
            lambda s: s.new_iou,
            _TWO,
            f"overlap (IoU) of what burned after day {report.fit_days} alone",
        ),
    )
    references = tuple(
        _score(item, SHORT.get(item.key, item.label), lambda s: s.iou, _TWO, f"Overlap (IoU): {item.label}")
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
    return (Column("Published", curve.iou.get, _TWO, f"Overlap (IoU): {curve.source}", missing=""),)


def signed(share: float) -> str:
    """Return whole percent with a sign; a value that rounds to zero has none."""
    percent = round(100.0 * share)
    return f"{percent:+d} %" if percent else "0 %"


_NAMES = {"model": "this model", "uncorrected": "no correction", "scalar": "constant", "held": "held"}


def summary_html(report: SkillReport, units: Units = Units.METRIC, cell_ha: float = 1.0) -> str:
    """Return the means of the model and its references as HTML, one row each."""
    after = report.spans[2]
    head = ["Mean overlap (IoU)", f"1–{report.days}", f"{after.first}–{after.last}", "new", "growth"]
    rows = [[escape(short_name(item)), *_means(item, report)] for item in report.forecasts]
    if report.published is not None:
        rows.append(["published", f"{report.published.mean:.2f}", "", "", ""])
    lines = [_row("th", head), *(_row("td", row, bold=number == 0) for number, row in enumerate(rows))]
    observed = report.model.growth
    foot = "" if observed is None else f"<br>growth: expected over observed, {units.area(observed.observed * cell_ha)}"
    note = f"<small>new: overlap (IoU) of new growth{foot}</small>"
    return f"<table cellspacing='0' cellpadding='2'>{''.join(lines)}</table>{note}"


def _means(item: ForecastSkill, report: SkillReport) -> list[str]:
    after = report.spans[2]
    pooled = item.pooled(1, report.days)
    new = None if pooled is None else pooled.new_iou
    growth = "" if item.growth is None else f"{item.growth.ratio:.2f}×"
    return [_two(item.mean_iou(1, report.days)), _two(item.mean_iou(after.first, after.last)), _two(new), growth]


def short_name(item: ForecastSkill) -> str:
    """Return the name for a curve or a row, where the whole label is too long."""
    return _NAMES.get(item.key, item.label)


def _row(tag: str, cells: list[str], *, bold: bool = False) -> str:
    first, *others = (f"<b>{text}</b>" if bold else text for text in cells)
    numbers = "".join(f"<{tag} align='right'>&nbsp;{text}</{tag}>" for text in others)
    return f"<tr><{tag} align='left'>{first}</{tag}>{numbers}</tr>"


def _two(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def conclusion_text(report: SkillReport) -> str:
    """Return the sentence that the scores come to, of the days after the fitted ones where there are any.

    It is a warning where the model is no better than a fire that does not grow.
    """
    after = report.spans[2]
    span = after if report.model.mean_iou(after.first, after.last) is not None else report.spans[0]
    model = report.model.mean_iou(span.first, span.last)
    held = next((each.mean_iou(span.first, span.last) for each in report.references if each.key == "held"), None)
    if model is None:
        return ""
    scored = [day for day in report.model.days if day in span]
    first, last = min(scored), max(scored)
    days = f"day {first}" if first == last else f"days {first}–{last}"
    said = f"forecast and observed fire overlap by {percent_text(model, 0)} on {days}"
    if held is None:
        return f"{said[0].upper()}{said[1:]}."
    compared = f"a fire that does not grow by {percent_text(held, 0)}"
    if model > held:
        return f"The fire model is better than no forecast: {said}, {compared}."
    return f"{WARNING}The fire model is no better than no forecast: {said}, {compared}."


def day_text(report: SkillReport, day: int, units: Units = Units.METRIC, cell_ha: float = 1.0) -> str:
    """Return one line on a day of the forecast."""
    when = report.date_of_day(day)
    head = f"Day {day} · {when.day} {when:%b}"
    if day == 0:
        return f"{head} · the perimeter it starts from"
    if day not in report.model.days:
        return f"{head} · perimeter filled forward, not scored"
    skill = report.model.days[day]
    fitted = ", fitted" if day <= report.fit_days else ""
    wrong = skill.overlap.observed + skill.overlap.likely - 2 * skill.overlap.hits
    return f"{head}{fitted} · overlap {skill.iou:.2f} · {units.area(wrong * cell_ha)} wrong"
