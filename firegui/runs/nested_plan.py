"""A plan that another run makes in a folder of its own: kept where it is done, gone on with where it was begun."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from firegui.errors import CancelledError, InputError
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunEvent, RunState, StateChanged
from firegui.runs.failures import failure_message
from firegui.runs.plan import Planning
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import RUN, RunRecord, read_run
from firegui.runs.spec import PlanSpec
from firegui.runs.state import RunMachine

_DONE = (FinishReason.COMPLETED, FinishReason.PATIENCE)


def planned(
    spec: PlanSpec, emit: Callable[[RunEvent], None], control: RunControl, engine: Engine,
    announce: Callable[[StateChanged], None], title: str,
) -> RunRecord:  # fmt: skip
    """The finished plan of ``spec``: the one that is there already, or made now; ``announce`` hears of its states.

    Raises :class:`~firegui.errors.CancelledError` when it was stopped, :class:`~firegui.errors.InputError` under
    ``title`` for a folder of another plan.
    """
    spec = replace(spec, resume=_can_go_on(spec.out))
    if spec.resume:
        earlier = read_run(spec.out)
        problems = resume_problems(earlier, spec)
        if problems:
            raise InputError(problems, title)
        if _is_done(earlier):
            return earlier
    planning = Planning(spec, emit, control, engine, RunMachine(announce, RunState.PREPARING))
    try:
        finished = planning.run()
    except Exception as error:
        with suppress(InputError):
            planning.note_failure(failure_message(error))
        raise
    finally:
        planning.close()
    if finished.reason is FinishReason.STOPPED:
        raise CancelledError("stopped")
    return read_run(spec.out)


def _is_done(record: RunRecord) -> bool:
    """Whether a plan has come to its end and was scored, so that it is kept as it is."""
    ended = record.state is RunState.FINISHED and record.reason in _DONE
    return ended and record.metrics is not None and record.has_plan


def _can_go_on(out: Path) -> bool:
    if not (out / RUN).is_file():
        return False
    record = read_run(out)
    return record.has_plan or record.can_resume
