"""A run in this thread, steered by Ctrl-C, and the exit code that its end makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from firegui.cli.interrupt import AGAIN, FIRST, stop_on_interrupt
from firegui.cli.progress import Emit
from firegui.cli.shell import BAD_INPUT, DONE, FAILED, INTERRUPTED, report_problems
from firegui.runs.control import RunControl
from firegui.runs.events import FinishReason, RunEvent, RunFinished
from firegui.runs.runner import execute
from firegui.runs.spec import RunSpec

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
