"""Plans and stress tests that another run makes in folders: kept where done, resumed where begun."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from firegui.analyses.stress.results import HEADER, read_table
from firegui.analyses.stress.run import StressRun
from firegui.domain.project import Project
from firegui.domain.stress import StressTable
from firegui.errors import CancelledError, InputError
from firegui.runs.command import with_command
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, Message, StageBegan, StateChanged
from firegui.runs.failures import failure_message
from firegui.runs.plan import Planning
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import RUN, RunRecord, read_run
from firegui.runs.runner import Job
from firegui.runs.spec import PlanSpec, StressSpec
from firegui.runs.stages import DONE_REASONS, EliminationStep, EpochDone, FinishReason, RunState, Stage
from firegui.runs.state import RunMachine

Announce = Callable[[StateChanged], None]
PASSED_ON = (EpochDone, EliminationStep, StageBegan, Message)
"""Events of a nested run that the outer run emits as well."""


def nested_spec(
    project: Project, out: Path, backend: str, checkpoint_seconds: float, project_folder: Path | None
) -> PlanSpec:
    """Return the spec of a plan of both stages in ``out``, a folder of another run.

    It makes no pictures, and its stress test is the one that all planners have.
    """
    spec = PlanSpec(
        project=project,
        out=out,
        command="",
        stages=(Stage.OPTIMIZE, Stage.PRUNE),
        backend=backend,
        frame_stride=project.calendar.n_steps,
        snapshot_seconds=math.inf,
        checkpoint_seconds=checkpoint_seconds,
        project_folder=project_folder,
        tests_repair=False,
    )
    return with_command(spec)


def planned(
    spec: PlanSpec, emit: Emit, control: RunControl, engine: Engine, announce: Announce, title: str
) -> RunRecord:
    """Return the finished plan of ``spec``, made now unless it is there; ``announce`` hears its states.

    A plan that is stopped is saved without a score: it has none of use before it is done. Raises
    :class:`~firegui.errors.CancelledError` when it was stopped, :class:`~firegui.errors.InputError` under ``title`` for
    a folder of another plan.
    """
    spec = replace(spec, resume=_can_go_on(spec.out))
    if spec.resume:
        earlier = read_run(spec.out)
        problems = resume_problems(earlier, spec)
        if problems:
            raise InputError(problems, title)
        if _is_done(earlier):
            return earlier
    machine = RunMachine(announce, RunState.PREPARING)
    _carry_out(Planning(spec, emit, control.without_closing_work(), engine, machine))
    return read_run(spec.out)


def stress_tested(spec: StressSpec, emit: Emit, control: RunControl, engine: Engine, announce: Announce) -> StressTable:
    """Return the complete table of ``spec``, made now unless it is there; ``announce`` hears its states.

    Raises :class:`~firegui.errors.CancelledError` when it was stopped, :class:`~firegui.errors.InputError` for a folder
    of another test.
    """
    spec = replace(spec, resume=(spec.out / HEADER).is_file())
    _carry_out(StressRun(spec, emit, control, engine, RunMachine(announce, RunState.PREPARING)))
    return read_table(spec.out)


def follow_pauses(machine: RunMachine) -> Announce:
    """Return a listener that pauses and resumes ``machine``, that of the outer run, with the inner run."""

    def follow(event: StateChanged) -> None:
        goes_on = event.state is RunState.RUNNING and machine.state is RunState.PAUSED
        if event.state is RunState.PAUSED or goes_on:
            machine.move(event.state)

    return follow


def _carry_out(job: Job) -> None:
    """Execute a run. Raises whatever ends it; :class:`~firegui.errors.CancelledError` when stopped."""
    try:
        finished = job.run()
    except Exception as error:
        with suppress(InputError):
            job.note_failure(failure_message(error))
        raise
    finally:
        job.close()
    if finished.reason is FinishReason.STOPPED:
        raise CancelledError("stopped")


def _is_done(record: RunRecord) -> bool:
    """Return whether a plan has ended and was scored, so that it is kept as it is."""
    ended = record.state is RunState.FINISHED and record.reason in DONE_REASONS
    return ended and record.metrics is not None and record.has_plan


def _can_go_on(out: Path) -> bool:
    if not (out / RUN).is_file():
        return False
    record = read_run(out)
    return record.has_plan or record.can_resume
