"""What the window remembers between starts: theme, device, layout, order of layers, recent projects.

Never part of a project.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from PySide6.QtCore import QByteArray, QSettings

from firegui.gui.base.theme import Theme

RECENT_LIMIT = 10
_LAYER_ORDER = "layers/order"


class Store(Protocol):
    """The part of :class:`QSettings` that preferences need."""

    def value(self, key: str, default: object = None, /) -> object:
        """What is kept under ``key``, or ``default``."""

    def setValue(self, key: str, value: object, /) -> None:
        """Keep ``value`` under ``key``."""

    def remove(self, key: str, /) -> None:
        """Forget ``key`` and what is below it."""


class MemoryStore:
    """A store that lasts as long as the program: for pictures and tests, which must not touch anybody's settings."""

    def __init__(self) -> None:
        self._values: dict[str, object] = {}

    def value(self, key: str, default: object = None, /) -> object:
        """What is kept under ``key``, or ``default``."""
        return self._values.get(key, default)

    def setValue(self, key: str, value: object, /) -> None:
        """Keep ``value`` under ``key``."""
        self._values[key] = value

    def remove(self, key: str, /) -> None:
        """Forget ``key`` and what is below it."""
        self._values = {name: value for name, value in self._values.items() if not f"{name}/".startswith(f"{key}/")}


def user_store() -> QSettings:
    """Where the preferences of this computer's user are kept."""
    return QSettings("firegui", "firegui")


class Preferences:
    """A typed face on one :class:`Store`. Unreadable entries count as absent.

    ``pictures`` is the folder where small pictures of recent projects are kept, ``recovery`` the one where unsaved work
    is kept for the case of a crash; left out, none are.
    """

    LAYOUT_VERSION: ClassVar[int] = 2
    """Raised when a layout saved before would no longer look right."""

    def __init__(self, store: Store | None = None, pictures: Path | None = None, recovery: Path | None = None) -> None:
        self._store: Store = store if store is not None else MemoryStore()
        self.pictures, self.recovery = pictures, recovery

    @property
    def theme(self) -> Theme | None:
        """The chosen theme; ``None`` while the system is followed."""
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
    def recent(self) -> tuple[Path, ...]:
        """Projects opened lately, the newest first."""
        value = self._store.value("recent", [])
        # An INI file gives a list of one back as a plain string.
        items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return tuple(Path(str(item)) for item in items if item)

    def add_recent(self, folder: Path) -> None:
        """Put ``folder`` at the head of the recent projects."""
        folder = folder.resolve()
        kept = [str(folder), *(str(other) for other in self.recent if other != folder)]
        self._store.setValue("recent", kept[:RECENT_LIMIT])

    def forget_recent(self, folder: Path) -> None:
        """Take ``folder`` out of the recent projects."""
        self._store.setValue("recent", [str(other) for other in self.recent if other != folder])

    def base_map(self, folder: Path) -> Path | None:
        """The base map that lies under the project in ``folder``."""
        value = self._store.value(_base_map_key(folder), "")
        return Path(value) if isinstance(value, str) and value else None

    def set_base_map(self, folder: Path, file: Path | None) -> None:
        """Remember the base map of the project in ``folder``, or that it has none."""
        if file is None:
            self._store.remove(_base_map_key(folder))
        else:
            self._store.setValue(_base_map_key(folder), str(file.absolute()))

    @property
    def layer_order(self) -> tuple[str, ...]:
        """The layers of the map as somebody ordered them, bottom first; empty for the order of the beginning."""
        value = self._store.value(_LAYER_ORDER, "")
        # An INI file may give back what has commas in it as a list.
        keys = value if isinstance(value, list) else str(value).split(",")
        return tuple(str(key) for key in keys if key)

    @layer_order.setter
    def layer_order(self, order: Sequence[str]) -> None:
        if order:
            self._store.setValue(_LAYER_ORDER, ",".join(order))
        else:
            self._store.remove(_LAYER_ORDER)

    def save_layout(self, geometry: QByteArray, docks: QByteArray, names: Sequence[str]) -> None:
        """Remember where the window is, and where its docks of these ``names`` are."""
        self._store.setValue("layout/version", self.LAYOUT_VERSION)
        self._store.setValue("layout/names", ",".join(names))
        self._store.setValue("layout/geometry", geometry)
        self._store.setValue("layout/state", docks)

    def geometry(self) -> QByteArray | None:
        """Where the window was."""
        value = self._store.value("layout/geometry")
        return value if isinstance(value, QByteArray) else None

    def dock_state(self, names: Sequence[str]) -> QByteArray | None:
        """Where the docks were; ``None`` when it was another version that saved it, or there were other docks."""
        if str(self._store.value("layout/version", "")) != str(self.LAYOUT_VERSION):
            return None
        if str(self._store.value("layout/names", "")) != ",".join(names):
            return None
        value = self._store.value("layout/state")
        return value if isinstance(value, QByteArray) else None

    def forget_layout(self) -> None:
        """Go back to the layout the window comes with."""
        self._store.remove("layout")


def _base_map_key(folder: Path) -> str:
    # A path has slashes, which are levels in the store.
    return f"basemap/{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}"
