"""A film in the making: pictures are drawn between two events of the window, and written in a thread of their own."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from firegui.errors import CancelledError, InputError, Problem
from firegui.gui.base.tasks import Task
from firegui.gui.map.map_renderer import MapRenderer, sample_steps
from firegui.io.exporters.animation import Film, Picture, write_film

_WAITING = 3
_POLL_S = 0.05


class _PictureQueue:
    """Pictures on their way to the thread that writes them; ``None`` ends the film."""

    def __init__(self, path: Path, fps: int, samples: Sequence[Picture]) -> None:
        self._path, self._fps, self._samples = path, fps, samples
        self.pictures: queue.Queue[Picture | None] = queue.Queue(_WAITING)

    def write(self, task: Task[None]) -> None:
        """Write the pictures to the file. Called in the thread of ``task``."""
        write_film(self._path, Film(self._taken(task), self._fps, self._samples), task.check)

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
    """Films ``steps`` on ``stage`` into ``path`` and ends in one of its signals. Call :meth:`cancel` in the end."""

    progressed = Signal(int, int)
    """Pictures drawn, of so many."""
    done = Signal(object)
    """The ``Path`` of the film."""
    failed = Signal(object)
    """The :class:`InputError` that says why there is none."""
    cancelled = Signal()

    def __init__(
        self, stage: MapRenderer, steps: Sequence[int], path: Path, fps: int, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._stage, self._steps, self._path = stage, tuple(steps), path
        self._next = 0
        samples = [stage.picture(step) for step in sample_steps(steps)] if path.suffix.lower() == ".gif" else []
        film = _PictureQueue(path, fps, samples)
        self._pictures = film.pictures
        self._writer = Task(film.write, self)
        self._writer.ended.connect(self._on_end)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._draw_one)

    @property
    def is_at_work(self) -> bool:
        """Whether pictures are drawn or written."""
        return self._writer.isRunning()

    def begin(self) -> None:
        """Start."""
        self._writer.start()
        self._timer.start()

    def cancel(self) -> None:
        """Give the film up and wait until its thread has ended, a fraction of a second; nothing of it is left."""
        self._timer.stop()
        self._writer.cancel()
        self._writer.wait()

    def _draw_one(self) -> None:
        if self._pictures.full() or not self._writer.isRunning():
            # The writer is behind: let the window have its time.
            self._timer.setInterval(5)
            return
        self._timer.setInterval(0)
        if self._next == len(self._steps):
            self._pictures.put(None)
            self._timer.stop()
            return
        self._pictures.put(self._stage.picture(self._steps[self._next]))
        self._next += 1
        self.progressed.emit(self._next, len(self._steps))

    def _on_end(self, task: Task[None]) -> None:
        self._timer.stop()
        self._stage.deleteLater()
        match task.error:
            case None:
                self.done.emit(self._path)
            case CancelledError():
                self.cancelled.emit()
            case InputError():
                self.failed.emit(task.error)
            case error:
                self.failed.emit(InputError([Problem(str(self._path), str(error), "choose another place or kind")]))
