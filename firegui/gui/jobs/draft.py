"""Keeps drops changed by hand in a file while they are in no run yet: a killed program loses next to nothing."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from firegui.domain.schedule import Schedule
from firegui.errors import FireguiError
from firegui.io.schedule_file import write_plan_safetensors

AFTER_MS = 1_500
"""So long after an edit they are written; edits that follow do not put it off."""
UNSAVED = "unsaved.safetensors"


class Draft(QObject):
    """One file in the folder of schedules made by hand; gone as soon as its drops are kept or taken back."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: tuple[Path, Schedule] | None = None
        self._file: Path | None = None
        self._timer = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._timer.timeout.connect(self.write)

    def note(self, folder: Path, schedule: Schedule) -> None:
        """Write ``schedule`` into ``folder`` soon."""
        self._waiting = folder / UNSAVED, schedule
        if not self._timer.isActive():
            self._timer.start()

    def write(self) -> None:
        """Write what waits now. Where that is not possible, saving the project will say why."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        with suppress(FireguiError, OSError):
            waiting[0].parent.mkdir(parents=True, exist_ok=True)
            write_plan_safetensors(*waiting)
            self._file = waiting[0]

    def clear(self) -> None:
        """Nothing is unsaved any more."""
        self._timer.stop()
        self._waiting = None
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            self._file = None


def recovered(folder: Path, now: datetime) -> Path | None:
    """The drops that a killed program left in ``folder``, under a name that lasts; ``None`` where there are none."""
    left = folder / UNSAVED
    if not left.is_file():
        return None
    kept = folder / f"recovered-{now:%Y%m%d-%H%M%S}.safetensors"
    try:
        left.rename(kept)
    except OSError:
        return None
    return kept
