"""Undo command that replaces a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtGui import QUndoCommand

Value = TypeVar("Value")


class ReplaceCommand(QUndoCommand, Generic[Value]):
    """Undo command that replaces ``before`` by ``after`` with ``apply``, and back.

    Consecutive steps with the same ``merge`` ≥ 0 and the same ``apply`` become one.
    """

    def __init__(self, text: str, apply: Callable[[Value], None], before: Value, after: Value, merge: int) -> None:
        super().__init__(text)
        self._apply, self._before, self._after, self._merge = apply, before, after, merge

    def id(self) -> int:
        """Return the number that Qt compares before it merges two steps."""
        return self._merge

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Merge the following step."""
        # Qt has compared the ids. It never merges a step with -1.
        if not isinstance(other, ReplaceCommand) or other._apply != self._apply:
            return False
        self._after = other._after
        return True

    def uses(self, apply: Callable[[Value], None]) -> bool:
        """Return whether the step replaces its value with ``apply``."""
        return self._apply == apply

    def redo(self) -> None:
        """Apply the value after the step."""
        self._apply(self._after)

    def undo(self) -> None:
        """Apply the value before the step."""
        self._apply(self._before)
