"""Deciding whether an edit may stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from firegui.errors import InputError, Problem


def refuse_new(before: Iterable[Problem], after: Iterable[Problem], title: str) -> None:
    """Raise :class:`InputError` with every problem that an edit would add.

    Problems that were there before do not count, so that a project that came with several can be put right one by one.
    """
    added = Counter(after) - Counter(before)
    if added:
        raise InputError(added, title)


def free_name(stem: str, taken: Iterable[str]) -> str:
    """``stem``, or ``stem`` with the lowest number from 2 that makes it differ from every name in ``taken``."""
    used = set(taken)
    if stem not in used:
        return stem
    return next(name for number in range(2, len(used) + 3) if (name := f"{stem} {number}") not in used)
