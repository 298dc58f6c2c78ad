"""Notices laid over the centre of the window, and the place they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QWidget

from firegui.gui.base.controls import close_button
from firegui.gui.base.layouts import horizontal, plain_label, vertical

_EDGE, _AIR, _WIDEST, _LEAST = 8, 10, 620, 380
"""Distances from edges and between the parts of a notice; widths in pixels."""
_SHOWN_MS = 12_000
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
        # One below the other: a narrow map has no room for two beside the text.
        choices = vertical(None, *buttons, margins=0, spacing=4)
        self._row = horizontal(self, (self.label, 1), choices, self._close, margins=(10, 6, 6, 6), spacing=_AIR)
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

    def tell(self, text: str) -> None:
        """Show a text as the newest notice, also if it is the same as before."""
        self.label.clear()
        self.show_text(text)

    def dismiss(self) -> None:
        """Take the notice away until it has another text."""
        self.is_wanted = False
        self.changed.emit()

    @property
    def preferred_width(self) -> int:
        """Width at which the text has one line."""
        self.ensurePolished()
        text = self.label.fontMetrics().horizontalAdvance(self.label.text()) + 4
        widest = max((each.sizeHint().width() for each in self.buttons), default=0)
        return text + widest + self._close.sizeHint().width() + 2 * _AIR + 16

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
    """Notice that goes after some seconds: it tells something, or offers what a menu offers too.

    It stays while the mouse is over it, it has the focus or a dialog is open.
    """

    faded = Signal(str)
    """It went by itself, with this text."""

    def __init__(self, *buttons: QAbstractButton, role: str = "") -> None:
        super().__init__(*buttons, role=role)
        self.timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self.timer.timeout.connect(self._on_timeout)

    def show_text(self, text: str) -> None:
        """Show a text for some seconds, unless it is the same as before."""
        is_new = text != self.label.text()
        super().show_text(text)
        if is_new and text:
            self.timer.start()

    def dismiss(self) -> None:
        """Take the notice away until it has another text."""
        self.timer.stop()
        super().dismiss()

    def _on_timeout(self) -> None:
        focus, text = self.window().focusWidget(), self.label.text()
        has_focus = focus is not None and self.isAncestorOf(focus)
        if self.underMouse() or has_focus or QApplication.activeModalWidget() is not None:
            self.timer.start()
        elif self.is_wanted:
            self.dismiss()
            self.faded.emit(text)


class NoticeStack(QObject):
    """Notices of a widget, of which one is shown at the lower edge of a part of it.

    That is the newest, or of two on the same thing the one that :meth:`add` was told to show first.
    """

    changed = Signal()
    """Another notice is wanted: it must be placed."""
    faded = Signal(str)
    """A notice went by itself, with this text."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._notices: list[OverlayNotice] = []
        self._first: OverlayNotice | None = None

    def add(self, notice: OverlayNotice, *, after: OverlayNotice | None = None) -> None:
        """Add a notice; it is shown once the one that it comes ``after`` has gone."""
        notice.setParent(self._owner)
        self._notices.append(notice)
        notice.changed.connect(partial(self._on_changed, notice, after))
        if isinstance(notice, PassingNotice):
            notice.faded.connect(self.faded)

    @property
    def is_wanted(self) -> bool:
        """Whether there is a notice to show."""
        return any(notice.is_wanted for notice in self._notices)

    def place(
        self, area: QRect, obstacles: Sequence[QRect], marks: Sequence[QRect] = (), fire: QRect | None = None
    ) -> list[QRect]:
        """Show one notice in ``area``, clear of ``obstacles`` if possible; return its place, if there is one.

        If it would cover one of ``marks``, it lies in a corner that is clear of them and of the ``fire``, if there is
        one. In an empty ``area`` none is shown.
        """
        wanted = [] if area.isEmpty() else [notice for notice in self._notices if notice.is_wanted]
        for notice in self._notices:
            notice.setVisible(notice in wanted[:1])
        if not wanted:
            return []
        notice = wanted[0]
        wide = min(notice.preferred_width, _WIDEST, area.width() - 2 * _EDGE)
        block = _free_block(area, obstacles, wide, notice.height_at)
        if not _is_clear(block, marks):
            others = (*obstacles, *marks, *([] if fire is None else [fire]))
            corners = _corners(area, obstacles, block.size())
            block = next((corner for corner in corners if _is_clear(corner, others)), block)
        notice.setGeometry(block)
        notice.raise_()
        return [notice.geometry()]

    def _on_changed(self, notice: OverlayNotice, after: OverlayNotice | None) -> None:
        if notice.is_wanted:
            self._notices.remove(notice)
            place = self._notices.index(after) + 1 if after is not None and after.is_wanted else 0
            self._notices.insert(place, notice)
        before, self._first = self._first, next((each for each in self._notices if each.is_wanted), None)
        # One that waits behind the first changes nothing on the screen.
        if notice is self._first or before is not self._first:
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


def _corners(area: QRect, obstacles: Sequence[QRect], size: QSize) -> Iterator[QRect]:
    """Yield blocks at the edges of ``area``, above what lies at its foot and below what lies at its head."""
    left, right = area.left() + _EDGE, area.right() - _EDGE - size.width()
    middle = area.center()
    head = [each for each in obstacles if each.bottom() < middle.y()]
    foot = [each for each in obstacles if each not in head]
    for x in (left, right):
        column = QRect(x, area.top(), size.width(), area.height())
        bottom = min([area.bottom() + 1, *(each.top() for each in foot if each.intersects(column))])
        yield QRect(QPoint(x, bottom - _EDGE - size.height()), size)
    for x in (left, right, middle.x() - size.width() // 2):
        column = QRect(x, area.top(), size.width(), area.height())
        top = max([area.top(), *(each.bottom() for each in head if each.intersects(column))])
        yield QRect(QPoint(x, top + _EDGE), size)


def _is_clear(block: QRect, others: Sequence[QRect]) -> bool:
    return not any(each.intersects(block) for each in others)


def _widest_gap(band: QRect, obstacles: Sequence[QRect]) -> tuple[int, int]:
    """Return left and right of the widest part of ``band`` between the obstacles in it."""
    gaps, left = [], band.left()
    for each in sorted((each for each in obstacles if each.intersects(band)), key=QRect.left):
        gaps.append((left, each.left() - _EDGE))
        left = max(left, each.right() + _EDGE)
    return max((*gaps, (left, band.right())), key=lambda gap: gap[1] - gap[0])
