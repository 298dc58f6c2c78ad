"""A card that floats over the map beside what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from firegui.gui.map.map_colors import Ink

_GAP = 14
_EDGE, _BELOW, _ABOVE = 8, 78, 66


class FloatingCard(QFrame):
    """A title, names and values below it, and a cross that closes it."""

    closed = Signal()

    def __init__(self, name: str, close: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("floatingCard")
        self.setAccessibleName(name)
        self._title, self._values = QLabel(), QLabel()
        self._title.setTextFormat(Qt.TextFormat.RichText)
        self._values.setTextFormat(Qt.TextFormat.RichText)
        self._values.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        cross = QToolButton()
        cross.setText("×")
        cross.setAutoRaise(True)
        cross.setAccessibleName(close)
        cross.setToolTip(f"{close} (Esc)")
        cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        cross.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(cross)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(10, 4, 6, 8)
        self.column.setSpacing(2)
        self.column.addLayout(head)
        self.column.addWidget(self._values)
        self.hide()

    @property
    def text(self) -> str:
        """The values as plain text."""
        return self._values.accessibleDescription()

    @property
    def heading(self) -> str:
        """The title."""
        return self._title.accessibleDescription()

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        card = ink.card
        self.setStyleSheet(
            f"#floatingCard {{ background: rgba({card.red()}, {card.green()}, {card.blue()}, {card.alpha()});"
            f" border: 1px solid {ink.frame.name()}; border-radius: 6px; }} QLabel {{ color: {ink.text.name()}; }}"
        )

    def fill(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        """Show a title and values; a row without a name goes over the whole width."""
        self._title.setText(f"<b>{escape(title)}</b>")
        self._title.setAccessibleDescription(title)
        lines = []
        for name, value in rows:
            head, cells = (f"<td>{escape(name)}&nbsp;&nbsp;</td>", 1) if name else ("", 2)
            lines.append(f"<tr>{head}<td colspan='{cells}'>{escape(value)}</td></tr>")
        self._values.setText(f"<table cellspacing='0' cellpadding='1'>{''.join(lines)}</table>")
        self._values.setAccessibleDescription("\n".join(f"{name} {value}".strip() for name, value in rows))
        self.adjustSize()
        self.show()

    def place_apart(self, pixel: QPoint, within: QRect) -> None:
        """Stand in the corner of the map that is farthest from ``pixel``, clear of words, scale bar and legend."""
        on_left, on_top = pixel.x() > within.center().x(), pixel.y() > within.center().y()
        x = within.left() + _EDGE if on_left else within.right() - self.width() - _EDGE
        y = within.top() + _BELOW if on_top else within.bottom() - self.height() - _ABOVE
        self.move(max(x, _EDGE), max(y, _EDGE))

    def place_beside(self, pixel: QPoint, within: QRect) -> None:
        """Stand right of a pixel, left of it where the right has no room, never over the edge."""
        x = pixel.x() + _GAP
        if x + self.width() > within.right():
            x = pixel.x() - _GAP - self.width()
        y = pixel.y() - self.height() // 2
        largest = within.bottom() - self.height() - 4, within.right() - self.width() - 4
        self.move(max(min(x, largest[1]), 4), max(min(y, largest[0]), 4))
