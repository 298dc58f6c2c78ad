"""Folder that exports of the open project go to."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths

from firegui.gui.base.preferences import Preferences
from firegui.gui.session.plan_editor import EDITED
from firegui.gui.session.session import Session, ShownResult
from firegui.runs.titles import short_title


class ExportFolder:
    """Folder that is proposed for exports of what is shown: plans, films, charts, tables and ensembles.

    ``result`` has the plan that is exported, by default what is shown.
    """

    def __init__(self, session: Session, preferences: Preferences, result: ShownResult | None = None) -> None:
        self._session, self._preferences, self._result = session, preferences, result

    @property
    def folder(self) -> Path:
        """The folder that was chosen last for the project, else one named after the event and the run."""
        return self._chosen or self._beside / export_stem(self._session, self._result)

    def folder_for(self, name: str) -> Path:
        """Return a folder called ``name`` where exports of the project go."""
        return (self._chosen or self._beside) / name

    def remember(self, folder: Path) -> None:
        """Propose ``folder`` for the next export of the project, unless it is the one that was proposed.

        The proposed one has the name of the run, and the next run has another.
        """
        project = self._session.folder
        if project is not None and folder.absolute() != self.folder:
            self._preferences.set_export_folder(project, folder)

    @property
    def _chosen(self) -> Path | None:
        project = self._session.folder
        return None if project is None else self._preferences.export_folder(project)

    @property
    def _beside(self) -> Path:
        """The folder of the project, or the documents where the user would not find it.

        These are projects that the user has not saved, and hidden folders, which file managers do not show.
        """
        project = self._session.folder
        if project is not None and not self._preferences.is_demo(project) and not _is_hidden(project.absolute().parent):
            return project.absolute().parent
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return Path(documents or Path.home())


def _is_hidden(folder: Path) -> bool:
    return any(part.startswith(".") for part in folder.parts)


def export_stem(session: Session, result: ShownResult | None = None) -> str:
    """Return how names of exported files begin: event and run, in small letters and hyphens.

    ``result`` is by default what is shown. Of a run with a number its goal is left out: ``demo-run-3``.
    """
    shown = session.result if result is None else result
    name = short_title(shown.title)
    if shown.by_hand and name != shown.title:
        name = f"{name} {EDITED}"
    return hyphened(f"{session.project.scenario.name} {name}" if session.has_project else "")


def hyphened(text: str) -> str:
    """Return ``text`` as the name of a file, in small letters and hyphens."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in text.lower())
    return "-".join(part for part in kept.split("-") if part) or "schedule"
