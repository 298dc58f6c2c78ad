"""Plans: ``plan``, ``prune`` and the other runs through the stages of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from firegui.api.gather import Gather
from firegui.api.inputs import Change, ScheduleSource, gather_schedule, kept_schedule_file, with_given
from firegui.api.projects import ProjectSource, read_project
from firegui.api.python_words import keyword_text, python_interface
from firegui.api.running import ReadyRun, RunPlace, SavedRunResult, refusal, run_place, run_spec
from firegui.domain.plan_summary import PlanSummary
from firegui.domain.project import Project
from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import Margin, PlanSettings
from firegui.domain.stress import StressTable
from firegui.errors import CancelledError, FireguiError, Problems
from firegui.planning.audit import AuditReport
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, RunFinished
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import (
    DROPS,
    OCCUPANCY,
    PLAN,
    SCHEDULE,
    STORE,
    RunRecord,
    RunScores,
    kept_schedule,
    read_drops,
    read_removal_curve,
    read_run,
)
from firegui.runs.run_repair import check_out
from firegui.runs.run_requests import next_run_number, stage_problems
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import EpochDone, FinishReason, RunState, Stage
from firegui.runs.summary import run_summary
from firegui.runs.tactical_stage import budget_problems

TITLE = "The run cannot start"
BOTH = (Stage.OPTIMIZE, Stage.PRUNE)
NOT_SCORED = "the run was stopped before its plan was scored: firegui.evaluate scores it"


# -- reading -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, eq=False)
class PlanRequest:
    """Request for a run through ``stages`` into the folder ``out``.

    ``settings`` changes the settings of the project, or those of the run that is resumed. ``schedule`` is what the
    first stage begins with. ``budget`` is for the tactical heuristic alone.
    """

    stages: tuple[Stage, ...]
    project: ProjectSource
    out: Path
    settings: Change[PlanSettings]
    schedule: ScheduleSource | None = None
    resume: bool = False
    backend: str = "auto"
    budget: int | None = None

    def read(self) -> ReadyPlan:
        """Read every input and write nothing.

        Raises :class:`~firegui.errors.InputError` listing every problem.
        """
        gather, out = Gather(), self.out
        read = read_project(self.project, gather)
        earlier = gather.attempt(lambda: check_out(out, self.resume))
        plan = requested_settings(PlanSettings() if read is None else read.project.plan, earlier, self.settings, gather)
        project = None if read is None else replace(read.project, plan=plan)
        found = plan.problems() if project is None else project.problems()
        budget = self.budget if self.budget is not None or earlier is None else earlier.header.budget
        gather.extend([*found, *budget_problems(budget, None if found else project)])
        if project is not None and not found:
            gather.extend(stage_problems(project, self.stages, out if self.resume else None))
        source = kept_schedule_file(self.schedule) if earlier is None else earlier.warm_start_file
        # Checkpoints hold all that came of the schedule it started from; a run that has none yet starts over from it.
        needed = None if earlier is not None and earlier.can_resume else source
        option = "" if self.schedule is None else "--warm-start" if Stage.OPTIMIZE in self.stages else "--schedule"
        start = gather_schedule(self.schedule or needed, project, gather, option)
        gather.attempt(lambda: Engine().check_backend(self.backend))
        gather.raise_if_any(TITLE)
        assert read is not None and project is not None
        is_repeatable = read.is_as_saved and (start is None or source is not None)
        spec = plan_spec(
            project, read.folder, out, stages=self.stages, warm_start=start, warm_start_file=source,
            resume=self.resume, backend=self.backend, budget=budget,
        )  # fmt: skip
        spec = replace(spec, number=None if self.resume else next_run_number(out, read.folder))
        return ReadyPlan(ReadyRun(spec, is_repeatable=is_repeatable).with_command(), earlier)


def requested_settings(
    plan: PlanSettings, earlier: RunRecord | None, settings: Change[PlanSettings], problems: Problems
) -> PlanSettings:
    """Return the project's settings, or those of the run to be resumed, with the requested ones replaced."""
    if earlier is not None:
        then = earlier.settings
        plan = replace(
            plan, optimizer=then.optimizer, elimination=then.elimination, margin=then.margin, design=then.design
        )
    return settings(plan, problems)


def plan_spec(
    project: Project,
    project_folder: Path | None,
    out: Path,
    *,
    resume: bool,
    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,),
    warm_start: Schedule | None = None,
    warm_start_file: Path | None = None,
    backend: str = "auto",
    budget: int | None = None,
) -> PlanSpec:
    """Return the spec of a run that makes next to no pictures, because no window shows them."""
    return PlanSpec(
        project=project,
        out=out,
        command="",
        stages=stages,
        warm_start=warm_start,
        resume=resume,
        backend=backend,
        frame_stride=project.calendar.n_steps,
        snapshot_seconds=float("inf"),
        project_folder=project_folder,
        warm_start_file=warm_start_file,
        budget=budget,
    )


# -- running -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, eq=False)
class ReadyPlan:
    """Plan whose inputs were read. ``earlier`` is the run that is resumed."""

    run: ReadyRun
    earlier: RunRecord | None = None

    def carry_out(self, progress: Emit | None = None, cancel: RunControl | None = None) -> FinishedPlan:
        """Run it. Raises the error of a run that kept nothing."""
        finished = nothing_left(self.earlier, self.run.spec)
        if finished is None:
            finished = run_spec(self.run.spec, RunFinished, progress, cancel)[1]
        if finished.reason is FinishReason.FAILED or finished.folder is None:
            raise refusal(finished, TITLE)
        return FinishedPlan(self.run, read_run(finished.folder), finished)


@dataclass(frozen=True, slots=True, eq=False)
class FinishedPlan:
    """Run of a plan that ended, with its folder as it stands."""

    run: ReadyRun
    record: RunRecord
    finished: RunFinished


def nothing_left(earlier: RunRecord | None, spec: PlanSpec) -> RunFinished | None:
    """Return how the run to be resumed ended, if nothing of the request is left to do; else ``None``."""
    if earlier is None or not earlier.can_resume or earlier.state is not RunState.FINISHED or earlier.metrics is None:
        return None
    if resume_problems(earlier, spec) or not all((spec.out / name).is_file() for name in (PLAN, SCHEDULE, OCCUPANCY)):
        return None
    if earlier.header.tests_stopped or (earlier.scores.stress is None and spec.project.stress.unrepaired):
        return None  # the tests were stopped or failed
    asked, done, then = spec.project.plan.optimizer, earlier.header.epochs_done, earlier.settings.optimizer
    if Stage.PRUNE in spec.stages:
        raised = spec.project.plan.elimination.allowance > earlier.settings.elimination.allowance
        return None if raised else _pruned_already(earlier)
    if Stage.TACTICAL in spec.stages or Stage.KEEP in spec.stages:
        return _ended(earlier) if earlier.reason is FinishReason.COMPLETED else None
    if earlier.reason is FinishReason.COMPLETED and asked.epochs <= done:
        more = f"--epochs above {done}"
    elif earlier.reason is FinishReason.PATIENCE and asked.patience <= then.patience:
        more = f"--patience above {then.patience}"
    else:
        return None
    text = f"nothing left to do: give {more}"
    return RunFinished(earlier.reason, text, earlier.metrics, earlier.baseline, earlier.folder)


def _pruned_already(earlier: RunRecord) -> RunFinished | None:
    return _ended(earlier) if earlier.reason is FinishReason.COMPLETED and earlier.scores.pruned is not None else None


def _ended(earlier: RunRecord) -> RunFinished:
    text = f"nothing left to do: {earlier.header.message}"
    assert earlier.reason is not None
    return RunFinished(earlier.reason, text, earlier.metrics, earlier.baseline, earlier.folder)


def scored(metrics: Metrics | None) -> Metrics:
    """Return the metrics. Raises :class:`~firegui.errors.FireguiError` for a plan that was not scored."""
    if metrics is None:
        raise FireguiError(NOT_SCORED)
    return metrics


# -- Python ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlanResult(SavedRunResult):
    """Plan of a run.

    ``schedule`` is the plan and ``drops`` are its proposed drops, executed or not. ``history`` has one entry per epoch.
    ``scores`` are all scores: the plan at nominal and at design effectiveness, the fire without drops, the audit.
    """

    store: ClassVar = STORE

    schedule: Schedule = field(repr=False)
    drops: tuple[DropRecord, ...] = field(repr=False)
    scores: RunScores = field(repr=False)
    history: tuple[EpochDone, ...] = field(repr=False)
    summary: PlanSummary | None = field(default=None, repr=False)
    """What is reported first: final size, drops, gallons, drops at night, days; ``None`` without a scored plan."""
    removal: RemovalCurve | None = field(default=None, repr=False)
    """Points of the removal of drops: ``removal.points`` with their drops and hectares, ``removal.schedule(index)`` the
    plan of one. ``None`` for a run that removed none."""

    @property
    def metrics(self) -> Metrics:
        """Metrics of the plan at nominal effectiveness (extents in cells and ha, occupancy in cell-days).

        Raises :class:`~firegui.errors.FireguiError` where the run was stopped before the plan was scored.
        """
        return scored(self.scores.nominal)

    @property
    def baseline(self) -> Metrics:
        """Metrics of the fire without drops. Raises as :attr:`metrics` does."""
        return scored(self.scores.baseline)

    @property
    def stress(self) -> StressTable | None:
        """Stress test of the plan; ``None`` for a stopped run and for a project without scenarios."""
        return self.scores.stress

    @property
    def holds(self) -> bool | None:
        """Whether the plan holds in every tested scenario within its limit; ``None`` without a test."""
        return None if self.stress is None else self.stress.holds(self.project.plan)

    @property
    def audit(self) -> AuditReport | None:
        """Audit of the executed drops against turnaround times, grounded days and constraints."""
        return self.scores.audit

    @staticmethod
    def of(ended: FinishedPlan, place: RunPlace) -> PlanResult:
        """Return the result of a run.

        Raises :class:`~firegui.errors.CancelledError` where it was stopped before it kept a plan.
        """
        record, spec = ended.record, ended.run.spec
        if not record.has_plan:
            raise CancelledError(ended.finished.message)
        folder = record.folder
        return PlanResult(
            project=spec.project,
            reason=ended.finished.reason,
            message=keyword_text(ended.finished.message),
            seconds=record.header.seconds,
            backend=record.header.backend,
            device=record.header.device,
            folder=place.kept,
            run=ended.run,
            content=place.content(),
            schedule=kept_schedule(folder, spec.project),
            drops=read_drops(folder) if (folder / DROPS).is_file() else (),
            scores=record.scores,
            history=record.history,
            summary=run_summary(record),
            removal=read_removal_curve(folder),
        )


@python_interface
def plan(
    project: ProjectSource,
    *,
    epochs: int | None = None,
    patience: int | None = None,
    learning_rate: float | None = None,
    margin: Margin | str | None = None,
    seed: int | None = None,
    warm_start: ScheduleSource | None = None,
    prune: bool = True,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = "auto",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> PlanResult:
    """Place drops by gradient descent, then remove those that are not needed.

    Settings that are not given are the project's (``project.plan``); of a run that is resumed they are the run's own.

    Args:
        project: Project, or the folder of one.
        epochs: Most gradient epochs of the first stage.
        patience: Stop after this many epochs without improvement.
        learning_rate: Step size of the optimizer, without a unit.
        margin: In which worlds the plan must hold: ``"none"``, ``"design"`` or ``"stress"``.
        seed: Seed of every random choice.
        warm_start: Schedule to begin with, in place of drops at the fire front.
        prune: Whether to go on with the second stage, which removes drops that the limit does not need.
        out: Folder for the run, new or empty. Without it nothing is left on disk; the result can be saved.
        resume: Go on with the run in ``out``.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        progress: Receives every event of the run (:mod:`firegui.runs.events`), in this thread.
        cancel: Token that stops the run with ``cancel.request_stop()``. The best plan so far is then returned.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
        CancelledError: The run was stopped before there was a plan.
        RunFailedError: The run ended with an error that is not about its input.
    """
    given = {
        "epochs": epochs, "patience": patience, "learning_rate": learning_rate, "seed": seed, "kind": margin,
    }  # fmt: skip
    stages = BOTH if prune else (Stage.OPTIMIZE,)
    with run_place(out) as place:
        request = PlanRequest(stages, project, place.folder, _plan_settings(given), warm_start, resume, backend)
        return _planned(request, place, progress, cancel)


@python_interface
def prune(
    project: ProjectSource,
    schedule: ScheduleSource | None = None,
    *,
    slack: float | None = None,
    allowance: int | None = None,
    margin: Margin | str | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = "auto",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> PlanResult:
    """Remove from a schedule every drop that the project does not need.

    Settings that are not given are the project's (``project.plan``); of a run that is resumed they are the run's own.

    Args:
        project: Project, or the folder of one.
        schedule: Schedule to prune; may be left out when a run is resumed.
        slack: Factor by which each held term may grow, 1 or more. Read with the margin ``"none"`` and ``"design"``.
        allowance: Most rollouts.
        margin: In which worlds the plan must hold: ``"none"``, ``"design"`` or ``"stress"``.
        out: Folder for the run, new or empty. Without it nothing is left on disk; the result can be saved.
        resume: Go on with the run in ``out``.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        progress: Receives every event of the run, in this thread.
        cancel: Token that stops the run; what is left of the schedule so far is then returned.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
        CancelledError: The run was stopped before there was a plan.
        RunFailedError: The run ended with an error that is not about its input.
    """
    given = {"slack": slack, "allowance": allowance, "kind": margin}
    with run_place(out) as place:
        request = PlanRequest((Stage.PRUNE,), project, place.folder, _plan_settings(given), schedule, resume, backend)
        return _planned(request, place, progress, cancel)


def _planned(request: PlanRequest, place: RunPlace, progress: Emit | None, cancel: RunControl | None) -> PlanResult:
    return PlanResult.of(request.read().carry_out(progress, cancel), place)


def _plan_settings(given: Mapping[str, Any]) -> Change[PlanSettings]:
    """Return a change of the settings of both stages and of the margin; ``kind`` is that of the margin."""

    def change(plan: PlanSettings, problems: Problems) -> PlanSettings:
        parts = {name: getattr(plan, name) for name in ("optimizer", "elimination", "margin")}
        for name, part in parts.items():
            own = {key: value for key, value in given.items() if hasattr(part, key)}
            parts[name] = with_given(part, own, problems, {"kind": "margin"})
        return replace(plan, **parts)

    return change
