"""Input fields of forms: numbers, choices, lines of text and paths."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from PySide6.QtCore import QEvent, QLocale, QMimeData, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
    QValidator,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDateTimeEdit,
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from firegui.domain.options import limits_text, number_from_text, plain_number
from firegui.errors import Problems
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.path_line import PathLine
from firegui.gui.widgets.refusal_note import RefusalNote

_PARTIAL_NUMBER = re.compile(r"[+-]?\d*\.?\d*(e[+-]?\d*)?", re.IGNORECASE)
_PARTIAL_WHOLE = re.compile(r"[+-]?\d*")
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
"""Pattern of what Python reads as an integer, of any length, unlike ``--5`` and ``²``."""
_DECIMALS = 12
_TEXT_MARGIN = 8
"""Pixels around the text of a combo box."""
_UNBOUNDED = 1e12
_WHOLE_LIMIT = 2**31 - 1

Value = TypeVar("Value")
PathKind = Literal["file", "folder", "new"]

FUEL_MODEL_FILES = "Fuel models (*.fmd);;All files (*)"
"""Filter of a file dialog for custom fuel models."""

# Python finds the methods of the mixins first. A class cannot have two Qt bases.
if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractSpinBox as _SpinBox
    from PySide6.QtWidgets import QWidget as _Widget
else:
    _Widget = _SpinBox = object


class _WheelWithFocus(_Widget):
    """Mixin of fields that ignore the mouse wheel unless focused, so that scrolling a form is safe."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # With Qt's own policy the wheel gives the focus to the field under it, and then changes its value.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the value only if the field has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class NoScrollComboBox(_WheelWithFocus, QComboBox):
    """Combo box as wide as its longest entry, that ignores the mouse wheel unless focused."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # By default a box keeps the width of the entries that it had when it was first shown.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def minimumSizeHint(self) -> QSize:
        """Return the size at which the longest entry has room."""
        # Qt keeps its own when entries are added or the font changes.
        is_whole = self.sizeAdjustPolicy() is QComboBox.SizeAdjustPolicy.AdjustToContents
        return self.sizeHint() if is_whole else super().minimumSizeHint()


class NoScrollSlider(_WheelWithFocus, QSlider):
    """Slider that ignores the mouse wheel unless focused."""


class NoScrollDateTimeEdit(_WheelWithFocus, QDateTimeEdit):
    """Field for date and time that ignores the mouse wheel unless focused."""


class NameComboBox(NoScrollComboBox):
    """Combo box whose current entry is elided in its middle; its tooltip and its list have the whole text.

    Names of runs differ at their ends.
    """

    def event(self, event: QEvent) -> bool:
        """Add an entry that is elided to the tooltip."""
        is_tip = event.type() == QEvent.Type.ToolTip
        if is_tip and isinstance(event, QHelpEvent) and self.drawn_text != self.currentText():
            QToolTip.showText(event.globalPos(), tooltip(f"{self.toolTip()}\n\n{self.currentText()}"), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the current entry, elided in its middle."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.drawn_text
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    @property
    def drawn_text(self) -> str:
        """The current entry as it is drawn."""
        option, part = QStyleOptionComboBox(), QStyle.SubControl.SC_ComboBoxEditField
        self.initStyleOption(option)
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width() - _TEXT_MARGIN
        return self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideMiddle, room)

    def showPopup(self) -> None:
        """Show the entries, in a list as wide as they are."""
        view = self.view()
        widest = self.screen().availableGeometry().width()
        view.setMinimumWidth(min(view.sizeHintForColumn(0) + 2 * _TEXT_MARGIN, widest))
        super().showPopup()


def choice_combo(title: str, name: str) -> QComboBox:
    """Return a combo box for words of the program, which has room for the longest of them."""
    return _named(NoScrollComboBox(), title, name)


def narrow_combo(title: str, name: str) -> QComboBox:
    """Return a combo box for names from files, which does not set the minimum width of a panel."""
    box = _named(NameComboBox(), title, name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box


def _named(box: QComboBox, title: str, name: str) -> QComboBox:
    box.setAccessibleName(title)
    box.setToolTip(tooltip(title))
    box.setObjectName(name)
    return box


class _NumberField(_WheelWithFocus, _SpinBox):
    """Mixin of number fields, which keep their value where a text is refused.

    They refuse a text as :class:`RefusingLine` does.
    """

    _is_refused = False
    """Whether the shown text was refused on Enter or Tab."""
    note: RefusalNote | None = None
    """Why the last text was refused; made with the first refusal."""
    _offset = 0

    def _set_up(self) -> None:
        self.setLocale(QLocale.c())
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
        # A number counts once its entry is complete. While 15 is typed, the plan must not get 1 day.
        self.setKeyboardTracking(False)
        self.setAccelerated(True)
        self.setMinimumWidth(76)
        self.refused.connect(self._tell)  # type: ignore[attr-defined]
        for signal in (self.lineEdit().textEdited, self.valueChanged):  # type: ignore[attr-defined]
            signal.connect(self._forget)

    def _tell(self, why: str) -> None:
        if self.note is None:
            self.note = RefusalNote(self)
        self.note.tell(why, stays=self._is_refused)

    def refuses_entry(self) -> bool:
        """Keep a text that cannot be used, with an outline and the reason; return whether there is one."""
        if self.hasAcceptableInput():
            return False
        self._is_refused = True
        set_role(self, "refused")
        self.refused.emit(f"{self._refusal()}; use {self._limits()}. Esc keeps {self._kept()}.")  # type: ignore[attr-defined]
        self.selectAll()
        return True

    def _give_up(self) -> None:
        """Show the value again in place of a text that was refused."""
        self.setValue(self.value())  # type: ignore[attr-defined]
        self._forget()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Enter the number on Tab; a refused text keeps the focus."""
        return self.refuses_entry() or super().focusNextPrevChild(next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Enter the number; a refused text is given up."""
        if self._is_refused:
            self._give_up()
        super().focusOutEvent(event)

    def _forget(self, *_: object) -> None:
        if self._is_refused:
            self._is_refused = False
            set_role(self, "")
        if self.note is not None:
            self.note.hide()

    def hideEvent(self, event: QHideEvent) -> None:
        """Hide the note with the field."""
        super().hideEvent(event)
        if self._is_refused:
            self._give_up()
        self._forget()

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window: they undo edits of the project, not of the text."""
        return False if _is_undo(event) else super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter the number on Enter, and give a refused text up on Esc.

        Say why a letter does not appear, which a number cannot have.
        """
        if event.key() == Qt.Key.Key_Escape and self._is_refused:
            self._give_up()
            self.selectAll()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.refuses_entry():
            return
        before = self.lineEdit().text()
        if event.text() and before == self.specialValueText():
            # What is typed replaces the whole of a text that stands for a number.
            self.selectAll()
        super().keyPressEvent(event)
        if event.text().isalpha() and self.lineEdit().text() == before:
            self.refused.emit(f"{self._named()}{event.text()} was not taken: a number is needed; use {self._limits()}")  # type: ignore[attr-defined]

    def _limits(self) -> str:
        low, high = self.minimum() + self._offset, self.maximum() + self._offset  # type: ignore[attr-defined]
        return limits_text(None if low <= -_UNBOUNDED else low, None if high >= _WHOLE_LIMIT else high)

    def _refuse(self, text: str) -> None:
        self.refused.emit(f"{self._refusal(text)}, it stays {self._kept()}; use {self._limits()}")  # type: ignore[attr-defined]

    def _refusal(self, text: str | None = None) -> str:
        return f"{self._named()}{self._bare(self.text() if text is None else text) or 'empty'} was refused"

    def _kept(self) -> str:
        """Return the value that stays, as it is shown."""
        is_named = bool(self.specialValueText()) and self.value() == self.minimum()  # type: ignore[attr-defined]
        return self.specialValueText() if is_named else self.textFromValue(self.value())  # type: ignore[attr-defined]

    def _named(self) -> str:
        """Return the name of the field without its unit, to begin a message: ``Search steps: ``."""
        name = self.accessibleName().partition(",")[0]
        return f"{name}: " if name else ""

    def _bare(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()  # type: ignore[attr-defined]

    def _state(self, bare: str, usable: bool, partial: re.Pattern[str]) -> QValidator.State:
        if usable:
            return QValidator.State.Acceptable
        return QValidator.State.Intermediate if partial.fullmatch(bare) else QValidator.State.Invalid


class DecimalField(_NumberField, QDoubleSpinBox):
    """Field for a float between two bounds.

    Steps change the leading digit, so 3e-3 steps to 4e-3 and 50 to 60.
    """

    refused = Signal(str)
    """The typed text cannot be used; the value stays as it was."""

    def __init__(self, low: float | None, high: float | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDecimals(_DECIMALS)
        self.setRange(-_UNBOUNDED if low is None else low, _UNBOUNDED if high is None else high)
        self._set_up()

    def textFromValue(self, value: float) -> str:
        """Return the number as text."""
        return plain_number(value)

    def valueFromText(self, text: str) -> float:
        """Return the number of a text, or the current value if it is none."""
        number = _as_float(self._bare(text))
        return self.value() if number is None else number

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Return whether the text is a number, may become one, or never will."""
        bare = self._bare(text)
        number = _as_float(bare)
        usable = number is not None and self.minimum() <= number <= self.maximum()
        return self._state(bare, usable, _PARTIAL_NUMBER), text, position

    def fixup(self, text: str) -> str:
        """Report why a text is refused when the field loses the focus."""
        self._refuse(text)
        return text

    def stepBy(self, steps: int) -> None:
        """Step the leading digit up or down."""
        value = self.value()
        size = 10.0 ** math.floor(math.log10(abs(value)) + 1e-9) if value else 0.1
        # The step down from exactly 1e-3 is 9e-4, not 0.
        if math.isclose(abs(value), size, rel_tol=1e-9) and steps * value < 0:
            size /= 10.0
        self.setValue(value + steps * size)
        self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Clear the selection."""
        super().focusOutEvent(event)
        self.lineEdit().deselect()


class WholeField(_NumberField, QSpinBox):
    """Field for an integer between two bounds; ``offset`` is added on screen, as days count from 1."""

    refused = Signal(str)

    def __init__(
        self, low: float | None, high: float | None, offset: int = 0, parent: QWidget | None = None,
        *, value: int | None = None, prefix: str = "", suffix: str = "",
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._offset = offset
        self.setPrefix(prefix)
        self.setSuffix(suffix)
        lower, upper = -_WHOLE_LIMIT if low is None else low, _WHOLE_LIMIT if high is None else high
        self.setRange(int(max(lower, -_WHOLE_LIMIT)), int(min(upper, _WHOLE_LIMIT)))
        self._set_up()
        if value is not None:
            self.setValue(value)

    def textFromValue(self, value: int) -> str:
        """Return the number as text."""
        return str(value + self._offset)

    def valueFromText(self, text: str) -> int:
        """Return the number of a text, or the current value if it is none."""
        bare = self._bare(text)
        return int(bare) - self._offset if _WHOLE_NUMBER.fullmatch(bare) else self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Return whether the text is a number, may become one, or never will."""
        bare = self._bare(text)
        whole = _WHOLE_NUMBER.fullmatch(bare) is not None
        usable = whole and self.minimum() <= int(bare) - self._offset <= self.maximum()
        return self._state(bare, usable, _PARTIAL_WHOLE), text, position

    def fixup(self, text: str) -> str:
        """Report why a text is refused when the field loses the focus."""
        self._refuse(text)
        return text


def commit_editing() -> None:
    """Apply the unfinished entry of the focused field or cell, as leaving it would; the focus stays there."""
    focus = QApplication.focusWidget()
    if isinstance(focus, (QAbstractSpinBox, QLineEdit)):
        view = _view_of(focus)
        focus.clearFocus()
        if QApplication.focusWidget() is None:
            # The editor of a cell closes: its table has the keys then.
            (view or focus).setFocus(Qt.FocusReason.OtherFocusReason)


def _view_of(editor: QWidget) -> QAbstractItemView | None:
    """Return the view in which ``editor`` is open in a cell, if it is."""
    viewport = editor.parentWidget()
    view = viewport.parentWidget() if viewport is not None else None
    return view if isinstance(view, QAbstractItemView) else None


def focused_entry_is_refused() -> bool:
    """Return whether the entry of the focused field or open cell cannot be used.

    It stays there then, with the reason.
    """
    focus = QApplication.focusWidget()
    if focus is not None and isinstance(view := _view_of(focus), EditableTable):
        return view.refuses_entry(focus)
    return isinstance(focus, (_NumberField, RefusingLine)) and focus.refuses_entry()


def _is_undo(event: QEvent) -> bool:
    if event.type() is not QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if not (event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)):
        return False
    event.ignore()
    return True


def _as_float(text: str) -> float | None:
    try:
        number = number_from_text(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def text_line(name: str, hint: str, more: str = "") -> QLineEdit:
    """Return a line edit called ``name``; ``hint`` is its placeholder, ``more`` its tooltip."""
    line = QLineEdit()
    line.setObjectName(name)
    line.setPlaceholderText(hint)
    line.setToolTip(tooltip(more or hint))
    line.setAccessibleName(hint)
    return line


class RefusingLine(QLineEdit):
    """Line of text that keeps a refused text and the focus, with an outline and the reason in a note.

    Enter and Tab enter the text. A refused text stays until it is mended or given up: with Esc, or with a click
    elsewhere. ``take`` receives the text when it is entered and returns why it is refused, empty if it was taken.
    ``kept`` returns the text that comes back when the refused one is given up.
    """

    def __init__(self, take: Callable[[str], str], kept: Callable[[], str]) -> None:
        super().__init__()
        self._take, self._kept, self._why = take, kept, ""
        self.note: RefusalNote | None = None
        """Why the text was refused; made with the first refusal."""
        self.editingFinished.connect(self._enter)
        self.textChanged.connect(self._forget)

    @property
    def is_refused(self) -> bool:
        """Whether the shown text was refused."""
        return bool(self._why)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give a refused text up on Esc."""
        if event.key() == Qt.Key.Key_Escape and self.is_refused:
            self._give_up()
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def refuses_entry(self) -> bool:
        """Enter the text, and return whether it was refused."""
        self._enter()
        return self.is_refused

    def focusNextPrevChild(self, next: bool) -> bool:
        """Enter the text on Tab; a refused text keeps the focus."""
        return self.refuses_entry() or super().focusNextPrevChild(next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Enter the text; one that is refused is given up, unless the focus comes back at once."""
        was_refused = self.is_refused
        super().focusOutEvent(event)
        if self.is_refused:
            QTimer.singleShot(0, self, lambda: self._leave(tells=not was_refused))

    def hideEvent(self, event: QHideEvent) -> None:
        """Give a refused text up with the form."""
        if self.is_refused:
            self._give_up()
        self._forget()
        super().hideEvent(event)

    def _enter(self) -> None:
        if why := self._take(self.text()):
            self._tell(f"{why}. Esc keeps {self._kept() or 'it empty'}.", stays=True)
            self._why = why
            set_role(self, "refused")
            self.selectAll()

    def _leave(self, *, tells: bool) -> None:
        """Give a refused text up after the focus went elsewhere in the window."""
        why = self._why
        if why and self.window().focusWidget() is not self:
            self._give_up()
            if tells:
                self._tell(f"{why}. It stays {self._kept() or 'empty'}.", stays=False)

    def _give_up(self) -> None:
        self.setText(self._kept())
        self._forget()

    def _tell(self, text: str, *, stays: bool) -> None:
        if self.note is None:
            self.note = RefusalNote(self)
        self.note.tell(text, stays=stays)

    def _forget(self) -> None:
        self._why = ""
        set_role(self, "")
        if self.note is not None:
            self.note.hide()


class SearchField(QLineEdit):
    """Field for words to find. While it is empty, undo and redo are left to the window."""

    def __init__(self, hint: str, name: str, tip: str) -> None:
        super().__init__(placeholderText=hint, clearButtonEnabled=True)
        self.setAccessibleName(name)
        self.setToolTip(tooltip(tip))

    def event(self, event: QEvent) -> bool:
        """Let undo and redo reach the window if there is no text."""
        return False if not self.text() and _is_undo(event) else super().event(event)


class ListField(QPlainTextEdit):
    """Field for values with commas between, as high as their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2.0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def text(self) -> str:
        """Return the values as typed, in one line."""
        return self.toPlainText()

    def setText(self, text: str) -> None:
        """Show other values."""
        self.setPlainText(text)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Enter to the panel: the values have one line."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste lines as values of one line."""
        self.insertPlainText(", ".join(source.text().split("\n")))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the values anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self, *_: object) -> None:
        # The height of this kind of document is its number of lines.
        lines = max(round(self.document().size().height()), 1)
        frame = 2 * self.frameWidth() + 2 * math.ceil(self.document().documentMargin()) + 4
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + frame)


class PathField(QWidget):
    """Field for the path of a file, a folder, or a new file, with a Browse button.

    ``place`` returns the start folder of the file dialog while the line is empty.
    """

    settled = Signal()
    """The user has chosen a path, or has left the line."""

    def __init__(
        self,
        name: str,
        hint: str,
        *,
        kind: PathKind = "file",
        files: str = "",
        place: Callable[[], str] | None = None,
    ) -> None:
        super().__init__()
        self.line = PathLine(name, hint)
        self.line.editingFinished.connect(self.settled)
        self._hint, self._kind, self._files, self._place = hint, kind, files, place
        self.button = QPushButton("Browse…")
        self.button.setObjectName(f"{name}Browse")
        self.button.setAccessibleName(f"Browse for {name}")
        self.button.setToolTip("Choose a path on this computer")
        # Enter in the line must press the dialog's default button, not this one.
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda _checked=False: self._browse())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        self.setFocusProxy(self.line)

    @property
    def text(self) -> str:
        """The path as typed; a dropped file counts as its path. Empty if there is none."""
        typed = self.line.text().strip()
        return QUrl(typed).toLocalFile() if typed.startswith("file:") else typed

    @property
    def path(self) -> Path | None:
        """The path, if there is one."""
        return Path(self.text).expanduser() if self.text else None

    def _browse(self) -> None:
        start = self.text or (self._place() if self._place is not None else "")
        if self._kind == "folder":
            name = QFileDialog.getExistingDirectory(self, self._hint, start)
        elif self._kind == "new":
            # The confirmation to replace a file comes later, when it is written.
            keep = QFileDialog.Option.DontConfirmOverwrite
            name, _filter = QFileDialog.getSaveFileName(self, self._hint, start, self._files, options=keep)
        else:
            name, _filter = QFileDialog.getOpenFileName(self, self._hint, start, self._files)
        if name:
            self.line.setText(name)
            self.settled.emit()


def read_entry(text: str, parse: Callable[[str], Value], where: str, remedy: str, problems: Problems) -> Value | None:
    """Return ``parse(text)``, ``None`` for an empty text; add a problem if it cannot be read."""
    if not text:
        return None
    try:
        return parse(text)
    except ValueError:
        problems.add(where, f"'{text}' cannot be read", remedy)
        return None


def number(text: str) -> float:
    """Return the number in a text, whichever minus sign it has. Raises ``ValueError``."""
    return number_from_text(text.replace("−", "-"))


def numbers(count: int) -> Callable[[str], tuple[float, ...]]:
    """Return a parser of ``count`` numbers separated by commas or semicolons; it raises ``ValueError``."""

    def read(text: str) -> tuple[float, ...]:
        found = tuple(number(part) for part in text.replace(";", ",").split(","))
        if len(found) != count:
            raise ValueError(text)
        return found

    return read
