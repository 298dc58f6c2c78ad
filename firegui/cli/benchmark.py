"""``firegui benchmark``: planners with one simulator, objective, drop budget and allowance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from firegui.analyses.benchmark.report import (
    BEST_FIRST,
    PrintedTable,
    dropless,
    duration_text,
    effectiveness_text,
    incomplete,
    printed_tables,
    setting_text,
)
from firegui.analyses.benchmark.results import BenchmarkHeader
from firegui.analyses.benchmark.tables import deployment_values, group_values, row_values
from firegui.api.benchmarks import ALL, PlannerComparison, carry_out_benchmark
from firegui.cli.arguments import FILE, WHOLE, option_group, project_argument
from firegui.cli.carry_out import exit_code, interruptible
from firegui.cli.options import backend_option
from firegui.cli.output import json_option, report
from firegui.cli.output import table as aligned
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.benchmark import GRADIENT_CHARGE, MATCHED_PLANNERS, BenchmarkSettings, BenchmarkTable, PlannerName
from firegui.domain.results import Violations
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problems
from firegui.runs.events import RunFinished
from firegui.runs.messages import counted

_STOPPING, _AGAIN = "stopping; finished tasks are kept and the others saved as they are", "already stopping"


_options = option_group(
    click.option("--planners", metavar=f"{ALL}|NAME,…", help=f"Any of {', '.join(PlannerName)}.  [default: {ALL}]"),
    click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the tables; new or empty."),
    click.option(
        "--matched", metavar=f"{ALL}|NAME,…",
        help=f"Planners that also run once at the two-stage plan's whole cost; {ALL}: {', '.join(MATCHED_PLANNERS)}.",
    ),
    setting_options(BenchmarkSettings(), skip=("planners", "matched")),
    setting_options(WorkerSettings(), only=("scheduler",)),
    click.option("--processes", type=WHOLE, default=0, help="Of one thread each.  [default: one a core]"),
    click.option("--resume", is_flag=True, help="Go on with RUN; planners and seeds may be added."),
)  # fmt: skip


@click.command()
@project_argument
@_options
@backend_option
@plain_progress_option
@json_option
def benchmark(
    project_folder: Path,
    out: Path,
    processes: int,
    scheduler: str | None,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare planners on PROJECT and write the tables into RUN.

    Every planner gets the same fire, fleet, objective and drop budget, a search the same allowance of rollouts, and
    every schedule is scored at expected effectiveness. Without --budget the two-stage plan is made first, whose drops
    become the budget. The planners are the paper's, whatever the project's margin is. Each task is one process on one
    thread, saved as it works: --resume computes nothing twice. With --scheduler the workers of a Dask cluster carry the
    tasks out.
    """
    planners, matched = given.pop("planners"), given.pop("matched")

    def settings(base: BenchmarkSettings, problems: Problems) -> BenchmarkSettings:
        return given_settings(base, given, problems)

    request = PlannerComparison(
        project_folder, out, settings, planners, matched, processes, resume, backend, scheduler or ""
    )
    ready = request.read()
    with interruptible(_STOPPING, _AGAIN) as control:
        ended = carry_out_benchmark(ready, emitter(progress), control)
    table, header, finished = ended.table, ended.header, ended.finished
    report(as_json, result(table, header, finished), lambda: lines(table, header, finished))
    click.get_current_context().exit(exit_code(finished))


def result(table: BenchmarkTable, header: BenchmarkHeader, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``benchmark --json`` prints.

    No deadline is ``None`` seconds, because JSON has no infinity.
    """
    project, settings = header.project, table.settings
    deployed = [
        line | {"available_seconds": None if line["available_seconds"] == float("inf") else line["available_seconds"]}
        for line in deployment_values(table)
    ]
    return {
        "run": str(finished.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "complete": table.complete,
        "seconds": header.seconds,
        "core_hours": header.core_hours,
        "processes": header.processes,
        "machine": header.machine,
        "backend": header.backend,
        "device": header.device,
        "event": project.name,
        "fire_model": project.fire_model.label,
        "days": project.plan.days,
        "setting": project.plan.setting.value,
        "weights": asdict(project.plan.weights),
        "nominal": asdict(project.plan.nominal),
        "design": asdict(project.plan.design),
        "settings": asdict(settings),
        "budget": table.budget,
        "matched_allowance": table.matched_allowance,
        "gradient_charge": GRADIENT_CHARGE,
        "notes": list(header.notes),
        "missing": [task.name for task in table.missing],
        "groups": group_values(table),
        "deployment": deployed,
        "rows": [
            {**row_values(row), "curve": [list(point) for point in row.curve]}
            for row in sorted(table.rows, key=lambda row: row.task)
        ],
    }


def lines(table: BenchmarkTable, header: BenchmarkHeader, finished: RunFinished) -> Iterator[str]:
    """Yield the report for people."""
    project = header.project.project()
    days = counted(project.plan.days, "day")
    yield f"{project.scenario.name}: planner benchmark, {days}, {setting_text(project)}"
    yield f"Fire model: {project.fire_model.label}; {effectiveness_text(project.plan.nominal)}."
    yield from _terms(table)
    yield from (f"{note}." for note in header.notes)
    yield from dropless(table)
    yield from incomplete(table)
    for printed in printed_tables(table, project) if table.rows else ():
        yield from ("", f"{printed.title}:", *_aligned(printed))
    yield ""
    yield from _audit(table)
    clock = f"{duration_text(header.seconds)} by the clock with {counted(header.processes, 'process', 'processes')}"
    yield f"{header.core_hours:,.3g} core-hours, {clock}, on {header.scheduler or header.machine}"
    yield finished.message
    yield f"benchmark: {finished.folder}"


def _terms(table: BenchmarkTable) -> Iterator[str]:
    settings = table.settings
    budget = f"{counted(table.budget, 'drop')} before the penalty" if table.budget else "not yet known"
    yield (
        f"Allowance {counted(settings.allowance, 'rollout-equivalent')} for a search, a search step charged as"
        f" {GRADIENT_CHARGE}; {counted(settings.seeds, 'seed')} from {settings.seed}; budget {budget}"
        f" (λ {settings.excess:g})."
    )
    if any(task.matched for task in table.tasks) and table.matched_allowance:
        yield f"Matched allowance {table.matched_allowance:,}, the cost of the two-stage plan."
    if any(task.planner is PlannerName.GRADIENT_DESIGN for task in table.tasks):
        yield "All rows are scored at expected effectiveness; one planner searches at cautious effectiveness."
    spread = "; mean ± standard deviation over the seeds" if settings.seeds > 1 else ""
    yield (
        "Final size and protected fire in cells, burned area over time in cell-days: sums of probabilities, lower is "
        f"better{spread}. {BEST_FIRST}"
    )


def _aligned(printed: PrintedTable) -> list[str]:
    """Return aligned rows, with all columns of words to the left."""
    rows = [printed.heads, *printed.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(printed.left)]
    joined = [
        "  ".join(row[column].ljust(widths[column]) for column in range(printed.left)).rstrip() for row in rows
    ]  # fmt: skip
    return aligned([(words, *row[printed.left :]) for words, row in zip(joined, rows, strict=True)])


def _audit(table: BenchmarkTable) -> Iterator[str]:
    broken = [group for group in table.groups if group.violations != Violations(0, 0, 0)]
    if not table.rows:
        return
    if not broken:
        yield f"Audit: no violation in {counted(len(table.rows), 'task')}"
        return
    counts = (f"{group.title} {sum(asdict(group.violations).values()):,}" for group in broken)
    yield f"Audit: VIOLATIONS in {'; '.join(counts)}"
