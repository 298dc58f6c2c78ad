"""Dialogs for problems of an input and for files that would be overwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QShowEvent, QTextOption
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QStyle,
    QTextEdit,
    QWidget,
)  # fmt: skip

from firegui.errors import InputError, Problem
from firegui.gui.base.breaking_label import BreakingLabel
from firegui.gui.base.controls import focus_first_field, focus_next, tab_stops, without_mnemonic
from firegui.gui.base.layouts import labelled, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import plain, tooltip
from firegui.gui.base.screen_geometry import resize_on_screen


class Dialog(QDialog):
    """Dialog that opens with the focus on its first field, and in which Tab goes as a reader does."""

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the first field, unless the dialog has chosen one; Qt would focus the default button."""
        super().showEvent(event)
        if self.focusWidget() is None:
            focus_first_field(self)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Move the focus by Tab."""
        return focus_next(tab_stops(self), self.focusWidget(), forward=next) or super().focusNextPrevChild(next)


class TextDialog(Dialog):
    """Dialog for one line of text. A refused text stays and is selected, with the reason below the field.

    ``take`` receives the text and returns why it is refused; empty if it was taken, which closes the dialog.
    """

    def __init__(
        self, title: str, label: str, take: Callable[[str], str], parent: QWidget | None = None, *, text: str = "",
        hint: str = "", button: str = "&OK",
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setWindowTitle(title)
        self._take = take
        self.field, self.trouble = QLineEdit(text, clearButtonEnabled=True), muted_label(role="warning")
        self.label, self._hint = labelled(label, self.field), muted_label(hint)
        self.label.setWordWrap(True)
        self.field.setToolTip(tooltip(hint or without_mnemonic(label)))
        self.trouble.setAccessibleName("Why the text is refused")
        self.trouble.hide()
        self._hint.setVisible(bool(hint))
        self.field.textEdited.connect(self.trouble.hide)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.accept_button = buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vertical(self, self.label, self.field, self.trouble, self._hint, buttons, least_width=420)
        # A dialog learns of its default button only once it holds the button.
        self.accept_button.setDefault(True)
        self.field.selectAll()

    def accept(self) -> None:
        """Close if the text is taken, else say why it is not."""
        if refusal := self._take(self.field.text()):
            self._refuse(refusal)
        else:
            super().accept()

    def _refuse(self, why: str) -> None:
        self.trouble.setText(why)
        self.trouble.show()
        # The text goes over several lines, for which a shown dialog makes no room by itself.
        layout = self.layout()
        assert layout is not None
        self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
        self.field.setFocus()
        self.field.selectAll()


class ProblemsDialog(Dialog):
    """Dialog that lists the problems of an :class:`InputError`.

    It shows the title and every problem with its place and remedy. A button copies the text.
    """

    def __init__(self, error: InputError, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Cannot do that")
        self._error = error
        self.problems = QTextEdit(readOnly=True)
        self.problems.setAccessibleName("Problems")
        self.problems.setToolTip("The problems, with place and remedy")
        self.problems.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.problems.setPlainText("\n\n".join(map(_with_remedy, error.problems)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok)
        copy = buttons.addButton("Copy all", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self.copy)
        buttons.accepted.connect(self.accept)
        QShortcut(QKeySequence.StandardKey.Copy, self, self.copy)
        vertical(self, self._head(error), self.problems, buttons, least_width=560)

    def copy(self) -> None:
        """Put the whole text on the clipboard."""
        QGuiApplication.clipboard().setText(str(self._error))

    def _head(self, error: InputError) -> QHBoxLayout:
        icon = plain_label()
        icon.setPixmap(self.style().standardIcon(QStyle.StandardPixmap.SP_MessageBoxWarning).pixmap(32, 32))
        many = f"{len(error.problems)} problems" if len(error.problems) != 1 else "1 problem"
        text = BreakingLabel(f"{error.title}\n{many}; nothing was changed.", wordWrap=True)
        row = QHBoxLayout()
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(text, 1)
        return row

    def showEvent(self, event: QShowEvent) -> None:
        """Open as high as the problems need, as far as the screen has the room."""
        super().showEvent(event)
        spare = self.problems.viewport().height() - int(self.problems.document().size().height())
        resize_on_screen(self, QSize(self.width(), self.height() - spare))


def _with_remedy(problem: Problem) -> str:
    shown = problem.for_window()
    return f"{shown.head}\n→ {shown.remedy}" if shown.remedy else shown.head


def show_problems(parent: QWidget | None, error: InputError) -> None:
    """Show every problem of ``error`` and wait until the user closes the dialog."""
    ProblemsDialog(error, parent).exec()


def confirm_replace(parent: QWidget, folder: Path, names: Iterable[str]) -> bool:
    """Return whether files with these ``names`` may be written to ``folder``; ask if some exist."""
    there = [name for name in names if (folder / name).exists()]
    if not there:
        return True
    text = f"{', '.join(there)} already {'exists' if len(there) == 1 else 'exist'} in {folder}. Replace?"
    return confirm(parent, "Replace files", text, "Replace")


def confirm(parent: QWidget | None, title: str, text: str, button: str) -> bool:
    """Ask a question, shown as it is, and return whether ``button`` was clicked.

    Cancel is the default button.
    """
    box = message_box(parent, QMessageBox.Icon.Question, title, text)
    go_on = box.addButton(button, QMessageBox.ButtonRole.AcceptRole)
    return clicked_button(box, "Cancel") is go_on


def message_box(parent: QWidget | None, icon: QMessageBox.Icon, title: str, text: str, more: str = "") -> QMessageBox:
    """Return a box without buttons that shows ``text``, and ``more`` below it, as they are."""
    box = QMessageBox(icon, title, plain(text), QMessageBox.StandardButton.NoButton, parent)
    box.setInformativeText(plain(more))
    return box


def show_message(parent: QWidget, text: str) -> None:
    """Show a whole message that there is no room for in a line; its text can be selected."""
    box = message_box(parent.window(), QMessageBox.Icon.Information, "Message", text)
    box.addButton(QMessageBox.StandardButton.Ok)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


def clicked_button(box: QMessageBox, cancel: str, default: QPushButton | None = None) -> QAbstractButton:
    """Show a question, which gets the button ``cancel``, and return the button that was clicked.

    Closing it clicks ``cancel``, which changes nothing. That is the default button, too, where there is no other one.
    """
    button = box.addButton(cancel, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(default or button)
    box.setEscapeButton(button)
    for each in box.buttons():
        # A box has the width of its text, and would cut wider buttons.
        each.ensurePolished()
        each.setMinimumWidth(each.sizeHint().width())
    box.exec()
    return box.clickedButton()
