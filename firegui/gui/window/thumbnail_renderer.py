"""Takes the small picture of a project that the start page shows of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage

from firegui.domain.project import Project
from firegui.gui.session.session import Session
from firegui.gui.window.thumbnail_cache import ThumbnailCache

_AFTER_MS = 2_000


class ThumbnailRenderer(QObject):
    """Keeps a picture a moment after a project was opened or saved, and when it is left; ``look`` is the map now."""

    def __init__(
        self, session: Session, thumbnails: ThumbnailCache, look: Callable[[], QImage], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._postcards, self._look = session, thumbnails, look
        # Its map is drawn a moment after a project was opened.
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self.take)

    def take_soon(self) -> None:
        """Take a picture once the map has been drawn."""
        self._timer.start()

    def take(self) -> None:
        """Take a picture now; of a project that is kept nowhere there is none."""
        self._timer.stop()
        session = self._session
        if session.has_project and session.folder is not None:
            self._postcards.keep(session.folder, session.project.scenario.name, facts(session.project), self._look())


def facts(project: Project) -> str:
    """What tells one fire from another: when it is, how long, how large."""
    calendar, grid = project.calendar, project.scenario.grid
    first = calendar.date_of_day(0)
    area = grid.rows * grid.columns * (grid.cell_size_m / 1000.0) ** 2
    days = f"{calendar.days} day{'s' if calendar.days != 1 else ''}"
    return f"{first.day} {first:%b %Y}, {days} · {area:,.0f} km²"
