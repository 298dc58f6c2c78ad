"""What the window remembers between starts: theme, device, layout, recent projects. Never part of a project."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QByteArray, QSettings

from firegui.gui.theme import Theme

RECENT_LIMIT = 10
_LAYOUT_VERSION = 1


class Store(Protocol):
    """The part of :class:`QSettings` that preferences need."""

    def value(self, key: str, default: object = None, /) -> object:
        """What is kept under ``key``, or ``default``."""

    def setValue(self, key: str, value: object, /) -> None:
        """Keep ``value`` under ``key``."""

    def remove(self, key: str, /) -> None:
        """Forget ``key`` and what is below it."""


class Forgetful:
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
    """A typed face on one :class:`Store`. Unreadable entries count as absent."""

    def __init__(self, store: Store | None = None) -> None:
        self._store: Store = store if store is not None else Forgetful()

    @property
    def theme(self) -> Theme | None:
        """The chosen theme; ``None`` while the person has not chosen one."""
        value = str(self._store.value("theme", ""))
        return Theme(value) if value in set(Theme) else None

    @theme.setter
    def theme(self, theme: Theme) -> None:
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

    def save_layout(self, geometry: QByteArray, state: QByteArray) -> None:
        """Remember where the window and its docks are."""
        self._store.setValue("layout/version", _LAYOUT_VERSION)
        self._store.setValue("layout/geometry", geometry)
        self._store.setValue("layout/state", state)

    def layout(self) -> tuple[QByteArray, QByteArray] | None:
        """``(geometry, state)`` as saved, or ``None``."""
        if str(self._store.value("layout/version", "")) != str(_LAYOUT_VERSION):
            return None
        geometry, state = self._store.value("layout/geometry"), self._store.value("layout/state")
        if isinstance(geometry, QByteArray) and isinstance(state, QByteArray):
            return geometry, state
        return None

    def forget_layout(self) -> None:
        """Go back to the layout the window comes with."""
        self._store.remove("layout")
