"""Declaration of a setting by its path."""

from __future__ import annotations

from typing import Any

from firegui.domain.options import Option, option_of, value_at

Path = tuple[str, ...]


def description_of(settings: Any, path: Path) -> Option:
    """Return the declaration of the setting at ``path``. Raises ``KeyError`` for a field without one."""
    found = option_of(value_at(settings, path[:-1]), path[-1])
    if found is None:
        raise KeyError(path)
    return found
