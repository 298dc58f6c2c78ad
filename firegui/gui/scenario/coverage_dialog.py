"""Editing the required coverage of the open project."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from firegui.domain.coverage import RequiredCoverage, fuel_cells
from firegui.domain.project import Project
from firegui.gui.widgets.coverage_form import CoverageForm
from firegui.gui.widgets.coverage_table import CoverageChoice, choice_of
from firegui.io.coverage_toml import shipped_table

_SIZE = QSize(620, 560)
_ABOUT = (
    "How much retardant or water the fuel of a cell needs, in gal per 100 ft². A plan reckons with one value, the mean "
    "over all cells that can burn, each weighted by its area."
)


class CoverageDialog(QDialog):
    """Levels by fuel model or one value for all; nothing changes before OK."""

    def __init__(self, project: Project, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Required coverage")
        self.resize(_SIZE)
        fuel = project.scenario.layers.get("fuel")
        self._cells = {} if fuel is None else fuel_cells(fuel)
        self._before = self._choice = choice_of(project.coverage, self._cells, shipped_table())
        self.form = CoverageForm()
        self.form.edited.connect(self._on_edited)
        about = QLabel(_ABOUT, wordWrap=True)
        about.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addWidget(self.form, 1)
        column.addWidget(buttons)
        self._on_edited(self._choice)

    @property
    def coverage(self) -> RequiredCoverage | None:
        """What was chosen; ``None`` where that is what the project has."""
        return None if self._choice == self._before else self.form.coverage

    def _on_edited(self, choice: CoverageChoice) -> None:
        self._choice = choice
        self.form.show_fuel(self._cells, choice)


def ask_coverage(parent: QWidget | None, project: Project) -> RequiredCoverage | None:
    """Show the form; another required coverage, ``None`` when it was cancelled or nothing was changed."""
    dialog = CoverageDialog(project, parent)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    chosen = dialog.coverage if accepted else None
    dialog.deleteLater()
    return chosen
