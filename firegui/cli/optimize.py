"""``firegui optimize``: stage 1, the plan by gradient descent."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from firegui.cli.gather import Gather
from firegui.cli.inputs import gather_schedule
from firegui.cli.interrupt import stop_on_interrupt
from firegui.cli.options import FILE, backend_option, effectiveness, project_argument
from firegui.cli.output import json_option, report
from firegui.cli.progress import Emit, emitter, progress_option
from firegui.cli.results import metrics_table
from firegui.cli.shell import BAD_INPUT, DONE, FAILED, INTERRUPTED, report_problems
from firegui.cli.words import command_text
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings, PlanSettings
from firegui.io.project_store import load_project
from firegui.runs.command import optimize_command
from firegui.runs.control import RunControl
from firegui.runs.engine import load_engine
from firegui.runs.events import FinishReason, RunEvent, RunFinished, RunState
from firegui.runs.folder import OCCUPANCY, PLAN, SCHEDULE, RunRecord, check_out, read_run
from firegui.runs.messages import FORMING_EPOCHS, counted
from firegui.runs.resume import resume_problems
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec

_TITLE = "The run cannot start"


@click.command()
@project_argument
@click.option(
    "--out", metavar="RUN", type=FILE, required=True, help="Run folder to write; new or empty unless resuming."
)
@click.option("--epochs", type=int, help="Cap on the number of epochs.")
@click.option("--lr", "learning_rate", type=float, help="Learning rate of Adam.")
@click.option("--patience", type=int, help="Stop after this many epochs without improvement.")
@click.option("--seed", type=int, help="Seed of every random choice.")
@click.option("--design-retardant", type=float, help="Effectiveness of retardant to plan with.")
@click.option("--design-water", type=float, help="Effectiveness of water to plan with.")
@click.option(
    "--warm-start", "warm_start", metavar="F.csv", type=FILE, help="Start from this schedule, not from the front."
)
@click.option("--resume", is_flag=True, help="Go on with the run in --out; epochs and patience may be raised.")
@backend_option
@progress_option
@json_option
def optimize(
    project_folder: Path,
    out: Path,
    epochs: int | None,
    learning_rate: float | None,
    patience: int | None,
    seed: int | None,
    design_retardant: float | None,
    design_water: float | None,
    warm_start: Path | None,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
) -> None:
    """Plan PROJECT's drops by gradient descent into RUN. Ctrl-C stops it and keeps the best plan so far.

    The epochs plan at design effectiveness, and the progress shows the best objective there; the plan that is kept is
    scored at nominal effectiveness.

    Settings that are not given are the project's. When resuming, those of the optimizer and the design effectiveness
    are the run's own; everything else is the project's and must not have changed since.
    """
    gather, engine = Gather(), load_engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: check_out(out, resume))
    given = {"epochs": epochs, "learning_rate": learning_rate, "patience": patience, "seed": seed}
    plan = _plan(PlanSettings() if project is None else project.plan, earlier, given)
    plan = replace(plan, design=effectiveness(plan.design, design_retardant, design_water))
    if project is not None:
        project = replace(project, plan=plan)
    gather.extend(plan.problems() if project is None else project.problems())
    source = warm_start if earlier is None else earlier.warm_start_file
    # A checkpoint holds all that came of the warm start; a run that has none yet starts over from it.
    needed = None if earlier is not None and earlier.can_resume else source
    start = gather_schedule(warm_start or needed, project, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    gather.raise_if_any(_TITLE)
    assert project is not None
    spec = command_line_spec(
        project, project_folder, out, warm_start=start, warm_start_file=source, resume=resume, backend=backend
    )
    finished = nothing_left(earlier, spec) or carry_out(spec, emitter(progress))
    click.get_current_context().exit(conclude(finished, as_json))


def command_line_spec(
    project: Project,
    project_folder: Path,
    out: Path,
    *,
    resume: bool,
    warm_start: Schedule | None = None,
    warm_start_file: Path | None = None,
    backend: str = "auto",
) -> PlanSpec:
    """A run as the command line does it: nobody looks at its pictures, so it makes next to none."""
    plan = project.plan
    command = optimize_command(
        project_folder, out, plan.optimizer, plan.design, warm_start=warm_start_file, backend=backend
    )
    return PlanSpec(
        project=project,
        out=out,
        command=command,
        warm_start=warm_start,
        resume=resume,
        backend=backend,
        frame_stride=project.calendar.n_steps,
        snapshot_seconds=float("inf"),
        project_folder=project_folder,
        warm_start_file=warm_start_file,
    )


def nothing_left(earlier: RunRecord | None, spec: PlanSpec) -> RunFinished | None:
    """How the run to be resumed ended, when it has done all that is asked for and would only repeat its end."""
    if earlier is None or not earlier.can_resume or earlier.state is not RunState.FINISHED or earlier.metrics is None:
        return None
    if resume_problems(earlier, spec) or not all((spec.out / name).is_file() for name in (PLAN, SCHEDULE, OCCUPANCY)):
        return None
    asked, done, then = spec.project.plan.optimizer, earlier.header.epochs_done, earlier.settings.optimizer
    if earlier.reason is FinishReason.COMPLETED and asked.epochs <= done:
        more = f"--epochs above {done}"
    elif earlier.reason is FinishReason.PATIENCE and asked.patience <= then.patience:
        more = f"--patience above {then.patience}"
    else:
        return None
    text = f"nothing left to do: give {more}"
    return RunFinished(earlier.reason, text, earlier.metrics, earlier.baseline, earlier.folder)


def carry_out(spec: PlanSpec, show: Emit) -> RunFinished:
    """Run ``spec`` in this thread, steered by Ctrl-C, and return how it ended."""
    ends: list[RunFinished] = []

    def emit(event: RunEvent) -> None:
        show(event)
        if isinstance(event, RunFinished):
            ends.append(event)

    control = RunControl()
    with stop_on_interrupt(control):
        execute(spec, emit, control)
    return ends[-1]


def conclude(finished: RunFinished, as_json: bool) -> int:
    """Print how the run ended and return the exit code."""
    if finished.reason is FinishReason.FAILED or finished.folder is None:
        report_problems(_TITLE if finished.problems else finished.message, finished.problems, as_json)
        return BAD_INPUT if finished.problems else FAILED
    record = read_run(finished.folder)
    report(as_json, run_result(record, finished), lambda: _lines(record, finished))
    return INTERRUPTED if finished.reason is FinishReason.STOPPED else DONE


def run_result(record: RunRecord, finished: RunFinished) -> dict[str, Any]:
    """The object that ``optimize --json`` prints."""
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
    }


def _lines(record: RunRecord, finished: RunFinished) -> list[str]:
    audit = record.scores.audit
    rules = []
    if audit is not None:
        found = counted(len(audit.violations), "violation")
        rules = [f"audit: {found} in {counted(audit.executed, 'executed drop')}"]
    return [finished.message, *_scores(record), *rules, f"run folder: {record.folder}", *_hints(record, finished)]


def _scores(record: RunRecord) -> list[str]:
    scores = record.scores
    if scores.nominal is None:
        schedule = record.folder / PLAN
        score = command_text("evaluate", record.header.project_folder, "--schedule", schedule)
        return [f"not scored: {score}"] if record.has_plan else []
    return metrics_table(({"no drops": scores.baseline} if scores.baseline else {}) | {"plan": scores.nominal})


def _hints(record: RunRecord, finished: RunFinished) -> list[str]:
    words: list[str | Path] = ["optimize", record.header.project_folder, "--out", record.folder, "--resume"]
    optimizer = record.settings.optimizer
    if finished.reason is FinishReason.COMPLETED:
        words += ["--epochs", str(max(2 * optimizer.epochs, FORMING_EPOCHS))]
    elif finished.reason is FinishReason.PATIENCE:
        words += ["--patience", str(2 * optimizer.patience)]
    hints = [f"To go on: {command_text(*words)}"]
    if finished.reason is not FinishReason.STOPPED and record.metrics and record.metrics.drops_executed:
        hints.append(f"Next: {command_text('export', record.folder, '--format', 'csv,geojson', '--out', 'FOLDER')}")
    return hints


def _plan(plan: PlanSettings, earlier: RunRecord | None, given: dict[str, Any]) -> PlanSettings:
    base = (
        plan if earlier is None else replace(plan, optimizer=earlier.settings.optimizer, design=earlier.settings.design)
    )
    changes = {key: value for key, value in given.items() if value is not None}
    optimizer: OptimizerSettings = replace(base.optimizer, **changes)
    return replace(base, optimizer=optimizer)


def planned(project: Project) -> str:
    """What is about to be planned, in one line."""
    plan = project.plan
    aircraft = project.fleet.n_aircraft
    cap = counted(plan.optimizer.epochs, "epoch")
    return f"{project.scenario.name}: {counted(plan.days, 'day')}, {aircraft} aircraft, up to {cap}"
