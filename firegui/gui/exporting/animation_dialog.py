"""Keeping what is played: a film or a picture of the map as it is on screen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.errors import InputError
from firegui.gui.base.dialogs import show_problems
from firegui.gui.exporting.film_writer import FilmWriter
from firegui.gui.map.map_board import SIDES, MapBoard
from firegui.gui.map.map_renderer import MapRenderer, film_steps
from firegui.gui.session.session import Session, View
from firegui.io.exporters.animation import MOST_FPS, ffmpeg, film_problems
from firegui.io.exporters.table import NOTICE

KINDS = ((".mp4", "MP4 film"), (".gif", "GIF film"), (".png", "PNG picture of the shown step"))
_USUAL_FPS = 12


class AnimationDialog(QDialog):
    """Kind, sides, days, pace and file. Stays usable beside the window while it works; Cancel gives the film up."""

    def __init__(self, session: Session, board: MapBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export animation")
        self.setMinimumWidth(480)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._board = session, board
        self._maker: FilmWriter | None = None
        self.written: Path | None = None
        self.kind, self.sides = QComboBox(), QComboBox()
        days = session.project.calendar.days
        self.first = QSpinBox(minimum=1, maximum=days, value=1, prefix="day ")
        self.last = QSpinBox(minimum=1, maximum=days, value=days, prefix="day ")
        self.fps = QSpinBox(minimum=1, maximum=MOST_FPS, value=_USUAL_FPS, suffix=" fps")
        self.file, self.bar = QLineEdit(), QProgressBar()
        self._note = QLabel(wordWrap=True)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._fill()
        self._lay_out()
        self._choose_kind()

    @property
    def save_button(self) -> QPushButton:
        """The button that begins."""
        return self._buttons.button(QDialogButtonBox.StandardButton.Save)

    @property
    def cancel_button(self) -> QPushButton:
        """The button that gives up, or closes."""
        return self._buttons.button(QDialogButtonBox.StandardButton.Cancel)

    @property
    def is_at_work(self) -> bool:
        """Whether a film is being made."""
        return self._maker is not None and self._maker.is_at_work

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps of the film: every frame there is of the chosen days, the last one's end with them."""
        if self.kind.currentData() == ".png":
            return (self._session.step,)
        first = self.first.value() - 1
        return film_steps(self._session, first, self.last.value() - first)

    # -- working -----------------------------------------------------------------------------------------------------
    def accept(self) -> None:
        """Begin; what is wrong is listed and nothing is written."""
        path = Path(self.file.text().strip()).expanduser()
        problems = film_problems(path, self.fps.value())
        if problems:
            show_problems(self, InputError(problems, "The film cannot be made"))
            return
        stage = MapRenderer(self._session, self._board, self.sides.currentData() or ())
        self._maker = FilmWriter(stage, self.steps, path, self.fps.value(), self)
        self._maker.progressed.connect(self._on_progress)
        self._maker.done.connect(self._on_done)
        self._maker.failed.connect(self._on_failed)
        self._maker.cancelled.connect(self._on_cancelled)
        self._set_at_work(True)
        self._maker.begin()

    def reject(self) -> None:
        """Give up the film that is being made; without one, close."""
        if self.is_at_work and self._maker is not None:
            self._maker.cancel()
        else:
            super().reject()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in a field ends the typing; it must not begin a film."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Nothing goes on without its window."""
        if self._maker is not None:
            self._maker.cancel()
        super().closeEvent(event)

    def _on_progress(self, drawn: int, of: int) -> None:
        self.bar.setMaximum(of)
        self.bar.setValue(drawn)

    def _on_done(self, path: Path) -> None:
        self.written = path
        self._session.message.emit(f"Exported {path.name} to {path.parent}")
        self._set_at_work(False)
        super().accept()

    def _on_failed(self, error: InputError) -> None:
        self._set_at_work(False)
        show_problems(self, error)

    def _on_cancelled(self) -> None:
        self._set_at_work(False)
        self._session.message.emit("The film was given up; nothing was written")

    def _set_at_work(self, on: bool) -> None:
        for widget in (self.kind, self.sides, self.first, self.last, self.fps, self.file, self.save_button):
            widget.setEnabled(not on)
        self.bar.setVisible(on)
        if not on:
            self._choose_kind()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _fill(self) -> None:
        for ending, title in KINDS:
            self.kind.addItem(title, ending)
        self.kind.setCurrentIndex(0 if ffmpeg() is not None else 1)
        result = self._session.result
        self.sides.addItem("As on screen", ())
        there = {View.BASELINE: result.baseline is not None, View.PLAN: result.plan is not None}
        there[View.DIFFERENCE] = all(there.values())
        for view in SIDES:
            if there[view]:
                self.sides.addItem(f"{view.value.capitalize()} alone", (view,))
        if all(there.values()):
            self.sides.addItem("Baseline | plan | difference", SIDES)
        folder = self._session.folder
        name = self._session.project.scenario.name.replace("/", "-")
        place = folder.absolute().parent if folder is not None else Path.home()
        self.file.setText(str(place / f"{name}.mp4"))
        self.kind.currentIndexChanged.connect(self._choose_kind)
        self.first.valueChanged.connect(self.last.setMinimum)
        self.last.valueChanged.connect(self.first.setMaximum)

    def _lay_out(self) -> None:
        days, place = QHBoxLayout(), QHBoxLayout()
        for each in (self.first, QLabel("to the end of"), self.last):
            days.addWidget(each)
        days.addStretch(1)
        browse = QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        place.addWidget(self.file, 1)
        place.addWidget(browse)
        form = QFormLayout()
        for title, what, tip in (
            ("&Kind", self.kind, "MP4 plays everywhere, a GIF in any document"),
            ("&Show", self.sides, "Layers, place, size and scale are those on screen"),
            ("From", days, "Days of the plan"),
            ("&Pace", self.fps, "Frames a second"),
            ("File", place, "Where it goes"),
        ):
            form.addRow(title, what)
            for widget in [what] if isinstance(what, QWidget) else [self.first, self.last, self.file]:
                widget.setToolTip(widget.toolTip() or tip)
                widget.setAccessibleName(widget.accessibleName() or title.replace("&", ""))
        self._note.setProperty("role", "muted")
        self.bar.setVisible(False)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self._note)
        column.addWidget(self.bar)
        column.addWidget(self._buttons)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)

    def _choose_kind(self) -> None:
        ending = str(self.kind.currentData())
        path = Path(self.file.text())
        self.file.setText(str(path.with_suffix(ending)) if path.name else self.file.text())
        moving = ending != ".png"
        for widget in (self.first, self.last, self.fps):
            widget.setEnabled(moving)
        missing = " MP4 needs the extra firegui[video] or ffmpeg." if ffmpeg() is None else ""
        self._note.setText(f"Below the picture stands: “{NOTICE}”.{missing}")

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, "Film", self.file.text())
        if chosen:
            self.file.setText(chosen)
