"""Keyboard focus in the window: Tab through all controls as they are read, F6 from pane to pane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from firegui.gui.base.controls import focus_in_view, focus_next, is_tab_stop, is_usable, nearest_stop, tab_stops

Pane = tuple[QWidget, QWidget]
"""Part of the window that F6 stops at, and the part of it that takes the focus."""
_PASSED_BY = (QPushButton, QToolButton, QLineEdit)


def focus_next_control(parts: Sequence[QWidget], *, forward: bool) -> bool:
    """Move the focus to the next control in ``parts`` of a window; return whether there is one.

    From a part that holds controls and has the focus itself, it goes to the first of them.
    """
    stops = [stop for part in parts if part.isVisible() for stop in tab_stops(part)]
    now = QApplication.focusWidget()
    inside = [place for place, stop in enumerate(stops) if now is not None and now.isAncestorOf(stop)]
    if now is not None and inside and now not in stops:
        stops.insert(inside[0], now)
    return focus_next(stops, now, forward=forward)


def focus_next_pane(panes: Sequence[Pane], *, forward: bool) -> None:
    """Move the focus into the next pane, from outside of all of them into the first or the last.

    Panes that are hidden or without controls are skipped.
    """
    now = QApplication.focusWidget()
    shown = [pane for pane in panes if pane[0].isVisible() and _entry_of(pane[1]) is not None]
    if not shown:
        return
    inside = (k for k, (pane, _) in enumerate(shown) if now is not None and (pane is now or pane.isAncestorOf(now)))
    here = next(inside, -1 if forward else 0)
    focus_pane(shown[(here + (1 if forward else -1)) % len(shown)][1])


def focus_pane(pane: QWidget) -> None:
    """Give the focus to what had it last in ``pane``, else to the first control there."""
    entry = _entry_of(pane)
    if entry is not None:
        focus_in_view(entry, Qt.FocusReason.ShortcutFocusReason)


def focus_harmless(pane: QWidget) -> None:
    """Give the focus to the first list of ``pane`` or else to ``pane`` itself: Space starts nothing there."""
    first = _first_of(tab_stops(pane))
    focus_in_view(first if isinstance(first, QAbstractItemView) else pane, Qt.FocusReason.ShortcutFocusReason)


def _entry_of(pane: QWidget) -> QWidget | None:
    last = pane.focusWidget()
    if last is not None and last is not pane and pane.isAncestorOf(last) and is_tab_stop(last):
        return last
    return _first_of(tab_stops(pane))


def _first_of(stops: Sequence[QWidget]) -> QWidget | None:
    """Return the first control; of sections, the first list or choice in them.

    Space on a heading would fold the section, and on a button start something.
    """
    controls = [stop for stop in stops if stop.property("role") != "section"]
    if len(controls) < len(stops):
        useful = [each for each in controls if not isinstance(each, _PASSED_BY)]
        stops = useful or controls or stops
    return next(iter(stops), None)


class FocusReturn(QObject):
    """Hides ``part`` and puts the focus back where it was before ``part`` had it, else on ``otherwise``."""

    def __init__(self, part: QWidget, otherwise: QWidget) -> None:
        super().__init__(part)
        self._part, self._otherwise = part, otherwise
        self._before: QWidget | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def hide_part(self) -> None:
        """Hide the part. The focus stays where it is if the part does not have it."""
        focus = QApplication.focusWidget()
        held, before = focus is not None and self._part.isAncestorOf(focus), self._before
        self._part.hide()
        if held:
            is_there = before is not None and isValid(before) and is_usable(before)
            (before if is_there and before is not None else self._otherwise).setFocus()

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if now is not None and old is not None and self._part.isAncestorOf(now) and not self._part.isAncestorOf(old):
            self._before = old


class FocusKeeper(QObject):
    """Keeps the focus in its panel when the focused widget is disabled or hidden by what it started.

    The nearest control of the panel takes it, such as Stop for the button that started the work, else ``otherwise``.
    It returns once the widget can be used again, unless the user has moved on.
    """

    def __init__(self, top: QWidget, otherwise: QWidget) -> None:
        super().__init__(top)
        self._top, self._otherwise = top, otherwise
        self._lost: QWidget | None = None
        self._stand_in: QWidget | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def take_over(self, lost: QWidget) -> None:
        """Give the focus to the control that stands in for a widget which was disabled or hidden."""
        stop = nearest_stop(tab_stops(self._top), lost)
        if stop is None:
            self._otherwise.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            focus_in_view(stop, Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return the focus to the widget that can be used again."""
        if event.type() in (QEvent.Type.EnabledChange, QEvent.Type.Show) and watched is self._lost:
            lost, stand_in = self._lost, self._stand_in
            if isinstance(lost, QWidget) and is_usable(lost) and stand_in is QApplication.focusWidget():
                lost.setFocus(Qt.FocusReason.OtherFocusReason)
        return False

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        if not isValid(self._top):  # the window is closing
            return
        if old is not None and isValid(old) and self._top.isAncestorOf(old) and not is_usable(old):
            lost = self._lost if self._lost is not None and old is self._stand_in else old
            if now is None and self._top.isVisible():
                # Qt only takes the focus from what is disabled together with the part that it is in.
                self.take_over(old)
            self._remember(lost, QApplication.focusWidget())
        elif now is not None and now is not self._stand_in and now.window() is self._top.window():
            self._remember(None, None)

    def _remember(self, lost: QWidget | None, stand_in: QWidget | None) -> None:
        if self._lost is not None and isValid(self._lost):
            self._lost.removeEventFilter(self)
        # What has been deleted meanwhile does not come back.
        self._lost = lost if lost is not None and isValid(lost) else None
        self._stand_in = stand_in
        if self._lost is not None:
            self._lost.installEventFilter(self)
