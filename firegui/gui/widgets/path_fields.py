"""Lines of text and paths in a dialog, and reading what was typed in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QWidget

from firegui.errors import Problems
from firegui.gui.base.layouts import horizontal

Value = TypeVar("Value")
Kind = Literal["file", "folder", "new"]


def text_line(name: str, hint: str, more: str = "") -> QLineEdit:
    """A line to type in; ``name`` finds it, ``hint`` says what belongs there, ``more`` at greater length."""
    line = QLineEdit()
    line.setObjectName(name)
    line.setPlaceholderText(hint)
    line.setToolTip(more or hint)
    line.setAccessibleName(hint)
    return line


class PathField(QWidget):
    """A line for the path of a file, a folder, or something new, with a button that looks for one.

    ``place`` says where to begin looking while the line is empty.
    """

    settled = Signal()
    """The person has chosen a path, or has left the line."""

    def __init__(
        self,
        name: str,
        hint: str,
        *,
        kind: Kind = "file",
        files: str = "",
        place: Callable[[], str] | None = None,
    ) -> None:
        super().__init__()
        self.line = text_line(name, hint)
        self.line.editingFinished.connect(self.settled)
        self._hint, self._kind, self._files, self._place = hint, kind, files, place
        self.button = QPushButton("Browse…")
        self.button.setObjectName(f"{name}Browse")
        self.button.setAccessibleName(f"Browse for {name}")
        self.button.setToolTip("Look for it on this computer")
        # Enter in the line is for the dialog, not for the first button in it.
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda _checked=False: self._browse())
        horizontal(self, (self.line, 1), self.button, margins=0)
        self.setFocusProxy(self.line)

    @property
    def text(self) -> str:
        """The path as typed; a file dropped on the line counts as its path. Empty when there is none."""
        typed = self.line.text().strip()
        return QUrl(typed).toLocalFile() if typed.startswith("file:") else typed

    @property
    def path(self) -> Path | None:
        """The path, if there is one."""
        return Path(self.text).expanduser() if self.text else None

    def _browse(self) -> None:
        start = self.text or (self._place() if self._place is not None else "")
        if self._kind == "folder":
            name = QFileDialog.getExistingDirectory(self, self._hint, start)
        elif self._kind == "new":
            # Whether something may be replaced is asked when it comes to that.
            keep = QFileDialog.Option.DontConfirmOverwrite
            name, _filter = QFileDialog.getSaveFileName(self, self._hint, start, self._files, options=keep)
        else:
            name, _filter = QFileDialog.getOpenFileName(self, self._hint, start, self._files)
        if name:
            self.line.setText(name)
            self.settled.emit()


def read_entry(text: str, parse: Callable[[str], Value], where: str, remedy: str, problems: Problems) -> Value | None:
    """What ``parse`` makes of a text, ``None`` for an empty one; what it cannot read is added to ``problems``."""
    if not text:
        return None
    try:
        return parse(text)
    except ValueError:
        problems.add(where, f"'{text}' cannot be read", remedy)
        return None


def number(text: str) -> float:
    """A number, whichever minus it is written with. Raises ``ValueError``."""
    return float(text.replace("−", "-"))


def numbers(count: int) -> Callable[[str], tuple[float, ...]]:
    """Reads that many numbers with commas or semicolons between them, or raises ``ValueError``."""

    def read(text: str) -> tuple[float, ...]:
        found = tuple(number(part) for part in text.replace(";", ",").split(","))
        if len(found) != count:
            raise ValueError(text)
        return found

    return read
