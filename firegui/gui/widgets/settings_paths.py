"""Reaching into nested settings by path, so that one form serves every settings dataclass."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from firegui.domain.settings import PlanSettings
from firegui.gui.widgets.number_fields import limits_text

Path = tuple[str, ...]
_SYMBOLS = {"λ": "Weight", "η": "Effectiveness"}


@dataclass(frozen=True, slots=True)
class Description:
    """What the settings say about one of their fields."""

    title: str
    help: str
    unit: str
    low: float | None
    high: float | None

    @property
    def label(self) -> str:
        """The title beside a field: its word comes first, then its symbol."""
        symbol, _, word = self.title.partition(" ")
        return f"{word.capitalize()} {symbol}" if symbol in _SYMBOLS else self.title

    @property
    def name(self) -> str:
        """The title for who does not see where the field stands: what its symbol means, then the title."""
        meaning = _SYMBOLS.get(self.title.split(" ")[0], "")
        return f"{meaning} {self.title}" if meaning else self.title

    def tooltip(self, offset: int = 0) -> str:
        """What it is, in which unit and between which bounds, which people count from ``offset``."""
        unit = f" ({self.unit})" if self.unit else " (plain number)"
        low, high = (None if end is None else end + offset for end in (self.low, self.high))
        return f"{self.help}{unit}\n{limits_text(low, high)}"


def value_at(settings: Any, path: Path) -> Any:
    """The value at ``path``, such as ``("optimizer", "epochs")``."""
    for name in path:
        settings = getattr(settings, name)
    return settings


def replaced_at(settings: PlanSettings, path: Path, value: Any) -> PlanSettings:
    """The same settings with the value at ``path`` replaced."""
    changed = _replaced(settings, path, value)
    assert isinstance(changed, PlanSettings)
    return changed


def _replaced(settings: Any, path: Path, value: Any) -> Any:
    name, rest = path[0], path[1:]
    return replace(settings, **{name: _replaced(getattr(settings, name), rest, value) if rest else value})


def description_of(settings: Any, path: Path) -> Description:
    """Title, help, unit and bounds of the field at ``path``. Raises ``KeyError`` for a field without them."""
    owner = value_at(settings, path[:-1])
    meta = next(item.metadata for item in fields(owner) if item.name == path[-1])
    return Description(meta["title"], meta["help"], meta["unit"], meta["low"], meta["high"])
