"""``firegui audit``: whether a schedule keeps the rules, checked without any planner."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from firegui.api.gather import Gather
from firegui.api.inputs import check_source, gather_fire, project_schedule, schedule_of_run
from firegui.cli.arguments import project_argument
from firegui.cli.options import schedule_option
from firegui.cli.output import chosen_units, json_option, report, table
from firegui.cli.shell import DONE, FAILED
from firegui.cli.words import day_text
from firegui.domain.fleet import LIMITS, Fleet, cost_text
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.io.project.schedule_file import Claim, is_plan, read_claims
from firegui.io.project.store import load_project
from firegui.planning.audit import AuditReport, Conditions, StatedUse
from firegui.planning.audit import audit as check_rules
from firegui.runs.engine import Engine
from firegui.runs.messages import counted
from firegui.runs.run_folder import PLAN, SCHEDULE

_SHOWN = 20


@click.command()
@project_argument
@schedule_option(required=True)
@json_option
@click.pass_context
def audit(context: click.Context, project_folder: Path, schedule_file: Path, as_json: bool) -> None:
    """Check a schedule against PROJECT's turnaround times, grounded days, grid and constraints.

    Exits with 1 if a rule is broken.

    Checked are the drops that a CSV claims to be executed: those whose column `executed` is true, or every row where
    there is no such column. What its columns `flight_hours` and `cost` state must follow from the fleet. Of a
    plan.safetensors, which claims nothing, those that the rollout executes.
    """
    gather = Gather()
    project = gather.attempt(lambda: load_project(project_folder))
    if project is None:
        check_source(schedule_file, gather, "--schedule")
        gather.raise_if_any("The schedule cannot be checked")
        return
    engine = Engine()
    if project.needs_centres:
        project = engine.with_burning_centres(project)
    fleet, calendar = project.planned_fleet, project.calendar
    gather.extend(project.operations.problems(fleet, calendar, project.scenario.grid))
    fire = gather_fire(schedule_file, project, gather)
    gather.raise_if_any("The schedule cannot be checked")
    schedule_file = schedule_of_run(schedule_file, SCHEDULE, PLAN)
    if is_plan(schedule_file):
        schedule = project_schedule(schedule_file, project)
        executed, stated = engine.executed(schedule, project), []
    else:
        schedule, claims = read_claims(schedule_file, fleet, calendar.n_steps)
        executed = [claim.pair for claim in claims]
        stated = [_stated(claim, fleet) for claim in claims]

    def day_name(day: int) -> str:
        return f"day {day}" if as_json else day_text(day, calendar.date_of_day(day))

    shape = project.scenario.grid.shape
    conditions = Conditions.of(project)
    counts = check_rules(schedule, fleet, calendar.steps_per_day, shape, executed, day_name, conditions, stated=stated)
    data = {**asdict(counts), "ok": counts.ok, **({} if fire is None else {"fire": fire.note})}
    told = [] if fire is None else [f"Note: {fire.note}"]
    report(as_json, data, lambda: [*audit_lines(counts, project), *told])
    context.exit(DONE if counts.ok else FAILED)


def _stated(claim: Claim, fleet: Fleet) -> StatedUse:
    """Return what a row of a file states of its drop."""
    where = f"{fleet.tails[claim.column].name} at step {claim.step}"
    return StatedUse(where, [claim.pair], flight_hours=claim.flight_hours, cost=claim.cost)


def audit_lines(counts: AuditReport, project: Project) -> list[str]:
    """Return the report for people; of the operational constraints, those that are set."""
    operations, fleet = project.operations, project.fleet
    rows = [
        ("drops proposed", f"{counts.candidate:,}"),
        ("drops executed", f"{counts.executed:,}"),
        ("on grounded days", f"{counts.grounded:,}"),
        ("within a turnaround", f"{counts.turnaround:,}"),
        ("twice at one step", f"{counts.simultaneous:,}"),
        ("outside grid or plan", f"{counts.outside:,}"),
    ]
    # A plan of ours cannot have any.
    rows += [("not proposed", f"{counts.unproposed:,}")] if counts.unproposed else []
    rows += [(words, f"{count:,}") for words, count, is_set in _operational(counts, operations, fleet) if is_set]
    rows += [("wrong flight hours or costs", f"{counts.used:,}")] if counts.used else []
    rows.append(("volume", chosen_units().volume(counts.gallons or 0.0)))
    rows.append(("flight hours", f"{counts.flight_hours or 0.0:,.1f}"))
    if fleet.has_prices:
        rows.append(("cost", "not known" if counts.cost is None else cost_text(counts.cost, fleet.currency)))
    hidden = len(counts.violations) - _SHOWN
    more = [f"  … and {hidden:,} more"] if hidden > 0 else []
    verdict = "No rule is broken." if counts.ok else f"{counted(len(counts.violations), 'violation')}:"
    return [*table(rows), verdict, *(f"  {text}" for text in counts.violations[:_SHOWN]), *more]


def _operational(counts: AuditReport, operations: Operations, fleet: Fleet) -> list[tuple[str, int, bool]]:
    limits = {name for kind in fleet.types for name in LIMITS if getattr(kind, name) is not None}
    return [
        ("outside daylight", counts.dark, operations.daylight is not None),
        ("while grounded", counts.closed, bool(operations.groundings)),
        ("over the day's sorties", counts.sorties, bool(operations.sorties_per_day)),
        ("over the cap", counts.cap, operations.hard_cap is not None),
        ("against airspace rules", counts.airspace, bool(operations.airspace)),
        ("in a no-drop zone", counts.zones, bool(operations.no_drop_zones)),
        ("over a day's flight hours", counts.flight, "most_flight_h" in limits),
        ("over a day's duty hours", counts.duty, "most_duty_h" in limits),
        ("in too much wind", counts.wind, not limits.isdisjoint(("most_wind_ms", "most_gust_ms"))),
        ("pinned, not flown", counts.pinned, bool(operations.pinned)),
    ]
