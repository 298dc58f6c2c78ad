"""``firegui audit``: whether a schedule keeps the rules, checked without any planner."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.cli.options import project_argument, project_schedule, schedule_option
from firegui.cli.output import json_option, report, table
from firegui.cli.shell import DONE, FAILED
from firegui.io.project_store import load_project
from firegui.io.schedule_file import is_plan, read_claims
from firegui.runs.engine import load_engine
from firegui.runs.protocols import AuditCounts

_SHOWN = 20


@click.command()
@project_argument
@schedule_option(required=True)
@json_option
@click.pass_context
def audit(context: click.Context, project_folder: Path, schedule_file: Path, as_json: bool) -> None:
    """Check a schedule against PROJECT's turnaround times, grounded days and grid. Exits with 1 if a rule is broken.

    Checked are the drops that a CSV claims to be executed: those whose column `executed` is true, or every row where
    there is no such column. Of a plan.safetensors, which claims nothing, those that the rollout executes.
    """
    project = load_project(project_folder)
    engine, fleet, steps_per_day = load_engine(), project.planned_fleet, project.calendar.steps_per_day
    if is_plan(schedule_file):
        schedule = project_schedule(schedule_file, project)
        executed = engine.executed(schedule, fleet, steps_per_day)
    else:
        schedule, executed = read_claims(schedule_file, fleet, project.calendar.n_steps)
    counts = engine.audit(schedule, fleet, steps_per_day, project.scenario.grid.shape, executed)
    names = ("candidate", "executed", "grounded", "turnaround", "simultaneous", "outside")
    data = {**{name: getattr(counts, name) for name in names}, "violations": list(counts.violations), "ok": counts.ok}
    report(as_json, data, lambda: audit_lines(counts))
    context.exit(DONE if counts.ok else FAILED)


def audit_lines(counts: AuditCounts) -> list[str]:
    """The report for people."""
    rows = [
        ("drops proposed", f"{counts.candidate:,}"),
        ("drops executed", f"{counts.executed:,}"),
        ("on grounded days", f"{counts.grounded:,}"),
        ("within a turnaround", f"{counts.turnaround:,}"),
        ("twice at one step", f"{counts.simultaneous:,}"),
        ("outside grid or plan", f"{counts.outside:,}"),
    ]
    hidden = len(counts.violations) - _SHOWN
    more = [f"  … and {hidden:,} more"] if hidden > 0 else []
    verdict = "No rule is broken." if counts.ok else f"{len(counts.violations):,} violations:"
    return [*table(rows), verdict, *(f"  {text}" for text in counts.violations[:_SHOWN]), *more]
