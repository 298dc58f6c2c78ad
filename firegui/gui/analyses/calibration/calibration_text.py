"""A calibration in words: where it is, and what came of it."""

from __future__ import annotations

from html import escape
from statistics import fmean

from firegui.domain.fit import EventProgress, FitProgress
from firegui.fire.taught import taught
from firegui.gui.base.number_text import duration
from firegui.runs.events import WeightsReady

_ENOUGH_FOR_PACE = 3


def activity_text(last: FitProgress | None) -> str:
    """How far a calibration at work is, and how long it may still take."""
    if last is None:
        return "Preparing…"
    done = last.epoch + 1
    text = f"Epoch {done:,} of {last.epochs:,} · {duration(last.seconds)}"
    if done < _ENOUGH_FOR_PACE:
        return text
    return f"{text}, at most {duration(last.seconds / done * (last.epochs - done))} left"


def result_html(found: WeightsReady) -> str:
    """The scores of the best epoch, an event a row, and what it was taught."""
    head = f"<b>Best epoch {found.best.epoch + 1:,} of {found.epochs_done:,}</b>"
    rows = "".join(map(_row, found.best.events))
    titles = "<tr><th align='left'>Fitted days</th><th>&nbsp;mean IoU</th><th>&nbsp;lowest</th></tr>"
    notes = "".join(f"<li>{escape(text)}</li>" for text in taught(found.weights))
    style = "margin-left: 14px; -qt-list-indent: 0; margin-top: 4px"
    return f"{head}<table cellspacing='0' cellpadding='2'>{titles}{rows}</table><ul style='{style}'>{notes}</ul>"


def _row(event: EventProgress) -> str:
    lowest = min(event.iou)
    day = event.days[event.iou.index(lowest)]
    return (
        f"<tr><td>{escape(event.name)}</td><td align='right'>{fmean(event.iou):.2f}</td>"
        f"<td align='right'>&nbsp;{lowest:.2f}, day {day}</td></tr>"
    )
