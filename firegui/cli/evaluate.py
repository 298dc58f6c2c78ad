"""``firegui evaluate``: one rollout of a schedule, beside the fire without drops."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from numpy.typing import NDArray

from firegui.cli.inputs import RolloutRequest, rollout_options
from firegui.cli.options import FILE
from firegui.cli.output import json_option, report
from firegui.cli.remarks import Remarks
from firegui.cli.results import evaluation, metrics_table
from firegui.domain.observation import FireRecord
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.io.atomic import replacing
from firegui.runs.engine import Engine
from firegui.runs.messages import counted, engine_words

if TYPE_CHECKING:
    from firegui.rollout.model import Model


@click.command()
@rollout_options(schedule_required=False)
@click.option("--state", metavar="F.npz", type=FILE, help="Write p_fire [D+1, H, W] at day boundaries.")
@json_option
def evaluate(request: RolloutRequest, state: Path | None, as_json: bool) -> None:
    """Roll a schedule out on PROJECT at nominal effectiveness; without one, the fire without drops.

    The folder of a replanned run stands for its schedule and for the fire that it keeps, observed or drawn.
    """
    engine, remarks = Engine(), Remarks()
    given = request.read(engine, state, "The evaluation cannot start")
    project, schedule, fire = given.project, given.schedule, given.fire
    began = time.monotonic()
    model = engine.build(project, project.plan.nominal, request.backend, request.precision, tell=remarks)
    kept = None if fire is None else fire.kept
    if kept is None or schedule is None:
        plan, baseline, days = _simulated(engine, model, schedule, state is not None)
    else:
        plan, baseline, days = _in_kept_fire(engine, model, schedule, kept, state is not None)
    seconds = time.monotonic() - began
    if state is not None and days is not None:
        with replacing(state) as temporary, temporary.open("wb") as file:
            np.savez(file, p_fire=np.asarray(days, np.float32))
    bare = "no drops" if kept is None or kept.is_drawn else "no further drops"
    columns = {bare: baseline} | ({"schedule": plan} if schedule is not None else {})
    device = remarks.device or model.device
    data = evaluation(plan, baseline, model.backend, device, seconds)
    if fire is not None:
        data["fire"] = {
            "kind": "simulated" if kept is None else kept.kind,
            "day": 0 if kept is None else kept.plan.first, "note": fire.note,
        }  # fmt: skip
    name = engine.device_name(device)
    words = name if remarks.device else engine_words(engine.method(model), name)
    footer = f"Computed on {words}, in {seconds:.2f} s" + (f"; states in {state}" if state else "")
    idle = plan.drops_proposed - plan.drops_executed
    why = (
        [f"{counted(idle, 'proposed drop')} not flown: turnaround, grounded days or operational constraints"]
        if idle
        else []
    )
    told = [] if fire is None else [f"Note: {fire.note}"]
    since = [f"from day {kept.plan.first} on, counted from 0"] if kept is not None and kept.plan.first else []
    report(as_json, data, lambda: [*metrics_table(columns), *since, *told, *why, footer])


def _simulated(
    engine: Engine, model: Model, schedule: Schedule | None, keep_days: bool
) -> tuple[Metrics, Metrics, NDArray[np.float32] | None]:
    """Return the metrics with the schedule and without drops, and the fire at day boundaries."""
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    plan = engine.simulate(model, schedule or nothing, keep_days=keep_days)
    baseline = plan if schedule is None else engine.simulate(model, nothing)
    return plan.metrics, baseline.metrics, plan.p_fire_days


def _in_kept_fire(
    engine: Engine, model: Model, schedule: Schedule, kept: FireRecord, keep_days: bool
) -> tuple[Metrics, Metrics, NDArray[np.float32] | None]:
    """Return the same in the fire that a run kept; before the first day known of it the fire is simulated."""
    plan = engine.run_fire(model, schedule, kept.plan, keep_days=keep_days)
    baseline = engine.fire_without_drops(model, schedule, kept)
    days = plan.p_fire_days
    if days is not None and plan.first:
        before = engine.simulate(model, schedule, keep_days=True).p_fire_days
        assert before is not None
        days = np.concatenate([before[: plan.first], days])
    return plan.metrics, baseline.metrics, days
