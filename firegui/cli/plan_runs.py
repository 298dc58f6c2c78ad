"""Options, run and report shared by ``optimize``, ``prune``, ``plan``, ``tactical`` and ``keep``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from firegui.analyses.stress.results import table_data
from firegui.cli.arguments import option_group
from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.inputs import gather_schedule
from firegui.cli.options import FILE, backend_option, project_argument
from firegui.cli.output import json_option, report
from firegui.cli.progress import emitter, progress_option
from firegui.cli.results import metrics_table
from firegui.cli.setting_options import given_settings, setting_options
from firegui.cli.stress import stress_lines
from firegui.cli.words import command_text
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import DESIGN, EliminationSettings, MarginSettings, OptimizerSettings, PlanSettings
from firegui.errors import Problems
from firegui.io.project.store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunFinished, RunState
from firegui.runs.messages import FORMING_EPOCHS, counted
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import OCCUPANCY, PLAN, REFERENCE, SCHEDULE, RunRecord, check_out, read_run
from firegui.runs.spec import PlanSpec, Stage
from firegui.runs.tactical_stage import budget_problems

_TITLE = "The run cannot start"
Command = Callable[..., None]

out_option = click.option(
    "--out", metavar="RUN", type=FILE, required=True, help="Run folder to write; new or empty unless resuming."
)
resume_option = click.option(
    "--resume",
    is_flag=True,
    help="Go on with the run in --out; the epochs and patience of a first stage and the allowance of a second may be "
    "raised.",
)


first_stage_options = option_group(
    setting_options(OptimizerSettings(), show_defaults=False),
    click.option("--warm-start", "schedule_file", metavar="F.csv", type=FILE, help="Start from this schedule instead."),
)
"""Adds the options of stage 1."""
second_stage_options = setting_options(EliminationSettings(), show_defaults=False)
margin_options = setting_options(MarginSettings(), show_defaults=False)
design_options = setting_options(DESIGN, prefix="design", suffix=" to plan with", show_defaults=False)


run_options = option_group(project_argument, out_option, resume_option, backend_option, progress_option, json_option)
"""Adds what every run takes: project, folder, resuming, backend, progress and report."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Request of the command line; ``given`` holds the settings by their names, ``None`` where not given.

    ``budget`` is for the tactical heuristic alone.
    """

    stages: tuple[Stage, ...]
    project_folder: Path
    out: Path
    resume: bool
    backend: str
    schedule_file: Path | None
    given: dict[str, Any]
    budget: int | None = None


def carry_out_request(request: PlanRequest, progress: str, as_json: bool) -> int:
    """Read everything, run it, report it; return the exit code.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong, before anything is written.
    """
    gather, engine, out, resume = Gather(), Engine(), request.out, request.resume
    project = gather.attempt(lambda: load_project(request.project_folder))
    earlier = gather.attempt(lambda: check_out(out, resume))
    plan = asked_plan(PlanSettings() if project is None else project.plan, earlier, request.given, gather)
    if project is not None:
        project = replace(project, plan=plan)
    found = plan.problems() if project is None else project.problems()
    budget = request.budget if request.budget is not None or earlier is None else earlier.header.budget
    gather.extend([*found, *budget_problems(budget, None if found else project)])
    source = request.schedule_file if earlier is None else earlier.warm_start_file
    # Checkpoints hold all that came of the schedule it started from; a run that has none yet starts over from it.
    needed = None if earlier is not None and earlier.can_resume else source
    start = gather_schedule(request.schedule_file or needed, project, gather)
    gather.attempt(lambda: engine.check_backend(request.backend))
    gather.raise_if_any(_TITLE)
    assert project is not None
    spec = command_line_spec(
        project, request.project_folder, out, stages=request.stages, warm_start=start, warm_start_file=source,
        resume=resume, backend=request.backend, budget=budget,
    )  # fmt: skip
    finished = nothing_left(earlier, spec) or carry_out(spec, emitter(progress), RunFinished)[1]
    return conclude(finished, as_json)


def asked_plan(
    plan: PlanSettings, earlier: RunRecord | None, given: dict[str, Any], problems: Problems
) -> PlanSettings:
    """Return the project's settings, or those of the run to be resumed, with what was given replaced."""
    if earlier is not None:
        then = earlier.settings
        plan = replace(
            plan, optimizer=then.optimizer, elimination=then.elimination, margin=then.margin, design=then.design
        )
    return replace(
        plan,
        optimizer=given_settings(plan.optimizer, given, problems),
        elimination=given_settings(plan.elimination, given, problems),
        margin=given_settings(plan.margin, given, problems),
        design=given_settings(plan.design, given, problems, prefix="design"),
    )


def command_line_spec(
    project: Project,
    project_folder: Path,
    out: Path,
    *,
    resume: bool,
    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,),
    warm_start: Schedule | None = None,
    warm_start_file: Path | None = None,
    backend: str = "auto",
    budget: int | None = None,
) -> PlanSpec:
    """Return the spec of a run of the command line, which shows no pictures and therefore makes next to none."""
    spec = PlanSpec(
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
    return with_command(spec)


def nothing_left(earlier: RunRecord | None, spec: PlanSpec) -> RunFinished | None:
    """Return how the run to be resumed ended, if nothing of the request is left to do; else ``None``."""
    if earlier is None or not earlier.can_resume or earlier.state is not RunState.FINISHED or earlier.metrics is None:
        return None
    if resume_problems(earlier, spec) or not all((spec.out / name).is_file() for name in (PLAN, SCHEDULE, OCCUPANCY)):
        return None
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


def conclude(finished: RunFinished, as_json: bool) -> int:
    """Print how the run ended and return the exit code."""
    if finished.reason is FinishReason.FAILED or finished.folder is None:
        return refused(finished, _TITLE, as_json)
    record = read_run(finished.folder)
    report(as_json, run_result(record, finished), lambda: _lines(record, finished))
    return exit_code(finished)


def run_result(record: RunRecord, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``optimize``, ``prune``, ``plan`` and ``tactical`` print with ``--json``."""
    scores = record.scores
    return {
        "run": str(record.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "epochs": record.header.epochs_done,
        "best_epoch": record.header.best_epoch,
        "seconds": record.header.seconds,
        "backend": record.header.backend,
        "device": record.header.device,
        "nominal": asdict(scores.nominal) if scores.nominal else None,
        "design": asdict(scores.design) if scores.design else None,
        "baseline": asdict(scores.baseline) if scores.baseline else None,
        "audit": asdict(scores.audit) if scores.audit else None,
        "stages": [stage.value for stage in record.stages],
        "reference": asdict(scores.reference) if scores.reference else None,
        "pruned": asdict(scores.pruned) if scores.pruned else None,
        "swept": asdict(scores.swept) if scores.swept else None,
        "stress": table_data(scores.stress) if scores.stress else None,
    }


def _lines(record: RunRecord, finished: RunFinished) -> list[str]:
    audit = record.scores.audit
    rules = []
    if audit is not None:
        found = counted(len(audit.violations), "violation")
        rules = [f"audit: {found} in {counted(audit.executed, 'executed drop')}"]
    tables = _scores(record) + ([] if record.scores.stress is None else [*stress_lines(record.scores.stress)])
    return [finished.message, *tables, *rules, f"run folder: {record.folder}", *_hints(record, finished)]


def _scores(record: RunRecord) -> list[str]:
    scores = record.scores
    if scores.nominal is None:
        schedule = record.folder / PLAN
        score = command_text("evaluate", record.header.project_folder, "--schedule", schedule)
        return [f"not scored: {score}"] if record.has_plan else []
    columns = {"no drops": scores.baseline} if scores.baseline else {}
    columns |= {"before pruning": scores.reference} if scores.reference else {}
    return metrics_table(columns | {"plan": scores.nominal})


def _hints(record: RunRecord, finished: RunFinished) -> list[str]:
    """Return what to do next: resume a stopped run, export one that ended by itself if it drops anything."""
    name = "plan" if len(record.stages) > 1 else record.stages[0].value
    words: list[str | Path] = [name, record.header.project_folder, "--out", record.folder, "--resume"]
    optimizer = record.settings.optimizer
    if finished.reason is FinishReason.STOPPED:
        return [f"To go on: {command_text(*words)}"]
    if Stage.TACTICAL in record.stages:
        return _after_tactical(record)
    if (record.folder / REFERENCE).is_file() or (record.metrics is not None and record.metrics.drops_executed > 0):
        return [_export_hint(record)]
    if Stage.OPTIMIZE not in record.stages:
        return []
    if finished.reason is FinishReason.PATIENCE:
        return [f"With more patience: {command_text(*words, '--patience', str(2 * optimizer.patience))}"]
    return [f"With more epochs: {command_text(*words, '--epochs', str(max(2 * optimizer.epochs, FORMING_EPOCHS)))}"]


def _after_tactical(record: RunRecord) -> list[str]:
    words: list[str | Path] = ["plan", record.header.project_folder, "--out", "RUN"]
    flown = record.metrics is not None and record.metrics.drops_executed > 0
    return [f"With more time: {command_text(*words)}"] + ([_export_hint(record)] if flown else [])


def _export_hint(record: RunRecord) -> str:
    return f"Next: {command_text('export', record.folder, '--format', 'csv,geojson', '--out', 'FOLDER')}"


def planned(project: Project) -> str:
    """Return what is about to be planned, in one line."""
    plan = project.plan
    aircraft = project.fleet.n_aircraft
    cap = counted(plan.optimizer.epochs, "epoch")
    return f"{project.scenario.name}: {counted(plan.days, 'day')}, {aircraft} aircraft, up to {cap}"
