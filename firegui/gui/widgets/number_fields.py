"""Number fields that say what they refuse: any float with scientific notation, whole numbers, days shown from 1."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from PySide6.QtCore import QEvent, QLocale, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from firegui.domain.options import limits_text, plain_number

_PARTIAL_NUMBER = re.compile(r"[+-]?\d*\.?\d*(e[+-]?\d*)?", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
"""What Python reads as an integer, unlike ``--5`` and ``²``, and without end."""
_DECIMALS = 12
_UNBOUNDED = 1e12
_WHOLE_LIMIT = 2**31 - 1


class DecimalField(QDoubleSpinBox):
    """A float between two bounds. Steps change the leading digit, so 3e-3 steps to 4e-3 and 50 to 60."""

    refused = Signal(str)
    """What was typed cannot be used; the value stays as it was."""

    def __init__(self, low: float | None, high: float | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setDecimals(_DECIMALS)
        self.setRange(-_UNBOUNDED if low is None else low, _UNBOUNDED if high is None else high)
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
        _set_up(self)

    def textFromValue(self, value: float) -> str:
        """The number as people read it."""
        return plain_number(value)

    def valueFromText(self, text: str) -> float:
        """The number a text stands for; the present one for text that is none."""
        number = _as_float(self._bare(text))
        return self.value() if number is None else number

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Whether the text may stand, may become something, or never will."""
        bare = self._bare(text)
        number = _as_float(bare)
        if number is not None and self.minimum() <= number <= self.maximum():
            return QValidator.State.Acceptable, text, position
        partial = _PARTIAL_NUMBER.fullmatch(bare) is not None
        return QValidator.State.Intermediate if partial else QValidator.State.Invalid, text, position

    def fixup(self, text: str) -> str:
        """Called for a text that may not stand when the field is left: say why."""
        self.refused.emit(_refusal(self._bare(text), self.minimum(), self.maximum(), self.text()))
        return text

    def stepBy(self, steps: int) -> None:
        """Go up or down by that many steps of the leading digit."""
        value = self.value()
        size = 10.0 ** math.floor(math.log10(abs(value)) + 1e-9) if value else 0.1
        # Going down from exactly 1e-3 the next step is 9e-4, not 0.
        if math.isclose(abs(value), size, rel_tol=1e-9) and steps * value < 0:
            size /= 10.0
        self.setValue(value + steps * size)
        self.selectAll()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only a field that has the focus, so that a form can be scrolled past it."""
        _wheel_only_with_focus(self, event, super().wheelEvent)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave no selection behind."""
        super().focusOutEvent(event)
        self.lineEdit().deselect()

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window: they undo edits of the project, not letters in a field."""
        return False if _is_undo(event) else super().event(event)

    def _bare(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()


class WholeField(QSpinBox):
    """An integer between two bounds; ``offset`` is added for people, who count days from 1."""

    refused = Signal(str)

    def __init__(self, low: float | None, high: float | None, offset: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offset = offset
        self._note: Callable[[int], str] | None = None
        self.setLocale(QLocale.c())
        lower, upper = -_WHOLE_LIMIT if low is None else low, _WHOLE_LIMIT if high is None else high
        self.setRange(int(max(lower, -_WHOLE_LIMIT)), int(min(upper, _WHOLE_LIMIT)))
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
        _set_up(self)

    def textFromValue(self, value: int) -> str:
        """The number as people read it."""
        return str(value + self._offset)

    def valueFromText(self, text: str) -> int:
        """The number a text stands for; the present one for text that is none."""
        bare = self._bare(text)
        return int(bare) - self._offset if _WHOLE_NUMBER.fullmatch(bare) else self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Whether the text may stand, may become something, or never will."""
        bare = self._bare(text)
        if _WHOLE_NUMBER.fullmatch(bare) and self.minimum() <= int(bare) - self._offset <= self.maximum():
            return QValidator.State.Acceptable, text, position
        partial = re.fullmatch(r"[+-]?\d*", bare) is not None
        return QValidator.State.Intermediate if partial else QValidator.State.Invalid, text, position

    def fixup(self, text: str) -> str:
        """Called for a text that may not stand when the field is left: say why."""
        low, high = self.minimum() + self._offset, self.maximum() + self._offset
        self.refused.emit(_refusal(self._bare(text), low, high, self.textFromValue(self.value())))
        return text

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only a field that has the focus, so that a form can be scrolled past it."""
        _wheel_only_with_focus(self, event, super().wheelEvent)

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window: they undo edits of the project, not letters in a field."""
        return False if _is_undo(event) else super().event(event)

    def _bare(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()


def _is_undo(event: QEvent) -> bool:
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not (event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)):
        return False
    event.ignore()
    return True


def _as_float(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _refusal(typed: str, low: float, high: float, kept: str) -> str:
    said = f"{typed} was refused" if typed else "empty was refused"
    limits = limits_text(None if low <= -_UNBOUNDED else low, None if high >= _WHOLE_LIMIT else high)
    return f"{said}, it stays {kept}; use {limits}"


def _set_up(box: QAbstractSpinBox) -> None:
    # A number counts once it is typed out: on the way to 15 days the plan must not be one of 1 day.
    box.setKeyboardTracking(False)
    box.setAccelerated(True)
    box.setMinimumWidth(76)


def _wheel_only_with_focus(box: QAbstractSpinBox, event: QWheelEvent, turn: Callable[[QWheelEvent], None]) -> None:
    # A wheel that scrolls the form past a field must not change the field.
    if box.hasFocus():
        turn(event)
    else:
        event.ignore()


def settle_editing() -> None:
    """Take in what is still being typed in the focused field or cell, as leaving it would."""
    focus = QApplication.focusWidget()
    if isinstance(focus, (QAbstractSpinBox, QLineEdit)):
        focus.clearFocus()
