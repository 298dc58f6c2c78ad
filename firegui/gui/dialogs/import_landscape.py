"""Asking for a landscape of one's own: layers, wind, a fire, and where to keep the project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS
from firegui.errors import FireguiError, Problems
from firegui.gui.background import wait_for
from firegui.gui.dialogs.problems import show_problems
from firegui.gui.forms.entries import PathLine, number, numbers, read_entry, text_line
from firegui.gui.reporting import as_input_error
from firegui.io.importers.landscape import LandscapeSource

_RASTERS = "GeoTIFF (*.tif *.tiff);;All files (*)"
_VECTORS = "Perimeters (*.shp *.geojson *.json *.gpkg);;All files (*)"
_ABOUT = (
    "Any of the layers, as GeoTIFF on one grid: the same CRS, origin, cells, rows and columns. "
    "What is missing is said, and the plan is made without it."
)
_FROM = "where the wind blows from: 0 north, 90 east, 180 south, 270 west"
_UNITS = {"aspect": "° from north", "fuel": "FBFM40", "canopy_density": "kg/m³"}

Make = Callable[[LandscapeSource], Project]


class ImportLandscapeDialog(QDialog):
    """One form, which stays until its project is made: what is wrong is listed and can be put right.

    ``make`` does the import, beside the window.
    """

    def __init__(self, make: Make, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import a landscape")
        self.setMinimumWidth(640)
        self._make = make
        self._project: Project | None = None
        self._paths: dict[str, PathLine] = {}
        self._lines: dict[str, QLineEdit] = {}
        about = QLabel(_ABOUT, wordWrap=True)
        about.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.addWidget(about)
        for group in (self._layers(), self._wind(), self._fire(), self._keeping()):
            column.addWidget(group)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        go = buttons.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        # Only now is there a dialog for it to be the default of; else Enter would cancel.
        go.setDefault(True)

    @property
    def project(self) -> Project | None:
        """The event as a new project; ``None`` until it has been imported."""
        return self._project

    @property
    def folder(self) -> Path | None:
        """Where the project is to be kept; ``None`` leaves that to the first save."""
        return self._paths["folder"].path

    def accept(self) -> None:
        """Read the form and import; shut it only when both worked."""
        try:
            paths = {name: field.path for name, field in self._paths.items()}
            source = read_landscape_form({name: line.text().strip() for name, line in self._lines.items()}, paths)
            self._project = wait_for(self, "Importing the landscape…", lambda: self._make(source))
        except (FireguiError, OSError) as error:
            show_problems(self, as_input_error(error, "the landscape"))
            return
        super().accept()

    def _layers(self) -> QGroupBox:
        rows = [
            (f"{title} ({_UNITS.get(key, unit)})", self._path(key, "optional", _RASTERS))
            for key, (title, unit) in LAYERS.items()
        ]
        return _group("Landscape", rows)

    def _wind(self) -> QGroupBox:
        speed, origin = self._line("wind_speed", "such as 3"), self._line("wind_from", "such as 270", _FROM)
        days = self._line("days", "optional", "how many days of weather; else to the last perimeter, or 15")
        row = QHBoxLayout()
        for title, line in (("&Speed (m/s)", speed), ("&From (°)", origin), ("&Days", days)):
            label = QLabel(title)
            label.setBuddy(line)
            row.addWidget(label)
            row.addWidget(line)
        group = QGroupBox("Wind, the same everywhere on every day")
        group.setLayout(row)
        return group

    def _fire(self) -> QGroupBox:
        perimeters = self._path("perimeters", "shapefile, GeoJSON or GeoPackage with dates", _VECTORS)
        point = self._line("ignition", "longitude, latitude, such as −122.63, 38.61")
        return _group("Fire", [("Observed &perimeters", perimeters), ("or &ignition at", point)])

    def _keeping(self) -> QGroupBox:
        start = self._line(
            "start", "optional: time of day 0, such as 2017-08-29T07:00Z; else the first perimeter's day"
        )
        keep = "optional: NAME.firegui; asked for at the first save otherwise"
        folder = PathLine("folder", keep, kind="new", files="firegui project (*.firegui)", place=self._place)
        self._paths["folder"] = folder
        name = self._line("name", "optional: what to call the event; else the folder of the layers")
        return _group("Project", [("&Name", name), ("S&tart", start), ("S&ave in", folder)])

    def _line(self, name: str, hint: str, more: str = "") -> QLineEdit:
        self._lines[name] = text_line(name, hint, more)
        return self._lines[name]

    def _path(self, name: str, hint: str, files: str) -> PathLine:
        self._paths[name] = PathLine(name, hint, files=files, place=self._place)
        return self._paths[name]

    def _place(self) -> str:
        """Where the path that was chosen before lies: layers are mostly kept together."""
        chosen = [path for field in self._paths.values() if (path := field.path) is not None]
        return str(chosen[-1].parent) if chosen else ""


def read_landscape_form(texts: dict[str, str], paths: dict[str, Path | None]) -> LandscapeSource:
    """The entries as values. Raises :class:`~firegui.errors.InputError` with every entry that cannot be read."""
    problems = Problems()
    layers = {key: path for key in LAYERS if (path := paths[key]) is not None}
    if not layers:
        problems.add("landscape", "no layer is chosen", "choose at least one: it sets the grid of the event")
    for name, title in (("wind_speed", "wind speed"), ("wind_from", "wind direction")):
        if not texts[name]:
            problems.add(title, "is empty", "give the wind: none is assumed")
    source = LandscapeSource(
        layers=layers,
        wind_speed=read_entry(texts["wind_speed"], number, "wind speed", "give m/s, such as 3", problems),
        wind_from=read_entry(texts["wind_from"], number, "wind direction", "give degrees, such as 270", problems),
        perimeters=paths["perimeters"],
        ignition=_point(texts["ignition"], problems),
        days=read_entry(texts["days"], int, "days", "give a whole number", problems),
        start=read_entry(texts["start"], datetime.fromisoformat, "start", "write it as 2017-08-29T07:00Z", problems),
        name=texts["name"] or None,
    )
    problems.raise_if_any("The form cannot be read")
    return source


def ask_landscape(parent: QWidget | None, make: Make) -> tuple[Project, Path | None] | None:
    """Show the form; the imported project and where to keep it, ``None`` when it was cancelled."""
    dialog = ImportLandscapeDialog(make, parent)
    dialog.exec()
    return None if dialog.project is None else (dialog.project, dialog.folder)


def _point(text: str, problems: Problems) -> tuple[float, float] | None:
    found = read_entry(text, numbers(2), "ignition", "give longitude, latitude in degrees", problems)
    return None if found is None else (found[0], found[1])


def _group(title: str, rows: Sequence[tuple[str, QWidget]]) -> QGroupBox:
    form = QFormLayout()
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for label, field in rows:
        form.addRow(label, field)
    group = QGroupBox(title)
    group.setLayout(form)
    return group
