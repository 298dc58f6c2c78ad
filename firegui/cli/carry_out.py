"""A run in this thread, steered by Ctrl-C, and the exit code that its end makes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from firegui.cli.shell import BAD_INPUT, DONE, FAILED, INTERRUPTED, report_problems
from firegui.runs.control import RunControl
from firegui.runs.events import Emit, FinishReason, RunEvent, RunFinished
from firegui.runs.runner import execute
from firegui.runs.spec import RunSpec

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


Result = TypeVar("Result", bound=RunEvent)


def carry_out(
    spec: RunSpec, show: Emit, kind: type[Result], first: str = FIRST, again: str = AGAIN,
    execute: Callable[[Any, Emit, RunControl], None] = execute,
) -> tuple[Result | None, RunFinished]:  # fmt: skip
    """Run ``spec``, of which ``show`` sees every event; returns the last of ``kind``, if any, and how it ended.

    ``first`` and ``again`` are what is said to the first Ctrl-C and to a later one.
    """
    found: list[Result] = []
    ends: list[RunFinished] = []

    def emit(event: RunEvent) -> None:
        show(event)
        if isinstance(event, RunFinished):
            ends.append(event)
        if isinstance(event, kind):
            found[:] = [event]

    control = RunControl()
    with stop_on_interrupt(control, first, again):
        execute(spec, emit, control)
    return (found[0] if found else None), ends[-1]


def refused(finished: RunFinished, title: str, as_json: bool) -> int:
    """Tell why there is nothing to report, and return the exit code."""
    report_problems(title if finished.problems else finished.message, finished.problems, as_json)
    if finished.reason is FinishReason.STOPPED:
        return INTERRUPTED
    return BAD_INPUT if finished.problems else FAILED


def exit_code(finished: RunFinished) -> int:
    """Of a run that left something to report."""
    return {FinishReason.STOPPED: INTERRUPTED, FinishReason.FAILED: FAILED}.get(finished.reason, DONE)
