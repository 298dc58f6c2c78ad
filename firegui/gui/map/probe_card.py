"""The card that shows a pinned cell."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from firegui.gui.map.ink import Ink

_GAP = 14


class ProbeCard(QFrame):
    """Floats over the map beside its cell."""

    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("probeCard")
        self.setAccessibleName("Values of the pinned cell")
        self._title = QLabel()
        self._title.setTextFormat(Qt.TextFormat.RichText)
        self._values = QLabel()
        self._values.setTextFormat(Qt.TextFormat.RichText)
        self._values.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = QToolButton()
        close.setText("×")
        close.setAutoRaise(True)
        close.setAccessibleName("Unpin the cell")
        close.setToolTip("Unpin the cell (Esc)")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 6, 8)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._values)
        self.hide()

    @property
    def text(self) -> str:
        """The values as plain text."""
        return self._values.accessibleDescription()

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        card = ink.card
        self.setStyleSheet(
            f"#probeCard {{ background: rgba({card.red()}, {card.green()}, {card.blue()}, {card.alpha()});"
            f" border: 1px solid {ink.frame.name()}; border-radius: 6px; }} QLabel {{ color: {ink.text.name()}; }}"
        )

    def show_values(self, cell: tuple[int, int], rows: Sequence[tuple[str, str]]) -> None:
        """Show a cell's values."""
        self._title.setText(f"<b>Row {cell[0]}, column {cell[1]}</b>")
        lines = []
        for name, value in rows:
            head, cells = (f"<td>{escape(name)}&nbsp;&nbsp;</td>", 1) if name else ("", 2)
            lines.append(f"<tr>{head}<td colspan='{cells}'>{escape(value)}</td></tr>")
        self._values.setText(f"<table cellspacing='0' cellpadding='1'>{''.join(lines)}</table>")
        self._values.setAccessibleDescription("\n".join(f"{name} {value}".strip() for name, value in rows))
        self.adjustSize()
        self.show()

    def place_beside(self, pixel: QPoint, within: QRect) -> None:
        """Stand right of a pixel, left of it where the right has no room, never over the edge."""
        x = pixel.x() + _GAP
        if x + self.width() > within.right():
            x = pixel.x() - _GAP - self.width()
        y = pixel.y() - self.height() // 2
        largest = within.bottom() - self.height() - 4, within.right() - self.width() - 4
        self.move(max(min(x, largest[1]), 4), max(min(y, largest[0]), 4))
