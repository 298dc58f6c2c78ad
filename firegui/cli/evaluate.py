"""``firegui evaluate``: one rollout of a schedule, beside the fire without drops."""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np

from firegui.cli.options import (
    FILE,
    backend_option,
    check_project,
    effectiveness_options,
    project_argument,
    project_schedule,
    schedule_option,
    with_nominal,
)
from firegui.cli.output import json_option, report
from firegui.cli.results import evaluation, metrics_table
from firegui.domain.schedule import Schedule
from firegui.io.atomic import replacing
from firegui.io.project_store import load_project
from firegui.runs.engine import load_engine


@click.command()
@project_argument
@schedule_option(required=False)
@effectiveness_options
@backend_option
@click.option("--state", metavar="F.npz", type=FILE, help="Write p_fire [D+1, H, W] at day boundaries.")
@json_option
def evaluate(
    project_folder: Path,
    schedule_file: Path | None,
    eta_retardant: float | None,
    eta_water: float | None,
    backend: str,
    state: Path | None,
    as_json: bool,
) -> None:
    """Roll a schedule out on PROJECT at nominal effectiveness; without one, the fire without drops."""
    project = with_nominal(load_project(project_folder), eta_retardant, eta_water)
    check_project(project, "The evaluation cannot start")
    schedule = None if schedule_file is None else project_schedule(schedule_file, project)
    engine = load_engine()
    began = time.monotonic()
    model = engine.build(project, project.plan.nominal, backend)
    nothing = Schedule.empty(project.calendar.n_steps, model.fleet.n_aircraft)
    keep_days = state is not None
    plan = engine.simulate(model, schedule or nothing, keep_days=keep_days)
    baseline = plan if schedule is None else engine.simulate(model, nothing)
    seconds = time.monotonic() - began
    if state is not None and plan.p_fire_days is not None:
        with replacing(state) as temporary, temporary.open("wb") as file:
            np.savez(file, p_fire=np.asarray(plan.p_fire_days, np.float32))
    columns = {"no drops": baseline.metrics} | ({"schedule": plan.metrics} if schedule is not None else {})
    data = evaluation(plan.metrics, baseline.metrics, model.backend, model.device, seconds)
    footer = f"{model.backend} on {model.device}, {seconds:.2f} s" + (f"; states in {state}" if state else "")
    report(as_json, data, lambda: [*metrics_table(columns), footer])
