"""Execution of a run: a spec in, events out, steered by a control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.errors import CancelledError, InputError
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, Message, RunFinished
from firegui.runs.failures import failure_message, is_foreseen, write_log
from firegui.runs.spec import ReplanSpec, RunSpec
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.state import RunMachine

RUN_CLASSES = {
    "PlanSpec": "firegui.runs.plan:Planning",
    "EvaluateSpec": "firegui.runs.evaluate:Evaluation",
    "ReplanSpec": "firegui.runs.replan:Replanning",
    "ReplanSpec.closed_loop": "firegui.runs.closed_loop:ClosedLoop",
    "CalibrateSpec": "firegui.analyses.calibration.run:Calibration",
    "CalibrateFactorsSpec": "firegui.analyses.calibration.factors_run:FactorsCalibration",
    "SkillSpec": "firegui.analyses.skill.run:SkillScoring",
    "SensitivitySpec": "firegui.analyses.sensitivity.run:SensitivityRun",
    "StressSpec": "firegui.analyses.stress.run:StressRun",
    "MarginSpec": "firegui.analyses.margin.run:MarginRun",
    "UncertaintySpec": "firegui.analyses.uncertainty.run:EnsembleRun",
    "ErrorFieldSpec": "firegui.analyses.uncertainty.run:FieldDraw",
    "EnsembleExportSpec": "firegui.analyses.uncertainty.export:EnsembleExport",
    "StudySpec": "firegui.analyses.study.run:StudyRun",
    "ScalingSpec": "firegui.analyses.scaling.run:ScalingStudy",
    "BenchmarkSpec": "firegui.analyses.benchmark.run:BenchmarkRun",
}
"""Class that carries out each kind of spec, imported when such a run is started."""
_WITHOUT_DROPS = ("SkillSpec", "ScalingSpec")
"""Kinds of specs that fly no drops by the rules of the project."""


class Job(Protocol):
    """Run of one kind, made from its spec and executed once."""

    @property
    def baseline_metrics(self) -> Metrics | None:
        """Metrics of the fire without drops, once known."""

    @property
    def written_folder(self) -> Path | None:
        """Folder that the run wrote to, if any."""

    def run(self) -> RunFinished:
        """Execute the run. Raises :class:`~firegui.errors.CancelledError` if stopped with nothing to keep."""

    def note_failure(self, message: str) -> None:
        """Write to the folder that the run failed."""

    def close(self) -> None:
        """Release the folder and other resources."""


RunClass = Callable[[RunSpec, Emit, RunControl, Engine, RunMachine], Job]


def execute(spec: RunSpec, emit: Emit, control: RunControl, *, engine: Engine | None = None) -> None:
    """Run ``spec`` to its end. The last event is always :class:`~firegui.runs.events.RunFinished`.

    A stop requested through ``control`` ends the work within a second and keeps the best so far. Bad input, a full
    disk, missing memory and errors in the program raise nothing: each becomes a ``FAILED`` with a message. An error in
    the program also leaves its traceback in a file that the message names. An exception of ``emit`` counts as one.
    Tests pass a fake ``engine``.
    """
    machine, engine = RunMachine(emit), engine or Engine()
    try:
        spec = with_centres(spec, emit, control, engine)
    except Exception as error:
        # Nothing has begun: a run without a folder says why.
        conduct(_NotBegun(error), emit, machine)
        return
    job = _load_run_class(spec)(spec, emit, control, engine, machine)
    conduct(job, emit, machine)


def with_centres(spec: RunSpec, emit: Emit, control: RunControl, engine: Engine) -> RunSpec:
    """Return ``spec`` with projects that know where their fire burns, where a turnaround depends on that."""
    for name in ("project", "against_project"):
        project = getattr(spec, name, None)
        if isinstance(project, Project) and project.needs_centres and type(spec).__name__ not in _WITHOUT_DROPS:
            emit(Message("computing where the fire burns on each day, for the distances from the bases"))
            backend = getattr(spec, "backend", "auto")
            known = engine.with_burning_centres(project, backend, check=control.check)
            change: dict[str, Any] = {name: known}
            spec = replace(spec, **change)
    return spec


class _NotBegun:
    """Run that an error ended before it began."""

    baseline_metrics: Metrics | None = None
    written_folder: Path | None = None

    def __init__(self, error: Exception) -> None:
        self._error = error

    def run(self) -> RunFinished:
        """Raise the error."""
        raise self._error

    def note_failure(self, message: str) -> None:
        """Do nothing: there is no folder."""

    def close(self) -> None:
        """Do nothing: nothing is open."""


def conduct(job: Job, emit: Emit, machine: RunMachine) -> None:
    """Execute ``job`` and emit its :class:`~firegui.runs.events.RunFinished`, like :func:`execute`."""
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


def _load_run_class(spec: RunSpec) -> RunClass:
    kind = "ReplanSpec.closed_loop" if isinstance(spec, ReplanSpec) and spec.closed_loop else type(spec).__name__
    if kind not in RUN_CLASSES:
        raise TypeError(f"{kind} is not carried out by firegui.runs.runner")
    module, name = RUN_CLASSES[kind].split(":")
    found: RunClass = getattr(import_module(module), name)
    return found


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
