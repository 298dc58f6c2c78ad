"""Preferences of the user: theme, units, device, layout, order of layers and recent projects.

They are never part of a project.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QByteArray, QSettings

from firegui.domain.units import Units
from firegui.gui.base.theme import Theme
from firegui.io.paths import real_path

RECENT_LIMIT = 10
_LAYER_ORDER, _LAYER_STYLES = "layers/order", "layers/styles"


class MemoryStore:
    """Settings in memory, for pictures and tests, which must not change the user's settings."""

    def __init__(self) -> None:
        self._values: dict[str, object] = {}

    def value(self, key: str, default: object = None, /) -> object:
        """Return the value of ``key``, or ``default``."""
        return self._values.get(key, default)

    def setValue(self, key: str, value: object, /) -> None:
        """Set the value of ``key``."""
        self._values[key] = value

    def remove(self, key: str, /) -> None:
        """Remove ``key`` and the keys below it."""
        self._values = {name: value for name, value in self._values.items() if not f"{name}/".startswith(f"{key}/")}


def user_store() -> QSettings:
    """Return the settings of the user."""
    return QSettings("firegui", "firegui")


Store = QSettings | MemoryStore
Area = tuple[float, float, float, float]
"""Part of a map: top, left, bottom and right in corner coordinates."""


class Preferences:
    """Typed access to the settings of the user. Unreadable entries count as absent.

    ``pictures`` is the folder for thumbnails of recent projects, ``recovery`` that for unsaved work after a crash, and
    ``demos`` that for demos that are planned before they were saved. Without a folder nothing is written.
    """

    LAYOUT_VERSION: ClassVar[int] = 3
    """Version of saved layouts. Increase it when an old layout no longer fits."""

    def __init__(
        self,
        store: Store | None = None,
        pictures: Path | None = None,
        recovery: Path | None = None,
        demos: Path | None = None,
    ) -> None:
        self._store: Store = store if store is not None else MemoryStore()
        self.pictures, self.recovery, self.demos = pictures, recovery, demos

    @property
    def theme(self) -> Theme | None:
        """The chosen theme; ``None`` follows the system."""
        value = str(self._store.value("theme", ""))
        return Theme(value) if value in set(Theme) else None

    @theme.setter
    def theme(self, theme: Theme | None) -> None:
        if theme is None:
            self._store.remove("theme")
        else:
            self._store.setValue("theme", theme.value)

    @property
    def backend(self) -> str:
        """The device chosen for runs."""
        return str(self._store.value("backend", "auto"))

    @backend.setter
    def backend(self, name: str) -> None:
        self._store.setValue("backend", name)

    @property
    def units(self) -> Units:
        """The units of the window and of printed pages."""
        value = str(self._store.value("units", ""))
        return Units(value) if value in set(Units) else Units.METRIC

    @units.setter
    def units(self, units: Units) -> None:
        self._store.setValue("units", units.value)

    @property
    def recent(self) -> tuple[Path, ...]:
        """Recent projects, the newest first."""
        value = self._store.value("recent", [])
        # An INI file returns a list of one entry as a plain string.
        items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return tuple(Path(str(item)) for item in items if item)

    def add_recent(self, folder: Path) -> None:
        """Make ``folder`` the newest of the recent projects."""
        folder = real_path(folder)
        kept = [str(folder), *(str(other) for other in self.recent if other != folder)]
        self._store.setValue("recent", kept[:RECENT_LIMIT])

    def forget_recent(self, folder: Path) -> None:
        """Remove ``folder`` from the recent projects."""
        self._store.setValue("recent", [str(other) for other in self.recent if other != folder])

    def base_map(self, folder: Path) -> Path | None:
        """Return the base map of the project in ``folder``."""
        value = self._store.value(_base_map_key(folder), "")
        return Path(value) if isinstance(value, str) and value else None

    def set_base_map(self, folder: Path, file: Path | None) -> None:
        """Save the base map of the project in ``folder``; ``None`` for no base map."""
        if file is None:
            self._store.remove(_base_map_key(folder))
        else:
            self._store.setValue(_base_map_key(folder), str(file.absolute()))

    def map_view(self, folder: Path) -> Area | None:
        """Return the last view of the map of the project in ``folder``; ``None`` for the whole grid."""
        return _area(_read_json(self._store.value(_folder_key("view", folder), "")))

    def set_map_view(self, folder: Path, area: Area | None) -> None:
        """Save the view of the map of the project in ``folder``; ``None`` for the whole grid."""
        if area is None:
            self._store.remove(_folder_key("view", folder))
        else:
            self._store.setValue(_folder_key("view", folder), json.dumps(area))

    def bookmarks(self, folder: Path) -> dict[str, Area]:
        """Return the bookmarks of the project in ``folder``."""
        found = _read_json(self._store.value(_folder_key("bookmarks", folder), ""))
        areas = {str(name): _area(area) for name, area in found.items()} if isinstance(found, dict) else {}
        return {name: area for name, area in areas.items() if area is not None}

    def set_bookmarks(self, folder: Path, bookmarks: Mapping[str, Area]) -> None:
        """Save the bookmarks of the project in ``folder``."""
        if bookmarks:
            self._store.setValue(_folder_key("bookmarks", folder), json.dumps(dict(bookmarks)))
        else:
            self._store.remove(_folder_key("bookmarks", folder))

    def shown_run(self, folder: Path) -> Path | None:
        """Return the folder of the run that was shown last of the project in ``folder``."""
        value = self._store.value(_folder_key("run", folder), "")
        return Path(value) if isinstance(value, str) and value else None

    def set_shown_run(self, folder: Path, run: Path) -> None:
        """Save the folder of the run that is shown of the project in ``folder``."""
        self._store.setValue(_folder_key("run", folder), str(real_path(run)))

    def export_folder(self, folder: Path) -> Path | None:
        """Return the folder that was chosen last for exports of the project in ``folder``."""
        value = self._store.value(_folder_key("export", folder), "")
        return Path(value) if isinstance(value, str) and value else None

    def set_export_folder(self, folder: Path, out: Path) -> None:
        """Save the folder that was chosen for exports of the project in ``folder``."""
        self._store.setValue(_folder_key("export", folder), str(out.absolute()))

    def incident_number(self, folder: Path) -> str:
        """Return the number of the incident that was given for exports of the project in ``folder``."""
        return str(self._store.value(_folder_key("incident", folder), ""))

    def set_incident_number(self, folder: Path, number: str) -> None:
        """Save the number of the incident for exports of the project in ``folder``."""
        self._store.setValue(_folder_key("incident", folder), number)

    @property
    def export_choices(self) -> dict[str, object]:
        """Formats, sheet and kind of names that were chosen last for exports; empty for none."""
        found = _read_json(self._store.value("export/choices", ""))
        return found if isinstance(found, dict) else {}

    @export_choices.setter
    def export_choices(self, choices: Mapping[str, object]) -> None:
        self._store.setValue("export/choices", json.dumps(dict(choices)))

    def is_demo(self, folder: Path) -> bool:
        """Return whether a project lies in the program's own folder for demos.

        Nothing of the user's should go there.
        """
        return self.demos is not None and folder.absolute().parent == self.demos.absolute()

    @property
    def coordinates(self) -> str:
        """The chosen format of coordinates; empty for none."""
        return str(self._store.value("coordinates", ""))

    @coordinates.setter
    def coordinates(self, form: str) -> None:
        self._store.setValue("coordinates", form)

    @property
    def layer_order(self) -> tuple[str, ...]:
        """The chosen order of the map's layers, bottom first; empty for the default order."""
        value = self._store.value(_LAYER_ORDER, "")
        # An INI file may return text with commas as a list.
        keys = value if isinstance(value, list) else str(value).split(",")
        return tuple(str(key) for key in keys if key)

    @layer_order.setter
    def layer_order(self, order: Sequence[str]) -> None:
        if order:
            self._store.setValue(_LAYER_ORDER, ",".join(order))
        else:
            self._store.remove(_LAYER_ORDER)

    @property
    def layer_styles(self) -> dict[str, object]:
        """Opacity and properties of the map's layers by key, as far as they were changed."""
        found = _read_json(self._store.value(_LAYER_STYLES, ""))
        return found if isinstance(found, dict) else {}

    @layer_styles.setter
    def layer_styles(self, styles: Mapping[str, object]) -> None:
        if styles:
            self._store.setValue(_LAYER_STYLES, json.dumps(styles))
        else:
            self._store.remove(_LAYER_STYLES)

    def save_layout(self, geometry: QByteArray, state: str) -> None:
        """Save the geometry of the window and the state of its parts."""
        self._store.setValue("layout/version", self.LAYOUT_VERSION)
        self._store.setValue("layout/geometry", geometry)
        self._store.setValue("layout/state", state)

    def geometry(self) -> QByteArray | None:
        """Return the saved geometry of the window."""
        value = self._store.value("layout/geometry")
        return value if isinstance(value, QByteArray) else None

    def layout_state(self) -> str | None:
        """Return the saved state of the window's parts; ``None`` for none or one of another version."""
        if str(self._store.value("layout/version", "")) != str(self.LAYOUT_VERSION):
            return None
        value = self._store.value("layout/state")
        return value if isinstance(value, str) and value else None

    def forget_layout(self) -> None:
        """Delete the saved layout."""
        self._store.remove("layout")


def _base_map_key(folder: Path) -> str:
    return _folder_key("basemap", folder)


def _folder_key(what: str, folder: Path) -> str:
    # A path has slashes, which would be levels in the store.
    return f"{what}/{hashlib.sha256(str(real_path(folder)).encode()).hexdigest()[:16]}"


def _read_json(value: object) -> object:
    try:
        return json.loads(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _area(value: object) -> Area | None:
    if not isinstance(value, list) or len(value) != 4:
        return None
    if not all(isinstance(side, (int, float)) and math.isfinite(side) for side in value):
        return None
    top, left, bottom, right = (float(side) for side in value)
    return (top, left, bottom, right) if top < bottom and left < right else None
