"""What has been said in the wizard so far: one value, which every step reads and changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from firegui.gui.widgets.coverage_table import CoverageChoice
from firegui.io.importers.landscape_source import LandscapeSource


@dataclass(frozen=True, slots=True)
class Answers:
    """What to import, with which required coverage, and where to keep the project.

    ``folder`` ``None`` leaves the place to the first save. ``guessed`` says what was told from the names and contents
    of files.
    """

    source: LandscapeSource = field(default_factory=LandscapeSource)
    coverage: CoverageChoice = field(default_factory=CoverageChoice)
    folder: Path | None = None
    guessed: tuple[str, ...] = ()


class Draft(QObject):
    """Holds the :class:`Answers`. Nothing is read or written here."""

    changed = Signal()
    """Another answer was given."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answers = Answers()

    @property
    def answers(self) -> Answers:
        """All of them."""
        return self._answers

    @property
    def source(self) -> LandscapeSource:
        """What the event is to be made from."""
        return self._answers.source

    def change(self, **fields: Any) -> None:
        """Replace fields of the source, such as ``layers`` or ``days``."""
        self.answer(source=replace(self.source, **fields))

    def answer(self, **fields: Any) -> None:
        """Replace whole answers; says so only when that makes a difference."""
        changed = replace(self._answers, **fields)
        if changed != self._answers:
            self._answers = changed
            self.changed.emit()
