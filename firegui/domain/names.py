"""Rules for names that people give: what tables, forms and XML can hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Protocol, TypeVar

from firegui.errors import Problem

_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
_NO_CHARACTERS = "\ufffe\uffff"
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Show the text that follows in another order, so that a name passes for another one."""


def character_problems(where: str, text: str, what: str = "the name") -> list[Problem]:
    """Return the problem of a text with control characters, such as a line break, a tab or U+202E.

    They would break the lines of a form, make XML that no program reads, or show letters in another order.
    """
    found = sorted({c for c in text if unicodedata.category(c) in _REFUSED or c in _NO_CHARACTERS + _DIRECTIONS})
    if not found:
        return []
    codes = ", ".join(f"U+{ord(c):04X}" for c in found)
    return [Problem(where, f"{what} has control characters ({codes})", "write it again without them")]


def shown_name(text: str) -> str:
    """Return a name as a message shows it: control characters as escapes."""
    return "".join(repr(c)[1:-1] if character_problems("", c) else c for c in text)


class Named(Protocol):
    """Protocol of what has a name."""

    @property
    def name(self) -> str:
        """The name."""


Item = TypeVar("Item", bound=Named)


def without_named(items: Iterable[Item], names: Iterable[str]) -> tuple[Item, ...]:
    """Return the items that have none of these names."""
    left_out = set(names)
    return tuple(item for item in items if item.name not in left_out)


def with_named(items: Iterable[Item], added: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items with others added, in place of those of the same names."""
    added = tuple(added)
    return (*without_named(items, (item.name for item in added)), *added)


def listed_names(text: str, nothing: str) -> tuple[str, ...]:
    """Return the names that a text has between commas; the word ``nothing`` stands for none."""
    return tuple(part.strip() for part in text.split(",") if part.strip() not in ("", nothing))


def repeated_names(where: str, names: Iterable[str], what: str = "the name") -> list[Problem]:
    """Return a problem for every name that is given more than once, or again in other letter case.

    People take ``Ranch`` and ``ranch`` for the same, and so do the file systems that files are named on.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        if name.strip():
            groups.setdefault(name.strip().casefold(), []).append(shown_name(name.strip()))
    found = []
    for group in groups.values():
        spellings = list(dict.fromkeys(group))
        if len(spellings) > 1:
            all_but_last = ", ".join(spellings[:-1])
            what_differs = f"{all_but_last} and {spellings[-1]} differ only in letter case"
            found.append(Problem(where, what_differs, "use other names"))
        elif len(group) > 1:
            found.append(Problem(where, f"{what} {spellings[0]} is used {len(group)} times", "use other names"))
    return found
