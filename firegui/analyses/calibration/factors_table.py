"""Scores of a calibration of the physical model, before and after, as rows and words."""

from __future__ import annotations

from firegui.analyses.calibration.factors_run import CALIBRATED, PRESENT
from firegui.domain.units import percent_text
from firegui.fire.skill import ForecastSkill
from firegui.runs.events import FactorsReady

ABOUT = (
    "Overlap (IoU) with the observed perimeters, mean over the days: 1 is a perfect match. New growth counts only "
    "cells outside the last fitted perimeter, of all held-out days together."
)
NOT_COMPARED = "The calibrated model was not compared with the present one, because the calibration was stopped."
WORSE = "The calibrated model does worse than the present one on the days that were not fitted."


def last_day(found: FactorsReady) -> int:
    """Return the last scored day."""
    return max(found.forecasts[0].days)


def comparison_rows(found: FactorsReady) -> list[tuple[str, ...]]:
    """Return the head and a row for each forecast, with the days held out where there are any."""
    last, fitted = last_day(found), found.fit_days
    rows = [["Mean overlap (IoU)", f"{days_text(1, fitted)}, fitted"]]
    rows += [[each.label, _number(each.mean_iou(1, fitted))] for each in found.forecasts]
    if last > fitted:
        rows[0] += [f"{days_text(fitted + 1, last)}, held out", "new growth"]
        for row, each in zip(rows[1:], found.forecasts, strict=True):
            pooled = each.pooled(fitted + 1, last)
            row += [_number(each.mean_iou(fitted + 1, last)), _number(None if pooled is None else pooled.new_iou)]
    return [tuple(row) for row in rows]


def judged_overlap(found: FactorsReady, key: str) -> float:
    """Return the mean overlap of a forecast on the days held out, where there are any."""
    forecast = next(each for each in found.forecasts if each.key == key)
    return _judged(found, forecast)


def is_worse(found: FactorsReady) -> bool:
    """Return whether the calibrated model does worse than the present one."""
    return bool(found.forecasts) and judged_overlap(found, CALIBRATED) < judged_overlap(found, PRESENT)


def conclusion_text(found: FactorsReady) -> str:
    """Return what the calibration comes to, with the references that do better than it."""
    if not found.forecasts:
        return NOT_COMPARED
    after, before = (judged_overlap(found, key) for key in (CALIBRATED, PRESENT))
    how = "worse than" if is_worse(found) else "better than" if after > before else "as good as"
    days = "held-out" if last_day(found) > found.fit_days else "fitted"
    others = ", ".join(f"{each.label} by {percent_text(_judged(found, each), 0)}" for each in found.forecasts[2:])
    simpler = [each.label for each in found.forecasts[2:] if _judged(found, each) > after]
    warning = f" Simpler forecasts do better: {', '.join(simpler)}." if simpler else ""
    return (
        f"The calibrated model is {how} the present one: it overlaps the perimeters of the {days} days by "
        f"{percent_text(after, 0)}, the present one by {percent_text(before, 0)}; {others}.{warning}"
    )


def factors_text(found: FactorsReady) -> str:
    """Return the factors in words."""
    return ", ".join(found.factors.changes()) or "none: the published model stays as it is"


def days_text(first: int, last: int) -> str:
    """Return days of a forecast as ``days 1–4``."""
    return f"day {first}" if first == last else f"days {first}–{last}"


def _judged(found: FactorsReady, forecast: ForecastSkill) -> float:
    first = found.fit_days + 1 if last_day(found) > found.fit_days else 1
    mean = forecast.mean_iou(first, last_day(found))
    assert mean is not None
    return mean


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
