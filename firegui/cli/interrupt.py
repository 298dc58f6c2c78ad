"""Ctrl-C during a run: the first asks it to stop and keep the best, a second leaves the final score out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from firegui.runs.control import RunControl

FIRST = "stopping; the best so far is being saved and scored (Ctrl-C again: save without scoring)"
AGAIN = "saving without scoring"


@contextmanager
def stop_on_interrupt(control: RunControl, first: str = FIRST, again: str = AGAIN) -> Iterator[None]:
    """Turn SIGINT and SIGTERM into stop requests while the block runs. For the main thread only.

    ``first`` and ``again`` are what is said to the first and to a later one.
    """

    def ask(number: int, frame: FrameType | None) -> None:
        asked = control.stop_requested
        control.request_stop(now=asked)
        # Not click.echo: a handler may interrupt a write to the same buffered stream, which must not be entered twice.
        os.write(2, f"\n{again if asked else first}\n".encode())

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
