"""What a person writes about a run, kept in its folder a moment after it was typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from firegui.errors import InputError
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import vertical
from firegui.gui.base.tasks import LatestTask
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session
from firegui.runs.notes import NOTES, read_notes, takes_notes, write_notes

_AFTER_MS = 700
_NONE = "Select a run to write about it"
_READ_ONLY = "The project is open in another window: write your notes there"
_NOT_YET = "Notes can be written once the run has begun"


class RunNotes(QWidget):
    """A field for the notes on one run. :meth:`shutdown` must be called in the end."""

    written = Signal(object)
    """The ``RunEntry`` whose notes were changed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._entry: RunEntry | None = None
        self._unsaved = False
        self._writer = LatestTask(self, settle_ms=_AFTER_MS)
        self._writer.returned.connect(self._on_saved)
        self._writer.raised.connect(lambda error: session.refuse(as_input_error(error, NOTES)))
        self.title = ElidedLabel(role="muted")
        self.field = QPlainTextEdit()
        self.field.setAccessibleName("Notes on the selected run")
        self.field.setToolTip(f"Your notes on the selected run, kept as {NOTES} in its folder")
        self.field.setTabChangesFocus(True)
        # One line at least: the list of runs needs the room more.
        self.field.setMinimumHeight(self.field.fontMetrics().height() + 12)
        self.field.textChanged.connect(self._on_typed)
        vertical(self, self.title, (self.field, 1), margins=0, spacing=1)
        self.show_run(None)

    @property
    def entry(self) -> RunEntry | None:
        """The run that the notes are about."""
        return self._entry

    def show_run(self, entry: RunEntry | None) -> None:
        """Show the notes on another run; what was typed about the one before is saved first."""
        takes = entry is not None and not entry.read_only and takes_notes(entry.folder)
        if entry is not self._entry:
            self.flush()
            self._entry = entry
            self._read()
        if takes and not self.field.isEnabled():
            self._read()
        self.field.setEnabled(takes)
        self.field.setPlaceholderText(_hint(entry, takes))
        self.title.set_text("Notes" if entry is None else f"Notes on {entry.title}")

    def flush(self) -> None:
        """Save at once what was typed."""
        if self._unsaved and self._entry is not None:
            self._writer.shutdown()
            try:
                _write(self._entry.folder, self._entry.notes)
            except InputError as error:
                self._session.refuse(error)
            self._unsaved = False

    def shutdown(self) -> None:
        """Save what was typed and wait until nothing is being written."""
        self.flush()
        self._writer.shutdown()

    def _read(self) -> None:
        text = ""
        if self._entry is not None and takes_notes(self._entry.folder):
            try:
                text = self._entry.notes = read_notes(self._entry.folder)
            except InputError as error:
                self._session.refuse(error)
        with QSignalBlocker(self.field):
            self.field.setPlainText(text)

    def _on_typed(self) -> None:
        entry = self._entry
        if entry is not None and self.field.isEnabled():
            entry.notes, self._unsaved = self.field.toPlainText(), True
            self._writer.request(_writing(entry.folder, entry.notes))
            self.written.emit(entry)

    def _on_saved(self, _nothing: object) -> None:
        self._unsaved = self._writer.is_busy


def _hint(entry: RunEntry | None, takes: bool) -> str:
    if entry is None:
        return _NONE
    if entry.read_only:
        return _READ_ONLY
    return "Write what you think" if takes else _NOT_YET


def _writing(folder: Path, text: str) -> Callable[[Callable[[], None]], object]:
    return lambda _check: _write(folder, text)


def _write(folder: Path, text: str) -> None:
    # The run may have been discarded since, and its notes with it.
    if takes_notes(folder):
        write_notes(folder, text)
