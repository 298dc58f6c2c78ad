"""Icons by what they stand for; without the icon font the actions show their text instead."""

from __future__ import annotations

import qtawesome
from PySide6.QtGui import QIcon

from firegui.gui.theme import current_colors

_GLYPHS = {
    "new": "mdi6.fire", "open": "mdi6.folder-open-outline", "save": "mdi6.content-save-outline",
    "import": "mdi6.import", "export": "mdi6.export-variant", "undo": "mdi6.undo", "redo": "mdi6.redo",
    "delete": "mdi6.trash-can-outline", "add": "mdi6.plus", "duplicate": "mdi6.content-duplicate",
    "reset": "mdi6.restore", "pan": "mdi6.hand-back-right-outline", "rectangle": "mdi6.vector-rectangle",
    "polygon": "mdi6.vector-polygon", "edit": "mdi6.vector-polyline-edit", "probe": "mdi6.crosshairs-question",
    "fit": "mdi6.fit-to-page-outline", "start": "mdi6.play", "pause": "mdi6.pause", "resume": "mdi6.play-pause",
    "first": "mdi6.skip-backward", "back": "mdi6.step-backward", "next": "mdi6.step-forward", "loop": "mdi6.repeat",
    "show": "mdi6.eye-outline", "folder": "mdi6.folder-open-outline",
    "zone": "mdi6.selection-off", "zone-polygon": "mdi6.vector-polygon-variant", "pin": "mdi6.pin-outline",
    "copy": "mdi6.content-copy", "map": "mdi6.map-outline", "csv": "mdi6.file-delimited-outline",
    "again": "mdi6.dice-5-outline", "quick": "mdi6.clock-fast",
    "prune": "mdi6.content-cut", "branch": "mdi6.source-branch", "compare": "mdi6.compare",
    "stop": "mdi6.stop", "theme": "mdi6.theme-light-dark", "about": "mdi6.information-outline",
}  # fmt: skip


def icon(name: str, color: str | None = None) -> QIcon:
    """The icon for ``name`` in the theme's text colour; an empty icon where the font cannot be used."""
    colors = current_colors()
    try:
        made = qtawesome.icon(
            _GLYPHS[name], color=color or colors.text, color_disabled=colors.border, color_on=color or colors.on_accent
        )
    except Exception:  # the icon font may be unloadable in many ways; text is always there instead
        return QIcon()
    return made if isinstance(made, QIcon) else QIcon()
