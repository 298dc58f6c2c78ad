"""Dialogs that import an event from an HDF5 file or a PyTorchFire folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtWidgets import QDialogButtonBox, QFormLayout, QLineEdit, QWidget

from firegui.domain.grid import cells_text
from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError, Problems
from firegui.gui.base.dialogs import Dialog, show_problems
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import as_input_error
from firegui.gui.widgets.fields import NoScrollComboBox, PathField, number, numbers, read_entry, text_line
from firegui.io.importers.events import EventFileSource, list_events
from firegui.io.importers.events_file import EventEntry

_HDF5_FILES = "HDF5 (*.hdf5 *.h5 *.hdf);;All files (*)"
_CRS = ("&CRS", "crs", "optional: such as EPSG:3310")
_TRANSFORM = ("&Transform", "transform", "optional: a, b, c, d, e, f of the north-west corner")
_UTC_OFFSET = ("&UTC offset", "utc_offset_h", "optional: the fire's local offset in hours, such as −7")

ImportEvent = Callable[[EventFileSource], Project]


@dataclass(frozen=True, slots=True)
class EventFolderSource:
    """PyTorchFire folder, with the facts that its files lack.

    The importer detects or omits what is ``None``.
    """

    folder: Path
    perimeters: Path | None = None
    crs: str | None = None
    transform: tuple[float, ...] | None = None
    start: datetime | None = None
    utc_offset_h: float | None = None
    name: str | None = None


class ImportForm(Dialog):
    """Base class of import dialogs: rows of entries, a hint, and the buttons Import and Cancel.

    Subclasses add their rows to ``form``. The dialog stays open until every entry is valid.
    """

    def __init__(self, title: str, hint: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.lines: dict[str, QLineEdit] = {}
        self.form = QFormLayout()
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        about = plain_label(hint, wordWrap=True)
        about.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        import_button = buttons.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vertical(self, self.form, about, buttons, least_width=620)
        # A button can be the default only once it is in the dialog; otherwise Enter would cancel.
        import_button.setDefault(True)

    def add_lines(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Add a line for each ``(title, name, hint)``."""
        for title, name, hint in rows:
            self.lines[name] = text_line(name, hint)
            self.form.addRow(title, self.lines[name])

    @property
    def texts(self) -> dict[str, str]:
        """The entries by name."""
        return {name: line.text().strip() for name, line in self.lines.items()}


class ImportEventDialog(ImportForm):
    """Form for a PyTorchFire folder. ``source`` is ``None`` until the form was accepted."""

    def __init__(self, parent: QWidget | None = None, folder: Path | None = None) -> None:
        hint = "A published example is recognised and placed by itself; leave the rest empty then."
        super().__init__("Import a PyTorchFire folder", hint, parent)
        self.source: EventFolderSource | None = None
        perimeters = "optional: shapefile, GeoJSON or GeoPackage of observed perimeters"
        for title, field in (
            (
                "&Folder",
                PathField("folder", "the folder with p_veg.npz, p_den.npz, wind_velocity.npz …", kind="folder"),
            ),
            ("Observed &perimeters", PathField("perimeters", perimeters)),
        ):
            self.form.addRow(title, field)
            self.lines[field.line.objectName()] = field.line
        start = ("&Start", "start", "optional: time of wind day 0, such as 2020-08-19T07:00Z")
        self.add_lines((("&Name", "name", "optional: what to call the event"), _CRS, _TRANSFORM, start, _UTC_OFFSET))
        if folder is not None:
            self.lines["folder"].setText(str(folder))

    def accept(self) -> None:
        """Read the form, and close it if all entries are valid."""
        try:
            self.source = read_form(self.texts)
        except InputError as error:
            show_problems(self, error)
            return
        super().accept()


class ImportEventsDialog(ImportForm):
    """Form for an HDF5 file and one of its events; ``make`` imports the event in a thread.

    ``project`` is ``None`` until the import has succeeded.
    """

    def __init__(self, make: ImportEvent, parent: QWidget | None = None, file: Path | None = None) -> None:
        hint = "The six-fire HDF5 has no place on the map; where you know its CRS and transform, give them."
        super().__init__("Import an event from HDF5", hint, parent)
        self._make = make
        self.project: Project | None = None
        self._listed: Path | None = None
        self._file = PathField("file", "the HDF5 file with one group an event", files=_HDF5_FILES)
        self._file.settled.connect(self._list)
        self.events = NoScrollComboBox()
        self.events.setToolTip("Which event of the file becomes a project")
        self.events.setObjectName("event")
        self._trouble = plain_label(wordWrap=True)
        self._trouble.setProperty("role", "warning")
        for title, widget in (("&File", self._file), ("", self._trouble), ("&Event", self.events)):
            self.form.addRow(title, widget)
        name = ("&Name", "name", "optional: what to call it; else its name in the file")
        self.add_lines((name, _CRS, _TRANSFORM, _UTC_OFFSET))
        self._offer(())
        if file is not None:
            self._file.line.setText(str(file))
            self._list()

    @property
    def said(self) -> str:
        """The problem of the file; empty if there is none."""
        return self._trouble.text()

    def accept(self) -> None:
        """Read the form and import; close it only if both succeeded."""
        self._list()
        try:
            source = read_events_form(self.texts, self._file.path, self.events.currentData())
            self.project = wait_for(self, f"Importing {source.event}…", lambda: self._make(source))
        except (FireguiError, OSError) as error:
            show_problems(self, as_input_error(error, self._file.text))
            return
        super().accept()

    def _list(self) -> None:
        """List the events of the file, once per path."""
        path = self._file.path
        if path == self._listed:
            return
        self._listed = path
        found: tuple[EventEntry, ...] = ()
        self._trouble.setText("")
        try:
            if path is not None:
                found = wait_for(self, f"Reading {path.name}…", lambda: list_events(path))
        except (FireguiError, OSError) as error:
            problems = as_input_error(error, str(path)).problems
            self._trouble.setText("; ".join(map(str, problems)))
        self._offer(found)

    def _offer(self, found: tuple[EventEntry, ...]) -> None:
        self.events.clear()
        for entry in found:
            self.events.addItem(_event_text(entry), entry.name)
        if not found:
            self.events.addItem("choose a file first", None)
        self.events.setEnabled(bool(found))
        self._trouble.setVisible(bool(self._trouble.text()))


def _transform(texts: dict[str, str], problems: Problems) -> tuple[float, ...] | None:
    return read_entry(texts["transform"], numbers(6), "transform", "give six numbers a, b, c, d, e, f", problems)


def _utc_offset(texts: dict[str, str], problems: Problems) -> float | None:
    return read_entry(texts["utc_offset_h"], number, "UTC offset", "use hours such as -7", problems)


def read_form(texts: dict[str, str]) -> EventFolderSource:
    """Return the entries as values. Raises :class:`InputError` with every invalid entry."""
    problems = Problems()
    if not texts["folder"]:
        problems.add("folder", "no folder is chosen", "choose the folder that holds p_veg.npz")
    remedy = "use a form such as 2020-08-19T07:00Z"
    transform = _transform(texts, problems)
    start = read_entry(texts["start"], datetime.fromisoformat, "start", remedy, problems)
    offset = _utc_offset(texts, problems)
    problems.raise_if_any("The form cannot be read")
    perimeters = Path(texts["perimeters"]) if texts["perimeters"] else None
    crs, name = texts["crs"] or None, texts["name"] or None
    return EventFolderSource(Path(texts["folder"]), perimeters, crs, transform, start, offset, name)


def read_events_form(texts: dict[str, str], file: Path | None, event: str | None) -> EventFileSource:
    """Return the entries as values. Raises :class:`InputError` with every invalid entry."""
    problems = Problems()
    if file is None:
        problems.add("file", "no file is chosen", "choose the HDF5 file")
    transform, offset = _transform(texts, problems), _utc_offset(texts, problems)
    problems.raise_if_any("The form cannot be read")
    assert file is not None
    return EventFileSource(file, event, texts["crs"] or None, transform, offset, texts["name"] or None)


def ask_event(parent: QWidget | None, folder: Path | None = None) -> EventFolderSource | None:
    """Show the form for ``folder`` and return the entries; ``None`` if it was cancelled."""
    dialog = ImportEventDialog(parent, folder)
    dialog.exec()
    return dialog.source


def ask_events(parent: QWidget | None, make: ImportEvent, file: Path | None = None) -> Project | None:
    """Show the form for ``file`` and return the imported project; ``None`` if it was cancelled."""
    dialog = ImportEventsDialog(make, parent, file)
    dialog.exec()
    return dialog.project


def _event_text(entry: EventEntry) -> str:
    parts = [entry.name]
    if entry.shape is not None:
        parts.append(cells_text(entry.shape))
    if entry.dates:
        first, last = entry.dates[0], entry.dates[-1]
        parts.append(f"{first.day} {first:%b} – {last.day} {last:%b %Y}")
    else:
        parts.append("no perimeters")
    return " · ".join(parts)
