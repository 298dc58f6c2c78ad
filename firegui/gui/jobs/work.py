"""Long work beside the runs that would end with the project being left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """What a person is asked about: its ``title``, what stopping it keeps, and how to end it either way."""

    title: str
    kept: str
    stop: Callable[[], object]
    discard: Callable[[], object]
