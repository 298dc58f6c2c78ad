"""``firegui calibrate``: fit a network, or the physical model, to perimeters of events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from firegui.analyses.calibration.checkpoint import out_problems, part_of, read_checkpoint
from firegui.analyses.calibration.factors_run import default_factor_settings
from firegui.analyses.calibration.factors_table import (
    comparison_rows,
    conclusion_text,
    factors_text,
    is_worse,
    others_text,
)
from firegui.analyses.calibration.run import TITLE, calibrate_problems, default_settings, mean_iou
from firegui.api.gather import Gather
from firegui.api.running import refusal
from firegui.calibration.fittable import factor_fit_problems
from firegui.cli.arguments import FILE
from firegui.cli.carry_out import carry_out, exit_code
from firegui.cli.configure import save_edited
from firegui.cli.output import error_data, json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.cli.shell import BAD_INPUT
from firegui.cli.words import command_text
from firegui.domain.fit import EventProgress, FactorFitSettings, NetworkFitSettings
from firegui.domain.options import setting_fields
from firegui.domain.project import Project
from firegui.domain.weights import GAINS, Correction
from firegui.errors import InputError
from firegui.fire.physical import with_factors
from firegui.fire.skill import ForecastSkill
from firegui.fire.training_coverage import training_coverage
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import read_weights
from firegui.runs.command import setting_words, with_command
from firegui.runs.events import FactorsReady, FireComparison, RunFinished, WeightsReady
from firegui.runs.spec import CalibrateFactorsSpec, CalibrateSpec
from firegui.runs.stages import FinishReason

_STOPPING = "stopping; the best weights so far are being saved"
_FACTORS_STOPPING = "stopping; the best factors so far are kept"
_FACTORS_ONLY = ("leave_one_out", "rollouts")
"""Settings that a network does not have."""
_ACROSS = 10
"""Number of days in a line."""


@click.command()
@click.argument("project_folders", metavar="PROJECT...", type=FILE, nargs=-1, required=True)
@click.option(
    "--out", metavar="WEIGHTS.safetensors", type=FILE,
    help="The weights file to write; without it the physical model's factors are fitted.",
)  # fmt: skip
@click.option(
    "--apply",
    "accept",
    is_flag=True,
    help="Save the factors in every PROJECT; physical model.",
)
@setting_options(NetworkFitSettings())
@setting_options(FactorFitSettings(), only=_FACTORS_ONLY, suffix="; physical model")
@click.option("--start", "start_file", metavar="F.safetensors", type=FILE, help="Weights to begin with (fine tuning).")
@click.option("--resume", is_flag=True, help="Go on with the interrupted calibration into --out.")
@plain_progress_option
@json_option
def calibrate(
    project_folders: tuple[Path, ...],
    out: Path | None,
    accept: bool,
    start_file: Path | None,
    resume: bool,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit the fire model to the first days of every PROJECT, jointly.

    With --out a network is trained, and its weights are written. Without it one set of factors of the physical model is
    fitted to every PROJECT, each counting the same, and scored on the days after. --leave-one-out also scores each fire
    with factors of the others alone, which shows whether factors serve a fire they have not seen. --apply saves the
    factors in all projects, or in none where they do worse on the average of the fires. Ctrl-C stops it and keeps the
    best. No perimeter after day --fit-days is read to fit. While a network is trained its state is kept in
    WEIGHTS.safetensors.part, from which --resume goes on and ends with the same weights; it then uses the settings that
    the calibration was begun with.
    """
    if out is None:
        if start_file is not None or resume:
            raise click.UsageError("--start and --resume are of a network: give --out, too")
        _calibrate_factors(project_folders, accept, progress, as_json, given)
        return
    if accept or any(given[name] is not None for name in _FACTORS_ONLY):
        raise click.UsageError("--apply, --rollouts and --leave-one-out are of the physical model: leave --out out")
    gather = Gather()
    loaded = _loaded(project_folders, gather)
    start = None if start_file is None else gather.attempt(lambda: read_weights(start_file))
    earlier = gather.attempt(lambda: read_checkpoint(part_of(out))) if resume and part_of(out).exists() else None
    settings = given_settings(default_settings(*loaded) if earlier is None else earlier.settings, given, gather)
    spec = CalibrateSpec(loaded, settings, out, "", start, resume, project_folders=project_folders)
    spec = with_command(spec, start_file)
    # Of projects that could not be read there is nothing more to say, but much of the rest.
    gather.extend(calibrate_problems(spec) if loaded else settings.problems() + out_problems(out, resume=resume))
    gather.raise_if_any(TITLE)
    ready, finished = carry_out(spec, emitter(progress), WeightsReady, _STOPPING, _STOPPING)
    click.get_current_context().exit(_conclude(spec, ready, finished, as_json))


def _loaded(folders: tuple[Path, ...], gather: Gather) -> tuple[Project, ...]:
    """Return the projects that can be read; note the problems of the others."""
    projects = [gather.attempt(partial(load_project, folder)) for folder in folders]
    return tuple(project for project in projects if project is not None)


def _calibrate_factors(
    folders: tuple[Path, ...], accept: bool, progress: str, as_json: bool, given: dict[str, Any]
) -> None:
    """Fit the factors of the projects, report them and save them where ``accept`` says so."""
    own = {item.name for item in setting_fields(FactorFitSettings())}
    others = [
        item.flag()
        for item in setting_fields(NetworkFitSettings())
        if item.name not in own and given[item.name] is not None
    ]
    if others:
        raise click.UsageError(f"{', '.join(others)}: of a network, which needs --out")
    gather = Gather()
    loaded = _loaded(folders, gather)
    settings = given_settings(default_factor_settings(*loaded), given, gather)
    # Of projects that could not be read there is nothing more to say, but much of the rest.
    gather.extend(factor_fit_problems(loaded, settings) if loaded else settings.problems())
    gather.raise_if_any(TITLE)
    spec = CalibrateFactorsSpec(loaded, settings)
    ready, finished = carry_out(spec, emitter(progress), FactorsReady, _FACTORS_STOPPING, _FACTORS_STOPPING)
    if ready is None:
        raise refusal(finished, TITLE)
    # What was stopped was compared with nothing, and what is worse replaces nothing.
    accept = accept and finished.reason is FinishReason.COMPLETED and not is_worse(ready)
    refused: InputError | None = None
    if accept:
        try:
            save_edited(lambda folder: with_factors(load_project(folder), ready.factors), *folders)
        except InputError as error:
            # What was found is reported all the same: it took long.
            accept, refused = False, error
    data = factors_summary(spec, folders, ready, finished, is_applied=accept)
    if refused is not None:
        data |= error_data(refused.title, refused.problems)
    report(as_json, data, lambda: factors_lines(folders, ready, finished, is_applied=accept))
    if refused is not None and not as_json:
        raise refused
    click.get_current_context().exit(exit_code(finished) if refused is None else BAD_INPUT)


def factors_summary(
    spec: CalibrateFactorsSpec, folders: Sequence[Path], ready: FactorsReady, finished: RunFinished, *,
    is_applied: bool,
) -> dict[str, Any]:  # fmt: skip
    """Return the object that ``calibrate --json`` prints for the physical model."""
    compared = ready.fires or [None] * len(folders)
    return {
        "factors": asdict(ready.factors),
        "applied": is_applied,
        "reason": finished.reason.value,
        "message": finished.message,
        "rollouts": ready.rollouts_done,
        "best_rollout": ready.best.epoch,
        "misfit": ready.best.loss,
        "settings": asdict(spec.settings),
        "fires": list(map(_fire, folders, spec.projects, compared)),
    }


def _fire(folder: Path, project: Project, found: FireComparison | None) -> dict[str, Any]:
    others = None if found is None else found.others
    return {
        "project": str(folder),
        "name": project.scenario.name,
        "before": asdict(project.physical.factors),
        "factors_of_others": None if others is None else asdict(others),
        "forecasts": [] if found is None else [_forecast(each, found) for each in found.forecasts],
    }


def _forecast(found: ForecastSkill, fire: FireComparison) -> dict[str, Any]:
    fit_days, days = fire.fit_days, fire.last_day
    later = found.pooled(fit_days + 1, days)
    return {
        "key": found.key,
        "label": found.label,
        "iou": found.mean_iou(1, days),
        "fitted_iou": found.mean_iou(1, fit_days),
        "held_out_iou": found.mean_iou(fit_days + 1, days),
        "new_growth_iou": None if later is None else later.new_iou,
        "days": [{"day": day, **skill.scores()} for day, skill in found.days.items()],
    }


def factors_lines(
    folders: Sequence[Path], ready: FactorsReady, finished: RunFinished, *, is_applied: bool
) -> Iterator[str]:
    """Yield the report for people."""
    yield finished.message[:1].upper() + finished.message[1:]
    yield f"Factors: {factors_text(ready)}"
    for fire in ready.fires:
        if len(folders) > 1:
            yield fire.fire
        yield from table(comparison_rows(fire))
        if others := others_text(fire):
            yield f"  {others}"
    yield conclusion_text(ready)
    for folder in folders:
        if is_applied:
            yield f"Saved {folder}"
        else:
            # Every factor is named: those at the published value replace what the project may have.
            yield f"To use it: {command_text('configure', folder, *setting_words(ready.factors))}"


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
