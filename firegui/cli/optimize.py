"""``firegui optimize``: stage 1, the plan by gradient descent."""

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
)
from firegui.runs.stages import Stage


@click.command()
@run_options
@first_stage_options
@margin_options
@design_options
def optimize(
    project_folder: Path,
    out: Path,
    resume: bool,
    schedule_file: Path | None,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Plan PROJECT's drops by gradient descent into RUN. Ctrl-C stops it and keeps the best plan so far.

    The epochs plan at cautious effectiveness, and the progress shows the best objective there; the plan that is kept is
    scored at expected effectiveness.

    Settings that are not given are the project's. When resuming, those of the optimizer and the cautious effectiveness
    are the run's own; everything else is the project's and must not have changed since.
    """
    request = PlanRequest((Stage.OPTIMIZE,), project_folder, out, plan_settings(given), schedule_file, resume, backend)
    click.get_current_context().exit(carry_out_request(request, progress, as_json))
