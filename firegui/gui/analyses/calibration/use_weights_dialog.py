"""Question before calibrated weights replace the fire model of a project: scores before and after."""

from __future__ import annotations

from html import escape
from statistics import fmean

from PySide6.QtWidgets import QMessageBox, QWidget

from firegui.domain.fit import EventProgress
from firegui.gui.base.dialogs import message_box
from firegui.runs.events import WeightsReady

_NOT_COMPARED = (
    "The weights were not compared with the present fire model, because the calibration was stopped. The check of the "
    "fire model does it once they are in use."
)
_WORSE = "The calibrated weights do worse than the present fire model on the days that they were fitted to."
_ABOUT = "Overlap (IoU) of the forecast with the observed perimeters, mean over the fitted days: 1 is a perfect match."


def is_worse(found: WeightsReady) -> bool:
    """Return whether the calibrated weights fit the perimeters worse than the present fire model."""
    return bool(found.before) and mean_overlap(found.after) < mean_overlap(found.before)


def ask_use(parent: QWidget | None, found: WeightsReady, present: str) -> bool:
    """Return whether to use the weights instead of the fire model called ``present``.

    The default answer is no if they do worse.
    """
    worse = is_worse(found)
    icon = QMessageBox.Icon.Warning if worse or not found.before else QMessageBox.Icon.Question
    text = _WORSE if worse else "Use the calibrated weights in this project?"
    box = message_box(parent, icon, "Use calibrated weights", text)
    box.setInformativeText(comparison_html(found, present))
    use = box.addButton("&Use the new weights", QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton("&Keep the present model", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep if worse else use)
    box.setEscapeButton(keep)
    box.exec()
    return box.clickedButton() is use


def comparison_html(found: WeightsReady, present: str) -> str:
    """Return a table of every event with its overlap before and after, as HTML."""
    if not found.before:
        return f"<p>{_NOT_COMPARED}</p>"
    titles = "".join(f"<th>&nbsp;{text}</th>" for text in (escape(f"present: {present}"), "calibrated"))
    rows = "".join(
        f"<tr><td>{escape(one.name)}</td><td align='right'>{fmean(one.iou):.2f}</td>"
        f"<td align='right'>{fmean(other.iou):.2f}</td></tr>"
        for one, other in zip(found.before, found.after, strict=True)
    )
    return f"<table><tr><th></th>{titles}</tr>{rows}</table><p>{_ABOUT}</p>"


def mean_overlap(events: tuple[EventProgress, ...]) -> float:
    """Return the mean overlap (IoU) over the events, each the mean of its days."""
    return fmean(fmean(event.iou) for event in events)
