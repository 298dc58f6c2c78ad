"""``firegui tactical``: a plan by rule, made in about a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firegui.api.plans import PlanRequest
from firegui.cli.arguments import WHOLE
from firegui.cli.plan_runs import carry_out_request, design_options, plan_settings, run_options
from firegui.cli.setting_options import setting_options
from firegui.domain.settings import OptimizerSettings
from firegui.runs.stages import Stage


@click.command()
@run_options
@click.option(
    "--budget", type=WHOLE, metavar="N", help="Place at most so many drops; the project's own cap also holds."
)
@setting_options(OptimizerSettings(), only=("seed",), show_defaults=False)
@design_options
def tactical(
    project_folder: Path,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    budget: int | None,
    **given: Any,
) -> None:
    """Place PROJECT's drops by the tactical heuristic into RUN. Nothing is optimized.

    It is for when there is a minute. Water goes to the front, retardant ahead of where the fire will be half a day
    later, across the wind, by the first ready aircraft. Three passes, each on the fire that the one before leaves, at
    cautious effectiveness; the best is kept and scored at expected effectiveness. Fleet, grounded days and every
    constraint hold. Ctrl-C stops it and keeps the best so far; --resume goes on.

    Its plan can be pruned (prune --schedule RUN), and a search can begin with it (plan --warm-start
    RUN/plan.safetensors). A search from the fire front, the default of plan, is the better choice where there is time.
    """
    request = PlanRequest((Stage.TACTICAL,), project_folder, out, plan_settings(given), None, resume, backend, budget)
    click.get_current_context().exit(carry_out_request(request, progress, as_json))
