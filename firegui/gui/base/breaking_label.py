"""Label whose paths and names of files can be broken into lines."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLabel

_MAY_BREAK = "\u200b"
"""A space without width."""
_BREAKS_AFTER = re.compile(r"(?<=[_/\\])")


class BreakingLabel(QLabel):
    """Label with paths, which a narrow panel may break after each part of a name."""

    def __init__(self, text: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.setTextFormat(Qt.TextFormat.PlainText)
        # The menu of Qt would copy the breaks, too.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show a text."""
        super().setText(_BREAKS_AFTER.sub(_MAY_BREAK, text))

    def text(self) -> str:
        """Return the text as it is."""
        return super().text().replace(_MAY_BREAK, "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the text as it is."""
        if not event.matches(QKeySequence.StandardKey.Copy):
            super().keyPressEvent(event)
            return
        QGuiApplication.clipboard().setText(self.selectedText().replace(_MAY_BREAK, ""))
