"""Asking for a PyTorchFire folder and for what the folder itself does not say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.errors import InputError, Problems
from firegui.gui.base.dialogs import show_problems
from firegui.gui.widgets.path_fields import PathField, number, numbers, read_entry, text_line


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
