"""Questions before something would be lost."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from firegui.gui.jobs.run_job import UnfinishedWork


class UnsavedAnswer(Enum):
    """What to do with unsaved edits."""

    SAVE = auto()
    DISCARD = auto()
    CANCEL = auto()


class RunningAnswer(Enum):
    """What to do with work that is under way while the project is to be left."""

    KEEP = auto()
    STOP_AND_SAVE = auto()
    DISCARD = auto()


def ask_unsaved(parent: QWidget | None, name: str) -> UnsavedAnswer:
    """Ask whether to save the edits of the project ``name``; closing the question cancels."""
    box = _question(parent, QMessageBox.Icon.Question, "Unsaved changes", f"“{name}” has changes that are not saved.")
    buttons = QMessageBox.StandardButton
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.setDefaultButton(buttons.Save)
    answer = QMessageBox.StandardButton(box.exec())
    answers = {buttons.Save: UnsavedAnswer.SAVE, buttons.Discard: UnsavedAnswer.DISCARD}
    return answers.get(answer, UnsavedAnswer.CANCEL)


def ask_running(parent: QWidget | None, work: UnfinishedWork, leaving: str = "close") -> RunningAnswer:
    """Ask what becomes of ``work`` when the person is ``leaving``; closing the question keeps it running.

    Discarding is offered only where it deletes something.
    """
    text = f"{work.title} is still working."
    box = _question(parent, QMessageBox.Icon.Question, "Work is under way", text, work.outcome)
    answers = {
        box.addButton(f"Stop, save and {leaving}", QMessageBox.ButtonRole.AcceptRole): RunningAnswer.STOP_AND_SAVE
    }
    if work.discard is not None:
        discard = box.addButton(f"Discard and {leaving}", QMessageBox.ButtonRole.DestructiveRole)
        answers[discard] = RunningAnswer.DISCARD
    clicked = _run(box, "Keep running")
    return next((answer for button, answer in answers.items() if button is clicked), RunningAnswer.KEEP)


def ask_open_twice(parent: QWidget | None, folder: Path, holder: str) -> bool:
    """Say that the project in ``folder`` is open elsewhere; return whether to open it read-only."""
    box = _question(
        parent, QMessageBox.Icon.Warning, "Open in another window", f"“{folder.name}” is already open: {holder}.",
        "Two windows would overwrite each other's edits. Read-only you see the project and its runs and can try things "
        f"out; before you save it or start a run you are asked for another place.\n\n{folder}",
    )  # fmt: skip
    read_only = box.addButton("Open read-only", QMessageBox.ButtonRole.AcceptRole)
    return _run(box, "Do not open it") is read_only


def ask_replace(parent: QWidget | None, folder: Path) -> bool:
    """Ask whether the project in ``folder`` may be lost; closing the question keeps it."""
    box = _question(
        parent, QMessageBox.Icon.Warning, "Replace a project",
        f"“{folder.name}” already holds another project of this event. Replace it?",
        f"Its regions, fleet and plan settings would be lost; its runs stay.\n\n{folder}",
    )  # fmt: skip
    replace = box.addButton("Replace it", QMessageBox.ButtonRole.DestructiveRole)
    return _run(box, "Keep it") is replace


def _question(parent: QWidget | None, icon: QMessageBox.Icon, title: str, text: str, more: str = "") -> QMessageBox:
    box = QMessageBox(icon, title, text, QMessageBox.StandardButton.NoButton, parent)
    box.setInformativeText(more)
    return box


def _run(box: QMessageBox, cancel: str) -> QAbstractButton:
    """Show a question with a button that changes nothing, the default; return the button that was clicked."""
    button = box.addButton(cancel, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(button)
    box.setEscapeButton(button)
    for each in box.buttons():
        # A box is as wide as its text, and cuts the buttons where they need more.
        each.ensurePolished()
        each.setMinimumWidth(each.sizeHint().width())
    box.exec()
    return box.clickedButton()
