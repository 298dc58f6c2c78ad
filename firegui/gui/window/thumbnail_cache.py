"""A small picture and a line of facts of every recent project, kept beside the preferences and never in a project."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

_PICTURE = QSize(320, 200)
_PROJECT_FILE = "project.toml"


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """What is known of a recent project without opening it. ``saved`` is ``None`` where its folder is gone."""

    folder: Path
    name: str
    facts: str
    picture: Path | None
    saved: datetime | None

    @property
    def is_missing(self) -> bool:
        """Whether there is no project in the folder any more."""
        return self.saved is None


class ThumbnailCache:
    """Reads and writes them in ``place``; without one, a postcard has no picture and nothing is kept."""

    def __init__(self, place: Path | None) -> None:
        self._place = place

    def of(self, folder: Path) -> Thumbnail:
        """The postcard of the project in ``folder``."""
        picture, note = self._files(folder)
        known = _read(note)
        has_picture = picture is not None and picture.is_file()
        name = known.get("name") or folder.name.removesuffix(".firegui")
        return Thumbnail(folder, name, known.get("facts", ""), picture if has_picture else None, _saved(folder))

    def keep(self, folder: Path, name: str, facts: str, picture: QImage) -> None:
        """Write the postcard of the project in ``folder``; a place that cannot be written to keeps none."""
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
            note.write_text(json.dumps({"name": name, "facts": facts}), encoding="utf-8")
        except OSError:
            return

    def forget(self, folder: Path) -> None:
        """Delete the postcard of ``folder``."""
        for file in self._files(folder):
            if file is not None:
                file.unlink(missing_ok=True)

    def _files(self, folder: Path) -> tuple[Path | None, Path | None]:
        if self._place is None:
            return None, None
        key = hashlib.sha256(str(folder).encode()).hexdigest()[:24]
        return self._place / f"{key}.png", self._place / f"{key}.json"


def _read(note: Path | None) -> dict[str, str]:
    try:
        found = json.loads(note.read_text(encoding="utf-8")) if note is not None else {}
    except (OSError, ValueError):
        return {}
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _saved(folder: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp((folder / _PROJECT_FILE).stat().st_mtime)
    except OSError:
        return None


def ago(when: datetime, now: datetime) -> str:
    """``today 14:05``, ``yesterday``, ``5 days ago``, then the date."""
    days = (now.date() - when.date()).days
    if days <= 0:
        return f"today {when:%H:%M}"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 14 else f"{when.day} {when:%b %Y}"
