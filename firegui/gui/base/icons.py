"""Icons by name. Without the icon font, actions show their text instead."""

from __future__ import annotations

import qtawesome
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon

from firegui.gui.base.theme import current_colors

TOOL_ICONS = QSize(17, 17)
"""Size of the icons in the tool bar."""

_GLYPHS = {
    "new": "mdi6.fire", "open": "mdi6.folder-open-outline", "save": "mdi6.content-save-outline",
    "import": "mdi6.import", "export": "mdi6.export-variant", "undo": "mdi6.undo", "redo": "mdi6.redo",
    "delete": "mdi6.trash-can-outline", "add": "mdi6.plus", "duplicate": "mdi6.content-duplicate",
    "reset": "mdi6.restore", "pan": "mdi6.hand-back-right-outline", "rectangle": "mdi6.vector-rectangle",
    "polygon": "mdi6.vector-polygon", "edit": "mdi6.vector-polyline-edit", "probe": "mdi6.crosshairs-question",
    "fit": "mdi6.fit-to-page-outline", "start": "mdi6.play", "pause": "mdi6.pause", "resume": "mdi6.play-pause",
    "first": "mdi6.skip-backward", "back": "mdi6.step-backward", "next": "mdi6.step-forward", "loop": "mdi6.repeat",
    "film": "mdi6.filmstrip",
    "show": "mdi6.eye-outline", "folder": "mdi6.folder-open-outline",
    "zone": "mdi6.selection-off", "zone-polygon": "mdi6.vector-polygon-variant", "pin": "mdi6.pin-outline",
    "numbers": "mdi6.numeric", "pin-off": "mdi6.pin-off-outline", "dock-drops": "mdi6.table",
    "go-to": "mdi6.crosshairs-gps", "coordinates": "mdi6.map-marker-outline", "full-map": "mdi6.fullscreen",
    "bookmark": "mdi6.bookmark-outline", "bookmark-add": "mdi6.bookmark-plus-outline",
    "zoom-fire": "mdi6.image-filter-center-focus", "zoom-to": "mdi6.magnify-plus-outline", "properties": "mdi6.tune",
    "measure": "mdi6.ruler", "drop": "mdi6.airplane-edit", "basemap": "mdi6.map-legend", "keep": "mdi6.archive-outline",
    "snap-cells": "mdi6.grid", "snap-corners": "mdi6.vector-point", "units": "mdi6.tape-measure",
    "basemap-off": "mdi6.map-marker-off-outline", "order": "mdi6.layers-triple-outline",
    "copy": "mdi6.content-copy", "map": "mdi6.map-outline", "csv": "mdi6.file-delimited-outline",
    "again": "mdi6.dice-5-outline", "quick": "mdi6.clock-fast",
    "prune": "mdi6.content-cut", "branch": "mdi6.source-branch", "compare": "mdi6.compare",
    "rename": "mdi6.form-textbox",
    "stop": "mdi6.stop", "save-as": "mdi6.content-save-edit-outline", "quit": "mdi6.exit-to-app",
    "events": "mdi6.database-import-outline", "import-folder": "mdi6.folder-download-outline",
    "weights": "mdi6.brain", "help": "mdi6.help-circle-outline", "begin": "mdi6.book-open-page-variant-outline",
    "keyboard": "mdi6.keyboard-outline", "find": "mdi6.magnify", "tour": "mdi6.map-marker-path",
    "home": "mdi6.home-outline", "news": "mdi6.bullhorn-outline", "page-back": "mdi6.arrow-left",
    "page-forward": "mdi6.arrow-right", "page-home": "mdi6.home-outline", "recent": "mdi6.history",
    "docks": "mdi6.view-dashboard-outline", "both-stages": "mdi6.numeric-2-circle-outline",
    "first-stage": "mdi6.numeric-1-circle-outline", "view-baseline": "mdi6.fire-alert", "view-plan": "mdi6.airplane",
    "view-difference": "mdi6.compare-horizontal", "theme-system": "mdi6.theme-light-dark",
    "theme-dark": "mdi6.weather-night", "theme-light": "mdi6.white-balance-sunny",
    "dock-scenario": "mdi6.information-outline", "dock-layers": "mdi6.layers-outline",
    "dock-regions": "mdi6.shield-home-outline", "dock-values": "mdi6.home-city-outline", "dock-fleet": "mdi6.airplane",
    "dock-bases": "mdi6.airport", "dock-barriers": "mdi6.fence", "barrier": "mdi6.vector-polyline-plus",
    "barrier-area": "mdi6.vector-polygon", "base": "mdi6.map-marker-plus-outline",
    "dock-calendar": "mdi6.calendar-remove-outline", "dock-objective": "mdi6.target",
    "dock-constraints": "mdi6.cancel", "dock-timeline": "mdi6.timeline-clock-outline",
    "dock-progress": "mdi6.chart-line", "dock-runs": "mdi6.format-list-bulleted",
    "dock-skill": "mdi6.bullseye-arrow", "dock-calibrate": "mdi6.tune-variant",
    "dock-sensitivity": "mdi6.table-large", "dock-uncertainty": "mdi6.chart-bell-curve-cumulative",
    "dock-stress": "mdi6.shield-alert-outline", "dock-margin": "mdi6.scale-balance",
    "dock-exercise": "mdi6.flag-checkered",
    "dock-benchmark": "mdi6.podium", "dock-study": "mdi6.grid-large",
    "new-study": "mdi6.file-plus-outline", "dock-help": "mdi6.help-circle-outline",
    "dock-log": "mdi6.text-box-search-outline", "more": "mdi6.dots-horizontal", "last": "mdi6.skip-forward",
    "workspace-fire": "mdi6.fire", "workspace-plan": "mdi6.clipboard-edit-outline",
    "workspace-runs": "mdi6.format-list-bulleted-square", "workspace-analyse": "mdi6.chart-bell-curve-cumulative",
    "workspace-hand-over": "mdi6.export-variant", "side-panel": "mdi6.dock-left", "drawer": "mdi6.dock-bottom",
    "dock-legend": "mdi6.map-legend", "dock-result": "mdi6.clipboard-check-outline",
    "theme": "mdi6.theme-light-dark", "about": "mdi6.information-outline", "tutorial": "mdi6.school-outline",
}  # fmt: skip


def icon(name: str, color: str | None = None) -> QIcon:
    """Return the icon ``name`` in the theme's text colour; an empty icon if the font cannot be used."""
    colors = current_colors()
    try:
        made = qtawesome.icon(_GLYPHS[name], color=color or colors.text, color_disabled=colors.border)
    except Exception:  # The icon font can fail to load in many ways. The text is shown instead.
        return QIcon()
    return made if isinstance(made, QIcon) else QIcon()
