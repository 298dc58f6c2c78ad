"""``firegui evaluate``: one rollout of a schedule, beside the fire without drops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from firegui.api.rollouts import TITLE, EvaluatedSchedule, RolloutRequest, roll_out
from firegui.cli.arguments import FILE
from firegui.cli.output import chosen_units, json_option, report, table
from firegui.cli.remarks import print_message
from firegui.cli.results import metrics_table, summary_lines
from firegui.cli.rollout_options import rollout_options
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
@json_option
def evaluate(
    request: RolloutRequest, state: Path | None, without: tuple[str, ...], what_if: bool, as_json: bool
) -> None:
    """Roll a schedule out on PROJECT at expected effectiveness; without one, the fire without drops.

    The folder of a replanned run stands for its schedule and for the fire that it keeps, observed or drawn.
    """
    engine = Engine()
    request = replace(request, without_barriers=without, what_if=what_if)
    given = request.read(engine, state, TITLE)
    result = roll_out(
        given, engine, backend=request.backend, precision=request.precision, keep_states=state is not None,
        tell=print_message, what_if=what_if,
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
    return [*shown, *_barrier_lines(result), footer]


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
