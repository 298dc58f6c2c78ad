"""Asking for an event file and for one of the events in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError, Problem, Problems
from firegui.gui.base.dialogs import show_problems
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import as_input_error
from firegui.gui.widgets.path_fields import PathField, number, numbers, read_entry, text_line
from firegui.io.importers.events import EventFileSource, list_events
from firegui.io.importers.events_file import EventEntry

_FILES = "HDF5 (*.hdf5 *.h5 *.hdf);;All files (*)"
_ABOUT = "The six-fire HDF5 has no place on the map; where you know its CRS and transform, give them."

Make = Callable[[EventFileSource], Project]


class ImportEventsDialog(QDialog):
    """One form, which stays until its project is made: what is wrong is listed and can be put right.

    ``make`` does the import, beside the window.
    """

    def __init__(self, make: Make, parent: QWidget | None = None, file: Path | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import an event from HDF5")
        self.setMinimumWidth(620)
        self._make = make
        self._project: Project | None = None
        self._listed: Path | None = None
        self._lines: dict[str, QLineEdit] = {}
        self._file = PathField("file", "the HDF5 file with one group an event", files=_FILES)
        self._file.settled.connect(self._list)
        self.events = QComboBox()
        self.events.setToolTip("Which event of the file becomes a project")
        self.events.setObjectName("event")
        self._said = QLabel(wordWrap=True)
        self._said.setProperty("role", "warning")
        self._lay_out()
        self._offer(())
        if file is not None:
            self._file.line.setText(str(file))
            self._list()

    @property
    def project(self) -> Project | None:
        """The event as a new project; ``None`` until it has been imported."""
        return self._project

    @property
    def said(self) -> str:
        """What is wrong with the file, in words; empty when nothing is."""
        return self._said.text()

    def accept(self) -> None:
        """Read the form and import; shut it only when both worked."""
        self._list()
        try:
            texts = {name: line.text().strip() for name, line in self._lines.items()}
            source = read_events_form(texts, self._file.path, self.events.currentData())
            self._project = wait_for(self, f"Importing {source.event}…", lambda: self._make(source))
        except (FireguiError, OSError) as error:
            show_problems(self, as_input_error(error, self._file.text))
            return
        super().accept()

    def _list(self) -> None:
        """Look into the file, once for every path."""
        path = self._file.path
        if path == self._listed:
            return
        self._listed = path
        try:
            found = () if path is None else wait_for(self, f"Looking into {path.name}…", lambda: list_events(path))
            self._said.setText("")
        except (FireguiError, OSError) as error:
            found = ()
            self._said.setText(_in_one_line(as_input_error(error, str(path))))
        self._offer(found)

    def _offer(self, found: tuple[EventEntry, ...]) -> None:
        self.events.clear()
        for entry in found:
            self.events.addItem(_describe(entry), entry.name)
        if not found:
            self.events.addItem("choose a file first", None)
        self.events.setEnabled(bool(found))
        self._said.setVisible(bool(self._said.text()))

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("&File", self._file)
        form.addRow("", self._said)
        form.addRow("&Event", self.events)
        form.addRow("&Name", self._line("name", "optional: what to call it; else its name in the file"))
        form.addRow("&CRS", self._line("crs", "optional: such as EPSG:3310"))
        form.addRow("&Transform", self._line("transform", "optional: a, b, c, d, e, f of the north-west corner"))
        form.addRow("&UTC offset", self._line("utc_offset_h", "optional: the fire's local offset in hours, such as −7"))
        hint = QLabel(_ABOUT, wordWrap=True)
        hint.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        go = buttons.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(hint)
        column.addWidget(buttons)
        # Only now is there a dialog for it to be the default of; else Enter would cancel.
        go.setDefault(True)

    def _line(self, name: str, hint: str) -> QLineEdit:
        self._lines[name] = text_line(name, hint)
        return self._lines[name]


def read_events_form(texts: dict[str, str], file: Path | None, event: str | None) -> EventFileSource:
    """The entries as values. Raises :class:`~firegui.errors.InputError` with every entry that cannot be read."""
    problems = Problems()
    if file is None:
        problems.add("file", "is empty", "choose the HDF5 file")
    transform = read_entry(texts["transform"], numbers(6), "transform", "give six numbers a, b, c, d, e, f", problems)
    offset = read_entry(texts["utc_offset_h"], number, "UTC offset", "use hours such as -7", problems)
    problems.raise_if_any("The form cannot be read")
    assert file is not None
    return EventFileSource(file, event, texts["crs"] or None, transform, offset, texts["name"] or None)


def ask_events(parent: QWidget | None, make: Make, file: Path | None = None) -> Project | None:
    """Show the form, with ``file`` filled in; the imported project, ``None`` when it was cancelled."""
    dialog = ImportEventsDialog(make, parent, file)
    dialog.exec()
    return dialog.project


def _describe(entry: EventEntry) -> str:
    parts = [entry.name]
    if entry.shape is not None:
        parts.append(f"{entry.shape[0]} × {entry.shape[1]} cells")
    parts.append(_span(entry.dates[0], entry.dates[-1]) if entry.dates else "no perimeters")
    return " · ".join(parts)


def _span(first: date, last: date) -> str:
    return f"{first.day} {first:%b} – {last.day} {last:%b %Y}"


def _in_one_line(error: InputError) -> str:
    return "; ".join(_plain(problem) for problem in error.problems)


def _plain(problem: Problem) -> str:
    return f"{problem.where} {problem.what}"
