"""``firegui prune``: stage 2 alone, on any schedule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firegui.api.plans import PlanRequest
from firegui.cli.options import schedule_option
from firegui.cli.plan_runs import (
    carry_out_request,
    design_options,
    margin_options,
    plan_settings,
    run_options,
    search_option,
    second_stage_options,
)
from firegui.runs.stages import Stage


@click.command()
@run_options
@schedule_option(required=False)
@search_option
@second_stage_options
@margin_options
@design_options
def prune(
    project_folder: Path,
    out: Path,
    resume: bool,
    schedule_file: Path | None,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Remove from a schedule every drop that PROJECT's constraints do not need, into RUN.

    What remains holds in every stress scenario, or as --margin says. With --margin none, the paper's method, held are,
    within the slack, burn and final extent in setting A, protected exposure in setting B, and with weights of your own
    every fire term that has one, all at cautious effectiveness. No single drop of what remains can then be removed.
    Ctrl-C stops it and keeps what is left so far; --resume goes on.
    """
    if schedule_file is None and not resume:
        raise click.UsageError("give the schedule to prune with --schedule, or go on with a run with --resume")
    request = PlanRequest((Stage.PRUNE,), project_folder, out, plan_settings(given), schedule_file, resume, backend)
    click.get_current_context().exit(carry_out_request(request, progress, as_json))
