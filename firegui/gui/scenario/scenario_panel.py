"""Scenario panel: the loaded event, its grid, and missing data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFocusEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.calendar import DATE_UNKNOWN, Calendar
from firegui.domain.coverage import RequiredCoverage, fuel_cells
from firegui.domain.grid import Grid
from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS
from firegui.domain.units import Units
from firegui.fire.model_caveats import unused_text
from firegui.fire.project_notes import Grade, project_notes
from firegui.gui.base.controls import set_synonyms, tool_button
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import add_layout, column, horizontal, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.screen_geometry import resize_on_screen
from firegui.gui.base.theme import set_role
from firegui.gui.scenario.fire_model_dialog import choose_fire_model
from firegui.gui.session.session import Session
from firegui.gui.widgets.coverage_form import CoverageChoice, CoverageForm, choice_of
from firegui.gui.widgets.note_list import NoteList
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.io.crs import short_name
from firegui.io.project.scenario_toml import shipped_table

SYNTHETIC = "Synthetic demo — not a real fire"
_NO_PLACE = "none; positions are metres from the south-west"
_EDIT_COVERAGE = "Change the coverage that fuel models require, or give one value for all"
_OWN_COVERAGE = "The imported maps bring their own required coverage"
_CHOOSE = "Choose the network, constant parameters, the physical model or imported maps, and the fuel moisture"
_SHOW_FOLDER = "Open the folder of the project in the file manager"
_LOAD = "Use the network fire model with weights from a file, as calibrating writes them"
_ROWS = ("Name", "Folder", "Grid", "CRS", "Start", "Plan", "Fire model", "Coverage", "Fleet", "Layers", "Observed")

_NOT_SAVED = "not saved yet"
_LINE_MARGIN = 6
_INNER_PX = 2
"""Room that Qt leaves before the text of a line."""
_SHORT_STEP_H = 1.0
"""A shorter step is given in minutes."""
_COVERAGE_SIZE = QSize(620, 560)
_ABOUT_COVERAGE = (
    "How much retardant or water the fuel of a cell needs, in gal per 100 ft². A plan reckons with one value, the mean "
    "over all cells that can burn, each weighted by its area."
)


class ScenarioPanel(QWidget):
    """Facts about the open project, as text that can be copied."""

    weights_wanted = Signal()
    """The user requests to load other weights for the fire model."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._values: dict[str, QLabel] = {}
        self._banner = muted_label(SYNTHETIC, role="banner")
        self._banner.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._warnings, self._remarks = NoteList(session, ""), NoteList(session, "")
        self._warnings.setAccessibleName("Errors and warnings of the event")
        self._remarks.setAccessibleName("Notes on the event")
        self._fold = FoldedSection("Notes", vertical(None, self._remarks, margins=(8, 0, 0, 0)))
        page = self._page = column(
            self._banner, self._facts(), self._warnings, self._fold, spacing=8, margins=(8, 6, 8, 6)
        )
        vertical(self, page, margins=0)
        for signal in (
            session.project_opened, session.project_edited, session.units_changed, session.folder_changed,
        ):  # fmt: skip
            signal.connect(self._refresh)
        self._refresh()

    @property
    def notes(self) -> str:
        """What to know of the event and its fire model, one line each, the gravest first."""
        return "\n".join(note.line for note in (*self._warnings.notes, *self._remarks.notes))

    def _facts(self) -> QGridLayout:
        self.coverage_button = tool_button("Edit coverage…", _EDIT_COVERAGE)
        self.coverage_button.clicked.connect(lambda _checked=False: self._edit_coverage())
        self.load_button = tool_button("Load weights…", _LOAD)
        self.load_button.clicked.connect(self.weights_wanted)
        self.model_button = tool_button("Fire model…", _CHOOSE)
        self.model_button.clicked.connect(lambda _checked=False: choose_fire_model(self._session, self.window()))
        set_synonyms(self.model_button, "wind weather periods")
        self.folder_button = tool_button("Show folder", _SHOW_FOLDER)
        self.folder_button.clicked.connect(lambda _checked=False: self._show_folder())
        self.folder = FolderLine()
        buttons = {
            "Folder": (self.folder_button,),
            "Fire model": (self.model_button, self.load_button),
            "Coverage": (self.coverage_button,),
        }
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, title in enumerate(_ROWS):
            label = plain_label(title)
            label.setProperty("role", "muted")
            value = self.folder if title == "Folder" else self._values.setdefault(title, _value())
            value.setAccessibleName(title)
            label.setBuddy(value)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            cell = QVBoxLayout()
            cell.setSpacing(0)
            cell.addWidget(value, 0, Qt.AlignmentFlag.AlignTop)
            if title in buttons:
                for button in buttons[title]:
                    button.setAutoRaise(False)
                add_layout(cell, horizontal(None, *buttons[title], 1, margins=0, spacing=6))
            add_layout(grid, cell, row, 1)
        return grid

    def _edit_coverage(self) -> None:
        project = self._session.project
        coverage = ask_coverage(self, project)
        if coverage is not None:
            self._session.edit("change required coverage", replace(project, coverage=coverage))

    def _show_folder(self) -> None:
        if self._session.source is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.source)))

    def _refresh(self) -> None:
        self._page.setVisible(self._session.has_project)
        if not self._session.has_project:
            return
        project = self._session.project
        for title, text in facts(project, self._session.units).items():
            self._values[title].setText(text)
        self.folder.show_folder(self._session.source)
        self.folder_button.setEnabled(self._session.source is not None)
        weights = project.weights
        self._values["Fire model"].setToolTip(tooltip("" if weights is None else "\n".join(weights.training.limits)))
        own = project.imported_maps is not None
        self.coverage_button.setEnabled(not own)
        self.coverage_button.setToolTip(tooltip(_OWN_COVERAGE if own else _EDIT_COVERAGE))
        event = project.scenario
        self._values["CRS"].setToolTip(tooltip(event.grid.crs or ""))
        self._values["Grid"].setToolTip(tooltip(f"cells of {event.grid.cell_size_m:g} m"))
        set_role(self._values["Layers"], "warning" if event.missing_layers else "")
        self._banner.setVisible(event.synthetic)
        notes = project_notes(project, self._session.units)
        grave = [note for note in notes if note.grade is not Grade.NOTE]
        self._warnings.show_notes(grave)
        self._warnings.setVisible(bool(grave))
        remarks = notes[len(grave) :]
        self._remarks.show_notes(remarks)
        self._fold.setVisible(bool(remarks))
        self._fold.set_title(f"Notes ({len(remarks)})")


def facts(project: Project, units: Units = Units.METRIC) -> dict[str, str]:
    """Return title and text of every row."""
    event, calendar = project.scenario, project.calendar
    grid = event.grid
    sides = " × ".join(units.length(count * grid.cell_size_m) for count in (grid.columns, grid.rows))
    missing = [LAYERS[key][0].lower() for key in event.missing_layers]
    observed = f"{len(event.observed_dates)} perimeters, {_span(project)}" if event.observed_dates else "no perimeter"
    return {
        "Name": event.name,
        "Grid": f"{grid.size_text}\n{sides}, cells of {_cell_text(grid, units)}",
        "CRS": short_name(grid.crs) if grid.is_georeferenced and grid.crs else _NO_PLACE,
        "Start": _start_text(calendar),
        "Plan": f"{calendar.days} of {event.days} days, {calendar.n_steps:,} steps of {_step_text(calendar)}",
        "Fire model": "\n".join(filter(None, (project.fire_model.label, unused_text(project)))),
        "Coverage": _coverage_text(project),
        "Fleet": f"{project.fleet.n_aircraft} aircraft of {len(project.fleet.types)} types",
        "Layers": f"missing: {', '.join(missing)}" if missing else "all layers present",
        "Observed": observed,
    }


def _cell_text(grid: Grid, units: Units) -> str:
    return units.length(grid.cell_size_m) if units is Units.US else f"{grid.cell_size_m:g} m"


def _step_text(calendar: Calendar) -> str:
    hours = calendar.hours_per_step
    return f"{hours:g} h" if hours >= _SHORT_STEP_H else f"{60.0 * hours:.3g} min"


def _start_text(calendar: Calendar) -> str:
    if not calendar.is_dated:
        return DATE_UNKNOWN
    local = calendar.start.astimezone(calendar.local_zone)
    if not local.utcoffset():
        return f"{calendar.start:%Y-%m-%d %H:%M} UTC"
    return f"{calendar.start:%Y-%m-%d %H:%M} UTC\n{local:%Y-%m-%d %H:%M} local ({calendar.zone_name})"


def _coverage_text(project: Project) -> str:
    own = project.imported_maps is not None
    source = "of the imported maps" if own else project.coverage.source
    return f"{project.required_coverage:.2f} gal/100 ft² required\n{source}"


def _span(project: Project) -> str:
    dates = project.scenario.observed_dates
    first, last = dates[0], dates[-1]
    return f"{first.day} {first:%b} – {last.day} {last:%b %Y}" if len(dates) > 1 else f"{last.day} {last:%b %Y}"


def _value() -> QLabel:
    label = plain_label(wordWrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


class FolderLine(QLineEdit):
    """Path of the project's folder, elided in its middle.

    The path can be selected and copied; the tooltip has all of it.
    """

    def __init__(self) -> None:
        super().__init__(readOnly=True, frame=False)
        self.setTextMargins(-_INNER_PX, 0, 0, 0)
        set_role(self, "path")
        self._path = ""

    def show_folder(self, folder: Path | None) -> None:
        """Show a folder, or that there is none yet."""
        self._path = "" if folder is None else str(folder)
        self.setToolTip(tooltip(self._path or _NOT_SAVED))
        self.setAccessibleDescription(self._path)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the path to another width."""
        super().resizeEvent(event)
        self._elide()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show and select the whole path, so that it can be copied."""
        super().focusInEvent(event)
        self._elide()
        if event.reason() is Qt.FocusReason.MouseFocusReason:
            # The click that gives the focus would take the selection away.
            QTimer.singleShot(0, self, self.selectAll)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Elide the path again."""
        super().focusOutEvent(event)
        self._elide()

    def _elide(self) -> None:
        """Show the path, all of it while it has the focus."""
        room = max(self.contentsRect().width() - _LINE_MARGIN, 0)
        short = self.fontMetrics().elidedText(self._path, Qt.TextElideMode.ElideMiddle, room)
        self.setText((self._path if self.hasFocus() else short) or _NOT_SAVED)
        self.setCursorPosition(0)


class CoverageDialog(Dialog):
    """Editor of the required coverage: levels by fuel model, or one value for all.

    Nothing changes before OK.
    """

    def __init__(self, project: Project, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Required coverage")
        resize_on_screen(self, _COVERAGE_SIZE)
        fuel = project.scenario.layers.get("fuel")
        self._cells = {} if fuel is None else fuel_cells(fuel)
        self._before = self._choice = choice_of(project.coverage, self._cells, shipped_table())
        self.form = CoverageForm()
        self.form.edited.connect(self._on_edited)
        about = muted_label(_ABOUT_COVERAGE)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vertical(self, about, (self.form, 1), buttons)
        self._on_edited(self._choice)

    @property
    def coverage(self) -> RequiredCoverage | None:
        """The new required coverage; ``None`` if it is that of the project."""
        return None if self._choice == self._before else self.form.coverage

    def _on_edited(self, choice: CoverageChoice) -> None:
        self._choice = choice
        self.form.show_fuel(self._cells, choice)


def ask_coverage(parent: QWidget | None, project: Project) -> RequiredCoverage | None:
    """Open the dialog for the required coverage and return it; ``None`` if cancelled or unchanged."""
    dialog = CoverageDialog(project, parent)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    chosen = dialog.coverage if accepted else None
    dialog.deleteLater()
    return chosen
