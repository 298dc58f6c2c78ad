"""Label of one line that is elided where room is short; its tooltip has the whole text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors

_SWATCH, _GAP = 9, 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a line.

    A ``role`` in :class:`~firegui.gui.base.theme.Colors` puts a stroke of that colour before it.
    """

    text: str
    role: str = ""


class ElidedLabel(QWidget):
    """Label of one line of pieces that requests no width; coloured strokes make it a legend."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, role: str = "text") -> None:
        super().__init__(parent)
        self._pieces: tuple[Piece, ...] = ()
        self._role = role
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.set_pieces([Piece(text)])

    def text(self) -> str:
        """Return the whole line."""
        return " · ".join(piece.text for piece in self._pieces if piece.text)

    def set_text(self, text: str) -> None:
        """Show a plain text."""
        self.set_pieces([Piece(text)])

    def set_pieces(self, pieces: Sequence[Piece]) -> None:
        """Show these pieces, from left to right."""
        if self._pieces != tuple(pieces):
            self._pieces = tuple(pieces)
            self.setToolTip(tooltip(self.text()))
            self.setAccessibleName(self.text())
            self.update()

    def width_of(self, text: str) -> int:
        """Return the width at which ``text``, a line of one piece, is not elided."""
        return self.fontMetrics().horizontalAdvance(text) + 1

    def sizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(120, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the width of an ellipsis."""
        return QSize(20, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the pieces until no room is left: the first is cut, another one is left out as a whole."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics, x, middle = painter.fontMetrics(), 0, self.height() // 2
        for piece in self._pieces:
            if x > 0:
                x += 2 * _GAP
            if piece.role:
                painter.fillRect(x, middle - 1, _SWATCH, 3, QColor(getattr(current_colors(), piece.role)))
                x += _SWATCH + _GAP
            text = metrics.elidedText(piece.text, Qt.TextElideMode.ElideRight, max(self.width() - x, 0))
            text = text if text == piece.text or piece is self._pieces[0] else "…"
            painter.setPen(QColor(getattr(current_colors(), self._role)))
            painter.drawText(x, 0, self.width() - x, self.height(), Qt.AlignmentFlag.AlignVCenter, text)
            if text != piece.text:
                return
            x += metrics.horizontalAdvance(text)
