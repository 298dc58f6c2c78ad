"""``firegui evaluate``: one rollout of a schedule, beside the fire without drops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import click

from firegui.api.rollouts import TITLE, EvaluatedSchedule, HourlyFires, RolloutRequest, roll_out
from firegui.cli.arguments import FILE
from firegui.cli.output import chosen_units, json_option, report, table
from firegui.cli.remarks import print_message
from firegui.cli.results import metrics_table, summary_lines
from firegui.cli.rollout_options import rollout_options
from firegui.domain.units import percent_text
from firegui.runs.engine import Engine
from firegui.runs.messages import counted


@click.command()
@rollout_options(schedule_required=False)
@click.option("--state", metavar="F.npz", type=FILE, help="Write p_fire [D+1, H, W] at day boundaries.")
@click.option(
    "--without-barrier", "without", metavar="NAME", multiple=True,
    help="Leave a barrier of the project out; give it once for each.",
)  # fmt: skip
@click.option("--what-if-barriers", "what_if", is_flag=True, help="Show what burns where each barrier does not hold.")
@click.option("--hourly", is_flag=True, help="Print the size of the fire at every hour.")
@click.option(
    "--detections",
    metavar="F",
    type=FILE,
    help="Active fire detections of satellites (FIRMS): print how much of them the fire covers, and its size at every "
    "hour.",
)
@json_option
def evaluate(
    request: RolloutRequest, state: Path | None, without: tuple[str, ...], detections: Path | None, *, what_if: bool,
    hourly: bool, as_json: bool,
) -> None:  # fmt: skip
    """Roll a schedule out on PROJECT at expected effectiveness; without one, the fire without drops.

    The folder of a replanned run stands for its schedule and for the fire that it keeps, observed or drawn.
    """
    engine = Engine()
    request = replace(request, without_barriers=without, what_if=what_if)
    given = request.read(engine, state, TITLE)
    result = roll_out(
        given, engine, backend=request.backend, precision=request.precision, keep_states=state is not None,
        tell=print_message, what_if=what_if, hourly=hourly, detections=detections,
    )  # fmt: skip
    if state is not None:
        result.write_states(state)
    report(as_json, result.data(), lambda: _lines(result, state))


def _lines(result: EvaluatedSchedule, state: Path | None) -> list[str]:
    """Return the report for people."""
    fire, plan = result.fire, result.metrics
    kept = None if fire is None else fire.kept
    bare = "no drops" if kept is None or kept.is_drawn else "no further drops"
    columns = {bare: result.baseline} | ({"schedule": plan} if result.schedule is not None else {})
    since = [f"from day {kept.plan.first} on, counted from 0"] if kept is not None and kept.plan.first else []
    told = [] if fire is None else [f"Note: {fire.note}"]
    idle = plan.drops_proposed - plan.drops_executed
    why = (
        [f"{counted(idle, 'proposed drop')} not flown: turnaround, grounded days or operational constraints"]
        if idle
        else []
    )
    footer = f"Computed on {result.engine}, in {result.seconds:.2f} s" + (f"; states in {state}" if state else "")
    shown = [*summary_lines(result.summary), *metrics_table(columns), *since, *told, *why]
    hours = [] if result.by_hour is None else [*_hour_lines(result, result.by_hour), *_match_lines(result.by_hour)]
    return [*shown, *_barrier_lines(result), *hours, footer]


def _barrier_lines(result: EvaluatedSchedule) -> Iterator[str]:
    """Yield a table of what burns at the end where each barrier does not hold."""
    if not result.barrier_effects:
        return
    units, has_plan = chosen_units(), result.schedule is not None
    rows = [["Barriers", "no drops", *(["schedule"] if has_plan else []), "difference"]]
    first = result.barrier_effects[0]
    for one in result.barrier_effects:
        sizes = [each.final_extent_ha for each in (one.baseline, *([one.metrics] if has_plan else []))]
        more = one.metrics.final_extent_ha - first.metrics.final_extent_ha
        name = f"{one.without} does not hold" if one.without else "all hold"
        rows.append([name, *(units.area(size, 1) for size in sizes), f"{units.area(more, 1)}" if one.without else ""])
    yield ""
    yield from table(rows)


def _hour_lines(result: EvaluatedSchedule, fires: HourlyFires) -> list[str]:
    """Return the size of the fire at every hour."""
    calendar, has_plan = result.project.calendar, result.schedule is not None
    rows = []
    for hour, bare, plan in fires.hectares(result.project):
        when = calendar.time_of_step(0) + timedelta(hours=hour)
        clock = [f"{when.astimezone(calendar.local_zone):%Y-%m-%d %H:%M}"] if calendar.is_dated else []
        rows.append([f"{hour:.0f}", *clock, f"{bare:,.0f}", *([f"{plan:,.0f}"] if has_plan else [])])
    head = ["hour", *(["local time"] if calendar.is_dated else []), "no drops, ha", *(["schedule, ha"] * has_plan)]
    return ["Size by hour:", *table([head, *rows])]


def _match_lines(fires: HourlyFires) -> list[str]:
    """Return how much of the detections the fire covers, by passes of the satellite."""
    if not fires.matches:
        return []
    rows = [
        [
            f"{one.time:%Y-%m-%d %H:%M}", f"{one.hour:.1f}", f"{one.detections:,}", f"{one.seen_ha:,.0f}",
            f"{one.fire_ha:,.0f}", f"{one.both_ha:,.0f}", percent_text(one.found, 0), percent_text(one.confirmed, 0),
        ]
        for one in fires.matches
    ]  # fmt: skip
    head = ["pass, UTC", "hour", "detections", "pixels, ha", "fire, ha", "both, ha", "of pixels", "of fire"]
    return ["Detections up to each pass, and the fire with P ≥ 0.5:", *table([head, *rows])]
