"""``firegui uq``: how sure a plan is, over an ensemble of fires."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.inputs import gather_schedule
from firegui.cli.options import FILE, backend_option, project_argument, schedule_option
from firegui.cli.output import json_option, report
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.uq_report import lines, result
from firegui.domain.ensemble import Ensemble
from firegui.domain.project import Project
from firegui.domain.uncertainty import ErrorSource, ResidualMode, UncertaintyKind, UncertaintySettings
from firegui.errors import InputError, Problem
from firegui.io.project_store import load_project
from firegui.runs.engine import Engine
from firegui.runs.events import EnsembleReady, FinishReason, RunFinished
from firegui.runs.sensitivity_text import PRESET
from firegui.runs.spec import UncertaintySpec
from firegui.runs.uq import uq_problems
from firegui.runs.uq_folder import PLACE, TITLE, EnsembleHeader, read_header
from firegui.runs.uq_text import uq_command

_KINDS: Mapping[str, UncertaintyKind] = {
    "keep_members": UncertaintyKind.ALEATORIC,
    "fit": UncertaintyKind.EPISTEMIC,
    "preset": UncertaintyKind.EPISTEMIC,
    "softening": UncertaintyKind.EPISTEMIC,
    "mode": UncertaintyKind.EPISTEMIC,
    "threshold": UncertaintyKind.EPISTEMIC,
    "speed_sd": UncertaintyKind.WEATHER,
    "direction_sd": UncertaintyKind.WEATHER,
    "timing_sd": UncertaintyKind.WEATHER,
}
"""The kind that an option belongs to."""
_STOPPING, _AGAIN = "stopping; the members that are done are being saved", "already stopping"


def _options(command: Callable[..., None]) -> Callable[..., None]:
    given = (
        click.option("--kind", "kind_name", metavar="|".join(UncertaintyKind), required=True, help="What is drawn."),
        click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the ensemble; new or empty."),
        click.option("--members", type=int, help="Pairs of fires, without and with the plan.  [default: 300]"),
        click.option("--seed", type=int, help="Seed of every random number.  [default: 0]"),
        click.option("--keep-members", is_flag=True, default=None, help="aleatoric: keep every member's drawn states."),
        click.option(
            "--fit", is_flag=True, default=None,
            help="epistemic: fit the model error to the project's own perimeters.  [default]",
        ),
        click.option("--preset", metavar=PRESET, help="epistemic: the paper's model error of Bear 2020; approximate."),
        click.option("--softening", type=float, help="epistemic, fitted: ε of an observed state.  [default: 0.01]"),
        click.option("--mode", metavar="|".join(ResidualMode), help="epistemic: residuals.  [default: cumulative]"),
        click.option("--threshold", type=float, help="epistemic: P above which a cell is touched.  [default: 0.1]"),
        click.option("--speed-sd", type=float, help="weather: sd of the log of the speed factor.  [default: 0.2]"),
        click.option("--direction-sd", type=float, help="weather: sd of the direction, degrees.  [default: 15]"),
        click.option("--timing-sd", type=float, help="weather: sd of the timing, hours.  [default: 3]"),
        click.option("--resume", is_flag=True, help="Go on with the ensemble in RUN; --members may be raised."),
    )  # fmt: skip
    for option in reversed(given):
        command = option(command)
    return command


@click.command()
@project_argument
@schedule_option(required=False)
@_options
@backend_option
@plain_progress_option
@json_option
def uq(
    project_folder: Path,
    schedule_file: Path | None,
    kind_name: str,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Draw an ensemble of fires of PROJECT, without drops and with the schedule, and write its tables into RUN.

    aleatoric draws every cell's state at the ends of days, epistemic disturbs the fire by a correlated error of the
    fire model there, weather perturbs the wind of whole members. Both fires of a member meet the same random numbers,
    at nominal effectiveness; the schedule stays as it is. Without a schedule there are only the fires without drops.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: PLACE.check(out, resume))
    settings = _settings(kind_name, given, earlier, gather)
    schedule = gather_schedule(schedule_file, project, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if settings is not None and project is None:
        gather.extend(settings.problems())
    elif settings is not None and project is not None:
        paths = _Paths(project_folder, out, schedule_file)
        spec = replace(_spec(project, settings, paths, backend), schedule=schedule, resume=resume)
        # A schedule that cannot be read was told of already.
        unread = schedule_file is not None and schedule is None
        gather.extend(item for item in uq_problems(spec) if not (unread and item.where == "schedule"))
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), EnsembleReady, _STOPPING, _AGAIN)
    ensemble = None if ready is None else ready.ensemble
    click.get_current_context().exit(_conclude(ensemble, finished, spec, as_json))


@dataclass(frozen=True, slots=True)
class _Paths:
    project: Path
    out: Path
    schedule: Path | None


def _spec(project: Project, settings: UncertaintySettings, paths: _Paths, backend: str) -> UncertaintySpec:
    command = uq_command(paths.project, paths.out, settings, schedule=paths.schedule, backend=backend)
    return UncertaintySpec(
        project, paths.out, command, settings, backend=backend, snapshot_seconds=math.inf,
        project_folder=paths.project, schedule_file=paths.schedule,
    )  # fmt: skip


def _settings(
    name: str, given: Mapping[str, Any], earlier: EnsembleHeader | None, gather: Gather
) -> UncertaintySettings | None:
    """What is asked for, what is not given as it was ``earlier``; every problem is noted."""
    kind = gather.attempt(lambda: _one_of(UncertaintyKind, "--kind", name))
    mode = None if given["mode"] is None else gather.attempt(lambda: _one_of(ResidualMode, "--mode", given["mode"]))
    source = _source(given, gather)
    if kind is None:
        return None
    for option, owner in _KINDS.items():
        if given[option] is not None and owner is not kind:
            words = f"--{option.replace('_', '-')}"
            gather.add(
                words, f"does not belong to the kind {kind.value}", f"leave it out, or give --kind {owner.value}"
            )
    base = UncertaintySettings(kind=kind) if earlier is None else replace(earlier.settings, kind=kind)
    plain = ("members", "seed", "keep_members", "softening", "threshold")
    changes: dict[str, Any] = {key: given[key] for key in plain if given[key] is not None}
    changes |= {key: value for key, value in (("mode", mode), ("error", source)) if value is not None}
    wind: dict[str, float] = {key: given[key] for key in ("speed_sd", "timing_sd") if given[key] is not None}
    if given["direction_sd"] is not None:
        wind["direction_sd"] = math.radians(given["direction_sd"])
    settings = replace(base, weather=replace(base.weather, **wind), **changes)
    if settings.error is ErrorSource.PAPER and given["softening"] is not None and kind is UncertaintyKind.EPISTEMIC:
        gather.add("--softening", "is part of a fit, and the preset is fitted already", "leave it out, or give --fit")
    return settings


def _source(given: Mapping[str, Any], gather: Gather) -> ErrorSource | None:
    """Where the error model is from, ``None`` where nothing was said."""
    preset = given["preset"]
    if preset is not None and preset != PRESET:
        gather.add("--preset", f"{preset!r} is not known", f"give {PRESET}")
    if preset is not None and given["fit"]:
        gather.add("--fit", "and --preset are two error models", "leave one of them out")
    return ErrorSource.PAPER if preset is not None else ErrorSource.FITTED if given["fit"] else None


def _one_of(values: Any, option: str, text: str) -> Any:
    try:
        return values(text)
    except ValueError as error:
        remedy = f"give one of {', '.join(values)}"
        raise InputError([Problem(option, f"{text!r} is not known", remedy)]) from error


def _conclude(ensemble: Ensemble | None, finished: RunFinished, spec: UncertaintySpec, as_json: bool) -> int:
    if finished.reason is FinishReason.FAILED or ensemble is None:
        return refused(finished, TITLE, as_json)
    header = read_header(spec.out)
    report(as_json, result(ensemble, header, finished), lambda: lines(ensemble, header, finished))
    return exit_code(finished)
