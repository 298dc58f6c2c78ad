"""Rank of the texts that a search finds: exact and beginning-of-word matches before the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum


class MatchRank(IntEnum):
    """How a searched text was found in the names and the description of an item, the best first."""

    EXACT = 0
    BEGINNING = 1
    WORDS = 2
    """Every searched word begins a word of the name."""
    INSIDE = 3
    """Every searched word is somewhere in the name."""
    DESCRIPTION = 4
    """The name alone does not have all words; together with the description it has."""
    SYNONYM = 5
    """Only other words for the item have them."""


def words_begin(searched: Sequence[str], text: str) -> bool:
    """Return whether every searched word begins a word of ``text``; both are in lower case."""
    words = text.split()
    return all(any(word.lstrip("(“\"'").startswith(each) for word in words) for each in searched)


def search_rank(searched: str, names: Iterable[str], description: str = "") -> MatchRank | None:
    """Return how an item is found, by the best of its ``names``.

    ``None`` if the item does not have all words of ``searched``.
    """
    words, lowered = searched.lower().split(), [name.lower() for name in names]
    text = " ".join(words)
    if not all(word in " ".join((*lowered, description.lower())) for word in words):
        return None
    return min((_rank(words, text, name) for name in lowered if name), default=MatchRank.DESCRIPTION)


def _rank(words: Sequence[str], text: str, name: str) -> MatchRank:
    if name == text:
        return MatchRank.EXACT
    if name.startswith(text):
        return MatchRank.BEGINNING
    if words_begin(words, name):
        return MatchRank.WORDS
    return MatchRank.INSIDE if all(word in name for word in words) else MatchRank.DESCRIPTION
