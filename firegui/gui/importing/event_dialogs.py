"""Dialogs that import an event from an HDF5 file or a PyTorchFire folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError, Problem, Problems
from firegui.gui.base.dialogs import show_problems
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import as_input_error
from firegui.gui.widgets.path_fields import PathField, number, numbers, read_entry, text_line
from firegui.io.importers.events import EventFileSource, list_events
from firegui.io.importers.events_file import EventEntry


@dataclass(frozen=True, slots=True)
class EventSource:
    """Where an event comes from; ``None`` leaves it to the importer to find out or to do without."""

    folder: Path
    perimeters: Path | None = None
    crs: str | None = None
    transform: tuple[float, ...] | None = None
    start: datetime | None = None
    utc_offset_h: float | None = None
    name: str | None = None


class ImportEventDialog(QDialog):
    """One form; what cannot be read in it is listed at once and the form stays."""

    def __init__(self, parent: QWidget | None = None, folder: Path | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import a PyTorchFire folder")
        self.setMinimumWidth(620)
        self._source: EventSource | None = None
        self._fields: dict[str, QLineEdit] = {}
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("&Folder", self._path("folder", "the folder with p_veg.npz, p_den.npz, wind_velocity.npz …", True))
        perimeters = "optional: shapefile, GeoJSON or GeoPackage of observed perimeters"
        form.addRow("Observed &perimeters", self._path("perimeters", perimeters, False))
        form.addRow("&Name", self._line("name", "optional: what to call the event"))
        form.addRow("&CRS", self._line("crs", "optional: such as EPSG:3310"))
        form.addRow("&Transform", self._line("transform", "optional: a, b, c, d, e, f of the north-west corner"))
        form.addRow("&Start", self._line("start", "optional: time of wind day 0, such as 2020-08-19T07:00Z"))
        form.addRow("&UTC offset", self._line("utc_offset_h", "optional: the fire's local offset in hours, such as −7"))
        hint = QLabel("A published example is recognised and placed by itself; leave the rest empty then.")
        hint.setProperty("role", "muted")
        hint.setWordWrap(True)
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
        if folder is not None:
            self._fields["folder"].setText(str(folder))

    @property
    def source(self) -> EventSource | None:
        """What was entered; ``None`` until it was accepted."""
        return self._source

    def accept(self) -> None:
        """Read the form; shut it only when everything could be read."""
        try:
            self._source = read_form({name: field.text().strip() for name, field in self._fields.items()})
        except InputError as error:
            show_problems(self, error)
            return
        super().accept()

    def _line(self, name: str, hint: str) -> QLineEdit:
        line = text_line(name, hint)
        self._fields[name] = line
        return line

    def _path(self, name: str, hint: str, is_folder: bool) -> QWidget:
        field = PathField(name, hint, kind="folder" if is_folder else "file")
        self._fields[name] = field.line
        return field


def read_form(texts: dict[str, str]) -> EventSource:
    """The entries as values. Raises :class:`InputError` with every entry that cannot be read."""
    problems = Problems()
    if not texts["folder"]:
        problems.add("folder", "is empty", "choose the folder that holds p_veg.npz")
    transform = read_entry(texts["transform"], numbers(6), "transform", "give six numbers a, b, c, d, e, f", problems)
    start = read_entry(
        texts["start"], datetime.fromisoformat, "start", "use a form such as 2020-08-19T07:00Z", problems
    )
    offset = read_entry(texts["utc_offset_h"], number, "UTC offset", "use hours such as -7", problems)
    problems.raise_if_any("The form cannot be read")
    return EventSource(
        folder=Path(texts["folder"]),
        perimeters=Path(texts["perimeters"]) if texts["perimeters"] else None,
        crs=texts["crs"] or None,
        transform=transform,
        start=start,
        utc_offset_h=offset,
        name=texts["name"] or None,
    )


def ask_event(parent: QWidget | None, folder: Path | None = None) -> EventSource | None:
    """Show the form, with ``folder`` filled in, and return what was entered; ``None`` when it was cancelled."""
    dialog = ImportEventDialog(parent, folder)
    dialog.exec()
    return dialog.source


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
