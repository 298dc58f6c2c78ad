"""Scores of a calibration of the physical model, before and after, as rows and words."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from firegui.analyses.calibration.factors_run import CALIBRATED, OTHERS, PRESENT
from firegui.domain.units import percent_text
from firegui.runs.events import FactorsReady, FireComparison

_ABOUT = "Overlap (IoU) with the observed perimeters, mean over the days: 1 is a perfect match."
_ABOUT_GROWTH = " New growth counts only cells outside the last fitted perimeter, of all held-out days together."
_ABOUT_OTHERS = (
    " The model fitted to other fires knows only the perimeter of day 0. The last perimeter held and the disc know the "
    "fitted days."
)
NOT_COMPARED = "The calibrated model was not compared with the present one, because the calibration was stopped."
WORSE = "The calibrated model does worse than the present one on the days that were not fitted."
_REFERENCES = ("start", "held", "disc")


def comparison_rows(fire: FireComparison) -> list[tuple[str, ...]]:
    """Return the head and a row for each forecast of a fire, with the days held out where there are any."""
    last, fitted = fire.last_day, fire.fit_days
    rows = [["Mean overlap (IoU)", f"{days_text(1, fitted)}, fitted"]]
    rows += [[each.label, _number(each.mean_iou(1, fitted))] for each in fire.forecasts]
    if fire.has_held_out:
        rows[0] += [f"{days_text(fitted + 1, last)}, held out", "new growth"]
        for row, each in zip(rows[1:], fire.forecasts, strict=True):
            pooled = each.pooled(fitted + 1, last)
            row += [_number(each.mean_iou(fitted + 1, last)), _number(None if pooled is None else pooled.new_iou)]
    if fire.others is not None:
        rows[0].append("all days")
        for row, each in zip(rows[1:], fire.forecasts, strict=True):
            row.append(_number(each.mean_iou(1, last)))
    return [tuple(row) for row in rows]


def overview_rows(found: FactorsReady) -> list[tuple[str, ...]]:
    """Return the head and a row for each fire, on the days held out where there are any."""
    keys = {PRESENT: "present", CALIBRATED: "calibrated", "held": "perimeter held", "disc": "disc"}
    rows = [["Mean overlap (IoU), held out", *keys.values()]]
    rows += [[fire.fire, *(_number(_judged(fire, key)) for key in keys)] for fire in found.fires]
    if any(fire.others is not None for fire in found.fires):
        rows[0] += ["fitted to others, all days", "present, all days"]
        for row, fire in zip(rows[1:], found.fires, strict=True):
            row += [_number(_mean(fire, key, 1)) if fire.skill(key) else "" for key in (OTHERS, PRESENT)]
    return [tuple(row) for row in rows]


def about_text(found: FactorsReady) -> str:
    """Return what the numbers mean in the table of one fire, or in the overview of several."""
    has_others = any(fire.others is not None for fire in found.fires)
    return _ABOUT + ("" if len(found.fires) > 1 else _ABOUT_GROWTH) + (_ABOUT_OTHERS if has_others else "")


def judged_overlap(found: FactorsReady, key: str) -> float:
    """Return the mean overlap of a forecast on the days held out; each fire counts the same.

    Of a fire without such days it is that on the fitted days.
    """
    return fmean(_judged(fire, key) for fire in found.fires)


def is_worse(found: FactorsReady) -> bool:
    """Return whether the calibrated model does worse than the present one."""
    return bool(found.fires) and judged_overlap(found, CALIBRATED) < judged_overlap(found, PRESENT)


def conclusion_text(found: FactorsReady) -> str:
    """Return what the calibration comes to, with the references that do better than it."""
    fires = found.fires
    if not fires:
        return NOT_COMPARED
    after, before = (judged_overlap(found, key) for key in (CALIBRATED, PRESENT))
    how = "worse than" if is_worse(found) else "better than" if after > before else "as good as"
    held_out = [fire.has_held_out for fire in fires]
    days = "held-out" if all(held_out) else "held-out, else fitted," if any(held_out) else "fitted"
    overlaps = {_label(fires, key): judged_overlap(found, key) for key in _REFERENCES if fires[0].skill(key)}
    others = ", ".join(f"{label} by {percent_text(overlap, 0)}" for label, overlap in overlaps.items())
    simpler = [label for label, overlap in overlaps.items() if overlap > after]
    warning = f" Simpler forecasts do better: {', '.join(simpler)}." if simpler else ""
    where = f" of {len(fires)} fires" if len(fires) > 1 else ""
    return (
        f"The calibrated model is {how} the present one: it overlaps the perimeters of the {days} days{where} by "
        f"{percent_text(after, 0)}, the present one by {percent_text(before, 0)}; {others}.{warning}"
        f"{_worse_text(found)}{_others_text(fires)}"
    )


def factors_text(found: FactorsReady) -> str:
    """Return the factors in words."""
    return ", ".join(found.factors.changes()) or "none: the published model stays as it is"


def others_text(fire: FireComparison) -> str:
    """Return the factors that were fitted to the other fires, empty where the fire was not left out."""
    if fire.others is None:
        return ""
    return f"Factors of the other fires: {', '.join(fire.others.changes()) or 'none'}"


def days_text(first: int, last: int) -> str:
    """Return days of a forecast as ``days 1–4``."""
    return f"day {first}" if first == last else f"days {first}–{last}"


def _worse_text(found: FactorsReady) -> str:
    """Return on which of several fires the calibrated model does worse."""
    worse = [fire.fire for fire in found.fires if _judged(fire, CALIBRATED) < _judged(fire, PRESENT)]
    return f" It does worse than the present one on {', '.join(worse)}." if worse and len(found.fires) > 1 else ""


def _others_text(fires: Sequence[FireComparison]) -> str:
    """Return how factors of other fires do on fires that were left out."""
    left_out = [fire for fire in fires if fire.skill(OTHERS) is not None]
    if not left_out:
        return ""
    keys = (OTHERS, PRESENT, "held", "disc")
    overlaps = {key: [_mean(fire, key, 1) for fire in left_out] for key in keys}
    better = sum(other > present for other, present in zip(overlaps[OTHERS], overlaps[PRESENT], strict=True))
    other, present, held, disc = (percent_text(fmean(each), 0) for each in overlaps.values())
    return (
        f" Fitted to the other fires alone, it overlaps all days by {other}, the present one by {present}, the last "
        f"perimeter held by {held}, the disc by {disc}; it is better than the present one on {better} of "
        f"{len(left_out)} fires."
    )


def _label(fires: Sequence[FireComparison], key: str) -> str:
    """Return the label of a reference; that of several fires without a distance."""
    labels = {found.label for fire in fires if (found := fire.skill(key)) is not None}
    return labels.pop() if len(labels) == 1 else key


def _judged(fire: FireComparison, key: str) -> float:
    return _mean(fire, key, fire.fit_days + 1 if fire.has_held_out else 1)


def _mean(fire: FireComparison, key: str, first: int) -> float:
    """Return the mean overlap from day ``first`` on."""
    found = fire.skill(key)
    mean = None if found is None else found.mean_iou(first, fire.last_day)
    assert mean is not None
    return mean


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
