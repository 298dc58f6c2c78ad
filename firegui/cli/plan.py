"""``firegui plan``: both stages, evaluation at expected effectiveness, audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firegui.api.plans import PlanRequest
from firegui.cli.plan_runs import (
    carry_out_request,
    design_options,
    first_stage_options,
    margin_options,
    plan_settings,
    run_options,
    second_stage_options,
)
from firegui.runs.stages import Stage


@click.command()
@run_options
@first_stage_options
@second_stage_options
@margin_options
@design_options
def plan(
    project_folder: Path,
    out: Path,
    resume: bool,
    schedule_file: Path | None,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Plan PROJECT's drops into RUN: gradient descent, then elimination of the drops that are not needed.

    The plan is made to hold in every stress scenario, or as --margin says; none is the paper's method. Both stages work
    at cautious effectiveness; the plan is scored at expected effectiveness, audited and stress-tested. Setting B begins
    with setting A's first stage; by the paper's method it needs none of its own when that protects the regions already.
    Ctrl-C stops it and keeps the best so far; --resume goes on.

    Settings that are not given are the project's. When resuming, those of both stages and the cautious effectiveness
    are the run's own; everything else is the project's and must not have changed since.
    """
    stages = (Stage.OPTIMIZE, Stage.PRUNE)
    request = PlanRequest(stages, project_folder, out, plan_settings(given), schedule_file, resume, backend)
    click.get_current_context().exit(carry_out_request(request, progress, as_json))
