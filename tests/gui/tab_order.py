"""Walks with Tab over a window, and the order in which its controls are read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDateTimeEdit, QTextBrowser, QWidget

from tests.gui.controls import path_of

_SLACK_PX = 6
_MOST = 400


def stops_in(top: QWidget) -> set[QWidget]:
    """Return the shown and enabled controls of ``top`` that Tab can reach."""
    return {
        each
        for each in (top, *top.findChildren(QWidget))
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and each.focusProxy() is None
        and each.window() is top.window()
        and each.isVisible()
        and each.isEnabled()
    }


def walk(start: QWidget, *, back: bool = False) -> list[QWidget]:
    """Press Tab, or Shift+Tab, from ``start`` until a control comes again; return the controls that were passed."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    keys = (Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier) if back else (Qt.Key.Key_Tab,)
    passed: list[QWidget] = []
    focus: QWidget | None = start.window().focusWidget()
    while focus is not None and focus not in passed and len(passed) < _MOST:
        passed.append(focus)
        # A field for date and time has a step for each of its numbers, a text for each of its links.
        for _ in range(_MOST if isinstance(focus, QDateTimeEdit | QTextBrowser) else 1):
            QTest.keyClick(focus, *keys)
            if QApplication.focusWidget() is not focus:
                break
        focus = QApplication.focusWidget()
    assert focus is passed[0], f"Tab goes from {path_of(passed[-1])} to {focus and path_of(focus)}"
    return passed


def steps_back(passed: Sequence[QWidget], top: QWidget) -> list[str]:
    """Return every step of a walk that goes up or left, as a reader of ``top`` does not.

    The step back to the first control is left out. Two controls are compared as the outermost parts are that hold one
    of them each: what is side by side is read from the left, the rest from the top.
    """
    steps = [(one, other) for one, other in pairwise((*passed, passed[0])) if _is_before(other, one, top)]
    first = min(passed, key=lambda each: sum(_is_before(other, each, top) for other in passed))
    return [f"{path_of(one)} → {path_of(other)}" for one, other in steps if other is not first]


def _is_before(one: QWidget, other: QWidget, top: QWidget) -> bool:
    first, second = _part_places(one, other, top)
    if first.bottom() < second.top() + _SLACK_PX:
        return True
    return not second.bottom() < first.top() + _SLACK_PX and first.right() < second.left() + _SLACK_PX


def _part_places(one: QWidget, other: QWidget, top: QWidget) -> tuple[QRect, QRect]:
    """Return the places of the outermost parts of ``top`` that hold one of two controls each."""
    ours, theirs = _line_of(one, top), _line_of(other, top)
    depth = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a is not b), -1)
    return tuple(QRect(each.mapTo(top, QPoint()), each.size()) for each in (ours[depth], theirs[depth]))  # type: ignore[return-value]


def _line_of(widget: QWidget, top: QWidget) -> list[QWidget]:
    """Return a control and the widgets around it within ``top``, the outermost first."""
    line = [widget]
    while line[0] is not top and (parent := line[0].parentWidget()) is not None:
        line.insert(0, parent)
    return line
