"""Rules for names that people give: what tables, forms and XML can hold."""

from __future__ import annotations

import unicodedata

from firegui.errors import Problem

_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
_NO_CHARACTERS = "\ufffe\uffff"


def character_problems(where: str, text: str, what: str = "the name") -> list[Problem]:
    """Return the problem of a text with control characters, such as a line break, a tab or NUL.

    They would break the lines of a form and make XML that no program reads.
    """
    found = sorted({c for c in text if unicodedata.category(c) in _REFUSED or c in _NO_CHARACTERS})
    if not found:
        return []
    codes = ", ".join(f"U+{ord(c):04X}" for c in found)
    return [Problem(where, f"{what} has control characters ({codes})", "write it again without them")]


def shown_name(text: str) -> str:
    """Return a name as a message shows it: control characters as escapes."""
    return "".join(repr(c)[1:-1] if character_problems("", c) else c for c in text)
