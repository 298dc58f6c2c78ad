"""``firegui calibrate``: fit the network fire model to the perimeters of one or several events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from firegui.analyses.calibration.checkpoint import out_problems, part_of, read_checkpoint
from firegui.analyses.calibration.run import TITLE, calibrate_problems, default_settings, mean_iou
from firegui.api.gather import Gather
from firegui.api.running import refusal
from firegui.cli.arguments import FILE
from firegui.cli.carry_out import carry_out, exit_code
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.cli.words import command_text
from firegui.domain.fit import EventProgress, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.weights import GAINS, Correction
from firegui.fire.training_coverage import training_coverage
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import read_weights
from firegui.runs.command import with_command
from firegui.runs.events import RunFinished, WeightsReady
from firegui.runs.spec import CalibrateSpec
from firegui.runs.stages import FinishReason

_STOPPING = "stopping; the best weights so far are being saved"
_ACROSS = 10
"""Number of days in a line."""


@click.command()
@click.argument("project_folders", metavar="PROJECT...", type=FILE, nargs=-1, required=True)
@click.option("--out", metavar="WEIGHTS.safetensors", type=FILE, required=True, help="The weights file to write.")
@setting_options(NetworkFitSettings())
@click.option("--start", "start_file", metavar="F.safetensors", type=FILE, help="Weights to begin with (fine tuning).")
@click.option("--resume", is_flag=True, help="Go on with the interrupted calibration into --out.")
@plain_progress_option
@json_option
def calibrate(
    project_folders: tuple[Path, ...],
    out: Path,
    start_file: Path | None,
    resume: bool,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit the network fire model to the first days of every PROJECT, jointly.

    Ctrl-C stops it and keeps the best. No perimeter after day --fit-days is read. While it works its state is kept
    in WEIGHTS.safetensors.part, from which --resume goes on and ends with the same weights; it then uses the settings
    that the calibration was begun with.
    """
    gather = Gather()
    projects = [gather.attempt(partial(load_project, folder)) for folder in project_folders]
    start = None if start_file is None else gather.attempt(lambda: read_weights(start_file))
    earlier = gather.attempt(lambda: read_checkpoint(part_of(out))) if resume and part_of(out).exists() else None
    loaded = tuple(project for project in projects if project is not None)
    settings = given_settings(default_settings(*loaded) if earlier is None else earlier.settings, given, gather)
    spec = CalibrateSpec(loaded, settings, out, "", start, resume, project_folders=project_folders)
    spec = with_command(spec, start_file)
    # Of projects that could not be read there is nothing more to say, but much of the rest.
    gather.extend(calibrate_problems(spec) if loaded else settings.problems() + out_problems(out, resume=resume))
    gather.raise_if_any(TITLE)
    ready, finished = carry_out(spec, emitter(progress), WeightsReady, _STOPPING, _STOPPING)
    click.get_current_context().exit(_conclude(spec, ready, finished, as_json))


def calibration_summary(spec: CalibrateSpec, ready: WeightsReady, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``calibrate --json`` prints."""
    training, best = ready.weights.training, ready.best
    return {
        "weights": str(spec.out),
        "reason": finished.reason.value,
        "message": finished.message,
        "epochs": ready.epochs_done,
        "best_epoch": best.epoch,
        "misfit": best.loss,
        "terms": dict(best.terms),
        "mean_iou": mean_iou(best),
        "seconds": best.seconds,
        "settings": asdict(spec.settings),
        "events": [_event(project, event) for project, event in zip(spec.projects, best.events, strict=True)],
        "training": asdict(training),
        "from_prior": [name for name in GAINS if name not in training.learned],
        "corrections": [_correction(found) for found in ready.weights.corrections],
        "notes": list(training_coverage(ready.weights)),
        "resume": _resume_command(spec) if finished.reason is FinishReason.STOPPED else None,
    }


def calibration_lines(spec: CalibrateSpec, ready: WeightsReady, finished: RunFinished) -> Iterator[str]:
    """Yield the report for people."""
    yield finished.message[:1].upper() + finished.message[1:]
    yield f"IoU of the best epoch, {ready.best.epoch + 1:,} of {ready.epochs_done:,}, at the end of each fitted day:"
    for project, event in zip(spec.projects, ready.best.events, strict=True):
        start = project.scenario.date_of_day(0)
        yield f"{event.name} (day 0 is {start:%d %b %Y}): mean {fmean(event.iou):.2f}, lowest {min(event.iou):.2f}"
        yield from _days(event)
    yield from training_coverage(ready.weights)
    yield f"Wrote {spec.out}"
    if finished.reason is FinishReason.STOPPED:
        yield f"To go on: {_resume_command(spec)}"
    else:
        first = spec.project_folders[0]
        yield f"Next: {command_text('skill', first, '--weights', spec.out)}"
        yield f"      {command_text('configure', first, '--fire-weights', spec.out)}"


def _days(event: EventProgress) -> Iterator[str]:
    for first in range(0, len(event.days), _ACROSS):
        part = slice(first, first + _ACROSS)
        rows = [("day", *map(str, event.days[part])), ("IoU", *(f"{value:.2f}" for value in event.iou[part]))]
        yield from table(rows)


def _event(project: Project, event: EventProgress) -> dict[str, Any]:
    lowest = min(event.iou)
    return {
        "name": event.name,
        "start": project.scenario.date_of_day(0),
        "days": list(event.days),
        "iou": list(event.iou),
        "mean_iou": fmean(event.iou),
        "lowest_iou": lowest,
        "lowest_day": event.days[event.iou.index(lowest)],
    }


def _correction(found: Correction) -> dict[str, Any]:
    return {"event": found.event, "nodes": list(found.log_rate.shape), "trend": found.trend}


def _resume_command(spec: CalibrateSpec) -> str:
    return command_text("calibrate", *spec.project_folders, "--out", spec.out, "--resume")


def _conclude(spec: CalibrateSpec, ready: WeightsReady | None, finished: RunFinished, as_json: bool) -> int:
    if ready is None:
        raise refusal(finished, TITLE)
    data = calibration_summary(spec, ready, finished)
    report(as_json, data, lambda: calibration_lines(spec, ready, finished))
    return exit_code(finished)
