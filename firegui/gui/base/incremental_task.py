"""Work in small turns of the event loop, so that the window is painted and answers in between."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal


class IncrementalTask(QObject):
    """Runs ``work`` one step a turn, beginning with :meth:`begin`; what it raises comes out of the event loop."""

    done = Signal()

    def __init__(self, work: Iterator[object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._step)

    def begin(self) -> None:
        """Do the first step as soon as nothing else is to be done."""
        self._timer.start()

    def stop(self) -> None:
        """Do no further step."""
        self._timer.stop()
        self._work = iter(())

    def _step(self) -> None:
        try:
            next(self._work)
        except StopIteration:
            self.done.emit()
        else:
            self._timer.start()
