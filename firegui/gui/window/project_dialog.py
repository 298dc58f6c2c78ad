"""Dialog for the folder of a project, and the search for the project that a path belongs to."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QWidget

from firegui.io.paths import PROJECT_FILE

_DEEPEST = 3
"""Folders above a path that are searched for a project."""


class ProjectDialog(QFileDialog):
    """Dialog for a project folder. A double click on a project chooses it; other folders are entered.

    A file can be chosen, too: a file of a project opens the project, and any other one is refused with a reason.
    """

    def __init__(self, folder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, "Open a project: choose its folder, NAME.firegui", folder)
        # The desktop's own dialog would enter a project like any folder.
        self.setOption(QFileDialog.Option.DontUseNativeDialog)
        self.setOption(QFileDialog.Option.ShowDirsOnly)
        self.setFileMode(QFileDialog.FileMode.Directory)
        self.setLabelText(QFileDialog.DialogLabel.Accept, "Open")
        self._project: Path | None = None
        self.directoryEntered.connect(self._on_entered)
        buttons = self.findChild(QDialogButtonBox)
        assert isinstance(buttons, QDialogButtonBox)
        (self.open_button,) = (
            button for button in buttons.buttons() if buttons.buttonRole(button) is buttons.ButtonRole.AcceptRole
        )
        self.open_button.installEventFilter(self)

    @property
    def chosen(self) -> Path:
        """The chosen folder."""
        return self._project or Path(self.selectedFiles()[0])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the button enabled: Qt would disable it for a path that is not a folder, without a reason."""
        if event.type() == QEvent.Type.EnabledChange:
            self.open_button.setEnabled(True)
        return super().eventFilter(watched, event)

    def accept(self) -> None:
        """Choose the typed or selected path. Qt ignores a file."""
        path = Path(self.selectedFiles()[0])
        if path.is_file():
            self._project = path
            self.done(QFileDialog.DialogCode.Accepted)
        else:
            super().accept()

    def _on_entered(self, folder: str) -> None:
        if (Path(folder) / PROJECT_FILE).is_file():
            self._project = Path(folder)
            self.done(QFileDialog.DialogCode.Accepted)


def ask_project(parent: QWidget | None, folder: str) -> Path | None:
    """Return the project folder that the user chooses, ``None`` for none; the dialog begins in ``folder``."""
    dialog = ProjectDialog(folder, parent)
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    chosen = dialog.chosen if accepted else None
    dialog.deleteLater()
    return chosen


def project_of(path: Path) -> Path:
    """Return the project folder that ``path`` is or lies in; ``path`` itself where there is none."""
    places = (path, *path.parents[:_DEEPEST])
    return next((place for place in places if (place / PROJECT_FILE).is_file()), path)
