"""Keeps drops changed by hand in a file while they are in no run yet: a killed program loses next to nothing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from firegui.domain.schedule import Schedule
from firegui.errors import FireguiError
from firegui.io.schedule_file import write_plan_safetensors

AFTER_MS = 1_500
"""So long after an edit they are written; edits that follow do not put it off."""
_STEM, _SUFFIX = "unsaved", ".safetensors"
UNSAVED = _STEM + _SUFFIX


class Draft(QObject):
    """A file among the schedules made by hand, and those set aside; gone as soon as all is kept or taken back."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: tuple[Path, Schedule] | None = None
        self._file: Path | None = None
        self._aside: list[Path] = []
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

    def set_aside(self) -> None:
        """What was noted stays as it is, and what is noted from now on lies beside it."""
        self.write()
        if self._file is not None:
            with suppress(OSError):
                self._aside.append(self._file.rename(free(self._file)))
            self._file = None

    def own(self, files: Iterable[Path]) -> None:
        """These files hold what is unsaved, too."""
        self._aside.extend(files)

    def drop(self) -> None:
        """What was noted last is unsaved no more; what was set aside is."""
        self._timer.stop()
        self._waiting = None
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            self._file = None

    def clear(self) -> None:
        """Nothing is unsaved any more."""
        self.drop()
        for file in self._aside:
            with suppress(OSError):
                file.unlink(missing_ok=True)
        self._aside.clear()


def drafts_in(folder: Path) -> tuple[Path, ...]:
    """The files with drops that a killed program left in ``folder``, in order."""
    return tuple(sorted(folder.glob(f"{_STEM}*{_SUFFIX}"), key=lambda file: (file.stat().st_mtime, file.name)))


def recovered(folder: Path, now: datetime) -> tuple[Path, ...]:
    """The drops that a killed program left in ``folder``, under names that last."""
    kept = []
    for left in drafts_in(folder):
        with suppress(OSError):
            kept.append(left.rename(free(folder / f"recovered-{now:%Y%m%d-%H%M%S}{_SUFFIX}")))
    return tuple(kept)


def free(file: Path) -> Path:
    """``file``, with a number behind its name where that is there already."""
    found, number = file, 1
    while found.exists():
        number += 1
        found = file.with_name(f"{file.stem}-{number}{file.suffix}")
    return found
