"""List of graded notes, each with a button that settles it where there is a simple way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from firegui.errors import without_options
from firegui.fire.project_notes import REMEDY_TITLES, Grade, GradedNote, Remedy, settled
from firegui.gui.base.layouts import muted_label
from firegui.gui.base.plain_text import tooltip
from firegui.gui.session.session import Session

ROLES = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "muted"}
"""Style of the text of each grade."""


class NoteList(QWidget):
    """Notes on the open project, one below the other; ``empty`` is shown where there is none."""

    def __init__(self, session: Session, empty: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._empty = session, empty
        self._notes: tuple[GradedNote, ...] | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._parts: list[QWidget] = []
        self.show_notes(())

    @property
    def notes(self) -> tuple[GradedNote, ...]:
        """The shown notes."""
        return self._notes or ()

    def button(self, remedy: Remedy) -> QPushButton | None:
        """Return the button of a remedy; ``None`` if no shown note has it."""
        return next((each for each in self.findChildren(QPushButton) if each.objectName() == remedy.value), None)

    def show_notes(self, notes: Sequence[GradedNote]) -> None:
        """Show other notes."""
        if tuple(notes) == self._notes:
            return
        self._notes = tuple(notes)
        notes = [replace(note, text=without_options(note.text)) for note in notes]
        for part in self._parts:
            self._column.removeWidget(part)
            part.setObjectName("")
            part.hide()
            part.deleteLater()
        self._parts = [part for note in notes for part in self._parts_of(note)] or [muted_label(self._empty)]
        for part in self._parts:
            self._column.addWidget(part)
            # A layout shows new parts only with a later event.
            part.show()

    def _parts_of(self, note: GradedNote) -> list[QWidget]:
        label = muted_label(note.line, ROLES[note.grade])
        if note.remedy is None:
            return [label]
        remedy = note.remedy
        button = QPushButton(REMEDY_TITLES[remedy])
        button.setObjectName(remedy.value)
        button.setToolTip(tooltip(f"Change the project: {note.text}"))
        button.clicked.connect(lambda _checked=False: self._settle(remedy))
        return [label, button]

    def _settle(self, remedy: Remedy) -> None:
        """Change the open project as ``remedy`` says, as one undoable step."""
        self._session.edit(REMEDY_TITLES[remedy].lower(), settled(self._session.project, remedy))
