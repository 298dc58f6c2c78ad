"""``firegui gradient``: the derivatives of the objective, for checks by other programs."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from firegui.api.rollouts import DeviceListener, RolloutRequest
from firegui.cli.arguments import FILE
from firegui.cli.output import json_option, report
from firegui.cli.remarks import print_message
from firegui.cli.rollout_options import rollout_options
from firegui.io.atomic import writing
from firegui.runs.engine import Engine


@click.command()
@rollout_options(schedule_required=True)
@click.option("--out", metavar="F.npz", type=FILE, required=True, help="The file to write.")
@json_option
def gradient(request: RolloutRequest, out: Path, as_json: bool) -> None:
    """Write the gradient of a schedule's objective on PROJECT, at expected effectiveness.

    The file holds loss, logit [T, A], pose [T, A, 3] with respect to (y, x, θ) in cells and radians, and aircraft [A].
    """
    engine, listener = Engine(), DeviceListener(print_message)
    given = request.read(engine, out, "The gradient cannot be computed")
    project, schedule = given.project, given.schedule
    if project.needs_centres:
        project = engine.with_burning_centres(project, request.backend)
    assert schedule is not None
    model = engine.build(project, project.plan.nominal, request.backend, request.precision, tell=listener)
    _, result = engine.gradient(model, schedule)
    names = np.array([tail.name for tail in project.planned_fleet.tails])
    with writing(out) as file:
        np.savez(file, loss=np.float64(result.loss), logit=result.logit, pose=result.pose, aircraft=names)
    steps, aircraft = result.logit.shape
    data = {
        "gradient": str(out),
        "loss": result.loss,
        "steps": steps,
        "aircraft": aircraft,
        "backend": model.backend,
        "device": listener.device or model.device,
        "logit_norm": float(np.linalg.norm(result.logit)),
        "pose_norm": float(np.linalg.norm(result.pose)),
    }
    report(
        as_json,
        data,
        lambda: [f"Objective {result.loss:.6g}; gradient of {steps} steps × {aircraft} aircraft in {out}"],
    )
