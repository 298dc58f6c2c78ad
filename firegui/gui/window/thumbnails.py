"""Thumbnails of recent projects: a small picture and a line of facts, saved with the preferences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, QTimer
from PySide6.QtGui import QImage

from firegui.domain.units import Units
from firegui.io.paths import PROJECT_FILE

if TYPE_CHECKING:
    from firegui.domain.project import Project
    from firegui.gui.session.session import Session

_AFTER_MS = 2_000
_PICTURE = QSize(320, 200)


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """Facts on a recent project that are known without opening it.

    ``saved`` is ``None`` if its folder is missing.
    """

    folder: Path
    name: str
    facts: str
    picture: Path | None
    saved: datetime | None

    @property
    def is_missing(self) -> bool:
        """Whether the folder no longer holds a project."""
        return self.saved is None


class ThumbnailCache:
    """Thumbnails in the folder ``place``; without one they have no picture, and nothing is saved."""

    def __init__(self, place: Path | None) -> None:
        self._place = place

    def of(self, folder: Path, units: Units = Units.METRIC) -> Thumbnail:
        """Return the thumbnail of the project in ``folder``, with its area in ``units``."""
        picture, note = self._files(folder)
        known = _read(note)
        has_picture = picture is not None and picture.is_file()
        name = known.get("name") or folder.name.removesuffix(".firegui")
        facts = known.get("facts", "")
        with suppress(ValueError, KeyError):
            facts = f"{facts} · {units.large_area(float(known['hectares']))}"
        return Thumbnail(folder, name, facts, picture if has_picture else None, _saved(folder))

    def keep(self, folder: Path, name: str, facts: str, hectares: float, picture: QImage) -> None:
        """Write the thumbnail of the project in ``folder``, if possible."""
        image, note = self._files(folder)
        if image is None or note is None or picture.isNull():
            return
        small = picture.scaled(
            _PICTURE, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        )
        left, top = (small.width() - _PICTURE.width()) // 2, (small.height() - _PICTURE.height()) // 2
        try:
            image.parent.mkdir(parents=True, exist_ok=True)
            small.copy(left, top, _PICTURE.width(), _PICTURE.height()).save(str(image))
            note.write_text(json.dumps({"name": name, "facts": facts, "hectares": f"{hectares:.0f}"}), encoding="utf-8")
        except OSError:
            return

    def forget(self, folder: Path) -> None:
        """Delete the thumbnail of ``folder``."""
        for file in self._files(folder):
            if file is not None:
                file.unlink(missing_ok=True)

    def _files(self, folder: Path) -> tuple[Path | None, Path | None]:
        if self._place is None:
            return None, None
        key = hashlib.sha256(str(folder).encode()).hexdigest()[:24]
        return self._place / f"{key}.png", self._place / f"{key}.json"


class ThumbnailRenderer(QObject):
    """Renderer of the open project's thumbnail from ``snapshot``, the picture of its map."""

    def __init__(
        self, session: Session, thumbnails: ThumbnailCache, snapshot: Callable[[], QImage], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._thumbnails, self._snapshot = session, thumbnails, snapshot
        self._timer = QTimer(self, singleShot=True, interval=_AFTER_MS)
        self._timer.timeout.connect(self.render)

    def render_soon(self) -> None:
        """Render it once the map of a project that was just opened has been drawn."""
        self._timer.start()

    def render(self) -> None:
        """Render it now; a project without a folder has none."""
        self._timer.stop()
        session = self._session
        if session.has_project and session.folder is not None:
            event = session.project.scenario
            hectares = event.grid.n_cells * event.grid.cell_area_ha
            self._thumbnails.keep(session.folder, event.name, facts(session.project), hectares, self._snapshot())


def facts(project: Project) -> str:
    """Return the time of a fire and the planned days."""
    calendar = project.calendar
    days = f"{calendar.days} day{'s' if calendar.days != 1 else ''}"
    return f"{calendar.short_date_text(0, year=True)}, {days}"


def _read(note: Path | None) -> dict[str, str]:
    try:
        found = json.loads(note.read_text(encoding="utf-8")) if note is not None else {}
    except (OSError, ValueError):
        return {}
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _saved(folder: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp((folder / PROJECT_FILE).stat().st_mtime)
    except OSError:
        return None


def relative_time(when: datetime, now: datetime) -> str:
    """Return ``today 14:05``, ``yesterday``, ``5 days ago``, or the date."""
    days = (now.date() - when.date()).days
    if days <= 0:
        return f"today {when:%H:%M}"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 14 else f"{when.day} {when:%b %Y}"
