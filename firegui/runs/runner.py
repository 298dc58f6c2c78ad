"""Carries a run out: a spec in, events out, steered by a control. Window and command line use it alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from firegui.domain.results import Metrics
from firegui.errors import CancelledError, InputError
from firegui.runs.benchmark import BenchmarkRun
from firegui.runs.calibrate import Calibration
from firegui.runs.closed_loop import ClosedLoop
from firegui.runs.control import RunControl
from firegui.runs.engine import load_engine
from firegui.runs.evaluate import Evaluation
from firegui.runs.events import FinishReason, RunEvent, RunFinished, RunState
from firegui.runs.failures import failure_message, is_foreseen, write_log
from firegui.runs.plan import Planning
from firegui.runs.protocols import Engine
from firegui.runs.replan import Replanning
from firegui.runs.scaling import ScalingStudy
from firegui.runs.sensitivity import Tabulation
from firegui.runs.skill import SkillScoring
from firegui.runs.spec import (
    BenchmarkSpec,
    CalibrateSpec,
    EnsembleExportSpec,
    ErrorFieldSpec,
    EvaluateSpec,
    ReplanSpec,
    RunSpec,
    ScalingSpec,
    SensitivitySpec,
    SkillSpec,
    StudySpec,
    UncertaintySpec,
)
from firegui.runs.state import RunMachine
from firegui.runs.uq import EnsembleRun
from firegui.runs.uq_export import EnsembleExport
from firegui.runs.uq_field import FieldDraw

Emit = Callable[[RunEvent], None]


class Job(Protocol):
    """One kind of run: made from its spec, and gone through once."""

    @property
    def baseline_metrics(self) -> Metrics | None:
        """The fire without drops, once that is known."""

    @property
    def written_folder(self) -> Path | None:
        """The folder that something was written to, if any was."""

    def run(self) -> RunFinished:
        """Do all of it. Raises :class:`~firegui.errors.CancelledError` where it was stopped with nothing to keep."""

    def note_failure(self, message: str) -> None:
        """Say in the folder that it failed."""

    def close(self) -> None:
        """Let go of everything."""


def execute(spec: RunSpec, emit: Emit, control: RunControl, *, engine: Engine | None = None) -> None:
    """Run ``spec`` to its end. The last event is always :class:`~firegui.runs.events.RunFinished`.

    A stop asked for through ``control`` ends the work within a second and keeps the best so far. Nothing is raised for
    it, nor for bad input, a full disk, missing memory or an error in the program: each becomes a ``FAILED`` with a
    message, and the last of them leaves its traceback in a file that the message names. What ``emit`` itself raises
    counts as an error in the program. ``engine`` stands in for the real one in tests.
    """
    machine = RunMachine(emit)
    job = _job(spec, emit, control, engine or load_engine(), machine)
    conduct(job, emit, machine)


def conduct(job: Job, emit: Emit, machine: RunMachine) -> None:
    """See ``job`` through to its :class:`~firegui.runs.events.RunFinished`, whatever happens; see :func:`execute`."""
    try:
        machine.move(RunState.PREPARING)
        finished = job.run()
    except CancelledError:
        finished = RunFinished(
            FinishReason.STOPPED, "stopped on request before there was anything to keep", None, None, None
        )
    except Exception as error:  # the boundary of the run: whatever happens inside ends as an event
        finished = _failure(error, job)
    finally:
        job.close()
    if machine.state is not RunState.FINISHED:
        machine.move(RunState.FINISHED)
    emit(finished)


def _job(spec: RunSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine) -> Job:
    if isinstance(spec, EvaluateSpec):
        return Evaluation(spec, emit, control, engine, machine)
    if isinstance(spec, SkillSpec):
        return SkillScoring(spec, emit, control, engine, machine)
    if isinstance(spec, CalibrateSpec):
        return Calibration(spec, emit, control, engine, machine)
    if isinstance(spec, SensitivitySpec):
        return Tabulation(spec, emit, control, engine, machine)
    if isinstance(spec, UncertaintySpec):
        return EnsembleRun(spec, emit, control, engine, machine)
    if isinstance(spec, ErrorFieldSpec):
        return FieldDraw(spec, emit, control, engine, machine)
    if isinstance(spec, EnsembleExportSpec):
        return EnsembleExport(spec, emit, control, engine, machine)
    if isinstance(spec, ScalingSpec):
        return ScalingStudy(spec, emit, control, engine, machine)
    if isinstance(spec, BenchmarkSpec):
        return BenchmarkRun(spec, emit, control, engine, machine)
    if isinstance(spec, ReplanSpec):
        return (ClosedLoop if spec.closed_loop else Replanning)(spec, emit, control, engine, machine)
    if isinstance(spec, StudySpec):
        raise TypeError("a study is carried out by firegui.studies.runner")
    return Planning(spec, emit, control, engine, machine)


def _failure(error: Exception, job: Job) -> RunFinished:
    problems = error.problems if isinstance(error, InputError) else ()
    message = failure_message(error)
    if not is_foreseen(error):
        log = write_log(error, job.written_folder)
        place = f"; details are in {log}" if log else ""
        message = f"an error in firegui ended the run ({type(error).__name__}: {error}){place}"
    try:
        job.note_failure(message)
    except InputError as unwritable:
        message += f"; this could not be noted in the run folder either ({unwritable.problems[0]})"
    return RunFinished(FinishReason.FAILED, message, None, job.baseline_metrics, job.written_folder, problems)
