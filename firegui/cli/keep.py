"""``firegui keep``: save a schedule that was made by hand or elsewhere as a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firegui.api.plans import PlanRequest
from firegui.cli.options import schedule_option
from firegui.cli.plan_runs import carry_out_request, design_options, plan_settings, run_options
from firegui.runs.stages import Stage


@click.command()
@run_options
@schedule_option(required=False)
@design_options
def keep(
    project_folder: Path,
    out: Path,
    resume: bool,
    schedule_file: Path | None,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Keep a schedule as it is in RUN.

    It is scored at expected and cautious effectiveness, audited, and ready to be exported. Nothing is searched and
    nothing is removed. Pinned drops are added where the schedule lacks them. This is what the window does with drops
    that were moved, added or removed by hand. The run can be pruned (prune --schedule RUN) and a search can begin with
    it (plan --warm-start RUN/plan.safetensors).
    """
    if schedule_file is None and not resume:
        raise click.UsageError("give the schedule to keep with --schedule, or go on with a run with --resume")
    request = PlanRequest((Stage.KEEP,), project_folder, out, plan_settings(given), schedule_file, resume, backend)
    click.get_current_context().exit(carry_out_request(request, progress, as_json))
