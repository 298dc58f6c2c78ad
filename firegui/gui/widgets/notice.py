"""Notices laid over the centre of the window, and the place they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QWidget

from firegui.gui.base.controls import close_button
from firegui.gui.base.layouts import horizontal, plain_label

_EDGE, _GAP, _AIR, _WIDEST, _LEAST = 8, 4, 10, 620, 260
"""Distances from edges, between notices and between their parts; widths in pixels."""
_SHOWN_MS = 10_000
_UPPER = 0.6
"""Share of the height, from the top, that notices leave free."""


class OverlayNotice(QFrame):
    """Notice with a text that wraps, buttons, and a cross. A :class:`NoticeStack` shows and hides it."""

    changed = Signal()
    """It has another text, or was closed."""

    def __init__(self, *buttons: QAbstractButton, role: str = "") -> None:
        super().__init__()
        self.setObjectName("overlayCard")
        self.label, self.buttons = plain_label(wordWrap=True), buttons
        self.label.setProperty("role", role)
        self._close = close_button("this notice", "Esc", self.dismiss)
        self._row = horizontal(self, (self.label, 1), *buttons, self._close, margins=(10, 6, 6, 6), spacing=_AIR)
        self.is_wanted = False
        """Whether it has something to say that was not closed."""
        self.hide()

    @property
    def button(self) -> QAbstractButton:
        """The first button. Raises ``IndexError`` if there is none."""
        return self.buttons[0]

    def show_text(self, text: str) -> None:
        """Show a text, unless it was closed with the same text; an empty one takes the notice away."""
        if text != self.label.text():
            self.label.setText(text)
            self.setAccessibleName(text)
            self.is_wanted = bool(text)
            self.changed.emit()

    def dismiss(self) -> None:
        """Take the notice away until it has another text."""
        self.is_wanted = False
        self.changed.emit()

    @property
    def preferred_width(self) -> int:
        """Width at which the text has one line."""
        self.ensurePolished()
        text = self.label.fontMetrics().horizontalAdvance(self.label.text()) + 4
        return text + sum(each.sizeHint().width() + _AIR for each in (*self.buttons, self._close)) + 16

    def height_at(self, width: int) -> int:
        """Return the height at a width."""
        return self._row.totalHeightForWidth(min(width, self.preferred_width))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)


class PassingNotice(OverlayNotice):
    """Notice that goes after some seconds, unless the mouse is over it."""

    def __init__(self, *buttons: QAbstractButton, role: str = "") -> None:
        super().__init__(*buttons, role=role)
        self.timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self.timer.timeout.connect(self._on_timeout)

    def tell(self, text: str) -> None:
        """Show a text as the newest notice, also if it is the same as before."""
        self.show_text("")
        self.show_text(text)
        self.timer.start()

    def dismiss(self) -> None:
        """Take the notice away."""
        self.timer.stop()
        self.show_text("")

    def _on_timeout(self) -> None:
        if self.underMouse():
            self.timer.start()
        else:
            self.dismiss()


class NoticeStack(QObject):
    """Notices of a widget: the newest are shown at the lower edge of a part of it, the newest on top."""

    changed = Signal()
    """Other notices are wanted: they must be placed."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._notices: list[OverlayNotice] = []

    def add(self, notice: OverlayNotice) -> None:
        """Add a notice."""
        notice.setParent(self._owner)
        self._notices.append(notice)
        notice.changed.connect(partial(self._on_changed, notice))

    def place(self, area: QRect, obstacles: Sequence[QRect], most: int) -> list[QRect]:
        """Show at most ``most`` notices in ``area``, clear of ``obstacles`` if possible; return their places."""
        shown = [notice for notice in self._notices if notice.is_wanted][:most]
        for notice in self._notices:
            notice.setVisible(notice in shown)
        if not shown:
            return []

        def height_at(width: int) -> int:
            return sum(notice.height_at(width) + _GAP for notice in shown) - _GAP

        wanted = min(max(notice.preferred_width for notice in shown), _WIDEST, area.width() - 2 * _EDGE)
        block = _free_block(area, obstacles, wanted, height_at)
        top = block.top()
        for notice in shown:
            wide, high = min(notice.preferred_width, block.width()), notice.height_at(block.width())
            notice.setGeometry(block.left() + (block.width() - wide) // 2, top, wide, high)
            notice.raise_()
            top += high + _GAP
        return [notice.geometry() for notice in shown]

    def _on_changed(self, notice: OverlayNotice) -> None:
        if notice.is_wanted:
            self._notices.remove(notice)
            self._notices.insert(0, notice)
        self.changed.emit()


def _free_block(area: QRect, obstacles: Sequence[QRect], wanted: int, height_at: Callable[[int], int]) -> QRect:
    """Return the lowest block in ``area``, ``wanted`` wide or narrower, between or above ``obstacles``.

    In the middle of a low ``area`` it would cover the fire: then it lies at the lower edge, over the obstacles.
    """
    lowest = area.bottom() - _EDGE
    for bottom in sorted({lowest, *(each.top() - _EDGE for each in obstacles)}, reverse=True):
        wide = wanted
        while wide >= min(wanted, _LEAST):
            high = height_at(wide)
            band = QRect(area.left() + _EDGE, bottom - high + 1, area.width() - 2 * _EDGE, high)
            left, right = _widest_gap(band, obstacles)
            if band.top() < area.top() + _UPPER * area.height():
                break
            if right - left >= wide:
                middle = area.center().x() - wide // 2
                return QRect(max(min(middle, right - wide), left), band.top(), wide, high)
            wide = right - left
    high = height_at(wanted)
    return QRect(area.center().x() - wanted // 2, lowest - high + 1, wanted, high)


def _widest_gap(band: QRect, obstacles: Sequence[QRect]) -> tuple[int, int]:
    """Return left and right of the widest part of ``band`` between the obstacles in it."""
    gaps, left = [], band.left()
    for each in sorted((each for each in obstacles if each.intersects(band)), key=QRect.left):
        gaps.append((left, each.left() - _EDGE))
        left = max(left, each.right() + _EDGE)
    return max((*gaps, (left, band.right())), key=lambda gap: gap[1] - gap[0])
