"""Messages of the engine to the user: that it compiles first, that it fell back to another device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineMessage:
    """Message of an engine.

    ``level`` is ``info`` or ``warning``; ``device`` is set when computing moves to another device.
    """

    text: str
    level: str = "info"
    device: str = ""


MessageCallback = Callable[[EngineMessage], None]
"""Receives a message, in the thread that computes."""


def ignore_message(_: EngineMessage) -> None:
    """Ignore a message."""
