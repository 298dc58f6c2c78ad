"""Runs in this thread, stopped by Ctrl-C, and the exit codes of their ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from firegui.api.running import run_spec
from firegui.cli.shell import DONE, FAILED, INTERRUPTED
from firegui.runs.control import RunControl
from firegui.runs.events import Emit, RunEvent, RunFinished
from firegui.runs.runner import execute
from firegui.runs.spec import RunSpec
from firegui.runs.stages import FinishReason

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


@contextmanager
def interruptible(first: str = FIRST, again: str = AGAIN) -> Iterator[RunControl]:
    """Yield a control that Ctrl-C stops; ``first`` and ``again`` as in :func:`stop_on_interrupt`."""
    control = RunControl()
    with stop_on_interrupt(control, first, again):
        yield control


Result = TypeVar("Result", bound=RunEvent)


def carry_out(
    spec: RunSpec, show: Emit, kind: type[Result], first: str = FIRST, again: str = AGAIN,
    execute: Callable[[Any, Emit, RunControl], None] = execute,
) -> tuple[Result | None, RunFinished]:  # fmt: skip
    """Run ``spec``; return the last event of ``kind``, if any, and how the run ended.

    ``show`` receives every event. ``first`` and ``again`` are what is said to the first Ctrl-C and to a later one.
    """
    with interruptible(first, again) as control:
        return run_spec(spec, kind, show, control, execute)


def exit_code(finished: RunFinished) -> int:
    """Return the exit code of a run that left something to report."""
    return {FinishReason.STOPPED: INTERRUPTED, FinishReason.FAILED: FAILED}.get(finished.reason, DONE)
