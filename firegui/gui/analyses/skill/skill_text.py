"""The scores of a forecast in words: the means beside the references, and one day in a line."""

from __future__ import annotations

from firegui.fire.skill import ForecastSkill
from firegui.fire.skill_report import SkillReport

_NAMES = {"model": "this model", "uncorrected": "no correction", "scalar": "constant", "held": "held"}


def summary_html(report: SkillReport) -> str:
    """Means of the model and its references, a row each."""
    after = report.spans[2]
    head = ["Mean IoU", f"1–{report.days}", f"{after.first}–{after.last}", "new", "growth"]
    rows = [[short_name(item), *_means(item, report)] for item in report.forecasts]
    if report.published is not None:
        rows.append(["published", f"{report.published.mean:.2f}", "", "", ""])
    lines = [_row("th", head), *(_row("td", row, bold=number == 0) for number, row in enumerate(rows))]
    observed = report.model.growth
    foot = "" if observed is None else f"<br>growth: expected over observed, {observed.observed:,} cells"
    return f"<table cellspacing='0' cellpadding='2'>{''.join(lines)}</table><small>new: IoU of new growth{foot}</small>"


def _means(item: ForecastSkill, report: SkillReport) -> list[str]:
    after = report.spans[2]
    pooled = item.pooled(1, report.days)
    new = None if pooled is None else pooled.new_iou
    growth = "" if item.growth is None else f"{item.growth.ratio:.2f}×"
    return [_two(item.mean_iou(1, report.days)), _two(item.mean_iou(after.first, after.last)), _two(new), growth]


def short_name(item: ForecastSkill) -> str:
    """What stands beside a curve or a row; the whole label is too long there."""
    return _NAMES.get(item.key, item.label)


def _row(tag: str, cells: list[str], *, bold: bool = False) -> str:
    first, *others = (f"<b>{text}</b>" if bold else text for text in cells)
    numbers = "".join(f"<{tag} align='right'>&nbsp;{text}</{tag}>" for text in others)
    return f"<tr><{tag} align='left'>{first}</{tag}>{numbers}</tr>"


def _two(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def day_text(report: SkillReport, day: int) -> str:
    """What is shown of a day of the forecast, in one line."""
    when = report.date_of_day(day)
    head = f"Day {day} · {when.day} {when:%b}"
    if day == 0:
        return f"{head} · the perimeter it starts from"
    if day not in report.model.days:
        return f"{head} · perimeter filled forward, not scored"
    skill = report.model.days[day]
    fitted = ", fitted" if day <= report.fit_days else ""
    wrong = skill.overlap.observed + skill.overlap.likely - 2 * skill.overlap.hits
    return f"{head}{fitted} · IoU {skill.iou:.2f} · {wrong:,} cells wrong"
