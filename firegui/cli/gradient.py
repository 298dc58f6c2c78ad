"""``firegui gradient``: the derivatives of the objective, for checks by other programs."""

from __future__ import annotations

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
from firegui.io.atomic import replacing
from firegui.io.project_store import load_project
from firegui.runs.engine import load_engine


@click.command()
@project_argument
@schedule_option(required=True)
@click.option("--out", metavar="F.npz", type=FILE, required=True, help="The file to write.")
@effectiveness_options
@backend_option
@json_option
def gradient(
    project_folder: Path,
    schedule_file: Path,
    out: Path,
    eta_retardant: float | None,
    eta_water: float | None,
    backend: str,
    as_json: bool,
) -> None:
    """Write the gradient of a schedule's objective on PROJECT, at nominal effectiveness.

    The file holds loss, logit [T, A], pose [T, A, 3] with respect to (y, x, θ) in cells and radians, and aircraft [A].
    """
    project = with_nominal(load_project(project_folder), eta_retardant, eta_water)
    check_project(project, "The gradient cannot be computed")
    schedule = project_schedule(schedule_file, project)
    engine = load_engine()
    model = engine.build(project, project.plan.nominal, backend)
    _, result = engine.gradient(model, schedule)
    names = np.array([tail.name for tail in project.planned_fleet.tails])
    with replacing(out) as temporary, temporary.open("wb") as file:
        np.savez(file, loss=np.float64(result.loss), logit=result.logit, pose=result.pose, aircraft=names)
    steps, aircraft = result.logit.shape
    data = {
        "gradient": str(out),
        "loss": result.loss,
        "steps": steps,
        "aircraft": aircraft,
        "backend": model.backend,
        "device": model.device,
        "logit_norm": float(np.linalg.norm(result.logit)),
        "pose_norm": float(np.linalg.norm(result.pose)),
    }
    report(
        as_json,
        data,
        lambda: [f"Objective {result.loss:.6g}; gradient of {steps} steps × {aircraft} aircraft in {out}"],
    )
