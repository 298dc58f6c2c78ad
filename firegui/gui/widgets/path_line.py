"""Line edit for a path; while it is not edited, the middle of a long path is left out."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame

from firegui.gui.base.plain_text import tooltip

_AIR = 2
"""Pixels that a line edit keeps free beside its text."""


class PathLine(QLineEdit):
    """Line edit for a path, with the whole path in its tooltip. An empty one has ``hint`` in its place."""

    def __init__(self, name: str, hint: str) -> None:
        super().__init__()
        self._hint = hint
        self.setObjectName(name)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.textChanged.connect(lambda _text: self._explain())
        self._explain()

    def _explain(self) -> None:
        self.setToolTip(tooltip(self.text() or self._hint))

    @property
    def shown_text(self) -> str:
        """The text as it is painted: a long path without its middle, unless it is being edited."""
        if self.hasFocus():
            return self.text()
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return elided_path(self.text(), self.fontMetrics(), room.width() - 2 * _AIR)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the path without its middle where it is too long."""
        shown = self.shown_text
        if shown == self.text():
            super().paintEvent(event)
            return
        painter, option = QPainter(self), QStyleOptionFrame()
        self.initStyleOption(option)
        style = self.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        room = style.subElementRect(QStyle.SubElement.SE_LineEditContents, option, self).adjusted(_AIR, 0, -_AIR, 0)
        group = QPalette.ColorGroup.Active if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(self.palette().color(group, QPalette.ColorRole.Text))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)


def elided_path(path: str, metrics: QFontMetrics, width: int) -> str:
    """Return a path without parts in its middle, so that it is no wider than ``width`` pixels.

    The last parts tell paths apart and stay as long as possible.
    """
    if metrics.horizontalAdvance(path) <= width:
        return path
    parts = PurePath(path).parts
    separator = "\\" if "\\" in path else "/"
    for last in range(len(parts) - 1, 0, -1):
        for first in range(min(2, len(parts) - last - 1), -1, -1):
            start = str(PurePath(*parts[:first])) if first else ""
            lead = start if start.endswith(separator) or not start else f"{start}{separator}"
            shorter = f"{lead}…{separator}{separator.join(parts[-last:])}"
            if metrics.horizontalAdvance(shorter) <= width:
                return shorter
    return metrics.elidedText(path, Qt.TextElideMode.ElideMiddle, width)
