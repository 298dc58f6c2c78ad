"""The questions before something would be lost."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from PySide6.QtWidgets import QMessageBox, QWidget

from firegui.gui.jobs.run_job import UnfinishedWork


class Unsaved(Enum):
    """What to do with unsaved edits."""

    SAVE = auto()
    DISCARD = auto()
    CANCEL = auto()


class Running(Enum):
    """What to do with a run that works while the window is to close."""

    KEEP = auto()
    STOP_AND_SAVE = auto()
    DISCARD = auto()


def ask_unsaved(parent: QWidget | None, name: str) -> Unsaved:
    """Ask whether to save the edits of the project ``name``; closing the question cancels."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Unsaved changes")
    box.setText(f"“{name}” has changes that are not saved.")
    buttons = QMessageBox.StandardButton
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.setDefaultButton(buttons.Save)
    answer = QMessageBox.StandardButton(box.exec())
    return {buttons.Save: Unsaved.SAVE, buttons.Discard: Unsaved.DISCARD}.get(answer, Unsaved.CANCEL)


def ask_running(parent: QWidget | None, work: UnfinishedWork, leaving: str = "close") -> Running:
    """Ask what becomes of ``work`` when the person is ``leaving``; closing the question keeps it running.

    Discarding is offered only where it deletes something.
    """
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle("Work is under way")
    box.setText(f"{work.title} is still working.")
    box.setInformativeText(work.outcome)
    keep = box.addButton("Keep running", QMessageBox.ButtonRole.RejectRole)
    answers = {box.addButton(f"Stop, save and {leaving}", QMessageBox.ButtonRole.AcceptRole): Running.STOP_AND_SAVE}
    if work.discard is not None:
        answers[box.addButton(f"Discard and {leaving}", QMessageBox.ButtonRole.DestructiveRole)] = Running.DISCARD
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    _make_room(box)
    box.exec()
    clicked = box.clickedButton()
    return next((answer for button, answer in answers.items() if button is clicked), Running.KEEP)


def ask_open_twice(parent: QWidget | None, folder: Path, holder: str) -> bool:
    """Say that the project in ``folder`` is open elsewhere; ``True`` where it is to be opened read-only."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle("Open in another window")
    box.setText(f"“{folder.name}” is already open: {holder}.")
    box.setInformativeText(
        "Two windows would overwrite each other's edits. Read-only you see the project and its runs and can try things "
        f"out; before you save it or start a run you are asked for another place.\n\n{folder}"
    )
    read_only = box.addButton("Open read-only", QMessageBox.ButtonRole.AcceptRole)
    cancel = box.addButton("Do not open it", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    box.exec()
    return box.clickedButton() is read_only


def ask_replace(parent: QWidget | None, folder: Path) -> bool:
    """Ask whether the project kept in ``folder`` may be lost; closing the question keeps it."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle("Replace a project")
    box.setText(f"“{folder.name}” already holds another project of this event. Replace it?")
    box.setInformativeText(f"Its regions, fleet and plan settings would be lost; its runs stay.\n\n{folder}")
    replace = box.addButton("Replace it", QMessageBox.ButtonRole.DestructiveRole)
    cancel = box.addButton("Keep it", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    box.exec()
    return box.clickedButton() is replace


def _make_room(box: QMessageBox) -> None:
    """A box is as wide as its text, and cuts the buttons where they need more."""
    for button in box.buttons():
        button.ensurePolished()
        button.setMinimumWidth(button.sizeHint().width())
