"""What happened since the window opened, line by line, from whoever has something to say."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from firegui.errors import InputError
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session

MOST = 5_000
"""Older lines are forgotten here; the log file has them."""


class Level(StrEnum):
    """How much a line matters."""

    EDIT = "edit"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened."""

    when: datetime
    level: Level
    text: str

    def __str__(self) -> str:
        return f"{self.when:%Y-%m-%d %H:%M:%S}  {self.level.value:<7}  {self.text}"


class EventLog(QObject):
    """Keeps the latest :data:`MOST` lines, the oldest first."""

    added = Signal(object)
    """A :class:`Line`."""

    def __init__(
        self, session: Session, queue: RunQueue, parent: QObject | None = None,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._clock = clock
        self._lines: deque[Line] = deque(maxlen=MOST)
        self._session = session
        self._index = session.undo_stack.index()
        queue.logged.connect(self.add)
        session.message.connect(self._on_message)
        session.refused.connect(self._on_refused)
        session.undo_stack.indexChanged.connect(self._on_edit)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line, the oldest first."""
        return tuple(self._lines)

    def add(self, text: str, level: str = Level.INFO) -> None:
        """Write a line; one without text is none."""
        if text.strip():
            line = Line(self._clock(), Level(level), text.strip())
            self._lines.append(line)
            self.added.emit(line)

    def _on_message(self, text: str) -> None:
        # What a run says comes by its own way, whole, before its first line reaches the status bar.
        last = self._lines[-1].text if self._lines else ""
        if text.strip() not in (last, last.partition("\n")[0].strip()):
            self.add(text)

    def _on_refused(self, error: InputError) -> None:
        self.add(str(error), Level.WARNING)

    def _on_edit(self, index: int) -> None:
        stack, before = self._session.undo_stack, self._index
        self._index = index
        # A stack that is being deleted says that it has been emptied.
        if not isValid(stack):
            return
        if index < before and index < stack.count():
            self.add(f"undid: {stack.text(index)}", Level.EDIT)
        elif index > before:
            self.add(stack.text(index - 1), Level.EDIT)
