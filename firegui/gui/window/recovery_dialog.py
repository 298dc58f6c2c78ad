"""The question at the start, where an earlier window was killed: bring its work back, throw it away, or wait."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum, auto

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QWidget,
)  # fmt: skip

from firegui.gui.base.layouts import vertical
from firegui.runs.autosave import RecoverableProject
from firegui.runs.messages import counted
from firegui.runs.run_requests import run_title

_ABOUT = (
    "firegui did not end as it should have. What was not saved then was kept apart from your projects. Recovered edits "
    "are undone by Ctrl+Z, and nothing is saved before you save it."
)


class Choice(Enum):
    """What to do with what was left behind."""

    RECOVER = auto()
    DISCARD = auto()
    LATER = auto()


class RecoverDialog(QDialog):
    """Lists what was left behind; shutting it puts the question off to the next start."""

    def __init__(self, left: Sequence[RecoverableProject], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Recover what was not saved")
        self.setMinimumWidth(600)
        self._left = tuple(left)
        self.choice = Choice.LATER
        self.list = self._make_list()
        self.resume = QCheckBox("&Go on with the interrupted run")
        self.resume.setToolTip("Take the run up from its last checkpoint once the project is open")
        self.resume.setChecked(True)
        self._lay_out()
        self.list.setCurrentRow(0)

    @property
    def selected(self) -> RecoverableProject:
        """What the choice is about."""
        return self._left[max(self.list.currentRow(), 0)]

    @property
    def resumes(self) -> bool:
        """Whether the interrupted run is to go on."""
        return self.resume.isChecked() and bool(self.selected.runs)

    def _make_list(self) -> QListWidget:
        view = QListWidget()
        view.setAccessibleName("What was left behind")
        view.setToolTip("What was open when firegui was killed, the latest first")
        view.setWordWrap(True)
        view.setSpacing(3)
        view.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        for each in self._left:
            view.addItem(QListWidgetItem(described(each)))
        view.setMinimumHeight(min(40 + 70 * len(self._left), 260))
        view.currentRowChanged.connect(lambda _row: self.resume.setEnabled(bool(self.selected.runs)))
        return view

    def _lay_out(self) -> None:
        about = QLabel(_ABOUT, wordWrap=True)
        roles = QDialogButtonBox.ButtonRole
        buttons = QDialogButtonBox()
        self.recover = buttons.addButton("&Recover", roles.AcceptRole)
        self.discard = buttons.addButton("&Discard…", roles.DestructiveRole)
        self.later = buttons.addButton("&Not now", roles.RejectRole)
        tips = {
            self.recover: "Open the project with its unsaved edits",
            self.discard: "Delete what was kept; the project's own folder stays as it is",
            self.later: "Ask again at the next start",
        }
        for button, tip in tips.items():
            button.setToolTip(tip)
        self.recover.clicked.connect(lambda _checked=False: self._choose(Choice.RECOVER))
        self.discard.clicked.connect(lambda _checked=False: self._discard())
        buttons.rejected.connect(self.reject)
        vertical(self, about, self.list, self.resume, buttons)
        self.recover.setDefault(True)
        self.list.itemDoubleClicked.connect(lambda _item: self._choose(Choice.RECOVER))
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self, choice: Choice) -> None:
        self.choice = choice
        self.accept()

    def _discard(self) -> None:
        if self.selected.folder is not None and not self.selected.has_edits:
            # A run stays in its project, whatever is forgotten here.
            self._choose(Choice.DISCARD)
            return
        text = f"Delete the unsaved edits of “{self.selected.note.name}” for good?"
        if QMessageBox.question(self, "Discard", text) == QMessageBox.StandardButton.Yes:
            self._choose(Choice.DISCARD)


def described(left: RecoverableProject) -> str:
    """Name and place, what was not saved, and which runs were at work, a line each."""
    note, today = left.note, datetime.now().date()
    when = note.edited.astimezone()
    day = "today" if when.date() == today else f"on {when.day} {when:%b %Y}"
    lines = [note.name, "never saved" if left.folder is None else str(left.folder)]
    if left.has_edits:
        since = "; the project was saved since" if left.saved_since else ""
        lines.append(f"unsaved edits, the last kept {day} at {when:%H:%M:%S}{since}")
    if left.runs:
        titles = ", ".join(run_title(folder, today) for folder in left.runs)
        lines.append(f"interrupted: {titles}")
    if note.waiting:
        lines.append(f"{counted(note.waiting, 'run')} of the queue had not begun and must be started again")
    return "\n".join(lines)
