"""Options, run and report shared by ``optimize``, ``prune``, ``plan``, ``tactical`` and ``keep``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from firegui.analyses.stress.results import table_data
from firegui.api.inputs import Change
from firegui.api.plans import PlanRequest
from firegui.cli.arguments import FILE, option_group, project_argument
from firegui.cli.carry_out import exit_code, interruptible
from firegui.cli.options import backend_option
from firegui.cli.output import json_option, report
from firegui.cli.progress import emitter, progress_option
from firegui.cli.removal import MOST_LINES, curve_data, curve_lines, given_up, saved_curve
from firegui.cli.results import metrics_table, summary_data, summary_lines
from firegui.cli.setting_options import given_settings, setting_options
from firegui.cli.stress import stress_lines
from firegui.cli.words import command_text
from firegui.domain.plan_summary import PlanSummary
from firegui.domain.project import Project
from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.results import metric_values
from firegui.domain.settings import (
    DESIGN,
    EliminationSettings,
    MarginSettings,
    OptimizerSettings,
    PlanSettings,
)
from firegui.errors import Problems
from firegui.runs.events import RunFinished
from firegui.runs.messages import FORMING_EPOCHS, counted
from firegui.runs.run_folder import PLAN, REFERENCE, RunRecord
from firegui.runs.stages import FinishReason, Stage
from firegui.runs.summary import run_summary

out_option = click.option(
    "--out", metavar="RUN", type=FILE, required=True, help="Run folder to write; new or empty unless resuming."
)
resume_option = click.option(
    "--resume",
    is_flag=True,
    help="Go on with the run in --out; the search steps, the steps without gain and the fire simulations may be "
    "raised.",
)


first_stage_options = option_group(
    setting_options(OptimizerSettings(), show_defaults=False),
    click.option("--warm-start", "schedule_file", metavar="F.csv", type=FILE, help="Start from this schedule instead."),
)
"""Adds the options of stage 1."""
second_stage_options = setting_options(EliminationSettings(), show_defaults=False)
search_option = setting_options(OptimizerSettings(), only=("search",), show_defaults=False)
"""Adds the option of stage 1 that stage 2 reads, too."""
margin_options = setting_options(MarginSettings(), show_defaults=False)
design_options = setting_options(DESIGN, prefix="design", suffix=" to plan with", show_defaults=False)


run_options = option_group(project_argument, out_option, resume_option, backend_option, progress_option, json_option)
"""Adds what every run takes: project, folder, resuming, backend, progress and report."""


def plan_settings(given: Mapping[str, Any]) -> Change[PlanSettings]:
    """Return the change that the options ask for; ``given`` has ``None`` for those that were not given."""

    def change(plan: PlanSettings, problems: Problems) -> PlanSettings:
        return replace(
            plan,
            optimizer=given_settings(plan.optimizer, given, problems),
            elimination=given_settings(plan.elimination, given, problems),
            margin=given_settings(plan.margin, given, problems),
            design=given_settings(plan.design, given, problems, prefix="design"),
        )

    return change


def carry_out_request(request: PlanRequest, progress: str, as_json: bool) -> int:
    """Run what is requested, report it, and return the exit code.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong, before anything is written.
    """
    ready = request.read()
    with interruptible() as control:
        ended = ready.carry_out(emitter(progress), control)
    record, finished = ended.record, ended.finished
    curve, summary = saved_curve(record.folder), run_summary(record)
    data = _result(record, finished, curve, summary)
    report(as_json, data, lambda: _lines(record, finished, curve, summary))
    return exit_code(finished)


def _result(
    record: RunRecord, finished: RunFinished, curve: RemovalCurve | None, summary: PlanSummary | None
) -> dict[str, Any]:
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
        "nominal": metric_values(scores.nominal) if scores.nominal else None,
        "design": metric_values(scores.design) if scores.design else None,
        "baseline": metric_values(scores.baseline) if scores.baseline else None,
        "audit": asdict(scores.audit) if scores.audit else None,
        "stages": [stage.value for stage in record.stages],
        "reference": metric_values(scores.reference) if scores.reference else None,
        "pruned": asdict(scores.pruned) if scores.pruned else None,
        "swept": asdict(scores.swept) if scores.swept else None,
        "stress": table_data(scores.stress) if scores.stress else None,
        "removal": None if curve is None else curve_data(curve),
        "given_up": given_up(record),
        "summary": summary_data(summary),
    }


def _lines(
    record: RunRecord, finished: RunFinished, curve: RemovalCurve | None, summary: PlanSummary | None
) -> list[str]:
    audit = record.scores.audit
    rules = []
    if audit is not None:
        found = counted(len(audit.violations), "violation")
        rules = [f"audit: {found} in {counted(audit.executed, 'executed drop')}"]
    lost = given_up(record)
    warned = [f"Warning: {lost}. To keep it, choose a plan with more drops on the removal curve."] if lost else []
    tables = _scores(record) + ([] if record.scores.stress is None else [*stress_lines(record.scores.stress)])
    has_curve = curve is not None and len(curve) > 1
    tables += [] if curve is None or not has_curve else [*curve_lines(curve, MOST_LINES)]
    folder, hints = f"run folder: {record.folder}", _hints(record, finished, has_curve=has_curve)
    return [*summary_lines(summary), finished.message, *warned, *tables, *rules, folder, *hints]


def _scores(record: RunRecord) -> list[str]:
    scores = record.scores
    if scores.nominal is None:
        schedule = record.folder / PLAN
        score = command_text("evaluate", record.header.project_folder, "--schedule", schedule)
        return [f"not scored: {score}"] if record.has_plan else []
    columns = {"no drops": scores.baseline} if scores.baseline else {}
    columns |= {"before removal": scores.reference} if scores.reference else {}
    return metrics_table(columns | {"plan": scores.nominal})


def _hints(record: RunRecord, finished: RunFinished, *, has_curve: bool) -> list[str]:
    """Return what to do next: resume a stopped run, export one that ended by itself if it drops anything."""
    name = "plan" if len(record.stages) > 1 else record.stages[0].value
    words: list[str | Path] = [name, record.header.project_folder, "--out", record.folder, "--resume"]
    optimizer = record.settings.optimizer
    if finished.reason is FinishReason.STOPPED:
        return [f"To go on: {command_text(*words)}"]
    if Stage.TACTICAL in record.stages:
        return _after_tactical(record)
    if (record.folder / REFERENCE).is_file() or (record.metrics is not None and record.metrics.drops_executed > 0):
        return [_export_hint(record), *([_point_hint(record)] if has_curve else [])]
    if Stage.OPTIMIZE not in record.stages:
        return []
    if record.settings.is_fast and record.header.epochs_done < optimizer.epochs:
        return []
    if finished.reason is FinishReason.PATIENCE:
        return [f"With more steps without gain: {command_text(*words, '--patience', str(2 * optimizer.patience))}"]
    return [
        f"With more search steps: {command_text(*words, '--epochs', str(max(2 * optimizer.epochs, FORMING_EPOCHS)))}"
    ]


def _point_hint(record: RunRecord) -> str:
    words = ("removal", record.folder, "--drops", "N", "--out", "POINT.safetensors")
    return f"Another point of the curve: {command_text(*words)}"


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
