"""Dialog that changes the project by what was typed or chosen, or says what is wrong with it."""

from __future__ import annotations

from PySide6.QtWidgets import QDialogButtonBox, QWidget

from firegui.errors import FireguiError
from firegui.gui.base.dialogs import Dialog, ProblemsDialog
from firegui.gui.session.reporting import as_input_error


class EntryDialog(Dialog):
    """Base class of dialogs whose entry is used or refused as a whole; a refused one stays open."""

    def __init__(self, title: str, action: str, parent: QWidget | None = None) -> None:
        """Make the dialog and its ``buttons``: Cancel, and the default one, which is called ``action``."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.problems: ProblemsDialog | None = None
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.action_button = self.buttons.addButton(action, QDialogButtonBox.ButtonRole.AcceptRole)
        self.action_button.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    @property
    def subject(self) -> str:
        """What the problems are about, where an error does not say it."""
        raise NotImplementedError

    def use_entry(self) -> None:
        """Change the project. Raises :class:`FireguiError` or :class:`OSError` for an entry that is refused."""
        raise NotImplementedError

    def accept(self) -> None:
        """Use the entry and close; one with problems is refused, and the dialog stays."""
        try:
            self.use_entry()
        except (FireguiError, OSError) as error:
            self.problems = ProblemsDialog(as_input_error(error, self.subject), self)
            self.problems.open()
            return
        super().accept()
