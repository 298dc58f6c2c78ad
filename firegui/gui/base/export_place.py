"""Questions for the file or folder of an export, which start where exports of the open project go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from PySide6.QtWidgets import QFileDialog, QWidget

_ENDING = re.compile(r"\*(\.\w+)")


class ExportPlace(Protocol):
    """Folder for exports of the open project, which is proposed and remembered."""

    @property
    def folder(self) -> Path:
        """The folder that is proposed."""
        ...

    def folder_for(self, name: str) -> Path:
        """Return the folder called ``name`` that is proposed for what does not belong to the shown plan."""
        ...

    def remember(self, folder: Path) -> None:
        """Propose ``folder`` the next time, unless it was proposed this time."""
        ...


def export_place_of(widget: QWidget) -> ExportPlace | None:
    """Return the place for exports of the window that ``widget`` belongs to; ``None`` outside a window."""
    above: QWidget | None = widget
    while above is not None:
        place: ExportPlace | None = getattr(above, "export_place", None)
        if place is not None:
            return place
        above = above.parentWidget()
    return None


def ask_export_file(widget: QWidget, title: str, name: str, kinds: str) -> Path | None:
    """Let the user choose the file of an export, called ``name`` at first; ``None`` if it is cancelled.

    A name without an ending gets that of the chosen kind.
    """
    place = export_place_of(widget)
    if place is None:
        chosen, kind = QFileDialog.getSaveFileName(widget.window(), title, name, kinds)
        return _with_ending(chosen, kind) if chosen else None
    with _made_for_question(place.folder) as folder:
        chosen, kind = QFileDialog.getSaveFileName(widget.window(), title, str(folder / name), kinds)
    if not chosen:
        return None
    path = _with_ending(chosen, kind)
    _make(path.parent)
    place.remember(path.parent)
    return path


def ask_export_folder(widget: QWidget, title: str) -> Path | None:
    """Let the user choose the folder of an export; ``None`` if it is cancelled."""
    place = export_place_of(widget)
    if place is None:
        chosen = QFileDialog.getExistingDirectory(widget.window(), title)
        return Path(chosen) if chosen else None
    with _made_for_question(place.folder) as folder:
        chosen = QFileDialog.getExistingDirectory(widget.window(), title, str(folder))
    if not chosen:
        return None
    out = Path(chosen)
    _make(out)
    place.remember(out)
    return out


def _with_ending(chosen: str, kind: str) -> Path:
    path, ending = Path(chosen), _ENDING.search(kind)
    return path.with_suffix(ending[1]) if not path.suffix and ending is not None else path


@contextmanager
def _made_for_question(folder: Path) -> Iterator[Path]:
    """Make ``folder`` while a dialog is open: one that does not exist would start somewhere else.

    Yield the nearest folder that exists where it cannot be made. A folder that stays empty is removed.
    """
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    _make(folder)
    try:
        yield next((each for each in (folder, *folder.parents) if each.is_dir()), folder)
    finally:
        with suppress(OSError):
            for each in made:
                each.rmdir()


def _make(folder: Path) -> None:
    # What cannot be made is reported by the export, which cannot write there.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
