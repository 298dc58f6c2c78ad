"""Dialog that exports the playback as a film or picture, and the writer of the film."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from firegui.errors import CancelledError, InputError, Problem, reason_of
from firegui.gui.base.controls import without_mnemonic
from firegui.gui.base.dialogs import Dialog, show_problems
from firegui.gui.base.export_place import ask_export_file, export_place_of
from firegui.gui.base.layouts import plain_label, row, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import Task
from firegui.gui.map.map_board import SIDES, MapBoard, MapRenderer, film_steps, sample_steps
from firegui.gui.map.readout import TITLES
from firegui.gui.session.export_folder import export_stem
from firegui.gui.session.session import FireView, Session
from firegui.gui.widgets.fields import NoScrollComboBox, WholeField
from firegui.io.exporters.animation import MOST_FPS, AnimationFrames, Picture, ffmpeg, film_problems, write_film
from firegui.io.exporters.table import NOTICE

_WAITING = 3
_POLL_S = 0.05


class _PictureQueue:
    """Queue of pictures for the writing thread; ``None`` ends the film."""

    def __init__(self, path: Path, fps: int, samples: Sequence[Picture]) -> None:
        self._path, self._fps, self._samples = path, fps, samples
        self.pictures: queue.Queue[Picture | None] = queue.Queue(_WAITING)

    def write(self, task: Task[None]) -> None:
        """Write the pictures to the file. Called in the thread of ``task``."""
        write_film(self._path, AnimationFrames(self._taken(task), self._fps, self._samples), task.check)

    def _taken(self, task: Task[None]) -> Iterator[Picture]:
        while True:
            task.check()
            try:
                picture = self.pictures.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if picture is None:
                return
            yield picture


class FilmWriter(QObject):
    """Writer of a film of ``steps`` to ``path``.

    It emits :attr:`done` or :attr:`failed` once. Call :meth:`cancel` before the program ends.
    """

    progressed = Signal(int, int)
    """Number of pictures drawn, and their total."""
    done = Signal(object)
    """The ``Path`` of the film."""
    failed = Signal(object)
    """The :class:`InputError` with the reason of the failure."""
    cancelled = Signal()

    def __init__(
        self, renderer: MapRenderer, steps: Sequence[int], path: Path, fps: int, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._renderer, self._steps, self._path = renderer, tuple(steps), path
        self._next = 0
        samples = [renderer.picture(step) for step in sample_steps(steps)] if path.suffix.lower() == ".gif" else []
        film = _PictureQueue(path, fps, samples)
        self._pictures = film.pictures
        self._writer = Task(film.write, self)
        self._writer.ended.connect(self._on_end)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._draw_one)

    @property
    def is_busy(self) -> bool:
        """Whether pictures are being drawn or written."""
        return self._writer.isRunning()

    def begin(self) -> None:
        """Start drawing and writing."""
        self._writer.start()
        self._timer.start()

    def cancel(self) -> None:
        """Stop the film, wait for its thread (a fraction of a second) and delete the partial file."""
        self._timer.stop()
        self._writer.cancel()
        self._writer.wait()

    def _draw_one(self) -> None:
        if self._pictures.full() or not self._writer.isRunning():
            # The writer is behind: let the window handle its events.
            self._timer.setInterval(5)
            return
        self._timer.setInterval(0)
        if self._next == len(self._steps):
            self._pictures.put(None)
            self._timer.stop()
            return
        self._pictures.put(self._renderer.picture(self._steps[self._next]))
        self._next += 1
        self.progressed.emit(self._next, len(self._steps))

    def _on_end(self, task: Task[None]) -> None:
        self._timer.stop()
        self._renderer.deleteLater()
        match task.error:
            case None:
                self.done.emit(self._path)
            case CancelledError():
                self.cancelled.emit()
            case InputError():
                self.failed.emit(task.error)
            case error:
                self.failed.emit(
                    InputError([Problem(str(self._path), reason_of(error), "choose another place or kind")])
                )


KINDS = ((".mp4", "MP4 film"), (".gif", "GIF film"), (".png", "PNG picture of the shown step"))
_USUAL_FPS = 12
_SIZES = (QSize(1280, 720), QSize(1920, 1080), QSize(3840, 2160))


class AnimationDialog(Dialog):
    """Dialog for the settings of a film. The window stays usable while it is made; Cancel stops it."""

    def __init__(self, session: Session, board: MapBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export animation")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._board = session, board
        self._film: FilmWriter | None = None
        self.written: Path | None = None
        self.kind, self.sides, self.size_box = NoScrollComboBox(), NoScrollComboBox(), NoScrollComboBox()
        days = session.project.calendar.days
        self.first = WholeField(1, days, value=1, prefix="day ")
        self.last = WholeField(1, days, value=days, prefix="day ")
        self.fps = WholeField(1, MOST_FPS, value=_USUAL_FPS, suffix=" fps")
        self.file, self.bar = QLineEdit(), QProgressBar()
        self._note = plain_label(wordWrap=True)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._fill()
        self._lay_out()
        self._choose_kind()

    @property
    def save_button(self) -> QPushButton:
        """The button that starts the film."""
        return self._buttons.button(QDialogButtonBox.StandardButton.Save)

    @property
    def is_busy(self) -> bool:
        """Whether a film is being made."""
        return self._film is not None and self._film.is_busy

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps of the film: every frame of the chosen days, including the end of the last day."""
        if self.kind.currentData() == ".png":
            return (self._session.step,)
        first = self.first.value() - 1
        return film_steps(self._session, first, self.last.value() - first)

    # -- making the film ---------------------------------------------------------------------------------------------
    def accept(self) -> None:
        """Start the film; if there are problems, list them and write nothing."""
        path = Path(self.file.text().strip()).expanduser()
        problems = film_problems(path, self.fps.value())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problems.append(Problem(str(path.parent), reason_of(error), "choose another folder"))
        if problems:
            show_problems(self, InputError(problems, "The film cannot be made"))
            return
        if (place := export_place_of(self)) is not None:
            place.remember(path.parent)
        renderer = MapRenderer(self._session, self._board, self.sides.currentData() or (), self.size_box.currentData())
        self._film = FilmWriter(renderer, self.steps, path, self.fps.value(), self)
        self._film.progressed.connect(self._on_progress)
        self._film.done.connect(self._on_done)
        self._film.failed.connect(self._on_failed)
        self._film.cancelled.connect(self._on_cancelled)
        self._set_busy(True)
        self._film.begin()

    def reject(self) -> None:
        """Stop the film that is being made, or close."""
        if self.is_busy and self._film is not None:
            self._film.cancel()
        else:
            super().reject()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter end the editing of a field instead of starting a film."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the film when its dialog closes."""
        if self._film is not None:
            self._film.cancel()
        super().closeEvent(event)

    def _on_progress(self, drawn: int, of: int) -> None:
        self.bar.setMaximum(of)
        self.bar.setValue(drawn)

    def _on_done(self, path: Path) -> None:
        self.written = path
        self._session.message.emit(f"Exported {path.name} to {path.parent}")
        self._set_busy(False)
        super().accept()

    def _on_failed(self, error: InputError) -> None:
        self._set_busy(False)
        show_problems(self, error)

    def _on_cancelled(self) -> None:
        self._set_busy(False)
        self._session.message.emit("The film was cancelled; nothing was written")

    def _set_busy(self, on: bool) -> None:
        for widget in (
            self.kind,
            self.sides,
            self.size_box,
            self.first,
            self.last,
            self.fps,
            self.file,
            self.save_button,
        ):
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
        there = {FireView.BASELINE: result.baseline is not None, FireView.PLAN: result.plan is not None}
        there[FireView.DIFFERENCE] = all(there.values())
        first, second = result.short_names
        compared = {FireView.BASELINE: first, FireView.PLAN: second, FireView.DIFFERENCE: "Difference"}
        names = compared if result.against else TITLES
        for view in SIDES:
            if there[view]:
                self.sides.addItem(f"{names[view]} alone", (view,))
        if all(there.values()):
            self.sides.addItem(" | ".join(names[view] for view in SIDES), SIDES)
        self.size_box.addItem("As on screen", None)
        for size in _SIZES:
            self.size_box.addItem(f"{size.width()} × {size.height()} pixels", size)
        # The name of the other files of the run; films of two runs do not replace each other.
        name = export_stem(self._session)
        place = export_place_of(self)
        self.file.setText(str((Path.home() if place is None else place.folder) / f"{name}.mp4"))
        self.kind.currentIndexChanged.connect(self._choose_kind)
        self.first.valueChanged.connect(self.last.setMinimum)
        self.last.valueChanged.connect(self.first.setMaximum)

    def _lay_out(self) -> None:
        browse = QPushButton("Browse…")
        browse.clicked.connect(self._browse)
        browse.setToolTip("Choose the file of the film on this computer")
        form = QFormLayout()
        for title, fields, part, tip in (
            ("&Kind", (self.kind,), self.kind, "MP4 plays everywhere, a GIF in any document"),
            ("&Show", (self.sides,), self.sides, "Layers and place are those on screen"),
            ("&Size", (self.size_box,), self.size_box, "Size of a picture; the maps are scaled to it"),
            (
                "From",
                (self.first, self.last),
                row(self.first, plain_label("to the end of"), self.last),
                "Days of the plan",
            ),
            ("&Pace", (self.fps,), self.fps, "Frames a second"),
            ("File", (self.file,), row(self.file, browse, stretch=self.file), "File"),
        ):
            form.addRow(title, part)
            for field in fields:
                field.setToolTip(tooltip(tip))
                field.setAccessibleName(without_mnemonic(title))
        self._note.setProperty("role", "muted")
        self.bar.setVisible(False)
        vertical(self, form, self._note, self.bar, self._buttons, least_width=480)
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
        chosen = ask_export_file(self, "Film", Path(self.file.text()).name, "")
        if chosen is not None:
            self.file.setText(str(chosen))
