"""Asks for a base map, and remembers for every project of this computer's user which one lies under it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from firegui.errors import InputError
from firegui.gui.base.preferences import Preferences
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session

_FILTER = "Map tiles (*.mbtiles);;All files (*)"


class BaseMapSelector(QObject):
    """Opens a project's base map again with the project; one that has gone since is told in the status bar."""

    def __init__(self, session: Session, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._preferences, self._window = session, preferences, window
        session.project_opened.connect(self._restore)
        session.folder_changed.connect(self._keep)
        session.ground.chosen.connect(self._keep)
        if session.has_project:
            self._restore()

    def ask(self) -> None:
        """Ask for a file and lay it under the map."""
        known = self._session.ground.archive
        place = str(self._session.folder.parent if self._session.folder is not None else Path.home())
        if known is not None:
            place = str(known.path)
        name, _filter = QFileDialog.getOpenFileName(self._window, "Open a base map", place, _FILTER)
        if name:
            with refusing(self._session, name):
                self._session.ground.choose(Path(name))

    def _keep(self, _: object = None) -> None:
        folder, archive = self._session.folder, self._session.ground.archive
        if folder is not None:
            self._preferences.set_base_map(folder, None if archive is None else archive.path)

    def _restore(self) -> None:
        folder = self._session.source
        path = None if folder is None else self._preferences.base_map(folder)
        if path is None:
            return
        try:
            self._session.ground.open(path)
        except (InputError, OSError) as error:
            what = error.problems[0] if isinstance(error, InputError) else error
            self._session.message.emit(f"Without its base map: {what}")
