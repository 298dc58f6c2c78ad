"""What an engine has to say to the person who waits for it: that it compiles first, that it fell back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """One plain sentence; ``level`` is ``info`` or ``warning``, ``device`` what computes from now on, if another."""

    text: str
    level: str = "info"
    device: str = ""


Tell = Callable[[Remark], None]
"""Takes a remark, in the thread that computes."""


def silent(_: Remark) -> None:
    """Pass nothing on."""
