"""``firegui benchmark``: every planner under one simulator, one objective, one drop budget and one allowance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
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
from firegui.analyses.benchmark.results import STORE, BenchmarkHeader, read_header
from firegui.analyses.benchmark.run import asked_problems, usable_planners
from firegui.analyses.benchmark.tables import deployment_values, group_values, row_values
from firegui.analyses.execution.executor import cluster_problems
from firegui.analyses.task_files import TITLE
from firegui.cli.arguments import option_group
from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.options import FILE, backend_option, project_argument
from firegui.cli.output import json_option, report
from firegui.cli.output import table as aligned
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.benchmark import (
    DEFAULT_PLANNERS,
    GRADIENT_CHARGE,
    MATCHED_PLANNERS,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    Violations,
)
from firegui.domain.workers import WorkerSettings
from firegui.io.project.store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import BenchmarkReady, FinishReason, RunFinished
from firegui.runs.messages import counted
from firegui.runs.spec import BenchmarkSpec

ALL = "all"
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
    click.option("--processes", type=int, default=0, help="Of one thread each.  [default: one a core]"),
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
    every schedule is scored at nominal effectiveness. Without --budget the two-stage plan is made first, whose drops
    become the budget. The planners are the paper's, whatever the project's margin is. Each task is one process on one
    thread, saved as it works: --resume computes nothing twice. With --scheduler the workers of a Dask cluster carry the
    tasks out.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: STORE.check(out, resume))
    wanted = _wanted(given, earlier, engine, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    # A list with an unknown name was told of already; it may be empty without it.
    found = asked_problems(wanted.settings, processes, engine)
    gather.extend(item for item in found if not (wanted.unread and item.where == "planners"))
    spec = None
    if project is None:
        if earlier is not None:
            place = earlier.project_folder or "a project that was not noted"
            gather.add(str(out), f"was run on {earlier.project.name}, kept in {place}", "give the folder it is in now")
    else:
        spec = BenchmarkSpec(
            project, out, "", wanted.settings, project_folder, resume, backend, processes, notes=wanted.notes,
            scheduler=scheduler or "",
        )  # fmt: skip
        spec = with_command(spec)
        gather.extend(cluster_problems(spec.scheduler))
        gather.extend(project.problems())
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), BenchmarkReady, _STOPPING, _AGAIN)
    table = None if ready is None else ready.table
    click.get_current_context().exit(_conclude(table, finished, spec, as_json))


@dataclass(frozen=True, slots=True)
class _BenchmarkRequest:
    settings: BenchmarkSettings
    notes: tuple[str, ...] = ()
    unread: bool = False


def _wanted(
    given: Mapping[str, Any], earlier: BenchmarkHeader | None, engine: Engine, gather: Gather
) -> _BenchmarkRequest:
    """What is asked for, on top of what was asked for ``earlier``; every problem is noted."""
    base = BenchmarkSettings(planners=()) if earlier is None else earlier.settings
    notes = () if earlier is None else earlier.notes
    plain = {key: value for key, value in given.items() if key not in ("planners", "matched")}
    named = given["planners"] if given["planners"] is not None or earlier is not None else ALL
    if named == ALL:
        planners, notes = usable_planners(DEFAULT_PLANNERS, engine)
    else:
        planners = _names(named, "--planners", gather)
    if given["matched"] == ALL:
        matched, lacking = usable_planners(MATCHED_PLANNERS, engine)
        notes = tuple(dict.fromkeys((*notes, *lacking)))
    else:
        matched = _names(given["matched"], "--matched", gather)
    settings = replace(
        given_settings(base, plain, gather),
        planners=tuple(dict.fromkeys((*base.planners, *planners))),
        matched=tuple(dict.fromkeys((*base.matched, *matched))),
    )
    return _BenchmarkRequest(settings, notes, any(item.where in ("--planners", "--matched") for item in gather))


def _names(text: str | None, option: str, gather: Gather) -> tuple[PlannerName, ...]:
    """The planners between the commas; what is unknown is noted and left out."""
    if text is None:
        return ()
    found = []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        gather.add(option, "is empty", f"give {ALL}, or any of {', '.join(PlannerName)}")
    for part in parts:
        try:
            found.append(PlannerName(part))
        except ValueError:
            gather.add(option, f"{part!r} is not a planner", f"give {ALL}, or any of {', '.join(PlannerName)}")
    return tuple(found)


def _conclude(table: BenchmarkTable | None, finished: RunFinished, spec: BenchmarkSpec, as_json: bool) -> int:
    failed = finished.reason is FinishReason.FAILED
    if table is None or (failed and not table.rows):
        return refused(finished, TITLE, as_json)
    header = read_header(spec.out)
    report(as_json, result(table, header, finished), lambda: lines(table, header, finished))
    return exit_code(finished)


def result(table: BenchmarkTable, header: BenchmarkHeader, finished: RunFinished) -> dict[str, Any]:
    """The object that ``benchmark --json`` prints. No deadline is ``None`` seconds, for JSON has no infinity."""
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
    """The report for people."""
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
        f"Allowance {counted(settings.allowance, 'rollout-equivalent')} for a search, a gradient epoch charged as"
        f" {GRADIENT_CHARGE}; {counted(settings.seeds, 'seed')} from {settings.seed}; budget {budget}"
        f" (λ {settings.excess:g})."
    )
    if any(task.matched for task in table.tasks) and table.matched_allowance:
        yield f"Matched allowance {table.matched_allowance:,}, the cost of the two-stage plan."
    if any(task.planner is PlannerName.GRADIENT_DESIGN for task in table.tasks):
        yield "All rows are scored at nominal effectiveness; one planner searches at design effectiveness."
    spread = "; mean ± standard deviation over the seeds" if settings.seeds > 1 else ""
    yield (
        "Final extent and protected fire in cells, occupancy in cell-days: sums of probabilities, lower is better"
        f"{spread}. {BEST_FIRST}"
    )


def _aligned(printed: PrintedTable) -> list[str]:
    """Columns of words to the left, also where there are several."""
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
