"""``firegui optimize``: stage 1, the plan by gradient descent."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from firegui.cli.gather import Gather
from firegui.cli.interrupt import stop_on_interrupt
from firegui.cli.options import FILE, backend_option, effectiveness, project_argument, project_schedule
from firegui.cli.output import json_option, report
from firegui.cli.progress import Emit, emitter, progress_option
from firegui.cli.results import metrics_table
from firegui.cli.shell import BAD_INPUT, DONE, FAILED, INTERRUPTED, report_problems
from firegui.domain.project import Project
from firegui.domain.settings import OptimizerSettings, PlanSettings
from firegui.io.project_store import load_project
from firegui.runs.command import optimize_command
from firegui.runs.control import RunControl
from firegui.runs.events import FinishReason, RunEvent, RunFinished
from firegui.runs.folder import RunRecord, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import OptimizeSpec

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

    Settings that are not given are the project's; when resuming, the run's own.
    """
    gather = Gather()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: read_run(out)) if resume else None
    if project is None or (resume and earlier is None):
        gather.raise_if_any(_TITLE)
        return
    given = {"epochs": epochs, "learning_rate": learning_rate, "patience": patience, "seed": seed}
    plan = _plan(project.plan, earlier, {key: value for key, value in given.items() if value is not None})
    plan = replace(plan, design=effectiveness(plan.design, design_retardant, design_water))
    project = replace(project, plan=plan)
    start = None if warm_start is None else gather.attempt(lambda: project_schedule(warm_start, project))
    gather.raise_if_any(_TITLE)
    command = optimize_command(project_folder, out, plan.optimizer, plan.design, warm_start=warm_start, backend=backend)
    spec = OptimizeSpec(
        project=project,
        out=out,
        command=command,
        warm_start=start,
        resume=resume,
        backend=backend,
        frame_stride=project.calendar.n_steps,
        snapshot_seconds=float("inf"),
        project_folder=project_folder,
    )
    click.get_current_context().exit(conclude(carry_out(spec, emitter(progress)), as_json))


def carry_out(spec: OptimizeSpec, show: Emit) -> RunFinished:
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
    columns = {"no drops": record.scores.baseline, "plan": record.scores.nominal}
    known = {name: metrics for name, metrics in columns.items() if metrics is not None}
    audit = record.scores.audit
    rules = [] if audit is None else [f"audit: {len(audit.violations)} violations in {audit.executed:,} executed drops"]
    return [finished.message, *metrics_table(known), *rules, f"run folder: {record.folder}"]


def _plan(plan: PlanSettings, earlier: RunRecord | None, given: dict[str, Any]) -> PlanSettings:
    base = (
        plan if earlier is None else replace(plan, optimizer=earlier.settings.optimizer, design=earlier.settings.design)
    )
    optimizer: OptimizerSettings = replace(base.optimizer, **given)
    return replace(base, optimizer=optimizer)


def planned(project: Project) -> str:
    """What is about to be planned, in one line."""
    plan = project.plan
    aircraft = project.fleet.n_aircraft
    return f"{project.scenario.name}: {plan.days} days, {aircraft} aircraft, up to {plan.optimizer.epochs:,} epochs"
