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


ACTIVE_FRONT, ACTIVE_TILES = "active-front kernels", "active-tile kernels of Triton"
"""Usual methods on a CPU and on a GPU; any other is slower."""

MessageCallback = Callable[[EngineMessage], None]
"""Receives a message, in the thread that computes."""


def ignore_message(_: EngineMessage) -> None:
    """Ignore a message."""
