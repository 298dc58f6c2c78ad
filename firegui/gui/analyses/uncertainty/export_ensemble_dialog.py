"""Export of an ensemble: its tables, maps and figures as files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFormLayout,
    QPushButton,
    QWidget,
)  # fmt: skip

from firegui.analyses.uncertainty.export import TITLE, available_parts, part_names
from firegui.analyses.uncertainty.results import EnsembleHeader
from firegui.domain.uncertainty import KIND_TITLES
from firegui.errors import InputError, Problem
from firegui.gui.base.dialogs import Dialog, confirm_replace, show_problems
from firegui.gui.base.export_place import export_place_of
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_job import RunSlot
from firegui.gui.session.export_folder import ExportFolder, hyphened
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import PathField
from firegui.runs.events import Progress, RunFinished
from firegui.runs.messages import counted
from firegui.runs.spec import EnsembleExportSpec, EnsemblePart
from firegui.runs.stages import FinishReason

_PARTS = {
    EnsemblePart.TABLES: "Tables (CSV) — one line a fire, the summary, and what it was made of",
    EnsemblePart.MAPS: "Maps (GeoTIFF) — mean chance burned so far, one band a day boundary",
    EnsemblePart.FIGURES: "Figures (PNG and SVG) — fan, benefit, convergence",
    EnsemblePart.ERROR_MODEL: "Error model (CSV, GeoTIFF) — semivariogram and residuals",
}


class EnsembleExportDialog(Dialog):
    """Dialog to choose the files and the folder of an export.

    It stays open and lists the written files or the problems.
    """

    def __init__(
        self, session: Session, work: RunSlot, folder: Path, header: EnsembleHeader, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export the ensemble")
        self._session, self._work, self._ensemble, self._header = session, work, folder, header
        there = available_parts(folder)
        self.boxes = {part: QCheckBox(text) for part, text in _PARTS.items()}
        for part, box in self.boxes.items():
            box.setToolTip(tooltip(f"Write {box.text().partition(' —')[0]}"))
            box.setChecked(part in there)
            box.setVisible(part in there)
            box.toggled.connect(self._refresh)
        self.folder = PathField("folder", "Folder for the export", kind="folder")
        place = export_place_of(self) or ExportFolder(session, Preferences())
        self.folder.line.setText(str(place.folder_for(hyphened(f"{header.project.name} {folder.name}"))))
        self.written: Path | None = None
        self.activity = plain_label(wordWrap=True)
        self.activity.setProperty("role", "muted")
        self.why_not = plain_label("No part is selected.")
        self.why_not.setProperty("role", "muted")
        self.open_button = QPushButton("Open folder")
        self.open_button.setAutoDefault(False)
        self.open_button.setToolTip("Show the folder in the file manager")
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._lay_out()
        work.changed.connect(self._refresh)
        self._refresh()

    @property
    def parts(self) -> tuple[EnsemblePart, ...]:
        """The selected parts."""
        return tuple(part for part, box in self.boxes.items() if box.isChecked())

    @property
    def save_button(self) -> QPushButton:
        """The button that writes the files."""
        return self._buttons.button(QDialogButtonBox.StandardButton.Save)

    @property
    def close_button(self) -> QPushButton:
        """The button that cancels, or closes once files were written."""
        return self._buttons.button(QDialogButtonBox.StandardButton.Cancel)

    def accept(self) -> None:
        """Write the files in a thread."""
        if self._work.is_busy:
            return
        out = self.folder.path
        if out is None:
            show_problems(
                self, InputError([Problem("Folder", "no folder is chosen", "choose where the files go")], TITLE)
            )
            return
        names = [name for part in self.parts for name in part_names(part, self._header)]
        if confirm_replace(self, out, names):
            self._work.begin(EnsembleExportSpec(self._ensemble, out, self.parts), self._subscribe)

    def reject(self) -> None:
        """Cancel; partly written files are deleted."""
        self._work.cancel()
        super().reject()

    # -- running -----------------------------------------------------------------------------------------------------
    def _subscribe(self, bridge: EventBridge) -> None:
        bridge.subscribe(Progress, self._on_progress)
        bridge.subscribe(RunFinished, self._on_finished)

    def _on_progress(self, event: Progress) -> None:
        self.activity.setText(f"{event.text}…")

    def _on_finished(self, event: RunFinished) -> None:
        self.activity.setText("")
        if event.reason is FinishReason.COMPLETED:
            self.written = event.folder
            self._session.message.emit(f"Exported the ensemble to {event.folder}")
            self.activity.setText(event.message[:1].upper() + event.message[1:])
            self.close_button.setText("Close")
            self.close_button.setFocus()
        elif event.reason is FinishReason.FAILED:
            problems = event.problems or (Problem(self.folder.text, event.message),)
            show_problems(self, InputError(problems, TITLE))

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        kind, done = KIND_TITLES[self._header.settings.kind], self._header.members_done
        summary = plain_label(f"{kind}, {counted(done, 'member')}, seed {self._header.seed}.", wordWrap=True)
        form = QFormLayout()
        form.addRow("Files", vertical(None, *self.boxes.values()))
        form.addRow("Folder", self.folder)
        self.save_button.setText("Export")
        self._buttons.addButton(self.open_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.open_button.clicked.connect(self._open_folder)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        vertical(self, summary, form, self.activity, self.why_not, self._buttons, spacing=10, least_width=560)

    def _open_folder(self) -> None:
        if self.written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.written)))

    def _refresh(self) -> None:
        free = not self._work.is_busy
        self.save_button.setEnabled(free and bool(self.parts))
        self.why_not.setVisible(not self.parts)
        self.open_button.setVisible(free and self.written is not None)
        for part in (*self.boxes.values(), self.folder):
            part.setEnabled(free)
