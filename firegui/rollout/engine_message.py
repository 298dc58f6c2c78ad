"""What an engine has to say to the person who waits for it: that it compiles first, that it fell back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineMessage:
    """One plain sentence; ``level`` is ``info`` or ``warning``, ``device`` what computes from now on, if another."""

    text: str
    level: str = "info"
    device: str = ""


MessageCallback = Callable[[EngineMessage], None]
"""Takes a remark, in the thread that computes."""


def ignore_message(_: EngineMessage) -> None:
    """Pass nothing on."""
