"""Handing over the plan that is on screen, in every format that it can be written in."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, QStandardPaths, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.base.dialogs import show_problems
from firegui.gui.base.layouts import vertical
from firegui.gui.base.tasks import LatestTask
from firegui.gui.exporting.export_options import FormatList, MapSheetForm, PagePreview
from firegui.gui.exporting.export_source import ExportSource, PreparedExport, prepared
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.widgets.path_fields import PathField
from firegui.io.exporters import file_names
from firegui.io.exporters.content import ExportContent
from firegui.runs.export import hand_over
from firegui.runs.messages import counted

TITLE = "Nothing was exported"
_SHOW_PLAN = "show its run from the list of runs"
_SIZE = QSize(1120, 780)
_WAIT = "Drawing the map…"


class ExportDialog(QDialog):
    """Formats, a sheet, a folder and names, and the map as it will be printed.

    Everything is worked out and written in threads of their own. What was wrong is listed, what was written too, and
    the dialog stays open.
    """

    begun = Signal(str)
    """The file that is being written; emitted by the thread that writes, heard in the window's."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export the plan")
        self.setSizeGripEnabled(True)
        self.resize(_SIZE)
        self._session = session
        self._can = bool(session.result.drops) and not session.result.of_ensemble
        self._source = ExportSource.of(session) if self._can else None
        self._ready: PreparedExport | None = None
        self._trouble: FireguiError | None = None
        self.written: list[Path] = []
        self._waiting: list[str] = []
        self.formats = FormatList()
        self.sheet = MapSheetForm(self._source.project.calendar.days if self._source is not None else 1)
        self.water = PathField("exportWater", "a raster or vector file; empty: water of the fuel layer", files=_WATER)
        self.folder = PathField("exportFolder", "where the files go", kind="folder")
        self.folder.line.setText(str(_first_folder(session)))
        self.standard = QCheckBox("Name files as the wildfire agencies' standard asks (PMS 936)")
        self.stem = QLineEdit(_first_stem(session))
        self.preview = PagePreview()
        self._prepare, self._write = LatestTask(self), LatestTask(self, settle_ms=0)
        self._summary, self._warnings, self._names, self.activity = (QLabel(wordWrap=True) for _ in range(4))
        self._why_not = QLabel()
        self._bar = QProgressBar()
        self.save_button, self.close_button = QPushButton("Export"), QPushButton("Cancel")
        self.open_button = QPushButton("Open folder")
        self._lay_out()
        self._connect()
        self._ask()

    @property
    def summary(self) -> str:
        """What will be written, in words."""
        return self._summary.text()

    @property
    def warnings(self) -> str:
        """What nobody may overlook of the plan, in words; empty until it is worked out."""
        return self._warnings.text()

    @property
    def why_not(self) -> str:
        """Why nothing can be exported just now; empty when it can."""
        return self._why_not.text()

    @property
    def names(self) -> str:
        """The files that will be written, in words."""
        return self._names.text()

    @property
    def is_busy(self) -> bool:
        """Whether something is worked out or written."""
        return self._prepare.is_busy or self._write.is_busy

    # -- what people do ----------------------------------------------------------------------------------------------
    def accept(self) -> None:
        """Write the files in a thread."""
        if self._write.is_busy:
            return
        try:
            folder, content = self._place()
        except InputError as error:
            show_problems(self, error)
            return
        formats, stem = self.formats.chosen, self._stem()
        names = file_names(content, formats, stem)
        if self._may_replace(folder, names):
            self._waiting = names
            self._write.request(partial(hand_over, content, formats, folder, stem, tell=self.begun.emit))
            self._refresh()

    def reject(self) -> None:
        """Give up what is being written; with nothing at work, close."""
        if self._write.is_busy:
            self._write.cancel()
            self.activity.setText("Stopped; no file was written.")
            self._refresh()
            return
        super().reject()

    def done(self, result: int) -> None:
        """Wait for the threads before going."""
        self._prepare.shutdown()
        self._write.shutdown()
        super().done(result)

    def _place(self) -> tuple[Path, ExportContent]:
        problems = []
        if self.folder.path is None:
            problems.append(Problem("Folder", "is empty", "choose where the files go"))
        stem = self._stem()
        if stem is not None and (not stem or Path(stem).name != stem):
            problems.append(Problem("Name", f"{stem!r} is not a file name", "use a name without slashes"))
        if not self.formats.chosen:
            problems.append(Problem("Formats", "none is chosen", "tick at least one"))
        result, folder = self._session.result, self.folder.path
        if result.of_ensemble:
            problems.append(Problem("Schedule", f"the map shows an ensemble: {result.title}", _SHOW_PLAN))
        elif self._source is None:
            problems.append(Problem("Schedule", "no drops are shown", "run a plan or show one from the list of runs"))
        elif self._trouble is not None:
            problems.extend(as_input_error(self._trouble, "the plan").problems)
        elif self._ready is None:
            problems.append(Problem("Schedule", "it is still being worked out", "wait until the map is drawn"))
        if problems or folder is None or self._ready is None:
            raise InputError(problems, TITLE)
        return folder, self._ready.content

    def _stem(self) -> str | None:
        """The beginning of every name; ``None`` for names by the standard."""
        return None if self.standard.isChecked() else self.stem.text().strip()

    def _may_replace(self, folder: Path, names: list[str]) -> bool:
        there = [name for name in names if (folder / name).exists()]
        if not there:
            return True
        text = f"{', '.join(there)} already {'exists' if len(there) == 1 else 'exist'} in {folder}. Replace?"
        return QMessageBox.question(self, "Replace files", text) == QMessageBox.StandardButton.Yes

    def _open_folder(self) -> None:
        if self.written:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.written[0].parent)))

    # -- at work -----------------------------------------------------------------------------------------------------
    def _ask(self) -> None:
        """Work out the plan on the chosen sheet and draw its map."""
        if self._source is None:
            self._refresh()
            return
        self._trouble = None
        self.preview.say(_WAIT)
        self._prepare.request(partial(prepared, self._source, self.water.path, self.sheet.sheet, self._ready))
        self._refresh()

    def _on_prepared(self, ready: PreparedExport) -> None:
        self._ready = ready
        self.formats.refuse(ready.refused)
        self._warnings.setText("\n".join(f"{warning}." for warning in ready.content.warnings))
        self._warnings.setVisible(bool(ready.content.warnings))
        self.preview.show_page(ready.picture)
        self.preview.say("" if ready.picture is not None else ready.refused.get("png", ""))
        self._refresh()

    def _on_trouble(self, error: Exception) -> None:
        self._trouble = error if isinstance(error, FireguiError) else as_input_error(error, "the plan")
        self.preview.show_page(None)
        self.preview.say(str(as_input_error(self._trouble, "the plan").problems[0]))
        self._refresh()

    def _on_begun(self, name: str) -> None:
        if self._write.is_busy and name in self._waiting:
            number = self._waiting.index(name)
            self._bar.setRange(0, len(self._waiting))
            self._bar.setValue(number)
            self.activity.setText(f"Writing {number + 1} of {len(self._waiting)}: {name}…")

    def _on_written(self, paths: list[Path]) -> None:
        self.written = paths
        lines = "\n".join(f"{path.name}  ({_size(path)})" for path in paths)
        self.activity.setText(f"Wrote {counted(len(paths), 'file')} to {paths[0].parent}:\n{lines}")
        self._session.message.emit(f"Exported {', '.join(path.name for path in paths)} to {paths[0].parent}")
        self.close_button.setText("Close")
        self._refresh()

    def _on_failed(self, error: Exception) -> None:
        self.activity.setText("")
        self._refresh()
        show_problems(self, as_input_error(error, self.folder.text))

    def _refresh(self) -> None:
        writing = self._write.is_busy
        chosen, reason = self.formats.chosen, self._reason()
        self.save_button.setEnabled(not reason)
        self._why_not.setText(reason)
        self.open_button.setEnabled(bool(self.written) and not writing)
        self._bar.setVisible(writing)
        self.stem.setEnabled(not self.standard.isChecked())
        for part in (self.formats, self.sheet, self.water, self.folder, self.standard):
            part.setEnabled(self._can and not writing)
        if writing:
            self._bar.setRange(0, 0)
            self.activity.setText("Looking at the plan's drops…")
        stem = self._stem()
        known = self._ready is not None and chosen and (stem is None or stem)
        names = file_names(self._ready.content, chosen, stem) if known and self._ready is not None else []
        self._names.setText(", ".join(names) or "nothing yet")

    def _reason(self) -> str:
        """Why nothing can be exported just now; empty when it can."""
        if self._source is None:
            return "There is no plan to export."
        if self._write.is_busy:
            return "The files are being written…"
        if self._prepare.is_busy:
            return "The preview is being drawn…"
        if self._trouble is not None or self._ready is None:
            return "What is wrong stands in the preview."
        return "" if self.formats.chosen else "No format is ticked."

    # -- layout ------------------------------------------------------------------------------------------------------
    def _connect(self) -> None:
        self.formats.changed.connect(self._refresh)
        self.standard.toggled.connect(self._refresh)
        self.stem.textChanged.connect(self._refresh)
        self.folder.line.textChanged.connect(self._refresh)
        self.sheet.changed.connect(self._ask)
        self.water.settled.connect(self._ask)
        self._prepare.returned.connect(self._on_prepared)
        self._prepare.raised.connect(self._on_trouble)
        self.begun.connect(self._on_begun)
        self._write.returned.connect(self._on_written)
        self._write.raised.connect(self._on_failed)
        for button, press in (
            (self.save_button, self.accept),
            (self.close_button, self.reject),
            (self.open_button, self._open_folder),
        ):
            button.clicked.connect(press)
        self.open_button.setAutoDefault(False)
        self.close_button.setAutoDefault(False)
        self.save_button.setDefault(True)

    def _lay_out(self) -> None:
        self._summary.setText(_summary(self._session.result))
        self._stale = QLabel(
            "The project was edited since this plan was made. The plan is exported as it is shown.", wordWrap=True
        )
        self._stale.setProperty("role", "warning")
        self._stale.setVisible(self._session.result.stale)
        self._warnings.setProperty("role", "warning")
        self._warnings.setVisible(False)
        for muted in (self._names, self._why_not):
            muted.setProperty("role", "muted")
        self.activity.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._bar.setRange(0, 0)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self._options())
        split.addWidget(self._preview_side())
        split.setStretchFactor(1, 1)
        split.setSizes([560, 560])
        vertical(self, self._summary, self._stale, self._warnings, (split, 1), self._button_row(), spacing=8)

    def _options(self) -> QScrollArea:
        """Everything to choose, scrolled where the screen is low."""
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        for title, widget in (("Formats", self.formats), ("Maps and briefing", self.sheet)):
            box = QGroupBox(title)
            QVBoxLayout(box).addWidget(widget)
            column.addWidget(box)
        files = QGroupBox("Files")
        form = QFormLayout(files)
        form.addRow("Water", self.water)
        form.addRow("Folder", self.folder)
        form.addRow("", self.standard)
        form.addRow("Name", self.stem)
        form.addRow("Writes", self._names)
        self.standard.setChecked(True)
        column.addWidget(files)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumWidth(470)
        area.setWidget(inside)
        return area

    def _preview_side(self) -> QWidget:
        inside = QWidget()
        vertical(inside, (self.preview, 1), self.activity, margins=(8, 0, 0, 0))
        return inside

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self._bar.setFixedWidth(160)
        row.addWidget(self.open_button)
        row.addStretch(1)
        row.addWidget(self._why_not)
        row.addWidget(self._bar)
        row.addWidget(self.save_button)
        row.addWidget(self.close_button)
        return row


_WATER = "Water (*.gpkg *.geojson *.json *.shp *.kml *.tif *.tiff *.img *.vrt *.asc);;All files (*)"


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{max(size / 1e3, 0.1):,.1f} kB"


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
    """A folder beside the project, or among the documents, that is called after the event and the run."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    place = Path(documents or Path.home()) if session.folder is None else session.folder.absolute().parent
    return place / _first_stem(session)


def _first_stem(session: Session) -> str:
    text = f"{session.project.scenario.name} {session.result.title}" if session.has_project else "schedule"
    kept = "".join(letter if letter.isalnum() else "-" for letter in text.lower())
    return "-".join(part for part in kept.split("-") if part) or "schedule"
