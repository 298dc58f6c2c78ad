"""``firegui evaluate``: one rollout of a schedule, beside the fire without drops."""

from __future__ import annotations

import time
from pathlib import Path

import click
import numpy as np

from firegui.cli.inputs import RolloutRequest, rollout_options
from firegui.cli.options import FILE
from firegui.cli.output import json_option, report
from firegui.cli.remarks import Remarks
from firegui.cli.results import evaluation, metrics_table
from firegui.domain.schedule import Schedule
from firegui.io.atomic import replacing
from firegui.runs.engine import Engine
from firegui.runs.messages import counted, engine_words


@click.command()
@rollout_options(schedule_required=False)
@click.option("--state", metavar="F.npz", type=FILE, help="Write p_fire [D+1, H, W] at day boundaries.")
@json_option
def evaluate(request: RolloutRequest, state: Path | None, as_json: bool) -> None:
    """Roll a schedule out on PROJECT at nominal effectiveness; without one, the fire without drops."""
    engine, remarks = Engine(), Remarks()
    project, schedule = request.read(engine, state, "The evaluation cannot start")
    began = time.monotonic()
    model = engine.build(project, project.plan.nominal, request.backend, request.precision, tell=remarks)
    nothing = Schedule.empty(project.calendar.n_steps, model.fleet.n_aircraft)
    keep_days = state is not None
    plan = engine.simulate(model, schedule or nothing, keep_days=keep_days)
    baseline = plan if schedule is None else engine.simulate(model, nothing)
    seconds = time.monotonic() - began
    if state is not None and plan.p_fire_days is not None:
        with replacing(state) as temporary, temporary.open("wb") as file:
            np.savez(file, p_fire=np.asarray(plan.p_fire_days, np.float32))
    columns = {"no drops": baseline.metrics} | ({"schedule": plan.metrics} if schedule is not None else {})
    device = remarks.device or model.device
    data = evaluation(plan.metrics, baseline.metrics, model.backend, device, seconds)
    name = engine.device_name(device)
    words = name if remarks.device else engine_words(engine.method(model), name)
    footer = f"Computed on {words}, in {seconds:.2f} s" + (f"; states in {state}" if state else "")
    idle = plan.metrics.drops_proposed - plan.metrics.drops_executed
    why = (
        [f"{counted(idle, 'proposed drop')} not flown: turnaround, grounded days or operational constraints"]
        if idle
        else []
    )
    report(as_json, data, lambda: [*metrics_table(columns), *why, footer])
