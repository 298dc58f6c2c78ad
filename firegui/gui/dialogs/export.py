"""Handing over the drops that are on screen."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.dialogs.problems import show_problems
from firegui.gui.reporting import as_input_error
from firegui.gui.session import Session, ShownResult
from firegui.io.exporters import checked_formats, export

FORMATS = (
    ("csv", "CSV table", "one row a drop; firegui reads it back exactly"),
    ("geojson", "GeoJSON", "drops as points for a GIS; needs a georeferenced grid"),
)


_SHOW_PLAN = "show its run from the list of runs"


def export_all(
    drops: Sequence[DropRecord], project: Project, formats: Sequence[str], folder: Path, stem: str
) -> list[Path]:
    """Like :func:`firegui.io.exporters.export`, but every file appears or none does.

    The files are written beside their place first and moved there once all of them are whole. Raises
    :class:`InputError`.
    """
    formats = checked_formats(project, formats)  # before a folder is made for files that cannot be written
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=folder) as waiting:
            written = export(drops, project, formats, Path(waiting), stem)
            for path in written:
                os.replace(path, folder / path.name)
            return [folder / path.name for path in written]
    except OSError as error:
        raise as_input_error(error, str(folder)) from error


class ExportDialog(QDialog):
    """Formats, a folder and a name. What was wrong is listed and the dialog stays open."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export the schedule")
        self.setMinimumWidth(520)
        self._session = session
        self.written: list[Path] = []
        self.boxes = {name: QCheckBox(f"{title} — {use}") for name, title, use in FORMATS}
        self.boxes["csv"].setChecked(True)
        self.boxes["geojson"].setChecked(session.has_project and session.project.scenario.grid.is_georeferenced)
        self.folder = QLineEdit(str(_first_folder(session)))
        self.stem = QLineEdit(_first_stem(session))
        self._summary = QLabel(_summary(session.result), wordWrap=True)
        self._stale = QLabel(
            "The project was edited since this plan was made. The plan is exported as it is shown.", wordWrap=True
        )
        self._stale.setProperty("role", "warning")
        self._stale.setVisible(session.result.stale)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._lay_out()

    @property
    def summary(self) -> str:
        """What will be written, in words."""
        return self._summary.text()

    @property
    def save_button(self) -> QPushButton:
        """The button that writes."""
        return self._buttons.button(QDialogButtonBox.StandardButton.Save)

    @property
    def formats(self) -> tuple[str, ...]:
        """The chosen formats."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def accept(self) -> None:
        """Write the files, and close when that worked."""
        result = self._session.result
        try:
            folder, stem = self._place()
            if not self._may_replace(folder, stem):
                return
            self.written = export_all(result.drops, result.project or self._session.project, self.formats, folder, stem)
        except FireguiError as error:
            show_problems(self, as_input_error(error, self.folder.text()))
            return
        self._session.message.emit(f"Exported {', '.join(path.name for path in self.written)} to {folder}")
        super().accept()

    def _place(self) -> tuple[Path, str]:
        text, stem = self.folder.text().strip(), self.stem.text().strip()
        problems = []
        if not text:
            problems.append(Problem("Folder", "is empty", "choose where the files go"))
        if not stem or Path(stem).name != stem:
            problems.append(Problem("Name", f"{stem!r} is not a file name", "use a name without slashes"))
        if not self.formats:
            problems.append(Problem("Formats", "none is chosen", "tick at least one"))
        result = self._session.result
        if result.of_ensemble:
            problems.append(Problem("Schedule", f"the map shows an ensemble: {result.title}", _SHOW_PLAN))
        elif not result.drops:
            problems.append(Problem("Schedule", "no drops are shown", "run a plan or show one from the list of runs"))
        if problems:
            raise InputError(problems, "Nothing was exported")
        return Path(text).expanduser(), stem

    def _may_replace(self, folder: Path, stem: str) -> bool:
        there = [f"{stem}.{name}" for name in self.formats if (folder / f"{stem}.{name}").exists()]
        if not there:
            return True
        text = f"{', '.join(there)} already {'exists' if len(there) == 1 else 'exist'} in {folder}. Replace?"
        return QMessageBox.question(self, "Replace files", text) == QMessageBox.StandardButton.Yes

    def _browse(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, "Folder for the export", self.folder.text())
        if chosen:
            self.folder.setText(chosen)

    def _lay_out(self) -> None:
        browse = QPushButton("Browse…")
        browse.clicked.connect(lambda _checked=False: self._browse())
        where = QHBoxLayout()
        where.addWidget(self.folder, 1)
        where.addWidget(browse)
        formats = QVBoxLayout()
        for box in self.boxes.values():
            box.toggled.connect(lambda _on: self._refresh())
            formats.addWidget(box)
        form = QFormLayout()
        form.addRow("Formats", formats)
        form.addRow("Folder", where)
        form.addRow("Name", self.stem)
        self.save_button.setText("Export")
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        for widget in (self._summary, self._stale):
            column.addWidget(widget)
        column.addLayout(form)
        column.addWidget(self._buttons)
        self._refresh()

    def _refresh(self) -> None:
        result = self._session.result
        self.save_button.setEnabled(bool(self.formats and result.drops) and not result.of_ensemble)


def _summary(result: ShownResult) -> str:
    if result.of_ensemble:
        return (
            f"The map shows an ensemble: {result.title}. That is no plan to hand over. To export the schedule, "
            f"{_SHOW_PLAN}. The Uncertainty dock exports the ensemble."
        )
    if not result.drops:
        return "No drops are shown. Run a plan, or show one from the list of runs."
    executed = sum(drop.executed for drop in result.drops)
    blocked = len(result.drops) - executed
    epoch = f", epoch {result.epoch + 1:,}" if result.epoch >= 0 else ""
    held_back = f" and {blocked:,} proposed ones that the gates hold back" if blocked else ""
    return f"{result.title}{epoch}: {executed:,} executed drops{held_back}."


def _first_folder(session: Session) -> Path:
    if session.folder is not None:
        return session.folder.parent
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation) or Path.home())


def _first_stem(session: Session) -> str:
    text = f"{session.project.scenario.name} {session.result.title}" if session.has_project else "schedule"
    kept = "".join(letter if letter.isalnum() else "-" for letter in text.lower())
    return "-".join(part for part in kept.split("-") if part) or "schedule"
