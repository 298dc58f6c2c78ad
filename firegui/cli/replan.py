"""``firegui replan``: plan the remaining days anew from an observed fire, or day by day."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from firegui.api.replans import ReplanRequest, carry_out_replan
from firegui.cli.arguments import FILE, NUMBER, WHOLE, option_group
from firegui.cli.carry_out import exit_code, interruptible
from firegui.cli.options import schedule_option
from firegui.cli.output import report, table
from firegui.cli.plan_runs import design_options, plan_settings, run_options, second_stage_options
from firegui.cli.progress import emitter
from firegui.cli.results import metrics_table
from firegui.cli.setting_options import setting_options
from firegui.cli.words import command_text
from firegui.domain.exercise import LoopDay
from firegui.domain.settings import OptimizerSettings
from firegui.runs.events import RunFinished
from firegui.runs.messages import counted
from firegui.runs.replan_base import ReplanScores
from firegui.runs.run_folder import RunRecord

_options = option_group(
    click.option("--day", type=WHOLE, help="Day of the plan to plan from, counted from 0.  [closed loop: 1]"),
    click.option(
        "--observed", "observed_file", metavar="F", type=FILE,
        help="The fire at the start of that day: GeoTIFF, GeoJSON, GeoPackage, shapefile, KML, or npz mask.  "
        "[default: the project's own perimeter]",
    ),
    click.option("--closed-loop", is_flag=True, help="Draw a fire; observe, replan and fly it day by day."),
    click.option(
        "--scenario", metavar="NAME",
        help="Closed loop: the true world, a stress scenario of the project that the planner does not know."
        "  [default: nominal]",
    ),
    click.option(
        "--every", type=NUMBER, metavar="H",
        help="Closed loop: hours between two observations.  [default: those of the scenario, or 24]",
    ),
    click.option("--draw", type=WHOLE, metavar="N", help="Closed loop: draw of the scenario.  [default: 0]"),
    click.option(
        "--stop-at", type=NUMBER, metavar="D",
        help="Closed loop: stop at the first observation D days or more after the start; --resume goes on.",
    ),
    click.option(
        "--after", metavar="RUN", type=FILE,
        help="Closed loop: go on where the one in RUN stopped, with FILE in place of what was left of its plan.",
    ),
    setting_options(OptimizerSettings(), skip=("start",), show_defaults=False),
    second_stage_options,
)  # fmt: skip


@click.command()
@run_options
@schedule_option(required=True)
@_options
@design_options
def replan(
    project_folder: Path,
    out: Path,
    schedule_file: Path,
    observed_file: Path | None,
    day: int | None,
    closed_loop: bool,
    scenario: str | None,
    every: float | None,
    draw: int | None,
    stop_at: float | None,
    after: Path | None,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Keep what FILE flies before --day, take the observed fire in, and plan the other days anew into RUN.

    What is new since the day before burns; the rest has burned out. Both stages run at cautious effectiveness from the
    rest of the old schedule; the numbers are of the days from --day on, at expected effectiveness, beside the old
    schedule continued and no further drops. RUN holds the whole plan, flown drops included. With --closed-loop the fire
    is drawn from the model and the plan is observed, replanned and flown day by day, beside the fixed schedule. Both
    stages are the paper's, whatever the project's margin is. With --scenario or --every it is an exercise: the world
    differs from the model, and the plan is repaired in seconds.
    """
    request = ReplanRequest(
        project_folder, out, schedule_file, plan_settings(given), observed_file, day, closed_loop, scenario, every,
        draw, stop_at, after, resume, backend,
    )  # fmt: skip
    ready = request.read()
    with interruptible() as control:
        ended = carry_out_replan(ready, emitter(progress), control)
    record, scores, finished = ended.record, ended.scores, ended.finished
    report(as_json, _result(record, scores, finished), lambda: _lines(record, scores, finished))
    click.get_current_context().exit(exit_code(finished))


def _result(record: RunRecord, scores: ReplanScores, finished: RunFinished) -> dict[str, Any]:
    note = record.header.replan
    return {
        "run": str(record.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "seconds": record.header.seconds,
        "backend": record.header.backend,
        "device": record.header.device,
        "replan": None if note is None else asdict(note),
        "day": scores.day,
        "drops_flown": scores.drops_flown,
        "baseline": asdict(scores.baseline) if scores.baseline else None,
        "continued": asdict(scores.continued) if scores.continued else None,
        "nominal": asdict(scores.nominal) if scores.nominal else None,
        "design": asdict(scores.design) if scores.design else None,
        "audit": asdict(scores.audit) if scores.audit else None,
        "pruned": asdict(scores.pruned) if scores.pruned else None,
        "loop": [asdict(row) for row in scores.loop],
    }


def _lines(record: RunRecord, scores: ReplanScores, finished: RunFinished) -> list[str]:
    lines = [finished.message]
    if scores.loop:
        lines += table(_loop_rows(scores.loop))
    elif scores.nominal is not None and scores.baseline is not None and scores.continued is not None:
        columns = {"no more drops": scores.baseline, "old plan": scores.continued, "new plan": scores.nominal}
        flown = counted(scores.drops_flown, "drop")
        lines += [*metrics_table(columns), f"from day {scores.day + 1} on; {flown} had been flown before"]
    if scores.audit is not None:
        found = counted(len(scores.audit.violations), "violation")
        lines.append(f"audit of the whole plan: {found} in {counted(scores.audit.executed, 'executed drop')}")
    hint = command_text("export", record.folder, "--format", "csv,geojson", "--out", "FOLDER")
    return [*lines, f"run folder: {record.folder}", f"Next: {hint}"]


def _loop_rows(rows: tuple[LoopDay, ...]) -> list[tuple[str, ...]]:
    head: tuple[str, ...] = ("after day", "replanned", "fixed", "no drops", "drops replanned", "drops fixed")
    return [head] + [
        (
            f"{row.end:g}" if row.until else str(row.day),
            f"{row.loop_cells:,}",
            f"{row.open_cells:,}",
            f"{row.none_cells:,}",
            str(row.loop_drops),
            str(row.open_drops),
        )
        for row in rows
    ]
