"""How well a few typed letters fit a title."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

_BY_KIND = 100.0
_RUN, _BEGINNING, _WORD, _GAP, _LENGTH = 8.0, 10.0, 6.0, 0.4, 0.05


def score(typed: str, title: str) -> float | None:
    """How well ``typed`` fits: its letters must come in ``title`` in this order; ``None`` when they do not.

    Letters in a row, at the beginning, and at the beginnings of words count more; skipped ones and length count less.
    Words typed apart may stand in any order.
    """
    total = 0.0
    for word in typed.lower().split():
        found = _score_word(word, title.lower())
        if found is None:
            return None
        total += found
    return total - _LENGTH * len(title)


def _score_word(word: str, title: str) -> float | None:
    starts = [place for place, letter in enumerate(title) if letter == word[0]]
    found = [value for start in starts if (value := _score_from(word, title, start)) is not None]
    return max(found) if found else None


def _score_from(word: str, title: str, start: int) -> float | None:
    total, last = 0.0, start - 1
    for letter in word:
        place = title.find(letter, last + 1)
        if place < 0:
            return None
        if place == last + 1 and place > start:
            total += _RUN
        elif place == 0:
            total += _BEGINNING
        elif not title[place - 1].isalnum():
            total += _WORD
        total -= _GAP * (place - last - 1)
        last = place
    return total


def best(typed: str, items: Iterable[Item], title: Callable[[Item], str], kind: Callable[[Item], str]) -> list[Item]:
    """The items that fit, the best first; all of them as they come when nothing is typed.

    What fits only together with its ``kind`` stands behind what fits by its ``title``.
    """
    if not typed.strip():
        return list(items)
    scored: list[tuple[float, Item]] = []
    for item in items:
        alone, together = score(typed, title(item)), score(typed, f"{title(item)} {kind(item)}")
        if alone is not None:
            scored.append((alone, item))
        elif together is not None:
            scored.append((together - _BY_KIND, item))
    # Stable: what fits equally well stays in order.
    return [item for _value, item in sorted(scored, key=lambda pair: -pair[0])]
