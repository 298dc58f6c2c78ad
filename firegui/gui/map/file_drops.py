"""Files that are dragged onto the map: regions are added, a base map is laid under it. Others are the window's."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from firegui.gui.map.region_edits import import_regions
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.io.project_store import PROJECT_FILE

_REGIONS = (".geojson", ".json", ".toml")
BASE_MAP = ".mbtiles"
_ENTERS = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class FileDrops(QObject):
    """An event filter on the map's viewport."""

    def __init__(self, session: Session, viewport: QWidget) -> None:
        super().__init__(viewport)
        self._session = session
        viewport.setAcceptDrops(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what the map knows; leave the rest to the window below it."""
        if not isinstance(event, QDropEvent) or event.type() not in (*_ENTERS, QEvent.Type.Drop):
            return False
        path = self._wanted(event)
        if path is None:
            event.ignore()
            return True
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._take(path)
        return True

    def _wanted(self, event: QDropEvent) -> Path | None:
        urls = event.mimeData().urls()
        if len(urls) != 1 or not urls[0].isLocalFile() or not self._session.has_project:
            return None
        path = Path(urls[0].toLocalFile())
        mine = path.suffix.lower() in (*_REGIONS, BASE_MAP) and path.name != PROJECT_FILE
        return path if mine else None

    def _take(self, path: Path) -> None:
        if path.suffix.lower() == BASE_MAP:
            with refusing(self._session, str(path)):
                self._session.ground.choose(path)
        else:
            import_regions(self._session, path)
