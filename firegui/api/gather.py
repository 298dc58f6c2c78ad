"""Collector of the problems of several readers, so that all of them are listed at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from firegui.errors import InputError, Problems

T = TypeVar("T")


class Gather(Problems):
    """Collector of the problems of several readers."""

    def attempt(self, read: Callable[[], T]) -> T | None:
        """Return the result of ``read``, or ``None`` with its problems noted."""
        try:
            return read()
        except InputError as error:
            self.extend(error.problems)
            return None

    def take(self, read: Callable[[], T], title: str) -> T:
        """Return the result of ``read``.

        Raises :class:`~firegui.errors.InputError` with everything noted, if anything was.
        """
        result = self.attempt(read)
        if self:
            self.raise_if_any(title)
        assert result is not None
        return result
